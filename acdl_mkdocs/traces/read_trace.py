"""`read_trace()`: the requests that a file of a recorded run has, whatever form it is in; `READERS` names the forms."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.errors import TraceError, UnknownFormatError
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.traces import read_har, read_jsonl, read_otlp, read_pml
from acdl_mkdocs.traces.read_values import Value, unpacked, values
from acdl_mkdocs.traces.recorded import Found, Origin, Skipped
from acdl_mkdocs.traces.sniff import reader_of
from acdl_mkdocs.wire import PROVIDERS

Read: TypeAlias = Callable[[Iterator[Value | Skipped], str | None], Iterator[Found]]

READERS: Mapping[str, Read | None] = {
    "jsonl": read_jsonl.read,
    "har": read_har.read,
    "otlp": read_otlp.read,
    "pml": None,
}
"""What reads the values of a file; a PML document has none."""


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
    found = values(plain, name)
    before: list[Value | Skipped] = []
    for each in found:
        before.append(each)
        if isinstance(each, Value):
            break
    if not before:
        yield Skipped(Origin(name), "an empty file", cure="record a run first", is_damaged=True)
        return
    last = before[-1]
    chosen = READERS[reader or (reader_of(last.json) if isinstance(last, Value) else "jsonl")]
    if chosen is not None:
        yield from chosen(chain(before, found), format)


def _begins_as_xml(stream: BufferedReader) -> bool:
    with suppress(EOFError, gzip.BadGzipFile, zlib.error):  # told when it is read
        return stream.peek(200)[:200].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return False


def _check(name: str | None, known: Mapping[str, object], what: str) -> None:
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
