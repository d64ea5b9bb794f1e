"""What every name refers to, within one text.

The tree stays as it is: references are side tables keyed by node identity. Knows nothing of other files.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.nodes import (
    Arm,
    Broken,
    BrokenBlock,
    Comprehension,
    Expression,
    ForEach,
    Fragment,
    FragUse,
    If,
    Label,
    Mark,
    NameDef,
    NameRef,
    Node,
    Prompt,
    RoleMessage,
    Switch,
    Symbol,
    TimeIndex,
    children,
    walk,
)
from acdl_mkdocs.syntax.parse import Parsed

_WORD = re.compile(r"\w+")

Kind: TypeAlias = Literal["prompt", "string-fragment", "roles-fragment"]
Scope: TypeAlias = dict[str, Node]
"""What each visible name is bound to: an `Identifier`, a parameter, or a `NameDef`'s target."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A spec or a fragment."""

    name: str
    kind: Kind
    node: Prompt | Fragment


@dataclass(frozen=True, slots=True)
class Resolved:
    """A tree and its names."""

    parsed: Parsed
    definitions: dict[str, tuple[Definition, ...]]
    """By name, in source order; more than one entry means that the name is defined again."""
    bindings: dict[Node, Node]
    """From a use (`NameRef`, `Symbol`, `TimeIndex`, `FragUse`) to what it refers to: the `Identifier` that binds it,
    the parameter, or the `Fragment`."""
    unknown_fragments: tuple[FragUse, ...]
    """Uses of fragments that the text does not define."""
    unknown_names: tuple[NameRef | TimeIndex, ...]
    """`$x` and `@$x` that no `Name` defines."""
    named: dict[str, Node]
    """Every name that a `Name` defines anywhere in the text, with the first place; for suggestions."""

    @property
    def source(self) -> Source:
        """The text."""
        return self.parsed.source

    @property
    def fragments(self) -> dict[str, Fragment]:
        """The fragments of the text by name; the first one where a name is defined again."""
        found = {}
        for name, entries in self.definitions.items():
            for entry in entries:
                if isinstance(entry.node, Fragment):
                    found[name] = entry.node
                    break
        return found

    def broken_words(self) -> frozenset[str]:
        """The words of text that could not be understood: they may be defined there."""
        if not self.parsed.diagnostics:
            return frozenset()
        broken = (node for node in walk(self.parsed.file) if isinstance(node, Broken | BrokenBlock))
        return frozenset(word for node in broken for word in _WORD.findall(node.text))


def resolve(parsed: Parsed) -> Resolved:
    """Find what every name refers to. What refers to nothing is listed, never raised."""
    run = _Run()
    definitions: dict[str, list[Definition]] = {}
    for node in _definitions(parsed.file.items):
        definitions.setdefault(node.name.name, []).append(Definition(node.name.name, _kind(node), node))
    run.fragments = {
        name: fragment
        for name, entries in definitions.items()
        if (fragment := next((each.node for each in entries if isinstance(each.node, Fragment)), None)) is not None
    }
    run.names = run.names_in(parsed.file.items)
    run.statements(parsed.file.items, {})
    return Resolved(
        parsed=parsed,
        definitions={name: tuple(entries) for name, entries in definitions.items()},
        bindings=run.bindings,
        unknown_fragments=tuple(run.unknown_fragments),
        unknown_names=tuple(run.unknown_names),
        named=run.named,
    )


def _kind(node: Prompt | Fragment) -> Kind:
    if isinstance(node, Prompt):
        return "prompt"
    return "string-fragment" if node.kind == "string" else "roles-fragment"


def _definitions(items: Iterable[Node]) -> list[Prompt | Fragment]:
    """Specs and fragments in source order, also those written inside a spec."""
    found: list[Prompt | Fragment] = []
    waiting = list(reversed(list(items)))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Prompt | Fragment):
            found.append(node)
        waiting.extend(reversed(_inner(node)))
    return found


def _inner(node: Node) -> tuple[Node, ...]:
    """The statements inside a statement."""
    if isinstance(node, If | Switch):
        return node.arms
    if isinstance(node, RoleMessage | ForEach | Arm | Mark | Label | BrokenBlock | Prompt | Fragment):
        return node.body
    return ()


class _Run:
    """Tables that grow while the tree is read."""

    def __init__(self) -> None:
        self.bindings: dict[Node, Node] = {}
        self.fragments: dict[str, Fragment] = {}
        self.names: Scope = {}
        self.named: dict[str, Node] = {}
        self.unknown_fragments: list[FragUse] = []
        self.unknown_names: list[NameRef | TimeIndex] = []

    def names_in(self, items: Iterable[Node]) -> Scope:
        """The `Name`s of one definition: each is visible in the whole of it."""
        found: Scope = {}
        waiting = list(reversed(list(items)))
        while waiting:
            node = waiting.pop()
            if isinstance(node, NameDef):
                for target in node.targets:
                    name = getattr(target, "name", "")
                    found.setdefault(name, target)
                    self.named.setdefault(name, target)
            elif not isinstance(node, Prompt | Fragment):
                waiting.extend(reversed(_inner(node)))
        return found

    def statements(self, items: Iterable[Node], scope: Scope) -> None:
        """Resolve statements; one call a level of nesting."""
        for item in items:
            inner = _inner(item)
            if isinstance(item, Prompt | Fragment):
                outer, self.names = self.names, self.names_in(item.body)
                self.statements(inner, {name: each for each in item.parameters for name in _names_of(each)})
                self.names = outer
            elif isinstance(item, ForEach):
                self.expression(item.iterable, scope)
                bound = {**scope, item.variable.name: item.variable} if item.variable else scope
                self.statements(inner, bound)
            else:
                if isinstance(item, Arm):
                    self.expression(item.test, scope)
                elif isinstance(item, Switch):
                    self.expression(item.subject, scope)
                elif not inner:
                    for child in children(item):
                        self.expression(child, scope)
                self.statements(inner, scope)

    def expression(self, root: Node | None, scope: Scope) -> None:
        """Resolve an expression and everything inside it."""
        waiting: list[tuple[Node, Scope]] = [(root, scope)] if root is not None else []
        while waiting:
            node, visible = waiting.pop()
            if isinstance(node, Comprehension):
                inner = {**visible, node.variable.name: node.variable}
                waiting.append((node.iterable, visible))
                waiting.extend((each, inner) for each in (node.element, node.condition) if each is not None)
                continue
            self.use(node, visible)
            waiting.extend((child, visible) for child in children(node))

    def use(self, node: Node, scope: Scope) -> None:
        """Enter one name in the tables."""
        if isinstance(node, Symbol):
            if node.name in scope:
                self.bindings[node] = scope[node.name]
        elif isinstance(node, NameRef) or (isinstance(node, TimeIndex) and node.is_reference):
            if node.name in self.names:
                self.bindings[node] = self.names[node.name]
            else:
                self.unknown_names.append(node)
        elif isinstance(node, TimeIndex):
            if node.name in scope:
                self.bindings[node] = scope[node.name]
        elif isinstance(node, FragUse):
            fragment = self.fragments.get(node.name.name)
            if fragment is not None:
                self.bindings[node] = fragment
            else:
                self.unknown_fragments.append(node)


def _names_of(parameter: Expression) -> list[str]:
    """The names that a parameter binds: `@T.I` binds T and I."""
    if isinstance(parameter, TimeIndex):
        return [parameter.name, *(part.name for part in parameter.parts if hasattr(part, "name"))]
    if isinstance(parameter, Symbol):
        return [parameter.name]
    found: list[str] = []
    for child in children(parameter):
        if isinstance(child, TimeIndex | Symbol):
            found.extend(_names_of(child))
    return found
