"""One expression on as many lines as it needs: calls and lists give each value a line of its own.

Only what is wider than the page is broken, from the outside inwards; what cannot be broken stays long.
"""

from acdl_mkdocs.syntax.nodes import Arguments, Call, ContextVar, Expression, ListOf, Operation, Template
from acdl_mkdocs.syntax.words import Notation, text_of, words_of

WIDTH = 120
"""Columns of the widest line that is not broken; a comment beside it does not count."""
STEP = 4
"""Columns of one level of indentation."""


def wrapped(node: Expression, indent: int, before: str, after: str, notation: Notation) -> list[str]:
    """The lines of an expression.

    Parameters:
        node: The expression.
        indent: Columns before the first line.
        before: What stands before the expression on its first line, as `Name docs := `.
        after: What follows it on its last line, as ` {`.
        notation: How it is spelled.
    """
    text = text_of(words_of(node, notation))
    line = " " * indent + before + text + after
    if len(line) <= WIDTH:
        return [line]
    if isinstance(node, Operation) and node.operators[0] in ("&", "|"):
        return _operation(node, indent, before, after, notation)
    values = _values(node)
    if not values:
        return [line]
    inner = sum(len(text_of(words_of(value, notation))) + 2 for value in values) - 1
    opening, closing = text[: len(text) - inner], text[-1]
    lines = [" " * indent + before + opening]
    for value in values[:-1]:
        lines += wrapped(value, indent + STEP, "", ",", notation)
    lines += wrapped(values[-1], indent + STEP, "", "", notation)
    return [*lines, " " * indent + closing + after]


def _values(node: Expression) -> tuple[Expression, ...]:
    """What stands between the last brackets of a call or list; empty if the expression is of another kind."""
    if isinstance(node, ListOf):
        return node.values
    if isinstance(node, Call | Template | ContextVar) and node.parts and isinstance(node.parts[-1], Arguments):
        return node.parts[-1].values
    return ()


def _operation(node: Operation, indent: int, before: str, after: str, notation: Notation) -> list[str]:
    """A condition with a line for each operand, the sign at its end: none looks like the begin of a statement."""
    ends = [*(f" {operator}" for operator in node.operators), after]
    lines = wrapped(node.operands[0], indent, before, ends[0], notation)
    for operand, end in zip(node.operands[1:], ends[1:], strict=True):
        lines += wrapped(operand, indent + 2 * STEP, "", end, notation)
    return lines
