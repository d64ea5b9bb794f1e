"""Everything that a spec reads or inserts: itself, and through the fragments that it uses, of any page or file."""

from collections.abc import Iterable
from typing import get_args

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.frontends.docs.pages.bundle import list_needed_fragments
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.workspace.spec import Mention, MentionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecRead:
    """A value that a spec reads or inserts."""

    name: str
    kind: MentionKind
    forms: tuple[str, ...]
    """Its written forms, in the spec and then in its fragments; each form once."""
    comments: tuple[str, ...]
    """The comments beside it."""
    anchors: tuple[str, ...]
    """The anchors of the parts of the spec's own figure that show it."""
    is_own: bool
    """Whether the spec itself mentions it."""
    via: tuple[SpecEntry, ...]
    """The fragments that mention it."""


def list_reads(entry: SpecEntry, spec_index: SpecIndex) -> tuple[SpecRead, ...]:
    """Return everything that a spec or fragment reads: variables by name, then templates, then functions."""
    mentions: dict[tuple[int, str], list[tuple[SpecEntry, Mention]]] = {}
    order = get_args(MentionKind)
    for each in (entry, *list_needed_fragments(entry, spec_index)):
        for mention in each.spec.mentions:
            mentions.setdefault((order.index(mention.kind), mention.name), []).append((each, mention))
    return tuple(_merge_uses(mentions[key], entry) for key in sorted(mentions))


def _merge_uses(uses: list[tuple[SpecEntry, Mention]], entry: SpecEntry) -> SpecRead:
    """Merge all mentions of one of them; the spec itself comes first if it mentions it."""
    first, mention = uses[0]
    is_own = first is entry
    return SpecRead(
        name=mention.name,
        kind=mention.kind,
        forms=_drop_repeated(form for _, each in uses for form in each.forms),
        comments=_drop_repeated(comment for _, each in uses for comment in each.comments),
        anchors=mention.anchors if is_own else (),
        is_own=is_own,
        via=tuple(user for user, _ in uses if user is not entry),
    )


def _drop_repeated(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
