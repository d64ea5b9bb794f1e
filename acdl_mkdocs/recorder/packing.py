"""Bodies as they are sent, compressed or not, made plain; never more bytes than asked for."""

import json
import math
import zlib
from importlib import import_module
from typing import NoReturn

from acdl_mkdocs.errors import RecorderError
from acdl_mkdocs.prompt import Json

_MOST_CODINGS, _MOST_MEMBERS = 3, 100
"""How often a body may be compressed, and in how many members one after another: each takes time, however small."""
READABLE = ("gzip", "deflate", "identity")
"""Codings of answers that can be recorded: providers are asked for no other."""


def unpacked(body: bytes, coding: str, most_bytes: int) -> bytes:
    """A body without its coding; what is there of it, if it is cut off.

    Parameters:
        body: As it was sent.
        coding: The header `Content-Encoding`.
        most_bytes: How large it may become.

    Raises:
        RecorderError: The coding is not known, the body is not in it, or it is too large.
    """
    codings = [word.strip().lower() for word in coding.split(",")]
    if len(codings) > _MOST_CODINGS:
        raise RecorderError(f"a body is compressed more than {_MOST_CODINGS} times")
    for each in reversed(codings):
        if each in ("gzip", "x-gzip"):
            body = _inflated(body, 31, most_bytes)
        elif each == "deflate":
            body = _inflated(body, 15 if body[:1] == b"\x78" else -15, most_bytes)
        elif each == "zstd":
            body = _zstd(body, most_bytes)
        elif each not in ("", "identity"):
            raise RecorderError(f"a body is compressed by `{each}`, which is not known here")
    return body


def _inflated(body: bytes, window: int, most_bytes: int) -> bytes:
    plain = bytearray()
    try:
        for _ in range(_MOST_MEMBERS):
            unpacker = zlib.decompressobj(window)
            plain += unpacker.decompress(body, most_bytes + 1 - len(plain))
            if len(plain) > most_bytes:
                raise RecorderError(f"a compressed body has more than {most_bytes:,} bytes")
            body = unpacker.unused_data
            if not body:
                return bytes(plain)
    except zlib.error:
        raise RecorderError("a body is not compressed as its header says") from None
    raise RecorderError(f"a body is compressed in more than {_MOST_MEMBERS} pieces")


def _zstd(body: bytes, most_bytes: int) -> bytes:
    """By the package of Python 3.14, or by those that do the same for others."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        try:
            plain: bytes = module.ZstdDecompressor().decompress(body, most_bytes + 1)
        except Exception as reason:
            raise RecorderError("a body is not compressed as its header says") from reason
        if len(plain) > most_bytes:
            raise RecorderError(f"a compressed body has more than {most_bytes:,} bytes")
        return plain
    raise RecorderError("a body is compressed by zstd; Python 3.14 can read it, or the package `backports.zstd`")


def read_json(body: bytes) -> Json:
    """What a body says.

    Raises:
        RecorderError: It is no JSON, or has a number that JSON cannot write again.
    """
    try:
        value: Json = json.loads(body, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise RecorderError("it is no JSON") from None
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(spelled: str) -> float:
    value = float(spelled)
    return value if math.isfinite(value) else _no_number(spelled)
