"""Conditions and arithmetic. A condition about something unknown is neither true nor false."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.calculate import IncomparableError, calculate, equal, is_by_text, number, order, substep_of
from acdl_mkdocs.evaluation.context import Moment
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.times import Times
from acdl_mkdocs.evaluation.values import Unknown, Value, is_true, kind_of, plain, text_of
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
        self, moment: Moment, times: Times, value: Evaluator, resolved: Callable[[Expression, Here], str]
    ) -> None:
        self.moment = moment
        self.times = times
        self.value = value
        self.resolved = resolved

    def holds(self, condition: Expression, here: Here) -> bool | Unknown:
        """Return whether a condition holds, by the values of the state or its assumptions."""
        found = self.truth(condition, here)
        return found if isinstance(found, Unknown) else is_true(found)

    def truth(self, node: Expression, here: Here) -> Value:
        """Return `True`, `False` or `Unknown`; `and` and `or` pass `Unknown` on only where it decides the result."""
        while isinstance(node, Group):
            node = node.value
        found = self._truth(node, here)
        if isinstance(found, Unknown):
            found = self.moment.assumed(node, found, partial(self.resolved, node, here))
        return found if isinstance(found, Unknown) else is_true(found)

    def _truth(self, node: Expression, here: Here) -> Value:
        match node:
            case Unary(operators=("!", *_)):
                return self._negated(node, here)
            case Operation(operators=("&", *_)):
                return self._combined(node, here, decisive=False)
            case Operation(operators=("|", *_)):
                return self._combined(node, here, decisive=True)
            case Operation() if node.operators[0] in _COMPARISONS:
                return self._compared(node, here)
            case TimeIndex(parts=(*_, Field())) if not node.is_reference and node.name:
                return self.times.condition(node, here)
            case _:
                return plain(self.value(node, here))

    def _negated(self, node: Unary, here: Here) -> Value:
        """Evaluate `!x`, `!!x`, `!-x`."""
        n_nots = next((idx for idx, sign in enumerate(node.operators) if sign != "!"), len(node.operators))
        if n_nots == len(node.operators):
            inner = self.truth(node.value, here)
        else:
            inner = self._minus(node.operators[n_nots:], node.value, here)
        return inner if isinstance(inner, Unknown) else is_true(inner) == (n_nots % 2 == 0)

    def _combined(self, node: Operation, here: Here, *, decisive: bool) -> Value:
        """Evaluate `a & b` and `a | b`: one decisive value is enough, even if others are unknown."""
        unknown: Unknown | None = None
        for operand in node.operands:
            value = self.truth(operand, here)
            if isinstance(value, Unknown):
                unknown = unknown or value
            elif value is decisive:
                return decisive
        return unknown if unknown is not None else not decisive

    def _compared(self, node: Operation, here: Here) -> Value:
        """Evaluate `a < b <= c`: each neighbouring pair; `!` before the first operand negates the whole comparison."""
        first, n_nots = node.operands[0], 0
        if isinstance(first, Unary) and first.operators[0] == "!":
            n_nots = next((idx for idx, sign in enumerate(first.operators) if sign != "!"), len(first.operators))
            left = plain(self._minus(first.operators[n_nots:], first.value, here))
        else:
            left = plain(self.value(first, here))
        is_negated = n_nots % 2 == 1
        self._tell_chain(node, here)
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            right = plain(self.value(operand, here))
            if isinstance(left, Unknown) or isinstance(right, Unknown):
                return left if isinstance(left, Unknown) else right
            try:
                holds = self._pair(node, operator, left, right, here)
            except IncomparableError as why:
                return self._impossible(node, node.span, str(why), why.cure)
            if not holds:
                return is_negated
            left = right
        return not is_negated

    def _tell_chain(self, node: Operation, here: Here) -> None:
        """Report how `1 < 2 == true` is read."""
        n_equal = sum(each in ("==", "!=") for each in node.operators)
        if n_equal in (0, len(node.operators)):
            return
        words = [self.moment.written(each) for each in node.operands]
        pairs = (f"{one} {sign} {two}" for one, sign, two in zip(words, node.operators, words[1:], strict=False))
        meaning = f"`{' and '.join(pairs)}`: every operand is compared with its neighbours"
        written = self.moment.written(node)
        cure = "to compare the outcome of a comparison, put that in parentheses: `(a < b) == c`"
        problem = partial(problems.read_as, node.span, written, meaning, cure)
        self.moment.findings.say_once(here, "read-as chain", node.span, problem)

    def _pair(self, node: Operation, operator: str, left: Value, right: Value, here: Here) -> bool:
        """Compare two values."""
        if operator in ("==", "!="):
            self._tell_reading(node, left, right, here, "texts")
            return equal(left, right) == (operator == "==")
        sign = order(left, right)
        self._tell_reading(node, left, right, here, "numbers")
        return {"<": sign < 0, ">": sign > 0, "<=": sign <= 0, ">=": sign >= 0}[operator]

    def _tell_reading(self, node: Operation, left: Value, right: Value, here: Here, what: str) -> None:
        """Report how values of different kinds are compared."""
        if type(left) is type(right):
            return
        if is_by_text(left, right):
            kinds = [kind_of(each) for each in (left, right) if not isinstance(each, str)]
            what = "times" if what == "numbers" and "a time" in kinds else what
            meaning = f"a comparison of {what}: one side is text, the other {kinds[0]}"
            cure = "write both in the same way in the spec and in the state file"
        elif substep_of(left, right) != (left, right):
            meaning = "a comparison with the number of the sub-step"
            cure = "where the title is `[@T.I]`, the number alone is `I`"
        else:
            return

        def problem() -> Diagnostic:
            return problems.read_as(node.span, self.moment.written(node), meaning, cure)

        self.moment.findings.say_once(here, "read-as", node.span, problem)

    # ------------------------------------------------------------------------------------------------------- arithmetic

    def calculated(self, node: Unary | Operation, here: Here) -> Value:
        """Evaluate an expression with operators."""
        if isinstance(node, Operation) and node.operators[0] in "+-*/%":
            return self._arithmetic(node, here)
        if isinstance(node, Unary) and node.operators[0] == "-":
            return self._minus(node.operators, node.value, here)
        return self.truth(node, here)

    def _arithmetic(self, node: Operation, here: Here) -> Value:
        """Evaluate `a + b - c`, from left to right."""
        result = plain(self.value(node.operands[0], here))
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            other = plain(self.value(operand, here))
            if isinstance(result, Unknown) or isinstance(other, Unknown):
                return result if isinstance(result, Unknown) else other
            if operator == "+" and (isinstance(result, str) or isinstance(other, str)):
                for each in (result, other):
                    self.moment.findings.tell_flattened(here, node.span, each)
                one, two = text_of(result), text_of(other)
                self.moment.budget.build(here.source, node.span, len(one) + len(two))
                result = one + two
                continue
            try:
                result = calculate(operator, result, other)
            except IncomparableError as why:
                return self._impossible(node, operand.span, str(why), why.cure)
        return result

    def _minus(self, operators: tuple[str, ...], operand: Expression, here: Here) -> Value:
        """Evaluate `-x`, `--x`, `-!x`; without a sign, return the value itself."""
        if not operators:
            return self.value(operand, here)
        n_signs = next((idx for idx, sign in enumerate(operators) if sign != "-"), len(operators))
        rest = operators[n_signs:]
        inner = self._negated_by(rest, operand, here) if rest else plain(self.value(operand, here))
        if isinstance(inner, Unknown):
            return inner
        found = number(inner)
        if found is None:
            message = f"`-` needs a number, and `{self.moment.written(operand)}` is {kind_of(inner)}"
            return self._impossible(operand, operand.span, message)
        return -found if n_signs % 2 else found

    def _negated_by(self, operators: tuple[str, ...], operand: Expression, here: Here) -> Value:
        """Evaluate the signs after a minus; their result is a truth value, which has no negative."""
        return self._negated(Unary(span=operand.span, operators=operators, value=operand), here)

    def _impossible(self, node: Expression, span: Span, message: str, cure: str | None = None) -> Unknown:
        cure = cure or number_cure(node.operands if isinstance(node, Operation) else (node,))
        return Unknown("error", self.moment.written(node), partial(problems.not_computable, span, message, (cure,)))
