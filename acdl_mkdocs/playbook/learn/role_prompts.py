"""The prompts of roles and baselines, and the schemas and values of their replies."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import Records, State
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.playbook.model.bullets import TagName
from acdl_mkdocs.playbook.model.near_pairs import Opinion
from acdl_mkdocs.prompts.prompt import Json, Prompt

Role: TypeAlias = Literal["generator", "reflector", "curator", "judge", "baseline", "rewriter"]
Values: TypeAlias = Mapping[str, str | int | Mapping[str, str | int]]
"""Texts and numbers by name, or series of texts by step."""

_MAX_DIGITS = 9
"""More digits than any mark needs: texts are not that long."""
_NUMBERED = re.compile(rf"-data([0-9]{{1,{_MAX_DIGITS}}})")

FOLDER = Path(__file__).with_name("prompts")
"""The folder of the specs and their texts."""


def role_prompt(role: Role, at: int, *, env: Values, sys: Values, resp: Values | None = None) -> Prompt:
    """Return the prompt of a role.

    Parameters:
        role: The role, whose spec is used.
        at: The step: attempt of the generator, round of the reflector, question of the curator, 1 for the judge.
        env: Values from outside.
        sys: Values of the loop; the mark between data and rules is added to them.
        resp: Earlier replies of the role, by step.
    """
    resolved, sample = _spec(role)
    values = {
        "env": dict(env),
        "sys": {**sys, "mark": _choose_delimiter((env, sys, resp or {}))},
        "resp": dict(resp or {}),
    }
    transcript = evaluate(resolved, replace(sample, records=Records(base=values)), str(at))
    if transcript.errors:  # our spec and the loop disagree: not the fault of a user
        raise AssertionError([each.diagnostic.message for each in transcript.errors])
    return build_prompt(transcript)


@cache
def _spec(role: Role) -> tuple[Resolved, State]:
    """Return a spec and its state file."""
    spec, state = FOLDER / f"{role}.acdl", FOLDER / f"{role}.state.yaml"
    read = read_state(state.read_text("utf-8"), state.name)
    assert read.state is not None  # noqa: S101 - a file of this package
    return parse_and_resolve(Source(spec.read_text("utf-8"), spec.name)).resolved, read.state


def _choose_delimiter(value_sets: tuple[Values, ...]) -> str:
    """Return the first of `data1`, `data2`, … that no text contains after a hyphen, so that no text can end its block.

    It is nearly always the first one, so that prompt caches of providers keep working. `-data12` also begins with
    `-data1`, so a number is taken if any longer one starts with it.
    """
    texts = (text.casefold() for values in value_sets for value in values.values() for text in _texts(value))
    numbers = {digits for text in texts for digits in _NUMBERED.findall(text)}
    taken = {digits[:end] for digits in numbers for end in range(1, len(digits) + 1)}
    return next(f"data{n}" for n in count(1) if str(n) not in taken)


def _texts(value: str | int | Mapping[str, str | int]) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        return tuple(each for each in value.values() if isinstance(each, str))
    return (value,) if isinstance(value, str) else ()


CURATOR_OPERATIONS = ("ADD", "UPDATE", "REMOVE", "SECTION")
"""Operations that a model may propose. The reflector tags, once a sample; a judge decides about near lessons, and
people pin and revive."""

_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": _TEXT}
_TEXT_OR_NOT: Json = {"type": ["string", "null"]}


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    """Return the schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


ANSWER: Mapping[str, Json] = _object({"reasoning": _TEXT, "bullet_ids": _TEXTS, "final_answer": _TEXT})
"""The reply of the generator."""

NOTES: Mapping[str, Json] = _object({"reasoning": _TEXT, "notes": _TEXT})
"""The reply of baselines that rewrite notes as a whole."""

REFLECTION: Mapping[str, Json] = _object(
    {
        "reasoning": _TEXT,
        "error_identification": _TEXT,
        "root_cause_analysis": _TEXT,
        "correct_approach": _TEXT,
        "key_insight": _TEXT,
        "bullet_tags": {
            "type": "array",
            "items": _object({"id": _TEXT, "tag": {"type": "string", "enum": list(get_args(TagName))}}),
        },
        "is_final": {"type": "boolean"},
    }
)
"""The reply of the reflector."""

OPERATION: Mapping[str, Json] = _object(
    {
        "type": {"type": "string", "enum": list(CURATOR_OPERATIONS)},
        "section": _TEXT_OR_NOT,
        "content": _TEXT_OR_NOT,
        "bullet_id": _TEXT_OR_NOT,
        "id": _TEXT_OR_NOT,
        "title": _TEXT_OR_NOT,
        "reason": _TEXT_OR_NOT,
    }
)
"""One operation of the curator, of any type: keys that the type does not have are null."""

DELTA: Mapping[str, Json] = _object({"reasoning": _TEXT, "operations": {"type": "array", "items": dict(OPERATION)}})
"""The reply of the curator."""

OPINION: Mapping[str, Json] = _object({"reason": _TEXT, "verdict": {"type": "string", "enum": list(get_args(Opinion))}})
"""The reply of the judge of two lessons."""

_WORDS: Json = {"type": ["string", "number", "boolean", "array", "null"]}
ACCEPTED_ANSWER: Mapping[str, Json] = {
    "type": "object",
    "properties": {"reasoning": _WORDS, "final_answer": _WORDS},
    "required": ["final_answer"],
}
"""The minimal schema of the generator."""

ACCEPTED_REFLECTION: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "reasoning": _WORDS,
        "error_identification": _WORDS,
        "root_cause_analysis": _WORDS,
        "correct_approach": _WORDS,
        "key_insight": _WORDS,
        "bullet_tags": {"type": ["array", "object", "null"]},
    },
    "required": ["key_insight"],
}
"""The minimal schema of the reflector."""

ACCEPTED_DELTA: Mapping[str, Json] = {
    "type": "object",
    "properties": {"reasoning": _WORDS, "operations": {"type": ["array", "null"]}},
    "required": ["operations"],
}
"""The minimal schema of the curator; `Proposals` checks each operation."""

ACCEPTED_NOTES: Mapping[str, Json] = {"type": "object", "required": ["notes"]}
"""The minimal schema of rewritten notes."""


MAX_ID = 64
_MAX_SHOWN = 40


def write_value(value: Json) -> str:
    """Return a value as text for any file: empty for null, elements of a list joined by commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(text for each in value if (text := write_value(each)))
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def is_true(value: Json) -> bool:
    """Return whether a value means yes: `true`, or the word for it."""
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def read_ids(value: Json) -> Iterator[str]:
    """Yield the ids of a list, or a single one, with or without brackets."""
    for each in [value] if isinstance(value, str) else value if isinstance(value, list) else ():
        if isinstance(each, str) and (name := each.strip().strip("[]").strip()):
            yield name[:MAX_ID]


def read_tags(value: Json, ids: Collection[str]) -> tuple[dict[str, TagName], tuple[str, ...]]:
    """Return the first tag of each bullet, and what was dropped.

    Parameters:
        value: A list of `{"id": …, "tag": …}`, or a map of ids to tags.
        ids: The bullets that may be tagged.
    """
    tags: dict[str, TagName] = {}
    dropped: list[str] = []
    for name, tag in _pairs(value):
        if name in ids and tag in get_args(TagName):
            tags.setdefault(name, cast(TagName, tag))
        else:
            dropped.append(f"{name or '?'}: {tag[:_MAX_SHOWN] or '?'}")
    return tags, tuple(dropped)


def _pairs(value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        pairs: list[tuple[Json, Json]] = [*value.items()]
    else:
        data = [each if isinstance(each, dict) else {} for each in (value if isinstance(value, list) else ())]
        pairs = [(each.get("id") or each.get("bullet_id"), each.get("tag")) for each in data]
    for name, tag in pairs:
        yield next(read_ids([name]), ""), write_value(tag).lower()
