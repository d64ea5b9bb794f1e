"""Code lenses above a definition: its uses, and commands for it. The commands are the client's."""

from collections.abc import Iterator
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.name_occurrences import NameOccurrence
from acdl_mkdocs.frontends.editor.places import Location
from acdl_mkdocs.frontends.editor.sampled import state_text
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.nodes import Fragment, Prompt

Argument: TypeAlias = str | int | tuple[Location, ...]

SHOW_REFERENCES, EVALUATE, PREVIEW, COMPARE = (
    "acdl.showReferences",
    "acdl.evaluate",
    "acdl.preview",
    "acdl.compareWithHead",
)
"""`acdl.showReferences(uri, offset, places)`, `acdl.evaluate(uri, spec)`, `acdl.preview(uri, spec)` and
`acdl.compareWithHead(uri, spec)`."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A clickable text above a line."""

    span: Span
    """The name that the lens belongs to, in code points of the document."""
    title: str
    command: str
    arguments: tuple[Argument, ...]


def list_lenses(workspace: Workspace, uri: str, *, is_in_git: bool = False) -> tuple[Lens, ...]:
    """Return the code lenses of a document, in order.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        is_in_git: Whether git has an earlier version to compare with.
    """
    document = workspace.find_document(uri)
    if document is None:
        return ()
    return tuple(
        lens
        for piece in document.pieces
        for node in piece.parsed.file.items
        if isinstance(node, (Prompt, Fragment))
        for lens in _list_definition_lenses(node, piece, workspace, document, is_in_git=is_in_git)
    )


def _list_definition_lenses(
    node: Prompt | Fragment, piece: Piece, workspace: Workspace, document: Document, *, is_in_git: bool
) -> Iterator[Lens]:
    span = piece.to_document(node.name.span)
    name, uri = node.name.name, document.uri
    if isinstance(node, Fragment):
        places = uses_of(workspace, piece, node)
        title = f"used in {format_count(len(places), 'place')}" if places else "not used"
        yield Lens(span, title, SHOW_REFERENCES, (uri, span.start, places))
    yield Lens(span, "show figure", PREVIEW, (uri, name))
    if isinstance(node, Prompt) and state_text(workspace, uri, name) is not None:
        yield Lens(span, "evaluate", EVALUATE, (uri, name))
    if is_in_git:
        yield Lens(span, "compare with HEAD", COMPARE, (uri, name))


def uses_of(workspace: Workspace, piece: Piece, fragment: Fragment) -> tuple[Location, ...]:
    """Return the places where a fragment is used, in all documents."""
    own = next(
        (each.target for each in workspace.list_names(piece) if each.is_definition and _is_of(each, fragment)), None
    )
    return tuple(
        Location(other.uri, other.to_document(site.span))
        for other in workspace.find_pieces_with(fragment.name.name)
        for site in workspace.list_names(other)
        if not site.is_definition and site.target == own
    )


def _is_of(site: NameOccurrence, fragment: Fragment) -> bool:
    """Return whether an occurrence is the name of a fragment at its definition."""
    return site.target.kind == "fragment" and fragment.name.span.start <= site.span.start < fragment.name.span.end
