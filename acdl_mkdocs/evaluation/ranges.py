"""Elements of loops: ranges of numbers and times, lists, maps."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.calculate import to_number, to_whole_number
from acdl_mkdocs.evaluation.conditions import Evaluator
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.values import Time, Unknown, Value, ValueWithFields, describe_kind, drop_fields, to_time
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.kinds import number_cure
from acdl_mkdocs.language.names.ranges import (
    arguments_of,
    bounds_of,
    describe_problem,
    is_malformed,
    suggest_loops,
    suggest_range,
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
    """Yields the elements, one after the other."""


class Ranges:
    """Loops at one point in time."""

    def __init__(
        self, context: EvaluationContext, value: Evaluator, holds: Callable[[Expression, Here], bool | Unknown]
    ) -> None:
        self.context = context
        self.value = value
        self.decide_condition = holds
        self._of_calls: dict[Call, Range] = {}

    def evaluate_elements(self, node: Expression, here: Here, *, is_time: bool = False) -> Elements | Unknown:
        """Return the elements of a loop; `Unknown` if they are not known.

        Parameters:
            node: The expression after the colon.
            here: The place of the loop.
            is_time: Whether the variable of the loop is a time.
        """
        while isinstance(node, Group):
            node = node.value
        if isinstance(node, Range):
            return self.evaluate_range(node, here, is_time=is_time)
        collection = drop_fields(self.value(node, here))
        match collection:
            case Unknown():
                return collection
            case None:
                return Elements(0, lambda: iter(()))
            case Mapping():
                items = collection.items()
                return Elements(len(collection), lambda: (_add_id(key, each) for key, each in items))
            case Sequence() if not isinstance(collection, str):
                return Elements(len(collection), lambda: iter(collection))
        text = self.context.format_expression(node)
        is_number = isinstance(collection, Time) or to_number(collection) is not None
        is_of_state = not is_number and not isinstance(node, (Symbol, Template, String))
        cures: tuple[str, ...] = ("give a list in the state file",)
        if not is_of_state:
            cures = suggest_loops(node, self.context.range_mode, is_number=is_number)
        problem = partial(problems.not_iterable, node.span, text, describe_kind(collection), "; ".join(cures))
        return Unknown("error", text, problem)

    def evaluate_range(self, node: Range, here: Here, *, is_time: bool = False) -> Elements | Unknown:
        """Evaluate `range(a, b, step)` and `a ... b`."""
        bounds = bounds_of(node)
        if bounds and is_malformed(bounds):
            return self._report_malformed(node, bounds)
        ends: list[Time | int] = []
        for part in (node.start, node.stop):
            end = self._evaluate_end(part, here)
            if isinstance(end, Unknown):
                return end
            ends.append(end)
        step = self._evaluate_step(node, here)
        if isinstance(step, Unknown):
            return step
        start, stop = ends
        outer = _find_common_step(start, stop)
        if outer is None:
            message = f"`@{start}` and `@{stop}` are not sub-steps of one step"
            base = str(max(each for each in (start, stop) if isinstance(each, Time))).partition(".")[0]
            cure = f"for the sub-steps, begin with the first: `@{base}.1`"
            return self._make_error_value(node, node.span, message, cure)
        has_times = isinstance(start, Time) or isinstance(stop, Time)
        numbers = self._build_numbers(node, _get_last_part(start), _get_last_part(stop), step, here)
        if has_times or is_time:
            numbers = self._drop_early_times(node, numbers, here)
        count = count_numbers(numbers)
        if has_times:
            return Elements(count, lambda: (Time((*outer, each)) for each in numbers))
        return Elements(count, lambda: iter(numbers))

    def _evaluate_end(self, part: Expression, here: Here) -> Time | int | Unknown:
        value = drop_fields(self.value(part, here))
        if isinstance(value, (Unknown, Time)):
            return value
        end = to_time(value)
        if end is None:
            message = (
                "a range needs whole numbers or times, and "
                f"`{self.context.format_expression(part)}` is {describe_kind(value)}"
            )
            return self._make_error_value(part, part.span, message, _fraction_cure(value))
        return end.parts[0] if len(end.parts) == 1 else end

    def _evaluate_step(self, node: Range, here: Here) -> int | Unknown | None:
        if node.step is None:
            return None
        value = drop_fields(self.value(node.step, here))
        if isinstance(value, Unknown):
            return value
        step = to_whole_number(value)
        if step is None:
            message = (
                "the step of a range is a whole number, and "
                f"`{self.context.format_expression(node.step)}` is {describe_kind(value)}"
            )
            return self._make_error_value(node.step, node.step.span, message, _fraction_cure(value))
        return step or self._make_error_value(
            node.step, node.step.span, "the step of a range cannot be 0", "leave the step out"
        )

    def _build_numbers(self, node: Range, start: int, stop: int, step: int | None, here: Here) -> range:
        """Return the numbers of a range; one with an explicit positive step runs down if its end is lower."""
        if step is not None and step > 0 and stop < start:

            def problem() -> Diagnostic:
                text, cure = self.context.format_expression(node), f"write a negative step: `-{step}`"
                return problems.ambiguous_reading(node.span, text, "a range that runs down", cure)

            self.context.findings.report_once(here, "read-as", node.span, problem)
            step = -step
        step = 1 if step is None else step
        mode = self.context.modes.get(here.fragments[-1], self.context.range_mode) if here.fragments else None
        if node.includes_stop or (mode or self.context.range_mode) == "inclusive":
            stop += 1 if step > 0 else -1
        return range(start, stop, step)

    def _drop_early_times(self, node: Range, numbers: range, here: Here) -> range:
        """Drop times before the first turn."""
        if numbers.step > 0:
            n_early = max(0, -((numbers.start - 1) // numbers.step)) if numbers.start < 1 else 0
            remaining = numbers[min(n_early, count_numbers(numbers)) :]
        else:
            n_kept = max(0, (numbers.start - 1) // -numbers.step + 1) if numbers.start >= 1 else 0
            remaining = numbers[: min(n_kept, count_numbers(numbers))]
        if remaining != numbers:
            report_early(self.context, here, node.span, self.context.format_expression(node))
        return remaining

    def evaluate_comprehension(self, node: Comprehension, here: Here) -> Value:
        """Evaluate `[e for v in iterable if c]`."""
        elements = self.evaluate_elements(node.iterable, here, is_time=node.variable.is_time)
        if isinstance(elements, Unknown):
            return elements
        self.context.budget.take_rounds(here.source, node.span, elements.count)
        values: list[Value] = []
        for element in elements.each():
            inner = self.enter_round(node.variable, element, here)
            if inner is None:
                continue
            if node.condition is not None:
                holds = self.decide_condition(node.condition, inner)
                if isinstance(holds, Unknown):
                    return holds
                if not holds:
                    continue
            values.append(self.value(node.element, inner))
        return values

    def make_range(self, node: Call) -> Range | Unknown:
        """Return `range(a, b)` outside a loop as a range."""
        range_node = self._of_calls.get(node)
        if range_node is not None:
            return range_node
        arguments = arguments_of(node)
        if is_malformed(arguments):
            return self._report_malformed(node, arguments)
        start, stop, *step = arguments
        range_node = Range(span=node.span, start=start, stop=stop, step=next(iter(step), None), includes_stop=False)
        self._of_calls[node] = range_node
        return range_node

    def _report_malformed(self, node: Range | Call, bounds: tuple[Expression, ...]) -> Unknown:
        cure = f"write `{suggest_range(bounds, self.context.range_mode)}`"
        problem = partial(problems.not_computable, node.span, describe_problem(bounds), (cure,))
        return Unknown("error", self.context.format_expression(node), problem)

    def evaluate_range_as_list(self, node: Range, here: Here) -> Value:
        """Return a range as a list."""
        elements = self.evaluate_range(node, here)
        if isinstance(elements, Unknown):
            return elements
        self.context.budget.take_rounds(here.source, node.span, elements.count)
        return list(elements.each())

    def enter_round(self, variable: Identifier, value: Value, here: Here) -> Here | None:
        """Return the place in one round of a loop; `None` for a turn before the first."""
        time = to_time(value) if variable.is_time or isinstance(value, Time) else None
        if time is not None and time.parts[-1] < 1:
            report_early(self.context, here, variable.span, f"@{variable.name}")
            return None
        return here.bind_variable(variable.name, value if time is None else time)

    def _make_error_value(self, node: Expression, span: Span, message: str, cure: str | None = None) -> Unknown:
        cures = (cure or number_cure([node]),)
        return Unknown(
            "error", self.context.format_expression(node), partial(problems.not_computable, span, message, cures)
        )


def _fraction_cure(value: Value) -> str | None:
    """Return what to write instead of a number that is not whole; `None` for any other value."""
    return "write a whole number" if isinstance(value, float) else None


def report_early(context: EvaluationContext, here: Here, span: Span, text: str) -> None:
    """Report that rounds before the first turn are left out."""
    meaning = f"one from step 1 on at `@{context.at}`: there is no step before the first"
    problem = partial(problems.ambiguous_reading, span, text, meaning, "let the loop begin at `max(1, …)`")
    context.findings.report_once(here, "read-as early", span, problem)


def count_numbers(numbers: range) -> int:
    """Count the numbers of a range; `len` fails for very large ones."""
    span = numbers.stop - numbers.start
    return max(0, -(-span // numbers.step))


def _find_common_step(start: Time | int, stop: Time | int) -> tuple[int, ...] | None:
    """Return the turn whose steps a range counts; empty for a range of turns or numbers."""
    prefixes = {each.parts[:-1] for each in (start, stop) if isinstance(each, Time)}
    return next(iter(prefixes), ()) if len(prefixes) <= 1 else None


def _get_last_part(value: Time | int) -> int:
    return value.parts[-1] if isinstance(value, Time) else value


def _add_id(key: str, value: Value) -> Value:
    """Add the key of a map to its element as `id`."""
    if isinstance(value, Mapping):
        return {"id": key, **value}
    if isinstance(value, ValueWithFields):
        return ValueWithFields(value.value, {"id": key, **value.fields})
    return ValueWithFields(value, {"id": key})
