"""Where nodes stand: every node of a tree by its kind, and what is around it.

One walk over a tree serves all rules that look at it. Knows nothing of what names refer to.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar, cast

from acdl_mkdocs.syntax.nodes import (
    Arguments,
    Comprehension,
    Expression,
    File,
    ForEach,
    Fragment,
    Identifier,
    Index,
    Label,
    Node,
    Prompt,
    children,
)

N = TypeVar("N", bound=Node)


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The nodes of one tree."""

    kinds: dict[type[Node], list[Node]]
    """The nodes of each class, parents before children, in field order."""
    parents: dict[Node, Node]
    """What every node but the root stands directly in."""

    def of(self, kind: type[N]) -> list[N]:
        """All nodes of exactly that class."""
        return cast(list[N], self.kinds.get(kind, []))

    def definition(self, node: Node) -> Prompt | Fragment | None:
        """The spec or fragment that a node stands in; `None` in a snippet."""
        found: Node | None = self.parents.get(node)
        while found is not None and not isinstance(found, Prompt | Fragment):
            found = self.parents.get(found)
        return found


@lru_cache(maxsize=1)
def outline(file: File) -> Outline:
    """The outline of a tree; that of the last tree is kept, because its rules ask one after the other."""
    kinds: dict[type[Node], list[Node]] = {}
    parents: dict[Node, Node] = {}
    waiting: list[Node] = [file]
    while waiting:
        node = waiting.pop()
        kinds.setdefault(type(node), []).append(node)
        inner = children(node)
        for child in inner:
            parents[child] = node
        inner.reverse()
        waiting += inner
    return Outline(kinds, parents)


def bound_in(tree: Outline) -> dict[Node | None, dict[str, Identifier]]:
    """The variables of the loops of every definition (`None`: of the text outside them), by name, the first of each."""
    found: dict[Node | None, dict[str, Identifier]] = {}
    loops: list[ForEach | Comprehension] = [*tree.of(ForEach), *tree.of(Comprehension)]
    for loop in loops:
        if loop.variable is not None:
            found.setdefault(tree.definition(loop), {}).setdefault(loop.variable.name, loop.variable)
    return found


def is_header(node: Node, tree: Outline) -> bool:
    """Whether an expression stands in the title of a definition or of a block."""
    inner, outer = node, tree.parents.get(node)
    while isinstance(outer, Expression | Index | Arguments):
        inner, outer = outer, tree.parents.get(outer)
    if isinstance(outer, Prompt | Fragment):
        return any(inner is each for each in outer.parameters)
    return isinstance(outer, Label) and inner is outer.title
