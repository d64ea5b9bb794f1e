"""Where a statement stands while the pattern of a spec is made, and what is known of a piece of a message there."""

from functools import lru_cache

from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.transcript import Piece
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.redact import redacted_parts, redacted_text
from acdl_mkdocs.traces.pattern import Around, Said

_KEYED = ("template", "variable", "function")
"""Kinds of pieces whose content has a name."""


@dataclass(frozen=True, slots=True)
class Context:
    """Where a statement stands."""

    around: tuple[Around, ...] = ()
    is_free: bool = False
    has_free_loop: bool = False
    again: int | None = None
    """Where `continue` leads to."""
    out: int | None = None
    """Where `break` leads to."""


def said_of(piece: Piece, here: Here, context: Context) -> Said:
    """A piece as a pattern knows it."""
    is_known = piece.status == "given" and not piece.expression.startswith("#")
    is_template = piece.kind == "template" and "(" not in piece.resolved
    key: str | None = piece.resolved
    if (
        is_known
        or piece.status == "error"
        or piece.kind not in _KEYED
        or "…" in piece.resolved
        or "#msg" in piece.resolved
        or "⟦" in piece.resolved
    ):
        key = None
    elif not is_template and (context.has_free_loop or (here.stack and "@" not in piece.resolved)):
        key = None  # which round it belongs to is not said
    parts = redacted_parts(piece.parts) if is_known else ()
    text = _as_recorded(piece.text) if is_known and not parts else None
    return Said(piece.origin, piece.expression, text, parts, key, is_template, _name(piece, here, context))


@lru_cache(maxsize=1024)
def _as_recorded(text: str) -> str:
    """A text without secrets, as readers give it; the same texts come at every point in time."""
    return redacted_text(text)


def _name(piece: Piece, here: Here, context: Context) -> str:
    """What a sample state would call a piece; nothing where it has no name of its own there."""
    name = piece.resolved
    if piece.kind not in _KEYED or piece.status == "error" or "…" in name or "⟦" in name:
        return ""
    if piece.kind == "variable" and "@" not in name:
        if context.has_free_loop:
            return ""
        return f"{name}[@{here.loop_time}]" if here.loop_time is not None else name
    return name
