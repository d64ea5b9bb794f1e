"""Rule `malformed-range`: a range has other arguments than two bounds and a step."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.ranges import (
    arguments_of,
    bounds_of,
    describe_problem,
    is_indexed_range,
    is_malformed,
    suggest_range,
)
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import range_mode
from acdl_mkdocs.language.syntax.edits import replace_text
from acdl_mkdocs.language.syntax.nodes import Arguments, Call, Expression, Index, Range, Symbol


def malformed_range(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report every `range` with none, one or more than three arguments, with names for them, or with `a..b` inside.

    ## Why
    It is not clear what it runs over, so the prompt cannot be built.

    ## Example
    ```acdl
    P[@T]: {
        ForEach(@t: range(start=1, stop=@T)) {
            U: env.query[@t]
        }
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T)) {
            U: env.query[@t]
        }
    }
    ```

    Reference: Language Reference, "Functions".
    """
    tree = build_outline(resolved.parsed.file)
    mode = range_mode(resolved, config)
    for call in tree.nodes_of(Call):
        arguments = arguments_of(call) if call.name == "range" else None
        if arguments is not None and is_malformed(arguments):
            end = next(part.span.end for part in call.parts if isinstance(part, Arguments))
            yield _report_range(Span(call.span.start, end), arguments, suggest_range(arguments, mode))
    for word in tree.nodes_of(Symbol):
        if is_indexed_range(word) and isinstance(word.parts[0], Index):
            arguments = word.parts[0].values
            yield _report_range(
                Span(word.span.start, word.parts[0].span.end), arguments, suggest_range(arguments, mode)
            )
    for bounds in tree.nodes_of(Range):
        arguments = bounds_of(bounds)
        if arguments and is_malformed(arguments):
            yield _report_range(bounds.span, arguments, suggest_range(arguments, mode))


def _report_range(span: Span, arguments: tuple[Expression, ...], documented: str) -> Diagnostic:
    return error(
        "malformed-range",
        describe_problem(arguments)
        if is_malformed(arguments)
        else "the bounds of `range` stand in brackets, not in parentheses",
        Label(span, "this has no value"),
        help=f"write `{documented}`",
        fix=Fix(f"write `{documented}`", (replace_text(span, documented),), is_safe=False),
    )
