"""The figure as PNG: the drawing of the SVG output in pixels. Knows nothing about shapes and words.

The text is drawn with the package's own font, so that the same figure gives the same bytes on every machine. A PNG
cannot follow the page around it, so it has its own page colour: white, or dark with the dark theme.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.theme import PAGES, Theme
from acdl_mkdocs.drawing.formats import fonts, svg
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.drawing.formats.xml import Element, Markup, format_number, to_xml
from acdl_mkdocs.foundation import extras, system
from acdl_mkdocs.foundation.errors import TooLargeError
from acdl_mkdocs.foundation.text_width import count_columns, measure_advances

_MAX_PIXELS = 100_000_000
_PX_PER_METRE = 96 / 0.0254
_HEADER_END = 33
"""The end of the chunk with the size of a PNG."""
_THEME = Theme()
_EMPTY_BOX = "\u25a1"
_OTHER = re.compile("x(?:[x -]*x)?-*")
"""Neighbours that other fonts draw, in a text of sorts; blanks between their words are theirs."""


def write(figure: Box, options: OutputOptions) -> bytes:
    """Write the figure on an opaque page, `options.scale` pixels for each CSS px, with its density in the file.

    Raises:
        MissingExtraError: The packages of the extra `png` are not installed.
        TooLargeError: There would be more pixels than programs can open.
        UnusableFontError: One of `options.fonts` is not a font.
    """
    resvg = extras.import_extra("resvg_py", "png")
    theme: ThemeName = "dark" if options.theme == "dark" else "light"
    with system.pause_collector():
        root = svg.build_svg(figure, replace(options, theme=theme, standalone=True))
        svg.add_margin(root)
        root.children = list(_list_drawn(root))
        _check_size(root, options.scale)
        words = _WordPlacer(options.fonts)
        words.pin_words(root)
        drawing = to_xml(root)
    fonts.warn_about_missing(words.missing)
    pixels: bytes = resvg.svg_to_bytes(
        svg_string=drawing,
        background=PAGES[theme],
        zoom=options.scale,
        skip_system_fonts=True,
        font_files=[*(str(fonts.font_path(face)) for face in fonts.FACES), *options.fonts],
        font_family=fonts.FAMILY,
        monospace_family=fonts.FAMILY,
    )
    return pixels[:_HEADER_END] + _density_chunk(options.scale) + pixels[_HEADER_END:]


def _list_drawn(root: Element) -> Iterator[Markup]:
    """Yield what is drawn, without the groups around it: the program needs too much memory for many nested ones."""
    pending = root.children[::-1]
    while pending:
        child = pending.pop()
        if isinstance(child, Element) and child.name == "g":
            pending += child.children[::-1]
        elif not _is_not_drawn(child):
            yield child


def _is_not_drawn(child: Element | str) -> bool:
    """Return whether an element is for people who cannot see the picture, or for other programs."""
    return isinstance(child, Element) and child.name in ("title", "desc", "style")


class _WordPlacer:
    """The words of a drawing on their way to pixels.

    The program does not spread a text that has words of several styles, and draws a text in one font as far as it can.
    So every word gets its own place, and so do characters that the package's font does not have. Characters that no
    font has become empty boxes, after which the program would look for no other font.
    """

    def __init__(self, named: tuple[str, ...]) -> None:
        self._own = fonts.Typeface([fonts.font_path("Regular")], "png")
        self._all = fonts.Typeface([fonts.font_path("Regular"), *named], "png")
        self.missing: set[str] = set()

    def pin_words(self, root: Element) -> None:
        """Place all words, except texts of one piece that the package's font draws completely."""
        pending = [root]
        while pending:
            element = pending.pop()
            inner = [each for each in element.children if isinstance(each, Element)]
            if element.name != "text":
                pending += inner
            elif inner or not str(element.children[0]).isascii():
                self._place_words(element, 0, is_small=False)

    def _place_words(self, element: Element, x: float, is_small: bool) -> float:
        """Place the words of an element, which begins at `x` unless it has a place; return where they end."""
        x = float(element.attributes.get("x", x))
        is_small = is_small or "font-size" in element.attributes
        children: list[Markup] = []
        for child in element.children:
            if isinstance(child, Element):
                children.append(child)
                x = self._place_words(child, x, is_small)
                continue
            for part, is_own in self._split_by_font(child):
                room = count_columns(part) * _THEME.column_width(is_small)
                attributes = {"x": format_number(x)}
                if not is_own and room:
                    attributes |= {"textLength": format_number(room), "lengthAdjust": "spacingAndGlyphs"}
                if part:
                    children.append(Element("tspan", attributes, [part]))
                x += room
        element.children = children
        return x

    def _split_by_font(self, text: str) -> Iterator[tuple[str, bool]]:
        """Split a text by font, and yield each part with whether the package's font draws it."""
        if text.isascii():
            yield text, True
            return
        text = "".join(map(self._replace_missing, text, measure_advances(text)))
        at = 0
        for other in _OTHER.finditer("".join(map(self._classify_character, text))):
            yield text[at : other.start()], True
            yield text[other.start() : other.end()], False
            at = other.end()
        yield text[at:], True

    def _replace_missing(self, character: str, advance: int) -> str:
        """Return the character, or the empty boxes that replace it."""
        if self._all.has_character(character):
            # A font that is damaged there would leave the character out, or draw for ever.
            self._all.find_glyph(character)
            return character
        self.missing.add(character)
        return _EMPTY_BOX * advance

    def _classify_character(self, character: str) -> str:
        """Classify a character: of another font, a combining mark, a blank, or of this font."""
        if not self._own.has_character(character):
            return "x"
        return "o" if count_columns(character) and character != " " else "-" if character != " " else " "


def _check_size(root: Element, scale: float) -> None:
    width, height = (round(float(root.attributes[name]) * scale) for name in ("width", "height"))
    if width * height > _MAX_PIXELS:
        raise TooLargeError(
            f"the picture would have {width} x {height} pixels: draw one definition with `--spec NAME`, "
            "make it smaller with `--scale 1`, or write it as svg or pdf"
        )


def _density_chunk(scale: float) -> bytes:
    """Return the chunk that defines the size of the picture on paper."""
    per_metre = round(_PX_PER_METRE * scale)
    body = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
