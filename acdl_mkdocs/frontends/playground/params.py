"""The parameters of a request, which come as JSON and are checked when read."""

from collections.abc import Mapping
from typing import TypeAlias, TypeVar, cast

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.json_value import Json, json_type

Data: TypeAlias = dict[str, object]
"""A JSON object."""

C = TypeVar("C", bound=str)


class Params:
    """The parameters of one request."""

    def __init__(self, data: Mapping[str, object]) -> None:
        """Keep the parameters; nothing is checked before it is read."""
        self._data = data

    def text_of(self, name: str, default: str | None = None) -> str:
        """Return a text.

        Raises:
            SettingsError: It is something else, or missing and has to be there.
        """
        value = self._data.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise SettingsError(f"`{name}` is {_describe_type(value)}; give a text")
        return value

    def number_of(self, name: str) -> int | None:
        """Return a whole number, if it is given.

        Raises:
            SettingsError: It is something else.
        """
        value = self._data.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise SettingsError(f"`{name}` is {_describe_type(value)}; give a whole number")
        return value

    def is_on(self, name: str, *, default: bool) -> bool:
        """Return whether an option is on.

        Raises:
            SettingsError: It is neither true nor false.
        """
        value = self._data.get(name, default)
        if not isinstance(value, bool):
            raise SettingsError(f"`{name}` is {_describe_type(value)}; give true or false")
        return value

    def choice_of(self, name: str, choices: tuple[C, ...], default: C) -> C:
        """Return one of several words.

        Raises:
            SettingsError: It is none of them.
        """
        value = self.text_of(name, default)
        if value not in choices:
            raise SettingsError(f"`{name}` is `{value}`; choose one of {', '.join(choices)}")
        return value

    def params_in(self, name: str) -> "Params":
        """Return the parameters within a parameter; empty if it is not given.

        Raises:
            SettingsError: It is something else.
        """
        value = self._data.get(name)
        if value is not None and not isinstance(value, dict):
            raise SettingsError(f"`{name}` is {_describe_type(value)}; give an object")
        return Params(value or {})

    def texts_of(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return names and texts.

        Raises:
            SettingsError: Something is not text.
        """
        inside = self.params_in(name)
        return tuple((str(each), inside.text_of(each)) for each in inside._data)


def _describe_type(value: object) -> str:
    return "missing" if value is None else f"of the JSON type {json_type(cast(Json, value))}"
