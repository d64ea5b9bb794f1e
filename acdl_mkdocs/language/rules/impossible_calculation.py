"""Rule `impossible-calculation`: something is calculated, counted or put in order that is not a number."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.kinds import (
    ARITHMETIC,
    NO_NUMBERS,
    ExpressionKinds,
    Kind,
    find_joined_content,
    is_numeric,
    is_whole,
    number_cure,
)
from acdl_mkdocs.language.names.outline import content_of, find_positions
from acdl_mkdocs.language.names.ranges import bounds_of, is_malformed
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import find_explained_lines
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Call,
    Content,
    Expression,
    Field,
    ListOf,
    Node,
    Number,
    Operation,
    Range,
    TimeIndex,
    Unary,
    strip_parentheses,
)

_ORDERS = frozenset(("<", ">", "<=", ">="))
_NUMBERS = frozenset(("a number", "a time", "a time of a sub-step"))
_BUILT_IN = ("range", "max", "min")
_MOST_DIGITS = 18
_SUMS = frozenset("+-")
_SHIFTED = frozenset((*_NUMBERS, None))
"""Kinds to which a number can be added, and from which one can be taken away."""
_SUBSTEP: Kind = "a time of a sub-step"
_BOUND = "a range needs whole numbers or times"
_STEP = "the step of a range is a whole number"


@dataclass(frozen=True, slots=True)
class ImpossibleCalculation:
    """A calculation without a result."""

    span: Span
    message: str
    label: str
    cure: str


def find_impossible(resolved: Resolved) -> Iterator[ImpossibleCalculation]:
    """Yield every calculation that certainly has no result."""
    kinds = ExpressionKinds(resolved)
    tree = kinds.tree
    yield from _check_operations([*tree.nodes_of(Operation), *tree.nodes_of(Unary)], kinds)
    for bounds in tree.nodes_of(Range):
        if not is_malformed(bounds_of(bounds)) or bounds.includes_stop:
            yield from _check_range(bounds.span, bounds.start, bounds.stop, bounds.step, kinds)
    for call in tree.nodes_of(Call):
        if call.name in _BUILT_IN:
            yield from _check_call(call, kinds)
    for time in tree.nodes_of(TimeIndex):
        if time.parts and time.name and not all(map(_is_field, time.parts)):
            message = f"`{format_expression(time)}` is not a time; indices stand behind variables"
            cure = "for a sub-step, write `@T.1`; for an element, `env.x[1]`"
            yield ImpossibleCalculation(time.span, message, "a time has sub-steps only", cure)
    for number in tree.nodes_of(Number):
        if len(number.text) > _MOST_DIGITS and len(number.text.replace("_", "")) > _MOST_DIGITS:
            yield ImpossibleCalculation(
                number.span, "the number is too large", "no such number", "write a smaller number"
            )


def _is_field(part: Node) -> bool:
    return type(part) is Field


def _is_number(value: Node) -> bool:
    return type(value) is Number


def _check_operations(operations: list[Operation | Unary], kinds: ExpressionKinds) -> Iterator[ImpossibleCalculation]:
    """Yield impossible operations, except joined contents and what is outside of messages."""
    file = kinds.resolved.parsed.file
    contents: set[Node] | None = None
    skipped: dict[Content, bool] = {}
    for node in operations:
        wrong = _check_operation(node, kinds) if isinstance(node, Operation) else _check_minus(node, kinds)
        content = content_of(node, kinds.tree) if wrong is not None else None
        if content is not None and content not in skipped:
            contents = contents or {position.node for position in find_positions(file) if position.is_text}
            skipped[content] = content not in contents or find_joined_content(content, kinds) is not None
        if wrong is not None and (content is None or not skipped[content]):
            yield wrong


def _wrong_kind(operand: Expression, message: str, kind: Kind | None) -> ImpossibleCalculation:
    message = f"{message}, and `{format_expression(operand)}` is {kind}"
    return ImpossibleCalculation(operand.span, message, "no number", number_cure([operand]))


def _wrong_fraction(value: Expression, message: str) -> ImpossibleCalculation:
    sentence = f"{message}, and `{format_expression(value)}` is a number"
    return ImpossibleCalculation(value.span, sentence, "no whole number", "write a whole number")


def _check_operation(node: Operation, kinds: ExpressionKinds) -> ImpossibleCalculation | None:
    if node.operators[0] in _ORDERS:
        return _check_order(node, kinds)
    return _check_arithmetic(node, kinds) if node.operators[0] in ARITHMETIC else None


def _check_arithmetic(node: Operation, kinds: ExpressionKinds) -> ImpossibleCalculation | None:
    """Check `a + b - c` from left to right, as far as the kinds are known."""
    left, kind = node.operands[0], kinds.kind_of(node.operands[0])
    if kind in _SHIFTED and all(map(_is_number, node.operands[1:])) and _SUMS.issuperset(node.operators):
        return None  # nearly all are `@T-1`
    for operator, right in zip(node.operators, node.operands[1:], strict=True):
        other = kinds.kind_of(right)
        if operator == "+" and "text" in (kind, other):
            kind = "text"
            continue
        both = ((left, kind), (right, other))
        refused = NO_NUMBERS if operator == "+" and None in (kind, other) else NO_NUMBERS | {"text"}
        bad = next(((each, of_each) for each, of_each in both if of_each in refused), None)
        if bad is None and _joins_steps(operator, kind, other):
            bad = (right, other) if other == _SUBSTEP else (left, kind)
        if bad is not None:
            return (
                None
                if operator == "+" and None in (kind, other)
                else _wrong_kind(bad[0], f"`{operator}` needs numbers", bad[1])
            )
        if (
            operator in "/%"
            and isinstance(strip_parentheses(right), Number)
            and not format_expression(right).strip("0.")
        ):
            return ImpossibleCalculation(
                right.span, f"`{operator}` divides by zero", "no divisor", "divide by another number"
            )
        kind = kind if kind == other or (operator in "+-" and other == "a number") else None
    return None


def _joins_steps(operator: str, one: Kind | None, other: Kind | None) -> bool:
    """Return whether a calculation with a step does anything other than add or subtract a number."""
    if operator not in "+-":
        return _SUBSTEP in (one, other)
    if other == _SUBSTEP:
        return operator == "-" or one in ("a time", _SUBSTEP)
    return one == _SUBSTEP and other == "a time"


def _check_order(node: Operation, kinds: ExpressionKinds) -> ImpossibleCalculation | None:
    for operator, left, right in zip(node.operators, node.operands, node.operands[1:], strict=False):
        if operator not in _ORDERS:
            continue
        one, two = kinds.kind_of(left), kinds.kind_of(right)
        bad = next((each for each, kind in ((left, one), (right, two)) if kind in NO_NUMBERS), None)
        is_mixed = {one, two} & _NUMBERS and "text" in (one, two)
        text = left if one == "text" else right
        if bad is None and is_mixed and not is_numeric(text):
            bad = text
        if bad is None:
            continue
        if one is None or two is None:
            return _wrong_kind(bad, "only numbers, times and texts have an order", kinds.kind_of(bad))
        sides = (f"`{format_expression(each)}` is {kind}" for each, kind in ((left, one), (right, two)))
        message = f"{' and '.join(sides)}: they have no order"
        return ImpossibleCalculation(bad.span, message, "no number", number_cure([bad]))
    return None


def _check_minus(node: Unary, kinds: ExpressionKinds) -> ImpossibleCalculation | None:
    """Check `-x`."""
    if "-" not in node.operators:
        return None
    kind = kinds.kind_of(node.value) if set(node.operators) == {"-"} else "true or false"
    if kind not in NO_NUMBERS and kind not in ("text", "a time of a sub-step"):
        return None
    return _wrong_kind(node.value, "`-` needs a number", kind)


def _check_range(
    span: Span, first: Expression, last: Expression, step: Expression | None, kinds: ExpressionKinds
) -> Iterator[ImpossibleCalculation]:
    times: list[Expression] = []
    is_usual = step is None and type(first) is Number and type(last) is TimeIndex and "." not in first.text
    if is_usual and kinds.kind_of(last) in ("a time", "a number"):
        return  # nearly all are `range(1, @T)`
    for bound in (first, last):
        kind = kinds.kind_of(bound)
        if kind in NO_NUMBERS or (kind == "text" and not is_numeric(bound)):
            yield _wrong_kind(bound, _BOUND, kind)
        elif not is_whole(bound):
            yield _wrong_fraction(bound, _BOUND)
        elif kind in ("a time", "a time of a sub-step"):
            times.append(bound)
    if len(times) == 2 and len({kinds.kind_of(each) for each in times}) == 2:
        start, stop = map(format_expression, times)
        message = f"`{start}` and `{stop}` are not sub-steps of one step"
        base = next(
            format_expression(each) for each in times if kinds.kind_of(each) == "a time of a sub-step"
        ).partition(".")[0]
        cure = f"for the sub-steps, begin with the first: `{base}.1`"
        yield ImpossibleCalculation(span, message, "nothing lies between both", cure)
    kind = kinds.kind_of(step) if step is not None else None
    if step is not None and (kind in NO_NUMBERS or kind in ("text", "a time of a sub-step")):
        yield _wrong_kind(step, _STEP, kind)
    elif step is not None and not is_whole(step):
        yield _wrong_fraction(step, _STEP)


def _check_call(call: Call, kinds: ExpressionKinds) -> Iterator[ImpossibleCalculation]:
    """Check `max` and `min`, and `range` outside of loop headers."""
    arguments = call.parts[0]
    if not isinstance(arguments, Arguments):
        return
    if call.name in ("max", "min"):
        yield from _check_extreme(call, arguments, kinds)
    elif call.name == "range" and not is_malformed(arguments.values):
        first, last, *steps = arguments.values
        yield from _check_range(call.span, first, last, steps[0] if steps else None, kinds)


def _check_extreme(call: Call, arguments: Arguments, kinds: ExpressionKinds) -> Iterator[ImpossibleCalculation]:
    alone = strip_parentheses(arguments.values[0]) if len(arguments.values) == 1 else None
    values = alone.values if isinstance(alone, ListOf) else arguments.values
    if not values:
        message = f"`{call.name}` needs numbers or times, and it is given none"
        yield ImpossibleCalculation(
            call.span, message, "nothing to choose from", f"give it some: `{call.name}(1, @T-1)`"
        )
    for value in values:
        kind = kinds.kind_of(value)
        if kind == "text" or (kind in NO_NUMBERS and not (value is arguments.values[0] and alone and kind == "a list")):
            yield _wrong_kind(value, f"`{call.name}` needs numbers or times", kind)


def impossible_calculation(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report arithmetic, order, ranges, `max` and `min` with text, lists, truth values or nothing, for any data.

    Text that spells a number can be compared with a number. Where a value may be a number, nothing is reported.

    ## Why
    There is no result, so the prompt cannot be built.

    ## Example
    ```acdl
    P[@T]: {
        If depth < 3 {
            U: env.query[@T]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If env.depth < 3 {
            U: env.query[@T]
        }
    }
    ```

    Reference: Language Reference, "Non-Time Indices".
    """
    problems = list(find_impossible(resolved))
    skipped = find_explained_lines(resolved) if problems else frozenset()
    for each in problems:
        if resolved.source.line_index(each.span.start) not in skipped:
            yield warning("impossible-calculation", each.message, Label(each.span, each.label), help=each.cure)
