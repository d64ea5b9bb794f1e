"""How far a `Name` reaches: from its place to the end of the block around it, and into the blocks there.

A message, a round of a loop and an alternative are such blocks; a `Mark` and a labelled group are none.
"""

import sys
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.names.outline import Inherited, Outline, outline
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import Arm, ForEach, Identifier, NameDef, NameRef, Node, RoleMessage, TimeIndex, walk

_SCOPES = (Arm, ForEach, RoleMessage)


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """A use of a name that no `Name` before it reaches."""

    use: NameRef | TimeIndex
    name: NameDef
    """The first `Name` for it."""
    whole: Node
    """The outermost statement that holds the `Name` and not the use."""
    is_movable: bool
    """Whether the `Name` says the same before that statement."""


def out_of_scope(resolved: Resolved) -> Iterator[OutOfScope]:
    """The first use of each name that stands outside of the block of its `Name`, and after it.

    A block in which another one is never closed has no certain end: what stands outside of it is left out.
    """
    if not resolved.named:
        return
    tree = outline(resolved.parsed.file)
    defined = _defined(tree)
    open_at = [each.label.span.start for each in resolved.parsed.diagnostics if each.rule == "unbalanced-block"]
    reported: set[NameDef] = set()  # the first use of each says it for all
    uses: list[NameRef | TimeIndex] = [*tree.of(NameRef), *(each for each in tree.of(TimeIndex) if each.is_reference)]
    for use in sorted(uses, key=lambda each: each.span.start):
        bound = resolved.bindings.get(use)
        if bound is None or not isinstance(tree.parents.get(bound), NameDef):
            continue
        names = defined[tree.definition(use), use.name]
        first, n_before = names.names[0], bisect_right(names.ends, use.span.start)
        if not n_before or names.reaches[n_before - 1] > use.span.start or first in reported:
            continue
        reported.add(first)
        around = set(_blocks(use, tree.parents))
        block = [each for each in _blocks(first, tree.parents) if each not in around][-1]
        whole = tree.parents[block] if isinstance(block, Arm) else block
        if not any(whole.span.start <= at < whole.span.end for at in open_at):
            yield OutOfScope(use, first, whole, n_before == 1 and not _needs(first, block, resolved))


@dataclass(frozen=True, slots=True)
class _Names:
    """Every `Name` for the same name in a definition, in source order."""

    names: list[NameDef]
    ends: list[int]
    """Where each ends."""
    reaches: list[int]
    """How far at most it and those before it reach."""


def _defined(tree: Outline) -> dict[tuple[Node | None, str], _Names]:
    """What defines each name of each definition."""
    found: dict[tuple[Node | None, str], list[NameDef]] = {}
    for each in tree.of(NameDef):
        for target in each.targets:
            found.setdefault((tree.definition(each), getattr(target, "name", "")), []).append(each)
    reach = Inherited(tree.parents, _end_of_scope, sys.maxsize)
    defined = {}
    for key, names in found.items():
        names.sort(key=lambda each: each.span.end)
        ends = [each.span.end for each in names]
        defined[key] = _Names(names, ends, list(accumulate(map(reach.of, names), max)))
    return defined


def _end_of_scope(_: Node, outer: Node) -> int | None:
    return outer.span.end if isinstance(outer, _SCOPES) else None


def _blocks(node: Node, parents: dict[Node, Node]) -> Iterator[Node]:
    """The blocks around a node that end the reach of a `Name`, the innermost first."""
    outer = parents.get(node)
    while outer is not None:
        if isinstance(outer, _SCOPES):
            yield outer
        outer = parents.get(outer)


def _needs(name: NameDef, block: Node, resolved: Resolved) -> bool:
    """Whether the value is made from what is only known inside the block."""
    parents = outline(resolved.parsed.file).parents
    for node in walk(name.value):
        binder = resolved.bindings.get(node)
        holder = parents.get(binder) if binder is not None else None
        is_local = isinstance(binder, Identifier) and isinstance(holder, ForEach)
        if holder is None or not (is_local or isinstance(holder, NameDef)):
            continue
        if holder is block or block in set(_blocks(holder, parents)):
            return True
    return False
