"""The directives `.. acdl::` of a reStructuredText page or docstring, as blocks with their places.

What is in a literal block, a comment or a directive that shows code is text. Directives in lists, admonitions and other
directives are found wherever they are indented to. Knows nothing about ACDL.
"""

import re
from collections.abc import Iterator, Sequence

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.site.fences import Fence, lines_of

_MARKERS = r"[ \t]*(?:(?:[-*+]|#\.|\(?(?:\d{1,9}|[a-zA-Z])[.)])[ \t]+)*"
_OWN = compile_later(rf"(?P<before>{_MARKERS}\.\.[ \t]+)(?P<name>acdl[\w-]*|pml|laic)::(?:[ \t]++(?P<words>.*))?$")
_EXPLICIT = compile_later(rf"(?P<before>{_MARKERS})\.\.(?:[ \t]++(?P<rest>.*))?$")
_DIRECTIVE = compile_later(r"(?:\|[^|]+\|[ \t]+)?(?P<name>[\w:.+-]+)::(?:\s|$)")
_TARGET = compile_later(r"_|\[[^\]]+\]")
_LITERAL = frozenset(
    (
        "code", "code-block", "sourcecode", "literalinclude", "raw", "parsed-literal", "highlight", "math", "toctree",
        "csv-table", "include", "doctest", "testcode", "testoutput", "testsetup", "graphviz", "digraph", "uml",
        "mermaid", "plot", "ipython", "jupyter-execute", "prompt",
    )
)  # fmt: skip
"""Directives whose text is not read like the page."""


def directives_of(text: str) -> tuple[Fence, ...]:
    """All blocks of a page."""
    lines = lines_of(text)
    return tuple(directives_in(lines, 0, len(lines)))


def directives_in(lines: Sequence[str], first: int, end: int) -> Iterator[Fence]:
    """The blocks between two lines of a text, the first counted from 0 and the second excluded."""
    at = first
    while at < end:
        line = lines[at]
        own = _OWN.match(line) if "::" in line else None
        if own:
            fence = _block(lines, at, end, own)
            yield fence
            at = fence.end
        elif _hides_what_follows(line):
            at = _end_of_body(lines, at, end, _column(line))
        else:
            at += 1


def _column(line: str) -> int:
    """The column of the text of a line, behind the markers of its list items if it is explicit markup."""
    explicit = _EXPLICIT.match(line)
    return len(explicit["before"]) if explicit else len(line) - len(line.lstrip())


def _hides_what_follows(line: str) -> bool:
    """Whether indented lines below this one are no markup: those of a literal block, a comment, a block of code."""
    explicit = _EXPLICIT.match(line) if ".." in line else None
    if explicit is None:
        return line.rstrip().endswith("::")
    rest = (explicit["rest"] or "").strip()
    directive = _DIRECTIVE.match(rest)
    if directive:
        return directive["name"].rpartition(":")[2] in _LITERAL
    return not _TARGET.match(rest)


def _end_of_body(lines: Sequence[str], at: int, end: int, column: int) -> int:
    """0-based index after the lines that are indented further than the one at `at`."""
    last = at
    for below in range(at + 1, end):
        words = lines[below].lstrip()
        if words and len(lines[below]) - len(words) <= column:
            break
        last = below if words else last
    return last + 1


def _block(lines: Sequence[str], at: int, end: int, own: re.Match[str]) -> Fence:
    column = len(own["before"].rstrip(" \t")) - 2
    last = _end_of_body(lines, at, end, column)
    body = [line.rstrip("\r") for line in lines[at + 1 : last]]
    width = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=column + 3)
    text = "".join(f"{line[width:]}\n" for line in body)
    words = (own["words"] or "").rstrip()
    gap = " " * (own.start("words") - own.end("name")) if words else ""
    header = f"{' ' * len(own['before'])}{own['name']}{gap}{words}"
    prefix = next((line[:width] for line in body if line.strip()), " " * width)
    return Fence(at, last, "", "", header, text, width + 1, is_closed=True, body_prefix=prefix)
