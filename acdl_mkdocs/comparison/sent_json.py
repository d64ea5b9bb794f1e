"""What two specs send as plain data, the part `sent` of a difference as JSON."""

from acdl_mkdocs.comparison.sent import PointDifference, SentDifference, SentSide
from acdl_mkdocs.comparison.sent_messages import MessageChange, MessagePlace
from acdl_mkdocs.comparison.sent_told import sent_verdict
from acdl_mkdocs.comparison.sent_words import Words


def to_object(sent: SentDifference) -> dict[str, object]:
    """All points."""
    first = sent.first_difference
    return {
        "old_spec": sent.old_spec,
        "new_spec": sent.new_spec,
        "same": sent.is_same,
        "verdict": sent_verdict(sent),
        "first_difference": str(first.at) if first else None,
        "encoding": sent.encoding or None,
        "is_estimate": sent.is_estimate,
        "points": [_point(each) for each in sent.points],
    }


def _point(point: PointDifference) -> dict[str, object]:
    return {
        "at": str(point.at),
        "verdict": point.verdict,
        "old": _side(point.old),
        "new": _side(point.new),
        "kept": point.n_kept,
        "same_start": point.n_same_start,
        "same_start_tokens": point.n_same_tokens,
        "other_beside": list(point.other_beside),
        "messages": [_message(each) for each in point.changes],
    }


def _side(side: SentSide) -> dict[str, object]:
    return {
        "messages": side.n_messages,
        "model_tokens": side.n_tokens,
        "errors": list(side.errors),
        "unknown": list(side.unknown),
        "undecided": list(side.undecided),
        "keeps_prompt_before": side.is_prefix_kept,
    }


def _message(change: MessageChange) -> dict[str, object]:
    return {
        "kind": change.kind,
        "old": _place(change.old),
        "new": _place(change.new),
        "words": [_words(each) for each in change.words],
        "other_parts": change.has_other_parts,
        "unknown": list(change.unknown),
    }


def _words(words: Words) -> dict[str, object]:
    if words.kind == "folded":
        return {"kind": "folded", "characters": int(words.text)}
    return {"kind": words.kind, "text": words.text}


def _place(place: MessagePlace | None) -> dict[str, object] | None:
    if place is None:
        return None
    start = place.source.place(place.span.start)
    return {
        "n": place.number,
        "role": place.role,
        "file": place.source.name,
        "line": start.line,
        "column": start.column,
        "span": [place.span.start, place.span.end],
        "rounds": place.rounds,
    }
