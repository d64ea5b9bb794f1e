"""`strict_json()`: JSON of arguments, schemas and extensions; refuses JSON that two readers could read differently."""

import json
import math
import re
from typing import NoReturn

from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.prompts.prompt import Json

DEPTH = 64
"""Lists and objects inside each other."""
MOST_VALUES = 5_000_000
"""Of one text: a parsed value needs 20 to 60 times as much memory as its text."""
_STRING = re.compile(BEGUN_STRING + '"?', re.DOTALL)


class JsonFault(Exception):  # noqa: N818 - what a text is, not an error of a program
    """A text is not JSON, or JSON that is refused; the message has the reason, in lower case."""

    def __init__(self, message: str, *, is_refused: bool = True) -> None:
        super().__init__(message)
        self.is_refused = is_refused
        """Whether the text is JSON."""


def strict_json(text: str) -> Json:
    """Return the value of a text.

    Raises:
        JsonFault: It is not JSON, an object has a key twice, a number is not valid in JSON, is as large as `1e400` or
            has thousands of digits, lists and objects are nested too deeply, or there are too many values.
    """
    if has_too_many_values(text):
        raise JsonFault(TOO_MANY)
    try:
        value: Json = json.loads(
            text, object_pairs_hook=_make_object, parse_float=_make_float, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        reason = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
        raise JsonFault(f"{reason} at line {error.lineno}, column {error.colno}", is_refused=False) from None
    except RecursionError:
        raise JsonFault(_TOO_DEEP) from None
    except ValueError:
        raise JsonFault("a number has more than 4300 digits") from None
    _check_depth(value)
    return value


def has_too_many_values(text: str) -> bool:
    """Return whether a text would fill the memory if it were read as JSON."""
    return _count_values(text) > MOST_VALUES and _count_values(_STRING.sub("", text)) > MOST_VALUES


def _count_values(text: str) -> int:
    return sum(map(text.count, ",[{")) if len(text) > MOST_VALUES else 0


TOO_MANY = f"it has more than {MOST_VALUES:,} values"
_MOST_SHOWN = 40
_TOO_DEEP = f"lists and objects are nested more than {DEPTH} levels deep"


def _make_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise JsonFault(f"the key {json.dumps(again)} appears twice")
    return result


def _make_float(spelled: str) -> float:
    value = float(spelled)
    if math.isinf(value):
        raise JsonFault(f"`{spelled[:_MOST_SHOWN]}` is larger than a 64-bit float can be")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise JsonFault(f"`{name}` is not a JSON number")


def _check_depth(value: Json) -> None:
    """Refuse a value that is nested so deep that reading it could fail."""
    # level by level, so that no depth is too much for this check itself
    level = [value] if isinstance(value, (list, dict)) else []
    for _ in range(DEPTH):
        inside = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
        level = [inner for inner in inside if isinstance(inner, (list, dict))]
        if not level:
            return
    raise JsonFault(_TOO_DEEP)
