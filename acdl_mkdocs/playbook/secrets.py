"""Keys and passwords in a text, by their known shapes: a lesson never needs one.

Finds what has a shape of its own, and what stands behind `password=` and the like with the look of chance. Says what
kind it is, never what it is.
"""

import math
import re
from collections import Counter

from acdl_mkdocs.foundation.secrets import SHAPES, WORDS

_SHAPES = {kind: re.compile(pattern) for kind, pattern in SHAPES.items()}
_IN_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:(?P<value>[^\s/@]{3,100})@", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?P<name>{WORDS})"
    r"[\"'`]?\s{0,3}(?::=|=>|=|:|\bis\b)\s{0,3}(?:bearer\s{1,3})?"
    r"(?P<value>\"[^\"\n]{6,200}\"|'[^'\n]{6,200}'|[^\s\"'`,;]{6,200})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\bbearer\s{1,3}(?P<value>[A-Za-z0-9._~+/-]{20,}=*)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"[<{$%\[(*.…]|x{3,}|\*{3}|your|example|changeme|placeholder|redacted|dummy|environ|getenv|^(none|null|true|false)$",
    re.IGNORECASE,
)
_WORD_WITH_NUMBER = re.compile(r"[A-Za-z]+[0-9]{1,3}")
"""`sha256`, `oauth2`: what stands behind `token:` without being one."""
_LEAST_BITS = 2.9
"""Bits for each character, by how often each occurs in the value: what repeats itself has fewer."""
_LEAST_LENGTH = 8


def secrets(text: str) -> tuple[str, ...]:
    """The kinds of secrets in a text, such as `AWS access key`: each once, in a fixed order."""
    found = [kind for kind, shape in _SHAPES.items() if shape.search(text)]
    if any(not _PLACEHOLDER.search(each["value"]) for each in _IN_ADDRESS.finditer(text)):
        found.append("password in an address")
    if any(_is_random(each["value"].strip("\"'"), each["name"]) for each in _NAMED.finditer(text)):
        found.append("password or key")
    if any(_is_random(each["value"]) for each in _BEARER.finditer(text)):
        found.append("bearer token")
    return tuple(found)


def _is_random(value: str, name: str = "") -> bool:
    """Whether a value looks made by chance: a part of it mixes letters and digits as no word does."""
    if _PLACEHOLDER.search(value) or " " in value:
        return False
    parts = [
        part for part in re.split(r"[^A-Za-z0-9]+", value) if re.search("[0-9]", part) and re.search("[A-Za-z]", part)
    ]
    if name.lower().startswith(("passw", "passp", "pwd")):
        return any(len(part) > 3 for part in parts) and _bits(value) > 2
    is_long = any(len(part) >= _LEAST_LENGTH and not _WORD_WITH_NUMBER.fullmatch(part) for part in parts)
    return is_long and _bits(value) >= _LEAST_BITS


def _bits(value: str) -> float:
    n = len(value)
    return -sum(count / n * math.log2(count / n) for count in Counter(value).values())
