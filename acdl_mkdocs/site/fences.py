"""Find the fenced blocks of a Markdown text, with the place of everything in it.

Takes lines, gives `Fence` values. The same scan serves the Markdown extension, the positions in a build log and
`acdl check` on Markdown files. Knows nothing about ACDL: what a block says is the business of others.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.compile_later import compile_later
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.site.indents import Indents
from acdl_mkdocs.site.remembered import remembered

_CONTAINERS = r"(?: {0,3}\[\^[^\]\n]+\]:)?(?:[ \t>]|(?:[-*+:]|\d{1,9}[.)])(?=[ \t]))*+"
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]]+\]:[ \t]*")
_LINE_END = compile_later(r"\r\n?|\n")
_OPENING = re.compile(rf"(?P<prefix>{_CONTAINERS})(?P<mark>`{{3,}}|~{{3,}})(?P<header>.*)")
_LANGUAGE = re.compile(r"\s*(?:\{[^}]*?\.|\{\s*|\.?)(?P<name>\w[\w#+-]*)(?=[\s{}]|$)")
_CODE_SPAN = compile_later(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_RAW_OPENING = re.compile(r"<!--|^[ \t>]*<(?P<tag>pre|script|style|textarea)\b", re.IGNORECASE)
_PART = compile_later(r"[ \t>]*(?:<!--|\{/\*) acdl-embed (?P<end>end\b)?")
_MARKERS = str.maketrans(dict.fromkeys("-*+:.)0123456789", " "))

_N_REMEMBERED = 1024
"""So many pages are searched only once in a process."""
_TAB = 4
_FREE_INDENT = 3
"""A fence indented no deeper than this stands in no container, so its lines may be indented less than it is."""


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block."""

    first: int
    """0-based index of the opening line."""
    end: int
    """0-based index after its last line."""
    prefix: str
    """What stands before the opening marks: indentation, quote marks, list markers."""
    mark: str
    """The opening marks, as "```" or "~~~~"."""
    header: str
    """What follows the marks on the opening line."""
    text: str
    """The lines inside, without the prefix, each with its line end."""
    column: int
    """1-based column of the host file at which the lines inside begin."""
    is_closed: bool
    """Whether the closing marks were found before the page or the container ended."""
    is_code: bool = False
    """Whether it stands in an indented code block and so is text, as far as its lines can tell."""

    @property
    def language(self) -> str:
        """The first word or class of the header, lower case: `acdl` for "acdl id=x" and for "{.acdl #x}"."""
        found = _LANGUAGE.match(self.header)
        return found["name"].lower() if found else ""

    @property
    def inside(self) -> str:
        """What stands before the lines inside: the prefix, with white space for list and footnote markers."""
        return _FOOTNOTE.sub(" " * _TAB, self.prefix).translate(_MARKERS)

    @property
    def opening(self) -> str:
        """The opening line without what stands before it."""
        return self.mark + self.header


def lines_of(text: str) -> list[str]:
    """The lines of a text, which end as Markdown says: with CR LF, LF or CR."""
    return _LINE_END.split(text)


def scan(lines: Sequence[str]) -> Iterator[Fence]:
    """Yield every fenced block in order, of whatever language.

    A fence inside a longer fence, an HTML comment or a raw `<pre>` is text of what encloses it, so it is not found.
    A fence ends with its closing marks, or where its list item, quote or page does.
    """
    at = hidden = 0
    last_lines: dict[str, int] = {}
    indents = Indents()
    while at < len(lines):
        line = lines[at]
        is_code = at >= hidden and indents.see(line)
        opening = _OPENING.match(line) if "```" in line or "~~~" in line else None
        if opening and opening["mark"] not in opening["header"]:
            fence = _read(lines, at, opening)
            yield replace(fence, is_code=True) if is_code else fence
            if at >= hidden:
                indents.leave(is_block=not fence.prefix)
                hidden = after_part(lines, fence.end)
            at = fence.end
        else:
            at = _after_raw(lines, at, last_lines) if "<" in line else at + 1


def after_part(lines: Sequence[str], end: int) -> int:
    """The index after what `acdl embed` wrote below a block, else after the block.

    What follows a block is read as if nothing had been written below it.

    Parameters:
        lines: The page.
        end: The index after the block.
    """
    first = end
    while first < len(lines) and not lines[first].strip(" \t>"):
        first += 1
    if first < len(lines) and (mark := _PART.match(lines[first])) and not mark["end"]:
        for index in range(first + 1, len(lines)):
            mark = _PART.match(lines[index])
            if mark:
                return index + 1 if mark["end"] else end
    return end


@remembered(_N_REMEMBERED)
def fences_of(text: str) -> tuple[Fence, ...]:
    """All fenced blocks of a text, which is asked for several times in a build and again in the next."""
    return tuple(scan(lines_of(text)))


def without_code(text: str) -> str:
    """The same text, sign for sign, with blanks in the place of fenced blocks and code spans."""
    parts = re.split(r"(\r\n?|\n)", text)
    lines = parts[::2]
    for fence in fences_of(text):
        lines[fence.first : fence.end] = [" " * len(line) for line in lines[fence.first : fence.end]]
    parts[::2] = [_CODE_SPAN.sub(lambda span: " " * len(span[0]), line) for line in lines]
    return "".join(parts)


def _read(lines: Sequence[str], first: int, opening: re.Match[str]) -> Fence:
    """The fence that begins at the line with index `first`."""
    prefix, mark = opening["prefix"], opening["mark"]
    closing = re.compile(rf" {{0,3}}{mark[0]}{{{len(mark)},}}\s*$")
    body: list[str] = []
    inside = _FOOTNOTE.sub(" " * _TAB, prefix)
    is_closed = is_left = False
    at = first + 1
    while at < len(lines):
        consumed = _inside(lines[at], inside)
        if consumed is None:
            is_left = True
            break
        content = lines[at][consumed:].rstrip("\r")
        at += 1
        if mark[0] in content and closing.match(content):
            is_closed = True
            break
        body.append(content + "\n")
    if not is_closed:
        n_lines = len("".join(body).rstrip().split("\n")) if "".join(body).strip() else 0
        at -= (len(body) - n_lines) * is_left  # empty lines between items are not the fence's
        del body[n_lines:]
    header = opening["header"].rstrip("\r")
    return Fence(first, at, prefix, mark, header, "".join(body), len(inside) + 1, is_closed)


def _inside(line: str, prefix: str) -> int | None:
    """How many characters of a line are the container's, `None` if the line is not in the container."""
    if not prefix:
        return 0
    n_quotes, width = prefix.count(">"), _width(prefix)
    at = seen_quotes = reached = 0
    while at < len(line) and reached < width and line[at] in " \t>":
        reached = _advance(reached, line[at])
        seen_quotes += line[at] == ">"
        at += 1
    if not line.strip():
        return at
    is_outside = seen_quotes < n_quotes if n_quotes else reached < width and width > _FREE_INDENT
    return None if is_outside else at


def _width(text: str) -> int:
    """Columns that a prefix takes, tabs expanded."""
    width = 0
    for character in text:
        width = _advance(width, character)
    return width


def _advance(width: int, character: str) -> int:
    return width + (_TAB - width % _TAB if character == "\t" else 1)


def _after_raw(lines: Sequence[str], at: int, last_lines: dict[str, int]) -> int:
    """Index of the line after the comment or raw HTML element that begins in this line, else of the next line.

    Parameters:
        lines: The page.
        at: The line.
        last_lines: For each closing tag that was looked for, the last line that has it; grows here, so that a page
            of openings without an end is not searched again for each of them.
    """
    line = _CODE_SPAN.sub(lambda span: " " * len(span[0]), lines[at])
    opening = _RAW_OPENING.search(line)
    if not opening:
        return at + 1
    closing = f"</{opening['tag'].lower()}" if opening["tag"] else "-->"
    if closing in line[opening.end() :].lower():
        return at + 1
    if closing not in last_lines:
        found = (idx for idx in range(len(lines) - 1, at, -1) if closing in lines[idx].lower())
        last_lines[closing] = next(found, -1)
    for later in range(at + 1, last_lines[closing] + 1):
        if closing in lines[later].lower():
            return later + 1
    return at + 1
