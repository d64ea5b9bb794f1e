"""Rule `loop-over-one-value`: a loop runs over something that has no elements."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.language.names.kinds import Kinds, bare_value
from acdl_mkdocs.language.names.outline import outline
from acdl_mkdocs.language.names.ranges import counted_to, loop_cures
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.edits import insertion, replacement, written
from acdl_mkdocs.language.syntax.nodes import Comprehension, Expression, ForEach, Range, Symbol


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
    tree = outline(resolved.parsed.file)
    kinds = Kinds(resolved)
    loops: list[ForEach | Comprehension] = [*tree.of(ForEach), *tree.of(Comprehension)]
    for loop in loops:
        iterable = loop.iterable
        if type(iterable) is Range:
            continue  # as nearly all are
        kind = kinds.of_iterable(iterable) if iterable is not None else None
        if iterable is None or kind in (None, "a list", "a map", "nothing"):
            continue
        value, mode = bare_value(iterable), range_mode(resolved, config)
        is_name = isinstance(value, Symbol) and value.name in resolved.named
        is_number = kind in ("a number", "a time", "a time of a sub-step")
        yield warning(
            "loop-over-one-value",
            f"`{written(iterable)}` cannot be looped over: it is {kind}",
            Label(iterable.span, "no list and no map"),
            help=f"write `${written(value)}`" if is_name else loop_cures(value, mode, is_number=is_number),
            fix=_fix(value, mode, is_name=is_name, is_number=is_number),
        )


def _fix(value: Expression, mode: RangeMode, *, is_name: bool, is_number: bool) -> Fix | None:
    if is_name:
        return Fix("refer to the `Name`", (insertion(value.span.start, "$"),), is_safe=False)
    counted = counted_to(value, mode)
    return Fix("count to it", (replacement(value.span, counted),), is_safe=False) if is_number else None
