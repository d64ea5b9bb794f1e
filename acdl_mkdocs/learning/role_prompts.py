"""What roles and baselines are sent: the specs in `prompts/`, evaluated with the state of the loop.

The texts stand in the state file beside each spec; its sample values are replaced by those of the loop, so what
`acdl unroll` and the documentation show is what is sent. Knows nothing about playbooks, samples or models.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import Records, State
from acdl_mkdocs.evaluation.transcript import to_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import understand
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.prompt import Prompt

Role: TypeAlias = Literal["generator", "reflector", "curator", "judge", "baseline", "rewriter"]
Values: TypeAlias = Mapping[str, str | int | Mapping[str, str | int]]
"""Texts and numbers by name, or series of texts by step."""

_MAX_DIGITS = 9
"""More digits than the number of any mark can have: texts are not that long."""
_NUMBERED = re.compile(rf"-data([0-9]{{1,{_MAX_DIGITS}}})")

FOLDER = Path(__file__).with_name("prompts")
"""Where the specs and their texts are."""


def role_prompt(role: Role, at: int, *, env: Values, sys: Values, resp: Values | None = None) -> Prompt:
    """What a role is sent.

    Parameters:
        role: Whose spec.
        at: The step: attempt of the generator, round of the reflector, question of the curator, 1 for the judge.
        env: What comes from the world outside.
        sys: What the loop keeps; the mark between data and rules is added to it.
        resp: What the role said before, by step.
    """
    resolved, sample = _spec(role)
    told = {"env": dict(env), "sys": {**sys, "mark": _mark((env, sys, resp or {}))}, "resp": dict(resp or {})}
    transcript = evaluate(resolved, replace(sample, records=Records(base=told)), str(at))
    if transcript.errors:  # a spec of ours and the loop disagree: nothing a user could have done
        raise AssertionError([each.diagnostic.message for each in transcript.errors])
    return to_prompt(transcript)


@cache
def _spec(role: Role) -> tuple[Resolved, State]:
    """A spec and the state file beside it."""
    spec, state = FOLDER / f"{role}.acdl", FOLDER / f"{role}.state.yaml"
    read = read_state(state.read_text("utf-8"), state.name)
    assert read.state is not None  # noqa: S101 - a file of this package
    return understand(Source(spec.read_text("utf-8"), spec.name)).resolved, read.state


def _mark(told: tuple[Values, ...]) -> str:
    """The first of `data1`, `data2`, … that begins nothing behind a hyphen, so that no text can end its own block.

    It is nearly always the first one: a provider's cache of prompts that begin alike holds. `-data12` begins with
    `-data1` too, so a number is taken if any longer one starts with it.
    """
    texts = (text.casefold() for values in told for value in values.values() for text in _texts(value))
    found = {digits for text in texts for digits in _NUMBERED.findall(text)}
    taken = {digits[:end] for digits in found for end in range(1, len(digits) + 1)}
    return next(f"data{n}" for n in count(1) if str(n) not in taken)


def _texts(value: str | int | Mapping[str, str | int]) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        return tuple(each for each in value.values() if isinstance(each, str))
    return (value,) if isinstance(value, str) else ()
