"""How far a `Name` reaches: from its place to the end of the block around it, and into the blocks there.

A message, a round of a loop and an alternative are such blocks; a `Mark` and a labelled group are none.
"""

from collections.abc import Iterator

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.names.outline import outline
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
    """The first use of each name that stands outside of the block of its `Name`, and after it."""
    if not resolved.named:
        return
    tree = outline(resolved.parsed.file)
    defined: dict[tuple[Node | None, str], list[NameDef]] = {}
    for each in tree.of(NameDef):
        for target in each.targets:
            defined.setdefault((tree.definition(each), getattr(target, "name", "")), []).append(each)
    reported: set[NameDef] = set()  # the first use of each says it for all
    uses: list[NameRef | TimeIndex] = [*tree.of(NameRef), *(each for each in tree.of(TimeIndex) if each.is_reference)]
    for use in sorted(uses, key=lambda each: each.span.start):
        bound = resolved.bindings.get(use)
        if bound is None or not isinstance(tree.parents.get(bound), NameDef):
            continue
        found = [each for each in defined[tree.definition(use), use.name] if each.span.end <= use.span.start]
        around = set(_blocks(use, tree.parents))
        outside = [[block for block in _blocks(each, tree.parents) if block not in around] for each in found]
        if found and all(outside) and found[0] not in reported:
            reported.add(found[0])
            block = outside[0][-1]
            whole = tree.parents[block] if isinstance(block, Arm) else block
            yield OutOfScope(use, found[0], whole, len(found) == 1 and not _needs(found[0], block, resolved))


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
