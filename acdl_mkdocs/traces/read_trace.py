"""`read_trace()`: the requests that a file of a recorded run has, whatever form it is in."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BufferedReader
from itertools import chain
from pathlib import Path

from acdl_mkdocs.foundation.errors import TraceError, UnknownFormatError
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.traces import read_pml
from acdl_mkdocs.traces.read_table import table_values
from acdl_mkdocs.traces.read_values import Value, unpacked, values
from acdl_mkdocs.traces.read_yaml import yaml_values
from acdl_mkdocs.traces.readers import READERS, reader_of
from acdl_mkdocs.traces.recorded import Found, Origin, Skipped

_TABLE = re.compile(rb'(?:"?[\w. -]+"?,){2,}')
_OF_TABLES = re.compile(rb"\b(?:traceId|trace_id|run_type)\b")
_CASSETTE = re.compile(rb"^(?:http_)?interactions:", re.MULTILINE)
_BEGIN_BYTES = 4000


def read_trace(
    path: Path | str, reader: str | None = None, format: str | None = None, *, called: str | None = None
) -> Iterator[Found]:
    """The requests of a file, one at a time, with everything else that is in it; `Tally` tells them apart.

    Args:
        path: The file; it may be compressed by gzip.
        reader: Key in `READERS`; `None` finds out.
        format: Key in `PROVIDERS` of the format of all bodies; `None` finds out for each.
        called: What a person calls the file; `None` says its path.

    Raises:
        TraceError: The file cannot be read.
        UnknownFormatError: There is no such reader or format.
    """
    _check(reader, READERS, "reader")
    _check(format, PROVIDERS, "format of requests")
    name = called or str(path)
    try:
        with open(path, "rb") as stream:
            yield from read_stream(stream, name, reader, format)
    except OSError as reason:
        raise TraceError(f"{name}: {_words(reason)}") from None
    except (EOFError, zlib.error):
        raise TraceError(f"{name}: it ends in the middle of what is compressed; copy the file again") from None


def read_stream(
    stream: BufferedReader, name: str, reader: str | None = None, format: str | None = None
) -> Iterator[Found]:
    """The same of an open file.

    Args:
        stream: The file, from its beginning.
        name: What a person calls it.
        reader: Key in `READERS`; `None` finds out.
        format: Key in `PROVIDERS`; `None` finds out.
    """
    plain = unpacked(stream)
    if reader == "pml" or (reader is None and _begins_as_xml(plain)):
        yield read_pml.read(plain, name)
        return
    found = _values(plain, name, reader)
    before: list[Value | Skipped] = []
    for each in found:
        before.append(each)
        if isinstance(each, Value):
            break
    if not before:
        yield Skipped(Origin(name), "an empty file", cure="record a run first", is_damaged=True)
        return
    last = before[-1]
    read = READERS[reader or (reader_of(last.json) if isinstance(last, Value) else "jsonl")].read
    is_empty = True
    for recorded in read(chain(before, found), format) if read is not None else ():
        is_empty = False
        yield recorded
    if is_empty:
        yield Skipped(Origin(name), "a recording without a call of a model")


def is_cassette(path: Path) -> bool:
    """Whether a file begins as a cassette in YAML."""
    try:
        with open(path, "rb") as stream:
            return _CASSETTE.search(unpacked(stream).peek(_BEGIN_BYTES)[:_BEGIN_BYTES]) is not None
    except (OSError, EOFError, zlib.error):
        return False


def _values(stream: BufferedReader, name: str, reader: str | None) -> Iterator[Value | Skipped]:
    """The values of a file: of YAML or a table, where it begins as a cassette or an export does, else of JSON."""
    begin = b""
    with suppress(EOFError, gzip.BadGzipFile, zlib.error):  # told when it is read
        begin = stream.peek(_BEGIN_BYTES)[:_BEGIN_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if begin[:1] in (b"{", b"["):
        return values(stream, name)
    if reader == "vcr" or (reader is None and _CASSETTE.search(begin)):
        return yaml_values(stream, name)
    first = begin.partition(b"\n")[0]
    if reader in (None, "langfuse", "langsmith") and _TABLE.match(first) and _OF_TABLES.search(first):
        return table_values(stream, name)
    return values(stream, name)


def _begins_as_xml(stream: BufferedReader) -> bool:
    with suppress(EOFError, gzip.BadGzipFile, zlib.error):  # told when it is read
        return stream.peek(200)[:200].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return False


def _check(name: str | None, known: Iterable[str], what: str) -> None:
    if name is not None and name not in known:
        near = closest(name, known)
        cure = f"did you mean `{near}`?" if near else f"there are {', '.join(f'`{each}`' for each in known)}"
        raise UnknownFormatError(f"there is no {what} `{name}`: {cure}")


def _words(reason: OSError) -> str:
    """Why a file cannot be read, in lower case."""
    if isinstance(reason, FileNotFoundError):
        return "there is no such file"
    if isinstance(reason, IsADirectoryError):
        return "is a folder; name the files in it"
    return (reason.strerror or "it cannot be read").lower()
