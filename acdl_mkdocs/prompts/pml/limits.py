"""Limits of PML documents, and preparation of their text for the XML parser."""

import re

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.possessive import repeat_possessively
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.pml import problems


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one document."""

    size_bytes: int = 32_000_000
    """Bytes of the text in UTF-8."""
    depth: int = 64
    """Levels of elements inside elements."""
    elements: int = 100_000
    """Elements in the document."""
    attributes: int = 256
    """Attributes of one element."""
    all_attributes: int = 500_000
    """Attributes of all elements together."""
    repairs: int = 1_000
    """Repairs in lenient reading; a text that needs more is not PML."""


LIMITS = Limits()


class RefusedTextError(Exception):
    """The text is not read further."""

    def __init__(self, problem: Diagnostic, *, is_loose: bool = False) -> None:
        super().__init__(problem.message)
        self.problem = problem
        self.is_loose = is_loose


def encode_text(text: str | bytes, limits: Limits) -> bytes:
    """Encode the text as UTF-8, without a byte order mark."""
    if len(text) > limits.size_bytes:
        raise RefusedTextError(problems.too_large(Span(0, 0), f"{limits.size_bytes:,} bytes"))
    if isinstance(text, bytes):
        return text.removeprefix(b"\xef\xbb\xbf")
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise RefusedTextError(problems.forbidden_character(error.start, text[error.start])) from None
    if len(data) > limits.size_bytes:
        raise RefusedTextError(problems.too_large(Span(0, 0), f"{limits.size_bytes:,} bytes"))
    return data


def decode_bytes(data: bytes) -> str:
    """Decode bytes to text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in data[:4]:
        raise RefusedTextError(problems.wrong_encoding(Span(0, 0), "UTF-16 or UTF-32"))
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise RefusedTextError(
            problems.wrong_encoding(Span(0, 0), f"not UTF-8 from byte {error.start + 1} on")
        ) from None


class Offsets:
    """Code points before bytes of a text."""

    def __init__(self, data: bytes, n_characters: int) -> None:
        self._data = b"" if len(data) == n_characters else data
        """Nothing where every character is one byte."""
        self._before: list[int] = []
        """Code points before each block."""

    def count_code_points(self, byte: int) -> int:
        """Return the number of code points before a byte; 0 for one outside the text."""
        if not self._data or byte <= 0:
            return max(byte, 0)
        block = min(byte, len(self._data)) // _BLOCK_BYTES
        while len(self._before) <= block:
            start = len(self._before) * _BLOCK_BYTES
            self._before.append(self._before[-1] + self._count_between(start - _BLOCK_BYTES, start) if start else 0)
        return self._before[block] + self._count_between(block * _BLOCK_BYTES, byte)

    def _count_between(self, start: int, end: int) -> int:
        return len(self._data[start:end].translate(None, _CONTINUING))


_BLOCK_BYTES = 4096
_CONTINUING = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""
_LARGE_BYTES = 8_000_000
_MOST_TOKENS = 500_000
"""Tags, comments and CDATA sections of a large text."""
_TAG_BYTES = 4_000_000
"""The longest tag or comment of a large text: expat reads a long one again with every million bytes."""
_TOKEN = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<[^>"']*+"""
    + repeat_possessively(r""""[^"]*+"[^>"']*+|'[^']*+'[^>"']*+""").encode()
    + b">",
    re.DOTALL,
)


def check_tags(data: bytes) -> None:
    """Refuse a large text with a tag or a comment that would take long to read, or with very many of them."""
    if len(data) <= _LARGE_BYTES:
        return
    at = n_tokens = 0
    while (start := data.find(b"<", at)) >= 0:
        match = _TOKEN.match(data, start)
        at = match.end() if match else len(data)
        n_tokens += 1
        if n_tokens > _MOST_TOKENS:
            raise RefusedTextError(
                problems.too_large(Span(0, 0), f"{_MOST_TOKENS:,} tags, comments and CDATA sections")
            )
        if at - start > _TAG_BYTES and not data.startswith(b"<![CDATA[", start):
            offset = len(data[:start].decode())
            raise RefusedTextError(
                problems.too_large(Span(offset, offset + 1), f"{_TAG_BYTES:,} bytes in one tag or comment")
            )
