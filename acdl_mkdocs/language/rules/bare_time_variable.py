"""Rule `bare-time-variable`: a time is used as an index without its `@`."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, note, warning
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.times import is_bare_time, time_binder
from acdl_mkdocs.language.syntax.edits import format_expression, insert_text
from acdl_mkdocs.language.syntax.nodes import ContextVar, FragUse, Group, Index, Node, Operation, Symbol


def bare_time_variable(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every index such as `[t]` where `t` is a time: the variable of a loop over time, or a parameter `@t`.

    `ForEach(t: range(1, @T))` and `ForEach(@t: range(1, @T))` bind the same variable; only its use as an index is
    reported. A step such as `T.I` without its `@` is a warning: it is read as a field of `T`, which has none.

    ## Why
    The `@` shows readers which of several indices is the time.

    ## Example
    ```acdl
    P[@T]: {
        ForEach(@t: range(1, @T)) {
            U: env.query[t]
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

    Reference: Language Reference, "Identifiers and Naming Conventions".
    """
    tree = build_outline(resolved.parsed.file)
    for symbol in tree.nodes_of(Symbol):
        if symbol.parts and is_bare_time(symbol, resolved):
            text = format_expression(symbol)
            yield warning(
                "bare-time-variable",
                f"the time `{text}` is written without `@`",
                Label(symbol.span, f"read as a field of `{symbol.name}`, which has none"),
                help=f"write `@{text}`",
                fix=Fix(f"write `@{text}`", (insert_text(symbol.span.start, "@"),), is_safe=False),
            )
        elif not symbol.parts and _is_index(symbol, tree.parents) and time_binder(symbol, resolved) is not None:
            yield note(
                "bare-time-variable",
                f"the time `{symbol.name}` is written without `@`",
                Label(symbol.span, "a time index begins with `@`"),
                help=f"write `@{symbol.name}`",
                fix=Fix(f"write `@{symbol.name}`", (insert_text(symbol.span.start, "@"),)),
            )


def _is_index(node: Node, parents: dict[Node, Node]) -> bool:
    """Return whether a node is an index of a variable or an argument of a fragment, perhaps with arithmetic."""
    outer = parents.get(node)
    while isinstance(outer, (Operation, Group)):
        outer = parents.get(outer)
    return isinstance(outer, Index) and isinstance(parents.get(outer), (ContextVar, FragUse))
