"""The fragments of other texts that two texts use: which of one side stands against which of the other."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.names.library import Entry
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import FragUse, Node, walk
from acdl_mkdocs.language.syntax.parse import Parsed


@dataclass(frozen=True, slots=True)
class UsedPair:
    """What one name means on both sides."""

    name: str
    old: Entry | None
    """`None` where nothing defines it."""
    new: Entry | None
    old_span: Span
    """Where the old text begins to lead to it."""
    new_span: Span


def used_pairs(resolved: tuple[Resolved, Resolved], parsed: tuple[Parsed, Parsed]) -> Iterator[UsedPair]:
    """Each fragment that both texts lead to and that is not their own, in the order of the new text.

    A name that only one side uses is an edit of what uses it.

    Parameters:
        resolved: Both texts with the others that they use.
        parsed: What of both is compared.
    """
    uses = [_uses(each.file) for each in parsed]
    waiting = [
        (name, (resolved[0].source, resolved[1].source), (uses[0][name], span))
        for name, span in reversed(uses[1].items())
        if name in uses[0]
    ]
    seen = set[tuple[str, int, int]]()
    while waiting:
        name, sources, spans = waiting.pop()
        old, new = (_meant(each, name, source) for each, source in zip(resolved, sources, strict=True))
        key = (name, id(old.node if old else None), id(new.node if new else None))
        if key in seen or (old is None and new is None):
            continue
        seen.add(key)
        if not _is_own(old, resolved[0], sources[0]) or not _is_own(new, resolved[1], sources[1]):
            yield UsedPair(name, old, new, *spans)
        if old is not None and new is not None:
            inner = _uses(old.node), _uses(new.node)
            both = [each for each in inner[1] if each in inner[0]]
            waiting += ((each, (old.source, new.source), spans) for each in reversed(both))


def _uses(root: Node) -> dict[str, Span]:
    """The names of the fragments that are used in a tree, and where each is used first."""
    found: dict[str, Span] = {}
    for node in walk(root):
        if isinstance(node, FragUse):
            found.setdefault(node.name.name, node.span)
    return found


def _meant(resolved: Resolved, name: str, source: Source) -> Entry | None:
    """The fragment that a name means in a text."""
    found = resolved.library.seen_from(source, name) if source is not resolved.source else None
    return found or resolved.fragment_named(name)


def _is_own(entry: Entry | None, resolved: Resolved, source: Source) -> bool:
    """Whether a text itself defines what it uses, so that it is compared with all of the text."""
    return entry is not None and entry.source is resolved.source and source is resolved.source
