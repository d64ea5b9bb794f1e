"""`Evidence`: what requests say about the lines of a spec, collected request by request until a verdict is asked for.

Knows nothing of how requests are matched, and nothing of points.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import compress
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.evaluation.values import shortened
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Thinking
from acdl_mkdocs.traces.blame import blamed
from acdl_mkdocs.traces.constancy import Constancy, Contradiction
from acdl_mkdocs.traces.lines import Kind
from acdl_mkdocs.traces.match import Match, Step
from acdl_mkdocs.traces.pattern import Item, Passing
from acdl_mkdocs.traces.recorded import Recorded
from acdl_mkdocs.traces.repeated import Replies
from acdl_mkdocs.traces.units import Unit, squeezed, units_of

Verdict: TypeAlias = Literal["confirmed", "refuted", "unexercised", "uncontrollable"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Where a request is not what a line of the spec says."""

    origin: Origin
    """In the spec."""
    reason: str
    call: int
    """Number of the call among all, from 0."""
    recorded: Recorded
    unit: Unit | None
    """The message of the request; `None` where the request ends before."""

    @property
    def path(self) -> str:
        """Where it is in the request: `messages[3]`."""
        return "messages" if self.unit is None else self.unit.path


@dataclass(frozen=True, slots=True)
class LineVerdict:
    """What is known about a line."""

    kind: Kind
    origin: Origin
    verdict: Verdict
    reason: str
    n_confirmed: int = 0
    """How many requests show that it is so, where it is decided that it has to be."""
    n_free: int = 0
    """In how many requests it may be so, where nothing decides it."""
    n_refuted: int = 0
    """How many requests show that it is not so."""
    counterexample: Counterexample | None = None

    @property
    def line(self) -> int:
        """Of the file, from 1."""
        return self.origin.line


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """One recorded request."""

    number: int
    """Among all calls, from 0."""
    run: int
    """Number of the run, from 0."""
    recorded: Recorded
    match: Match | None
    """`None` where it could not be checked."""
    problem: str = ""
    """Why it could not be checked."""

    def without_steps(self) -> "CheckedCall":
        """The same, without how it agrees."""
        if self.match is None or not self.match.is_agreeing:
            return self
        return replace(self, match=replace(self.match, steps=()))

    @property
    def is_disagreeing(self) -> bool:
        """Whether it shows by itself that the spec is not what is sent."""
        return self.match is not None and not self.match.is_agreeing


_Place: TypeAlias = tuple[str, int]
"""A file and a line of it."""


_TAKEN = ("arm", "round", "end", "go-on")
"""Kinds of ways that show that a request came to a line."""
_MOST_LINES = 50_000
"""Messages of a spec whose lines are kept for further requests."""


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines that a message of a spec comes from."""

    known: tuple[_Place, ...]
    """Its own, and those of pieces of which it is known what they say."""
    unknown: tuple[_Place, ...]
    """Those of other pieces."""
    calls: set[int] | None
    """The numbers of the calls that have it, in `Evidence.pieces`; `None` where a piece has no name."""


@dataclass(slots=True)
class Evidence:
    """What is found out about lines, request by request."""

    title: Origin
    calls: list[CheckedCall] = field(default_factory=list)
    confirmed: dict[_Place, set[int]] = field(default_factory=dict)
    """The numbers of the calls that show a line to be so."""
    free: dict[_Place, set[int]] = field(default_factory=dict)
    """Those in which it may be so."""
    elsewhere: set[_Place] = field(default_factory=set)
    """Lines that agree with requests which do not agree elsewhere."""
    refuted: dict[_Place, Counterexample] = field(default_factory=dict)
    """The first counterexample of each line that has one."""
    refuting: dict[_Place, set[int]] = field(default_factory=dict)
    """The numbers of all calls that are counterexamples."""
    constancy: Constancy = field(default_factory=Constancy)
    replies: Replies = field(default_factory=Replies)
    pieces: dict[tuple[int, tuple[str, ...], tuple[_Place, ...]], set[int]] = field(default_factory=dict)
    """Messages whose pieces all have names: the run, the names, the lines, and the numbers of the calls."""
    lines: dict[tuple[int, Item], "_Lines"] = field(default_factory=dict)
    """By run and message of the spec; for those of the last requests."""

    def add(self, call: CheckedCall) -> None:
        """One more request."""
        self.calls.append(call.without_steps())
        self.replies.add(call.run, call.recorded)
        if call.match is None:
            return
        if not call.match.is_agreeing:
            for blame in blamed(call.match, self.title):
                self._refute(Counterexample(blame.origin, blame.reason, call.number, call.recorded, blame.unit))
            items = [step.item for step in call.match.steps if isinstance(step, Step) and step.kind == "agrees"]
            self.elsewhere.update(_place(item.origin) for item in items if item is not None)
            return
        steps = [step for step in call.match.steps if isinstance(step, Step)]
        self.constancy.add(call.number, call.run, steps)
        for origin, reason, unit in self.replies.changed(call.run, steps):
            self._refute(Counterexample(origin, reason, call.number, call.recorded, unit))
        self._agree(call, steps)
        passed = (step for step in call.match.steps if isinstance(step, Passing) and step.kind in _TAKEN)
        ways = {(each.node, each.is_free): each for each in passed}
        for passing in ways.values():
            self._count([_place(passing.origin)], call, is_confirmed=not passing.is_free)

    def _refute(self, example: Counterexample) -> None:
        place = _place(example.origin)
        self.refuted.setdefault(place, example)
        self.refuting.setdefault(place, set()).add(example.call)

    def _agree(self, call: CheckedCall, steps: Sequence[Step]) -> None:
        """Messages are what the spec says: each line is counted once, however many messages it has sent."""
        confirmed, free = set[_Place](), set[_Place]()
        for step in steps:
            item = step.item
            if item is None:
                continue
            lines = self._lines_of(call.run, item)
            if not step.is_forced or item.is_free:
                free.update(lines.known, lines.unknown)
                continue
            confirmed.update(lines.known)
            free.update(lines.unknown)
            if lines.calls is not None and step.unit is not None and not _is_narrow(step.unit, item):
                lines.calls.add(call.number)
        self._count(confirmed, call, is_confirmed=True)
        self._count(free, call, is_confirmed=False)

    def _count(self, places: Iterable[_Place], call: CheckedCall, *, is_confirmed: bool) -> None:
        counts = self.confirmed if is_confirmed else self.free
        for place in places:
            counts.setdefault(place, set()).add(call.number)

    def _lines_of(self, run: int, item: Item) -> "_Lines":
        """The lines of a message of the spec; worked out once for all requests of a run that have it."""
        found = self.lines.get((run, item))
        if found is None:
            if len(self.lines) >= _MOST_LINES:
                self.lines.clear()
            found = self.lines[run, item] = self._looked_up(run, item)
        return found

    def _looked_up(self, run: int, item: Item) -> "_Lines":
        places = tuple(_place(said.origin) for said in item.said)
        are_known = [said.text is not None or bool(said.parts) for said in item.said]
        keys = tuple(said.key for said in item.said if said.key is not None)
        return _Lines(
            (_place(item.origin), *compress(places, are_known)),
            tuple(place for place, is_known in zip(places, are_known, strict=True) if not is_known),
            self.pieces.setdefault((run, keys, places), set()) if len(keys) == len(places) else None,
        )

    def compare(self) -> None:
        """What has one name is the same everywhere; what was the same in several calls is confirmed."""
        wrong = next((call for call in self.calls if call.is_disagreeing), None)
        if wrong is not None and not self.refuted:
            reason = "too much differs to say which line is wrong"
            first = next(iter(units_of(wrong.recorded.request)), None)
            self._refute(Counterexample(self.title, reason, wrong.number, wrong.recorded, first))
        for each in self.constancy.contradictions():
            self._contradict(each)
        for (run, keys, lines), calls in self.pieces.items():
            if self.constancy.is_seen_again(run, keys):
                for line in lines:
                    self.confirmed.setdefault(line, set()).update(calls)

    def _contradict(self, found: Contradiction) -> None:
        """Content is not the same everywhere."""
        other = found.other
        where = self.calls[other.call].recorded
        says, here = _difference(other.unit, found.seen.unit)
        named = f"`{found.name}`" if found.asked is None else f"`{found.name}` for the call `{found.asked}`"
        reason = f"{named} {says} in {where.origin}, {other.unit.path}, and {here} here"
        call = self.calls[found.seen.call]
        self._refute(Counterexample(found.seen.item.origin, reason, call.number, call.recorded, found.seen.unit))

    def verdict(self, kind: Kind, origin: Origin) -> LineVerdict:
        """What is known about a line."""
        place = _place(origin)
        n_confirmed, n_free = len(self.confirmed.get(place, ())), len(self.free.get(place, ()))
        example = self.refuted.get(place)
        if example is not None:
            n_refuted = len(self.refuting[place])
            return LineVerdict(kind, origin, "refuted", example.reason, n_confirmed, n_free, n_refuted, example)
        if n_confirmed:
            return LineVerdict(kind, origin, "confirmed", "", n_confirmed, n_free)
        if n_free:
            return LineVerdict(kind, origin, "uncontrollable", _UNDECIDED[kind], 0, n_free)
        is_elsewhere = place in self.elsewhere
        reason = "only in requests that do not agree with other lines" if is_elsewhere else "no request comes here"
        return LineVerdict(kind, origin, "unexercised", reason)


_UNDECIDED: Mapping[Kind, str] = {
    "message": "nothing recorded decides whether it has to be sent; a state would",
    "content": "nothing recorded says what it is; a state would",
    "loop": "nothing recorded decides how many rounds it makes; a state would",
    "alternative": "nothing recorded decides whether it is the one; a state would",
    "end": "nothing recorded decides whether the prompt ends here; a state would",
}


def _is_narrow(unit: Unit, item: Item) -> bool:
    """Whether a message has no text, and less than one kind of part for each piece: one of them may not be there."""
    return not unit.squeezed and len({type(part) for part in unit.parts}) < len(item.said)


def _difference(one: Unit, other: Unit) -> tuple[str, str]:
    """What a message says, and what another one says instead."""
    if one.squeezed != other.squeezed:
        return f"is `{shortened(one.squeezed)}`" if one.squeezed else "has no text", "something else"
    thoughts = [
        " ".join(squeezed(each.text) for each in unit.parts if isinstance(each, Thinking)) for unit in (one, other)
    ]
    if thoughts[0] != thoughts[1]:
        first, second = (f"the thought `{shortened(each)}`" if each else "no thought" for each in thoughts)
        return f"has {first}", second
    if one.calls != other.calls:
        return f"calls {_called(one)}", _called(other)
    return "has one attachment", "another"


def _called(unit: Unit) -> str:
    return " and ".join(f"`{call.tool}`" for call in unit.calls) or "nothing"


def _place(origin: Origin) -> _Place:
    return (origin.source.name, origin.line)
