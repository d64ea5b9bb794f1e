"""Evaluation of an expression at one place of a spec. Knows nothing about statements.

An expression without a value is `Unknown`, with the reason; a condition about it is neither true nor false.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import assert_never

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.conditions import Conditions
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.functions import Functions, Templates, format_call, hash_arguments
from acdl_mkdocs.evaluation.ranges import Ranges
from acdl_mkdocs.evaluation.reading import PathStep, Reader, ReadValue, find_near_keys, follow_steps, format_path
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.times import Times, is_all
from acdl_mkdocs.evaluation.values import Absent, Unknown, Value, describe_kind, drop_fields, find_required_unknowns
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


def find_namespace(
    node: Symbol, here: Here, context: EvaluationContext, variable: Callable[[ContextVar, Here], ReadValue]
) -> Expression:
    """Return the variable that a bare word means: in the namespace that the state has it in, else in the first."""
    head = Field(span=node.span, name=node.name)
    variables = [ContextVar(span=node.span, namespace=each, parts=(head, *node.parts)) for each in NAMESPACES]
    for candidate in variables:
        if not isinstance(variable(candidate, here).value, Unknown):
            _report_namespace(node, candidate, here, context)
            return candidate
    return variables[0]


def _report_namespace(node: Symbol, variable: ContextVar, here: Here, context: EvaluationContext) -> None:
    def problem() -> Diagnostic:
        return problems.ambiguous_reading(
            node.span,
            context.format_expression(node),
            f"`{context.format_expression(variable)}`",
            "write the namespace",
        )

    context.findings.report_once(here, "read-as", node.span, problem)


_CONSTANTS: dict[str, Value] = {"true": True, "false": False, "none": None, "null": None, "empty": None}
_MOST_DIGITS = 18


class Expressions:
    """Values at one point in time."""

    def __init__(
        self,
        context: EvaluationContext,
        fragment_text: Callable[[FragUse, Here], Value],
        message_number: Callable[[], Value],
    ) -> None:
        """Prepare the evaluation of expressions.

        Parameters:
            context: The context of the evaluation.
            fragment_text: Returns the text of a string fragment inside an expression.
            message_number: Returns the number of the current message.
        """
        self.context = context
        self.fragment_text = fragment_text
        self.message_number = message_number
        self.reader = Reader(context)
        self.times = Times(context)
        self.conditions = Conditions(context, self.times, self.evaluate_expression, self.format_resolved)
        self.ranges = Ranges(context, self.evaluate_expression, self.conditions.decide_condition)
        self.functions = Functions(context.state.functions)
        self.templates = Templates(context.state.templates, context)

    def evaluate_expression(self, node: Expression, here: Here) -> Value:  # noqa: C901  # one short case a construct
        """Evaluate an expression."""
        match node:
            case ContextVar():
                return self.read_variable(node, here).value
            case Template():
                return self._evaluate_template(node, here)
            case Call():
                return self._evaluate_call(node, here)
            case NameRef():
                return self._evaluate_name(node, here)
            case Symbol():
                return self._evaluate_symbol(node, here)
            case TimeIndex():
                return self.times.evaluate_time(node, here)
            case HostValue():
                return self._evaluate_host_value(node, here)
            case MessageNumber():
                return self.message_number()
            case Number():
                return self._evaluate_number(node)
            case String():
                return node.value
            case Group():
                return self.evaluate_expression(node.value, here)
            case Unary() | Operation():
                return self.conditions.evaluate_operation(node, here)
            case ListOf():
                return [self.evaluate_expression(each, here) for each in node.values]
            case Comprehension():
                return self.ranges.evaluate_comprehension(node, here)
            case Range():
                return self.ranges.evaluate_range_as_list(node, here)
            case FragUse():
                return self.fragment_text(node, here)
            case _:
                assert_never(node)

    def evaluate_argument(self, node: Expression, here: Here) -> Value:
        """Evaluate an argument; `@T.*` is one time here: the turn with all of its steps."""
        if isinstance(node, TimeIndex):
            return self.times.evaluate_time(node, here, is_whole=True)
        return self.evaluate_expression(node, here)

    def read_variable(self, node: ContextVar, here: Here) -> ReadValue:
        """Read a variable from the state or its assumptions; a list for `[@T.*]`."""
        values = self.read_values(node, here)
        return (
            values
            if isinstance(values, ReadValue)
            else ReadValue([each.value for each in values], self.context.format_expression(node))
        )

    def read_values(self, node: ContextVar, here: Here) -> ReadValue | list[ReadValue]:
        """Read a variable from the state, one by one for `[@T.*]`."""
        at = next((idx for idx, part in enumerate(node.parts) if isinstance(part, Arguments)), None)
        if at is not None:  # `env.in_dialog(a, @T)`
            name = ".".join(part.name for part in node.parts[:at] if isinstance(part, Field))
            names = (f"{node.namespace}.{name}", name)
            value = self._call_function(names, node.parts[at:], node, here)
            return ReadValue(value, value.text if isinstance(value, Unknown) else self.context.format_expression(node))
        steps = self._evaluate_steps(node.parts, here)
        unknown = _find_unknown_step(steps)
        if unknown is not None:
            text = format_path(node.namespace, steps)
            return ReadValue(Unknown(unknown.kind, text, unknown.problem), text)
        at = next((idx for idx, step in enumerate(steps) if step.is_all), None)
        if at is None:
            return self._read_value(node, here, steps)
        before, after = steps[:at], steps[at + 1 :]
        if after and not after[-1].is_index and after[-1].value == "len":
            return ReadValue(len(list(steps[at].split_times())), self.context.format_expression(node))
        return [self._read_value(node, here, (*before, each, *after)) for each in steps[at].split_times()]

    def _read_value(self, node: ContextVar, here: Here, steps: tuple[PathStep, ...]) -> ReadValue:
        read = self.reader.read_reference(here, node, steps)
        if isinstance(read.value, Unknown):
            value = self.context.assume_value(node, read.value, lambda: read.text)
            return read if value is read.value else ReadValue(value, read.text, time=read.time)
        return read

    def format_resolved(self, node: Expression, here: Here) -> str:
        """Format an expression with the times of its variables filled in."""
        text = self.context.format_expression(node)
        for each in walk(node):
            if isinstance(each, ContextVar):
                text = text.replace(
                    self.context.format_expression(each),
                    format_path(each.namespace, self._evaluate_steps(each.parts, here)),
                )
            elif isinstance(each, Call):
                text = text.replace(
                    self.context.format_expression(each),
                    format_call(each.name, self._evaluate_arguments(each.parts, here)),
                )
        return text

    # ------------------------------------------------------------------------------------------------------------ parts

    def _evaluate_steps(self, parts: Sequence[Part], here: Here) -> tuple[PathStep, ...]:
        """Evaluate the fields and indices after a name."""
        path: list[PathStep] = []
        for part in parts:
            if isinstance(part, Field):
                path.append(PathStep(part.name))
            elif isinstance(part, Index):
                for each in part.values:
                    is_bound = isinstance(each, TimeIndex) and not isinstance(
                        here.scope.get_variable(each.name), Absent
                    )
                    value = drop_fields(self.evaluate_expression(each, here))
                    path.append(PathStep(value, is_index=True, is_bound=is_bound, is_all=is_all(each)))
        return tuple(path)

    def _evaluate_arguments(self, parts: Sequence[Part], here: Here) -> list[Value]:
        """Evaluate the arguments between the first parentheses."""
        first = next((part for part in parts if isinstance(part, Arguments)), None)
        return [] if first is None else [drop_fields(self.evaluate_argument(each, here)) for each in first.values]

    def _make_error_value(self, node: Expression, diagnostic: Callable[[], Diagnostic]) -> Unknown:
        """Return an unknown value for an error."""
        return Unknown("error", self.context.format_expression(node), diagnostic)

    def _evaluate_below(self, node: Expression, head: str, value: Value, parts: Sequence[Part], here: Here) -> Value:
        """Evaluate the fields, indices and arguments after the value of a name."""
        if not parts:
            return value
        at = next((idx for idx, part in enumerate(parts) if isinstance(part, Arguments)), None)
        if at is not None:  # `doc.summary(3)`
            name = format_path(head, self._evaluate_steps(parts[:at], here))
            return self._call_function((name,), parts[at:], node, here)
        steps = self._evaluate_steps(parts, here)
        plain = drop_fields(value)
        unknown = plain if isinstance(plain, Unknown) else _find_unknown_step(steps)
        if unknown is not None:
            text = format_path(unknown.text if unknown is plain else head, steps)
            return Unknown(unknown.kind, text, unknown.problem)
        target = follow_steps(value, steps)
        if not isinstance(target, Absent):
            return target
        text, where = format_path(head, steps), f"`{head}` is {describe_kind(value)} that does not have it"
        if any(step.is_index and type(step.value) is int and step.value < 1 for step in steps):
            where = "positions count from 1"
        near = find_near_keys(value, steps)
        return Unknown("missing", text, partial(problems.missing_value, node.span, text, where, near))

    # ------------------------------------------------------------------------------------------------------------ names

    def _evaluate_name(self, node: NameRef, here: Here) -> Value:
        """Evaluate `$docs[i].source`."""
        value = here.scope.get_name(node.name)
        if isinstance(value, Absent):
            cure = f"`Name {node.name} := …` is not evaluated before this place; move it before, and out of blocks"
            if not isinstance(here.scope.get_variable(node.name), Absent):
                cure = f"`{node.name}` is the variable of a loop or a parameter: write it without `$`"
            return self._make_error_value(node, partial(problems.unbound_value, node.span, f"${node.name}", cure))
        return self._evaluate_below(node, f"${node.name}", value, node.parts, here)

    def _evaluate_symbol(self, node: Symbol, here: Here) -> Value:
        """Evaluate a loop variable, a parameter, a part of the time, or a bare word."""
        value = self.look_up_word(node, here)
        if not isinstance(value, Absent):
            return self._evaluate_below(node, node.name, value, node.parts, here)
        if not node.parts:
            return node.name
        if any(isinstance(part, Arguments) for part in node.parts):
            return self._evaluate_below(node, node.name, None, node.parts, here)
        if node.name == "prompt" and isinstance(node.parts[0], Field):  # a namespace in older versions
            return self.evaluate_expression(self.add_namespace(node, here), here)
        cure = f"no loop and no parameter gives `{node.name}` a value; is a namespace missing: `env.{node.name}`?"
        return self._make_error_value(
            node, partial(problems.unbound_value, node.span, self.context.format_expression(node), cure)
        )

    def add_namespace(self, node: Symbol, here: Here) -> Expression:
        """Return a bare word as a variable, unless it is a known name."""
        is_called = any(isinstance(part, Arguments) for part in node.parts)
        if is_called or not isinstance(self.look_up_word(node, here), Absent):
            return node
        return find_namespace(node, here, self.context, self.read_variable)

    def look_up_word(self, node: Symbol, here: Here) -> Value | Absent:
        """Look up a bare word as a variable, a part of the time or a constant."""
        value = here.scope.get_variable(node.name)
        if isinstance(value, Absent) and not node.parts:
            lowered = node.name.lower()
            return _CONSTANTS[lowered] if lowered in _CONSTANTS else self.times.look_up_name(node, here)
        return value

    def _evaluate_number(self, node: Number) -> Value:
        """Evaluate a number."""
        digits = node.text.replace("_", "")
        if len(digits) > _MOST_DIGITS:
            return self._make_error_value(node, partial(problems.not_computable, node.span, "the number is too large"))
        return float(digits) if "." in digits else int(digits)

    # ---------------------------------------------------------------------------------------------- functions and lists

    def _evaluate_template(self, node: Template, here: Here) -> Value:
        """Evaluate an `ALL_CAPS` word, perhaps with arguments; indices only say where its text comes from."""
        if not node.parts and node.name not in self.templates.texts:
            time = here.scope.get_variable(node.name)
            if not isinstance(time, Absent):
                return time
            if node.name in self.context.now.names:  # `T` and `I` look like templates
                return self.context.now.get_part(node.name)
        args = self._evaluate_arguments(node.parts, here)
        self.context.findings.report_missing(here, find_required_unknowns(args))
        value = self.templates.fill_template(node, args, here)
        if isinstance(value, Unknown):
            steps = self._evaluate_steps(node.parts, here)
            return Unknown(value.kind, format_path(value.text, steps), value.problem) if steps else value
        return value

    def _evaluate_host_value(self, node: HostValue, here: Here) -> Value:
        """Return an unknown value for text that another tool inserts."""
        name = " ".join(node.name.split())
        text = format_path(name, self._evaluate_steps(node.parts, here))
        missing = Unknown("missing", text, partial(problems.unread_host_value, node.span, name))
        return self.context.assume_value(node, missing, lambda: text)

    def _evaluate_call(self, node: Call, here: Here) -> Value:
        """Evaluate a function call; `range(a, b)` outside a loop is one too."""
        if node.name != "range" or "range" in self.functions.samples:
            return self._call_function((node.name,), node.parts, node, here)
        numbers = self.ranges.make_range(node)
        if isinstance(numbers, Unknown):
            return numbers
        rest = [part for part in node.parts if not isinstance(part, Arguments)]
        return self._evaluate_below(
            node, self.context.format_expression(numbers), self.evaluate_expression(numbers, here), rest, here
        )

    def _call_function(self, names: tuple[str, ...], parts: Sequence[Part], node: Expression, here: Here) -> Value:
        """Call a function, built in or with samples of the state, and follow the path into its result."""
        args = self._evaluate_arguments(parts, here)
        self.context.findings.report_missing(here, find_required_unknowns(args))
        arguments = hash_arguments(args)
        self.context.budget.take_built_text(here.source, node.span, len(arguments))
        value = self.functions.call_function(names, args, arguments, node.span)
        steps = self._evaluate_steps(parts, here)
        plain = drop_fields(value)
        if isinstance(plain, Unknown):
            missing = Unknown(plain.kind, format_path(plain.text, steps), plain.problem)
            return self.context.assume_value(node, missing, lambda: missing.text)
        result = follow_steps(value, steps)
        if isinstance(result, Absent):  # a sample is the result of the function at that time
            result = follow_steps(value, [step for step in steps if not step.is_time])
        if not isinstance(result, Absent):
            return result
        text = format_path(format_call(names[0], args), steps)
        where, near = f"the sample of `{names[0]}` does not have it", find_near_keys(value, steps)
        return Unknown("missing", text, partial(problems.missing_value, node.span, text, where, near))


def _find_unknown_step(steps: Sequence[PathStep]) -> Unknown | None:
    """Return the first index without a value."""
    return next((step.value for step in steps if isinstance(step.value, Unknown)), None)
