"""Meaning of time indices: `@T`, `@t.i`, `@T.*`, `@$C`, `@1`, `@t.substeps`."""

from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.scope import Here, PromptTime
from acdl_mkdocs.evaluation.values import (
    ABSENT,
    Absent,
    Time,
    Unknown,
    Value,
    describe_kind,
    drop_fields,
    is_true,
    quote_value,
    to_time,
)
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.language.names.unbound import name_for_data
from acdl_mkdocs.language.syntax.nodes import NAMESPACES, Expression, Field, Symbol, TimeIndex

_STEP = "T"
"""The name of the turn, even if the title names it differently."""

_MOST_DIGITS = 18


class Times:
    """Indices of time at one point in time."""

    def __init__(self, context: EvaluationContext) -> None:
        self.context = context

    def evaluate_time(self, node: TimeIndex, here: Here, *, is_whole: bool = False) -> Value:
        """Return the time; for `@t.substeps` the number of steps, for `@t.*` all of them.

        Parameters:
            node: The index.
            here: The place of the index.
            is_whole: Whether `@t.*` is the turn up to now, as one time.
        """
        base = drop_fields(self._evaluate_base(node, here))
        if isinstance(base, Unknown):
            return base
        time = to_time(base)
        if time is None:
            sign = "$" if node.is_reference else ""
            return self._report_no_time(node, f"`@{sign}{node.name}` is not a time: it is {describe_kind(base)}")
        for part in node.parts:
            if not isinstance(part, Field):
                return self._report_no_time(
                    node, f"`{self.context.format_expression(node)}` is not a time; indices stand behind variables"
                )
            if part.name == "substeps":
                return (
                    self._report_future(node) if time.is_after(self.context.at) else self.context.count_substeps(time)
                )
            if part.name == "*":
                return self._complete_step(time) if is_whole else self._list_substeps(node, time, here)
            number = self._evaluate_part(part, node, here)
            if number is None:
                cure = f"bind it: `ForEach({part.name}: range(1, @{node.name or 't'}.substeps))`"
                return self._report_unbound(node, f".{part.name}", cure)
            time = Time((*time.parts, number))
        return time

    def _complete_step(self, time: Time) -> Time:
        """Return a turn with its steps so far."""
        return self.context.at if time.has_inside(self.context.at) else time

    def _list_substeps(self, node: TimeIndex, time: Time, here: Here) -> Value:
        """Return the steps of a turn; of the current one, only completed ones."""
        if time.is_after(self.context.at):
            return self._report_future(node)
        step = time.significant
        count = self.context.count_substeps(time)
        self.context.budget.take_rounds(here.source, node.span, count)
        return [Time((*step, number)) for number in range(1, count + 1)]

    def _report_future(self, node: TimeIndex) -> Unknown:
        text, at = self.context.format_expression(node), str(self.context.at)
        return Unknown("error", text, partial(problems.future_value, node.span, text, at))

    def _report_no_time(self, node: TimeIndex, message: str) -> Unknown:
        return Unknown(
            "error", self.context.format_expression(node), partial(problems.not_computable, node.span, message)
        )

    def _report_unbound(self, node: TimeIndex, text: str, cure: str) -> Unknown:
        return Unknown(
            "error", self.context.format_expression(node), partial(problems.unbound_value, node.span, text, cure)
        )

    def _evaluate_base(self, node: TimeIndex, here: Here) -> Value:
        """Return the value before the first dot."""
        if node.is_reference:
            named = here.scope.get_name(node.name)
            if not isinstance(named, Absent):
                return named
            return self._report_unbound(node, f"@${node.name}", f"define it before: `Name {node.name} := …`")
        if not node.name:
            return self._find_nearest_step(node, here)
        if node.name.isdigit():
            return _parse_number(node.name)
        value = self.look_up_name(node, here)
        if not isinstance(value, Absent):
            return value
        cure = f"bind it: `ForEach({node.name}: range(1, @T))`, or name it in the title: `[@{node.name}]`"
        if node.name in NAMESPACES and node.parts:
            cure = name_for_data(self.context.format_expression(node))
        elif not isinstance(here.scope.get_name(node.name), Absent):
            cure = f"`{node.name}` is a `Name`: as an index, write `@${node.name}`"
        return self._report_unbound(node, f"@{node.name}", cure)

    def look_up_name(self, node: TimeIndex | Symbol, here: Here) -> Value | Absent:
        """Return the value of a variable, a parameter or a part of the time."""
        value = here.scope.get_variable(node.name)
        if not isinstance(value, Absent):
            return value
        now = self.context.now
        return now.get_part(node.name) if node.name in now.names else self._look_up_convention(node, node.name, here)

    def _look_up_convention(self, node: TimeIndex | Symbol, name: str, here: Here) -> Value | Absent:
        """Return the current `T` for an unbound `t`: this is the notation of the paper."""
        now = self.context.now
        capital = next((each for each in now.names if each.upper() == name.upper()), now.names[0])
        if len(name) > 1 or name.upper() not in (capital.upper(), _STEP):
            return ABSENT
        sign = "@" if isinstance(node, TimeIndex) and name == node.name else ""
        part = now.get_part(capital)

        def problem() -> Diagnostic:
            meaning = f"the current one, `{quote_value(part)}`: no loop gives it another value here"
            return problems.ambiguous_reading(node.span, sign + name, meaning, f"write `{sign}{capital}`")

        self.context.findings.report_once(here, f"read-as {name}", node.span, problem)
        return part

    def _find_nearest_step(self, node: TimeIndex, here: Here) -> Time:
        """Return the turn that `@.i` leaves out: that of the nearest loop over times, else the current one."""
        time = Time((here.loop_time or self.context.at).parts[:1])

        def problem() -> Diagnostic:
            meaning = f"a sub-step of step `@{time}`"
            return problems.ambiguous_reading(
                node.span, self.context.format_expression(node), meaning, "name the step: `@t.i`"
            )

        self.context.findings.report_once(here, "read-as", node.span, problem)
        return time

    def _evaluate_part(self, part: Field, node: TimeIndex, here: Here) -> int | None:
        """Return the number of a name or digits after a dot."""
        if part.name.isdigit():
            return _parse_number(part.name)
        value = here.scope.get_variable(part.name)
        if isinstance(value, Absent) and part.name in self.context.now.names[1:]:
            value = self.context.now.get_part(part.name)
        if isinstance(value, Absent):
            value = self._look_up_convention(node, part.name, here)
        time = None if isinstance(value, Absent) else to_time(value)
        return time.parts[-1] if time is not None else None

    # ------------------------------------------------------------------------------------------------------- conditions

    def evaluate_condition(self, node: TimeIndex, here: Here) -> Value:
        """Evaluate `@T.0` (no step is completed) and `@T.I` (this is the current step, or there is one)."""
        *_, last = node.parts
        value = self.evaluate_time(node, here)
        if isinstance(value, Unknown):
            return value
        now = here.now if node.name in here.now.names else self.context.now
        if not isinstance(last, Field) or not isinstance(value, Time) or last.name == "*":
            return is_true(value)
        if last.name.isdigit():
            return self._count_completed(value, now) == value.parts[-1]
        if node.name not in now.names:
            return is_true(value)
        current = now.at.get_part(len(node.parts))
        if last.name in now.names:
            return here.substep == current if here.substep is not None else current > 0
        return value.parts[-1] == current

    def _count_completed(self, time: Time, now: PromptTime) -> int:
        """Return the number of completed steps at the level of the last part of a time."""
        outer = Time(time.parts[:-1])
        return now.at.get_part(len(outer.parts)) if outer.has_inside(now.at) else self.context.count_substeps(outer)


def is_all(node: Expression) -> bool:
    """Return whether an index is `@t.*`."""
    return isinstance(node, TimeIndex) and any(isinstance(part, Field) and part.name == "*" for part in node.parts)


def _parse_number(digits: str) -> int:
    """Return digits as a number; one with more than eighteen digits is later than any turn."""
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
