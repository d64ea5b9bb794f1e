"""Decoding of request and response bodies, within limits of bytes and values."""

import json
import math
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import NoReturn, Protocol

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.strict_json import TOO_MANY, has_too_many_values

_MOST_CODINGS, _MOST_MEMBERS = 3, 100
"""Limit of nested compressions of a body, and of consecutive members: each takes time, however small."""
READABLE = ("gzip", "deflate", "identity")
"""Codings of answers that can be recorded; no others are requested from providers."""


class _Unpacker(Protocol):
    """The common interface of zlib and packages of zstd."""

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class BodyFault(Exception):  # noqa: N818 - what a body is, not an error of a program
    """A body cannot be decoded; the message has the reason, in lower case."""


@dataclass(slots=True)
class SizeBudget:
    """The remaining total size of the decompressed bodies of one file."""

    n_bytes: int

    def unpack_body(self, body: bytes, coding: str) -> bytes:
        """Decode a body within the remaining bytes.

        Raises:
            BodyFault: As there.
        """
        plain = unpack_body(body, coding, self.n_bytes)
        self.n_bytes -= len(plain)
        return plain


def unpack_body(body: bytes, coding: str, most_bytes: int) -> bytes:
    """Decode a body; of a truncated one, return the readable part.

    Parameters:
        body: As it was sent.
        coding: The header `Content-Encoding`.
        most_bytes: How large it may become.

    Raises:
        BodyFault: The coding is unknown, the body does not follow it, or it is too large.
    """
    codings = [word.strip().lower() for word in coding.split(",")]
    if len(codings) > _MOST_CODINGS:
        raise BodyFault(f"a body is compressed more than {_MOST_CODINGS} times")
    for each in reversed(codings):
        if each in ("gzip", "x-gzip"):
            body = _inflate_body(body, most_bytes, partial(zlib.decompressobj, 31), zlib.error)
        elif each == "deflate":
            window = 15 if body[:1] == b"\x78" else -15
            body = _inflate_body(body, most_bytes, partial(zlib.decompressobj, window), zlib.error)
        elif each == "zstd":
            body = _unpack_zstd(body, most_bytes)
        elif each not in ("", "identity"):
            raise BodyFault(f"a body is compressed with `{each}`, which is not supported")
    return body


def _inflate_body(body: bytes, most_bytes: int, unpackers: Callable[[], "_Unpacker"], faults: type[Exception]) -> bytes:
    """Decompress a body that may consist of several streams, one after another."""
    plain = bytearray()
    try:
        for _ in range(_MOST_MEMBERS):
            unpacker = unpackers()
            plain += unpacker.decompress(body, most_bytes + 1 - len(plain))
            if len(plain) > most_bytes:
                raise BodyFault(f"a compressed body has more than {most_bytes:,} bytes")
            body = unpacker.unused_data
            if not body:
                return bytes(plain)
    except faults:
        raise BodyFault("a body cannot be decompressed as its `Content-Encoding` header says") from None
    raise BodyFault(f"a compressed body consists of more than {_MOST_MEMBERS} streams")


def _unpack_zstd(body: bytes, most_bytes: int) -> bytes:
    """Decompress with the module of Python 3.14, or with packages that do the same for others."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        return _inflate_body(body, most_bytes, module.ZstdDecompressor, module.ZstdError)
    raise BodyFault("a body is compressed with zstd; use Python 3.14, or install the package `backports.zstd`")


def read_json(body: bytes) -> Json:
    """Parse a body.

    Raises:
        BodyFault: It is not JSON, has too many values, or has a number that JSON cannot write again.
    """
    try:
        text = body.decode(json.detect_encoding(body), "surrogatepass")
        if has_too_many_values(text):
            raise BodyFault(TOO_MANY)
        value: Json = json.loads(text, parse_constant=_refuse_constant, parse_float=_parse_float)
    except (ValueError, RecursionError):
        raise BodyFault("it is not JSON") from None
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _parse_float(spelled: str) -> float:
    value = float(spelled)
    return value if math.isfinite(value) else _refuse_constant(spelled)
