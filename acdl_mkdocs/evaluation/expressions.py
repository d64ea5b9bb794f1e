"""Evaluation of an expression at one place of a spec. Knows nothing about statements.

An expression without a value is `Unknown`, with the reason; a condition about it is neither true nor false.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import assert_never

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.conditions import Conditions
from acdl_mkdocs.evaluation.context import Moment
from acdl_mkdocs.evaluation.functions import Functions, Templates, called, fingerprint
from acdl_mkdocs.evaluation.ranges import Ranges
from acdl_mkdocs.evaluation.reading import Read, Reader, Step, follow, near_keys, written
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.times import Times, is_all
from acdl_mkdocs.evaluation.values import Absent, Unknown, Value, kind_of, needed_in, plain
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.language.syntax.nodes import (
    NAMESPACES,
    Arguments,
    Call,
    Comprehension,
    ContextVar,
    Expression,
    Field,
    FragUse,
    Group,
    HostValue,
    Index,
    ListOf,
    MessageNumber,
    NameRef,
    Number,
    Operation,
    Part,
    Range,
    String,
    Symbol,
    Template,
    TimeIndex,
    Unary,
    walk,
)


def in_namespace(node: Symbol, here: Here, moment: Moment, variable: Callable[[ContextVar, Here], Read]) -> Expression:
    """Return the variable that a bare word means: in the namespace that the state has it in, else in the first."""
    head = Field(span=node.span, name=node.name)
    variables = [ContextVar(span=node.span, namespace=each, parts=(head, *node.parts)) for each in NAMESPACES]
    for found in variables:
        if not isinstance(variable(found, here).value, Unknown):
            _tell(node, found, here, moment)
            return found
    return variables[0]


def _tell(node: Symbol, found: ContextVar, here: Here, moment: Moment) -> None:
    def problem() -> Diagnostic:
        return problems.read_as(node.span, moment.written(node), f"`{moment.written(found)}`", "write the namespace")

    moment.findings.say_once(here, "read-as", node.span, problem)


_CONSTANTS: dict[str, Value] = {"true": True, "false": False, "none": None, "null": None, "empty": None}
_MOST_DIGITS = 18


class Expressions:
    """Values at one point in time."""

    def __init__(
        self, moment: Moment, fragment_text: Callable[[FragUse, Here], Value], message_number: Callable[[], Value]
    ) -> None:
        """Prepare the evaluation of expressions.

        Parameters:
            moment: The context of the evaluation.
            fragment_text: Returns the text of a string fragment inside an expression.
            message_number: Returns the number of the current message.
        """
        self.moment = moment
        self.fragment_text = fragment_text
        self.message_number = message_number
        self.reader = Reader(moment)
        self.times = Times(moment)
        self.conditions = Conditions(moment, self.times, self.value, self.resolved)
        self.ranges = Ranges(moment, self.value, self.conditions.holds)
        self.functions = Functions(moment.state.functions)
        self.templates = Templates(moment.state.templates, moment)

    def value(self, node: Expression, here: Here) -> Value:  # noqa: C901  # one short case a construct
        """Evaluate an expression."""
        match node:
            case ContextVar():
                return self.variable(node, here).value
            case Template():
                return self._template(node, here)
            case Call():
                return self._call(node, here)
            case NameRef():
                return self._name(node, here)
            case Symbol():
                return self._symbol(node, here)
            case TimeIndex():
                return self.times.value(node, here)
            case HostValue():
                return self._host_value(node, here)
            case MessageNumber():
                return self.message_number()
            case Number():
                return self._number(node)
            case String():
                return node.value
            case Group():
                return self.value(node.value, here)
            case Unary() | Operation():
                return self.conditions.calculated(node, here)
            case ListOf():
                return [self.value(each, here) for each in node.values]
            case Comprehension():
                return self.ranges.comprehension(node, here)
            case Range():
                return self.ranges.listed(node, here)
            case FragUse():
                return self.fragment_text(node, here)
            case _:
                assert_never(node)

    def argument(self, node: Expression, here: Here) -> Value:
        """Evaluate an argument; `@T.*` is one time here: the step with all of its sub-steps."""
        if isinstance(node, TimeIndex):
            return self.times.value(node, here, is_whole=True)
        return self.value(node, here)

    def variable(self, node: ContextVar, here: Here) -> Read:
        """Read a variable from the state or its assumptions; a list for `[@T.*]`."""
        found = self.read(node, here)
        return found if isinstance(found, Read) else Read([each.value for each in found], self.moment.written(node))

    def read(self, node: ContextVar, here: Here) -> Read | list[Read]:
        """Read a variable from the state, one by one for `[@T.*]`."""
        at = next((idx for idx, part in enumerate(node.parts) if isinstance(part, Arguments)), None)
        if at is not None:  # `env.in_dialog(a, @T)`
            name = ".".join(part.name for part in node.parts[:at] if isinstance(part, Field))
            names = (f"{node.namespace}.{name}", name)
            value = self._called(names, node.parts[at:], node, here)
            return Read(value, value.text if isinstance(value, Unknown) else self.moment.written(node))
        steps = self._steps(node.parts, here)
        unknown = _unknown_step(steps)
        if unknown is not None:
            text = written(node.namespace, steps)
            return Read(Unknown(unknown.kind, text, unknown.problem), text)
        at = next((idx for idx, step in enumerate(steps) if step.is_all), None)
        if at is None:
            return self._read(node, here, steps)
        before, after = steps[:at], steps[at + 1 :]
        if after and not after[-1].is_index and after[-1].value == "len":
            return Read(len(list(steps[at].each())), self.moment.written(node))
        return [self._read(node, here, (*before, each, *after)) for each in steps[at].each()]

    def _read(self, node: ContextVar, here: Here, steps: tuple[Step, ...]) -> Read:
        read = self.reader.read(here, node, steps)
        if isinstance(read.value, Unknown):
            value = self.moment.assumed(node, read.value, lambda: read.text)
            return read if value is read.value else Read(value, read.text, time=read.time)
        return read

    def resolved(self, node: Expression, here: Here) -> str:
        """Format an expression with the times of its variables filled in."""
        text = self.moment.written(node)
        for each in walk(node):
            if isinstance(each, ContextVar):
                text = text.replace(self.moment.written(each), written(each.namespace, self._steps(each.parts, here)))
            elif isinstance(each, Call):
                text = text.replace(self.moment.written(each), called(each.name, self._arguments(each.parts, here)))
        return text

    # ------------------------------------------------------------------------------------------------------------ parts

    def _steps(self, parts: Sequence[Part], here: Here) -> tuple[Step, ...]:
        """Evaluate the fields and indices after a name."""
        found: list[Step] = []
        for part in parts:
            if isinstance(part, Field):
                found.append(Step(part.name))
            elif isinstance(part, Index):
                for each in part.values:
                    is_bound = isinstance(each, TimeIndex) and not isinstance(here.scope.variable(each.name), Absent)
                    value = plain(self.value(each, here))
                    found.append(Step(value, is_index=True, is_bound=is_bound, is_all=is_all(each)))
        return tuple(found)

    def _arguments(self, parts: Sequence[Part], here: Here) -> list[Value]:
        """Evaluate the arguments between the first parentheses."""
        first = next((part for part in parts if isinstance(part, Arguments)), None)
        return [] if first is None else [plain(self.argument(each, here)) for each in first.values]

    def _problem(self, node: Expression, diagnostic: Callable[[], Diagnostic]) -> Unknown:
        """Return an unknown value for an error."""
        return Unknown("error", self.moment.written(node), diagnostic)

    def _below(self, node: Expression, head: str, value: Value, parts: Sequence[Part], here: Here) -> Value:
        """Evaluate the fields, indices and arguments after the value of a name."""
        if not parts:
            return value
        at = next((idx for idx, part in enumerate(parts) if isinstance(part, Arguments)), None)
        if at is not None:  # `doc.summary(3)`
            name = written(head, self._steps(parts[:at], here))
            return self._called((name,), parts[at:], node, here)
        steps = self._steps(parts, here)
        held = plain(value)
        unknown = held if isinstance(held, Unknown) else _unknown_step(steps)
        if unknown is not None:
            text = written(unknown.text if unknown is held else head, steps)
            return Unknown(unknown.kind, text, unknown.problem)
        found = follow(value, steps)
        if not isinstance(found, Absent):
            return found
        text, where = written(head, steps), f"`{head}` is {kind_of(value)} that does not have it"
        if any(step.is_index and type(step.value) is int and step.value == 0 for step in steps):
            where = "positions count from 1"
        near = near_keys(value, steps)
        return Unknown("missing", text, partial(problems.missing_value, node.span, text, where, near))

    # ------------------------------------------------------------------------------------------------------------ names

    def _name(self, node: NameRef, here: Here) -> Value:
        """Evaluate `$docs[i].source`."""
        value = here.scope.named(node.name)
        if isinstance(value, Absent):
            cure = f"`Name {node.name} := …` is not evaluated before this place; move it before, and out of blocks"
            if not isinstance(here.scope.variable(node.name), Absent):
                cure = f"`{node.name}` is the variable of a loop or a parameter: write it without `$`"
            return self._problem(node, partial(problems.unbound, node.span, f"${node.name}", cure))
        return self._below(node, f"${node.name}", value, node.parts, here)

    def _symbol(self, node: Symbol, here: Here) -> Value:
        """Evaluate a loop variable, a parameter, a part of the time, or a bare word."""
        value = self.known(node, here)
        if not isinstance(value, Absent):
            return self._below(node, node.name, value, node.parts, here)
        if not node.parts:
            return node.name
        if any(isinstance(part, Arguments) for part in node.parts):
            return self._below(node, node.name, None, node.parts, here)
        if node.name == "prompt" and isinstance(node.parts[0], Field):  # a namespace in older versions
            return self.value(self.with_namespace(node, here), here)
        cure = f"no loop and no parameter gives `{node.name}` a value; is a namespace missing: `env.{node.name}`?"
        return self._problem(node, partial(problems.unbound, node.span, self.moment.written(node), cure))

    def with_namespace(self, node: Symbol, here: Here) -> Expression:
        """Return a bare word as a variable, unless it is a known name."""
        is_called = any(isinstance(part, Arguments) for part in node.parts)
        if is_called or not isinstance(self.known(node, here), Absent):
            return node
        return in_namespace(node, here, self.moment, self.variable)

    def known(self, node: Symbol, here: Here) -> Value | Absent:
        """Look up a bare word as a variable, a part of the time or a constant."""
        value = here.scope.variable(node.name)
        if isinstance(value, Absent) and not node.parts:
            lowered = node.name.lower()
            return _CONSTANTS[lowered] if lowered in _CONSTANTS else self.times.named(node, here)
        return value

    def _number(self, node: Number) -> Value:
        """Evaluate a number."""
        digits = node.text.replace("_", "")
        if len(digits) > _MOST_DIGITS:
            return self._problem(node, partial(problems.not_computable, node.span, "the number is too large"))
        return float(digits) if "." in digits else int(digits)

    # ---------------------------------------------------------------------------------------------- functions and lists

    def _template(self, node: Template, here: Here) -> Value:
        """Evaluate an `ALL_CAPS` word, perhaps with arguments; indices only say where its text comes from."""
        if not node.parts and node.name not in self.templates.texts:
            time = here.scope.variable(node.name)
            if not isinstance(time, Absent):
                return time
            if node.name in self.moment.now.names:  # `T` and `I` look like templates
                return self.moment.now.part(node.name)
        args = self._arguments(node.parts, here)
        self.moment.findings.need(here, needed_in(args))
        value = self.templates.value(node, args, here)
        if isinstance(value, Unknown):
            steps = self._steps(node.parts, here)
            return Unknown(value.kind, written(value.text, steps), value.problem) if steps else value
        return value

    def _host_value(self, node: HostValue, here: Here) -> Value:
        """Return an unknown value for text that another tool inserts."""
        name = " ".join(node.name.split())
        text = written(name, self._steps(node.parts, here))
        missing = Unknown("missing", text, partial(problems.unread, node.span, name))
        return self.moment.assumed(node, missing, lambda: text)

    def _call(self, node: Call, here: Here) -> Value:
        """Evaluate a function call; `range(a, b)` outside a loop is one too."""
        if node.name != "range" or "range" in self.functions.samples:
            return self._called((node.name,), node.parts, node, here)
        numbers = self.ranges.of_call(node)
        if isinstance(numbers, Unknown):
            return numbers
        rest = [part for part in node.parts if not isinstance(part, Arguments)]
        return self._below(node, self.moment.written(numbers), self.value(numbers, here), rest, here)

    def _called(self, names: tuple[str, ...], parts: Sequence[Part], node: Expression, here: Here) -> Value:
        """Call a function, built in or with samples of the state, and follow the path into its result."""
        args = self._arguments(parts, here)
        self.moment.findings.need(here, needed_in(args))
        arguments = fingerprint(args)
        self.moment.budget.build(here.source, node.span, len(arguments))
        value = self.functions.value(names, args, arguments, node.span)
        steps = self._steps(parts, here)
        held = plain(value)
        if isinstance(held, Unknown):
            missing = Unknown(held.kind, written(held.text, steps), held.problem)
            return self.moment.assumed(node, missing, lambda: missing.text)
        found = follow(value, steps)
        if isinstance(found, Absent):  # a sample is the result of the function at that time
            found = follow(value, [step for step in steps if not step.is_time])
        if not isinstance(found, Absent):
            return found
        text = written(called(names[0], args), steps)
        where, near = f"the sample of `{names[0]}` does not have it", near_keys(value, steps)
        return Unknown("missing", text, partial(problems.missing_value, node.span, text, where, near))


def _unknown_step(steps: Sequence[Step]) -> Unknown | None:
    """Return the first index without a value."""
    return next((step.value for step in steps if isinstance(step.value, Unknown)), None)
