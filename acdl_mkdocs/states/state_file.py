"""A state file, or a mapping of Python, as a `State`, with everything that is wrong with it.

Each section has a function that reads it; what several have in common is in `state_entries` and `state_values`.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import cast

from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state import (
    EmptyMode,
    MissingMode,
    State,
    StateOptions,
)
from acdl_mkdocs.evaluation.values import Value
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, diagnostic, error
from acdl_mkdocs.foundation.errors import PointError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.foundation.yaml.nodes import MOST_DIGITS, Pairs, Scalar
from acdl_mkdocs.foundation.yaml.read import MAX_DEPTH, MAX_NODES, RULE, read_yaml
from acdl_mkdocs.language.syntax.nodes import NAMESPACES
from acdl_mkdocs.states.beside_messages import memory_of, tools_of
from acdl_mkdocs.states.entries import MOST_PROBLEMS, Entries, Entry, shown
from acdl_mkdocs.states.records import records_of
from acdl_mkdocs.states.special_values import value_of
from acdl_mkdocs.states.texts import assumptions_of, samples_of, templates_of

_TOO_LARGE = 10**MOST_DIGITS
VERSION = 1
"""Value of `acdl_state` that is read."""
_RECORD_KEYS = (*NAMESPACES, "steps", "hold")
_OTHER_KEYS = (
    "spec",
    "at",
    "range",
    "args",
    "templates",
    "agents",
    "functions",
    "assume",
    "options",
    "tools",
    "memory",
)
KEYS = ("acdl_state", *_OTHER_KEYS, *_RECORD_KEYS, "$schema")
"""What a state file can have at its top."""


@dataclass(frozen=True, slots=True)
class StateFile:
    """A state and what is wrong with its file."""

    source: Source
    """The text that the places of the problems are of."""
    state: State | None
    """What could be read, without what is wrong; `None` if nothing could."""
    problems: tuple[Diagnostic, ...] = ()
    unfilled: Mapping[str, Span] = field(default_factory=dict)
    """Where values are still the placeholder that `acdl state new` writes, by path."""

    @property
    def has_errors(self) -> bool:
        """Whether the state is not what its author meant."""
        return self.state is None or any(each.severity == "error" for each in self.problems)


def read_state(text: str, name: str = "<state>", folder: Path | None = None) -> StateFile:
    """Read a state file: YAML 1.2, or JSON. Never raises for what it says.

    Parameters:
        text: The text of the file.
        name: What a person calls it.
        folder: That of the file, for the texts and images that it names; without it, none can be read.
    """
    source = Source(text.removeprefix("\ufeff"), name)
    read = read_yaml(source)
    if read.root is None or (isinstance(read.root, Scalar) and not read.root.text):
        empty = error(RULE, "the file is empty", Label(Span(0, 0), "a state belongs here"), help=_BEGIN)
        return StateFile(source, None, read.problems or (empty,))
    entries = Entries(source, folder)
    top = Entry(read.root, "", Span(read.root.span.start, read.root.span.start))
    if not isinstance(read.root, Pairs):
        entries.say(top, f"is {shown(read.root)}, and a state is a map", _BEGIN)
        return StateFile(source, None, (*read.problems, *entries.problems))
    state = _state(entries, top)
    if entries.unlisted:
        entries.problems.append(error(RULE, f"{entries.unlisted} more problems", _NOT_LISTED))
    if entries.unlisted_notes:
        more = counted(entries.unlisted_notes, "more note")
        entries.problems.append(diagnostic("note", RULE, more, _NOT_LISTED))
    problems = sorted((*read.problems, *entries.problems), key=lambda each: each.label.span.start)
    return StateFile(source, state, tuple(problems), entries.unfilled)


_NOT_LISTED = Label(Span(0, 0), "not listed")
_BEGIN = "begin with `acdl_state: 1`, or let `acdl state new SPEC` write a state"


def state_of(mapping: Mapping[str, object], name: str = "<state>", folder: Path | None = None) -> StateFile:
    """A state from plain data of Python, with the same checks as a file; problems have the places of it as JSON."""
    problems = tuple(_not_plain(mapping))
    if problems:
        return StateFile(Source("", name), None, problems[:MOST_PROBLEMS])
    return read_state(json.dumps(mapping, ensure_ascii=True, indent=1), name, folder)


def _not_plain(mapping: object) -> Iterator[Diagnostic]:
    """What JSON cannot hold, with its path."""
    waiting: list[tuple[object, str, int]] = [(mapping, "", 0)]
    n_seen = 0
    while waiting:
        value, path, depth = waiting.pop()
        n_seen += 1
        if depth > MAX_DEPTH or n_seen > MAX_NODES:
            what = "holds itself, or is nested too deep" if depth > MAX_DEPTH else "has too many values"
            yield error(RULE, f"{path[:80] or 'the state'} {what}", Label(Span(0, 0), "here"))
            return
        if isinstance(value, dict):
            whys = [_no_name(key) for key in value]
            named = [pair for pair, why in zip(value.items(), whys, strict=True) if not why]
            waiting += [(each, f"{path}.{key}".lstrip("."), depth + 1) for key, each in reversed(named)]
        elif isinstance(value, list | tuple):
            whys = []
            waiting += [(each, f"{path}.{at}", depth + 1) for at, each in reversed(list(enumerate(value, 1)))]
        else:
            whys = [_no_value(value)]
        for why in filter(None, whys):
            message = f"{' '.join(path.split()) or 'the state'} has {why}"
            yield error(RULE, message, Label(Span(0, 0), "here"), help="use text, numbers, lists and dicts")


def _no_name(key: object) -> str:
    """Why something cannot be a key; empty if it can."""
    return f"a `{type(key).__name__}` of Python, which is no plain value" if key is None else _no_value(key)


def _no_value(value: object) -> str:
    """Why something that is no list or map cannot be a value; empty if it can."""
    if isinstance(value, int) and abs(value) >= _TOO_LARGE:
        return f"a number of more than {MOST_DIGITS} digits; put it in quotes"
    is_plain = isinstance(value, None | bool | int | float | str)
    if not is_plain or (isinstance(value, float) and not math.isfinite(value)):
        return f"a `{type(value).__name__}` of Python, which is no plain value"
    return ""


def _state(entries: Entries, top: Entry) -> State:
    known = entries.known(top, KEYS)
    _check_version(entries, top, known.get("acdl_state"))
    state = State(
        records=records_of(entries, {name: known[name] for name in _RECORD_KEYS if name in known}),
        agents={
            each.key: records_of(entries, entries.known(each, _RECORD_KEYS), f"agents.{each.key}.")
            for each in _pairs(entries, known.get("agents"))
        },
        templates=templates_of(entries, known.get("templates")),
        functions={each.key: samples_of(entries, each) for each in _pairs(entries, known.get("functions"))},
        args=_args(entries, known.get("args")),
        assume=tuple(assumptions_of(entries, known.get("assume"))),
        options=_options(entries, known.get("options")),
        tools=tuple(tools_of(entries, known.get("tools"))),
        memory=tuple(memory_of(entries, known.get("memory"))),
        spec=entries.text(known["spec"]) if "spec" in known else None,
        range=cast(RangeMode | None, _choice(entries, known, "range", ("half-open", "inclusive"))),
        name=entries.source.name,
        places=entries.places,
    )
    at = _at(entries, known.get("at"), state)
    return state if at is None else replace(state, at=at)


def _check_version(entries: Entries, top: Entry, given: Entry | None) -> None:
    if given is None:
        entries.say(top, "has no `acdl_state`", f"begin with `acdl_state: {VERSION}`")
    elif entries.plain(given) is not VERSION:
        entries.say(given, f"is {shown(given.node)}, and this program reads version {VERSION}", _BEGIN)


def _pairs(entries: Entries, entry: Entry | None) -> list[Entry]:
    return (entries.pairs(entry) or []) if entry is not None else []


def _choice(entries: Entries, known: Mapping[str, Entry], name: str, choices: tuple[str, ...]) -> str | None:
    return entries.choice(known[name], choices) if name in known else None


def _at(entries: Entries, entry: Entry | None, state: State) -> str | None:
    """The points to look at, as they are written: `2.10` is no number."""
    text = entries.text(entry) if entry is not None else None
    if entry is None or text is None:
        return None
    try:
        parse_points(text, state)
    except PointError as reason:
        entries.say(entry, f": {reason}")
        return None
    return text


_TIME = "give the time with `at`"


def _args(entries: Entries, entry: Entry | None) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for each in _pairs(entries, entry):
        if each.key.startswith("@"):
            entries.say(each, "is a time, and `args` has the other parameters", _TIME, at=each.name_span)
        else:
            found[each.key] = value_of(entries, each)
    return found


def _options(entries: Entries, entry: Entry | None) -> StateOptions:
    known = entries.known(entry, ("joiner", "missing", "empty")) if entry is not None else {}
    joiner = entries.plain(known["joiner"]) if "joiner" in known else None
    if joiner is not None and not isinstance(joiner, str):
        entries.say(known["joiner"], f"is {shown(known['joiner'].node)}, and text is needed", "put the text in quotes")
        joiner = None
    missing = _choice(entries, known, "missing", ("error", "placeholder", "empty"))
    empty = _choice(entries, known, "empty", ("drop", "keep"))
    return StateOptions(
        joiner="\n" if joiner is None else joiner,
        missing=cast(MissingMode | None, missing),
        empty=cast(EmptyMode, empty or "drop"),
    )
