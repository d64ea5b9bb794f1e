"""The values of a YAML text with their places, and the core schema of YAML 1.2 for words, numbers and texts."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span

MOST_DIGITS = 300
"""Limit of digits: no person writes a longer number."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+")
_BASES = {"0o": re.compile(r"0o[0-7]+"), "0x": re.compile(r"0x[0-9a-fA-F]+")}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_SURROGATE = re.compile("[\ud800-\udfff]")
CORE = "tag:yaml.org,2002:"
"""The prefix of the tags of the core schema."""

_LONGEST = 40
"""Limit of characters of a value in a message."""
_SHORT = 16
"""Fewer digits are a number that is what it looks like in any schema; leading zeros are fine in YAML 1.2."""
_MAY_BE_OTHER = frozenset("+-.0123456789~nNtTfF")
"""First characters of numbers, truth values and null."""

Plain: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """One word, number or text."""

    text: str
    """As written, without quotes: `2.10` is `2.10`."""
    start: int
    end: int
    is_plain: bool = False
    """Whether it is written without quotes, so that it may be a number, `true` or null."""
    tag: str = ""

    @property
    def span(self) -> Span:
        """Where it is written."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class YamlList:
    """A list."""

    items: "Sequence[YamlNode]"
    start: int
    end: int
    """The span of its beginning."""

    @property
    def span(self) -> Span:
        """Where it begins."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class YamlMap:
    """A map; a key may occur several times."""

    pairs: "Sequence[tuple[Scalar, YamlNode]]"
    start: int
    end: int
    """The span of its beginning."""

    @property
    def span(self) -> Span:
        """Where it begins."""
        return Span(self.start, self.end)


YamlNode: TypeAlias = Scalar | YamlList | YamlMap


def plain_value(scalar: Scalar) -> Plain:
    """Return the value of a scalar in the core schema of YAML 1.2: `no` and dates are text.

    Raises:
        ValueError: It has none; the message is a clause with the reason.
    """
    text, tag = scalar.text, scalar.tag
    if tag:
        return _tagged_value(text, tag.removeprefix(CORE))
    if not scalar.is_plain:
        return _whole(text)
    if text and text[0] not in _MAY_BE_OTHER:  # most values are plain text, which needs no check of each pattern
        return text
    if len(text) < _SHORT and text.isdigit() and text.isascii():
        return int(text)
    return _untagged_value(text)


def _whole(text: str) -> str:
    if not text.isascii() and _SURROGATE.search(text):
        raise ValueError("has half of a character: `\\ud83d` needs its second half")
    return text


def _untagged_value(text: str) -> Plain:
    if _NO_NUMBER.fullmatch(text):
        raise ValueError("is not a number that a message can hold")
    number = _parse_number(text)
    if number is not None:
        return number
    return _BOOL.get(text, None if text in _NULL else text)


def _tagged_value(text: str, kind: str) -> Plain:
    if kind in ("str", "!"):
        return _whole(text)
    if kind not in ("null", "bool", "int", "float"):
        _whole(text)
        raise ValueError("has a tag that means nothing here; tags of plain YAML are `!!str`, `!!int` and the like")
    value = _untagged_value(_whole(text))
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind != {bool: "bool", int: "int", float: "float", str: "str"}.get(type(value), "null"):
        raise ValueError(f"is not a `!!{kind}`")
    return value


def shorten_value(text: str) -> str:
    """Return the first 40 characters of a text on one line."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def describe_value(node: YamlNode, shorten: Callable[[str], str] = shorten_value) -> str:
    """Describe a value: "the text `abc`", "a list"."""
    if not isinstance(node, Scalar):
        return "a list" if isinstance(node, YamlList) else "a map"
    short = shorten(" ".join(node.text.split()))
    try:
        value = plain_value(node)
    except ValueError:
        value = node.text
    match value:
        case None:
            return "empty"
        case bool():
            return f"`{short}`"
        case int() | float():
            return f"the number `{short}`"
    return f"the text `{short}`" if short else "an empty text"


def _parse_number(text: str) -> int | float | None:
    base = _BASES.get(text[:2])
    if base or _INT.fullmatch(text) or _FLOAT.fullmatch(text):
        if len(text) > MOST_DIGITS:
            raise ValueError(f"is a number of more than {MOST_DIGITS} digits; put it in quotes")
        if base:
            return int(text[2:], 8 if text[:2] == "0o" else 16) if base.fullmatch(text) else None
        if _INT.fullmatch(text):
            return int(text)
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise ValueError("is a number too large; put it in quotes")
        return number
    return None
