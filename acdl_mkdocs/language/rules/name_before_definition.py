"""Rule `name-before-definition`: `$x` is before the `Name` that defines it."""

from bisect import bisect_right
from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, warning
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.includes import find_host_content
from acdl_mkdocs.language.names.outline import NodePosition, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, indent_of, insert_text, remove_statement
from acdl_mkdocs.language.syntax.nodes import NameDef, NameRef, Node, TimeIndex


def name_before_definition(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report every `$x` before its `Name`, or in the value of its own `Name`.

    ## Why
    A spec is read from the top, by people and by programs that build the prompt: `$x` is not defined yet.

    ## Example
    ```acdl
    P[@T]: {
        U: $docs.text
        Name docs := find(env.query[@T])
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name docs := find(env.query[@T])
        U: $docs.text
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    if not resolved.defined_names:
        return
    defined: dict[Node, NodePosition] = {}
    for position in find_positions(resolved.parsed.file):
        if isinstance(position.node, NameDef):
            defined.update((target, position) for target in position.node.targets)
    for use, target in resolved.bindings.items():
        if not isinstance(use, (NameRef, TimeIndex)) or target not in defined:
            continue
        position = defined[target]
        if find_host_content(resolved.parsed.file).may_change(position.definition):
            continue  # unread text may define it before
        if use.span.start < target.span.start:
            yield _report_early_use(use, target, position, resolved.source)
        elif use.span.start < position.node.span.end:
            yield warning(
                "name-before-definition",
                f"the value of `${use.name}` is made from itself",
                Label(use.span, f"`${use.name}` has no value yet"),
                related=[Label(target.span, "defined here")],
                help=f"give the new value another name: `Name new_{use.name} := ...`",
            )


def _report_early_use(use: NameRef | TimeIndex, target: Node, position: NodePosition, source: Source) -> Diagnostic:
    value = position.node.value if isinstance(position.node, NameDef) else None
    definition = f"Name {use.name} := {format_expression(value) if value is not None else '...'}"
    return warning(
        "name-before-definition",
        f"`${use.name}` is used before its `Name`",
        Label(use.span, "not defined yet"),
        related=[Label(target.span, "defined only here")],
        help=f"put `{definition}` above this",
        fix=_move_name(use, position, source),
    )


def _move_name(use: Node, position: NodePosition, source: Source) -> Fix | None:
    """Return a fix that moves the `Name` before the statement with the use, if both are in one body."""
    at = bisect_right(position.siblings, use.span.start, hi=position.index, key=lambda each: each.span.start) - 1
    holder = position.siblings[at]
    if at < 0 or use.span.start >= holder.span.end:
        return None
    indent = indent_of(source, holder.span.start)
    if source.line_starts[source.line_index(holder.span.start)] + len(indent) != holder.span.start:
        return None  # other text is before it on its line
    text = source.text[position.node.span.start : position.node.span.end]
    edits = (insert_text(holder.span.start, f"{text}\n{indent}"), remove_statement(source, position.node.span))
    return Fix("move the `Name` up", edits, is_safe=False)
