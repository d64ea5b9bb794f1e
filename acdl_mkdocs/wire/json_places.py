"""`offsets()`: where in a JSON text the values stand that paths such as `messages[3].content` name; knows no format.

`fault_offset()` says where a text is no JSON.
"""

import json
import math
import re
from collections.abc import Sequence
from json import JSONDecodeError, JSONDecoder

from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.pml.strict_json import DEPTH

_STEP = re.compile(r"\.?([^.\[\]]++)|\[(\d++)\]")
_SPACE = re.compile(r"[ \t\r\n]*+")
_MOST_WORK = 20_000_000
"""Characters that are looked at for all paths of a text; after that, no place is known."""
_MOST_DIGITS = 4300
_DECODER = JSONDecoder()


def offsets(text: str, paths: Sequence[str]) -> list[int | None]:
    """The offset of the value that each path names, or of the last value on the way that is there.

    Parameters:
        text: JSON that can be read.
        paths: As `Problem.path` has them.
    """
    n_known = _MOST_WORK // max(len(text), 1)
    return [_offset(text, path) if number < n_known else None for number, path in enumerate(paths)]


_TOKEN = re.compile(BEGUN_STRING + r'"|[{}\[\]:,]|[^\s"{}\[\]:,]++', re.DOTALL)
"""Strings, signs, and numbers and words."""


def fault_offset(text: str) -> int | None:
    """Where JSON begins to be none, or none that `strict_json` takes; `None` where that is not found."""
    try:
        json.loads(text)
    except JSONDecodeError as error:
        return error.pos
    except (RecursionError, ValueError):
        pass
    keys: list[set[str] | None] = []
    before = ""
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "{[":
            keys.append(set() if word == "{" else None)
        elif word in "}]":
            keys.pop()
        own = keys[-1] if keys else None
        is_key = own is not None and before in ("{", ",") and word[0] == '"'
        if len(keys) > DEPTH or (is_key and own is not None and _is_again(word, own)) or _is_no_number(word):
            return token.start()
        before = word
    return None


def _is_again(word: str, keys: set[str]) -> bool:
    key = json.loads(word, strict=False)
    if key in keys:
        return True
    keys.add(key)
    return False


def _is_no_number(word: str) -> bool:
    """Whether a word is a number that no program has."""
    if word in ("NaN", "Infinity", "-Infinity") or len(word) > _MOST_DIGITS:
        return word[0] != '"'
    return word[0] in "-0123456789" and math.isinf(float(word))


def _offset(text: str, path: str) -> int | None:
    at = _behind_space(text, 1 if text.startswith("\ufeff") else 0)
    for step in _STEP.finditer(path):
        try:
            inner = _value(text, at, step[1] if step[2] is None else int(step[2]))
        except (JSONDecodeError, RecursionError, ValueError):
            return None
        if inner is None:
            return at
        at = inner
    return at


def _value(text: str, at: int, wanted: str | int) -> int | None:
    """Where the value of a key, or of a number in a list, begins inside the value that begins at an offset."""
    if text[at : at + 1] != ("{" if isinstance(wanted, str) else "["):
        return None
    at = _behind_space(text, at + 1)
    number = 0
    while at < len(text) and text[at] not in "}]":
        key: str | int = number
        if isinstance(wanted, str):
            key, at = _DECODER.raw_decode(text, at)
            at = _behind_space(text, _behind_space(text, at) + 1)  # behind the colon
        if key == wanted:
            return at
        at = _behind_space(text, _DECODER.raw_decode(text, at)[1])
        if text[at : at + 1] == ",":
            at = _behind_space(text, at + 1)
        number += 1
    return None


def _behind_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
