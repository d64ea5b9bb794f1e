"""`read_trace()`: the requests in a file of a recorded run; `list_files()`: the files that a path names."""

import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO

from acdl_mkdocs.foundation.errors import TraceError, UnknownFormatError
from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.redact import redact_document, redact_parsed
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.read.json_values import LIMITS, Limits, Value, read_values, skip_too_large, unpack_stream
from acdl_mkdocs.runs.read.readers import READERS, find_reader
from acdl_mkdocs.runs.read.recorded import Found, Origin, Recorded, Skipped


def read_pml(stream: IO[bytes], name: str) -> Found:
    """Return the request of a document.

    Args:
        stream: The decompressed file.
        name: Display name of the file.
    """
    origin = Origin(name)
    data = stream.read(LIMITS.value_bytes + 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        detail = f"byte {fault.start + 1} is not UTF-8"
        return Skipped(origin, "not text", detail, "save the file in UTF-8", is_damaged=True)
    read = redact_document(WIRES["pml"].read(text))
    errors = [problem for problem in read.problems if not problem.is_advice]
    if errors and not read.prompt.messages:
        cure = f"run `acdl check {name}`"
        return Skipped(origin, "not a PML document", f"{errors[0].path}: {errors[0].sentence}", cure, is_damaged=True)
    return Recorded(read.prompt, "pml", origin, problems=read.problems)


_CELL = re.compile('(?:"(' + repeat_possessively('[^"]++|""') + r')"|([^",\r\n]*+))(,|\r?\n?\Z)')


def read_table(stream: IO[bytes], name: str, limits: Limits = LIMITS) -> Iterator[Value | Skipped]:
    """Yield the rows of a file.

    Args:
        stream: The decompressed file.
        name: Display name of the file.
        limits: The limits of a row.
    """
    names: list[str] | None = None
    for number, row in _split_rows(stream, limits):
        origin = Origin(name, number)
        if len(row) > limits.value_bytes:
            yield skip_too_large(origin, "a row", limits.value_bytes, "export fewer columns")
            continue
        try:
            text = row.decode("utf-8-sig" if names is None else "utf-8")
        except UnicodeDecodeError as fault:
            detail = f"byte {fault.start + 1} is not UTF-8"
            yield Skipped(origin, "not text", detail, "save the file in UTF-8", is_damaged=True)
            continue
        cells = _split_cells(text)
        if names is None:
            names = cells or []
        elif cells is None or len(cells) != len(names):
            n_found = "an unclosed quote" if cells is None else f"{len(cells)} cells"
            detail = f"{n_found}, and the header row has {len(names)}"
            yield Skipped(
                origin, "a row that does not match the header row", detail, "export the file again", is_damaged=True
            )
        else:
            value: Json = {key: _read_cell(cell) for key, cell in zip(names, cells, strict=True)}
            yield Value(redact_parsed(value, text), origin)


def _split_rows(stream: IO[bytes], limits: Limits) -> Iterator[tuple[int, bytes]]:
    """Yield the rows with the numbers of their first lines; a line may end inside quotes. Large rows are truncated."""
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


def _split_cells(row: str) -> list[str] | None:
    """Return the cells of a row; `None` if quotes are invalid."""
    cells: list[str] = []
    at = 0
    while match := _CELL.match(row, at):
        cells.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        at = match.end()
        if match[3] != ",":
            return cells
    return None


def _read_cell(cell: str) -> Json:
    if cell[:1] not in ("{", "[", '"'):
        return cell or None
    try:
        return strict_json(cell)
    except JsonFault:
        return cell


YAML_LIMITS = Limits(64_000_000)
"""Limit of a file that is read at once."""


def read_yaml(stream: IO[bytes], name: str, limits: Limits = YAML_LIMITS) -> Iterator[Value | Skipped]:
    """Yield the value of a file.

    Args:
        stream: The decompressed file.
        name: Display name of the file.
        limits: The limits of reading.
    """
    from acdl_mkdocs.foundation.yaml.pyyaml import NotYamlError, load_yaml  # PyYAML is imported only for cassettes

    origin = Origin(name)
    data = stream.read(limits.value_bytes + 1)
    if len(data) > limits.value_bytes:
        yield skip_too_large(origin, "a YAML file", limits.value_bytes, "split it, or write it as JSON")
        return
    try:
        text = data.decode("utf-8-sig")
        yield Value(redact_parsed(load_yaml(text), text), origin)
    except UnicodeDecodeError as fault:
        detail = f"byte {fault.start + 1} is not UTF-8"
        yield Skipped(origin, "not text", detail, "save the file in UTF-8", is_damaged=True)
    except NotYamlError as fault:
        cure = "record it again, or remove the part that was cut off" if fault.is_cut_off else "record it again"
        yield Skipped(Origin(name, fault.line), "not YAML", str(fault), cure, is_damaged=True)
    except RecursionError:
        yield Skipped(origin, "YAML that is nested too deeply", cure="reduce the nesting", is_damaged=True)


_TABLE = re.compile(rb'(?:"?[\w. -]+"?,){2,}')
_OF_TABLES = re.compile(rb"\b(?:traceId|trace_id|run_type)\b")
_CASSETTE = re.compile(rb"^(?:http_)?interactions:", re.MULTILINE)
_BEGIN_BYTES = 4000


def read_trace(
    path: Path | str, reader: str | None = None, format: str | None = None, *, called: str | None = None
) -> Iterator[Found]:
    """Yield the requests of a file, one at a time, and everything else in it; `Tally` counts them.

    Args:
        path: The file; it may be compressed by gzip.
        reader: Key in `READERS`; `None` detects it.
        format: Key in `PROVIDERS` of the format of all bodies; `None` detects it for each.
        called: Name of the file for messages; by default its path.

    Raises:
        TraceError: The file cannot be read.
        UnknownFormatError: There is no such reader or format.
    """
    _check_name(reader, READERS, "reader")
    _check_name(format, PROVIDERS, "format of requests")
    name = called or str(path)
    try:
        with open(path, "rb") as stream:
            yield from read_stream(stream, name, reader, format)
    except OSError as reason:
        raise TraceError(f"{name}: {_describe_error(reason)}") from None
    except (EOFError, zlib.error):
        raise TraceError(f"{name}: the compressed file is incomplete; copy it again") from None


def read_stream(
    stream: BufferedReader, name: str, reader: str | None = None, format: str | None = None
) -> Iterator[Found]:
    """Yield the same for an open file.

    Args:
        stream: The file, from its beginning.
        name: Display name of the file.
        reader: Key in `READERS`; `None` detects it.
        format: Key in `PROVIDERS`; `None` detects it.
    """
    plain = unpack_stream(stream)
    if reader == "pml" or (reader is None and _begins_as_xml(plain)):
        yield read_pml(plain, name)
        return
    values = _read_values(plain, name, reader)
    before: list[Value | Skipped] = []
    for each in values:
        before.append(each)
        if isinstance(each, Value):
            break
    if not before:
        yield Skipped(Origin(name), "an empty file", cure="record a run first", is_damaged=True)
        return
    last = before[-1]
    read = READERS[reader or (find_reader(last.json) if isinstance(last, Value) else "jsonl")].read
    is_empty = True
    for recorded in read(chain(before, values), format) if read is not None else ():
        is_empty = False
        yield recorded
    if is_empty:
        yield Skipped(Origin(name), "a recording without a model call")


def is_cassette(path: Path) -> bool:
    """Return whether a file begins as a cassette in YAML."""
    try:
        with open(path, "rb") as stream:
            return _CASSETTE.search(unpack_stream(stream).peek(_BEGIN_BYTES)[:_BEGIN_BYTES]) is not None
    except (OSError, EOFError, zlib.error):
        return False


def _read_values(stream: BufferedReader, name: str, reader: str | None) -> Iterator[Value | Skipped]:
    """Yield the values of a file: of YAML or a table, if it begins as a cassette or an export does, else of JSON."""
    begin = b""
    with suppress(EOFError, gzip.BadGzipFile, zlib.error):  # reported when it is read
        begin = stream.peek(_BEGIN_BYTES)[:_BEGIN_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if begin[:1] in (b"{", b"["):
        return read_values(stream, name)
    if reader == "vcr" or (reader is None and _CASSETTE.search(begin)):
        return read_yaml(stream, name)
    first = begin.partition(b"\n")[0]
    if reader in (None, "langfuse", "langsmith") and _TABLE.match(first) and _OF_TABLES.search(first):
        return read_table(stream, name)
    return read_values(stream, name)


def _begins_as_xml(stream: BufferedReader) -> bool:
    with suppress(EOFError, gzip.BadGzipFile, zlib.error):  # reported when it is read
        return stream.peek(200)[:200].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return False


def _check_name(name: str | None, names: Iterable[str], what: str) -> None:
    if name is not None and name not in names:
        near = find_closest(name, names)
        cure = f"did you mean `{near}`?" if near else f"choose one of {', '.join(f'`{each}`' for each in names)}"
        raise UnknownFormatError(f"there is no {what} `{name}`: {cure}")


def _describe_error(reason: OSError) -> str:
    """Describe why a file cannot be read, in lower case."""
    if isinstance(reason, FileNotFoundError):
        return "there is no such file"
    if isinstance(reason, IsADirectoryError):
        return "it is a folder; name the files in it"
    return (reason.strerror or "it cannot be read").lower()


ENDINGS = (".jsonl", ".ndjson", ".json", ".har", ".traj", ".pml.xml")
"""Endings of files that are read in a folder, also followed by `.gz`. Files given by name are read whatever their
ending."""
TEXT_ENDINGS = (".yaml", ".yml", ".csv")
"""Endings of files that are read if given by name; in a folder, only cassettes."""
STANDARD_INPUT = "-"


def list_files(path: str) -> Iterator[str]:
    """Yield a file, or the files of a folder in their order: numbers in names count as numbers.

    Raises:
        TraceError: The folder has none.
    """
    if path == STANDARD_INPUT or not os.path.isdir(path):
        yield path
        return
    paths: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders[:] = [each for each in folders if not each.startswith(".")]
        paths += [each for name in names if _is_recording(each := Path(folder, name))]
    if not paths:
        endings = ", ".join(f"`{each}`" for each in ENDINGS)
        raise TraceError(
            f"{path}: the folder has no recorded run; only files ending in {endings} are read, so name any other file"
        )
    yield from map(str, sorted(paths, key=lambda each: [_make_sort_key(part) for part in each.parts]))


def _is_recording(path: Path) -> bool:
    name = path.name.removesuffix(".gz")
    if name.startswith("."):
        return False
    return name.endswith(ENDINGS) or (name.endswith(TEXT_ENDINGS) and is_cassette(path))


def _make_sort_key(name: str) -> list[tuple[int, int, str]]:
    """Return the sort key of a name: `2.json` comes before `10.json`."""
    return [(0, int(each), "") if each.isdecimal() else (1, 0, each) for each in re.split(r"(\d+)", name) if each]
