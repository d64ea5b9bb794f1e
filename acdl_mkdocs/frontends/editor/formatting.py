"""The normal form of a document, or of some lines of it, as the smallest edits that produce it.

Lines that are in their normal form are not touched, so that cursors and folds stay. A fence keeps its indentation.
"""

from collections.abc import Iterator
from difflib import SequenceMatcher

from acdl_mkdocs.app.format import format as format_text
from acdl_mkdocs.foundation.diagnostics import TextEdit as PieceEdit
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.workspace import Workspace


def format_edits(workspace: Workspace, uri: str, span: Span | None = None) -> tuple[TextEdit, ...]:
    """Return the edits that format a document; none in a definition that has an error.

    Parameters:
        workspace: The documents.
        uri: Of the document.
        span: Only the statements on the lines of this part of the document.
    """
    edits: list[TextEdit] = []
    for piece in workspace.pieces_of(uri):
        if span is None:
            edits += piece.translate_edits(_list_edits(piece, workspace, None))
        elif piece.span.start <= span.end and span.start <= piece.span.end:
            edits += piece.translate_edits(_list_edits(piece, workspace, _find_lines(piece, span)))
    return tuple(edits)


def _find_lines(piece: Piece, span: Span) -> tuple[int, int]:
    """Return the lines of a piece, counted from 1, that a part of the document touches."""
    start = piece.from_document(max(span.start, piece.span.start)) or 0
    end = piece.from_document(min(span.end, piece.span.end))
    end = len(piece.source.text) if end is None else end
    if end > start and piece.source.text[end - 1 : end] == "\n":
        end -= 1  # the selection of whole lines ends at the beginning of the next one
    return piece.source.line_index(start) + 1, piece.source.line_index(end) + 1


def _list_edits(piece: Piece, workspace: Workspace, lines: tuple[int, int] | None) -> Iterator[PieceEdit]:
    text = piece.source.text
    if piece.is_fence and not text.strip():
        return
    formatted = format_text(workspace.check_piece(piece), lines, workspace.config_of(piece).range)
    if formatted.is_changed:
        yield from line_edits(text, formatted.text.replace("\n", "\r\n") if _ends_with_return(text) else formatted.text)


def _ends_with_return(text: str) -> bool:
    """Return whether the lines of a text end as on Windows."""
    return "\r\n" in text


def line_edits(old: str, new: str) -> Iterator[PieceEdit]:
    """Yield the smallest edits from one text to another, by lines, and within a line that changed alone."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    head = _count_common_prefix(before, after)
    tail = _count_common_prefix(before[head:][::-1], after[head:][::-1])
    stop_before, stop_after = len(before) - tail, len(after) - tail
    matcher = SequenceMatcher(None, before[head:stop_before], after[head:stop_after])
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        if i2 - i1 == j2 - j1:
            for at in range(i2 - i1):
                one, other = before[head + i1 + at], after[head + j1 + at]
                yield from _diff_line(one, other, starts[head + i1 + at])
        else:
            span = Span(starts[head + i1], starts[head + i2])
            yield PieceEdit(span, "".join(after[head + j1 : head + j2]))


def _diff_line(old: str, new: str, start: int) -> Iterator[PieceEdit]:
    """Yield the edit of one line: everything between the common beginning and the common end."""
    if old == new:
        return
    head = _count_common_prefix(old, new)
    tail = _count_common_prefix(old[head:][::-1], new[head:][::-1])
    yield PieceEdit(Span(start + head, start + len(old) - tail), new[head : len(new) - tail])


def _count_common_prefix(one: "str | list[str]", other: "str | list[str]") -> int:
    """Count the elements of the common beginning of two sequences."""
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
