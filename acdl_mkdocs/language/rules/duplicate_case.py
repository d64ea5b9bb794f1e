"""Rule `duplicate-case`: two alternatives of a `Switch` are for the same value."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, remove_statement
from acdl_mkdocs.language.syntax.nodes import Arm, Expression, String, Switch, list_case_values

_DEFAULT = "\0"
"""The value of a `Default`, which no text can have."""


def duplicate_case(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Case` whose value an earlier one has, and every `Default` after the first.

    ## Why
    The first one takes the value: the second is never sent. Often one of two copies was not changed.

    ## Example
    ```acdl
    P[@T]: {
        Switch sys.mode[@T] {
            Case "search" { U: env.results[@T] }
            Case search { U: env.calculation[@T] }
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Switch sys.mode[@T] {
            Case "search" { U: env.results[@T] }
            Case "calculate" {
                U: env.calculation[@T]
            }
        }
    }
    ```

    Reference: Language Reference, "Switch / Case / Default".
    """
    for node in build_outline(resolved.parsed.file).nodes_of(Switch):
        first: dict[str, Arm] = {}
        for arm in node.arms:
            if not isinstance(arm, Arm) or (arm.kind == "case" and arm.test is None):
                continue
            matches = (
                [_format_value(each) for each in list_case_values(arm.test)] if arm.test is not None else [_DEFAULT]
            )
            before = [first[match] for match in matches if match in first]
            for match in matches:
                first.setdefault(match, arm)
            if len(before) == len(matches):
                yield _report_repeated(arm, before[0], resolved)


def _format_value(value: Expression) -> str:
    """Format the value of a `Case`: `a` and `"a"` are the same."""
    return value.value if isinstance(value, String) else format_expression(value)


def _report_repeated(arm: Arm, before: Arm, resolved: Resolved) -> Diagnostic:
    text = resolved.source.text
    is_default = arm.test is None
    value = "" if arm.test is None else text[arm.test.span.start : arm.test.span.end]
    return warning(
        "duplicate-case",
        "a `Switch` has two `Default`s" if is_default else f"two `Case`s are for `{value}`",
        Label(arm.keyword if arm.test is None else arm.test.span, "never reached"),
        related=[Label(before.keyword if before.test is None else before.test.span, "this comes first")],
        help="keep one `Default { ... }`" if is_default else "write another value here, or put what both hold into one",
        fix=Fix("take out the second", (remove_statement(resolved.source, arm.span),), is_safe=False),
    )
