"""The name at a position of a document, and all of its occurrences.

The one answer behind definitions, references, highlights and renaming.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import TypeVar

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Document, Piece
from acdl_mkdocs.frontends.editor.mentions import Mention, mentions_in
from acdl_mkdocs.frontends.editor.name_occurrences import LOCAL, Kind, NameOccurrence, Target
from acdl_mkdocs.frontends.editor.neighbours import order_of
from acdl_mkdocs.frontends.editor.places import Location
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.workspace.read_block import find_defined_names
from acdl_mkdocs.workspace.used_files import resolve_path

T = TypeVar("T", NameOccurrence, Mention)


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """The name at a position."""

    name: str
    kind: Kind
    span: Span
    """The span of the name in the document."""
    targets: tuple[Target, ...]
    """What the name refers to; several targets if it is ambiguous."""
    definitions: tuple[Location, ...]
    """The places that define it; none for what the program supplies."""
    piece: Piece | None = None
    """The text that contains the name; `None` in the prose and in the opening lines of a page."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence of a name."""

    uri: str
    span: Span
    is_definition: bool = False
    is_write: bool = False
    """Whether it assigns a value."""


def names_at(workspace: Workspace, uri: str, offset: int) -> NamedTarget | None:
    """Return the name at an offset and its targets; `None` if there is none, or it refers to nothing."""
    document = workspace.find_document(uri)
    if document is None:
        return None
    piece = document.piece_at(offset)
    inner = piece.from_document(offset) if piece else None
    if piece and inner is not None:
        site = _find_at(workspace.list_names(piece), inner)
        if site is not None:
            places = tuple(_list_definition_locations(workspace, site.targets))
            target = site.target
            return NamedTarget(target.name, target.kind, piece.to_document(site.span), site.targets, places, piece)
    mention = _find_at(mentions_in(document), offset)
    return _resolve_mention(workspace, document, mention) if mention else None


def find_occurrences(
    workspace: Workspace, targets: Iterable[Target], within: Collection[str] = ()
) -> tuple[Occurrence, ...]:
    """Return all occurrences of targets, in the order of documents.

    Parameters:
        workspace: The documents.
        targets: What it is.
        within: The only documents to search; by default all.
    """
    wanted = frozenset(targets)
    occurrences = {each for target in wanted for each in _of_target(workspace, target, wanted, within)}
    return tuple(sorted(occurrences, key=lambda each: (order_of(each.uri), each.span.start)))


def _find_at(names: Iterable[T], offset: int) -> T | None:
    """Return the name at an offset; between two names, the later one."""
    found: T | None = None
    for each in names:
        if each.span.start <= offset <= each.span.end:
            found = each
    return found


def _of_target(
    workspace: Workspace, target: Target, wanted: frozenset[Target], within: Collection[str]
) -> Iterator[Occurrence]:
    word = target.name.rpartition(".")[2] if target.kind == "variable" else target.name
    home = workspace.piece_of(target.source) if target.source else None
    pieces = ([home] if home else []) if target.kind in LOCAL else workspace.find_pieces_with(word)
    for piece in (each for each in pieces if not within or each.uri in within):
        for site in workspace.list_names(piece):
            if not wanted.isdisjoint(site.targets):
                yield Occurrence(piece.uri, piece.to_document(site.span), site.is_definition, site.is_write)
    if target.kind not in ("spec", "fragment"):
        return
    documents = (each for each in workspace.documents.values() if not within or each.uri in within)
    for document in documents:
        if word in document.text or not document.text.isascii():
            for mention in mentions_in(document):
                if mention.name == word and not wanted.isdisjoint(find_mentioned(workspace, document, mention)):
                    yield Occurrence(document.uri, mention.span)


def _resolve_mention(workspace: Workspace, document: Document, mention: Mention) -> NamedTarget | None:
    """Return the target of a name in prose."""
    targets = find_mentioned(workspace, document, mention)
    if not targets:
        return None
    places = tuple(_list_definition_locations(workspace, targets))
    return NamedTarget(mention.name, targets[0].kind, mention.span, targets, places)


def find_mentioned(workspace: Workspace, document: Document, mention: Mention) -> tuple[Target, ...]:
    """Return the definitions that a mention may refer to: in its file or block, else in its document, else in all."""
    pieces = [each for each in workspace.find_pieces_with(mention.name) if mention.name in _list_defined_names(each)]
    if mention.file:
        file = _find_document(workspace, document, mention.file)
        pieces = [each for each in pieces if file is not None and each.uri == file.uri]
    elif mention.block is None:
        pieces = [each for each in pieces if _spec_shown_by(workspace, each) in (None, mention.name)]
    own = [each for each in pieces if each is mention.block]
    own = own or [each for each in pieces if each.uri == document.uri]
    return tuple(target for each in own or pieces[:1] for target in _find_targets(workspace, each, mention.name)[:1])


def _spec_shown_by(workspace: Workspace, piece: Piece) -> str | None:
    """Return the one definition that a block shows, the only one that pages can refer to; `None` if it shows all."""
    mentions = mentions_in(workspace.documents[piece.uri])
    headers = (each for each in mentions if each.block is piece and each.span.start < piece.span.start)
    return next((each.name for each in headers), None)


def _find_document(workspace: Workspace, document: Document, name: str) -> Document | None:
    """Return the document of a file that the opening line of a block names, relative to the project's folder."""
    path = resolve_path(workspace.root_of(document), name)
    return workspace.document_at(path) if path is not None else None


def _list_defined_names(piece: Piece) -> tuple[str, ...]:
    return find_defined_names(piece.source.text)


def _find_targets(workspace: Workspace, piece: Piece, name: str) -> list[Target]:
    """Return the specs and fragments with a name that a piece defines."""
    return [
        each.target
        for each in workspace.list_names(piece)
        if each.is_definition and each.target.name == name and each.target.kind in ("spec", "fragment")
    ]


def _list_definition_locations(workspace: Workspace, targets: Iterable[Target]) -> Iterator[Location]:
    """Yield the places that define targets; every place of a `Name` that is assigned several times."""
    for target in targets:
        piece = workspace.piece_of(target.source) if target.source else None
        if piece is not None:
            sites = (each for each in workspace.list_names(piece) if each.is_definition and each.target == target)
            yield from (Location(piece.uri, piece.to_document(each.span)) for each in sites)
