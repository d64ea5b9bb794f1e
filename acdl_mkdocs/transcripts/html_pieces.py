"""One piece of a message as HTML: its words as they are, what it is and where it comes from as a tooltip."""

from collections.abc import Callable, Iterator
from html import escape

from acdl_mkdocs import prompt
from acdl_mkdocs.evaluation.transcript import Piece
from acdl_mkdocs.figure.metrics import visible
from acdl_mkdocs.transcripts.safe_text import lines_of
from acdl_mkdocs.transcripts.weights import arguments, parts_of

_LONG, _LONG_LINES = 700, 14
"""Characters and lines of words that are shown at once; the rest of longer ones unfolds."""
_SHOWN, _SHOWN_LINES = 300, 5
"""How much of longer ones is shown at first."""
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_MOST_IMAGE_DATA = 400_000
"""Characters of base64; a larger image is only named."""


def piece_markup(piece: Piece, data: str, count: str, place_of: Callable[[str], str] | None) -> str:
    """A piece.

    Parameters:
        piece: The piece.
        data: The attribute that says which part of the spec it comes from.
        count: Its model tokens as they are printed; empty if nobody counts.
        place_of: Where a path of the state stands.
    """
    tooltip = escape(visible(" · ".join(_facts(piece, count, place_of))))
    classes = f"acdl-sent-piece acdl-sent-{piece.kind}"
    if piece.status != "given":
        classes += f" acdl-sent-is-{piece.status}"
    content = _source(piece) + "".join(map(_part, parts_of(piece)))
    return f'<div class="{classes}"{data} title="{tooltip}">{content}</div>'


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


def _part(part: prompt.Part) -> str:
    match part:
        case prompt.Text():
            return _text(part.text)
        case prompt.Call():
            said = f"<code>{escape(visible(part.tool))}</code> <code>{escape(visible(arguments(part)))}</code>"
            return _labelled("calls", said)
        case prompt.Output():
            return _labelled("failed" if part.is_error else "answers", "".join(map(_part, part.parts)))
        case prompt.Thinking():
            return _labelled("thinks", "<em>redacted</em>" if part.is_redacted else _text(part.text))
        case prompt.Attachment():
            return _attachment(part)
        case prompt.Opaque():
            return _labelled("for", f"<code>{escape(visible(part.provider))}</code>")


def _labelled(label: str, content: str) -> str:
    return f'<div class="acdl-sent-part"><span class="acdl-sent-label">{label}</span> {content}</div>'


def _attachment(part: prompt.Attachment) -> str:
    name = escape(visible(part.name or part.path or part.href or part.mime or "no name"))
    if part.data and part.mime in _IMAGES and len(part.data) <= _MOST_IMAGE_DATA:
        image = f'<img class="acdl-sent-image" alt="{name}" src="data:{part.mime};base64,{escape(visible(part.data))}">'
        return _labelled(escape(visible(part.type)), image)
    return _labelled(escape(visible(part.type)), f"<code>{name}</code>{_text(part.text) if part.text else ''}")


def _text(text: str) -> str:
    """Words with their line ends; long ones unfold."""
    lines = lines_of(text)
    if len(text) <= _LONG and len(lines) <= _LONG_LINES:
        return f'<div class="acdl-sent-text">{_marked(lines)}</div>'
    beginning = "\n".join(lines[:_SHOWN_LINES])[:_SHOWN].split("\n")
    amount = f"{len(text):,} characters" + (f", {len(lines):,} lines" if len(lines) > 1 else "")
    summary = f'<summary><span class="acdl-sent-text">{_marked(beginning)}…</span> <small>{amount}</small></summary>'
    return f'<details class="acdl-sent-long">{summary}<div class="acdl-sent-text">{_marked(lines)}</div></details>'


def _marked(lines: list[str]) -> str:
    return "<br>".join(map(escape, lines))
