"""The positions of nodes: every node of a tree by its kind, and the nodes around it.

One walk over a tree serves all rules that look at it. Knows nothing about references.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Generic, TypeVar

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Arguments,
    Arm,
    BrokenBlock,
    Comprehension,
    Content,
    Expression,
    File,
    ForEach,
    Fragment,
    FragUse,
    Group,
    Identifier,
    If,
    Index,
    Label,
    Mark,
    Node,
    Operation,
    Prompt,
    RoleMessage,
    Switch,
    Unary,
    children,
)

N = TypeVar("N", bound=Node)
V = TypeVar("V")


class InheritedFact(Generic[V]):
    """A fact about nodes that they inherit from the nodes around them; computed once per node."""

    def __init__(self, parents: dict[Node, Node], decide: Callable[[Node, Node], V | None], default: V) -> None:
        """Prepare the lookup.

        Parameters:
            parents: The parent of every node but the root.
            decide: Returns the fact about a node if its parent decides it, `None` to look further out.
            default: The fact if nothing around decides it.
        """
        self._parents = parents
        self._decide = decide
        self._otherwise = default
        self._facts: dict[Node, V] = {}

    def fact_of(self, node: Node) -> V:
        """Return the fact about a node."""
        undecided: list[Node] = []
        fact: V | None = self._facts.get(node)
        while fact is None:
            undecided.append(node)
            outer = self._parents.get(node)
            if outer is None:
                fact = self._otherwise
            else:
                fact = self._decide(node, outer)
                node = outer
                fact = self._facts.get(node) if fact is None else fact
        self._facts.update(dict.fromkeys(undecided, fact))
        return fact


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The nodes of one tree."""

    kinds: dict[type[Node], list[Node]]
    """The nodes of each class, parents before children, in field order."""
    parents: dict[Node, Node]
    """The parent of every node but the root."""
    definitions: dict[Node, Prompt | Fragment]
    """The spec or fragment around each node that is in one."""

    def nodes_of(self, kind: type[N]) -> list[N]:
        """Return all nodes of exactly that class."""
        return self.kinds.get(kind, [])  # type: ignore[return-value]  # nodes of that class alone; `cast` costs a call

    def definition_of(self, node: Node) -> Prompt | Fragment | None:
        """Return the spec or fragment that contains a node; `None` in a snippet."""
        return self.definitions.get(node)


@lru_cache(maxsize=1)
def build_outline(file: File) -> Outline:
    """Build the outline of a tree; that of the last tree is cached, because its rules need it one after another."""
    kinds: dict[type[Node], list[Node]] = {}
    parents: dict[Node, Node] = {}
    definitions: dict[Node, Prompt | Fragment] = {}
    stack: list[Node] = [file]
    while stack:
        node = stack.pop()
        kinds.setdefault(type(node), []).append(node)
        inner = children(node)
        if inner:
            parents.update(dict.fromkeys(inner, node))
            around = node if isinstance(node, (Prompt, Fragment)) else definitions.get(node)
            if around is not None:
                definitions.update(dict.fromkeys(inner, around))
            inner.reverse()
            stack += inner
    return Outline(kinds, parents, definitions)


def find_loop_variables(outline: Outline) -> dict[Node | None, dict[str, Identifier]]:
    """Return the first loop variable of each name in every definition (`None`: outside of definitions)."""
    variables: dict[Node | None, dict[str, Identifier]] = {}
    loops: list[ForEach | Comprehension] = [*outline.nodes_of(ForEach), *outline.nodes_of(Comprehension)]
    for loop in loops:
        if loop.variable is not None:
            variables.setdefault(outline.definition_of(loop), {}).setdefault(loop.variable.name, loop.variable)
    return variables


def is_header(node: Node, outline: Outline) -> bool:
    """Return whether an expression is part of the title of a definition or block."""
    inner, outer = node, outline.parents.get(node)
    while isinstance(outer, (Expression, Index, Arguments)):
        inner, outer = outer, outline.parents.get(outer)
    if isinstance(outer, (Prompt, Fragment)):
        return any(inner is each for each in outer.parameters)
    return isinstance(outer, Label) and inner is outer.title


def content_of(node: Node, outline: Outline) -> Content | None:
    """Return the content that an expression is part of, if only operators are in between."""
    outer = outline.parents.get(node)
    while isinstance(outer, (Operation, Unary, Group)):
        outer = outline.parents.get(outer)
    return outer if isinstance(outer, Content) else None


_BLOCKS = (RoleMessage, ForEach, Arm, Mark, Label, BrokenBlock, Prompt, Fragment)


@dataclass(frozen=True, slots=True)
class NodePosition:
    """The position of a statement, or of an arm of an `If` or `Switch`."""

    node: Node
    parent: Node
    """The block, arm, `If`, `Switch` or file that holds it."""
    siblings: tuple[Node, ...]
    """The statements of its body, itself among them."""
    index: int
    """Its index among them."""
    message: RoleMessage | None
    """The outermost message around it."""
    loop: ForEach | None
    """The innermost loop around it."""
    definition: Prompt | Fragment | None
    """The spec or fragment around it; `None` in a snippet."""
    is_certain: bool
    """Whether all of that is known: not in a snippet, nor in a block whose header was not understood."""

    @property
    def following(self) -> tuple[Node, ...]:
        """The statements after it in its body."""
        return self.siblings[self.index + 1 :]

    @property
    def is_unconditional(self) -> bool:
        """Whether it is neither in a loop nor in a condition nor in a message."""
        return isinstance(self.parent, (Prompt, Fragment, Mark, Label))

    @property
    def is_needed(self) -> bool:
        """Whether its message needs it: one without braces contains exactly one statement."""
        return isinstance(self.parent, RoleMessage) and not self.parent.is_braced

    @property
    def is_text(self) -> bool:
        """Whether content is allowed here: in a message or in a string fragment."""
        in_fragment = isinstance(self.definition, Fragment) and self.definition.kind == "string"
        return self.message is not None or in_fragment


@lru_cache(maxsize=2)
def find_positions(file: File) -> tuple[NodePosition, ...]:
    """Return the positions of all statements of a text, in source order; those of the last texts are cached."""
    positions: list[NodePosition] = []
    stack = [NodePosition(file, file, (), 0, None, None, None, is_certain=False)]
    while stack:
        position = stack.pop()
        if position.node is not file:
            positions.append(position)
        stack.extend(reversed(_positions_inside(position)))
    return tuple(positions)


def body_of(node: Node) -> tuple[Node, ...]:
    """Return the statements or arms directly inside a statement; empty if it is not a block."""
    if isinstance(node, (If, Switch)):
        return node.arms
    if isinstance(node, _BLOCKS):
        return node.body
    return node.items if isinstance(node, File) else ()


def own_expressions(node: Node) -> Iterator[Node]:
    """Yield the expressions of a statement itself (content, condition, iterable, ...), not those of its body."""
    inside = frozenset(map(id, body_of(node)))
    return (child for child in children(node) if id(child) not in inside)


@dataclass(frozen=True, slots=True)
class ResolvedUse:
    """A `Frag` whose fragment is known."""

    node: FragUse
    position: NodePosition
    """Of the statement that it is in."""
    fragment: Fragment
    is_here: bool
    """Whether the text itself defines the fragment, so that its spans are places of the text."""

    @property
    def is_statement(self) -> bool:
        """Whether it is a statement and not part of another expression."""
        return isinstance(self.position.node, Content) and self.position.node.value is self.node


def fragment_uses(resolved: Resolved) -> list[ResolvedUse]:
    """Return every use of a fragment that the text or its library defines, in source order."""
    tree = build_outline(resolved.parsed.file)
    uses = tree.nodes_of(FragUse)
    if not uses:
        return []
    of_statement = {position.node: position for position in find_positions(resolved.parsed.file)}
    resolved_uses: list[ResolvedUse] = []
    for use in uses:
        own_fragment = resolved.bindings.get(use)
        fragment = own_fragment or next((entry.node for entry in resolved.library_uses.get(use, ())), None)
        node: Node | None = use
        while node is not None and node not in of_statement:
            node = tree.parents.get(node)
        if isinstance(fragment, Fragment) and node is not None:
            resolved_uses.append(ResolvedUse(use, of_statement[node], fragment, own_fragment is not None))
    return resolved_uses


def statements_between_messages(file: File) -> dict[Prompt | Fragment, list[NodePosition]]:
    """Return the statements of each spec and fragment that are outside of messages, including the messages."""
    positions: dict[Prompt | Fragment, list[NodePosition]] = {}
    for position in find_positions(file):
        if position.definition is not None and position.message is None:
            positions.setdefault(position.definition, []).append(position)
    return positions


@lru_cache(maxsize=2)
def definitions_with_messages(file: File) -> frozenset[Prompt | Fragment]:
    """Return the specs and fragments that contain messages themselves."""
    definitions = (position.definition for position in find_positions(file) if isinstance(position.node, RoleMessage))
    return frozenset(definition for definition in definitions if definition is not None)


def _positions_inside(position: NodePosition) -> list[NodePosition]:
    node = position.node
    body = body_of(node)
    if not body:
        return []
    message, loop, definition, is_certain = position.message, position.loop, position.definition, position.is_certain
    if isinstance(node, (Prompt, Fragment)):
        message, loop, definition, is_certain = None, None, node, True
    elif isinstance(node, RoleMessage):
        message = message or node
    elif isinstance(node, ForEach):
        loop = node
    elif isinstance(node, BrokenBlock):
        is_certain = False
    return [
        NodePosition(each, node, body, index, message, loop, definition, is_certain) for index, each in enumerate(body)
    ]
