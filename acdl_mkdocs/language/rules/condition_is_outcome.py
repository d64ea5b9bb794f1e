"""Rule `condition-is-outcome`: a condition names a decision instead of what it depends on."""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, note
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Arm,
    Call,
    ContextVar,
    EndsHere,
    Expression,
    Field,
    Operation,
    Symbol,
    Unary,
    strip_parentheses,
)

_OUTCOME = re.compile(r"(?:should|must|shall|needs?|wants?|decided?)(?:_|(?=[A-Z])).|.*_(?:needed|wanted|decided)$")
_LOGIC = frozenset("&|")
_CONSTANTS = ("true", "false")


def condition_is_outcome(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every condition that only asks whether something should be done.

    ## Why
    The reader learns that the system decides, not from what. To build it, one needs the inputs of the decision.

    ## Example
    ```acdl
    P[@T]: {
        If sys.should_summarize[@T] { S: sys.summary[@T] }
        U: env.user_input[@T]
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If sys.n_tokens[@T] > sys.token_limit {
            S: sys.summary[@T]
        }
        U: env.user_input[@T]
    }
    ```

    Reference: A Language for Describing Agentic LLM Contexts, "Control Flow".
    """
    tree = build_outline(resolved.parsed.file)
    conditions: list[Arm | EndsHere] = [*tree.nodes_of(Arm), *tree.nodes_of(EndsHere)]
    for node in conditions:
        test = node.test if isinstance(node, Arm) else node.condition
        if test is None or (isinstance(node, Arm) and node.kind == "case"):
            continue
        for part in _split_conditions(test):
            if _OUTCOME.match(_last_name(part)):
                text = resolved.source.one_line(part.span.start, part.span.end)
                yield note(
                    "condition-is-outcome",
                    f"`{text}` is a decision, and nothing says what it depends on",
                    Label(part.span, "an outcome, not an input"),
                    help="test what the decision is made from, such as `sys.n_tokens[@T] > sys.token_limit`",
                )


def _split_conditions(test: Expression) -> Iterator[Expression]:
    """Yield the conditions that `&`, `|`, `!`, parentheses and `== true` combine."""
    stack = [test]
    while stack:
        node = strip_parentheses(stack.pop())
        if isinstance(node, Operation) and set(node.operators) <= _LOGIC:
            stack.extend(reversed(node.operands))
        elif isinstance(node, Operation) and node.operators in (("==",), ("!=",)) and _is_constant(node.operands[1]):
            stack.append(node.operands[0])
        elif isinstance(node, Unary) and set(node.operators) == {"!"}:
            stack.append(node.value)
        else:
            yield node


def _is_constant(node: Expression) -> bool:
    return isinstance(node, Symbol) and not node.parts and node.name.lower() in _CONSTANTS


def _last_name(node: Expression) -> str:
    """Return the last name of a `sys` variable or of a call without arguments; empty for anything else."""
    if isinstance(node, ContextVar) and node.namespace == "sys":
        if any(isinstance(part, Arguments) and part.values for part in node.parts):
            return ""
        return next((part.name for part in reversed(node.parts) if isinstance(part, Field)), "")
    if isinstance(node, Call) and isinstance(node.parts[0], Arguments) and not node.parts[0].values:
        return node.name
    return ""
