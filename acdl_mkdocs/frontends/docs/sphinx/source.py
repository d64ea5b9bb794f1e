"""The place of a directive in its file: the same block as a fence, with the place of every option and of the text.

Parsers give the line of a directive and remove its indentation; its lines are searched in the file. A directive in
a docstring is searched in the Python file; if that has it twice, its lines are counted from its first one.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.page import words_of
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.page_kinds import blocks_in

_MARK = re.compile(r"`{3,}|~{3,}")
_YAML_MARK = re.compile(r"[\s>]*---")
_DOCSTRING = ":docstring of "
"""The separator of autodoc between a file and the object whose docstring it is."""
_LONGEST_HEAD = 200
"""The most lines between the first of a directive and its text."""


@dataclass(frozen=True, slots=True)
class SourceDirective:
    """A directive as in its file."""

    fence: Fence
    """The fence; its opening has a line for each option, at the columns of the file."""
    file: str
    """The parser's name of the file."""
    first_line: int
    """1-based line of the file on which the text begins."""


def locate_directive(
    directive: SphinxDirective, header: str, options: Mapping[str, str], text: Sequence[str]
) -> SourceDirective:
    """Find a directive in its file.

    Parameters:
        directive: The running directive.
        header: Words after its name, as they would follow the name in a fence.
        options: Those written below its name, or before a fence as attributes.
        text: The lines of the block, without their indentation.
    """
    source, number = directive.get_source_info()
    # In newer versions of Sphinx they may be unknown.
    file, line = source or str(directive.env.doc2path(directive.env.docname)), number or directive.lineno
    in_docstring = _in_docstring(file, directive.block_text)
    if in_docstring:
        file, line = in_docstring
    lines = _lines_of(file) or ("",) * (line - 1) + tuple(directive.block_text.split("\n"))
    first, column = _find_text(text, lines, line)
    first_line, prefix = _find_opening(lines[line - 1] if line <= len(lines) else "", directive.name, header)
    head = [first_line, *("" for _ in range(line, first))]
    for name, value in options.items():
        pair = f'{name}="{_escape_value(value)}"'
        at = _line_of(name, lines[line:first])
        if at is None:
            head[0] += f" {pair}"
        else:
            indent = lines[line + at].find(name) - len(prefix)
            head[1 + at] += f"{' ' * indent if not head[1 + at] else ' '}{pair}"
    joined = "".join(f"{each}\n" for each in text)
    opening = "\n".join(head).rstrip()
    fence = Fence(line - 1, first + len(text), prefix, "", opening, joined, column, is_closed=True)
    return SourceDirective(fence, file, first + 1)


def _in_docstring(source: str, block: str) -> tuple[str, int] | None:
    """Return the file of a docstring that autodoc has read, and the 1-based line of the directive; else `None`.

    `None` too for a text that is twice in the file, since autodoc counts lines from the beginning of the docstring.

    Parameters:
        source: The name of autodoc: path, and then the object.
        block: The directive as written.
    """
    file, mark, _ = source.partition(_DOCSTRING)
    lines = _lines_of(file) if mark else ()
    opening, _, body = block.partition("\n")
    wanted = words_of(opening.strip().removeprefix("..").replace("::", "", 1)), words_of(body)
    blocks = blocks_in("\n".join(lines), "python") if lines else ()
    first_lines = [each.first for each in blocks if (words_of(each.header), words_of(each.text)) == wanted]
    return (file, first_lines[0] + 1) if len(first_lines) == 1 else None


@lru_cache(maxsize=4)
def _lines_of(file: str) -> tuple[str, ...]:
    """Return the lines of a file, none if it does not exist or is not text."""
    try:
        return tuple(Path(file).read_text("utf-8-sig").splitlines())
    except (OSError, ValueError):
        return ()


def forget_files() -> None:
    """Read files again: they may have changed since the last build of this process."""
    _lines_of.cache_clear()


def _find_text(text: Sequence[str], lines: Sequence[str], line: int) -> tuple[int, int]:
    """Return the 0-based index of the first line of the text, and the column at which its lines begin."""
    rows = [(idx, each.strip(), len(each) - len(each.lstrip())) for idx, each in enumerate(text) if each.strip()]
    if rows:
        # Some parsers count one line too many in files that a page includes.
        for first in range(line - 1, min(line + _LONGEST_HEAD, len(lines) - rows[-1][0])):
            if all(lines[first + idx].rstrip().endswith(words) for idx, words, _ in rows):
                idx, words, indent = rows[0]
                return first, max(len(lines[first + idx].rstrip()) - len(words) - indent, 0) + 1
    return _end_of_options(lines, line), 1


def _end_of_options(lines: Sequence[str], line: int) -> int:
    """Return the 0-based index after the lines of options that follow a line."""
    first = line
    if first < len(lines) and _YAML_MARK.match(lines[first]):
        return next((at + 1 for at in range(first + 1, len(lines)) if _YAML_MARK.match(lines[at])), first)
    while first < len(lines) and re.match(r"[\s>]*:[^:\s][^:]*:(\s|$)", lines[first]):
        first += 1
    return first


def _find_opening(raw: str, name: str, header: str) -> tuple[str, str]:
    """Return the opening line with its header at its column, and the text before it on the line."""
    mark = _MARK.search(raw)
    start = mark.start() if mark else 0
    at_name = raw.find(name, start)
    if at_name < 0:
        return f"{name} {header}".rstrip(), ""
    if mark and raw.rstrip().endswith((header,) if header else (name, f"{name}}}")):  # only headers
        return raw[start:].rstrip(), raw[:start]
    at_header = raw.find(header, at_name + len(name)) if header else at_name
    gap = at_header - at_name - len(name) if at_header > at_name else 1
    return f"{' ' * (at_name - start)}{name}{' ' * gap}{header}".rstrip(), raw[:start]


def _line_of(name: str, head: Sequence[str]) -> int | None:
    """Return the 0-based index of the line that sets an option."""
    pattern = re.compile(rf"\W*{re.escape(name)}\s*:", re.IGNORECASE)
    return next((idx for idx, line in enumerate(head) if pattern.match(line)), None)


def _escape_value(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
