"""The JSON values of a file, one at a time: a value on each line, or one document; also compressed by gzip.

Holds one line at a time, so a file may be of any size. Knows nothing about requests.
"""

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BufferedReader
from typing import IO

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redact_parsed, redact_repeated
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.read.recorded import Origin, Skipped

GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_SOMETHING = re.compile(r"[^ \t\r\n\ufeff]")
_BRACKETS = (b"{", b"[")
_OPEN = (b"{", b"[", b",", b":")
"""Ends of lines after which a value continues."""
_AT_LINE = re.compile(r"(?<=\bat )line (\d+)")
_BEGIN = re.compile(r"^[{\[]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of reading a file; anything larger is reported, not read."""

    value_bytes: int = 128_000_000
    """Limit of one value: a line, or a file that is one document."""


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Value:
    """A value, without keys and passwords."""

    json: Json
    origin: Origin


def unpack_stream(stream: BufferedReader) -> BufferedReader:
    """Return the content of a file, which may be compressed."""
    if stream.peek(2)[:2] == GZIP:
        return BufferedReader(gzip.GzipFile(fileobj=stream))
    return stream


def read_values(stream: IO[bytes], name: str, limits: Limits = LIMITS) -> Iterator[Value | Skipped]:
    """Yield all values of a file in order; if the file is one document, the elements of a list.

    Args:
        stream: The decompressed file.
        name: Display name of the file.
        limits: The limits of reading.
    """
    lines = _read_lines(stream, name, limits)
    try:
        first = next(lines, None)
        while isinstance(first, Skipped):
            yield first
            first = next(lines, None)
        if first is None:
            return
        number, line = first
        if number == 1 and (line.startswith(_UTF_16) or b"\0" in line[:4]):
            yield Skipped(Origin(name), "not text", "it is UTF-16 or UTF-32", "save the file in UTF-8", is_damaged=True)
            return
        value = _read_value(line, Origin(name, number))
        if isinstance(value, Skipped) and line.rstrip()[-1:] in _OPEN:
            yield from _read_document(line, stream, Origin(name), limits, number)
            return
        yield from _list_elements(value)
        reader = _IncrementalReader()
        for each in _join_lines(lines, name, limits):
            if isinstance(each, Skipped):
                yield each
                continue
            read = reader.read_line(each[1], Origin(name, each[0]))
            yield from _list_elements(_shift_fault_line(read, each[0]))
    except (EOFError, gzip.BadGzipFile, zlib.error) as reason:
        detail = f"{str(reason)[:1].lower()}{str(reason)[1:]}".rstrip(".")
        yield Skipped(Origin(name), "the rest of the compressed file", detail, "copy the file again", is_damaged=True)


def _read_lines(stream: IO[bytes], name: str, limits: Limits) -> Iterator[tuple[int, bytes] | Skipped]:
    """Yield the lines that are not blank, with their numbers."""
    number = 0
    while line := stream.readline(limits.value_bytes + 1):
        number += 1
        line = line.removeprefix(_BOM)  # also where files were joined
        if len(line) > limits.value_bytes and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(1_000_000)
            yield skip_too_large(Origin(name, number), "a line", limits.value_bytes, "write one request per line")
        elif line.strip():
            yield number, line


def _join_lines(
    lines: Iterable[tuple[int, bytes] | Skipped], name: str, limits: Limits
) -> Iterator[tuple[int, bytes] | Skipped]:
    """Yield lines, those of one value together: it begins and ends with a bracket that is not indented."""
    begun: list[bytes] = []
    number = n_bytes = 0
    for each in lines:
        if begun and not isinstance(each, Skipped) and not each[1].startswith(_BRACKETS):
            begun.append(each[1])
            n_bytes += len(each[1])
            if n_bytes > limits.value_bytes:
                yield skip_too_large(Origin(name, number), "a value", limits.value_bytes, "write one request per line")
                begun = []
            elif each[1].startswith((b"}", b"]")):
                yield number, b"".join(begun)
                begun = []
            continue
        if begun:
            yield number, b"".join(begun)
            begun = []
        if isinstance(each, Skipped) or not each[1].startswith(_BRACKETS) or each[1].rstrip()[-1:] not in _OPEN:
            yield each
        else:
            (number, line), begun = each, [each[1]]
            n_bytes = len(line)
    if begun:
        yield number, b"".join(begun)


def skip_too_large(origin: Origin, what: str, most_bytes: int, cure: str) -> Skipped:
    """Return the note about something that is too large to be read at once."""
    reason = f"{what} of more than {most_bytes // 1_000_000 or 1} MB"
    return Skipped(origin, reason, cure=cure, is_damaged=True)


@dataclass(slots=True)
class _IncrementalReader:
    """Reads one line after the other; repeated content is processed once."""

    line: bytes = b""
    """The previous line."""
    before: Json = None
    """Its value."""
    redacted: Json = None
    """The same without keys and passwords."""

    def read_line(self, line: bytes, origin: Origin) -> Value | Skipped:
        """Return the value of the next line."""
        is_grown = self.redacted is not None and line.startswith(self.line[: len(self.line) // 2])
        parsed = _parse_line(line, origin)
        if isinstance(parsed, Skipped):
            return parsed
        read = _redact_value(parsed, origin, (self.before, self.redacted) if is_grown else None)
        if isinstance(read, Value):
            self.line, self.before, self.redacted = line, parsed[0], read.json
        return read


def _read_value(line: bytes, origin: Origin) -> Value | Skipped:
    """Return the value of a line or a document."""
    parsed = _parse_line(line, origin)
    return parsed if isinstance(parsed, Skipped) else _redact_value(parsed, origin, None)


def _parse_line(line: bytes, origin: Origin) -> tuple[Json, str] | Skipped:
    """Parse a line or a document; return its value and its text."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as fault:
        detail = f"byte {fault.start + 1} is not UTF-8"
        return Skipped(origin, "not text", detail, "save the file in UTF-8", is_damaged=True)
    try:
        value = strict_json(text)
    except JsonFault as fault:
        where = str(fault) if origin.line is None else str(fault).replace(" at line 1, column", " at column")
        form = "write one JSON value per line, or one for the whole file"
        cure = "leave it out, or change it" if fault.is_refused else form
        return Skipped(origin, "not JSON", where, cure, is_damaged=True)
    return value, text


def _redact_value(parsed: tuple[Json, str], origin: Origin, earlier: tuple[Json, Json] | None) -> Value | Skipped:
    """Return a value without keys and passwords; `earlier` is an earlier value, and its redacted form."""
    value, text = parsed
    try:
        return Value(redact_parsed(value, text) if earlier is None else redact_repeated(value, *earlier), origin)
    except RecursionError:  # JSON inside the texts of JSON, many times
        return Skipped(origin, "JSON that is nested too deeply", cure="reduce the nesting", is_damaged=True)


def _read_document(
    begin: bytes, stream: IO[bytes], origin: Origin, limits: Limits, number: int
) -> Iterator[Value | Skipped]:
    """Yield a value written on many lines, or several such values; it begins on a line."""
    rest = stream.read(limits.value_bytes + 1)
    if len(rest) > limits.value_bytes:
        yield skip_too_large(
            origin, "a document", limits.value_bytes, "write one request per line; the number of lines has no limit"
        )
        return
    parsed = _read_value(begin + rest, origin)
    if isinstance(parsed, Skipped) and parsed.detail.startswith("extra data"):
        for line, part in _split_values((begin + rest).decode(), number):
            yield from _list_elements(_shift_fault_line(_read_value(part.encode(), Origin(origin.file, line)), line))
    else:
        yield from _list_elements(parsed)


def _shift_fault_line(value: Value | Skipped, first: int) -> Value | Skipped:
    """Replace the line number in a fault by the line of the file."""
    if isinstance(value, Value):
        return value
    return replace(value, detail=_AT_LINE.sub(lambda line: f"line {int(line[1]) + first - 1}", value.detail))


def _split_values(text: str, number: int) -> Iterator[tuple[int, str]]:
    """Yield the values of a text, each with its first line; an invalid one ends where another may begin."""
    decoder = json.JSONDecoder()
    end = 0
    while (begin := _SOMETHING.search(text, end)) is not None:
        at = begin.start()
        number += text.count("\n", end, at)
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            other = _BEGIN.search(text, at + 1)
            end = len(text) if other is None else other.start()
        yield number, text[at:end]
        number += text.count("\n", at, end)


def find_list(value: Json, *keys: str) -> list[Json]:
    """Return the list under the first of some keys that has one; else an empty list."""
    fields = value if isinstance(value, dict) else {}
    return next((each for key in keys if isinstance(each := fields.get(key), list)), [])


def _list_elements(value: Value | Skipped) -> Iterator[Value | Skipped]:
    """Yield a value, or the elements of a list."""
    if isinstance(value, Skipped) or not isinstance(value.json, list):
        yield value
        return
    for number, each in enumerate(value.json, 1):
        yield Value(each, Origin(value.origin.file, value.origin.line, f"element {number}"))
