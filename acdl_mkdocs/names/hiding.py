"""Names that are bound where another of the same name can be read: that one is hidden from there on."""

from collections.abc import Iterator
from dataclasses import dataclass

from acdl_mkdocs.names.outline import Outline, outline
from acdl_mkdocs.syntax.nodes import (
    Comprehension,
    Field,
    File,
    ForEach,
    Fragment,
    NameDef,
    Node,
    Path,
    Prompt,
    Symbol,
    TimeIndex,
    walk,
)

_Parameters = dict[Node, dict[str, Node]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two places that bind the same name."""

    name: str
    inner: Node
    """The one that hides the other."""
    outer: Node
    is_loop: bool = False
    """Whether the inner one is the variable of a `ForEach`, not of a list."""


def hidden_by_loops(file: File) -> Iterator[Pair]:
    """Loop variables that hide a parameter or the variable of a loop around them."""
    tree = outline(file)
    definitions: list[Prompt | Fragment] = [*tree.of(Prompt), *tree.of(Fragment)]
    parameters: _Parameters = {node: _parameters(node) for node in definitions}
    loops: list[ForEach | Comprehension] = [*tree.of(ForEach), *tree.of(Comprehension)]
    for loop in loops:
        if loop.variable is not None:
            name = loop.variable.name
            outer = _outer(name, loop, tree, parameters)
            if outer is not None:
                yield Pair(name, loop.variable, outer, isinstance(loop, ForEach))


def names_again(file: File) -> Iterator[Pair]:
    """Targets of a `Name` that one in the same body, or in one around it, defined before."""
    tree = outline(file)
    defined: dict[tuple[Node | None, str], Node] = {}
    for definition in tree.of(NameDef):
        body = tree.parents.get(definition)
        for target in definition.targets:
            if isinstance(target, Path | TimeIndex) and target.name and not target.parts:
                first = _defined_before(target.name, body, tree, defined)
                if first is not None:
                    yield Pair(target.name, target, first)
                defined.setdefault((body, target.name), target)


def _parameters(definition: Prompt | Fragment) -> dict[str, Node]:
    """The parameters by name; `@T.I` is two."""
    found: dict[str, Node] = {}
    for node in (each for parameter in definition.parameters for each in walk(parameter)):
        if isinstance(node, Symbol | TimeIndex):
            found.setdefault(node.name, node)
            for part in node.parts:
                if isinstance(part, Field):
                    found.setdefault(part.name, part)
    return found


def _outer(name: str, inner: Node, tree: Outline, parameters: _Parameters) -> Node | None:
    """What the name is bound to around a loop or comprehension: a variable or a parameter."""
    node = tree.parents.get(inner)
    while node is not None and not isinstance(node, Prompt | Fragment):
        if isinstance(node, ForEach | Comprehension) and node.iterable is not inner:
            variable = node.variable
            if variable is not None and variable.name == name:
                return variable
        inner, node = node, tree.parents.get(node)
    return parameters[node].get(name) if node is not None else None


def _defined_before(
    name: str, body: Node | None, tree: Outline, defined: dict[tuple[Node | None, str], Node]
) -> Node | None:
    """What a `Name` of that name in a body, or in the nearest around it, defines."""
    while body is not None:
        if (body, name) in defined:
            return defined[body, name]
        body = None if isinstance(body, Prompt | Fragment) else tree.parents.get(body)
    return None
