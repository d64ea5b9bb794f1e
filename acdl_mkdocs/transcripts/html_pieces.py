"""The pieces of a message of an evaluation as HTML: what each sends, and where it comes from as a tooltip."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from acdl_mkdocs.evaluation.transcript import Piece
from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.transcripts.pairs import Pair
from acdl_mkdocs.transcripts.part_html import NO_TOOLS, Tools, part_markup, text_markup


def piece_markup(
    piece: Piece,
    data: str,
    count: str,
    place_of: Callable[[str], str] | None,
    pairs: Sequence[Pair | None],
    tools: Tools = NO_TOOLS,
) -> str:
    """A piece.

    Parameters:
        piece: The piece.
        data: The attribute that says which part of the spec it comes from.
        count: Its model tokens as they are printed; empty if nobody counts.
        place_of: Where a path of the state stands.
        pairs: What belongs to each of its parts.
        tools: Those that are described on the page.
    """
    tooltip = escape(visible(" · ".join(_facts(piece, count, place_of))))
    classes = f"acdl-sent-piece acdl-sent-{piece.kind}"
    if piece.status != "given":
        classes += f" acdl-sent-is-{piece.status}"
    content = _source(piece) + _sent(piece, pairs, tools)
    return f'<div class="{classes}"{data} title="{tooltip}">{content}</div>'


def _sent(piece: Piece, pairs: Sequence[Pair | None], tools: Tools) -> str:
    if not piece.parts:
        return text_markup(piece.text)
    return "".join(part_markup(part, pair, tools) for part, pair in zip(piece.parts, pairs, strict=True))


def _source(piece: Piece) -> str:
    """What the words of a piece come from, unless they say it themselves."""
    shown = piece.resolved or piece.expression
    if piece.status != "given" or piece.kind in ("literal", "number"):
        return ""
    return f'<code class="acdl-sent-source">{escape(visible(shown))}</code>'


def _facts(piece: Piece, count: str, place_of: Callable[[str], str] | None) -> Iterator[str]:
    """What a piece is."""
    yield piece.resolved or piece.expression
    if piece.resolved and piece.resolved != piece.expression:
        yield f"written {piece.expression}"
    if piece.state_path:
        yield place_of(piece.state_path) if place_of else piece.state_path
    if piece.status != "given":
        yield {"placeholder": "shown by its name", "missing": "the state has no value", "error": "no value"}[
            piece.status
        ]
    if count:
        yield count
