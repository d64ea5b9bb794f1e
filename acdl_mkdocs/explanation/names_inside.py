"""What the names of one definition stand for and how often they are used, looked up once for all its statements."""

from collections import Counter, defaultdict

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import Expression, NameDef, NameRef, Node, TimeIndex, walk


@dataclass(frozen=True, slots=True)
class NamesInside:
    """The names of a definition."""

    values: dict[Node, list[Expression]]
    """By what a reference is bound to: everything that the name stands for."""
    n_uses: Counter[str]
    """As a value or as a time."""


def names_inside(definition: Node) -> NamesInside:
    """The names of a prompt or fragment."""
    values: defaultdict[Node, list[Expression]] = defaultdict(list)
    uses = Counter[str]()
    for node in walk(definition):
        match node:
            case NameDef():
                for target in node.targets:
                    values[target].append(node.value)
            case NameRef():
                uses[node.name] += 1
            case TimeIndex() if node.is_reference:
                uses[node.name] += 1
    return NamesInside(dict(values), uses)
