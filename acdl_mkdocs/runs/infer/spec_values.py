"""`Value`: what an inferred spec calls by one name, with its contents by time."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Part
from acdl_mkdocs.runs.infer.conditions import Iteration, Scope
from acdl_mkdocs.runs.infer.observe import list_answer_keys

Level: TypeAlias = Literal["run", "turn", "round"]
"""What a value belongs to: a whole run, a turn, or a round of calls."""
TimeKey: TypeAlias = tuple[int, ...]
"""The run, and the turn and the round that a value belongs to."""
_LEAST_SHARED = 2
"""Different contents that two values have in common, so that they are one."""


class NoProgramError(Exception):
    """The messages do not have the assumed form."""


_Answers: TypeAlias = Mapping[tuple[int, int], Mapping[int, set[Hashable]]]
"""What the model answered, by run and turn, then by step."""


def _is_answered(answers: _Answers, key: "TimeKey", parts: tuple[Part, ...]) -> bool:
    """Return whether a value is the answer of its time: the last of a turn, or that before or in a round."""
    steps = answers.get((key[0], key[1]), {}) if len(key) > 1 else {}
    if len(key) == 2:
        said = steps[max(steps)] if steps else None
    else:
        said = None if key[-1] - 1 not in steps else steps[key[-1] - 1] | steps.get(key[-1], set())
    return said is None or said.issuperset(list_answer_keys(parts))


@dataclass(slots=True, eq=False)
class Value:
    """What the spec calls by one name."""

    slot: Hashable
    key: Hashable
    samples: "list[tuple[Iteration, Scope, tuple[Part, ...]]]" = field(default_factory=list)
    """Its contents wherever it is sent."""
    level: Level = "turn"
    known: dict[TimeKey, tuple[Part, ...]] = field(default_factory=dict)
    """Its contents by time."""
    is_answer: bool = True
    """Whether the model said all of it, as far as its answers were recorded."""
    name: str = ""

    def settle(self, answers: "_Answers") -> None:
        """Find out what it belongs to, and whether the model said it.

        Raises:
            NoProgramError: Neither turns nor rounds explain its contents.
        """
        levels: tuple[Level, ...] = (
            ("round",) if any(scope == "round" for _, scope, _ in self.samples) else ("turn", "round")
        )
        if all(scope == "request" for _, scope, _ in self.samples) and self._is_of_run():
            levels = ("run",)
        for level in levels:
            known: dict[TimeKey, tuple[Part, ...]] = {}
            for iteration, scope, parts in self.samples:
                before = known.setdefault(time_of(iteration, scope, level), parts)
                if before is not parts and before != parts:
                    break
            else:
                self.level, self.known = level, known
                self.is_answer = all(_is_answered(answers, key, parts) for key, parts in known.items())
                return
        raise NoProgramError

    def _is_of_run(self) -> bool:
        """Return whether it never changes in runs of several turns."""
        first: dict[int, tuple[Part, ...]] = {}
        turns: dict[int, set[int]] = defaultdict(set)
        for iteration, _, parts in self.samples:
            before = first.setdefault(iteration.request.run, parts)
            if before is not parts and before != parts:
                return False
            turns[iteration.request.run].add(iteration.now)
        return any(len(each) > 1 for each in turns.values())

    def refer(self, scope: Scope, turn: str) -> str:
        """Return how the spec reads it in such a scope; `turn` is the variable of the turn."""
        return self.name + write_index(self.level, scope, turn)

    def is_known(self, iteration: Iteration, scope: Scope) -> bool:
        """Return whether the state has it in an iteration."""
        return time_of(iteration, scope, self.level) in self.known


def time_of(iteration: Iteration, scope: Scope, level: Level) -> TimeKey:
    """Return the time of a value that is read in an iteration."""
    run, turn = iteration.request.run, iteration.now if scope == "request" else iteration.turn
    step = iteration.step if scope == "round" else iteration.request.step
    return {"run": (run,), "turn": (run, turn), "round": (run, turn, step)}[level]


def write_index(level: Level, scope: Scope, turn: str) -> str:
    """Return the index of a value that is read in such a scope."""
    if level == "run":
        return ""
    if scope == "request":
        return "[@T]" if level == "turn" else "[@T.I]"
    return f"[@{turn}]" if level == "turn" else f"[@{turn}.i]"


def find_same_values(values: Iterable[Value]) -> dict[Value, Value]:
    """Return for each value the one to use: the first that is the same wherever both are known, with what both have."""
    chosen: dict[Value, Value] = {}
    for value in values:
        same = next((each for each in dict.fromkeys(chosen.values()) if _is_same_value(each, value)), None)
        chosen[value] = same or value
        if same is not None:
            same.known.update(value.known)
            same.samples += value.samples
            same.is_answer &= value.is_answer
    return chosen


def _is_same_value(one: Value, two: Value) -> bool:
    shared = one.known.keys() & two.known.keys()
    is_same = one.level == two.level and all(one.known[key] == two.known[key] for key in shared)
    return is_same and len({repr(one.known[key]) for key in shared}) >= _LEAST_SHARED
