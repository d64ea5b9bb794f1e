"""Request heads, read strictly by RFC 9112: anything ambiguous is refused.

`http.server` accepts folded lines, bare carriage returns, several lengths and targets of proxies. A program between
a client and the recorder may read these differently, so that a second request hides in the first. Knows no provider.
"""

import re
from collections.abc import Iterable
from typing import BinaryIO

from acdl_mkdocs.foundation.frozen import dataclass

_MOST_LINE, _MOST_HEADERS, _MOST_HEAD = 65_536, 100, 262_144
"""Bytes of a line, number of headers, and bytes of all of them."""
_MOST_DIGITS = 20
"""Of a length that is read at all."""
_MOST_LEADING = 2
"""Empty lines before a request, which some clients send after the one before."""
_REQUEST = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]+) HTTP/1\.([01])\r?\n")
NAME_CHARACTER = r"[!#$%&'*+.^_`|~0-9A-Za-z-]"
"""Of the name of a header, as a pattern."""
_HEADER = re.compile(rb"(%b{1,256}):[ \t]*+([\t\x20-\x7e\x80-\xff]*+)\r?\n" % NAME_CHARACTER.encode())
_ONCE = ("host", "content-length", "transfer-encoding", "origin", "sec-fetch-site")
"""Headers that may occur only once: with two, it is ambiguous which one counts."""
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*+(?:;[\t\x20-\x7e\x80-\xff]*+)?\r\n")
"""The size of a chunk of a body. A line feed alone ends no line: some programs would take it for part of the text
after `;`."""
_MOST_EXTENSION = 1000


class RefusedRequestError(Exception):
    """A request that does not belong to the run; the message has the reason."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The first line and the headers of a request."""

    method: str
    target: str
    """Path and query; it begins with `/`."""
    is_old: bool
    """Whether it is HTTP/1.0, which has no chunks."""
    headers: tuple[tuple[str, str], ...]

    def get_header(self, name: str) -> str | None:
        """Return the value of a header."""
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def is_last(self) -> bool:
        """Whether the connection ends with the answer."""
        return self.is_old or "close" in split_header(self.headers, "connection")


def split_header(headers: Iterable[tuple[str, str]], name: str) -> frozenset[str]:
    """Return the lower-case words of a list header, which may occur several times."""
    values = (value for key, value in headers if key.lower() == name)
    return frozenset(word.strip().lower() for value in values for word in value.split(","))


def read_head(stream: BinaryIO) -> RequestHead | None:
    """Read the head of the next request; `None` if there is no further one.

    Raises:
        RefusedRequestError: It is not a valid head.
    """
    line = _read_line(stream)
    for _ in range(_MOST_LEADING):
        line = _read_line(stream) if line in (b"\r\n", b"\n") else line
    if not line:
        return None
    request = _REQUEST.fullmatch(line)
    if request is None:
        raise RefusedRequestError(400, "the first line is not a request line of HTTP/1.1")
    target = request[2].decode("ascii")
    if not target.startswith("/"):
        raise RefusedRequestError(400, "the recorder is not a proxy: the request target has to begin with `/`")
    return RequestHead(request[1].decode("ascii"), target, request[3] == b"0", _read_headers(stream))


def _read_headers(stream: BinaryIO) -> tuple[tuple[str, str], ...]:
    headers: list[tuple[str, str]] = []
    n_bytes = 0
    while (line := _read_line(stream)) not in (b"\r\n", b"\n"):
        header = _HEADER.fullmatch(line)
        if header is None:
            raise RefusedRequestError(400, "a header is not one line with a name, a colon and a value")
        n_bytes += len(line)
        if len(headers) == _MOST_HEADERS or n_bytes > _MOST_HEAD:
            raise RefusedRequestError(
                431, f"there are more than {_MOST_HEADERS} headers, or {_MOST_HEAD:,} bytes of them"
            )
        headers.append((header[1].decode("ascii"), header[2].decode("latin-1").strip(" \t")))
    names = [key.lower() for key, _ in headers]
    for name in _ONCE:
        if names.count(name) > 1:
            raise RefusedRequestError(400, f"the header `{name}` appears more than once")
    return tuple(headers)


def _read_line(stream: BinaryIO) -> bytes:
    line = stream.readline(_MOST_LINE + 1)
    if len(line) > _MOST_LINE:
        raise RefusedRequestError(431, f"a line of the head has more than {_MOST_LINE:,} bytes")
    return line


def read_body(stream: BinaryIO, head: RequestHead, most_bytes: int) -> bytes:
    """Read the body of a request.

    Raises:
        RefusedRequestError: Its end is ambiguous, or it is too large.
        ConnectionError: The client hung up before its end.
    """
    length, coding = head.get_header("content-length"), head.get_header("transfer-encoding")
    if length is not None and (coding is not None or not (length.isascii() and length.isdigit())):
        raise RefusedRequestError(
            400, "the length of the body is ambiguous; send either `Content-Length` or `Transfer-Encoding`"
        )
    if coding is not None:
        if coding.lower() != "chunked" or head.is_old:
            raise RefusedRequestError(501, f"the transfer coding `{coding[:40]}` is not supported; use `chunked`")
        return _read_chunked(stream, most_bytes)
    if length is not None and (len(length) > _MOST_DIGITS or int(length) > most_bytes):
        raise make_too_large_error(most_bytes)
    return _read_exactly(stream, int(length or 0))


def _read_chunked(stream: BinaryIO, most_bytes: int) -> bytes:
    """Read a chunked body."""
    body = bytearray()
    while True:
        size = _SIZE.fullmatch(stream.readline(_MOST_EXTENSION))
        if size is None:
            raise RefusedRequestError(400, "a chunk of the request has no length")
        n_bytes = int(size[1], 16)
        if len(body) + n_bytes > most_bytes:
            raise make_too_large_error(most_bytes)
        if n_bytes == 0:
            for name, _ in _read_headers(stream):  # trailers may follow the last chunk; they are ignored
                if name.lower() in _ONCE:
                    raise RefusedRequestError(400, f"the header `{name}` must precede the body")
            return bytes(body)
        body += _read_exactly(stream, n_bytes)
        if stream.readline(_MOST_EXTENSION) != b"\r\n":
            raise RefusedRequestError(400, "a chunk of the request is longer than its declared length")


def _read_exactly(stream: BinaryIO, n_bytes: int) -> bytes:
    data = stream.read(n_bytes) if n_bytes else b""
    if len(data) < n_bytes:
        raise ConnectionError("the client closed the connection")
    return data


def make_too_large_error(most_bytes: int) -> RefusedRequestError:
    """Return the refusal of a large body."""
    return RefusedRequestError(413, f"the request has more than {most_bytes:,} bytes")
