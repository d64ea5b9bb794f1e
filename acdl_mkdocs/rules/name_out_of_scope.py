"""Rule `name-out-of-scope`: `$x` stands outside of the block that its `Name` is in."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.names.scope import OutOfScope, out_of_scope
from acdl_mkdocs.syntax.edits import indent_of, insertion, removal, written
from acdl_mkdocs.syntax.nodes import ForEach, If, NameDef, Node, RoleMessage, Switch, TimeIndex

_WORDS: dict[type[Node], str] = {If: "`If`", Switch: "`Switch`", ForEach: "`ForEach`", RoleMessage: "message"}


def name_out_of_scope(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report the first `$x` outside of the message, loop or alternative that holds the `Name` for it.

    A `Name` counts from its place to the end of the block around it, and in the blocks inside. `Mark` is no such block.

    ## Why
    The block may be passed over, or gone through several times: nothing says which value is meant after it.

    ## Example
    ```acdl
    P[@T]: {
        If @T > 1 {
            Name last := env.query[@T-1]
            U: $last
        }
        U: summarize($last)
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        Name last := env.query[@T-1]
        If @T > 1 {
            U: $last
        }
        U: summarize($last)
    }
    ```

    Reference: Language Reference, "Name Definitions".
    """
    yield from (_reported(found, resolved) for found in out_of_scope(resolved))


def _reported(found: OutOfScope, resolved: Resolved) -> Diagnostic:
    use, name = found.use, found.name
    word, sign = _WORDS.get(type(found.whole), "block"), "@$" if isinstance(use, TimeIndex) else "$"
    shown = f"Name {use.name} := {written(name.value)}"
    cure = f"put `{shown}` before the {word}" if found.is_movable else f"use `{sign}{use.name}` inside the {word}"
    return error(
        "name-out-of-scope",
        f"`{sign}{use.name}` is used outside of the block of its `Name`",
        Label(use.span, "nothing gives it a value here"),
        related=[Label(name.targets[0].span, f"for this {word} only")],
        help=cure,
        fix=_moved(name, found.whole, resolved.source, cure) if found.is_movable else None,
    )


def _moved(name: NameDef, whole: Node, source: Source, title: str) -> Fix | None:
    """The `Name` before the statement that holds it, if that begins its line."""
    indent = indent_of(source, whole.span.start)
    if source.line_starts[source.line_index(whole.span.start)] + len(indent) != whole.span.start:
        return None
    text = source.text[name.span.start : name.span.end]
    edits = (insertion(whole.span.start, f"{text}\n{indent}"), removal(source, name.span))
    return Fix(title, edits, is_safe=False)
