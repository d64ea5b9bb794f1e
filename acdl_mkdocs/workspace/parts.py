"""The parts of a figure that text can refer to, with their anchors: marks, blocks and lines of one spec.

They are taken from the drawing, so a part exists exactly if a link to it works.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from acdl_mkdocs.drawing.formats.xml import make_id
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace.read_block import BlockText, figure_name
from acdl_mkdocs.workspace.remembered import cache_across_builds
from acdl_mkdocs.workspace.spec import Spec

if TYPE_CHECKING:
    from acdl_mkdocs.language.names.resolve import Resolved

_PLACE = re.compile(r'<(?P<kind>g|text)(?P<id> id="[^"]*")?(?: data-acdl="(?P<start>\d+)-\d+")?')


def add_anchors(svg: str, name: str, prefix: str, source: Source) -> str:
    """Add ids to a drawing.

    Parameters:
        svg: The drawing, with `prefix` before its ids.
        name: The id of the `<figure>` around it, which is often the spec's name: the drawing must not repeat it.
        prefix: Empty if the ids of the drawing cannot collide.
        source: The text that was drawn. The first part of a line gets the id `NAME-line-12`.
    """
    svg = svg.replace(f'<g id="{name}"', "<g", 1)
    if not prefix:
        for word, attribute in (("title", "aria-labelledby"), ("desc", "aria-describedby")):
            svg = svg.replace(f'<{word} id="acdl-{word}"', f'<{word} id="{name}-{word}"', 1)
            svg = svg.replace(f'{attribute}="acdl-{word}"', f'{attribute}="{name}-{word}"', 1)
    return _add_line_anchors(svg, name, source)


def _add_line_anchors(svg: str, name: str, source: Source) -> str:
    """Add an id for each line: that of the first statement that begins on it, or of the header of a block.

    A drawing for narrow columns has no ids.
    """
    svg, narrow, rest = svg.partition('<svg class="acdl-narrow')
    anchored: set[int] = set()
    opened = -1  # the line of the group whose text comes next

    def numbered(match: re.Match[str]) -> str:
        nonlocal opened
        line = source.line_index(int(match["start"])) + 1 if match["start"] else opened
        if match["kind"] == "g":
            opened = line
            return match[0]
        opened = -1
        if match["id"] or line < 1 or line in anchored:
            return match[0]
        anchored.add(line)
        return f'<text id="{name}-line-{line}"{match[0].removeprefix("<text")}'

    return _PLACE.sub(numbered, svg) + narrow + rest


_N_REMEMBERED = 4096
"""Size of the cache of texts."""

_ID = re.compile(r'\sid="([^"]*)"')


def parts_of(name: str, text: BlockText, figure: str = "") -> dict[str, str]:
    """Map the names of parts in references (`mark-2`, `line-12`) to anchors.

    Parameters:
        name: The spec or fragment.
        text: The block or file that is drawn.
        figure: The anchor of the figure; empty if it has a separate page.
    """
    usual = figure_name(text.options, text.source.text)
    figure = figure or usual
    prefix = "" if figure == usual and not text.options.id else f"{figure}-"
    anchors = _anchors(name, text.source, figure, prefix)
    own = make_id(f"{prefix}{name}-")
    parts = {each.removeprefix(own): each for each in anchors if each.startswith(own)}
    lines = {each.removeprefix(f"{figure}-"): each for each in anchors if each.startswith(f"{figure}-line-")}
    return parts | lines


@cache_across_builds(_N_REMEMBERED)
def specs_in(source: Source) -> tuple[Spec, ...]:
    """Return the definitions of a text; during a preview, only changed texts are read again."""
    from acdl_mkdocs.workspace.specs import specs_of

    return specs_of(resolve_source(source))


@lru_cache(maxsize=1)  # all questions about a text come together
def resolve_source(source: Source) -> "Resolved":
    """Return the tree and the names of a text without others; the last one is kept."""
    from acdl_mkdocs.language.analyse import parse_and_resolve

    return parse_and_resolve(source).resolved


@cache_across_builds(_N_REMEMBERED)
def _anchors(name: str, source: Source, figure: str, prefix: str) -> tuple[str, ...]:
    """Return all anchors in the drawing of a spec."""
    from acdl_mkdocs.drawing.figure.boxes import Box
    from acdl_mkdocs.drawing.figure.describe import View, describe
    from acdl_mkdocs.drawing.formats import OUTPUTS
    from acdl_mkdocs.drawing.formats.options import OutputOptions

    resolved = resolve_source(source)
    if name not in resolved.definitions:
        return ()
    boxes = describe(resolved, View(spec=name)).children[:1]
    svg = OUTPUTS["svg"](Box("figure", children=boxes), OutputOptions(id_prefix=prefix, standalone=False))
    return tuple(_ID.findall(add_anchors(svg, figure, prefix, source)))
