"""The references of every name, within one text and a library of others.

The tree does not change: references are side tables keyed by node identity. Knows nothing about files.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import KnownNames
from acdl_mkdocs.language.names.library import Library, LibraryEntry
from acdl_mkdocs.language.syntax.letters import LETTER, normalize_name
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Broken,
    BrokenBlock,
    Comprehension,
    Expression,
    Field,
    ForEach,
    Fragment,
    FragUse,
    Group,
    Identifier,
    If,
    Label,
    Mark,
    NameDef,
    NameRef,
    Node,
    Operation,
    Path,
    Prompt,
    RoleMessage,
    Switch,
    Symbol,
    TimeIndex,
    children,
    walk,
)
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.language.syntax.spellings import name_before

_WORD = compile_later(rf"{LETTER}+")

Kind: TypeAlias = Literal["prompt", "string-fragment", "roles-fragment"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The bindings of all visible names. Loops are separate, because each loop copies that small part."""

    parameters: dict[str, Node]
    loops: dict[str, Node]
    """The variables of the loops and comprehensions around."""

    def find_binding(self, name: str) -> Node | None:
        """Return the `Identifier` or the parameter that binds a name; `None` if nothing does."""
        return self.loops.get(name) or self.parameters.get(name)

    def with_variable(self, variable: Identifier) -> "Scope":
        """Return the scope inside a loop."""
        return Scope(self.parameters, {**self.loops, variable.name: variable})


@dataclass(frozen=True, slots=True)
class Definition:
    """A spec or a fragment."""

    name: str
    kind: Kind
    node: Prompt | Fragment


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """A tree and its names."""

    parsed: Parsed
    definitions: dict[str, tuple[Definition, ...]]
    """By name, in source order; more than one entry means that the name is defined again."""
    fragments: KnownNames[Fragment]
    """The fragments of the text by name; the first one where a name is defined again."""
    bindings: dict[Node, Node]
    """From a use (`NameRef`, `Symbol`, `TimeIndex`, `FragUse`) to what it refers to: the `Identifier` that binds it,
    the parameter, or the `Fragment`."""
    library_uses: dict[FragUse, tuple[LibraryEntry, ...]]
    """Uses of fragments that only other texts of the library define; several entries where the name is ambiguous."""
    unknown_fragments: tuple[FragUse, ...]
    """Uses of fragments that neither the text nor the library defines."""
    unknown_names: tuple[NameRef | TimeIndex, ...]
    """`$x` and `@$x` that no `Name` defines."""
    wrong_signs: dict[NameRef | TimeIndex, Node]
    """Names with a wrong sign before them: from `$x` to the loop variable or parameter `x`, from `@x` to the `Name x`.
    Nothing else there has the name."""
    defined_names: KnownNames[Node]
    """Every name that a `Name` defines anywhere in the text, with the first place; for suggestions."""
    library: Library
    """The other texts."""

    @property
    def source(self) -> Source:
        """The text."""
        return self.parsed.source

    def fragment_of(self, use: FragUse, source: Source) -> LibraryEntry | None:
        """Return the fragment that a use refers to: in the text itself, or in a text of the library."""
        name = use.name.name
        entry = self.library.resolve_fragment(source, name) if source is not self.source else None
        if entry is None and name in self.fragments:
            entry = LibraryEntry(name, self.fragments[name], self.source)
        return entry or next(iter(self.library_uses.get(use, ())), None)

    def find_fragment(self, name: str) -> LibraryEntry | None:
        """Return the fragment that `Frag` with this name would refer to."""
        if name in self.fragments:
            return LibraryEntry(name, self.fragments[name], self.source)
        return next(iter(self.library.find_fragments(name, outside=self.source)), None)

    def broken_words(self) -> frozenset[str]:
        """Return words that may be defined in text that was not understood, or before a comma: `docs, n = f()`."""
        words: list[str] = []
        for node in walk(self.parsed.file):
            if isinstance(node, (Broken, BrokenBlock)) and self.parsed.diagnostics:
                words += _WORD.findall(node.text)
            elif isinstance(node, NameDef) and (shared := name_before(self.source, node)) is not None:
                words += _WORD.findall(self.source.text, shared.start, shared.end)
        return frozenset(map(normalize_name, words))


def resolve(parsed: Parsed, library: Library | None = None) -> Resolved:
    """Find the reference of every name, first in the text itself. Names without one are listed; never raises."""
    run = _Resolver()
    definitions: dict[str, list[Definition]] = {}
    for node in _collect_definitions(parsed.file.items):
        definitions.setdefault(node.name.name, []).append(Definition(node.name.name, _definition_kind(node), node))
    for name, defined in definitions.items():
        fragment = next((each.node for each in defined if isinstance(each.node, Fragment)), None)
        if fragment is not None:
            run.fragments[name] = fragment
    run.names = run.collect_names(parsed.file.items)
    run.resolve_statements(parsed.file.items, Scope({}, {}))
    library = library or Library()
    elsewhere = {
        use: entries
        for use in run.unknown_fragments
        if (entries := library.find_fragments(use.name.name, outside=parsed.source))
    }
    return Resolved(
        parsed=parsed,
        definitions={name: tuple(entries) for name, entries in definitions.items()},
        fragments=run.fragments,
        bindings=run.bindings,
        library_uses=elsewhere,
        unknown_fragments=tuple(use for use in run.unknown_fragments if use not in elsewhere),
        unknown_names=tuple(run.unknown_names),
        wrong_signs=run.wrong_signs,
        defined_names=run.named,
        library=library,
    )


def _definition_kind(node: Prompt | Fragment) -> Kind:
    if isinstance(node, Prompt):
        return "prompt"
    return "string-fragment" if node.kind == "string" else "roles-fragment"


def _collect_definitions(items: Iterable[Node]) -> list[Prompt | Fragment]:
    """Return specs and fragments in source order, including those nested in a spec."""
    definitions: list[Prompt | Fragment] = []
    stack = list(reversed(list(items)))
    while stack:
        node = stack.pop()
        if isinstance(node, (Prompt, Fragment)):
            definitions.append(node)
        stack.extend(reversed(_inner_statements(node)))
    return definitions


def _inner_statements(node: Node) -> tuple[Node, ...]:
    """Return the statements inside a statement."""
    if isinstance(node, (If, Switch)):
        return node.arms
    if isinstance(node, (RoleMessage, ForEach, Arm, Mark, Label, BrokenBlock, Prompt, Fragment)):
        return node.body
    return ()


class _Resolver:
    """Tables that grow while the tree is read."""

    def __init__(self) -> None:
        self.bindings: dict[Node, Node] = {}
        self.fragments: KnownNames[Fragment] = KnownNames()
        self.names: dict[str, Node] = {}
        self.named: KnownNames[Node] = KnownNames()
        self.unknown_fragments: list[FragUse] = []
        self.unknown_names: list[NameRef | TimeIndex] = []
        self.wrong_signs: dict[NameRef | TimeIndex, Node] = {}

    def collect_names(self, items: Iterable[Node]) -> dict[str, Node]:
        """Collect the `Name`s of one definition; each is visible in all of it."""
        names: dict[str, Node] = {}
        stack = list(reversed(list(items)))
        while stack:
            node = stack.pop()
            if isinstance(node, NameDef):
                for target in node.targets:
                    if isinstance(target, (Path, TimeIndex)):
                        names.setdefault(target.name, target)
                        self.named.setdefault(target.name, target)
            elif not isinstance(node, (Prompt, Fragment)):
                stack.extend(reversed(_inner_statements(node)))
        return names

    def resolve_statements(self, items: Iterable[Node], scope: Scope) -> None:
        """Resolve statements; one call per level of nesting."""
        for item in items:
            inner = _inner_statements(item)
            if isinstance(item, (Prompt, Fragment)):
                outer, self.names = self.names, self.collect_names(item.body)
                parameters: dict[str, Node] = {name: each for each in item.parameters for name in _names_of(each)}
                self.resolve_statements(inner, Scope(parameters, {}))
                self.names = outer
            elif isinstance(item, ForEach):
                self.resolve_expression(item.iterable, scope)
                self.resolve_statements(inner, scope.with_variable(item.variable) if item.variable else scope)
            else:
                if isinstance(item, Arm):
                    self.resolve_expression(item.test, scope)
                elif isinstance(item, Switch):
                    self.resolve_expression(item.subject, scope)
                elif not inner:
                    for child in children(item):
                        self.resolve_expression(child, scope)
                self.resolve_statements(inner, scope)

    def resolve_expression(self, root: Node | None, scope: Scope) -> None:
        """Resolve an expression and everything inside it."""
        stack: list[tuple[Node, Scope]] = [(root, scope)] if root is not None else []
        while stack:
            node, visible = stack.pop()
            if isinstance(node, Comprehension):
                inner = visible.with_variable(node.variable)
                stack.append((node.iterable, visible))
                stack.extend((each, inner) for each in (node.element, node.condition) if each is not None)
                continue
            self.resolve_use(node, visible)
            stack.extend((child, visible) for child in children(node))

    def resolve_use(self, node: Node, scope: Scope) -> None:
        """Add the use of a name to the tables."""
        if isinstance(node, Symbol) or (isinstance(node, TimeIndex) and not node.is_reference):
            bound = scope.find_binding(node.name)
            if bound is not None:
                self.bindings[node] = bound
            elif isinstance(node, TimeIndex) and self.names.get(node.name, node) is not node:
                self.wrong_signs[node] = self.names[node.name]
        elif isinstance(node, (NameRef, TimeIndex)):
            if node.name in self.names:
                self.bindings[node] = self.names[node.name]
            else:
                self.unknown_names.append(node)
                bound = scope.find_binding(node.name)
                if bound is not None:
                    self.wrong_signs[node] = bound
        elif isinstance(node, FragUse):
            fragment = self.fragments.get(node.name.name)
            if fragment is not None:
                self.bindings[node] = fragment
            else:
                self.unknown_fragments.append(node)


def binding_part(parameter: Expression) -> Expression:
    """Return the part of a parameter that binds names: `x` of `(x)`, `@T` of `@T=1`."""
    while isinstance(parameter, (Group, Operation)):
        parameter = parameter.value if isinstance(parameter, Group) else parameter.operands[0]
    return parameter


def _names_of(parameter: Expression) -> list[str]:
    """Return the names that a parameter binds: `@T.I` binds T and I."""
    parameter = binding_part(parameter)
    if isinstance(parameter, TimeIndex):
        return [parameter.name, *(part.name for part in parameter.parts if isinstance(part, Field))]
    if isinstance(parameter, Symbol):
        return [parameter.name]
    names: list[str] = []
    for child in children(parameter):
        if isinstance(child, (TimeIndex, Symbol)):
            names.extend(_names_of(child))
    return names
