"""Find the fenced blocks of a Markdown text, with the positions of all their parts.

Takes lines, gives `Fence` values. The same scan serves the Markdown extension, the positions in a build log and
`acdl check` on Markdown files. Knows nothing about ACDL or the contents of blocks.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.remembered import cache_across_builds

_QUOTES = re.compile(r"(?: {0,3}>[ \t]?)+")
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)]|:)(?=[ \t])[ \t]*|\[\^[^\]\n]+\]:|[!?=/+%:]{3,}[ \t]+(?=\S)")
_NO_PARAGRAPH = ("#", "<!--", "{/*")
"""Beginnings of lines that no text continues: headings and comments."""
_STEP = 4


class Indents:
    """The containers and paragraphs that the lines read so far leave open."""

    def __init__(self) -> None:
        self._containers: list[tuple[int, int]] = []  # columns of an open container and of its contents
        self._is_paragraph = False
        self._is_code = False

    def take_line(self, line: str) -> bool:
        """Take the next line and return whether it is indented code."""
        content = _QUOTES.sub("", line, count=1) if ">" in line[:_STEP] else line
        content = content.expandtabs(_STEP)
        words = content.lstrip()
        if not words:
            self._is_paragraph = False
            return self._is_code
        column = len(content) - len(words)
        above = [each for each in self._containers if each[0] < column]
        least = _STEP + (above[-1][1] if above else 0)
        self._is_code = column >= least and not self._is_paragraph
        if not self._is_code:
            self._open(column, words, above)
        return self._is_code

    def leave_block(self, *, is_block: bool) -> None:
        """Continue after a fenced block; a separate block ends the paragraph above it."""
        self._is_paragraph = not is_block and not self._is_code

    def _open(self, column: int, words: str, above: list[tuple[int, int]]) -> None:
        """Take a line of text: it may begin a container, end some, or continue the line above it."""
        n_markers, at = 0, 0
        while match := _MARKER.match(words, at):
            n_markers, at = n_markers + 1, match.end()
        if n_markers:
            self._containers = [*above, (column, column + _STEP * n_markers)]
        elif not self._is_paragraph:
            self._containers = above
        self._is_paragraph = not words.startswith(_NO_PARAGRAPH)


_CONTAINERS = r"(?: {0,3}\[\^[^\]\n]+\]:)?(?>(?:[ \t>]|(?:[-*+:]|\d{1,9}[.)])(?=[ \t]))*)"
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\[\]]+\]:[ \t]*")
_LINE_END = compile_later(r"\r\n?|\n")
_OPENING = re.compile(rf"(?P<prefix>{_CONTAINERS})(?P<mark>`{{3,}}|~{{3,}})(?P<header>.*)")
_LANGUAGE = re.compile(r"\s*(?:\{[^}]*?\.|\{\s*|\.?)(?P<name>\w[\w#+-]*)(?=[\s{}]|$)")
_TICKS = re.compile("`+")
_RAW_OPENING = re.compile(r"<!--|^[ \t>]*<(?P<tag>pre|script|style|textarea)\b", re.IGNORECASE)
_RAW_LINE = re.compile(r"[ \t>]*<(?:!--|(?:pre|script|style|textarea)\b)", re.IGNORECASE)
_RAW_CLOSING = compile_later(r"-->|</(?:pre|script|style|textarea)\b[^<>]*+>?", re.IGNORECASE)
_PARAGRAPH_END = compile_later(r"\s*(?:$|[-*+:#>|]|\d{1,9}[.)]|[!?=/]{3})")
"""Lines that do not continue the paragraph above them."""
_NOT_LINE_END = compile_later(r"[^\n]")
_DIRECTIVE = re.compile(r"\s*\{(?P<name>\w[\w:.-]*)\}")
_LONGEST_QUOTED = 40
"""Longest fence that a message quotes in full."""
_COLON_FENCE = compile_later(rf"(?P<prefix>{_CONTAINERS})(?P<mark>:{{3,}})(?P<header>\{{acdl[\w-]*\}}.*)")
_LITERAL = frozenset(
    (
        "code", "code-block", "code-cell", "sourcecode", "literalinclude", "raw", "parsed-literal", "highlight",
        "math", "eval-rst", "include", "toctree", "csv-table", "image", "mermaid", "graphviz", "digraph", "uml",
        "plot", "plotly", "doctest", "testcode", "testoutput", "testsetup", "testcleanup", "jinja", "html", "css",
        "python", "r", "julia", "ojs", "bash", "sh", "shell", "sql", "dot", "js", "javascript", "typescript", "json",
        "yaml", "toml", "rust", "go", "c", "cpp", "java", "latex", "tex", "text", "markdown", "md", "myst", "rst",
        "autosummary", "automodule", "autoclass", "autofunction", "bibliography", "index", "only-code", "prompt",
    )
)  # fmt: skip
"""Directives of MyST, and languages that other tools write in braces, whose body is not Markdown."""
_FRONT_MARKS = {"---": ("---", "..."), "+++": ("+++",)}
"""First lines of front matter, YAML and TOML, and the possible last ones."""
_FRONT_LINE = compile_later(r"""[\w"'-][^:=]*[:=](?:\s|$)|\[""")
_PART = compile_later(r"[ \t>]*(?:<!--|\{/\*) acdl-embed (?P<end>end\b)?")
_MARKERS = str.maketrans(dict.fromkeys("-*+:.)0123456789", " "))
_N_REMEMBERED = 2048
"""Size of the cache of pages: of each the text of its file, and what Markdown gets."""
_TAB = 4
_FREE_INDENT = 3
"""A fence indented no deeper than this is in no container, so its lines may be indented less."""


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block."""

    first: int
    """0-based index of the opening line."""
    end: int
    """0-based index after its last line."""
    prefix: str
    """Text before the opening marks: indentation, quote marks, list markers."""
    mark: str
    """The opening marks, as "```" or "~~~~"."""
    header: str
    """Text after the marks on the opening line."""
    text: str
    """The lines inside, without the prefix, each with its line end."""
    column: int
    """1-based column in the host file at which the lines inside begin."""
    is_closed: bool
    """Whether the closing marks were found before the page or the container ended."""
    is_code: bool = False
    """Whether it is in an indented code block and thus text, as far as its lines show."""
    body_prefix: str | None = None
    """Prefix of the lines of a directive of reStructuredText, which has no closing marks; else `None`."""

    @property
    def body_end(self) -> int:
        """The 0-based index after the last line inside."""
        return self.end - (self.is_closed and self.body_prefix is None)

    @property
    def language(self) -> str:
        """The first word or class of the header, lower case: `acdl` for "acdl id=x" and for "{.acdl #x}"."""
        match = _LANGUAGE.match(self.header)
        return match["name"].lower() if match else ""

    @property
    def inside(self) -> str:
        """The prefix of the lines inside: white space replaces list and footnote markers."""
        if self.body_prefix is not None:
            return self.body_prefix
        return _FOOTNOTE.sub(" " * _TAB, self.prefix).translate(_MARKERS)

    @property
    def body_indent(self) -> str:
        """The white space by which the lines inside begin further right than the opening marks."""
        return " " * (self.column - 1 - len(self.prefix))

    @property
    def how_to_close(self) -> str:
        """A description of the missing closing marks."""
        mark = self.mark if len(self.mark) <= _LONGEST_QUOTED else f"{len(self.mark):,} times `{self.mark[0]}`"
        return f"end it with a line that has only {mark}, indented like this one"

    @property
    def opening(self) -> str:
        """The opening line without its prefix."""
        return self.mark + self.header


def lines_of(text: str) -> list[str]:
    """Split a text into lines by the rules of Markdown: CR LF, LF or CR ends a line."""
    return _LINE_END.split(text)


def scan_fences(lines: Sequence[str], *, is_myst: bool = False) -> Iterator[Fence]:
    """Yield every fenced block in order, of any language.

    A fence inside a longer fence, an HTML comment or a raw `<pre>` is text of the outer element, so it is not found,
    and neither is one in front matter. A fence ends with its closing marks, or with its list item, quote or page.

    Parameters:
        lines: The page.
        is_myst: Whether MyST reads it: the body of a directive such as ```` ```{note} ```` is read like the page.
    """
    return scan_lines(lines, _end_of_front_matter(lines), len(lines), is_myst=is_myst)


def scan_lines(lines: Sequence[str], first: int, end: int, *, is_myst: bool, indent: int = 0) -> Iterator[Fence]:
    """Yield the blocks between two lines of a text, like `scan_fences`.

    Parameters:
        lines: The whole text.
        first: 0-based index of the first line.
        end: 0-based index after the last one.
        is_myst: Whether MyST reads it.
        indent: The column from which indentation is counted, as in a docstring.
    """
    parts = _scan_parts(lines, first, end, is_myst=is_myst, indent=indent)
    return (each for each in parts if isinstance(each, Fence))


def _scan_parts(
    lines: Sequence[str], first: int, end: int, *, is_myst: bool, indent: int = 0
) -> Iterator[Fence | range]:
    """Yield the blocks between two lines of a text, and the lines of raw HTML, comments and indented code."""
    at = hidden = first
    last_lines: dict[str, int] = {}
    indents = Indents()
    while at < end:
        line = lines[at]
        is_code = at >= hidden and indents.take_line(line[min(indent, len(line) - len(line.lstrip())) :])
        fence = _fence_at(lines, at, end, is_myst=is_myst)
        if fence is None:
            after = min(_after_raw(lines, at, last_lines), end) if "<" in line else at + 1
            if is_code or _RAW_LINE.match(line):
                yield range(at, after)
            at = after
            continue
        if is_myst and not is_code and _holds_markdown(fence):
            yield from _scan_parts(lines, at + 1, fence.body_end, is_myst=True, indent=len(fence.inside))
        else:
            yield replace(fence, is_code=True) if is_code else fence
        if at >= hidden:
            indents.leave_block(is_block=not fence.prefix)
            hidden = after_part(lines, fence.end)
        at = fence.end


def _fence_at(lines: Sequence[str], at: int, end: int, *, is_myst: bool) -> Fence | None:
    """Return the fence that begins at a line."""
    line = lines[at]
    opening = _OPENING.match(line) if "```" in line or "~~~" in line else None
    if opening is None and is_myst and ":::" in line:
        opening = _COLON_FENCE.match(line)
    return _read_fence(lines, at, opening, end) if opening and opening["mark"] not in opening["header"] else None


def _holds_markdown(fence: Fence) -> bool:
    """Return whether a fence is a directive with a Markdown body."""
    match = _DIRECTIVE.match(fence.header)
    name = match["name"].lower() if match else "code"
    return name not in _LITERAL and not name.startswith(("acdl", "code-")) and fence.language not in ("pml", "laic")


def _end_of_front_matter(lines: Sequence[str]) -> int:
    """Return the 0-based index of the first line after the front matter of a page; 0 if it has none."""
    ends = _FRONT_MARKS.get(lines[0].lstrip("\ufeff").rstrip()) if lines else None
    first = next((line for line in lines[1:] if line.strip() and not line.startswith("#")), "") if ends else ""
    if not ends or not (_FRONT_LINE.match(first) or first.rstrip() in ends):
        return 0
    return next((at + 1 for at, line in enumerate(lines) if at and line.rstrip() in ends), 0)


def after_part(lines: Sequence[str], end: int) -> int:
    """Return the index after the output of `acdl embed` below a block, else after the block.

    The text after it is read as if that output did not exist.

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


def fences_of(text: str) -> tuple[Fence, ...]:
    """Return all fenced blocks of a text; cached, since a build and the next one ask repeatedly.

    Empty lines at its end are not counted: Python-Markdown adds two.
    """
    return _fences_of(text.rstrip("\n") + "\n" if text.endswith("\n\n") else text)


@cache_across_builds(_N_REMEMBERED)
def _fences_of(text: str) -> tuple[Fence, ...]:
    return tuple(scan_fences(lines_of(text)))


@cache_across_builds(_N_REMEMBERED)
def myst_fences_of(text: str) -> tuple[Fence, ...]:
    """Return all fenced blocks of a text as MyST reads it; cached."""
    return tuple(scan_fences(lines_of(text), is_myst=True))


def blank_code(text: str, *, is_markdown: bool = True) -> str:
    """Replace everything but prose by blanks, character for character: code, raw HTML, comments, front matter.

    Parameters:
        text: The page.
        is_markdown: Whether indented text can be code; it is prose in docstrings and reStructuredText.
    """
    parts = re.split(r"(\r\n?|\n)", text)
    lines = parts[::2]
    first = _end_of_front_matter(lines)
    widths = {at: len(lines[at]) for at in range(first)}
    for part in _scan_parts(lines, first, len(lines), is_myst=False):
        block = part if isinstance(part, range) else range(part.first, part.end)
        is_raw = block is part and _RAW_LINE.match(lines[block[0]]) is not None
        if is_markdown or is_raw or block is not part:
            widths |= {at: len(lines[at]) for at in block}
        if is_raw:
            closing = _RAW_CLOSING.search(lines[block[-1]])
            widths[block[-1]] = closing.end() if closing else 0
    parts[::2] = _blank_lines(lines, widths)
    return "".join(parts)


def _blank_lines(lines: Sequence[str], widths: Mapping[int, int]) -> Iterator[str]:
    """Yield lines with blanks in place of code spans, which can go over the lines of a paragraph.

    Parameters:
        lines: The page.
        widths: Lines that begin with something else than prose, and the number of characters to replace.
    """
    paragraph: list[str] = []
    for at, line in enumerate(lines):
        if at in widths or _PARAGRAPH_END.match(line):
            yield from _blank_paragraph(paragraph)
            paragraph = []
        paragraph.append(" " * widths.get(at, 0) + line[widths.get(at, 0) :])
    yield from _blank_paragraph(paragraph)


def _blank_paragraph(lines: Sequence[str]) -> Sequence[str]:
    return _blank_spans("\n".join(lines)).split("\n") if lines else lines


def code_spans(line: str) -> list[tuple[int, int]]:
    """Return the start and end of the code spans of a line: between equal numbers of backquotes.

    Each run of backquotes is visited once, so a line without matching runs takes no longer than another.
    """
    runs = [match.span() for match in _TICKS.finditer(line)]
    last: dict[int, int] = {}
    partners: list[int | None] = [None] * len(runs)
    for idx in range(len(runs) - 1, -1, -1):
        start, end = runs[idx]
        partners[idx] = last.get(end - start)
        last[end - start] = idx
    spans, idx = [], 0
    while idx < len(runs):
        partner = partners[idx]
        if partner is not None:
            spans.append((runs[idx][0], runs[partner][1]))
            idx = partner
        idx += 1
    return spans


def map_code_and_text(text: str, inside: Callable[[str], str], outside: Callable[[str], str]) -> str:
    """Transform the code spans of a line with one function, and the rest with another."""
    parts, at = [], 0
    for start, end in code_spans(text):
        parts += [outside(text[at:start]), inside(text[start:end])]
        at = end
    return "".join([*parts, outside(text[at:])])


def _blank_spans(line: str) -> str:
    """Replace the code spans of a line by blanks."""
    return map_code_and_text(line, lambda code: _NOT_LINE_END.sub(" ", code), str)


def _read_fence(lines: Sequence[str], first: int, opening: re.Match[str], end: int) -> Fence:
    """Read the fence that begins at the line with index `first` and ends before that with index `end`."""
    prefix, mark = opening["prefix"], opening["mark"]
    closing = re.compile(rf" {{0,3}}{mark[0]}{{{len(mark)},}}\s*$")
    body: list[str] = []
    inside = _FOOTNOTE.sub(" " * _TAB, prefix)
    is_closed = is_left = False
    at = first + 1
    while at < end:
        consumed = _measure_container(lines[at], inside)
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
        at -= (len(body) - n_lines) * is_left  # empty lines between items do not belong to the fence
        del body[n_lines:]
    header = opening["header"].rstrip("\r")
    return Fence(first, at, prefix, mark, header, "".join(body), len(inside) + 1, is_closed)


def _measure_container(line: str, prefix: str) -> int | None:
    """Return how many characters of a line belong to the container; `None` if the line is outside of it."""
    if not prefix:
        return 0
    n_quotes, width = prefix.count(">"), _measure_prefix(prefix)
    at = seen_quotes = reached = 0
    while at < len(line) and reached < width and line[at] in " \t>":
        reached = _advance(reached, line[at])
        seen_quotes += line[at] == ">"
        at += 1
    if not line.strip():
        return at
    is_outside = seen_quotes < n_quotes if n_quotes else reached < width and width > _FREE_INDENT
    return None if is_outside else at


def _measure_prefix(text: str) -> int:
    """Return the columns of a prefix, with expanded tabs."""
    width = 0
    for character in text:
        width = _advance(width, character)
    return width


def _advance(width: int, character: str) -> int:
    return width + (_TAB - width % _TAB if character == "\t" else 1)


def _after_raw(lines: Sequence[str], at: int, last_lines: dict[str, int]) -> int:
    """Return the index after the comment or raw HTML element that begins on a line, else of the next line.

    Parameters:
        lines: The page.
        at: The line.
        last_lines: For each closing tag searched so far, the last line with it; extended here, so that a page of
            unclosed tags is not searched again for each of them.
    """
    line = _blank_spans(lines[at])
    opening = _RAW_OPENING.search(line)
    if not opening:
        return at + 1
    closing = f"</{opening['tag'].lower()}" if opening["tag"] else "-->"
    if closing in line[opening.end() :].lower():
        return at + 1
    if closing not in last_lines:
        indices = (idx for idx in range(len(lines) - 1, at, -1) if closing in lines[idx].lower())
        last_lines[closing] = next(indices, -1)
    for later in range(at + 1, last_lines[closing] + 1):
        if closing in lines[later].lower():
            return later + 1
    return at + 1
