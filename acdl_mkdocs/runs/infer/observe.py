"""`observe_runs()`: the messages of recorded requests, each with the turn and the round in which it first appeared.

Requests of one run overlap almost wholly: a message that was in the request before is the same event. A new message
belongs to the turn that is current, or, where a request repeats several turns at once, to the turn of its question.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from difflib import SequenceMatcher
from itertools import groupby

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Call, Opaque, Output, Part, Role, Text
from acdl_mkdocs.runs.episodes import GrowingUnits
from acdl_mkdocs.runs.match.units import Unit, normalize_text, summarize_answer
from acdl_mkdocs.runs.read.recorded import Recorded, list_call_keys

_LEAST_ALIKE = 8
"""Characters of a text that is no accident, where another one has it in it."""


@dataclass(slots=True, eq=False)
class Event:
    """A message, which several requests of a run may have."""

    run: int
    role: Role
    parts: tuple[Part, ...]
    turn: int
    step: int
    """Number of its round of calls in the turn, from 1; 0 outside of rounds."""
    slot: Hashable = None
    """What it is to the program: messages of one slot are written by the same line of the spec."""

    @property
    def text(self) -> str | None:
        """Its text; `None` if it has other parts, too."""
        texts = [part.text for part in self.parts if isinstance(part, Text)]
        return "\n".join(texts) if len(texts) == len(self.parts) else None

    @property
    def result_texts(self) -> tuple[str, ...] | None:
        """The texts of its results; `None` if it is something else."""
        outputs = [part for part in self.parts if isinstance(part, Output)]
        if len(outputs) != len(self.parts) or any(
            not isinstance(each, Text) for part in outputs for each in part.parts
        ):
            return None
        return tuple("\n".join(each.text for each in part.parts if isinstance(each, Text)) for part in outputs)

    @property
    def has_calls(self) -> bool:
        """Whether it calls tools."""
        return _has_calls(self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A request of a run at its point."""

    run: int
    turn: int
    step: int
    events: tuple[Event, ...]
    recorded: Recorded


@dataclass(slots=True)
class _Run:
    """The events of one run, request by request."""

    number: int
    keys: list[Hashable] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    """Of the last request."""
    by_call: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Turn and round of each call, by its id."""
    last_turn: int = 0

    def observe(self, recorded: Recorded, units: Sequence[Unit]) -> Request:
        """Return the next request with its events."""
        turn = recorded.at.get_part(0) if recorded.at is not None else 1
        step = recorded.at.get_part(1) if recorded.at is not None else 0
        merged = list(_merge_results(units))
        keys = [_get_key(role, parts) for role, parts in merged]
        events: list[Event | None] = [None] * len(merged)
        blocks = list(_match_blocks(self.keys, keys))
        for at_old, at_new, size in blocks:
            events[at_new : at_new + size] = self.events[at_old : at_old + size]
        changed = self._find_changed(merged, blocks)
        dates = self._date_messages(merged, events, changed, turn, step)
        complete = [
            event or Event(self.number, role, parts, *date)
            for event, (role, parts), date in zip(events, merged, dates, strict=True)
        ]
        for event in complete:
            self.by_call.update(dict.fromkeys(_list_call_ids(event.parts), (event.turn, event.step)))
        self.keys, self.events, self.last_turn = keys, complete, turn
        return Request(self.number, turn, step, tuple(complete), recorded)

    def _find_changed(
        self, merged: Sequence[tuple[Role, tuple[Part, ...]]], blocks: Sequence[tuple[int, int, int]]
    ) -> dict[int, Event]:
        """Return the events of the last request that messages take the place of, by the positions of the messages."""
        changed: dict[int, Event] = {}
        old_end = new_end = 0
        for at_old, at_new, size in [*blocks, (len(self.keys), len(merged), 0)]:
            left = self.events[old_end:at_old]
            is_inside = at_new < len(merged)
            for at in range(new_end, at_new):
                role, parts = merged[at]
                alike = [each for each in left if each.role == role and each.has_calls == _has_calls(parts)]
                if not is_inside:  # what is new at the end may look like what was there
                    alike = alike[:1] if alike and self.events.index(alike[0]) - old_end == at - new_end else []
                is_round = is_inside and (role == "tool" or _has_calls(parts))
                if alike and (is_round or _is_alike(alike[0].parts, parts)):
                    changed[at] = alike[0]
                    left = left[left.index(alike[0]) + 1 :]
            old_end, new_end = at_old + size, at_new + size
        return changed

    def _date_messages(
        self,
        merged: Sequence[tuple[Role, tuple[Part, ...]]],
        events: Sequence[Event | None],
        changed: Mapping[int, Event],
        turn: int,
        step: int,
    ) -> list[tuple[int, int]]:
        """Return turn and round of each message."""
        starts = _find_starts(merged)
        n_new = sum(events[start] is None and start not in changed for start in starts)
        is_counted = n_new == turn - self.last_turn or not self.events
        groups = [0] * len(merged)
        for number, start in enumerate(starts, 1):
            groups[start:] = [number] * (len(merged) - start)
        n_later = 0
        """New answers behind the message: each ended a round."""
        steps: list[int] = [0] * len(merged)
        for at in range(len(merged) - 1, -1, -1):
            steps[at] = max(step - n_later, 0)
            is_first = not at or merged[at - 1][0] != "assistant" or events[at - 1] is not None
            n_later += events[at] is None and at not in changed and merged[at][0] == "assistant" and is_first
        dates: list[tuple[int, int]] = []
        rounds: dict[int, int] = {}
        for at, (role, parts) in enumerate(merged):
            mine = max(turn - (len(starts) - groups[at]), 1) if is_counted else turn
            event = events[at] or changed.get(at)
            known = next((self.by_call[call] for call in _list_call_ids(parts) if call in self.by_call), None)
            if event is not None:
                date = event.turn, event.step
            elif known is not None:
                date = known
            elif mine == turn:
                date = mine, steps[at]
            elif role == "assistant" and _has_calls(parts):
                date = mine, rounds.get(mine, 0) + 1
            elif role == "tool" and dates:
                date = dates[-1]
            else:
                date = mine, 0
            rounds[date[0]] = max(rounds.get(date[0], 0), date[1])
            dates.append(date)
        return dates


def _has_calls(parts: Iterable[Part]) -> bool:
    return any(isinstance(part, Call) for part in parts)


def _is_alike(one: Sequence[Part], two: Sequence[Part]) -> bool:
    """Return whether a text became longer or shorter."""
    texts = ["\n".join(part.text for part in parts if isinstance(part, Text)) for parts in (one, two)]
    shorter, longer = sorted(texts, key=len)
    return len(shorter) >= _LEAST_ALIKE and shorter in longer


def _find_starts(merged: Sequence[tuple[Role, tuple[Part, ...]]]) -> list[int]:
    """Return where turns begin: at the text of a user that does not follow the results of tools."""
    starts: list[int] = []
    before: Role | None = None
    for at, (role, _) in enumerate(merged):
        if role == "user" and before not in ("user", "tool"):
            starts.append(at)
        if role != "system":
            before = role
    return starts


def _merge_results(units: Iterable[Unit]) -> Iterator[tuple[Role, tuple[Part, ...]]]:
    """Yield role and parts of each message; neighbouring results are one."""
    for is_result, group in groupby(units, lambda unit: unit.role == "tool"):
        members = [(unit.role, tuple(part for part in unit.parts if not isinstance(part, Opaque))) for unit in group]
        if is_result:
            yield members[0][0], tuple(part for _, parts in members for part in parts)
        else:
            yield from members


def _get_key(role: Role, parts: tuple[Part, ...]) -> Hashable:
    return role, repr(parts)


def _list_call_ids(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        name = part.id if isinstance(part, Call) else part.call_id if isinstance(part, Output) else None
        if name:
            yield name


def _match_blocks(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int, int]]:
    """Yield the equal stretches of two lists: start in both, and length."""
    n_same = next((at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), None)
    if n_same is None:
        n_same = min(len(old), len(new))
    yield 0, 0, n_same
    if n_same < min(len(old), len(new)):
        matcher = SequenceMatcher(None, old[n_same:], new[n_same:], autojunk=False)
        yield from ((n_same + one, n_same + two, size) for one, two, size in matcher.get_matching_blocks())


def observe_runs(runs: Mapping[str, Sequence[Recorded]]) -> list[Request]:
    """Return all requests of runs with the events in them.

    Parameters:
        runs: The requests of each run in order; their points are known.
    """
    requests: list[Request] = []
    for number, recorded in enumerate(runs.values()):
        run, growing = _Run(number), GrowingUnits()
        requests += [run.observe(each, list(growing.list_units(each.request))) for each in recorded]
    return requests


def collect_answers(requests: Iterable[Request]) -> dict[tuple[int, int], dict[int, set[Hashable]]]:
    """Return what the model answered, as recorded: by run and turn, then by step."""
    answers: dict[tuple[int, int], dict[int, set[Hashable]]] = {}
    for request in requests:
        answer = summarize_answer(request.recorded)
        if answer is not None:
            steps = answers.setdefault((request.run, request.turn), {})
            calls = ((call.tool, call.args) for call in answer.call_keys)
            steps.setdefault(request.step, set()).update((answer.text, *calls))
    return answers


def list_answer_keys(parts: Iterable[Part]) -> Iterator[Hashable]:
    """Yield what identifies texts and calls, whatever their ids."""
    members = list(parts)
    yield from (normalize_text(part.text) for part in members if isinstance(part, Text))
    for call in list_call_keys(part for part in members if isinstance(part, Call)):
        yield call.tool, call.args
