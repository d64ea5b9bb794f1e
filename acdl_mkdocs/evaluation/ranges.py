"""Elements of loops: ranges of numbers and times, lists, maps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.calculate import number, whole
from acdl_mkdocs.evaluation.conditions import Evaluator
from acdl_mkdocs.evaluation.context import Moment
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.values import Rich, Time, Unknown, Value, as_time, kind_of, plain
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.kinds import number_cure
from acdl_mkdocs.language.names.ranges import (
    arguments_of,
    bounds_of,
    complaint,
    documented_range,
    is_malformed,
    loop_cures,
)
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Comprehension,
    Expression,
    Group,
    Identifier,
    Range,
    String,
    Symbol,
    Template,
)


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a loop."""

    count: int
    each: Callable[[], Iterator[Value]]
    """Gives the elements, one after the other."""


class Ranges:
    """Loops at one point in time."""

    def __init__(self, moment: Moment, value: Evaluator, holds: Callable[[Expression, Here], bool | Unknown]) -> None:
        self.moment = moment
        self.value = value
        self.holds = holds
        self._of_calls: dict[Call, Range] = {}

    def elements(self, node: Expression, here: Here, *, is_time: bool = False) -> Elements | Unknown:
        """Return the elements of a loop; `Unknown` if they are not known.

        Parameters:
            node: The expression after the colon.
            here: The place of the loop.
            is_time: Whether the variable of the loop is a time.
        """
        while isinstance(node, Group):
            node = node.value
        if isinstance(node, Range):
            return self.counted(node, here, is_time=is_time)
        held = plain(self.value(node, here))
        match held:
            case Unknown():
                return held
            case None:
                return Elements(0, lambda: iter(()))
            case Mapping():
                items = held.items()
                return Elements(len(held), lambda: (_with_id(key, each) for key, each in items))
            case Sequence() if not isinstance(held, str):
                return Elements(len(held), lambda: iter(held))
        text = self.moment.written(node)
        is_number = isinstance(held, Time) or number(held) is not None
        is_of_state = not is_number and not isinstance(node, Symbol | Template | String)
        cures: tuple[str, ...] = ("give a list in the state file",)
        if not is_of_state:
            cures = loop_cures(node, self.moment.range_mode, is_number=is_number)
        problem = partial(problems.not_iterable, node.span, text, kind_of(held), "; ".join(cures))
        return Unknown("error", text, problem)

    def counted(self, node: Range, here: Here, *, is_time: bool = False) -> Elements | Unknown:
        """Evaluate `range(a, b, step)` and `a ... b`."""
        given = bounds_of(node)
        if given and is_malformed(given):
            return self._malformed(node, given)
        ends: list[Time | int] = []
        for part in (node.start, node.stop):
            end = self._end(part, here)
            if isinstance(end, Unknown):
                return end
            ends.append(end)
        step = self._step(node, here)
        if isinstance(step, Unknown):
            return step
        start, stop = ends
        outer = _outer(start, stop)
        if outer is None:
            message = f"`@{start}` and `@{stop}` are not sub-steps of one step"
            base = str(max(each for each in (start, stop) if isinstance(each, Time))).partition(".")[0]
            cure = f"for the sub-steps, begin with the first: `@{base}.1`"
            return self._impossible(node, node.span, message, cure)
        has_times = isinstance(start, Time) or isinstance(stop, Time)
        numbers = self._numbers(node, _last(start), _last(stop), step, here)
        if has_times or is_time:
            numbers = self._existing(node, numbers, here)
        count = n_in(numbers)
        if has_times:
            return Elements(count, lambda: (Time((*outer, each)) for each in numbers))
        return Elements(count, lambda: iter(numbers))

    def _end(self, part: Expression, here: Here) -> Time | int | Unknown:
        held = plain(self.value(part, here))
        if isinstance(held, Unknown | Time):
            return held
        end = as_time(held)
        if end is None:
            message = f"a range needs whole numbers or times, and `{self.moment.written(part)}` is {kind_of(held)}"
            return self._impossible(part, part.span, message)
        return end.parts[0] if len(end.parts) == 1 else end

    def _step(self, node: Range, here: Here) -> int | Unknown | None:
        if node.step is None:
            return None
        held = plain(self.value(node.step, here))
        if isinstance(held, Unknown):
            return held
        step = whole(held)
        if step is None:
            message = (
                f"the step of a range is a whole number, and `{self.moment.written(node.step)}` is {kind_of(held)}"
            )
            return self._impossible(node.step, node.step.span, message)
        return step or self._impossible(
            node.step, node.step.span, "the step of a range cannot be 0", "leave the step out"
        )

    def _numbers(self, node: Range, start: int, stop: int, step: int | None, here: Here) -> range:
        """Return the numbers of a range; one with an explicit positive step runs down if its end is lower."""
        if step is not None and step > 0 and stop < start:

            def problem() -> Diagnostic:
                text, cure = self.moment.written(node), f"write a negative step: `-{step}`"
                return problems.read_as(node.span, text, "a range that runs down", cure)

            self.moment.findings.say_once(here, "read-as", node.span, problem)
            step = -step
        step = 1 if step is None else step
        if node.includes_stop or self.moment.range_mode == "inclusive":
            stop += 1 if step > 0 else -1
        return range(start, stop, step)

    def _existing(self, node: Range, numbers: range, here: Here) -> range:
        """Drop times before the first step."""
        if numbers.step > 0:
            n_early = max(0, -((numbers.start - 1) // numbers.step)) if numbers.start < 1 else 0
            kept = numbers[min(n_early, n_in(numbers)) :]
        else:
            n_kept = max(0, (numbers.start - 1) // -numbers.step + 1) if numbers.start >= 1 else 0
            kept = numbers[: min(n_kept, n_in(numbers))]
        if kept != numbers:
            tell_early(self.moment, here, node.span, self.moment.written(node))
        return kept

    def comprehension(self, node: Comprehension, here: Here) -> Value:
        """Evaluate `[e for v in iterable if c]`."""
        elements = self.elements(node.iterable, here, is_time=node.variable.is_time)
        if isinstance(elements, Unknown):
            return elements
        self.moment.budget.turns(here.source, node.span, elements.count)
        found: list[Value] = []
        for element in elements.each():
            inner = self.round_of(node.variable, element, here)
            if inner is None:
                continue
            if node.condition is not None:
                holds = self.holds(node.condition, inner)
                if isinstance(holds, Unknown):
                    return holds
                if not holds:
                    continue
            found.append(self.value(node.element, inner))
        return found

    def of_call(self, node: Call) -> Range | Unknown:
        """Return `range(a, b)` outside a loop as a range."""
        found = self._of_calls.get(node)
        if found is not None:
            return found
        given = arguments_of(node)
        if is_malformed(given):
            return self._malformed(node, given)
        start, stop, *step = given
        found = Range(span=node.span, start=start, stop=stop, step=next(iter(step), None), includes_stop=False)
        self._of_calls[node] = found
        return found

    def _malformed(self, node: Range | Call, given: tuple[Expression, ...]) -> Unknown:
        cure = f"write `{documented_range(given, self.moment.range_mode)}`"
        problem = partial(problems.not_computable, node.span, complaint(given), (cure,))
        return Unknown("error", self.moment.written(node), problem)

    def listed(self, node: Range, here: Here) -> Value:
        """Return a range as a list."""
        elements = self.counted(node, here)
        if isinstance(elements, Unknown):
            return elements
        self.moment.budget.turns(here.source, node.span, elements.count)
        return list(elements.each())

    def round_of(self, variable: Identifier, value: Value, here: Here) -> Here | None:
        """Return the place in one round of a loop; `None` for a step before the first."""
        time = as_time(value) if variable.is_time or isinstance(value, Time) else None
        if time is not None and time.parts[-1] < 1:
            tell_early(self.moment, here, variable.span, f"@{variable.name}")
            return None
        return here.bound(variable.name, value if time is None else time)

    def _impossible(self, node: Expression, span: Span, message: str, cure: str | None = None) -> Unknown:
        cures = (cure or number_cure([node]),)
        return Unknown("error", self.moment.written(node), partial(problems.not_computable, span, message, cures))


def tell_early(moment: Moment, here: Here, span: Span, text: str) -> None:
    """Report that rounds before the first step are left out."""
    meaning = f"one from step 1 on at `@{moment.at}`: there is no step before the first"
    problem = partial(problems.read_as, span, text, meaning, "let the loop begin at `max(1, …)`")
    moment.findings.say_once(here, "read-as early", span, problem)


def n_in(numbers: range) -> int:
    """Count the numbers of a range; `len` fails for very large ones."""
    span = numbers.stop - numbers.start
    return max(0, -(-span // numbers.step))


def _outer(start: Time | int, stop: Time | int) -> tuple[int, ...] | None:
    """Return the step whose sub-steps a range counts; empty for a range of steps or numbers."""
    prefixes = {each.parts[:-1] for each in (start, stop) if isinstance(each, Time)}
    return next(iter(prefixes), ()) if len(prefixes) <= 1 else None


def _last(value: Time | int) -> int:
    return value.parts[-1] if isinstance(value, Time) else value


def _with_id(key: str, value: Value) -> Value:
    """Add the key of a map to its element as `id`."""
    if isinstance(value, Mapping):
        return {"id": key, **value}
    if isinstance(value, Rich):
        return Rich(value.value, {"id": key, **value.fields})
    return Rich(value, {"id": key})
