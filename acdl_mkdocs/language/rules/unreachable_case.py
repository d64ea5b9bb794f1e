"""Rule `unreachable-case`: an alternative is never taken, because of those before it or because it is constant."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.conditions import Bound, bound_of, covers_bound, is_always, is_never
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import remove_statement
from acdl_mkdocs.language.syntax.nodes import Arm, If

_LIMIT = 50
"""No more than this many earlier bounds on one value are compared with each alternative."""


def unreachable_case(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every alternative of an `If` that an earlier one covers, and every condition that is never true.

    ## Why
    What it holds is never sent, though the spec reads as if it were.

    ## Example
    ```acdl
    P[@T]: {
        If @T > 1 { U: env.query[@T] }
        ElseIf @T > 9 { S: REMINDER }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        If @T > 9 { S: REMINDER }
        ElseIf @T > 1 { U: env.query[@T] }
    }
    ```

    Reference: Language Reference, "If / ElseIf / Else".
    """
    for node in build_outline(resolved.parsed.file).nodes_of(If):
        first = node.arms[0]
        if len(node.arms) > 1:
            yield from _check_arms([arm for arm in node.arms if isinstance(arm, Arm)], resolved)
        elif isinstance(first, Arm) and first.test is not None and is_never(first.test):
            yield _report_unreachable(first, None, resolved)


def _check_arms(arms: list[Arm], resolved: Resolved) -> Iterator[Diagnostic]:
    seen: dict[str, list[tuple[Bound, Arm]]] = {}
    always: Arm | None = None
    for arm in arms:
        if arm.kind == "else" and always is None:
            return  # `arm-after-else` reports the rest
        if arm.test is None and arm.kind != "else":
            continue
        bound = bound_of(arm.test) if arm.test is not None else None
        earlier = seen.setdefault(bound.value, []) if bound else []
        cover = always or next((other for each, other in earlier[:_LIMIT] if bound and covers_bound(each, bound)), None)
        if cover is not None:
            yield _report_unreachable(arm, cover, resolved)
        elif arm.test is not None and is_never(arm.test):
            yield _report_unreachable(arm, None, resolved)
        elif arm.test is not None and is_always(arm.test):
            always = arm
        elif bound:
            earlier.append((bound, arm))


def _report_unreachable(arm: Arm, cover: Arm | None, resolved: Resolved) -> Diagnostic:
    source = resolved.source
    span = arm.test.span if arm.test is not None else arm.keyword
    if cover is None or cover.test is None:
        return warning(
            "unreachable-case",
            f"`{source.one_line(span.start, span.end)}` is never true",
            Label(span, "so this is never sent"),
            help="test something that changes, such as `@T > 1`, or take it out",
        )
    test = source.one_line(cover.test.span.start, cover.test.span.end)
    word = source.one_line(arm.keyword.start, arm.keyword.end)
    return warning(
        "unreachable-case",
        f"this `{word}` is never reached",
        Label(span, f"never reached: `{test}` takes it"),
        related=[Label(cover.test.span, "this comes first")],
        help=_suggest_help(arm, cover),
        fix=Fix("take it out", (remove_statement(source, arm.span),), is_safe=False),
    )


def _suggest_help(arm: Arm, cover: Arm) -> str:
    if cover.test is not None and is_always(cover.test):
        return "give the first a condition that is not always true, or take this alternative out"
    if arm.test is not None and cover.test is not None and bound_of(arm.test) == bound_of(cover.test):
        return "write another condition here, or put what both hold into one"
    return "put the narrower condition first, or take this alternative out"
