"""`Evidence`: the evidence of requests about the lines of a spec, and the wrong line if a request does not agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import compress, groupby
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.evaluation.values import shorten_text
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import Arm, ForEach, FragUse, Node, RoleMessage, walk
from acdl_mkdocs.prompts.prompt import Thinking
from acdl_mkdocs.runs.match.contradictions import Constancy, Contradiction, Replies
from acdl_mkdocs.runs.match.coverage import Kind
from acdl_mkdocs.runs.match.match import ROLE_PHRASES, Match, MatchStep
from acdl_mkdocs.runs.match.pattern import BranchPassing, EnclosingBranch, ExpectedMessage
from acdl_mkdocs.runs.match.units import Unit, list_units, normalize_text
from acdl_mkdocs.runs.read.recorded import Recorded


@dataclass(frozen=True, slots=True)
class Blame:
    """A line that is wrong, and the message that shows it."""

    origin: Origin
    """In the spec."""
    reason: str
    unit: Unit | None
    """In the request; `None` if it ends before."""


def find_blame(match: Match, title: Origin) -> list[Blame]:
    """Return the lines that are wrong, in the order of the request; the title if no other line is."""
    return _BlameFinder(match.steps, title).find_blame()


class _BlameFinder:
    """One request that does not agree."""

    def __init__(self, steps: Sequence[MatchStep | BranchPassing], title: Origin) -> None:
        self.steps = steps
        self.title = title
        self.moved: set[int] = set()
        """Steps of messages that are reported as moved."""
        self.whole: dict[tuple[EnclosingBranch, ...], bool] = {}
        """Whether all messages of a round or an alternative are missing."""
        for step in steps:
            if isinstance(step, MatchStep) and step.item is not None:
                for size in range(1, len(step.item.around) + 1):
                    key = step.item.around[:size]
                    self.whole[key] = self.whole.get(key, True) and step.kind == "missing"

    def find_blame(self) -> list[Blame]:
        """Blame a line for each message or group of messages that does not agree."""
        blames = self._blame_moved()
        numbered = list(enumerate(self.steps))
        steps = [(idx, step) for idx, step in numbered if isinstance(step, MatchStep) and id(step) not in self.moved]
        for kind, group in groupby(steps, key=lambda each: each[1].kind):
            members = list(group)
            if kind == "missing":
                blames += [self._blame_missing(idx, step) for idx, step in members]
            elif kind == "extra":
                blames.append(
                    self._blame_extra(members[0][0], members[-1][0], [step.unit for _, step in members if step.unit])
                )
            elif kind == "system":
                blames += [Blame(self.title, step.reason, step.unit) for _, step in members]
            elif kind != "agrees":
                blames += [_blame_message(step) for _, step in members]
        return blames

    def _blame_moved(self) -> list[Blame]:
        """Blame the lines of instructions that the request has at another position than the spec."""
        blames: list[Blame] = []
        extra = [step for step in self.steps if isinstance(step, MatchStep) and step.kind == "extra"]
        for step in self.steps:
            item = _find_item(step)
            if not isinstance(step, MatchStep) or step.kind != "missing" or item is None or item.role != "system":
                continue
            moved = next((each for each in extra if each.unit is not None and each.unit.role == item.role), None)
            if moved is not None and moved.unit is not None:
                extra.remove(moved)
                self.moved.update((id(step), id(moved)))
                reason = f"{step.reason.partition(',')[0]}, and the request has it in another position"
                blames.append(Blame(item.origin, reason, moved.unit))
        return blames

    # --------------------------------------------------------------------------------------------------------- missing

    def _blame_missing(self, idx: int, step: MatchStep) -> Blame:
        """Blame a line whose message the request does not have."""
        item, after = step.item, self._find_unit_after(idx)
        assert item is not None  # noqa: S101  # a message of the spec is missing
        for size in range(1, len(item.around) + 1):
            outer = item.around[size - 1]
            if self.whole[item.around[:size]]:
                return Blame(outer.origin, _blame_block(outer, step), after)
        passed = self._find_end_before(idx)
        if passed is not None and after is None:
            return Blame(passed.origin, "the prompt continues after this end, and the request stops there", None)
        return Blame(item.origin, step.reason, after)

    def _find_unit_after(self, idx: int) -> Unit | None:
        later = (step for step in self.steps[idx:] if isinstance(step, MatchStep) and step.unit is not None)
        return next((step.unit for step in later), None)

    def _find_end_before(self, idx: int) -> BranchPassing | None:
        """Return the end of the prompt right before a missing message, which was not taken."""
        for step in reversed(self.steps[:idx]):
            if isinstance(step, MatchStep):
                if step.kind != "missing":
                    return None
            elif step.kind == "go-on":
                return step
        return None

    # ----------------------------------------------------------------------------------------------------------- extra

    def _blame_extra(self, first: int, last: int, units: Sequence[Unit]) -> Blame:
        """Blame a line for messages that the spec does not send."""
        before, after, gap = self._find_gap(first, last)
        unit, roles = units[0], [each.role for each in units]
        end = next((each for each in gap if each.kind == "end"), None)
        if end is not None:
            return Blame(end.origin, "the prompt ends here, and the request continues", unit)
        for loop in (
            self._find_longer_loop(before, roles),
            self._find_longer_loop(after, roles),
            self._find_rotated_loop(first, roles),
        ):
            if loop is not None:
                return Blame(loop.origin, "the request has more rounds than this loop makes", unit)
        for each in gap:
            is_left_out = (each.kind == "skip" and not each.is_free) or (each.kind == "loop" and each.count == 0)
            if is_left_out and _can_send(each.node, roles):
                what = "alternative is not taken" if each.kind == "skip" else "loop makes no round"
                return Blame(each.origin, f"this {what}, and the request has {_count_units(units)} here", unit)
        neighbour = before or after
        if neighbour is None:
            return Blame(self.title, f"the request has {_count_units(units)} that the spec does not send", unit)
        where = "after" if before is not None else "before"
        return Blame(
            neighbour.origin,
            f"{where} this message the request has {_count_units(units)} that the spec does not send",
            unit,
        )

    def _find_gap(
        self, first: int, last: int
    ) -> tuple[ExpectedMessage | None, ExpectedMessage | None, list[BranchPassing]]:
        """Return the messages of the spec around additional ones, and the loops and branches between them."""
        begin, end = first, last
        while begin > 0 and not _find_item(self.steps[begin - 1]):
            begin -= 1
        while end + 1 < len(self.steps) and not _find_item(self.steps[end + 1]):
            end += 1
        before = _find_item(self.steps[begin - 1]) if begin else None
        after = _find_item(self.steps[end + 1]) if end + 1 < len(self.steps) else None
        return before, after, [step for step in self.steps[begin : end + 1] if isinstance(step, BranchPassing)]

    def _find_longer_loop(self, item: ExpectedMessage | None, roles: Sequence[str]) -> EnclosingBranch | None:
        """Return the loop whose further rounds the additional messages are."""
        for size in range(len(item.around) if item is not None else 0, 0, -1):
            key = item.around[:size] if item is not None else ()
            if not isinstance(key[-1].node, ForEach):
                continue
            if _is_repeated(self._list_round_roles(key), list(roles), []):
                return key[-1]
        return None

    def _find_rotated_loop(self, first: int, roles: Sequence[str]) -> EnclosingBranch | None:
        """Return the loop whose further rounds the additional messages are, if the next look like its beginning."""
        between: list[str] = []
        for step in reversed(self.steps[:first]):
            item = _find_item(step)
            loops = [each for each in item.around if isinstance(each.node, ForEach)] if item is not None else []
            if item is not None and loops:
                key = item.around[: item.around.index(loops[0]) + 1]
                return loops[0] if _is_repeated(self._list_round_roles(key), list(roles), between) else None
            if item is not None:
                between.insert(0, item.role)
        return None

    def _list_round_roles(self, key: tuple[EnclosingBranch, ...]) -> list[str]:
        """Return the roles of the messages in a round."""
        items = (_find_item(step) for step in self.steps)
        return [item.role for item in items if item is not None and item.around[: len(key)] == key]


def _is_repeated(of_round: list[str], roles: list[str], between: list[str]) -> bool:
    """Return whether roles repeat whole rounds, perhaps after some messages that begin a round too."""
    times, rest = divmod(len(roles), len(of_round)) if of_round else (0, 1)
    return rest == 0 and between + roles == of_round * times + between


def _can_send(node: Node, roles: Sequence[str]) -> bool:
    """Return whether a construct may send messages of these roles; for a fragment, that is not known."""
    inside = list(walk(node))
    if any(isinstance(each, FragUse) for each in inside):
        return True
    return {*roles} <= {each.role for each in inside if isinstance(each, RoleMessage)}


def _find_item(step: MatchStep | BranchPassing) -> ExpectedMessage | None:
    return step.item if isinstance(step, MatchStep) else None


def _blame_message(step: MatchStep) -> Blame:
    """Blame the line of a message that differs from the spec."""
    assert step.item is not None  # noqa: S101  # it is paired with one of the spec
    piece = step.misfit.piece if step.misfit is not None else None
    return Blame(step.item.origin if piece is None else piece.origin, step.reason, step.unit)


def _blame_block(outer: EnclosingBranch, step: MatchStep) -> str:
    if isinstance(outer.node, Arm):
        return f"this alternative is taken, and nothing of it is in the request: {step.reason}"
    return f"the loop makes round {outer.number}, and nothing of it is in the request"


def _count_units(units: Sequence[Unit]) -> str:
    return ROLE_PHRASES[units[0].role] if len(units) == 1 else f"{len(units)} messages"


Verdict: TypeAlias = Literal["confirmed", "refuted", "unexercised", "uncontrollable"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A request that contradicts a line of the spec."""

    origin: Origin
    """In the spec."""
    reason: str
    """The disagreement, in words."""
    call: int
    """Index of the request among all."""
    recorded: Recorded
    """The request as recorded, without keys and passwords."""
    unit: Unit | None
    """The message of the request; `None` where the request ends before."""

    @property
    def path(self) -> str:
        """Position in the request: `messages[3]`."""
        return "messages" if self.unit is None else self.unit.path


@dataclass(frozen=True, slots=True)
class LineVerdict:
    """The verdict about a line."""

    kind: Kind
    """What begins on the line: `message`, `content`, `loop`, `alternative` or `end`."""
    origin: Origin
    """The line, in the spec or in the file of a fragment."""
    verdict: Verdict
    """`confirmed`, `refuted`, `unexercised` (no request reaches it) or `uncontrollable` (requests alone cannot decide
    it)."""
    reason: str
    """Why, in words; empty for a confirmed line."""
    n_confirmed: int = 0
    """How many requests confirm it where it is required."""
    n_free: int = 0
    """How many requests may confirm it where it is optional."""
    n_refuted: int = 0
    """How many requests refute it."""
    counterexample: Counterexample | None = None
    """The first request that refutes it; `None` if none does."""

    @property
    def line(self) -> int:
        """Line of the file, from 1."""
        return self.origin.line


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """One recorded request."""

    number: int
    """Index among all requests."""
    run: int
    """Number of the run, from 0."""
    recorded: Recorded
    """The request as recorded, without keys and passwords."""
    match: Match | None
    """Which messages of the request belong to which lines; `None` if it could not be checked."""
    problem: str = ""
    """Why it could not be checked; empty if it was."""

    def without_steps(self) -> "CheckedCall":
        """Return the request without the steps of its match."""
        if self.match is None or not self.match.is_agreeing:
            return self
        return replace(self, match=replace(self.match, steps=()))

    @property
    def is_disagreeing(self) -> bool:
        """Whether it shows by itself that the spec differs from the recorded messages."""
        return self.match is not None and not self.match.is_agreeing


_Place: TypeAlias = tuple[str, int]
"""A file and a line of it."""


_TAKEN = ("arm", "round", "end", "go-on")
"""Kinds of paths that show that a request reached a line."""
_MOST_LINES = 50_000
"""Limit of messages of a spec whose lines are cached for further requests."""


@dataclass(frozen=True, slots=True)
class _MessageLines:
    """The lines that a message of a spec comes from."""

    known: tuple[_Place, ...]
    """Lines of the message, and of its pieces with known content."""
    unknown: tuple[_Place, ...]
    """Lines of other pieces."""
    requests: set[int] | None
    """The indices of the requests that have it, in `Evidence.pieces`; `None` where a piece has no name."""


@dataclass(slots=True)
class Evidence:
    """The evidence about lines, collected request by request."""

    title: Origin
    requests: list[CheckedCall] = field(default_factory=list)
    confirmed: dict[_Place, set[int]] = field(default_factory=dict)
    """The indices of the requests that confirm a line."""
    free: dict[_Place, set[int]] = field(default_factory=dict)
    """The indices of the requests in which a line may be confirmed."""
    elsewhere: set[_Place] = field(default_factory=set)
    """Lines that agree with requests that disagree elsewhere."""
    refuted: dict[_Place, Counterexample] = field(default_factory=dict)
    """The first counterexample of each line that has one."""
    refuting: dict[_Place, set[int]] = field(default_factory=dict)
    """The indices of all requests that are counterexamples."""
    constancy: Constancy = field(default_factory=Constancy)
    replies: Replies = field(default_factory=Replies)
    pieces: dict[tuple[int, tuple[str, ...], tuple[_Place, ...]], set[int]] = field(default_factory=dict)
    """Messages whose pieces all have names: the run, the names, the lines, and the indices of the requests."""
    lines: dict[tuple[int, ExpectedMessage], "_MessageLines"] = field(default_factory=dict)
    """By run and message of the spec; for those of the last requests."""

    def add_request(self, request: CheckedCall) -> None:
        """Add one request."""
        self.requests.append(request.without_steps())
        self.replies.add_reply(request.run, request.recorded)
        if request.match is None:
            return
        if not request.match.is_agreeing:
            for blame in find_blame(request.match, self.title):
                self._add_refutation(
                    Counterexample(blame.origin, blame.reason, request.number, request.recorded, blame.unit)
                )
            items = [step.item for step in request.match.steps if isinstance(step, MatchStep) and step.kind == "agrees"]
            self.elsewhere.update(_get_position(item.origin) for item in items if item is not None)
            return
        steps = [step for step in request.match.steps if isinstance(step, MatchStep)]
        self.constancy.add_request(request.number, request.run, steps)
        for origin, reason, unit in self.replies.find_changed(request.run, steps):
            self._add_refutation(Counterexample(origin, reason, request.number, request.recorded, unit))
        self._add_agreement(request, steps)
        passed = (step for step in request.match.steps if isinstance(step, BranchPassing) and step.kind in _TAKEN)
        ways = {(each.node, each.is_free): each for each in passed}
        for passing in ways.values():
            self._count_lines([_get_position(passing.origin)], request, is_confirmed=not passing.is_free)

    def _add_refutation(self, example: Counterexample) -> None:
        position = _get_position(example.origin)
        self.refuted.setdefault(position, example)
        self.refuting.setdefault(position, set()).add(example.call)

    def _add_agreement(self, request: CheckedCall, steps: Sequence[MatchStep]) -> None:
        """Confirm the lines of messages that agree: each line once, however many messages it has sent."""
        confirmed, free = set[_Place](), set[_Place]()
        for step in steps:
            item = step.item
            if item is None:
                continue
            lines = self._find_message_lines(request.run, item)
            if not step.is_forced or item.is_free:
                free.update(lines.known, lines.unknown)
                continue
            confirmed.update(lines.known)
            free.update(lines.unknown)
            if lines.requests is not None and step.unit is not None and not _is_narrow(step.unit, item):
                lines.requests.add(request.number)
        self._count_lines(confirmed, request, is_confirmed=True)
        self._count_lines(free, request, is_confirmed=False)

    def _count_lines(self, places: Iterable[_Place], request: CheckedCall, *, is_confirmed: bool) -> None:
        counts = self.confirmed if is_confirmed else self.free
        for position in places:
            counts.setdefault(position, set()).add(request.number)

    def _find_message_lines(self, run: int, item: ExpectedMessage) -> "_MessageLines":
        """Return the lines of a message of the spec; computed once for all requests of a run that have it."""
        lines = self.lines.get((run, item))
        if lines is None:
            if len(self.lines) >= _MOST_LINES:
                self.lines.clear()
            lines = self.lines[run, item] = self._look_up_lines(run, item)
        return lines

    def _look_up_lines(self, run: int, item: ExpectedMessage) -> "_MessageLines":
        places = tuple(_get_position(piece.origin) for piece in item.pieces)
        are_known = [piece.text is not None or bool(piece.parts) for piece in item.pieces]
        keys = tuple(piece.key for piece in item.pieces if piece.key is not None)
        return _MessageLines(
            (_get_position(item.origin), *compress(places, are_known)),
            tuple(position for position, is_known in zip(places, are_known, strict=True) if not is_known),
            self.pieces.setdefault((run, keys, places), set()) if len(keys) == len(places) else None,
        )

    def compare_contents(self) -> None:
        """Compare content of the same name; content that was equal in several requests is confirmed."""
        wrong = next((request for request in self.requests if request.is_disagreeing), None)
        if wrong is not None and not self.refuted:
            reason = "too much differs to say which line is wrong"
            first = next(iter(list_units(wrong.recorded.request)), None)
            self._add_refutation(Counterexample(self.title, reason, wrong.number, wrong.recorded, first))
        for each in self.constancy.find_contradictions():
            self._add_contradiction(each)
        for (run, keys, lines), requests in self.pieces.items():
            if self.constancy.is_seen_again(run, keys):
                for line in lines:
                    self.confirmed.setdefault(line, set()).update(requests)

    def _add_contradiction(self, contradiction: Contradiction) -> None:
        """Refute a line whose content is not the same everywhere."""
        other = contradiction.other
        where = self.requests[other.request_idx].recorded
        says, here = _describe_difference(other.unit, contradiction.expected.unit)
        named = (
            f"`{contradiction.name}`"
            if contradiction.call_key is None
            else f"`{contradiction.name}` for the call `{contradiction.call_key}`"
        )
        reason = f"{named} {says} in {where.origin}, {other.unit.path}, and {here} here"
        request = self.requests[contradiction.expected.request_idx]
        self._add_refutation(
            Counterexample(
                contradiction.expected.item.origin,
                reason,
                request.number,
                request.recorded,
                contradiction.expected.unit,
            )
        )

    def find_verdict(self, kind: Kind, origin: Origin) -> LineVerdict:
        """Return the verdict about a line."""
        position = _get_position(origin)
        n_confirmed, n_free = len(self.confirmed.get(position, ())), len(self.free.get(position, ()))
        example = self.refuted.get(position)
        if example is not None:
            n_refuted = len(self.refuting[position])
            return LineVerdict(kind, origin, "refuted", example.reason, n_confirmed, n_free, n_refuted, example)
        if n_confirmed:
            return LineVerdict(kind, origin, "confirmed", "", n_confirmed, n_free)
        if n_free:
            return LineVerdict(kind, origin, "uncontrollable", _UNDECIDED[kind], 0, n_free)
        is_elsewhere = position in self.elsewhere
        reason = "reached only by requests that disagree with other lines" if is_elsewhere else "no request reaches it"
        return LineVerdict(kind, origin, "unexercised", reason)


_UNDECIDED: Mapping[Kind, str] = {
    "message": "the recording does not determine whether it has to be sent; a state would",
    "content": "the recording does not determine its content; a state would",
    "loop": "the recording does not determine its number of rounds; a state would",
    "alternative": "the recording does not determine whether it is taken; a state would",
    "end": "the recording does not determine whether the prompt ends here; a state would",
}


def _is_narrow(unit: Unit, item: ExpectedMessage) -> bool:
    """Return whether a message has no text, and fewer kinds of parts than pieces: one of them may be missing."""
    return not unit.normalized_text and len({type(part) for part in unit.parts}) < len(item.pieces)


def _describe_difference(one: Unit, other: Unit) -> tuple[str, str]:
    """Return different excerpts of two messages."""
    if one.normalized_text != other.normalized_text:
        return f"is `{shorten_text(one.normalized_text)}`" if one.normalized_text else "has no text", "something else"
    thoughts = [
        " ".join(normalize_text(each.text) for each in unit.parts if isinstance(each, Thinking))
        for unit in (one, other)
    ]
    if thoughts[0] != thoughts[1]:
        first, second = (f"the thought `{shorten_text(each)}`" if each else "no thought" for each in thoughts)
        return f"has {first}", second
    if one.calls != other.calls:
        return f"calls {_describe_unit(one)}", _describe_unit(other)
    return "has one attachment", "another"


def _describe_unit(unit: Unit) -> str:
    return " and ".join(f"`{call.tool}`" for call in unit.calls) or "nothing"


def _get_position(origin: Origin) -> _Place:
    return (origin.source.name, origin.line)
