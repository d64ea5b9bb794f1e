"""Read the Markdown cells of a Jupyter notebook, and replace their texts.

Only changed values are written, in the original style; all other bytes are kept. Knows no ACDL.
"""

import json
import re
from collections.abc import Sequence

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.remembered import cache_across_builds

_DECODER = json.JSONDecoder()
_N_REMEMBERED = 16
_SPACE = compile_later(r"[ \t\r\n]*")
_STRING = compile_later(r'"(?:\\.|[^"\\])*"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cell:
    """A Markdown cell."""

    number: int
    """Index among all cells, from 1."""
    text: str
    start: int
    """Offset of its source in the file."""
    end: int
    offsets: tuple[int, ...]
    """Offset in the file of each character of the text, and of the end of the text."""


def cells_of(text: str) -> tuple[Cell, ...]:
    """Return the Markdown cells; none if the file cannot be read."""
    try:
        return _cells(text)
    except (ValueError, RecursionError):
        return ()


def explain_unread(text: str) -> str:
    """Explain why a notebook cannot be read; empty if it can."""
    try:
        _cells(text)
    except json.JSONDecodeError as problem:
        return f"{problem.msg} in line {problem.lineno}"
    except (ValueError, RecursionError) as problem:
        return str(problem) or "it is nested too deeply"
    return ""


def replace_cells(text: str, texts: Sequence[str]) -> str:
    """Replace the texts of the Markdown cells, in their order."""
    parts: list[str] = []
    at = 0
    for cell, new in zip(cells_of(text), texts, strict=True):
        if new != cell.text:
            parts += text[at : cell.start], _encode_source(new, text[cell.start : cell.end])
            at = cell.end
    return "".join([*parts, text[at:]])


@cache_across_builds(_N_REMEMBERED)
def _cells(text: str) -> tuple[Cell, ...]:
    """Return the Markdown cells; raises `ValueError` if the text is not a notebook."""
    data = json.loads(text)
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise ValueError("it has no list of cells")
    cells: list[Cell] = []
    for number, start in enumerate(_find_item_offsets(text, _find_value_offsets(text, _skip_space(text, 0))["cells"])):
        fields = _find_value_offsets(text, start)
        kind = text[slice(*_measure_value(text, fields["cell_type"]))] if "cell_type" in fields else ""
        if kind == '"markdown"' and "source" in fields:
            first = fields["source"]
            last = _measure_value(text, first)[1]
            cell_text, offsets = _decode_source(text, first, last)
            cells.append(Cell(number + 1, cell_text, first, last, offsets))
    return tuple(cells)


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _measure_value(text: str, at: int) -> tuple[int, int]:
    """Return the start and end of a value."""
    return at, _DECODER.raw_decode(text, at)[1]


def _find_value_offsets(text: str, at: int) -> dict[str, int]:
    """Return the offsets of the values of an object by name; the object begins at `at`."""
    offsets: dict[str, int] = {}
    at = _skip_space(text, at + 1)
    while text[at] == '"':
        name, at = _DECODER.raw_decode(text, at)
        start = _skip_space(text, _skip_space(text, at) + 1)
        offsets[name] = start
        at = _skip_space(text, _measure_value(text, start)[1])
        at = _skip_space(text, at + 1) if text[at] == "," else at
    return offsets


def _find_item_offsets(text: str, at: int) -> list[int]:
    """Return the offsets of the items of a list that begins at `at`; all of them have to be objects."""
    offsets: list[int] = []
    at = _skip_space(text, at + 1)
    while text[at] != "]":
        if text[at] != "{":
            raise ValueError("a cell is not an object")
        offsets.append(at)
        at = _skip_space(text, _measure_value(text, at)[1])
        at = _skip_space(text, at + 1) if text[at] == "," else at
    return offsets


def _decode_source(text: str, start: int, end: int) -> tuple[str, tuple[int, ...]]:
    """Return the joined strings of a source, and the offset of each character."""
    characters: list[str] = []
    offsets: list[int] = []
    last = start
    for string in _STRING.finditer(text, start, end):
        at = string.start() + 1
        last = string.end() - 1
        while at < last:
            length = 1 if text[at] != "\\" else 6 if text[at + 1] == "u" else 2
            is_pair = re.match(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", text[at : at + 12])
            length = 12 if is_pair else length
            characters.append(json.loads(f'"{text[at : at + length]}"', strict=False))
            offsets.append(at)
            at += length
    return "".join(characters), (*offsets, last)


def _encode_source(new: str, old: str) -> str:
    """Return a source as JSON, written like the one that it replaces."""
    is_ascii = old.isascii() and "\\u" in old
    if old.startswith('"'):
        return json.dumps(new, ensure_ascii=is_ascii)
    lines = [json.dumps(line, ensure_ascii=is_ascii) for line in re.findall(r"[^\n]*\n|[^\n]+", new)]
    strings = list(_STRING.finditer(old))
    before = old[1 : strings[0].start()] if strings else ""
    between = old[strings[0].end() : strings[1].start()] if len(strings) > 1 else f",{before}"
    after = old[strings[-1].end() : -1] if strings else ""
    return f"[{before}{between.join(lines)}{after}]"
