"""Rule `loop-over-one-value`: a loop runs over something that has no elements."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.kinds import ExpressionKinds
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.ranges import range_to, suggest_loops
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text, replace_text
from acdl_mkdocs.language.syntax.nodes import Comprehension, Expression, ForEach, Range, Symbol, strip_parentheses


def loop_over_one_value(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report loops over a number, a time, a text or a truth value, for any data.

    ## Why
    One value has no elements, so the prompt cannot be built.

    ## Example
    ```acdl
    P[@T]: {
        U: {
            ForEach(doc: documents) {
                doc.title
            }
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        U: {
            ForEach(doc: env.documents) {
                doc.title
            }
        }
    }
    ```

    Reference: Language Reference, "ForEach".
    """
    tree = build_outline(resolved.parsed.file)
    kinds = ExpressionKinds(resolved)
    loops: list[ForEach | Comprehension] = [*tree.nodes_of(ForEach), *tree.nodes_of(Comprehension)]
    for loop in loops:
        iterable = loop.iterable
        if type(iterable) is Range:
            continue  # as nearly all are
        kind = kinds.iterable_kind(iterable) if iterable is not None else None
        if iterable is None or kind in (None, "a list", "a map", "nothing"):
            continue
        value, mode = strip_parentheses(iterable), range_mode(resolved, config)
        is_name = isinstance(value, Symbol) and value.name in resolved.defined_names
        is_number = kind in ("a number", "a time", "a time of a sub-step")
        yield warning(
            "loop-over-one-value",
            f"`{format_expression(iterable)}` cannot be looped over: it is {kind}",
            Label(iterable.span, "no list and no map"),
            help=f"write `${format_expression(value)}`" if is_name else suggest_loops(value, mode, is_number=is_number),
            fix=_make_fix(value, mode, is_name=is_name, is_number=is_number),
        )


def _make_fix(value: Expression, mode: RangeMode, *, is_name: bool, is_number: bool) -> Fix | None:
    if is_name:
        return Fix("refer to the `Name`", (insert_text(value.span.start, "$"),), is_safe=False)
    counted = range_to(value, mode)
    return Fix("count to it", (replace_text(value.span, counted),), is_safe=False) if is_number else None
