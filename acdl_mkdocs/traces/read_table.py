"""`table_values()`: the rows of a CSV file, each as an object by the names in its first line; cells with JSON are JSON.

Holds one row at a time, so a file may be of any size.
"""

import re
from collections.abc import Iterator
from typing import IO

from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redacted_as_said
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.traces.read_values import LIMITS, Limits, Value, too_large
from acdl_mkdocs.traces.recorded import Origin, Skipped

_CELL = re.compile('(?:"(' + possessive('[^"]++|""') + r')"|([^",\r\n]*+))(,|\r?\n?\Z)')


def table_values(stream: IO[bytes], name: str, limits: Limits = LIMITS) -> Iterator[Value | Skipped]:
    """The rows of a file.

    Args:
        stream: The file, unpacked.
        name: What a person calls it.
        limits: The most that a row may have.
    """
    names: list[str] | None = None
    for number, row in _rows(stream, limits):
        origin = Origin(name, number)
        if len(row) > limits.value_bytes:
            yield too_large(origin, "a row", limits.value_bytes, "export fewer columns")
            continue
        try:
            text = row.decode("utf-8-sig" if names is None else "utf-8")
        except UnicodeDecodeError as fault:
            detail = f"byte {fault.start + 1} is not UTF-8"
            yield Skipped(origin, "no text", detail, "save the file in UTF-8", is_damaged=True)
            continue
        cells = _cells(text)
        if names is None:
            names = cells or []
        elif cells is None or len(cells) != len(names):
            n_found = "a quote that is not closed" if cells is None else f"{len(cells)} cells"
            detail = f"{n_found}, and the first line has {len(names)}"
            yield Skipped(
                origin, "a row that is not like the first line", detail, "export the file again", is_damaged=True
            )
        else:
            value: Json = {key: _value(cell) for key, cell in zip(names, cells, strict=True)}
            yield Value(redacted_as_said(value, text), origin)


def _rows(stream: IO[bytes], limits: Limits) -> Iterator[tuple[int, bytes]]:
    """The rows with the numbers of their first lines; a line may end inside quotes. What is too large is cut."""
    number, first = 0, 1
    parts: list[bytes] = []
    n_bytes = n_quotes = 0
    while line := stream.readline(limits.value_bytes + 1):
        number += 1
        if not parts:
            first = number
        n_quotes += line.count(b'"')
        n_bytes += len(line)
        if n_bytes <= limits.value_bytes or not parts:
            parts.append(line)
        if n_quotes % 2 == 0:
            row = b"".join(parts)
            if row.strip():
                yield first, row if n_bytes <= limits.value_bytes else row.ljust(limits.value_bytes + 1)
            parts, n_bytes, n_quotes = [], 0, 0
    if parts:
        yield first, b"".join(parts)


def _cells(row: str) -> list[str] | None:
    """The cells of a row; `None` where quotes are not as they have to be."""
    cells: list[str] = []
    at = 0
    while found := _CELL.match(row, at):
        cells.append(found[2] if found[1] is None else found[1].replace('""', '"'))
        at = found.end()
        if found[3] != ",":
            return cells
    return None


def _value(cell: str) -> Json:
    if cell[:1] not in ("{", "[", '"'):
        return cell or None
    try:
        return strict_json(cell)
    except JsonFault:
        return cell
