"""The parts of a document that can be folded: blocks, comments of several lines, and fences."""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.nodes import Declaration, Node, Skipped, Switch, walk
from acdl_mkdocs.language.syntax.tokenize import tokenize

FoldKind: TypeAlias = Literal["comment", "region", ""]

_CLOSING = re.compile(r"[ \t]*\}")


@dataclass(frozen=True, slots=True)
class Fold:
    """A part that can be folded."""

    span: Span
    """From a place on the line that stays visible to a place on the last line that is hidden."""
    kind: FoldKind = ""


def list_folds(workspace: Workspace, uri: str) -> tuple[Fold, ...]:
    """Return everything in a document that spans several lines, each pair of lines once, in order."""
    document = workspace.find_document(uri)
    if document is None:
        return ()
    positions = document.positions_in("utf-32")
    folds: dict[tuple[int, int], Fold] = {}
    fences = (Fold(Span(each.header.start, each.body.end), "region") for each in document.fences)
    pieces = (fold for piece in document.pieces for fold in _find_piece_folds(piece))
    for fold in (*fences, *pieces):
        first, last = positions.position_of(fold.span.start).line, positions.position_of(fold.span.end).line
        if first < last:
            folds.setdefault((first, last), fold)
    return tuple(folds[lines] for lines in sorted(folds, key=lambda each: (each[0], -each[1])))


def _find_piece_folds(piece: Piece) -> Iterator[Fold]:
    for node in walk(piece.parsed.file):
        if hasattr(node, "body") or isinstance(node, (Switch, Declaration, Skipped)):
            yield Fold(piece.to_document(_without_brace(piece, node)))
    for comment in _find_comments(piece):
        yield Fold(piece.to_document(comment), "comment")


def _without_brace(piece: Piece, node: Node) -> Span:
    """Cut a block before the line of its closing brace, which stays visible, if the brace begins a line."""
    source, end = piece.source, node.span.end
    line = source.line_starts[source.line_index(max(end - 1, 0))]
    return Span(node.span.start, line - 1 if line > node.span.start and _CLOSING.match(source.text, line) else end)


def _find_comments(piece: Piece) -> Iterator[Span]:
    """Yield the comments that span several lines, and runs of comments that each fill a line."""
    source = piece.source
    run: Span | None = None
    for comment in tokenize(source.text).comments:
        line = source.line_index(comment.span.start)
        is_alone = not source.text[source.line_starts[line] : comment.span.start].strip()
        if run is not None and is_alone and line == source.line_index(max(run.end - 1, 0)) + 1:
            run = Span(run.start, comment.span.end)
            continue
        if run is not None:
            yield run
        run = comment.span if is_alone else None
    if run is not None:
        yield run
