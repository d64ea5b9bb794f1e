"""The ids inside a drawing, as the page that shows it needs them: unique on the page, and one for each line.

Takes and gives SVG as text. Knows nothing about ACDL.
"""

import re

from acdl_mkdocs.foundation.source import Source

_PLACE = re.compile(r'<(?P<kind>g|text)(?P<id> id="[^"]*")?(?: data-acdl="(?P<start>\d+)-\d+")?')


def with_anchors(svg: str, name: str, prefix: str, source: Source) -> str:
    """The drawing with its ids.

    Parameters:
        svg: As drawn with `prefix` before its ids.
        name: The id of the `<figure>` around it, which is often the spec's name: the drawing must not repeat it.
        prefix: Empty if the drawing has its ids to itself.
        source: The text that was drawn. What stands first of a line gets the id `NAME-line-12`.
    """
    svg = svg.replace(f'<g id="{name}"', "<g", 1)
    if not prefix:
        for word, attribute in (("title", "aria-labelledby"), ("desc", "aria-describedby")):
            svg = svg.replace(f'<{word} id="acdl-{word}"', f'<{word} id="{name}-{word}"', 1)
            svg = svg.replace(f'{attribute}="acdl-{word}"', f'{attribute}="{name}-{word}"', 1)
    return _with_lines(svg, name, source)


def _with_lines(svg: str, name: str, source: Source) -> str:
    """An id for each line: that of the first statement that begins on it, or of the words above a block."""
    given: set[int] = set()
    opened = -1  # the line of the group whose words come next

    def numbered(found: re.Match[str]) -> str:
        nonlocal opened
        line = source.line_index(int(found["start"])) + 1 if found["start"] else opened
        if found["kind"] == "g":
            opened = line
            return found[0]
        opened = -1
        if found["id"] or line < 1 or line in given:
            return found[0]
        given.add(line)
        return f'<text id="{name}-line-{line}"{found[0].removeprefix("<text")}'

    return _PLACE.sub(numbered, svg)
