"""What is sent by two specs for a person at a terminal: a row a point, and what became of the messages."""

from collections.abc import Iterator
from itertools import groupby

from acdl_mkdocs.comparison.edits import Difference
from acdl_mkdocs.comparison.paint import CYAN, GREEN, RED, YELLOW, Paint
from acdl_mkdocs.comparison.sent import PointDifference, SentDifference
from acdl_mkdocs.comparison.sent_messages import MessageChange
from acdl_mkdocs.comparison.sent_told import (
    about,
    cache_of,
    counts,
    looks_and_sends,
    n_messages,
    place_of,
    prefixes,
    reasons,
    sent_verdict,
    tokens_of,
)
from acdl_mkdocs.foundation.text_width import visible

_SIGNS = {"added": "+", "removed": "-", "moved": ">", "changed": "~", "role": "~"}
_COLORS = {"+": GREEN, "-": RED, "~": YELLOW, ">": YELLOW}
_MOST_DETAILED = 3
"""Points that are shown message by message."""
_MOST_MESSAGES = 12
_MOST_POINTS = 40


def lines_of(difference: Difference, sent: SentDifference, paint: Paint) -> Iterator[str]:
    """All of it; the last lines say what it is worth."""
    names = list(dict.fromkeys(visible(each) for each in (sent.old_spec, sent.new_spec) if each))
    encoding = f" (model tokens in {sent.encoding})" if sent.encoding else ""
    said = f"{' and '.join(names) or 'each text'} {'send' if len(names) > 1 else 'sends'}"
    yield paint(CYAN, f"what {said}{encoding}")
    n_detailed = n_shown = 0
    told = set[MessageChange]()
    for is_same, group in groupby(sent.points, lambda each: each.verdict == "same"):
        points = list(group)
        if is_same:
            yield f"  = {_same(points)}"
            continue
        for point in points:
            if n_shown < _MOST_POINTS:
                yield from _point(point, sent, paint)
                yield from messages_of(point, paint, told) if n_detailed < _MOST_DETAILED else ()
            n_shown += 1
            n_detailed += point.verdict == "different"
    if n_shown > _MOST_POINTS:
        yield f"  … {n_shown - _MOST_POINTS:,} more points; --at names some, --format json has all"
    for sentence in (prefixes(sent), looks_and_sends(difference, sent)):
        if sentence:
            yield sentence
    yield sent_verdict(sent)


def _same(points: list[PointDifference]) -> str:
    ats = f"@{points[0].at}" if len(points) == 1 else f"@{points[0].at} to @{points[-1].at} ({len(points)} points)"
    return f"{ats}  the same"


def _point(point: PointDifference, sent: SentDifference, paint: Paint) -> Iterator[str]:
    old, new = point.old, point.new
    if point.verdict == "failed":
        yield paint(RED, f"  ! @{point.at}  could not be compared")
    elif point.verdict == "different":
        tokens = tokens_of(old.n_tokens, new.n_tokens, is_estimate=sent.is_estimate)
        noun = "message" if old.n_messages == new.n_messages == 1 else "messages"
        told = [counts(point), f"{n_messages(point)} {noun}", tokens and f"{tokens} model tokens"]
        told.append(f"{cache_of(point)} of the old messages kept from the beginning")
        yield paint(YELLOW, f"  ~ @{point.at}  {'; '.join(filter(None, told))}")
    elif point.verdict == "undecided":
        yield paint(YELLOW, f"  ? @{point.at}  the same, unless a condition holds that the state does not decide")
    else:
        yield f"  ≈ @{point.at}  the same as far as known"
    for side, sentence in reasons(point):
        yield f"      {side}: {visible(sentence)}"


def messages_of(point: PointDifference, paint: Paint, told: set[MessageChange]) -> Iterator[str]:
    """What became of messages, if no point before has told it."""
    changes = [each for each in point.changes if each not in told]
    told.update(changes)
    for change in changes[:_MOST_MESSAGES]:
        yield from _message(change, paint)
    if len(changes) > _MOST_MESSAGES:
        yield f"      … {len(changes) - _MOST_MESSAGES} more messages"
    if len(changes) < len(point.changes):
        yield f"      … {len(point.changes) - len(changes)} as at the points before"


def _message(change: MessageChange, paint: Paint) -> Iterator[str]:
    sign = _SIGNS[change.kind]
    where = " -> ".join(place_of(each) for each in (change.old, change.new) if each is not None)
    yield paint(_COLORS[sign], f"      {sign} {about(change)}  ({where})")
    if change.has_other_parts:
        yield "          the words are the same; something beside them differs, such as an image or the id of a call"
    if change.words:
        yield f"          {paint.words(change.words)}"
