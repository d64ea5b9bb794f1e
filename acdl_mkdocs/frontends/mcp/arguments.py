"""The arguments of tools, declared once: both the JSON schema and the check of client input derive from them."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast

from acdl_mkdocs.app.cures import Option
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.json_value import Json, json_type
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.mcp.answers import CallError, Data

Kind: TypeAlias = Literal["string", "boolean", "integer", "strings"]
MAX_TEXT = 400_000
"""The longest argument, in characters."""
_CALLED = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "strings": "a list of strings",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool."""

    name: str
    about: str
    kind: Kind = "string"
    choices: tuple[str, ...] = ()
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class ToolArguments:
    """The checked arguments of a call: each has its kind, and none is unknown."""

    values: Mapping[str, object]

    def text_of(self, name: str) -> str | None:
        """Return a string; `None` if it is not given."""
        return cast(str | None, self.values.get(name))

    def choice_of(self, name: str, default: str) -> str:
        """Return one of the choices."""
        return cast(str, self.values.get(name, default))

    def is_set(self, name: str) -> bool:
        """Return whether a flag is set."""
        return bool(self.values.get(name, False))

    def number_of(self, name: str, default: int) -> int:
        """Return a whole number."""
        return cast(int, self.values.get(name, default))

    def texts_of(self, name: str) -> tuple[str, ...]:
        """Return a list of strings."""
        return tuple(cast(Sequence[str], self.values.get(name, ())))


def option_words(option: Option) -> str:
    """Return the client's form of an option: `missing: placeholder`; an uppercase word is a value to choose."""
    has_value = bool(option.value) and not option.value.isupper()
    return f"`{option.name}: {option.value}`" if has_value else f"`{option.name}`"


def schema_of(arguments: Sequence[Argument]) -> Data:
    """Return the JSON schema of an object with these arguments."""
    return {
        "type": "object",
        "properties": {each.name: _describe_property(each) for each in arguments},
        "required": [each.name for each in arguments if each.is_required],
        "additionalProperties": False,
    }


def _describe_property(argument: Argument) -> Data:
    kind: Data = (
        {"type": "array", "items": {"type": "string"}} if argument.kind == "strings" else {"type": argument.kind}
    )
    choices: Data = {"enum": list(argument.choices)} if argument.choices else {}
    return {**kind, **choices, "description": argument.about}


def check_arguments(arguments: Sequence[Argument], sent: Mapping[str, object] | None) -> ToolArguments:
    """Check the arguments of a client; `null` counts as not given.

    Raises:
        CallError: Something is unknown, missing, of another kind or too long.
    """
    allowed = {each.name: each for each in arguments}
    values: dict[str, object] = {}
    for name, value in (sent or {}).items():
        if name not in allowed:
            near = find_closest(name, allowed)
            cure = f"did you mean `{near}`?" if near else f"there are {', '.join(f'`{each}`' for each in allowed)}"
            raise CallError(f"there is no argument `{name[:80]}`", cure)
        if value is not None:
            _check_argument(allowed[name], value)
            values[name] = value
    for each in arguments:
        if each.is_required and each.name not in values:
            raise CallError(f"the argument `{each.name}` is missing", f"it is {each.about}")
    return ToolArguments(values)


def _check_argument(argument: Argument, value: object) -> None:
    kinds: dict[str, bool] = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "strings": isinstance(value, list) and all(isinstance(each, str) for each in value),
    }
    if not kinds[argument.kind]:
        kind = json_type(cast(Json, value))
        raise CallError(f"`{argument.name}` is of the JSON type {kind}", f"send {_CALLED[argument.kind]}")
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise CallError(f"`{argument.name}` has more than {MAX_TEXT:,} characters", "send a part, or name a file")
    if argument.choices and value not in argument.choices:
        near = find_closest(str(value)[:80], argument.choices)
        cure = f"did you mean `{near}`?" if near else f"there are {', '.join(argument.choices)}"
        raise CallError(f"`{argument.name}` cannot be `{str(value)[:80]}`", cure)
