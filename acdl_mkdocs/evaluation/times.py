"""Meaning of time indices: `@T`, `@t.i`, `@T.*`, `@$C`, `@1`, `@t.substeps`."""

from functools import partial

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.context import Moment
from acdl_mkdocs.evaluation.scope import Here, Now
from acdl_mkdocs.evaluation.values import ABSENT, Absent, Time, Unknown, Value, as_time, is_true, kind_of, plain, shown
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.language.syntax.nodes import Expression, Field, Symbol, TimeIndex

_STEP = "T"
"""The name of the step, even if the title names it differently."""

_MOST_DIGITS = 18


class Times:
    """Indices of time at one point in time."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment

    def value(self, node: TimeIndex, here: Here, *, is_whole: bool = False) -> Value:
        """Return the time; for `@t.substeps` the number of sub-steps, for `@t.*` all of them.

        Parameters:
            node: The index.
            here: The place of the index.
            is_whole: Whether `@t.*` is the step up to now, as one time.
        """
        base = plain(self._base(node, here))
        if isinstance(base, Unknown):
            return base
        found = as_time(base)
        if found is None:
            sign = "$" if node.is_reference else ""
            return self._no_time(node, f"`@{sign}{node.name}` is no time: it is {kind_of(base)}")
        for part in node.parts:
            if not isinstance(part, Field):
                return self._no_time(node, f"`{self.moment.written(node)}` is no time; indices stand behind variables")
            if part.name == "substeps":
                return self._future(node) if found.is_after(self.moment.at) else self.moment.substeps(found)
            if part.name == "*":
                return self._whole(found) if is_whole else self._all(node, found, here)
            number = self._part(part, node, here)
            if number is None:
                cure = f"bind it: `ForEach({part.name}: range(1, @{node.name or 't'}.substeps))`"
                return self._unbound(node, f".{part.name}", cure)
            found = Time((*found.parts, number))
        return found

    def _whole(self, time: Time) -> Time:
        """Return a step with its sub-steps so far."""
        return self.moment.at if time.has_inside(self.moment.at) else time

    def _all(self, node: TimeIndex, time: Time, here: Here) -> Value:
        """Return the sub-steps of a step; of the current one, only completed ones."""
        if time.is_after(self.moment.at):
            return self._future(node)
        step = time.significant
        count = self.moment.substeps(time)
        self.moment.budget.turns(here.source, node.span, count)
        return [Time((*step, number)) for number in range(1, count + 1)]

    def _future(self, node: TimeIndex) -> Unknown:
        text, at = self.moment.written(node), str(self.moment.at)
        return Unknown("error", text, partial(problems.future_value, node.span, text, at))

    def _no_time(self, node: TimeIndex, message: str) -> Unknown:
        return Unknown("error", self.moment.written(node), partial(problems.not_computable, node.span, message))

    def _unbound(self, node: TimeIndex, text: str, cure: str) -> Unknown:
        return Unknown("error", self.moment.written(node), partial(problems.unbound, node.span, text, cure))

    def _base(self, node: TimeIndex, here: Here) -> Value:
        """Return the value before the first dot."""
        if node.is_reference:
            named = here.scope.named(node.name)
            if not isinstance(named, Absent):
                return named
            return self._unbound(node, f"@${node.name}", f"define it before: `Name {node.name} := …`")
        if not node.name:
            return self._nearest(node, here)
        if node.name.isdigit():
            return _short_number(node.name)
        found = self.named(node, here)
        if not isinstance(found, Absent):
            return found
        cure = f"bind it: `ForEach({node.name}: range(1, @T))`, or name it in the title: `[@{node.name}]`"
        if not isinstance(here.scope.named(node.name), Absent):
            cure = f"`{node.name}` is a `Name`: as an index, write `@${node.name}`"
        return self._unbound(node, f"@{node.name}", cure)

    def named(self, node: TimeIndex | Symbol, here: Here) -> Value | Absent:
        """Return the value of a variable, a parameter or a part of the time."""
        found = here.scope.variable(node.name)
        if not isinstance(found, Absent):
            return found
        now = self.moment.now
        return now.part(node.name) if node.name in now.names else self._by_convention(node, node.name, here)

    def _by_convention(self, node: TimeIndex | Symbol, name: str, here: Here) -> Value | Absent:
        """Return the current `T` for an unbound `t`: the paper writes it so."""
        now = self.moment.now
        capital = next((each for each in now.names if each.upper() == name.upper()), now.names[0])
        if len(name) > 1 or name.upper() not in (capital.upper(), _STEP):
            return ABSENT
        sign = "@" if isinstance(node, TimeIndex) and name == node.name else ""
        part = now.part(capital)

        def problem() -> Diagnostic:
            meaning = f"the current one, `{shown(part)}`: no loop gives it another value here"
            return problems.read_as(node.span, sign + name, meaning, f"write `{sign}{capital}`")

        self.moment.findings.say_once(here, f"read-as {name}", node.span, problem)
        return part

    def _nearest(self, node: TimeIndex, here: Here) -> Time:
        """Return the step that `@.i` leaves out: that of the nearest loop over times, else the current one."""
        time = Time((here.loop_time or self.moment.at).parts[:1])

        def problem() -> Diagnostic:
            meaning = f"a sub-step of step `@{time}`"
            return problems.read_as(node.span, self.moment.written(node), meaning, "name the step: `@t.i`")

        self.moment.findings.say_once(here, "read-as", node.span, problem)
        return time

    def _part(self, part: Field, node: TimeIndex, here: Here) -> int | None:
        """Return the number of a name or digits after a dot."""
        if part.name.isdigit():
            return _short_number(part.name)
        value = here.scope.variable(part.name)
        if isinstance(value, Absent) and part.name in self.moment.now.names[1:]:
            value = self.moment.now.part(part.name)
        if isinstance(value, Absent):
            value = self._by_convention(node, part.name, here)
        found = None if isinstance(value, Absent) else as_time(value)
        return found.parts[-1] if found is not None else None

    # ------------------------------------------------------------------------------------------------------- conditions

    def condition(self, node: TimeIndex, here: Here) -> Value:
        """Evaluate `@T.0` (no sub-step is completed) and `@T.I` (this is the current sub-step, or there is one)."""
        *_, last = node.parts
        value = self.value(node, here)
        if isinstance(value, Unknown):
            return value
        now = here.now if node.name in here.now.names else self.moment.now
        if not isinstance(last, Field) or not isinstance(value, Time) or last.name == "*":
            return is_true(value)
        if last.name.isdigit():
            return self._completed(value, now) == value.parts[-1]
        if node.name not in now.names:
            return is_true(value)
        current = now.at.part(len(node.parts))
        if last.name in now.names:
            return here.substep == current if here.substep is not None else current > 0
        return value.parts[-1] == current

    def _completed(self, time: Time, now: Now) -> int:
        """Return the number of completed sub-steps at the level of the last part of a time."""
        outer = Time(time.parts[:-1])
        return now.at.part(len(outer.parts)) if outer.has_inside(now.at) else self.moment.substeps(outer)


def is_all(node: Expression) -> bool:
    """Return whether an index is `@t.*`."""
    return isinstance(node, TimeIndex) and any(isinstance(part, Field) and part.name == "*" for part in node.parts)


def _short_number(digits: str) -> int:
    """Return digits as a number; one with more than eighteen digits is later than any step."""
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
