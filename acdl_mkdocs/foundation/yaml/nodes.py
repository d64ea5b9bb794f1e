"""The values of a YAML text with their places, and the core schema of YAML 1.2 for words, numbers and texts."""

import re
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span

MOST_DIGITS = 300
"""A longer number was not written by a person."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+")
_BASES = {"0o": re.compile(r"0o[0-7]+"), "0x": re.compile(r"0x[0-9a-fA-F]+")}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_SURROGATE = re.compile("[\ud800-\udfff]")
CORE = "tag:yaml.org,2002:"
"""The prefix of the tags of the core schema."""

Plain: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """One word, number or text."""

    text: str
    """As written, without quotes: `2.10` is `2.10`."""
    span: Span
    is_plain: bool = False
    """Whether it is written without quotes, so that it may be a number, `true` or nothing."""
    tag: str = ""
    size: int = 1
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple["YamlNode", ...]
    span: Span
    size: int
    depth: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """A map; a key may occur several times."""

    pairs: tuple[tuple[Scalar, "YamlNode"], ...]
    span: Span
    size: int
    depth: int


YamlNode: TypeAlias = Scalar | Items | Pairs


def plain_value(scalar: Scalar) -> Plain:
    """Return the value of a scalar in the core schema.

    Raises:
        ValueError: It has none; the message explains why, as a clause about it.
    """
    kind = scalar.tag.removeprefix(CORE)
    if _SURROGATE.search(scalar.text):
        raise ValueError("has half of a character: `\\ud83d` needs its second half")
    if kind == "str" or (not scalar.tag and not scalar.is_plain) or scalar.tag == "!":
        return scalar.text
    if kind not in ("", "null", "bool", "int", "float"):
        raise ValueError("has a tag that means nothing here; tags of plain YAML are `!!str`, `!!int` and the like")
    if _NO_NUMBER.fullmatch(scalar.text):
        raise ValueError("is no number that a message can hold")
    found: Plain = _number(scalar.text)
    if found is None:
        found = None if scalar.text in _NULL else scalar.text
        found = _BOOL.get(scalar.text, found)
    if kind == "float" and isinstance(found, int) and not isinstance(found, bool):
        found = float(found)
    if kind and kind != {bool: "bool", int: "int", float: "float", str: "str"}.get(type(found), "null"):
        raise ValueError(f"is no `!!{kind}`")
    return found


def _number(text: str) -> int | float | None:
    base = _BASES.get(text[:2])
    if base or _INT.fullmatch(text) or _FLOAT.fullmatch(text):
        if len(text) > MOST_DIGITS:
            raise ValueError(f"is a number of more than {MOST_DIGITS} digits; put it in quotes")
        if base:
            return int(text[2:], 8 if text[:2] == "0o" else 16) if base.fullmatch(text) else None
        if _INT.fullmatch(text):
            return int(text)
        found = float(text)
        if found in (float("inf"), float("-inf")):
            raise ValueError("is a number too large; put it in quotes")
        return found
    return None
