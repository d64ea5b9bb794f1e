"""The figure as SVG: inline in a page, or a separate file. Knows nothing about ACDL and layout.

Every colour is a literal attribute, so the figure is right without a stylesheet, plus a class that `acdl.css` (inline)
or the one `<style>` of a file recolours. There are no scripts, no references to other resources, and no `style`
attributes, so it is compatible with a strict content security policy.

A figure in a page can be followed by a second drawing of it for narrow columns. It is hidden by an attribute;
`acdl.css` shows it in place of the first where that would have to shrink. It has no ids, so that none is there twice.

The validator of `svgwrite` knows every element and attribute; the tests check this.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from acdl_mkdocs.drawing.figure import scene
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.layout import layout
from acdl_mkdocs.drawing.figure.theme import BOLD, NARROW, PALETTES, Theme
from acdl_mkdocs.drawing.formats import box_text, paths
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.drawing.formats.xml import Element, Markup, format_number, make_id, to_xml
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.text_width import count_columns, is_right_to_left
from acdl_mkdocs.language.syntax.words import Run

FONTS = (
    "JetBrains Mono,ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,"
    "Noto Sans Mono CJK SC,monospace"
)
"""The fonts for browsers, listed only in style sheets; other programs use `_ANY_FONT`."""
_ANY_FONT = "monospace,DejaVu Sans Mono,Liberation Mono"
"""CairoSVG reads only the first name; resvg does not know `monospace` on Linux."""
_FITTED = (
    ".acdl-svg{font-variant-ligatures:none}@supports(font-size-adjust:ch-width 1){.acdl-svg{"
    f"font-family:{FONTS};text-rendering:geometricPrecision}}}}"
    f"@supports not (-moz-appearance:none){{.acdl-svg{{font-size-adjust:ch-width {format_number(Theme().column_em)}}}}}"
)
"""Keeps text to its columns: Chromium rounds the widths of letters unless asked to be precise, and can scale any font.

Firefox would scale each fallback font too, and halve emoji. `@supports` hides the precision from CairoSVG, which breaks
letters by it.
"""
CLASSES = {
    "keyword": "k", "operator": "o", "plain": "o", "title": "k", "template": "f", "function": "f", "variable": "v",
    "index": "i", "path": "l", "reference": "r", "string": "s", "number": "n", "fragment": "f", "muted": "m",
    "fragment-title": "f", "comment": "c", "role": "b",
    "badge-text": "b", "title-bar": "zt", "banner": "zb", "label": "zh", "line": "zl", "badge": "zg", "purple": "zp",
    "green": "zv", "role-system": "zs", "role-user": "zu", "role-assistant": "za", "role-tool": "zo",
    "role-none": "zn", "skipped": "zx", "broken": "ze", "icon": "zi", "icon-solid": "zf", "icon-broken": "ze",
    "mark": "zi", "ends": "zm",
    "sign-new": "zq", "edge-new": "zq", "sign-gone": "zr", "edge-gone": "zr", "strike": "zr", "strike-role": "zrl",
    "sign-other": "zw", "edge-other": "zw", "sign-quiet": "zy", "edge-quiet": "zy",
    "tint-new": "zqt", "tint-gone": "zrt", "tint-other": "zwt", "tint-quiet": "zyt", "now": "zqn", "was": "zrw",
}  # fmt: skip
"""Style to its class, `acdl-` before it: words have one letter, shapes two or three. Letters differ in more than their
case, which pages in quirks mode ignore."""
_PLAIN = CLASSES["plain"]
_THEME = Theme()
_WIDTH_STEP = 100
_WIDEST_STEP = 12
_LEAST_SCALE = 0.96
SWITCH_WIDTHS = (*range(360, 721, 40), 960, 1200)
"""Widths of a column, in px, below which figures of a class `acdl-from-N` are replaced by their narrow drawings."""
_TALL_PX, _TALLEST_PX = 1000, 1450
"""A higher figure is printed on a separate sheet, scaled down for it, or on several: text must stay legible."""


def write(figure: Box, options: OutputOptions) -> str:
    """Write the figure as one `<svg>` element, one element per line; the same input gives the same bytes everywhere.

    With `options.reflows`, the narrow drawing follows, unless the figure is narrow itself.
    """
    with system.pause_collector():
        words = _read_words(figure, options)
        root = _build_drawing(layout(figure, _THEME, options.width_px), options, words)
        if "acdl-from-" not in root.attributes["class"]:
            return to_xml(root)
        return to_xml(root) + to_xml(_build_drawing(layout(figure, NARROW), options, words, is_narrow=True))


def write_light_and_dark(figure: Box, options: OutputOptions) -> tuple[str, str]:
    """Write the figure as one file for light and one for dark pages, with the same layout."""
    with system.pause_collector():
        words, drawing = _read_words(figure, options), layout(figure, _THEME, options.width_px)
        light = _build_drawing(drawing, replace(options, theme="light"), words)
        dark = _build_drawing(drawing, replace(options, theme="dark"), words)
        return to_xml(light), to_xml(dark)


def build_svg(figure: Box, options: OutputOptions) -> Element:
    """Build the figure as a tree of elements."""
    return _build_drawing(layout(figure, _THEME, options.width_px), options, _read_words(figure, options))


def add_margin(root: Element) -> None:
    """Widen a drawing by the margin of a figure on a ground of its own."""
    margin = _THEME.ground_margin
    width, height = (format_number(float(root.attributes[name]) + 2 * margin) for name in ("width", "height"))
    start = format_number(-margin)
    root.attributes |= {"width": width, "height": height, "viewBox": f"{start} {start} {width} {height}"}


class _FigureWords(NamedTuple):
    """What both drawings of a figure say about it."""

    title: str
    description: str
    anchors: Mapping[str, str]
    """The anchors of definitions, by their names."""


def _read_words(figure: Box, options: OutputOptions) -> _FigureWords:
    title = make_visible(options.title or box_text.figure_title(figure))
    return _FigureWords(title, box_text.summarize_figure(figure), box_text.definition_anchors(figure))


def _build_drawing(
    drawing: scene.Scene, options: OutputOptions, words: _FigureWords, *, is_narrow: bool = False
) -> Element:
    writer = _SvgWriter(words, options, is_narrow=is_narrow)
    groups = writer.build_groups(drawing.root)
    shapes = list(writer.build_shapes())
    root = writer.build_root(drawing)
    root.children += writer.build_description()
    if options.standalone:
        root.children.append(Element("style", {}, [_FITTED + writer.dark_rules()]))
    root.children += shapes
    root.children += groups
    return root


class _SvgWriter:
    """One figure on its way to elements: what was used so far, and the shapes by layer and style."""

    def __init__(self, words: _FigureWords, options: OutputOptions, *, is_narrow: bool) -> None:
        self._words = words
        self._options = options
        self._is_narrow = is_narrow
        self._theme = NARROW if is_narrow else _THEME
        self._is_bare = is_narrow and options.theme != "light"
        """Whether the style sheet, without which the drawing is hidden, gives it all its colours."""
        self._palette = PALETTES["dark" if options.theme == "dark" else "light"]
        self._paths: dict[tuple[int, str], list[str]] = {}
        self._paints: dict[str, dict[str, str]] = {}
        self._has_links = False
        # Navigation without page loads (Material, Zensical) stops at an SVG link in a page whose address is `href`.
        self._link = "href" if options.standalone else "xlink:href"

    def build_root(self, drawing: scene.Scene) -> Element:
        """Build the root element.

        An image hides what is in it from assistive technology: right for text that the description repeats, wrong for
        links, which must stay reachable; so a figure with links is a group.
        """
        width, height = format_number(drawing.width), format_number(drawing.height)
        fit = self._fit_class(drawing.width)
        fit += " acdl-sheets" if drawing.height > _TALLEST_PX else " acdl-sheet" if drawing.height > _TALL_PX else ""
        auto = " acdl-auto" if self._options.theme == "auto" else ""
        if self._options.theme == "dark" and not self._options.standalone:
            auto = " acdl-auto acdl-dark"  # the style sheet keeps it dark on a screen, but not on paper
        attributes = {"xmlns": "http://www.w3.org/2000/svg"} if self._options.standalone else {}
        attributes |= {"class": f"{fit} acdl-svg{auto}" if self._is_narrow else f"acdl-svg{auto} {fit}"}
        attributes |= {"width": width, "height": height}
        attributes |= {"viewBox": f"0 0 {width} {height}", "role": "group" if self._has_links else "img"}
        if self._is_narrow:
            attributes |= {"display": "none", "data-search-exclude": ""}
        elif self._has_links:
            attributes |= {
                "aria-labelledby": self._make_id("acdl-title"),
                "aria-describedby": self._make_id("acdl-desc"),
            }
        if self._has_links and not self._options.standalone:
            attributes["xmlns:xlink"] = "http://www.w3.org/1999/xlink"
        attributes |= {"direction": "ltr", "font-family": _ANY_FONT, "font-size": format_number(self._theme.text_px)}
        return Element("svg", attributes | ({} if self._is_bare else {"fill": self._palette["plain"][0]}), [])

    def _fit_class(self, width: float) -> str:
        """Return the classes by which the style sheet fits the drawing into its column."""
        if self._is_narrow:
            return "acdl-narrow"
        if self._options.reflows and width * _LEAST_SCALE > NARROW.width_px:
            least = width * _LEAST_SCALE
            return f"acdl-from-{next((each for each in SWITCH_WIDTHS if each >= least), SWITCH_WIDTHS[-1])}"
        n_steps = math.ceil(width / _WIDTH_STEP)
        return f"acdl-w{n_steps}" if n_steps <= _WIDEST_STEP else "acdl-wide"

    def build_description(self) -> list[Markup]:
        """Build title and description."""
        texts = {"title": self._words.title, "desc": self._words.description}
        return [
            Element(
                name, {"id": self._make_id(f"acdl-{name}")} if self._has_links and not self._is_narrow else {}, [text]
            )
            for name, text in texts.items()
        ]

    def dark_rules(self) -> str:
        """Return dark colours for all classes in use, applied if the system is dark; on paper a figure is light."""
        if self._options.theme != "auto":
            return ""
        self._style_attributes("plain")
        rules = "".join([f".acdl-{CLASSES[style]}{{{_css_rule(style)}}}" for style in _first_of_class(self._paints)])
        plain = PALETTES["dark"]["plain"][0]
        return f"@media screen and (prefers-color-scheme:dark){{.acdl-svg{{fill:{plain}}}{rules}}}"

    def build_groups(self, root: scene.Group) -> list[Markup]:
        """Build the constructs as nested groups of text; shapes are collected on the way."""
        elements: list[Markup] = []
        open_groups: list[tuple[Iterator[scene.Item], list[Markup]]] = [(iter((root,)), elements)]
        while open_groups:
            items, into = open_groups[-1]
            group = self._to_next_group(items, into, {})
            if group is None:
                open_groups.pop()
                continue
            attributes = self._group_attributes(group)
            inside = [item for item in group.items if isinstance(item, (scene.Group, scene.Text))]
            if len(inside) < 2 and not any(isinstance(item, scene.Group) for item in inside):  # no `<g>` for one text
                self._to_next_group(iter(group.items), into, attributes)
                continue
            if attributes:
                element = Element("g", attributes, [])
                into.append(element)
                into = element.children
            open_groups.append((iter(group.items), into))
        return elements

    def _to_next_group(
        self, items: Iterator[scene.Item], into: list[Markup], attributes: dict[str, str]
    ) -> scene.Group | None:
        for item in items:
            if isinstance(item, scene.Group):
                return item
            if isinstance(item, scene.Text):
                into.append(self._build_text(item, {**attributes}))
            else:
                self._collect_shape(item)
        return None

    def _group_attributes(self, group: scene.Group) -> dict[str, str]:
        attributes = {"id": self._make_id(group.anchor)} if group.anchor and not self._is_narrow else {}
        if group.span:
            attributes["data-acdl"] = f"{group.span.start}-{group.span.end}"
        return attributes

    def _make_id(self, anchor: str) -> str:
        return make_id(self._options.id_prefix + anchor)

    def _collect_shape(self, item: paths.Shape) -> None:
        layer, style, data = paths.place_shape(item, self._palette)
        self._paths.setdefault((layer, style), []).append(data)

    def build_shapes(self) -> Iterator[Markup]:
        """Yield one path for all shapes of a style on one layer, lowest first."""
        for (_, style), data in sorted(self._paths.items(), key=lambda entry: entry[0][0]):
            fill, stroke = self._palette[style]
            attributes = dict(self._style_attributes(style))
            if not (fill and self._is_bare):
                attributes["fill"] = fill or "none"
            if stroke and not self._is_bare:
                attributes["stroke"] = stroke
            yield Element("path", {**attributes, **paths.STROKES.get(style, {}), "d": "".join(data)}, [])

    def _style_attributes(self, style: str) -> dict[str, str]:
        """Return class and colour of a style; the attributes must not be changed."""
        paint = self._paints.get(style)
        if paint is None:
            paint = {"class": f"acdl-{CLASSES[style]}"}
            if not self._is_bare:
                paint["fill"] = self._palette[style][0]
            if style in BOLD:
                paint["font-weight"] = "700"
            self._paints[style] = paint
        return paint

    def _build_text(self, text: scene.Text, attributes: dict[str, str]) -> Element:
        """Build a statement: its only piece itself, or an element per piece on a common baseline."""
        pieces = text.pieces
        if len(pieces) == 1 and not self._find_href(pieces[0]):
            return Element("text", attributes, self._set_piece(attributes, pieces[0], is_level=False))
        is_level = all(piece.y == pieces[0].y for piece in pieces)
        if is_level:
            attributes["y"] = format_number(pieces[0].y)
        elements: list[Markup] = []
        linked: set[str] = set()
        for piece in pieces:
            if piece.space:
                elements.append(piece.space)
            inner: dict[str, str] = {}
            element = Element("tspan", inner, self._set_piece(inner, piece, is_level))
            href = self._find_href(piece)
            if href and href not in linked:
                linked.add(href)
                self._has_links = True
                element = Element("a", {self._link: href}, [element])
            elements.append(element)
        return Element("text", attributes, elements)

    def _find_href(self, piece: scene.Piece) -> str:
        if piece.target:
            return box_text.target_href(piece.target, self._words.anchors, self._options.links, self._options.id_prefix)
        if self._options.source_url and piece.runs[0].style == "comment":
            return box_text.source_href(piece.runs[0].text, self._options.source_url)
        return ""

    def _set_piece(self, attributes: dict[str, str], piece: scene.Piece, is_level: bool) -> list[Markup]:
        """Set position and look of a piece, and return its words."""
        attributes["x"] = format_number(piece.x)
        if not is_level:
            attributes["y"] = format_number(piece.y)
        runs = _join_runs(piece.runs) if len(piece.runs) > 1 else piece.runs
        if is_right_to_left("".join([run.text for run in runs])):
            attributes["unicode-bidi"] = "isolate"
        base = _base_style(runs)
        if CLASSES[base] != _PLAIN:
            attributes |= self._style_attributes(base)
        if piece.is_small and self._theme.small_px != self._theme.text_px:
            attributes["font-size"] = format_number(self._theme.small_px)
        if piece.is_bold:
            attributes["font-weight"] = "700"
        elif base == "comment":
            attributes["font-style"] = "italic"
        return self._build_words(piece, runs, base) if len(runs) > 1 else [runs[0].text]

    def _build_words(self, piece: scene.Piece, runs: Sequence[Run], base: str) -> list[Markup]:
        """Build the words of a piece: each run follows the previous one, and after a blank starts at its own column.

        This is what all programs draw alike. They disagree about `textLength`, some drop blanks between elements, and
        WeasyPrint drops text that follows an element inside another one, so such text is an element too.
        """
        words: list[Markup] = []
        x, is_behind_blank, is_behind_element = piece.x, False, False
        for run in runs:
            attributes = {"x": format_number(x)} if is_behind_blank else {}
            if CLASSES[run.style] != CLASSES[base]:
                attributes |= self._style_attributes(run.style)
                if base in BOLD:
                    attributes["font-weight"] = "700" if run.style in BOLD else "400"
            x += count_columns(run.text) * self._theme.column_width(piece.is_small)
            is_behind_blank = run.text.endswith(" ")
            is_behind_element = is_behind_element or bool(attributes)
            if not is_behind_element:
                words.append(run.text)
                continue
            words.append(Element("tspan", attributes, [run.text.rstrip(" ")]))
            if is_behind_blank:
                words.append(" ")  # for copying the text
        return words


def _base_style(runs: Sequence[Run]) -> str:
    """Return the style that most of a piece can inherit."""
    if len(runs) == 1:
        return runs[0].style
    uses = [CLASSES[run.style] for run in runs]
    return runs[uses.index(max(uses, key=uses.count))].style


def _join_runs(runs: tuple[Run, ...]) -> list[Run]:
    """Merge neighbouring runs of one style; blanks belong to the run before them."""
    joined: list[Run] = []
    text, style = "", runs[0].style
    for run in runs:
        bare = run.text.lstrip(" ")
        if bare and CLASSES[run.style] != CLASSES[style]:
            joined.append(Run(text + run.text[: -len(bare)], style))
            text, style = bare, run.style
        else:
            text += run.text
    joined.append(Run(text, style))
    return joined


def _first_of_class(styles: dict[str, dict[str, str]]) -> list[str]:
    return sorted({CLASSES[style]: style for style in reversed(styles)}.values())


def _css_rule(style: str) -> str:
    fill, stroke = PALETTES["dark"][style]
    return ";".join(filter(None, (f"fill:{fill}" if fill else "", f"stroke:{stroke}" if stroke else "")))
