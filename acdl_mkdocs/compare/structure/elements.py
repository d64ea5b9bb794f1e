"""A tree as elements: statements whose own parts are separate from their bodies.

Comments are not elements. Subtrees with equal keys are the same apart from the names of bound variables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import NamedTuple, Protocol

from acdl_mkdocs.compare.structure.edits import Path
from acdl_mkdocs.compare.structure.expression_tokens import (
    ArgumentValue,
    BoundName,
    ExpressionScope,
    Meaning,
    NamedValue,
    Tokens,
    drop_names,
    is_over_times,
    names_bound_by,
    strip_parentheses,
    tokens_of,
)
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.resolve import binding_part
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Broken,
    BrokenBlock,
    Comment,
    Content,
    Declaration,
    EndsHere,
    File,
    ForEach,
    Fragment,
    FragUse,
    HostLine,
    If,
    Label,
    LoopControl,
    Mark,
    NameDef,
    NameRef,
    Node,
    Prompt,
    RoleMessage,
    Skipped,
    Switch,
    Symbol,
    Template,
    TimeIndex,
    Values,
)
from acdl_mkdocs.language.syntax.pragmas import read_settings
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of


@dataclass(eq=False, slots=True, repr=False)
class Slot:
    """One part of a statement itself, such as its condition."""

    what: str
    tokens: Tokens
    nodes: tuple[Node, ...]
    """The expressions; none for a plain word."""
    span: Span
    names: tuple[str, ...] = ()
    """The names of the variables of comprehensions in it."""
    text: str = ""
    """The plain word."""

    @property
    def normal_form(self) -> str:
        """The slot in the normal form."""
        if not self.nodes:
            return self.text
        return ", ".join(text_of(words_of(each, WRITTEN)) for each in self.nodes)  # type: ignore[arg-type]


@dataclass(eq=False, slots=True, repr=False)
class Element:
    """A statement, an alternative of one, or the whole file."""

    node: Node
    kind: str
    parent: "Element | None"
    path: Path
    slots: tuple[Slot, ...] = ()
    children: "list[Element]" = field(default_factory=list)
    title: str = ""
    """The name of a definition."""
    binds: tuple[str, ...] = ()
    """Variable of a loop, parameters of a definition, the name of a `Name`."""
    names: set[str] = field(default_factory=set)
    """Of a definition: every `$name` in it."""
    definition: "Element | None" = None
    label: int = 0
    """Equal for equal statements, whatever their bodies."""
    key: int = 0
    """Equal for equal subtrees."""
    body: int = 0
    """Equal for equal bodies."""
    size: int = 1
    uses: "tuple[InlinedUse, ...]" = ()
    """The uses of fragments, outermost first, that it replaces in the element around it."""

    def walk_elements(self) -> "Iterator[Element]":
        """Yield the element and everything inside it, parents first."""
        stack = [self]
        while stack:
            current = stack.pop()
            yield current
            stack.extend(reversed(current.children))


class InlinedUse(NamedTuple):
    """A use of a fragment that its body replaces."""

    fragment: Fragment
    node: FragUse


class PlacedStatement(NamedTuple):
    """A statement, its path in the text, and the uses of fragments that it replaces."""

    node: Node
    path: Path
    uses: tuple[InlinedUse, ...] = ()


class Inlining(Protocol):
    """Replaces uses of fragments by their bodies."""

    def expand_statements(self, around: Element, statements: Sequence[PlacedStatement]) -> Iterator[PlacedStatement]:
        """Yield the statements directly inside an element, with those of the fragments that it uses."""
        ...


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two texts, as elements."""

    root: Element
    special: frozenset[str]
    """Names of parts of the time."""
    is_inclusive: bool
    uses_elsewhere: bool
    """Whether it uses fragments that it does not define."""


class Keys(dict[object, int]):
    """Small numbers for equal values, shared by both sides."""

    def __missing__(self, thing: object) -> int:
        self[thing] = len(self)
        return self[thing]


def elements_of(
    file: File,
    mode: RangeMode,
    keys: Keys,
    times: frozenset[str] = frozenset(),
    inlining: "Inlining | None" = None,
) -> Side:
    """Build the elements of a tree.

    Parameters:
        file: The tree.
        mode: How `range(a, b)` is read by default.
        keys: The keys, shared with the other side.
        times: Names of parts of the time in another text, which uses this one.
        inlining: Replaces uses of fragments by their bodies; optional.
    """
    is_inclusive = read_settings(file).get("range", mode) == "inclusive"
    root = Element(file, "File", None, ())
    root.definition = root
    elements = _build_elements(root, inlining)
    fragments: dict[str, Element] = {}
    special = {"T", "I", *times}
    for each in elements:
        if isinstance(each.node, Fragment):
            fragments.setdefault(each.title, each)
        if isinstance(each.node, Prompt):
            special.update(each.binds)
    reader = _SlotReader(fragments, frozenset(special), is_inclusive)
    bound: dict[Element, dict[str, Meaning]] = {root: {}}
    for each in elements:
        outside = bound[each.parent] if each.parent is not None else {}
        if each.uses:
            outside = meanings_in(each.uses, outside)
        own: dict[str, Meaning] = {name: BoundName(each, name) for name in each.binds}
        if isinstance(each.node, (Prompt, Fragment)):
            bound[each] = own
            each.slots = reader.read_slots(each, own)
        else:
            bound[each] = {**outside, **own} if isinstance(each.node, ForEach) else outside
            each.slots = reader.read_slots(each, outside)
    for each in reversed(elements):
        _assign_keys(each, keys)
    return Side(root, frozenset(special), is_inclusive, reader.uses_elsewhere)


def meanings_in(uses: Sequence[InlinedUse], outside: dict[str, Meaning]) -> dict[str, Meaning]:
    """Return what names mean in the body of a fragment, given their meaning where it is used."""
    for use in uses:
        arguments = [value for part in use.node.parts if isinstance(part, Values) for value in part.values]
        inside: dict[str, Meaning] = {
            name: meaning for name, meaning in outside.items() if isinstance(meaning, BoundName) and _is_now(meaning)
        }
        for parameter, value in zip(
            map(binding_part, use.fragment.parameters), map(strip_parentheses, arguments), strict=True
        ):
            names, argument_names = (
                names_bound_by(parameter),
                names_bound_by(value) if type(parameter) is type(value) else [],
            )
            is_name = len(names) == len(argument_names) > 0 and not getattr(value, "is_reference", False)
            if is_name and (not isinstance(value, Symbol) or not value.parts):
                inside.update({name: outside.get(word, word) for name, word in zip(names, argument_names, strict=True)})
            else:
                inside.update(dict.fromkeys(names, ArgumentValue(value, outside)))
        outside = inside
    return outside


def _is_now(bound: BoundName) -> bool:
    """Return whether a name is the time that a spec is built for, which is visible in its fragments too."""
    node = bound.owner.node if isinstance(bound.owner, Element) else None
    times = (
        [binding_part(each) for each in node.parameters if isinstance(binding_part(each), TimeIndex)]
        if isinstance(node, Prompt)
        else []
    )
    return len(times) == 1 and bound.name in names_bound_by(times[0])


def _assign_keys(each: Element, keys: Keys) -> None:
    slots = tuple((slot.what, drop_names(slot.tokens)) for slot in each.slots)
    first = each.children[0].label if isinstance(each.node, If) and each.children else 0
    each.label = keys[(each.kind, slots, first)]
    each.body = keys[tuple(child.key for child in each.children)]
    each.key = keys[(each.label, each.body, "subtree")]
    each.size = 1 + sum(child.size for child in each.children)


def _build_elements(root: Element, inlining: "Inlining | None") -> list[Element]:
    """Build all elements, parents first, without their slots."""
    elements: list[Element] = []
    stack = [root]
    while stack:
        current = stack.pop()
        elements.append(current)
        placed = [PlacedStatement(node, (*current.path, at)) for at, node in enumerate(statements_in(current.node))]
        for node, path, uses in placed if inlining is None else inlining.expand_statements(current, placed):
            kind = type(node).__name__
            if isinstance(node, Arm):
                kind = {"if": "test", "elseif": "test"}.get(node.kind, node.kind)
            child = Element(node, kind, current, path, uses=uses)
            child.definition = child if isinstance(node, (Prompt, Fragment)) else current.definition
            _name_element(child)
            current.children.append(child)
        stack.extend(reversed(current.children))
    return elements


def _name_element(element: Element) -> None:
    """Set the title of an element and the names that it binds."""
    match element.node:
        case Prompt() | Fragment() as node:
            element.title = node.name.name
            element.binds = tuple(name for each in node.parameters for name in names_bound_by(each))
        case ForEach(variable=variable) if variable is not None:
            element.binds = (variable.name,)
        case NameDef() as node:
            named = (each.name for each in node.targets[:1] if isinstance(each, (NameRef, Symbol, Template, TimeIndex)))
            element.binds = tuple(named)


def statements_in(node: Node) -> list[Node]:
    """Return the statements directly inside a statement, without comments."""
    match node:
        case File():
            statements: tuple[Node, ...] = node.items
        case If() | Switch():
            statements = node.arms
        case RoleMessage() | ForEach() | Arm() | Mark() | Label() | BrokenBlock() | Prompt() | Fragment():
            statements = node.body
        case Content() | NameDef() | EndsHere() | LoopControl() | Declaration() | Skipped() | HostLine() | Broken():
            statements = ()
        case Comment():
            statements = ()
        case _:
            raise TypeError(f"no statement: {type(node).__name__}")
    return [each for each in statements if not isinstance(each, Comment)]


class _SlotReader:
    """A reader of the slots of statements."""

    def __init__(self, fragments: dict[str, Element], special: frozenset[str], is_inclusive: bool) -> None:
        self.fragments = fragments
        self.special = special
        self.is_inclusive = is_inclusive
        self.uses_elsewhere = False

    def read_slots(self, element: Element, bound: dict[str, Meaning]) -> tuple[Slot, ...]:
        """Read the parts of a statement itself, without its body."""
        assert element.definition is not None  # noqa: S101 - set with the element
        scope = ExpressionScope(bound, element.definition, self.fragments, self.special, self.is_inclusive)
        slots = tuple(self._make_slot(part, scope) for part in _slot_parts(element.node))
        for slot in slots:
            element.definition.names.update(each.name for each in slot.tokens if isinstance(each, NamedValue))
            self.uses_elsewhere |= any(
                each == "Frag" and not isinstance(after, BoundName)
                for each, after in zip(slot.tokens, slot.tokens[1:], strict=False)
            )
        if isinstance(element.node, NameDef):
            element.definition.names.update(element.binds)
        return slots

    @staticmethod
    def _make_slot(parts: "_SlotParts", scope: ExpressionScope) -> Slot:
        what, nodes, span, text = parts
        tokens: list[object] = [text, len(nodes)]
        names: list[str] = []
        for node in nodes:
            node_tokens, node_names = tokens_of(node, scope, is_content=what == "content")
            tokens += node_tokens
            names += node_names
        return Slot(what, tuple(tokens), nodes, span, tuple(names), text)  # type: ignore[arg-type]


_SlotParts = tuple[str, tuple[Node, ...], Span, str]
"""The aspect, its expressions, its place, or a plain word."""


def _slot_parts(node: Node) -> list[_SlotParts]:  # noqa: C901  # one short case a construct
    """Return the parts of a statement itself."""
    match node:
        case Content():
            return [_expression_parts("content", node.value, node.span)]
        case NameDef():
            others = ", ".join(text_of(words_of(each, WRITTEN)) for each in node.targets[1:])
            return [("value", (node.value,), node.value.span, others)]
        case EndsHere():
            return [_expression_parts("condition", node.condition, node.span)]
        case RoleMessage():
            return [("role", (), node.marker, node.role)]
        case ForEach(variable=variable) if variable is not None:
            kind = "point in time" if variable.is_time or is_over_times(node.iterable) else "value"
            return [
                ("kind of variable", (), variable.span, kind),
                _expression_parts("elements", node.iterable, node.keyword),
            ]
        case Arm():
            return [_expression_parts("case" if node.kind == "case" else "condition", node.test, node.keyword)]
        case Switch():
            return [_expression_parts("subject", node.subject, node.keyword)]
        case Mark():
            return [_expression_parts("number", node.number, node.keyword)]
        case Label():
            return [("title", (node.title,), node.title.span, "")]
        case Declaration() | Skipped() | HostLine() | Broken() | BrokenBlock():
            word = node.namespace if isinstance(node, Declaration) else getattr(node, "keyword", "")
            return [("text", (), node.span, f"{word} {' '.join(node.text.split())}".strip())]
        case Prompt():
            return [("parameters", node.parameters, node.name.span, "")]
        case Fragment():
            kind = "StrFrag" if node.kind == "string" else "RolesFrag"
            return [("kind", (), node.keyword, kind), ("parameters", node.parameters, node.name.span, "")]
        case ForEach() | If() | LoopControl() | Comment() | File():
            return []
        case _:
            raise TypeError(f"no statement: {type(node).__name__}")


def _expression_parts(what: str, node: Node | None, around: Span) -> _SlotParts:
    return (what, (), around, "") if node is None else (what, (node,), node.span, "")
