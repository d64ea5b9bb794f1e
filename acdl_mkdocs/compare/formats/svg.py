"""A difference as an SVG file: one figure of both texts, or both side by side."""

from acdl_mkdocs.compare.formats.edit_text import summarize_difference
from acdl_mkdocs.compare.formats.figure import draw_sides, draw_unified
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.formats import svg
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.drawing.formats.xml import Element, Markup, format_number, to_xml
from acdl_mkdocs.language.syntax.words import Run

_GAP_PX = 24
"""Between two side-by-side figures."""
THEMES: dict[str, ThemeName] = {"auto": "auto", "light": "light", "dark": "dark"}


def write(difference: Difference, options: CompareOptions | None = None) -> str:
    """Write the figure as one `<svg>` element; the same difference gives the same bytes everywhere."""
    options = options or CompareOptions()
    title = title_of(difference, options)
    output_options = OutputOptions(title=title, theme=THEMES.get(options.theme, "auto"))
    if not options.is_side_by_side:
        return svg.write(draw_unified(difference, is_folded=options.is_folded), output_options)
    parts: list[Element] = []
    for box, word in zip(draw_sides(difference, is_folded=options.is_folded), ("old", "new"), strict=True):
        name = (difference.old if word == "old" else difference.new).source.name
        named = Box("side", (Run(f"{word}: ", "keyword"), Run(name, "plain")))
        figure = Box("figure", children=(named, *box.children), span=box.span)
        prefixed = OutputOptions(title=f"{word}: {name}", id_prefix=f"{word}-", theme=output_options.theme)
        parts.append(svg.build_svg(figure, prefixed))
    return to_xml(_join_figures(parts, title, summarize_difference(difference)))


def title_of(difference: Difference, options: CompareOptions) -> str:
    """Return the title of the comparison."""
    return options.title or f"{difference.old.source.name} and {difference.new.source.name}"


def _join_figures(parts: list[Element], title: str, description: str) -> Element:
    """Join figures from left to right."""
    x, height = 0.0, 0.0
    children: list[Markup] = [Element("title", {}, [title]), Element("desc", {}, [description])]
    groups: list[Markup] = []
    for part in parts:
        # A second set of rules would only repeat those of the first, but for styles that only one of them uses.
        children += [each for each in part.children if isinstance(each, Element) and each.name == "style"]
        inner = [each for each in part.children if not (isinstance(each, Element) and each.name == "style")]
        groups.append(Element("g", {"transform": f"translate({format_number(x)})"}, inner))
        x += float(part.attributes["width"]) + _GAP_PX
        height = max(height, float(part.attributes["height"]))
    width = format_number(x - _GAP_PX)
    attributes = {
        key: value for key, value in parts[0].attributes.items() if not key.startswith("aria-") and key != "role"
    }
    attributes |= {"width": width, "height": format_number(height), "viewBox": f"0 0 {width} {format_number(height)}"}
    has_links = any(part.attributes["role"] == "group" for part in parts)
    return Element("svg", attributes | {"role": "group" if has_links else "img"}, [*children, *groups])
