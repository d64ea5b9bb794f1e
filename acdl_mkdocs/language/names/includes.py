"""Content that another tool inserts into a text: it was not read, so it may define or use any name."""

from functools import lru_cache

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.syntax.host_text import is_never_content, is_remark
from acdl_mkdocs.language.syntax.nodes import File, Fragment, HostLine, HostValue, Node, Prompt


@dataclass(frozen=True, slots=True, eq=False)
class HostContent:
    """The places in a text where another tool inserts content that is not read."""

    places: tuple[HostLine | HostValue, ...]
    """In source order, without comments."""
    is_in_text: bool
    """Whether any of it inserts something."""
    has_choices: bool
    """Whether some of it is conditional: `{% if x %}`."""
    definitions: frozenset[Prompt | Fragment]
    """The specs and fragments in which it inserts something."""

    def may_change(self, definition: Prompt | Fragment | None) -> bool:
        """Return whether host text may add something to a definition."""
        return definition in self.definitions


@lru_cache(maxsize=1)
def find_host_content(file: File) -> HostContent:
    """Find the parts of a text that belong to another tool."""
    tree = build_outline(file)
    nodes: list[HostLine | HostValue] = [*tree.nodes_of(HostLine), *tree.nodes_of(HostValue)]
    if not nodes:
        return _NOTHING
    nodes = [each for each in nodes if not is_remark(host_text(each))]
    nodes.sort(key=lambda each: each.span.start)
    bringing: list[Node] = [each for each in nodes if not is_never_content(host_text(each))]
    definitions = (tree.definition_of(each) for each in bringing)
    has_choices = len(bringing) < len(nodes)
    return HostContent(
        tuple(nodes), bool(bringing), has_choices, frozenset(each for each in definitions if each is not None)
    )


def host_text(node: HostLine | HostValue) -> str:
    """Return the text that another tool processes."""
    return node.text if isinstance(node, HostLine) else node.name


_NOTHING = HostContent((), is_in_text=False, has_choices=False, definitions=frozenset())
