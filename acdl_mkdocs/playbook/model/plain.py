"""Playbooks as plain data and back: the content of files, histories and exports.

Keys have the order of the file. Default values are left out, except those that every bullet shows. Types and names are
checked here; the readers of files check that texts are safe and ids are known.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, cast, get_args

from acdl_mkdocs.foundation.errors import PlaybookDataError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.model.bullets import (
    ID,
    SECTION_ID,
    Bullet,
    Pair,
    Playbook,
    Policy,
    Provenance,
    Refine,
    Section,
    Severity,
    Status,
    Verdict,
)
from acdl_mkdocs.prompts.prompt import Json

SCHEMA_VERSION = 1
PLAYBOOK_KEYS = ("schema_version", "name", "revision", "policy", "sections", "bullets", "pairs")
BULLET_KEYS = tuple(field.name for field in fields(Bullet))
SECTION_KEYS = tuple(field.name for field in fields(Section))
PAIR_KEYS = tuple(field.name for field in fields(Pair))
POLICY_KEYS = tuple(field.name for field in fields(Policy))
SOURCE_KEYS = tuple(field.name for field in fields(Provenance))
_ALWAYS = frozenset(("id", "section", "content", "helpful", "harmful", "added", "updated"))
_DEFAULTS = {field.name: field.default for field in fields(Bullet) if field.name not in _ALWAYS}

SUPERSEDED = "superseded"
"""A status of earlier versions, now `archived` with `superseded_by`."""
REFINE = ("never", "on-budget", "after-each-delta")
"""The values of `refine` in a policy, beside `{every: N}`."""
_LARGE = 10**15


def playbook_data(playbook: Playbook) -> dict[str, Json]:
    """Return a playbook as the data of its file."""
    data: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "name": playbook.name,
        "revision": playbook.revision,
    }
    policy = policy_data(playbook.policy)
    if policy:
        data["policy"] = policy
    data["sections"] = [section_data(section) for section in playbook.sections]
    data["bullets"] = [bullet_data(bullet) for bullet in playbook.bullets]
    if playbook.pairs:
        data["pairs"] = [pair_data(pair) for pair in playbook.pairs]
    return data


def bullet_data(bullet: Bullet) -> dict[str, Json]:
    """Return a bullet as data; `source` is a map, or a list of maps if there are several."""
    data: dict[str, Json] = {}
    for key in BULLET_KEYS:
        value = getattr(bullet, key)
        if key in _DEFAULTS and value == _DEFAULTS[key]:
            continue
        if key == "source":
            sources: list[Json] = [source_data(each) for each in bullet.source]
            data[key] = sources[0] if len(sources) == 1 else sources
        else:
            data[key] = list(value) if isinstance(value, tuple) else value
    return data


def source_data(source: Provenance) -> dict[str, Json]:
    """Return the provenance of a bullet as data, without unknown fields."""
    return {key: getattr(source, key) for key in SOURCE_KEYS if getattr(source, key) is not None}


def section_data(section: Section) -> dict[str, Json]:
    """Return a section as data."""
    return {"id": section.id, "title": section.title}


def pair_data(pair: Pair) -> dict[str, Json]:
    """Return a pair as data."""
    return {key: getattr(pair, key) for key in PAIR_KEYS if getattr(pair, key) is not None}


def policy_data(policy: Policy) -> dict[str, Json]:
    """Return the settings of a policy that differ from the default, as data."""
    usual = Policy()
    data: dict[str, Json] = {
        key: getattr(policy, key) for key in POLICY_KEYS if getattr(policy, key) != getattr(usual, key)
    }
    if isinstance(policy.refine, int):
        data["refine"] = {"every": policy.refine}
    return data


def playbook_of(data: Json) -> Playbook:
    """Read a playbook from plain data, in the order of the data.

    Raises:
        PlaybookDataError: The data describes none; the error names the first fault and its place.
    """
    values = _Map(data, "", PLAYBOOK_KEYS)
    version = values.get_value("schema_version")
    if version is not SCHEMA_VERSION:
        raise PlaybookDataError(
            "schema_version", f"is {format_value(version)}, and this program reads {SCHEMA_VERSION}"
        )
    return Playbook(
        values.read_text("name"),
        values.read_count("revision"),
        tuple(section_of(each, path) for path, each in values.read_entries("sections")),
        tuple(bullet_of(each, path) for path, each in values.read_entries("bullets")),
        tuple(pair_of(each, path) for path, each in values.read_entries("pairs")),
        policy_of(values.get_value("policy", {}), "policy"),
    )


def bullet_of(data: Json, path: str = "") -> Bullet:
    """Read a bullet from plain data.

    Raises:
        PlaybookDataError: The data describes none.
    """
    one = _Map(migrate_bullet(data), path, BULLET_KEYS)
    values: dict[str, Any] = {
        "id": one.read_matching("id", ID, "a letter, then letters, digits, `-` and `_`"),
        "section": one.read_matching("section", SECTION_ID, "lower-case words joined by `_`"),
        "content": one.read_text("content"),
    }
    for key in ("helpful", "harmful", "added", "updated"):
        values[key] = one.read_count(key)
    for key, read in _OPTIONAL.items():
        if key in one.data:
            values[key] = read(one, key)
    return Bullet(**values)


def migrate_bullet(data: Json) -> Json:
    """Convert the data of a bullet of an earlier version: the status `superseded` becomes `archived`."""
    return {**data, "status": "archived"} if isinstance(data, dict) and data.get("status") == SUPERSEDED else data


def section_of(data: Json, path: str = "") -> Section:
    """Read a section from plain data.

    Raises:
        PlaybookDataError: The data describes none.
    """
    one = _Map(data, path, SECTION_KEYS)
    return Section(one.read_matching("id", SECTION_ID, "lower-case words joined by `_`"), one.read_text("title"))


def pair_of(data: Json, path: str = "") -> Pair:
    """Read a pair from plain data.

    Raises:
        PlaybookDataError: The data describes none.
    """
    one = _Map(data, path, PAIR_KEYS)
    verdict = cast(Verdict, one.read_choice("verdict", get_args(Verdict)))
    score = one.read_share("score") if one.data.get("score") is not None else None
    texts = {key: one.read_text(key) for key in ("why", "by", "texts") if one.data.get(key) is not None}
    return Pair(one.read_text("a"), one.read_text("b"), verdict, score, **texts)


def policy_of(data: Json, path: str = "") -> Policy:
    """Read a policy from plain data.

    Raises:
        PlaybookDataError: The data describes none.
    """
    one = _Map(data, path, POLICY_KEYS)
    readers: dict[str, Callable[[str], Any]] = {
        "budget_model_tokens": one.read_count,
        "encoding": one.read_text,
        "similarity": one.read_text,
        "protect_revisions": one.read_count,
        "merge_similar": one.read_share,
        "refine": one.read_refine,
    }
    usual = {key for key in ("budget_model_tokens", "encoding", "merge_similar") if one.data.get(key) is None}
    return Policy(**{key: read(key) for key, read in readers.items() if key in one.data and key not in usual})


def source_of(data: Json, path: str = "") -> Provenance:
    """Read a provenance from plain data.

    Raises:
        PlaybookDataError: The data describes none.
    """
    one = _Map(data, path, SOURCE_KEYS)
    return Provenance(**{key: one.read_text(key) for key in SOURCE_KEYS if one.data.get(key) is not None})


def format_value(value: Json) -> str:
    """Format a value for a message."""
    if isinstance(value, str):
        return f'"{value[:40]}{"…" if len(value) > 40 else ""}"'
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a map"
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else "true" if value else "false"
    return str(value) if isinstance(value, float) or abs(value) < _LARGE else "a very large number"


class _Map:
    """A map of plain data that is being read."""

    def __init__(self, data: Json, path: str, keys: Iterable[str]) -> None:
        self.path = path
        if not isinstance(data, dict):
            raise PlaybookDataError(path, f"is {format_value(data)}, and a map is needed")
        self.data: Mapping[str, Json] = data
        for key in data:
            if key not in keys:
                near = find_closest(str(key), keys)
                hint = f"did you mean `{near}`?" if near else f"there are {', '.join(keys)}"
                raise PlaybookDataError(self.path_of(str(key)[:80]), f"is not a key here; {hint}")

    def path_of(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def get_value(self, key: str, default: Json = None) -> Json:
        return self.data.get(key, default)

    def read_text(self, key: str) -> str:
        value = self.data.get(key)
        if not isinstance(value, str):
            raise PlaybookDataError(self.path_of(key), "is missing" if value is None else _needs(value, "text"))
        return value

    def read_matching(self, key: str, pattern: Any, shape: str) -> str:
        value = self.read_text(key)
        if not pattern.fullmatch(value):
            raise PlaybookDataError(self.path_of(key), f"is {format_value(value)}, and an id is {shape}")
        return value

    def read_count(self, key: str) -> int:
        value = self.data.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise PlaybookDataError(self.path_of(key), _needs(value, "a whole number from 0"))
        return value

    def read_share(self, key: str) -> float:
        value = self.data.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise PlaybookDataError(self.path_of(key), _needs(value, "a number from 0 to 1"))
        return float(value)

    def read_refine(self, key: str) -> Refine:
        value = self.data.get(key)
        if not isinstance(value, dict):
            return cast(Refine, self.read_choice(key, REFINE, "{every: 10}"))
        every = _Map(value, self.path_of(key), ("every",)).read_count("every")
        if every == 0:
            raise PlaybookDataError(self.path_of(f"{key}.every"), "is 0, and at least 1 is needed")
        return every

    def read_bool(self, key: str) -> bool:
        value = self.data.get(key)
        if not isinstance(value, bool):
            raise PlaybookDataError(self.path_of(key), _needs(value, "`true` or `false`"))
        return value

    def read_choice(self, key: str, choices: tuple[str, ...], *others: str) -> str:
        value = self.read_text(key)
        if value not in choices:
            near = find_closest(value, choices)
            listed = ", ".join((*choices, *others))
            hint = f"did you mean `{near}`?" if near else f"there are {listed}"
            raise PlaybookDataError(self.path_of(key), f"is {format_value(value)}; {hint}")
        return value

    def read_entries(self, key: str) -> list[tuple[str, Json]]:
        value = self.data.get(key, [])
        if not isinstance(value, list):
            raise PlaybookDataError(self.path_of(key), _needs(value, "a list"))
        return [(f"{self.path_of(key)}[{idx}]", each) for idx, each in enumerate(value)]

    def read_words(self, key: str) -> tuple[str, ...]:
        words: list[str] = []
        for path, each in self.read_entries(key):
            if not isinstance(each, str):
                raise PlaybookDataError(path, _needs(each, "text"))
            words.append(each)
        return tuple(sorted(set(words)))

    def read_sources(self, key: str) -> tuple[Provenance, ...]:
        if isinstance(self.data.get(key), list):
            return tuple(source_of(each, path) for path, each in self.read_entries(key))
        return (source_of(self.data.get(key), self.path_of(key)),)


def _needs(value: Json, what: str) -> str:
    return f"is {format_value(value)}, and {what} is needed"


_OPTIONAL: Mapping[str, Callable[[_Map, str], object]] = {
    "status": lambda one, key: one.read_choice(key, get_args(Status)),
    "reason": _Map.read_text,
    "superseded_by": _Map.read_text,
    "pinned": _Map.read_bool,
    "severity": lambda one, key: one.read_choice(key, get_args(Severity)),
    "publish": _Map.read_bool,
    "send": _Map.read_bool,
    "neutral": _Map.read_count,
    "seen": _Map.read_count,
    "applies_to": _Map.read_words,
    "source": _Map.read_sources,
    "aliases": _Map.read_words,
}
