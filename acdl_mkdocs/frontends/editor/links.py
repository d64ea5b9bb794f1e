"""Links from a document to others: files that a text uses or a block shows, figures in prose, addresses."""

import re
from collections.abc import Iterator
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Document, Piece, path_of
from acdl_mkdocs.frontends.editor.fenced import PlacedFence
from acdl_mkdocs.frontends.editor.mentions import mentions_in
from acdl_mkdocs.frontends.editor.occurrences import names_at
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.pragmas import FRONT_NAMES, used_files
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.workspace.used_files import may_use_files, resolve_path

_ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]}]+[^\s<>\"'`)\]}.,;:!?]")
_FRONT_FILE = re.compile(r"(?P<name>state|runs)\s*:\s*(?P<file>[^\s*?]+)", re.IGNORECASE)
_FILE_OPTIONS = ("src", "state", "old", "new")


@dataclass(frozen=True, slots=True)
class Link:
    """A part of a document that links somewhere."""

    span: Span
    target: str
    """A URI."""
    tooltip: str


def list_links(workspace: Workspace, uri: str) -> tuple[Link, ...]:
    """Return the links of a document to existing files, to figures and to addresses, in order."""
    document = workspace.find_document(uri)
    if document is None:
        return ()
    links = [link for piece in document.pieces for link in _find_piece_links(workspace, document, piece)]
    for fence in document.fences:
        links += _find_header_links(workspace, document, fence)
    for mention in mentions_in(document):
        named = names_at(workspace, uri, mention.span.start)
        for location in named.definitions[:1] if named and named.piece is None else ():
            other = workspace.documents[location.uri]
            line = other.positions_in().position_of(location.span.start).line + 1
            links.append(Link(mention.span, f"{location.uri}#L{line}", f"go to `{mention.name}` in {other.name}"))
    return tuple(sorted(links, key=lambda each: each.span.start))


def file_at(workspace: Workspace, uri: str, offset: int) -> str:
    """Return the URI of the file whose name is at an offset; empty if there is none."""
    for link in list_links(workspace, uri):
        if link.span.start <= offset <= link.span.end and path_of(link.target):
            return link.target.partition("#")[0]
    return ""


def _find_piece_links(workspace: Workspace, document: Document, piece: Piece) -> Iterator[Link]:
    text = piece.source.text
    folder = document.path.parent if document.path else None
    if folder and may_use_files(text):
        for name, span in used_files(text):
            yield from _to_file(workspace, folder, name, piece.to_document(span), "fragments of")
    if "://" not in text and not any(f"{name}:" in text for name in FRONT_NAMES):
        return
    for comment in tokenize(text).comments:
        for address in _ADDRESS.finditer(text, comment.span.start, comment.span.end):
            yield Link(piece.to_document(Span(*address.span())), address[0], "open in a browser")
        front = _FRONT_FILE.match(comment.text)
        if front and folder:
            start = text.index(front["file"], comment.span.start)
            span = piece.to_document(Span(start, start + len(front["file"])))
            yield from _to_file(workspace, folder, front["file"], span, front["name"].lower())


def _find_header_links(workspace: Workspace, document: Document, placed: PlacedFence) -> Iterator[Link]:
    """Yield the files that the opening line of a block names."""
    if document.path is None or placed.fence.is_code or not placed.fence.language.startswith("acdl"):
        return
    root = workspace.root_of(document)
    for name, span in placed.list_option_values():
        value = document.text[span.start : span.end]
        file = value.rpartition("#")[0] or value
        if name in _FILE_OPTIONS and (name in ("src", "state") or "/" in file or file.endswith(".acdl")):
            yield from _to_file(workspace, root, file, Span(span.start, span.start + len(file)), "open")


def _to_file(workspace: Workspace, folder: Path, name: str, span: Span, words: str) -> Iterator[Link]:
    path = resolve_path(folder, name)
    if path is None:
        return
    document = workspace.document_at(path)
    if document is not None:
        yield Link(span, document.uri, f"{words} {name}")
    elif path.is_file():
        yield Link(span, path.as_uri(), f"{words} {name}")
