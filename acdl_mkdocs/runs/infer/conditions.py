"""`explain_presence()`: the simplest condition that says where something is sent and where it is not.

Conditions come from a closed set, in the order of the cost model: the current turn or an earlier one, the first turn,
windows, multiples, and last a value of the state that says it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.runs.infer.observe import Request

Scope: TypeAlias = Literal["request", "turn", "round"]
"""Where a line stands: outside of loops, in the loop over turns, or in a loop over rounds."""


@dataclass(frozen=True, slots=True, eq=False)
class Iteration:
    """One iteration of the loops around a line: a request, and inside of loops a turn and a round, each once."""

    request: Request
    turn: int
    step: int
    n_steps: int = 0
    """Rounds of the turn at that point."""

    @property
    def now(self) -> int:
        """The turn of the request."""
        return self.request.turn


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a spec."""

    text: str
    cost: int
    """Its place in the cost model: lower is simpler."""
    opposite: str = ""
    """The condition that holds where this one does not."""
    rivals: tuple[str, ...] = ()
    """Conditions of the same cost, or of one more, that the recordings do not rule out."""
    is_existence: bool = False
    """Whether it asks if the state has a value: true of any recording."""


_Test: TypeAlias = Callable[[Iteration], bool]
_Candidate: TypeAlias = tuple[str, str, int, _Test]
"""Text of a condition, its opposite, its cost, and the test itself."""
_COST_OF_PERIOD = 4
_MOST_COMBINED = 8
"""The cost of two conditions that explain something together; beyond it a value of the state is simpler."""
_MOST_PERIOD = 50
_LEAST_PERIODIC = 2
"""Turns that are multiples, so that it is no accident."""


def explain_presence(
    iterations: Sequence[Iteration],
    present: "set[Iteration]",
    scope: Scope,
    exists: _Test | None = None,
    name: str = "",
    starts: "Mapping[tuple[int, ...], int] | None" = None,
) -> Condition | None:
    """Return the cheapest condition that holds in some iterations and in no other one; `None` if none does.

    Parameters:
        iterations: All iterations in which the line is passed.
        present: Those at which it sends something; not all.
        scope: Where the line stands.
        exists: Whether the state has the value of the line in an iteration.
        name: The value of the line, as the spec names it.
        starts: The first turn of the loop over turns by run, turn and round, if the state says it.
    """
    fitting: list[Condition] = []
    if starts is not None and scope == "request":
        fitting += _list_fitting(_list_start_tests(iterations, starts), iterations, present)
    fitting += _list_fitting(_list_tests(iterations, scope), iterations, present)
    if exists is not None and _fits(exists, iterations, present):
        fitting.append(Condition(name, 3, f"!{name}", is_existence=True))
    if not fitting:
        fitting += _combine(iterations, present, scope, exists, name)
    if not fitting:
        return None
    fitting.sort(key=lambda each: (each.cost, len(each.text), each.text))
    best = fitting[0]
    rivals = tuple(each.text for each in fitting[1:] if each.cost <= best.cost + 1)[:3]
    return replace(best, rivals=rivals)


def _list_fitting(
    candidates: Iterable[_Candidate], iterations: Sequence[Iteration], present: "set[Iteration]"
) -> Iterator[Condition]:
    """Yield the conditions that hold in some iterations and in no other one."""
    for text, opposite, cost, test in candidates:
        if _fits(test, iterations, present):
            yield Condition(text, cost, opposite)


def split_by_flag(
    iterations: Sequence[Iteration], present: "set[Iteration]", scope: Scope
) -> Iterator[tuple[str, str, list[Iteration]]]:
    """Yield conditions that explain a part: text, how a flag joins it, and the iterations that the flag explains."""
    for text, _, _, test in _list_tests(iterations, scope):
        if all(test(iteration) for iteration in present):
            yield text, "&", [iteration for iteration in iterations if test(iteration)]
        if all(iteration in present for iteration in iterations if test(iteration)):
            yield text, "|", [iteration for iteration in iterations if not test(iteration)]


def _fits(test: _Test, iterations: Iterable[Iteration], present: "set[Iteration]") -> bool:
    return all(test(iteration) == (iteration in present) for iteration in iterations)


def _combine(
    iterations: Sequence[Iteration], present: "set[Iteration]", scope: Scope, exists: _Test | None, name: str
) -> Iterator[Condition]:
    """Yield pairs of conditions that both hold exactly where something is sent."""
    wider = [each for each in _list_tests(iterations, scope) if all(each[3](iteration) for iteration in present)]
    if exists is not None and all(exists(iteration) for iteration in present):
        for text, _, cost, test in wider:
            if all((test(iteration) and exists(iteration)) == (iteration in present) for iteration in iterations):
                yield Condition(f"{text} & {name}", cost + 3, f"!({text} & {name})", is_existence=True)
    if len({iteration.now for iteration in present}) < _LEAST_PERIODIC:
        wider = [each for each in wider if each[2] != _COST_OF_PERIOD]
    for one, two in combinations(wider, 2):
        if one[2] + two[2] <= _MOST_COMBINED and all(
            (one[3](iteration) and two[3](iteration)) == (iteration in present) for iteration in iterations
        ):
            yield Condition(f"{one[0]} & {two[0]}", one[2] + two[2], f"!({one[0]} & {two[0]})")


def _list_tests(iterations: Sequence[Iteration], scope: Scope) -> Iterator[_Candidate]:
    """Yield conditions: text, opposite, cost, and the test itself."""
    if scope != "request":
        yield from _list_turn_tests(iterations)
    if scope == "round":
        yield from _list_round_tests(iterations)
    yield from _list_both("@T == 1", "@T > 1", 2, lambda iteration: iteration.now == 1)
    yield "@T.0", "!@T.0", 2, lambda iteration: iteration.request.step == 0
    if scope == "request":
        yield "!@T.0", "@T.0", 2, lambda iteration: iteration.request.step > 0
    yield from _list_periods("@T", iterations, lambda iteration: iteration.now)
    yield from _list_limits("@T < {}", "@T >= {}", 5, iterations, lambda iteration: iteration.now)
    if scope == "request":
        steps = "@T.substeps"
        yield from _list_limits(
            f"{steps} < {{}}", f"{steps} >= {{}}", 5, iterations, lambda iteration: iteration.request.step
        )


def _list_start_tests(iterations: Sequence[Iteration], starts: "Mapping[tuple[int, ...], int]") -> Iterator[_Candidate]:
    """Yield the condition that old turns are left out, as where a summary of them is sent instead."""

    def measure(iteration: Iteration) -> int:
        key = iteration.request.run, iteration.now
        return starts[key] if key in starts else starts[*key, iteration.request.step]

    lowest = min(map(measure, iterations))
    yield from _list_both(
        f"@$start > {lowest}", f"@$start == {lowest}", 2, lambda iteration: measure(iteration) > lowest
    )


def _list_turn_tests(iterations: Sequence[Iteration]) -> Iterator[_Candidate]:
    """Yield conditions about the turn of a loop."""
    yield from _list_both("@t == @T", "@t < @T", 1, lambda iteration: iteration.turn == iteration.now)
    yield from _list_both("@t == 1", "@t > 1", 2, lambda iteration: iteration.turn == 1)
    yield from _list_limits(
        "@t > @T-{}", "@t <= @T-{}", 3, iterations, lambda iteration: iteration.now - iteration.turn
    )
    yield from _list_periods("@t", iterations, lambda iteration: iteration.turn)


def _list_round_tests(iterations: Sequence[Iteration]) -> Iterator[_Candidate]:
    """Yield conditions about the round of a loop."""
    is_current = all(iteration.turn == iteration.now for iteration in iterations)
    last = "@i == @T.substeps" if is_current else "@t == @T & @i == @T.substeps"
    yield (
        last,
        f"!({last})",
        3,
        lambda iteration: iteration.turn == iteration.now and iteration.step == iteration.n_steps,
    )
    yield from _list_both("@i == 1", "@i > 1", 2, lambda iteration: iteration.step == 1)
    end = f"@{'T' if is_current else 't'}.substeps"
    yield from _list_limits(
        f"@i > {end}-{{}}", f"@i <= {end}-{{}}", 3, iterations, lambda iteration: iteration.n_steps - iteration.step
    )


def _list_both(text: str, opposite: str, cost: int, test: _Test) -> Iterator[_Candidate]:
    """Yield a condition and its opposite."""
    yield text, opposite, cost, test
    yield opposite, text, cost, lambda iteration: not test(iteration)


def _list_limits(
    text: str, opposite: str, cost: int, iterations: Sequence[Iteration], measure: Callable[[Iteration], int]
) -> Iterator[_Candidate]:
    """Yield conditions that hold below each number that occurs, and from it on."""
    for number in sorted(set(map(measure, iterations)))[1:]:
        yield from _list_both(text.format(number), opposite.format(number), cost, _is_below(measure, number))


def _is_below(measure: Callable[[Iteration], int], number: int) -> _Test:
    return lambda iteration: measure(iteration) < number


def _list_periods(
    variable: str, iterations: Sequence[Iteration], measure: Callable[[Iteration], int]
) -> Iterator[_Candidate]:
    """Yield conditions that hold at every second turn, every third, and so on."""
    numbers = set(map(measure, iterations))
    for period in range(2, min(_MOST_PERIOD, max(numbers, default=0)) + 1):
        for rest in range(2):
            if sum(number % period == rest for number in numbers) >= _LEAST_PERIODIC:
                text = f"{variable} % {period}"
                yield f"{text} == {rest}", f"{text} != {rest}", _COST_OF_PERIOD, _has_rest(measure, period, rest)


def _has_rest(measure: Callable[[Iteration], int], period: int, rest: int) -> _Test:
    return lambda iteration: measure(iteration) % period == rest
