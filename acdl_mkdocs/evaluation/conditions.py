"""Conditions and arithmetic. A condition about something unknown is neither true nor false."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.calculate import (
    IncomparableError,
    are_equal,
    calculate,
    compare_order,
    is_text_comparison,
    take_substep,
    to_number,
)
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.times import Times
from acdl_mkdocs.evaluation.values import Unknown, Value, describe_kind, drop_fields, format_value, is_true
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.kinds import number_cure
from acdl_mkdocs.language.syntax.nodes import Expression, Field, Group, Operation, TimeIndex, Unary

Evaluator: TypeAlias = Callable[[Expression, Here], Value]
"""Gives the value of any expression at a place."""
_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))


class Conditions:
    """Operators at one point in time."""

    def __init__(
        self, context: EvaluationContext, times: Times, value: Evaluator, resolved: Callable[[Expression, Here], str]
    ) -> None:
        self.context = context
        self.times = times
        self.value = value
        self.format_resolved = resolved

    def decide_condition(self, condition: Expression, here: Here) -> bool | Unknown:
        """Return whether a condition holds, by the values of the state or its assumptions."""
        result = self.evaluate_truth(condition, here)
        return result if isinstance(result, Unknown) else is_true(result)

    def evaluate_truth(self, node: Expression, here: Here) -> Value:
        """Return `True`, `False` or `Unknown`; `and` and `or` propagate `Unknown` only if it decides the result."""
        while isinstance(node, Group):
            node = node.value
        truth = self._compute_truth(node, here)
        if isinstance(truth, Unknown):
            truth = self.context.assume_value(node, truth, partial(self.format_resolved, node, here))
        return truth if isinstance(truth, Unknown) else is_true(truth)

    def _compute_truth(self, node: Expression, here: Here) -> Value:
        match node:
            case Unary(operators=("!", *_)):
                return self._evaluate_negation(node, here)
            case Operation(operators=("&", *_)):
                return self._evaluate_connective(node, here, decisive=False)
            case Operation(operators=("|", *_)):
                return self._evaluate_connective(node, here, decisive=True)
            case Operation() if node.operators[0] in _COMPARISONS:
                return self._evaluate_comparison(node, here)
            case TimeIndex(parts=(*_, Field())) if not node.is_reference and node.name:
                return self.times.evaluate_condition(node, here)
            case _:
                return drop_fields(self.value(node, here))

    def _evaluate_negation(self, node: Unary, here: Here) -> Value:
        """Evaluate `!x`, `!!x`, `!-x`."""
        n_nots = next((idx for idx, sign in enumerate(node.operators) if sign != "!"), len(node.operators))
        if n_nots == len(node.operators):
            inner = self.evaluate_truth(node.value, here)
        else:
            inner = self._apply_minus(node.operators[n_nots:], node.value, here)
        return inner if isinstance(inner, Unknown) else is_true(inner) == (n_nots % 2 == 0)

    def _evaluate_connective(self, node: Operation, here: Here, *, decisive: bool) -> Value:
        """Evaluate `a & b` and `a | b`: one decisive value is enough, even if others are unknown."""
        unknown: Unknown | None = None
        for operand in node.operands:
            value = self.evaluate_truth(operand, here)
            if isinstance(value, Unknown):
                unknown = unknown or value
            elif value is decisive:
                return decisive
        return unknown if unknown is not None else not decisive

    def _evaluate_comparison(self, node: Operation, here: Here) -> Value:
        """Evaluate `a < b <= c`: each neighbouring pair; `!` before the first operand negates the whole comparison."""
        first, n_nots = node.operands[0], 0
        if isinstance(first, Unary) and first.operators[0] == "!":
            n_nots = next((idx for idx, sign in enumerate(first.operators) if sign != "!"), len(first.operators))
            left = drop_fields(self._apply_minus(first.operators[n_nots:], first.value, here))
        else:
            left = drop_fields(self.value(first, here))
        is_negated = n_nots % 2 == 1
        self._report_chain(node, here)
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            right = drop_fields(self.value(operand, here))
            if isinstance(left, Unknown) or isinstance(right, Unknown):
                return left if isinstance(left, Unknown) else right
            try:
                holds = self._compare_pair(node, operator, left, right, here)
            except IncomparableError as why:
                return self._make_error_value(node, node.span, str(why), why.cure)
            if not holds:
                return is_negated
            left = right
        return not is_negated

    def _report_chain(self, node: Operation, here: Here) -> None:
        """Report how `1 < 2 == true` is read."""
        n_equal = sum(each in ("==", "!=") for each in node.operators)
        if n_equal in (0, len(node.operators)):
            return
        words = [self.context.format_expression(each) for each in node.operands]
        pairs = (f"{one} {sign} {two}" for one, sign, two in zip(words, node.operators, words[1:], strict=False))
        meaning = f"`{' and '.join(pairs)}`: every operand is compared with its neighbours"
        written = self.context.format_expression(node)
        cure = "to compare the outcome of a comparison, put that in parentheses: `(a < b) == c`"
        problem = partial(problems.ambiguous_reading, node.span, written, meaning, cure)
        self.context.findings.report_once(here, "read-as chain", node.span, problem)

    def _compare_pair(self, node: Operation, operator: str, left: Value, right: Value, here: Here) -> bool:
        """Compare two values."""
        if operator in ("==", "!="):
            self._report_reading(node, left, right, here, "texts")
            return are_equal(left, right) == (operator == "==")
        sign = compare_order(left, right)
        self._report_reading(node, left, right, here, "numbers")
        return {"<": sign < 0, ">": sign > 0, "<=": sign <= 0, ">=": sign >= 0}[operator]

    def _report_reading(self, node: Operation, left: Value, right: Value, here: Here, what: str) -> None:
        """Report how values of different kinds are compared."""
        if type(left) is type(right):
            return
        if is_text_comparison(left, right):
            kinds = [describe_kind(each) for each in (left, right) if not isinstance(each, str)]
            what = "times" if what == "numbers" and "a time" in kinds else what
            meaning = f"a comparison of {what}: one side is text, the other {kinds[0]}"
            cure = "write both in the same way in the spec and in the state file"
        elif take_substep(left, right) != (left, right):
            meaning = "a comparison with the number of the sub-step"
            cure = "where the title is `[@T.I]`, the number alone is `I`"
        else:
            return

        def problem() -> Diagnostic:
            return problems.ambiguous_reading(node.span, self.context.format_expression(node), meaning, cure)

        self.context.findings.report_once(here, "read-as", node.span, problem)

    # ------------------------------------------------------------------------------------------------------- arithmetic

    def evaluate_operation(self, node: Unary | Operation, here: Here) -> Value:
        """Evaluate an expression with operators."""
        if isinstance(node, Operation) and node.operators[0] in "+-*/%":
            return self._evaluate_arithmetic(node, here)
        if isinstance(node, Unary) and node.operators[0] == "-":
            return self._apply_minus(node.operators, node.value, here)
        return self.evaluate_truth(node, here)

    def _evaluate_arithmetic(self, node: Operation, here: Here) -> Value:
        """Evaluate `a + b - c`, from left to right."""
        result = drop_fields(self.value(node.operands[0], here))
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            other = drop_fields(self.value(operand, here))
            if isinstance(result, Unknown) or isinstance(other, Unknown):
                return result if isinstance(result, Unknown) else other
            if operator == "+" and (isinstance(result, str) or isinstance(other, str)):
                for each in (result, other):
                    self.context.findings.report_flattened(here, node.span, each)
                one, two = format_value(result), format_value(other)
                self.context.budget.take_built_text(here.source, node.span, len(one) + len(two))
                result = one + two
                continue
            try:
                result = calculate(operator, result, other)
            except IncomparableError as why:
                return self._make_error_value(node, operand.span, str(why), why.cure)
        return result

    def _apply_minus(self, operators: tuple[str, ...], operand: Expression, here: Here) -> Value:
        """Evaluate `-x`, `--x`, `-!x`; without a sign, return the value itself."""
        if not operators:
            return self.value(operand, here)
        n_signs = next((idx for idx, sign in enumerate(operators) if sign != "-"), len(operators))
        rest = operators[n_signs:]
        inner = self._apply_signs(rest, operand, here) if rest else drop_fields(self.value(operand, here))
        if isinstance(inner, Unknown):
            return inner
        number = to_number(inner)
        if number is None:
            message = f"`-` needs a number, and `{self.context.format_expression(operand)}` is {describe_kind(inner)}"
            return self._make_error_value(operand, operand.span, message)
        return -number if n_signs % 2 else number

    def _apply_signs(self, operators: tuple[str, ...], operand: Expression, here: Here) -> Value:
        """Evaluate the signs after a minus; their result is a truth value, which has no negative."""
        return self._evaluate_negation(Unary(span=operand.span, operators=operators, value=operand), here)

    def _make_error_value(self, node: Expression, span: Span, message: str, cure: str | None = None) -> Unknown:
        cure = cure or number_cure(node.operands if isinstance(node, Operation) else (node,))
        return Unknown(
            "error", self.context.format_expression(node), partial(problems.not_computable, span, message, (cure,))
        )
