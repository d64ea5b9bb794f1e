"""`build_program()`: messages of recorded requests as the lines of one program that sends all of them.

A request is a beginning, a loop over turns with a loop over rounds of calls in it, and an end. Lines are found by
putting the messages of all requests into one order; where a line sends something only sometimes, its condition is
found from where it does.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.runs.infer.conditions import Iteration, Scope
from acdl_mkdocs.runs.infer.observe import Event, Request, collect_answers
from acdl_mkdocs.runs.infer.slots import Piece, Slots
from acdl_mkdocs.runs.infer.spec_values import NoProgramError, TimeKey, Value, find_same_values, time_of

_Slotted: TypeAlias = tuple[Hashable, Event]
"""A message and its slot."""


MOST_FLAT = 12
"""Messages of a request that is made anew; a longer one without a loop is only a list of what was seen."""


@dataclass(slots=True, eq=False)
class PieceLine:
    """A line of a message."""

    piece: Piece
    iterations: list[Iteration]
    present: set[Iteration]
    value: Value | None = None
    """Of a constant `None`."""


@dataclass(slots=True, eq=False)
class MessageLine:
    """A message."""

    role: str
    slot: Hashable
    scope: Scope
    iterations: list[Iteration]
    present: set[Iteration]
    pieces: list[PieceLine] = field(default_factory=list)
    is_for_each_call: bool = False
    """Whether it is sent once for each call of its round."""


@dataclass(slots=True, eq=False)
class Loop:
    """A loop over turns or rounds."""

    variable: Literal["t", "i"]
    first: str
    last: str
    scope: Scope
    """Where it stands."""
    iterations: list[Iteration]
    present: set[Iteration]
    body: "list[Line]"
    starts: dict[TimeKey, int] | None = None
    """The first turn by time, where no expression says it."""


Line: TypeAlias = MessageLine | Loop


@dataclass(slots=True)
class Program:
    """The lines of a prompt, and what they read."""

    lines: list[Line]
    values: list[Value]
    steps: dict[tuple[int, int], int]
    """How many rounds each turn of each run has."""
    has_alternatives: bool = False
    """Whether neighbouring messages of one role never come together."""

    @property
    def has_rounds(self) -> bool:
        """Whether any turn has rounds."""
        return any(self.steps.values())


@dataclass(frozen=True, slots=True)
class Form:
    """What is tried when messages become a program."""

    is_merged: bool = True
    """Whether the loop over turns includes the current one."""
    has_own_values: bool = False
    """Whether messages of the current turn have names of their own, since the same turn is sent differently later."""
    is_joined: bool = False
    """Whether messages of one role that never come together are one message with a choice in it."""
    has_exchange: bool = False
    """Whether an answer may belong to the beginning, as a summary does that the program asks for in each request."""
    is_flat: bool = False
    """Whether nothing is a loop: each request is made anew."""


@dataclass(slots=True)
class _Builder:
    requests: Sequence[Request]
    slots: Slots
    form: Form
    values: dict[Hashable, Value] = field(default_factory=dict)
    steps: dict[tuple[int, int], int] = field(default_factory=dict)
    iterations: dict[tuple[int, int, int], Iteration] = field(default_factory=dict)
    """By the request, the turn and the round."""
    has_alternatives: bool = False

    def build(self) -> Program:
        for request in self.requests:
            for turn, step in ((request.turn, request.step), *((each.turn, each.step) for each in request.events)):
                key = request.run, turn
                self.steps[key] = max(self.steps.get(key, 0), step)
        leading, trailing = _find_leading_slots(self.requests), _find_trailing_slots(self.requests)
        iterations = [self._find_iteration(request, request.turn, 0) for request in self.requests]
        beginnings: dict[Iteration, list[_Slotted]] = {}
        turns: dict[Iteration, dict[int, list[tuple[int, Event]]]] = {}
        for iteration in iterations:
            if self.form.is_flat:
                if len(iteration.request.events) > MOST_FLAT:
                    raise NoProgramError
                beginnings[iteration], turns[iteration] = (
                    [(event.slot, event) for event in iteration.request.events],
                    {},
                )
            else:
                beginnings[iteration], turns[iteration] = _split_turns(
                    iteration.request, leading, trailing, has_exchange=self.form.has_exchange
                )
        lines: list[Line] = [*self._build_messages(iterations, beginnings, "request")]
        lines += self._build_turns(iterations, turns)
        answers = collect_answers(self.requests)
        for value in self.values.values():
            value.settle(answers)
        chosen = find_same_values(self.values.values())
        for message in list_messages(lines):
            for piece in message.pieces:
                piece.value = None if piece.value is None else chosen[piece.value]
        merged = list(dict.fromkeys(chosen.values()))
        return Program(lines, merged, self.steps, self.has_alternatives)

    def _find_iteration(self, request: Request, turn: int, step: int) -> Iteration:
        iteration = self.iterations.get((id(request), turn, step))
        if iteration is None:
            n_steps = request.step if turn == request.turn else self.steps.get((request.run, turn), 0)
            iteration = self.iterations[id(request), turn, step] = Iteration(request, turn, step, n_steps)
        return iteration

    # ---------------------------------------------------------------------------------------------------------- turns

    def _build_turns(
        self, iterations: list[Iteration], turns: "dict[Iteration, dict[int, list[tuple[int, Event]]]]"
    ) -> Iterator[Line]:
        """Yield the loop over turns, and what follows it."""
        first = {iteration: min((each for each in turns[iteration]), default=iteration.now) for iteration in iterations}
        if all(first[iteration] == iteration.now for iteration in iterations):  # nothing of earlier turns is sent
            current = {iteration: turns[iteration].get(iteration.now, []) for iteration in iterations}
            yield from self._build_body(current, "request")
            return
        low, starts = _explain_first(
            [
                (iteration.request.run, iteration.now, iteration.request.step, first[iteration])
                for iteration in iterations
            ]
        )
        bodies: dict[Iteration, list[tuple[int, Event]]] = {}
        for iteration in iterations:
            n_turns = iteration.now if self.form.is_merged else iteration.now - 1
            for turn in range(first[iteration], n_turns + 1):
                bodies[self._find_iteration(iteration.request, turn, 0)] = turns[iteration].get(turn, [])
        body = list(self._build_body(bodies, "turn"))
        ends: list[Line] = []
        while self.form.is_merged and body and isinstance(end := body[-1], MessageLine) and _is_current_only(end):
            ends.insert(0, self._hoist(end, iterations))
            body.pop()
        last = "@T" if self.form.is_merged else "@T-1"
        yield Loop("t", low, last, "request", iterations, set(iterations), body, starts)
        yield from ends
        if not self.form.is_merged:
            yield from self._build_body(
                {iteration: turns[iteration].get(iteration.now, []) for iteration in iterations}, "request"
            )

    def _hoist(self, line: MessageLine, iterations: list[Iteration]) -> MessageLine:
        """Return a line of the current turn as one behind the loop."""
        outer = {iteration.request: iteration for iteration in iterations}
        present = {outer[iteration.request] for iteration in line.present}
        hoisted = MessageLine(line.role, line.slot, "request", iterations, present)
        for piece in line.pieces:
            mine = PieceLine(
                piece.piece,
                [outer[iteration.request] for iteration in piece.iterations],
                {outer[iteration.request] for iteration in piece.present},
                piece.value,
            )
            if piece.value is not None:
                piece.value.samples = [
                    (outer[iteration.request], "request", parts)
                    if scope == "turn" and iteration in piece.present
                    else (iteration, scope, parts)
                    for iteration, scope, parts in piece.value.samples
                ]
            hoisted.pieces.append(mine)
        return hoisted

    def _build_body(self, bodies: "dict[Iteration, list[tuple[int, Event]]]", scope: Scope) -> Iterator[Line]:
        """Yield the lines of one turn: before its rounds, the loop over them, and after them."""
        split = _split_rounds(bodies)
        yield from self._build_messages(list(bodies), {iteration: each[0] for iteration, each in split.items()}, scope)
        rounds = {iteration: each[1] for iteration, each in split.items()}
        universe = [iteration for iteration in bodies if iteration.n_steps > 0]
        if any(rounds.values()):
            present = {iteration for iteration in universe if rounds[iteration]}
            if any(rounds[iteration] and iteration not in present for iteration in bodies):
                raise NoProgramError
            first = {iteration: min(rounds[iteration]) for iteration in present}
            turn = "T" if scope == "request" else "t"
            low = _explain_first_round([(iteration.n_steps, first[iteration]) for iteration in present], turn)
            if low == "1" and any(len(rounds[iteration]) < iteration.n_steps for iteration in present):
                present = set(universe)  # what says of each round whether it is sent says it of all of them
            inner: dict[Iteration, list[_Slotted]] = {}
            for iteration in (each for each in universe if each in present):
                for step in range(1 if low == "1" else first[iteration], iteration.n_steps + 1):
                    inner[self._find_iteration(iteration.request, iteration.turn, step)] = rounds[iteration].get(
                        step, []
                    )
            body: list[Line] = [*self._build_messages(list(inner), inner, "round")]
            yield Loop("i", low, f"@{turn}.substeps", scope, universe, present, body)
        yield from self._build_messages(list(bodies), {iteration: each[2] for iteration, each in split.items()}, scope)

    # ------------------------------------------------------------------------------------------------------- messages

    def _build_messages(
        self, iterations: list[Iteration], sent: Mapping[Iteration, Sequence[_Slotted]], scope: Scope
    ) -> Iterator[MessageLine]:
        """Yield a line for each message of some iterations, in an order that all of them have."""
        columns: dict[Hashable, dict[Iteration, Event]] = {}
        orders: set[tuple[Hashable, ...]] = set()
        for iteration in iterations:
            counts: Counter[Hashable] = Counter()
            order: list[Hashable] = []
            for slot, event in sent[iteration]:
                occurrence = slot, counts[slot]
                counts[slot] += 1
                order.append(occurrence)
                columns.setdefault(occurrence, {})[iteration] = event
            orders.add(tuple(order))
        lines: list[tuple[Hashable, dict[Iteration, Event]]] = []
        for key in _merge_orders(orders):
            events = columns[key]
            is_alternative = bool(lines) and _is_alternative(lines[-1][1], events)
            self.has_alternatives |= is_alternative
            if self.form.is_joined and is_alternative:
                lines[-1][1].update(events)
            else:
                lines.append((key, events))
        for key, events in lines:
            first = next(iter(events.values()))
            line = MessageLine(first.role, key, scope, iterations, set(events))
            line.pieces = self._build_pieces(line, events)
            if first.role == "tool" and is_constant_slot(first.slot):
                line.is_for_each_call = any(len(event.parts) > 1 for event in events.values())
            yield line

    def _build_pieces(self, line: MessageLine, events: Mapping[Iteration, Event]) -> list[PieceLine]:
        """Return the lines of a message."""
        columns: dict[Hashable, tuple[Hashable, dict[Iteration, Piece]]] = {}
        orders: set[tuple[Hashable, ...]] = set()
        for iteration, event in events.items():
            for piece in self.slots.pieces[event]:
                columns.setdefault((event.slot, piece.key), (event.slot, {}))[1][iteration] = piece
            orders.add(tuple((event.slot, piece.key) for piece in self.slots.pieces[event]))
        lines: list[PieceLine] = []
        for key in _merge_orders(orders):
            slot, pieces = columns[key]
            piece = next(iter(pieces.values()))
            value = None
            if piece.kind != "constant":
                where = line.scope if line.scope == "round" or self.form.has_own_values else "turn"
                name = line.slot, key, where  # a turn and its rounds may have the same kind of message
                value = self.values.setdefault(name, Value(slot, piece.key))
                value.samples += [(iteration, line.scope, each.parts) for iteration, each in pieces.items()]
            lines.append(PieceLine(piece, list(events), set(pieces), value))
        return lines


def _is_alternative(one: Mapping[Iteration, Event], two: Mapping[Iteration, Event]) -> bool:
    """Return whether messages of one role never come together."""
    roles = {event.role for events in (one, two) for event in events.values()}
    return len(roles) == 1 and roles <= {"system", "user"} and one.keys().isdisjoint(two)


def is_constant_slot(slot: Hashable) -> bool:
    """Return whether messages of a slot are always the same."""
    return isinstance(slot, tuple) and slot[1] == "constant"


def build_program(requests: Sequence[Request], slots: Slots, form: Form) -> Program:
    """Return the program that sends all requests.

    Parameters:
        requests: Those of one kind.
        slots: The pieces of their messages.
        form: What to try.

    Raises:
        NoProgramError: The messages do not have that form.
    """
    return _Builder(requests, slots, form).build()


def build_plain_program(requests: Sequence[Request]) -> Program:
    """Return a program without loops, for requests of any form: each position of a message has a line of its own."""
    steps: dict[tuple[int, int], int] = {}
    for request in requests:
        steps[request.run, request.turn] = max(steps.get((request.run, request.turn), 0), request.step)
    iterations = [Iteration(request, request.turn, 0, request.step) for request in requests]
    values: dict[Hashable, Value] = {}
    lines: list[Line] = []
    keyed = {
        iteration: {(at, event.role): event for at, event in enumerate(iteration.request.events)}
        for iteration in iterations
    }
    for at, role in sorted({key for each in keyed.values() for key in each}):
        key = at, role
        present = {iteration for iteration in iterations if key in keyed[iteration]}
        line = MessageLine(role, key, "request", iterations, present)
        value = values[key] = Value(key, ("text", 1), level="round", is_answer=False)
        value.samples = [
            (iteration, "request", keyed[iteration][key].parts) for iteration in iterations if iteration in present
        ]
        value.known = {time_of(iteration, scope, "round"): parts for iteration, scope, parts in value.samples}
        line.pieces = [
            PieceLine(Piece("value", ("text", 1)), [each for each in iterations if each in present], present, value)
        ]
        lines.append(line)
    return Program(lines, list(values.values()), steps)


# ---------------------------------------------------------------------------------------------------------------- parts


def list_messages(lines: Iterable[Line]) -> Iterator[MessageLine]:
    """Yield all messages, also those inside of loops."""
    for line in lines:
        if isinstance(line, Loop):
            yield from list_messages(line.body)
        else:
            yield line


def _find_leading_slots(requests: Sequence[Request]) -> set[Hashable]:
    """Return slots of messages that begin a request: at most one each, and none before them but such messages."""
    slots = {
        event.slot
        for request in requests
        for event in request.events
        if event.role in ("system", "user") or (is_constant_slot(event.slot))
    }
    while True:
        refused: set[Hashable] = set()
        for request in requests:
            seen: set[Hashable] = set()
            is_open = True
            for event in request.events:
                is_of_round = event.step and event.role != "system"  # instructions may be made anew in each round
                is_open = is_open and event.slot in slots and not is_of_round
                if event.slot in slots and (not is_open or event.slot in seen):
                    refused.add(event.slot)
                seen.add(event.slot)
        if not refused:
            return slots
        slots -= refused


def _find_trailing_slots(requests: Sequence[Request]) -> set[Hashable]:
    """Return slots of messages that only ever end a request, and that later requests do not have, as reminders do."""
    trailing: set[Hashable] = set()
    inside: set[Hashable] = set()
    for request in requests:
        end = len(request.events)
        while end and request.events[end - 1].role in ("system", "user"):
            end -= 1
        trailing.update(event.slot for event in request.events[end:])
        inside.update(event.slot for event in request.events[:end])
    return trailing - inside


def _split_turns(
    request: Request, leading: "set[Hashable]", trailing: "set[Hashable]", *, has_exchange: bool
) -> "tuple[list[_Slotted], dict[int, list[tuple[int, Event]]]]":
    """Return the beginning of a request, and its other messages by turn, each with its round.

    Raises:
        NoProgramError: The turns do not follow each other.
    """
    beginning: list[_Slotted] = []
    for at, event in enumerate(request.events):
        if event.slot in leading:
            beginning.append((event.slot, event))
        elif has_exchange and _answers_beginning(request.events, at, leading):
            beginning.append((("assistant", "beginning", beginning[-1][0]), event))
        else:
            break
    turns: dict[int, list[tuple[int, Event]]] = {}
    turn, step = 0, 0
    for event in request.events[len(beginning) :]:
        is_constant = is_constant_slot(event.slot)
        mine, of_round = event.turn, event.step
        is_late = mine < turn or (mine == turn and 0 < of_round < step)
        if event.slot in trailing:
            mine, of_round = request.turn, 0
        elif is_late and (is_constant or event.role in ("system", "user")):
            # it stands at the same place in each request, whatever was said in between
            mine, of_round = turn, 0 if mine < turn else step
        if mine < turn or mine > request.turn:
            raise NoProgramError
        if mine == turn and of_round and of_round < step:
            raise NoProgramError
        step = max(of_round, step) if mine == turn else of_round
        turn = mine
        turns.setdefault(turn, []).append((of_round, event))
    return beginning, turns


def _answers_beginning(events: Sequence[Event], at: int, leading: "set[Hashable]") -> bool:
    """Return whether a message answers one of the beginning, as a summary answers the request for it."""
    if not at or events[at].role != "assistant" or events[at].has_calls or at + 1 == len(events):
        return False
    return events[at - 1].role == "user" and events[at - 1].slot in leading and events[at + 1].role == "user"


def _split_rounds(
    bodies: "Mapping[Iteration, Sequence[tuple[int, Event]]]",
) -> "dict[Iteration, tuple[list[_Slotted], dict[int, list[_Slotted]], list[_Slotted]]]":
    """Return the messages of each turn before its rounds, in each round, and after them."""
    split: dict[Iteration, tuple[list[_Slotted], dict[int, list[_Slotted]], list[_Slotted]]] = {}
    before_slots: set[Hashable] = set()
    after_slots: set[Hashable] = set()
    for iteration, events in bodies.items():
        numbers = [at for at, (step, _) in enumerate(events) if step]
        if not numbers:
            continue
        rounds: dict[int, list[_Slotted]] = {}
        step = 0
        for number, event in events[numbers[0] : numbers[-1] + 1]:
            step = number or step
            rounds.setdefault(step, []).append((event.slot, event))
        before, after = (
            [(event.slot, event) for _, event in part] for part in (events[: numbers[0]], events[numbers[-1] + 1 :])
        )
        split[iteration] = before, rounds, after
        before_slots.update(slot for slot, _ in before)
        after_slots.update(slot for slot, _ in after)
    late = after_slots - before_slots
    for iteration, events in bodies.items():
        if iteration not in split:
            mine = [(event.slot, event) for _, event in events]
            at = next((at for at, (slot, _) in enumerate(mine) if slot in late), len(mine))
            split[iteration] = mine[:at], {}, mine[at:]
    return {iteration: split[iteration] for iteration in bodies}


def _merge_orders(orders: Iterable[tuple[Hashable, ...]]) -> list[Hashable]:
    """Return all keys in an order that no list contradicts; else as they come.

    Raises:
        NoProgramError: Two lists contradict each other.
    """
    distinct = sorted(orders, key=lambda each: (-len(each), repr(each)))
    after: dict[Hashable, set[Hashable]] = {key: set() for each in distinct for key in each}
    n_before: dict[Hashable, int] = dict.fromkeys(after, 0)
    for each in distinct:
        for one, two in pairwise(each):
            if two not in after[one]:
                after[one].add(two)
                n_before[two] += 1
    merged: list[Hashable] = []
    ready = [key for key, count in n_before.items() if not count]
    while ready:
        # what follows the last line directly comes first, so that lines that belong together stay together
        key = next((each for each in ready if merged and each in after[merged[-1]]), ready[0])
        ready.remove(key)
        merged.append(key)
        for two in sorted(after[key], key=repr):
            n_before[two] -= 1
            if not n_before[two]:
                ready.append(two)
    if len(merged) < len(after):
        raise NoProgramError
    return merged


def _is_current_only(line: Line) -> bool:
    """Return whether a line of the loop over turns sends something only for the current one."""
    is_current = all(iteration.turn == iteration.now for iteration in line.present)
    return is_current and any(iteration.turn < iteration.now for iteration in line.iterations)


def _explain_first(samples: "Sequence[tuple[int, int, int, int]]") -> "tuple[str, dict[TimeKey, int] | None]":
    """Return how a spec says the first turn of a loop: an expression, else its values by time.

    Parameters:
        samples: Run, turn and round of each request, and the first turn that it has.
    """
    if all(first == 1 for *_, first in samples):
        return "1", None
    lowest = min(first for *_, first in samples)
    if all(first == min(lowest, now) for _, now, _, first in samples):
        return str(lowest), None
    for distance in range(1, max(now for _, now, _, _ in samples)):
        if all(first == max(lowest, now - distance) for _, now, _, first in samples):
            return f"@T-{distance}" if lowest == 1 else f"max({lowest}, @T-{distance})", None
    starts: dict[TimeKey, int] = {}
    for run, now, step, first in samples:
        starts.setdefault((run, now, step), first)
    by_turn: dict[TimeKey, set[int]] = defaultdict(set)
    for (run, now, _), first in starts.items():
        by_turn[run, now].add(first)
    if all(len(each) == 1 for each in by_turn.values()):
        return "", {key: min(each) for key, each in by_turn.items()}
    return "", starts


def _explain_first_round(samples: "Sequence[tuple[int, int]]", turn: str) -> str:
    """Return how a spec says the first round of a loop; 1 if no expression gives it."""
    lowest = min(first for _, first in samples)
    if all(first == lowest for _, first in samples):
        return str(lowest)
    for distance in range(1, max(count for count, _ in samples)):
        if all(first == max(1, count - distance) for count, first in samples):
            return f"max(1, @{turn}.substeps-{distance})"
    return "1"
