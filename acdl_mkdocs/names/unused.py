"""`Name`s that nothing refers to, and words that may be meant to."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.names.places import Place, expressions, places
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.syntax.nodes import NameDef, NameRef, Node, Path, Symbol, TimeIndex, walk


@dataclass(frozen=True, slots=True)
class UnusedName:
    """A `Name` that no `$x` of its spec or fragment refers to."""

    place: Place
    target: Path | TimeIndex
    """The name itself."""
    bare: Symbol | None
    """A word of the same spec or fragment that is spelled the same, without `$`, and bound to nothing."""


def unused_names(resolved: Resolved) -> list[UnusedName]:
    """Every `Name` of one plain target without a use, in source order.

    None of a definition with a syntax error: the use may be what was not understood.
    """
    if not resolved.named:
        return []
    used = {
        (name, bound)
        for use, bound in (*resolved.bindings.items(), *resolved.wrong_signs.items())
        if isinstance(use, NameRef | TimeIndex) and (name := use.name)
    }
    broken = [each.label.span.start for each in resolved.parsed.diagnostics]
    first: dict[tuple[Node, str], Node] = {}
    unused: list[tuple[Place, Path | TimeIndex, Node]] = []
    for place in places(resolved.parsed.file):
        target, definition = _target(place.node), place.definition
        if target is None or definition is None:
            continue
        bound = first.setdefault((definition, target.name), target)
        is_broken = any(definition.span.start <= at <= definition.span.end for at in broken)
        if (target.name, bound) not in used and not is_broken:
            unused.append((place, target, definition))
    bare = _bare_words(resolved) if unused else {}
    return [UnusedName(place, target, bare.get((definition, target.name))) for place, target, definition in unused]


def _target(node: Node) -> Path | TimeIndex | None:
    """The one plain name that a `Name` defines."""
    target = node.targets[0] if isinstance(node, NameDef) and len(node.targets) == 1 else None
    return target if isinstance(target, Path | TimeIndex) and not target.parts else None


def _bare_words(resolved: Resolved) -> dict[tuple[Node, str], Symbol]:
    """The first word of each name in each definition that is bound to nothing: it may be a use without `$`."""
    found: dict[tuple[Node, str], Symbol] = {}
    for place in places(resolved.parsed.file):
        if place.definition is None:
            continue
        named = place.node.targets if isinstance(place.node, NameDef) else ()
        for node in (inner for each in expressions(place.node) if each not in named for inner in walk(each)):
            if isinstance(node, Symbol) and node not in resolved.bindings:
                found.setdefault((place.definition, node.name), node)
    return found
