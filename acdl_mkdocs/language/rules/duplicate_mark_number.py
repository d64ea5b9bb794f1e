"""Rule `duplicate-mark-number`: two marks of a spec have the same number."""

from collections.abc import Iterator
from typing import TypeGuard

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note
from acdl_mkdocs.language.names.outline import build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, replace_text
from acdl_mkdocs.language.syntax.nodes import Mark, Node, Number


def duplicate_mark_number(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `Mark` whose number an earlier one of the same spec or fragment has.

    ## Why
    The number is what the text around a figure refers to: "mark 1" would be two places.

    ## Example
    ```acdl
    P[@T]: {
        Mark 1 { S: INSTRUCTIONS }
        Mark 1 { U: env.query[@T] }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Mark 1 { S: INSTRUCTIONS }
        Mark 2 { U: env.query[@T] }
    }
    ```

    Reference: Language Reference, "Mark Blocks".
    """
    if len(build_outline(resolved.parsed.file).nodes_of(Mark)) <= 1:
        return
    marks: dict[Node | None, list[Mark]] = {}
    for position in find_positions(resolved.parsed.file):
        if isinstance(position.node, Mark) and position.node.number is not None:
            marks.setdefault(position.definition, []).append(position.node)
    for group in marks.values():
        first: dict[str, Mark] = {}
        numbers = (int(mark.number.text) for mark in group if _is_whole(mark.number))
        free = max(numbers, default=0) + 1
        for mark in group:
            number_text = format_expression(mark.number) if mark.number is not None else ""
            before = first.setdefault(number_text, mark)
            if before is not mark:
                yield _report_repeated(mark, before, number_text, free)
                free += _is_whole(mark.number)


def _is_whole(number: Node | None) -> TypeGuard[Number]:
    return isinstance(number, Number) and number.text.isdecimal()


def _report_repeated(mark: Mark, before: Mark, number_text: str, free: int) -> Diagnostic:
    number, earlier = mark.number or mark, before.number or before
    fix = Fix(f"write `Mark {free}`", (replace_text(number.span, str(free)),), is_safe=False)
    return note(
        "duplicate-mark-number",
        f"two marks have the number {number_text}",
        Label(number.span, "used again"),
        related=[Label(earlier.span, "first used here")],
        help=f"write `Mark {free}`",
        fix=fix if _is_whole(mark.number) else None,  # the text around the figure may mean either mark
    )
