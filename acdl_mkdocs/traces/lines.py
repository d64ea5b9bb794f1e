"""`lines_of()`: the lines of a spec about which recorded runs can say something. Knows nothing of runs."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Content,
    EndsHere,
    ForEach,
    Fragment,
    FragUse,
    Node,
    Prompt,
    RoleMessage,
    children,
)

Kind: TypeAlias = Literal["message", "content", "loop", "alternative", "end"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a spec, by what stands first in it."""

    kind: Kind
    origin: Origin


@dataclass(frozen=True, slots=True)
class Definition:
    """A spec or a fragment, and the text that it stands in."""

    node: Node
    source: Source


def lines_of(resolved: Resolved, prompt: Prompt | None) -> list[Line]:
    """The lines of a spec and of the fragments that it uses, each once, in the order in which they come up."""
    found: dict[tuple[str, int], Line] = {}
    for definition in definitions_of(resolved, prompt):
        for node in _inside(definition.node):
            for line in _line(node, definition.source):
                found.setdefault((definition.source.name, line.origin.line), line)
    return list(found.values())


def choices_of(resolved: Resolved, prompt: Prompt | None) -> list[ForEach | Arm | EndsHere]:
    """The loops, alternatives and ends of a spec and of the fragments that it uses, also several on a line."""
    nodes = (node for each in definitions_of(resolved, prompt) for node in _inside(each.node))
    return [node for node in nodes if isinstance(node, ForEach | Arm | EndsHere)]


def definitions_of(resolved: Resolved, prompt: Prompt | None) -> list[Definition]:
    """A spec and the fragments that it uses, each once, in the order in which they come up."""
    found: dict[Node, Definition] = {}
    waiting = [Definition(prompt or resolved.parsed.file, resolved.source)]
    while waiting:
        definition = waiting.pop(0)
        if definition.node in found:
            continue
        found[definition.node] = definition
        for node in _inside(definition.node):
            if isinstance(node, FragUse):
                entry = resolved.fragment_of(node, definition.source)
                waiting += [] if entry is None else [Definition(entry.node, entry.source)]
    return list(found.values())


def _inside(definition: Node) -> Iterator[Node]:
    """What is in a definition, and not in another one."""
    waiting = [definition]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [each for each in reversed(children(node)) if not isinstance(each, Prompt | Fragment)]


def _line(node: Node, source: Source) -> Iterator[Line]:
    match node:
        case RoleMessage():
            yield Line("message", Origin(source, node.span))
        case Content() if not isinstance(node.value, FragUse):
            yield Line("content", Origin(source, node.value.span))
        case ForEach():
            yield Line("loop", Origin(source, node.keyword))
        case Arm():
            yield Line("alternative", Origin(source, node.keyword))
        case EndsHere():
            yield Line("end", Origin(source, node.span))
