"""Find the blocks in the docstrings of a Python file: fences of Markdown, and directives of reStructuredText."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.fences import Fence, lines_of, scan_lines
from acdl_mkdocs.workspace.remembered import cache_across_builds

_MARKERS = r"[ \t]*(?:(?:[-*+]|#\.|\(?(?:\d{1,9}|[a-zA-Z])[.)])[ \t]+)*"
_OWN = compile_later(
    rf"(?P<before>{_MARKERS}\.\.[ \t]+)(?P<name>(?i:acdl[\w-]*|pml|laic)) ?::(?:[ \t]++(?P<words>.*))?$"
)
_EXPLICIT = compile_later(rf"(?P<before>{_MARKERS})\.\.(?:[ \t]++(?P<rest>.*))?$")
_DIRECTIVE = compile_later(r"(?:\|[^|]+\|[ \t]+)?(?P<name>[\w:.+-]+) ?::(?:\s|$)")
_TARGET = compile_later(r"_|\[[^\]]+\]")
_LITERAL = frozenset(
    (
        "code", "code-block", "sourcecode", "literalinclude", "raw", "parsed-literal", "highlight", "math", "toctree",
        "csv-table", "include", "doctest", "testcode", "testoutput", "testsetup", "graphviz", "digraph", "uml",
        "mermaid", "plot", "ipython", "jupyter-execute", "prompt",
    )
)  # fmt: skip
"""Directives with a body that is not markup."""


def directives_of(text: str) -> tuple[Fence, ...]:
    """Return all blocks of a page."""
    lines = lines_of(text)
    return tuple(directives_in(lines, 0, len(lines)))


def directives_in(lines: Sequence[str], first: int, end: int) -> Iterator[Fence]:
    """Yield the blocks between two lines of a text, the first counted from 0 and the second excluded."""
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
    """Return the column of the text of a line, after the markers of its list items if it is explicit markup."""
    explicit = _EXPLICIT.match(line)
    return len(explicit["before"]) if explicit else len(line) - len(line.lstrip())


def _hides_what_follows(line: str) -> bool:
    """Return whether the indented lines below are not markup: a literal block, a comment, a block of code."""
    explicit = _EXPLICIT.match(line) if ".." in line else None
    if explicit is None:
        return line.rstrip().endswith("::")
    rest = (explicit["rest"] or "").strip()
    directive = _DIRECTIVE.match(rest)
    if directive:
        return directive["name"].rpartition(":")[2] in _LITERAL
    return not _TARGET.match(rest)


def _end_of_body(lines: Sequence[str], at: int, end: int, column: int) -> int:
    """Return the 0-based index after the lines that are indented further than the one at `at`."""
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


_OPENING_QUOTES = compile_later(r"(?P<kind>[A-Za-z]*)(?P<quotes>\"\"\"|'''|\"|')")
_SECTION = compile_later(r"(?P<indent>[ \t]*)[A-Z][\w ]*:(?:[ \t].*)?$")
_MENTIONS = compile_later(r"(?:(?<!`)`{3,}|(?<!~)~{3,})[ \t]*\{?\.?acdl|\.\.[ \t]+acdl[\w-]*::", re.IGNORECASE)
_MARKS = ("```", "~~~", ":::", "..")
"""A line that begins a block has one of them, and the name of the language."""
_N_REMEMBERED = 64
_STEP = 4


@dataclass(frozen=True, slots=True)
class _Docstring:
    """The docstring of a module, class, function or attribute."""

    first: int
    """0-based index of its first line."""
    end: int
    """0-based index after its last line."""
    indent: int
    value: tuple[str, ...]
    """The lines of its value; empty if that is known only when the program runs."""


def blocks_of_docstrings(text: str) -> tuple[Fence, ...]:
    """Return the blocks of all readable docstrings."""
    return tuple(fence for fence, is_same in _list_blocks(text) if is_same)


def find_unread_docstrings(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the blocks that are skipped: the 0-based index of a line, the reason, and the cure."""
    if not _MENTIONS.search(text):
        return
    try:
        docstrings, lines = _find_docstrings(text)
    except (SyntaxError, ValueError, RecursionError) as problem:
        line = getattr(problem, "lineno", None) or 1
        yield line - 1, f"the docstrings of this file are not read: {_explain_error(problem)}", "correct the file"
        return
    escaped = 'write the docstring as a raw string: `r"""`'
    for fence, is_same in _list_blocks(text):
        if not is_same:
            yield fence.first, "this block is not read: Python changes its text, for it has escapes", escaped
    for each in docstrings:
        inside = [fence for fence, _ in _list_blocks(text) if each.first <= fence.first < each.end]
        if not each.value and _MENTIONS.search("\n".join(lines[each.first : each.end])):
            yield each.first, "the blocks of this string are not read: values are put into it", "write a plain string"
        elif not inside and any(_MENTIONS.match(line.lstrip()) for line in each.value):
            yield each.first, "the blocks of this docstring are not read: Python changes its lines", escaped


def blank_outside_docstrings(text: str) -> str:
    """Replace everything but docstrings by blanks, character for character."""
    try:
        docstrings, lines = _find_docstrings(text)
    except (SyntaxError, ValueError, RecursionError):
        docstrings, lines = (), tuple(lines_of(text))
    indices = {at for each in docstrings if each.value for at in range(each.first, each.end)}
    ends = re.findall(r"\r\n?|\n", text)
    masked = (line if at in indices else " " * len(line) for at, line in enumerate(lines))
    return "".join(line + end for line, end in zip(masked, [*ends, ""], strict=True))


@cache_across_builds(_N_REMEMBERED)
def _list_blocks(text: str) -> tuple[tuple[Fence, bool], ...]:
    """Return the blocks as written in the file, and whether their value is the same as their source."""
    if not _may_have_blocks(text):
        return ()
    try:
        docstrings, lines = _find_docstrings(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        (fence, _is_same(fence, each, lines))
        for each in docstrings
        if each.value
        for fence in _find_blocks(each, lines)
    )


def _may_have_blocks(text: str) -> bool:
    """Return whether a line may begin a block: most files that mention the language, or this package, have none."""
    lines = (line for line in text.lower().splitlines() if "acdl" in line)
    return any(mark in line for line in lines for mark in _MARKS)


def _find_blocks(each: _Docstring, lines: Sequence[str]) -> Iterator[Fence]:
    """Yield the blocks of one docstring; its sections, such as `Example:`, have their own indentation."""
    first = lines[each.first]
    if _MENTIONS.match(first.lstrip()):  # text after the quotes is indented like the lines below
        lines = [*lines[: each.first], " " * each.indent + first.lstrip(), *lines[each.first + 1 :]]
    fences = list(scan_lines(lines, each.first, each.end, is_myst=True, indent=each.indent))
    if fences and fences[0].first == each.first:
        fences[0] = replace(fences[0], prefix=first[: len(first) - len(first.lstrip())])
    inside = {at for fence in fences if not fence.is_code for at in range(fence.first, fence.end)}
    directives = [fence for fence in directives_in(lines, each.first, each.end) if fence.first not in inside]
    fences = [replace(fence, is_code=False) if _is_in_section(fence, each, lines) else fence for fence in fences]
    yield from sorted((*fences, *directives), key=lambda fence: fence.first)


def _is_in_section(fence: Fence, each: _Docstring, lines: Sequence[str]) -> bool:
    """Return whether a block that looks like indented code is indented by a section of the docstring."""
    column = len(fence.prefix)
    for line in reversed(lines[each.first : fence.first]):
        width = len(line) - len(line.lstrip())
        if line.strip() and width < column:
            return bool(_SECTION.match(line)) and column - width <= _STEP
    return False


def _is_same(fence: Fence, each: _Docstring, lines: Sequence[str]) -> bool:
    """Return whether the value of the lines of a block equals their source."""
    if len(each.value) != each.end - each.first:
        return False
    written = lines[fence.first : fence.body_end]
    return list(written) == list(each.value[fence.first - each.first : fence.body_end - each.first])


@cache_across_builds(_N_REMEMBERED)
def _find_docstrings(text: str) -> tuple[tuple[_Docstring, ...], tuple[str, ...]]:
    """Return the docstrings, and the lines of the file with their quotes replaced by blanks.

    Raises:
        SyntaxError: The text is not valid Python.
        ValueError: It contains characters that Python does not allow.
    """
    lines = lines_of(text)
    docstrings: list[_Docstring] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and _is_text(node.value) and node.end_lineno is not None:
            docstrings.append(_read_docstring(node, lines))
    return tuple(sorted(docstrings, key=lambda each: each.first)), tuple(lines)


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


def _read_docstring(node: ast.Expr, lines: list[str]) -> _Docstring:
    """Read a docstring, and replace its quotes by blanks in the lines of the file."""
    first, end = node.lineno - 1, node.end_lineno or node.lineno
    column = len(lines[first].encode()[: node.col_offset].decode("utf-8", "replace"))
    last = len(lines[end - 1].encode()[: node.end_col_offset].decode("utf-8", "replace"))
    quotes = _OPENING_QUOTES.match(lines[first], column)
    width = len(quotes["quotes"]) if quotes else 1
    lines[end - 1] = lines[end - 1][: last - width].rstrip() if end - 1 > first else lines[end - 1][: last - width]
    start = quotes.end() if quotes else column
    lines[first] = " " * start + lines[first][start:]
    value: tuple[str, ...] = ()
    if isinstance(node.value, ast.Constant):
        value_lines = str(node.value.value).split("\n")
        value = (
            " " * start + value_lines[0],
            *value_lines[1:-1],
            *([value_lines[-1].rstrip()] if len(value_lines) > 1 else []),
        )
    return _Docstring(first, end, column, value)


def _explain_error(problem: Exception) -> str:
    if isinstance(problem, SyntaxError):
        return f"it is not Python of this version: {problem.msg}"
    return "it is not Python that can be read"
