"""Removal of keys and passwords from recorded or sent data: by the names of fields, and by known forms of secrets.

The same text always becomes the same text, so that contents can still be compared: a text that is compared with a
recorded one goes through `redact_text()` too. What a placeholder looks like is left alone.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from itertools import islice, zip_longest
from typing import cast

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.redact_text import ALL_HINTS, Hints, find_hints, redact_secrets
from acdl_mkdocs.foundation.redact_text import may_have_secrets as may_have_secrets
from acdl_mkdocs.foundation.secrets import LONGEST, Kind, classify_name, is_secret
from acdl_mkdocs.foundation.secrets import REDACTED as REDACTED
from acdl_mkdocs.foundation.secrets import is_secret_name as is_secret_name
from acdl_mkdocs.prompts.prompt import Json, Part
from acdl_mkdocs.prompts.providers.results import Read
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_SHORTEST = 8
"""Characters of a text that can have a secret and something by which it is known."""
_OF_TOKENS = {"logprob", "log_probability", "logProbability", "bytes", "token_id", "tokenId"}
"""Keys beside a `token` that is a piece of text."""
_NAMES = ("name", "key", "header", "field", "k", "id", "parameterkey")
_VALUES = {"value", "values", "val", "v", "text", "parametervalue"}
"""Keys of a name and of its value in pairs, however they begin."""
_FIELDS = ("name", "element", "label", "selector", "locator", "placeholder", "ref")
_SPELLED_VALUES = {*_VALUES, *map(str.title, _VALUES), "ParameterValue"}
_SPELLED_NAMES = {name for each in (*_NAMES, *_FIELDS) for name in (each, each.title())} | {"ParameterKey"}
_FIELD = re.compile(r"password|passphrase|passcode|api[ _-]?key|secret[ _-]?key|one-time code", re.IGNORECASE)
"""Keys of browser tools that describe a field, and values that mark a field as secret."""
_TYPED = {"stringValue", "arrayValue", "values", "value"}
"""Keys of a value in a trace that has its type."""


def redact_text(text: str) -> str:
    """Return a text without recognizable keys and passwords."""
    return _Redactor(ALL_HINTS).redact_text(text)


def redact_value(value: Json) -> Json:
    """Return data without keys and passwords; the value of a name such as `api_key` is one."""
    return _Redactor(ALL_HINTS).redact_value(value)


def redact_parsed(value: Json, text: str) -> Json:
    """Return data without keys and passwords; unchanged if the JSON text it was parsed from cannot hold any."""
    hints = find_hints(text)
    return value if hints is None else _Redactor(hints).redact_value(value)


def redact_repeated(value: Json, before: Json, done: Json) -> Json:
    """Return data without keys and passwords, reusing the result for earlier data.

    Parameters:
        value: The data.
        before: The earlier data.
        done: The redacted earlier data, whose objects are reused for equal data.
    """
    return _Redactor(ALL_HINTS).redact_repeated(value, before, done)


def redact_document(read: Read) -> Read:
    """Redact a prompt read from a document, whose spelling may have hidden keys and passwords until now."""
    redacted = _redact_all(read)
    return redacted if isinstance(redacted, Read) else read


def redact_parts(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return parts of a message without keys and passwords, to compare them with recorded parts."""
    redacted = _redact_all(parts)
    return redacted if isinstance(redacted, tuple) else parts


def _redact_all(value: object) -> object:
    """Redact a value of any kind in a prompt."""
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, tuple):
        return tuple(_redact_all(each) for each in value)
    if isinstance(value, (list, Mapping)):
        return redact_value(value if isinstance(value, list) else dict(value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _redact_all(getattr(value, each.name)) for each in fields(value)})
    return value


@dataclass(frozen=True, slots=True)
class _Redactor:
    """Removes secrets from data."""

    hints: Hints
    """By which secrets in the texts of the data are known."""

    def redact_text(self, text: str) -> str:
        """Redact a text, which may be JSON."""
        if len(text) < _SHORTEST or not may_have_secrets(text, self.hints):
            return text
        if text.lstrip()[:1] in ("{", "[", '"'):
            with suppress(JsonFault):
                return self._redact_json(text)
        return redact_secrets(text, self.hints)

    def redact_value(self, value: Json) -> Json:
        """Redact data of any kind."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, list):
            return self._redact_list(value)
        if isinstance(value, dict):
            return self._redact_object(value)
        return value

    def _redact_list(self, value: list[Json]) -> list[Json]:
        """Redact a list; pairs of names and values, and options and their values, belong together."""
        if not _is_joined(value):
            return [self.redact_value(each) for each in value]
        if isinstance(value[0], list):
            return [self._redact_pair(cast("list[Json]", each)) for each in value]
        kinds = ["", *(classify_name(each) if isinstance(each, str) and each[:1] == "-" else "" for each in value)]
        return [
            self._redact_secret(each, kind) if kind else self.redact_value(each)
            for each, kind in zip(value, kinds, strict=False)
        ]

    def _redact_pair(self, pair: list[Json]) -> list[Json]:
        """Redact a pair, such as `["x-api-key", …]`."""
        name, value = pair
        kind = classify_name(name) if isinstance(name, str) else ""
        return [self.redact_value(name), self._redact_secret(value, kind) if kind else self.redact_value(value)]

    def redact_repeated(self, value: Json, before: Json, done: Json) -> Json:
        """Redact data, reusing the result for equal data at the same place."""
        if isinstance(value, list) and isinstance(before, list) and isinstance(done, list) and not _is_joined(value):
            pairs = zip(before, done, strict=True)
            return [
                pair[1] if pair is not None and _is_same(each, pair[0]) else self.redact_value(each)
                for each, pair in zip_longest(value, islice(pairs, len(value)))
            ]
        if isinstance(value, dict) and isinstance(before, dict) and isinstance(done, dict):
            return self._redact_object(value, before, done)
        return self.redact_value(value)

    def _redact_json(self, text: str) -> str:
        """Redact JSON text, such as the arguments of a call: it stays JSON, and unchanged if it has no secret."""
        value = strict_json(text)
        redacted = self.redact_value(value)
        return text if redacted == value else json.dumps(redacted, ensure_ascii=False)

    def _redact_object(
        self, value: dict[str, Json], before: dict[str, Json] | None = None, done: dict[str, Json] | None = None
    ) -> dict[str, Json]:
        redacted: dict[str, Json] = {}
        pair = _find_pair_kinds(value)
        for key, each in value.items():
            kind = pair.get(key) or classify_name(key)
            if key == "token" and not _OF_TOKENS.isdisjoint(value):
                kind = ""
            name = _find_free_name(self.redact_text(key), key, redacted, value)
            if kind:
                redacted[name] = self._redact_secret(each, kind)
            elif before is not None and done is not None and key in before and name in done:
                redacted[name] = self.redact_repeated(each, before[key], done[name])
            else:
                redacted[name] = self.redact_value(each)
        return redacted

    def _redact_secret(self, value: Json, kind: Kind) -> Json:
        """Redact the value of a secret name."""
        match value:
            case str():
                return REDACTED if is_secret(value, kind) else self.redact_text(value)
            case list():
                return [self._redact_secret(each, kind) for each in value]
            case dict() if kind == "cookie" and "type" not in value:
                return {key: self._redact_cookie(key, each, value) for key, each in value.items()}
            case dict() if value.keys() <= _TYPED:
                return {key: self._redact_secret(each, kind) for key, each in value.items()}
            case int() | float() if kind == "secret" and not isinstance(value, bool):
                return REDACTED
        return self.redact_value(value)

    def _redact_cookie(self, key: str, value: Json, cookies: dict[str, Json]) -> Json:
        """Redact one of several cookies, or a part of its description."""
        is_one = "name" not in cookies or key == "value"
        return REDACTED if isinstance(value, str) and value and is_one else self.redact_value(value)


def _is_joined(value: list[Json]) -> bool:
    """Return whether elements of a list may depend on the one before: an option, or the name of a pair."""
    is_command = any(isinstance(each, str) and each[:1] == "-" for each in value)
    return is_command or (bool(value) and all(isinstance(each, list) and len(each) == 2 for each in value))


def _find_pair_kinds(value: dict[str, Json]) -> dict[str, Kind]:
    """Return the kinds of the values of a pair such as `{"name": "Authorization", "value": …}`; usually empty."""
    if _SPELLED_VALUES.isdisjoint(value) or _SPELLED_NAMES.isdisjoint(value):
        return {}
    values = [key for key in value if key.lower() in _VALUES]
    texts = {key.lower(): each for key, each in value.items() if isinstance(each, str)}
    kind: Kind = next(filter(None, (classify_name(texts[key]) for key in _NAMES if key in texts)), "")
    if kind:
        return {key: kind for key in values if key.lower() != "text"}
    is_field = any(key in texts and len(texts[key]) <= LONGEST and _FIELD.search(texts[key]) for key in _FIELDS)
    return dict.fromkeys(values, "secret") if is_field else {}


def _is_same(one: Json, other: Json) -> bool:
    """Return whether two values are written in the same way: `1` is neither `true` nor `1.0`."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and all(
            key == key_2 and _is_same(each, each_2)
            for (key, each), (key_2, each_2) in zip(one.items(), other.items(), strict=True)
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one == other


def _find_free_name(name: str, key: str, redacted: dict[str, Json], value: dict[str, Json]) -> str:
    """Return a name that no other key has: two redacted names stay two."""
    if name == key:
        return name
    n, free = 1, name
    while free in redacted or free in value:
        n += 1
        free = f"{name} {n}"
    return free
