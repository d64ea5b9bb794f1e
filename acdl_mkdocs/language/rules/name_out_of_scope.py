"""Rule `name-out-of-scope`: `$x` is outside of the block that contains its `Name`."""

import sys
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.outline import InheritedFact, Outline, build_outline
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.edits import format_expression, indent_of, insert_text, remove_statement
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    ForEach,
    Identifier,
    If,
    NameDef,
    NameRef,
    Node,
    RoleMessage,
    Switch,
    TimeIndex,
    walk,
)

_SCOPES = (Arm, ForEach, RoleMessage)


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """A use of a name that no `Name` before it reaches."""

    use: NameRef | TimeIndex
    name: NameDef
    """The first `Name` for it."""
    statement: Node
    """The outermost statement that holds the `Name` and not the use."""
    is_movable: bool
    """Whether the `Name` means the same before that statement."""


def find_out_of_scope(resolved: Resolved) -> Iterator[OutOfScope]:
    """Yield the first use of each name that is outside of the block of its `Name`, and after it.

    A block in which another one is never closed has no certain end: uses outside of it are left out.
    """
    if not resolved.defined_names:
        return
    tree = build_outline(resolved.parsed.file)
    defined = _collect_definitions(tree)
    open_at = [each.label.span.start for each in resolved.parsed.diagnostics if each.rule == "unbalanced-block"]
    reported: set[NameDef] = set()  # the first use of each covers all
    uses: list[NameRef | TimeIndex] = [
        *tree.nodes_of(NameRef),
        *(each for each in tree.nodes_of(TimeIndex) if each.is_reference),
    ]
    for use in sorted(uses, key=lambda each: each.span.start):
        bound = resolved.bindings.get(use)
        if bound is None or not isinstance(tree.parents.get(bound), NameDef):
            continue
        names = defined[tree.definition_of(use), use.name]
        first, n_before = names.names[0], bisect_right(names.ends, use.span.start)
        if not n_before or names.reaches[n_before - 1] > use.span.start or first in reported:
            continue
        reported.add(first)
        around = set(_enclosing_scopes(use, tree.parents))
        block = [each for each in _enclosing_scopes(first, tree.parents) if each not in around][-1]
        statement = tree.parents[block] if isinstance(block, Arm) else block
        if not any(statement.span.start <= at < statement.span.end for at in open_at):
            yield OutOfScope(use, first, statement, n_before == 1 and not _needs_block(first, block, resolved))


@dataclass(frozen=True, slots=True)
class _NameDefinitions:
    """Every `Name` for the same name in a definition, in source order."""

    names: list[NameDef]
    ends: list[int]
    """The end of each."""
    reaches: list[int]
    """The furthest end of the scopes up to each of them."""


def _collect_definitions(outline: Outline) -> dict[tuple[Node | None, str], _NameDefinitions]:
    """Collect the definitions of each name in each definition."""
    definitions: dict[tuple[Node | None, str], list[NameDef]] = {}
    for each in outline.nodes_of(NameDef):
        for target in each.targets:
            definitions.setdefault((outline.definition_of(each), getattr(target, "name", "")), []).append(each)
    reach = InheritedFact(outline.parents, _end_of_scope, sys.maxsize)
    defined = {}
    for key, names in definitions.items():
        names.sort(key=lambda each: each.span.end)
        ends = [each.span.end for each in names]
        defined[key] = _NameDefinitions(names, ends, list(accumulate(map(reach.fact_of, names), max)))
    return defined


def _end_of_scope(_: Node, outer: Node) -> int | None:
    return outer.span.end if isinstance(outer, _SCOPES) else None


def _enclosing_scopes(node: Node, parents: dict[Node, Node]) -> Iterator[Node]:
    """Yield the blocks around a node that limit the reach of a `Name`, innermost first."""
    outer = parents.get(node)
    while outer is not None:
        if isinstance(outer, _SCOPES):
            yield outer
        outer = parents.get(outer)


def _needs_block(name: NameDef, block: Node, resolved: Resolved) -> bool:
    """Return whether the value depends on something that is only known inside the block."""
    parents = build_outline(resolved.parsed.file).parents
    for node in walk(name.value):
        binder = resolved.bindings.get(node)
        holder = parents.get(binder) if binder is not None else None
        is_local = isinstance(binder, Identifier) and isinstance(holder, ForEach)
        if holder is None or not (is_local or isinstance(holder, NameDef)):
            continue
        if holder is block or block in set(_enclosing_scopes(holder, parents)):
            return True
    return False


_WORDS: dict[type[Node], str] = {If: "`If`", Switch: "`Switch`", ForEach: "`ForEach`", RoleMessage: "message"}


def name_out_of_scope(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report the first `$x` outside of the message, loop or alternative that holds the `Name` for it.

    A `Name` counts from its place to the end of the block around it, and in the blocks inside. `Mark` is no such block.

    ## Why
    The block may be skipped, or repeated: it is not clear which value is meant after it.

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
    yield from (_report_use(problem, resolved) for problem in find_out_of_scope(resolved))


def _report_use(problem: OutOfScope, resolved: Resolved) -> Diagnostic:
    use, name = problem.use, problem.name
    word, sign = _WORDS.get(type(problem.statement), "block"), "@$" if isinstance(use, TimeIndex) else "$"
    definition = f"Name {use.name} := {format_expression(name.value)}"
    cure = (
        f"put `{definition}` before the {word}" if problem.is_movable else f"use `{sign}{use.name}` inside the {word}"
    )
    return error(
        "name-out-of-scope",
        f"`{sign}{use.name}` is used outside of the block of its `Name`",
        Label(use.span, "nothing gives it a value here"),
        related=[Label(name.targets[0].span, f"for this {word} only")],
        help=cure,
        fix=_move_name(name, problem.statement, resolved.source, cure) if problem.is_movable else None,
    )


def _move_name(name: NameDef, statement: Node, source: Source, title: str) -> Fix | None:
    """Return a fix that moves the `Name` before the statement that contains it, if that begins its line."""
    indent = indent_of(source, statement.span.start)
    if source.line_starts[source.line_index(statement.span.start)] + len(indent) != statement.span.start:
        return None
    text = source.text[name.span.start : name.span.end]
    edits = (insert_text(statement.span.start, f"{text}\n{indent}"), remove_statement(source, name.span))
    return Fix(title, edits, is_safe=False)
