"""Where nodes stand: every node of a tree by its kind, and what is around it.

One walk over a tree serves all rules that look at it. Knows nothing of what names refer to.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.syntax.nodes import (
    Arguments,
    Comprehension,
    Content,
    Expression,
    File,
    ForEach,
    Fragment,
    Group,
    Identifier,
    Index,
    Label,
    Node,
    Operation,
    Prompt,
    Unary,
    children,
)

N = TypeVar("N", bound=Node)
V = TypeVar("V")


class Inherited(Generic[V]):
    """A fact about nodes that those inside take over from those around them; each is asked for once."""

    def __init__(self, parents: dict[Node, Node], decide: Callable[[Node, Node], V | None], otherwise: V) -> None:
        """Prepare to answer.

        Parameters:
            parents: What every node but the root stands directly in.
            decide: The fact about a node as the one that it stands directly in settles it, `None` to look further out.
            otherwise: The fact where nothing around settles it.
        """
        self._parents = parents
        self._decide = decide
        self._otherwise = otherwise
        self._known: dict[Node, V] = {}

    def of(self, node: Node) -> V:
        """The fact about a node."""
        asked: list[Node] = []
        found: V | None = self._known.get(node)
        while found is None:
            asked.append(node)
            outer = self._parents.get(node)
            if outer is None:
                found = self._otherwise
            else:
                found = self._decide(node, outer)
                node = outer
                found = self._known.get(node) if found is None else found
        self._known.update(dict.fromkeys(asked, found))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The nodes of one tree."""

    kinds: dict[type[Node], list[Node]]
    """The nodes of each class, parents before children, in field order."""
    parents: dict[Node, Node]
    """What every node but the root stands directly in."""
    definitions: dict[Node, Prompt | Fragment]
    """The spec or fragment that a node stands in; nothing for what stands in none."""

    def of(self, kind: type[N]) -> list[N]:
        """All nodes of exactly that class."""
        return self.kinds.get(kind, [])  # type: ignore[return-value]  # nodes of that class alone; `cast` costs a call

    def definition(self, node: Node) -> Prompt | Fragment | None:
        """The spec or fragment that a node stands in; `None` in a snippet."""
        return self.definitions.get(node)


@lru_cache(maxsize=1)
def outline(file: File) -> Outline:
    """The outline of a tree; that of the last tree is kept, because its rules ask one after the other."""
    kinds: dict[type[Node], list[Node]] = {}
    parents: dict[Node, Node] = {}
    definitions: dict[Node, Prompt | Fragment] = {}
    waiting: list[Node] = [file]
    while waiting:
        node = waiting.pop()
        kinds.setdefault(type(node), []).append(node)
        inner = children(node)
        if inner:
            parents.update(dict.fromkeys(inner, node))
            around = node if isinstance(node, Prompt | Fragment) else definitions.get(node)
            if around is not None:
                definitions.update(dict.fromkeys(inner, around))
            inner.reverse()
            waiting += inner
    return Outline(kinds, parents, definitions)


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


def content_of(node: Node, tree: Outline) -> Content | None:
    """The content that an expression is a part of, if only operators stand between both."""
    outer = tree.parents.get(node)
    while isinstance(outer, Operation | Unary | Group):
        outer = tree.parents.get(outer)
    return outer if isinstance(outer, Content) else None
