"""What two specs send, as the part of a comment: a row a point, and the messages of those that differ folded."""

from collections.abc import Iterator
from itertools import groupby

from acdl_mkdocs.comparison.paint import Paint
from acdl_mkdocs.comparison.sent import PointDifference, SentDifference
from acdl_mkdocs.comparison.sent_messages import MessageChange
from acdl_mkdocs.comparison.sent_text import messages_of
from acdl_mkdocs.comparison.sent_told import cache_of, counts, n_messages, prefixes, reasons, tokens_of
from acdl_mkdocs.foundation.reports.comment_markdown import Comment, code, plain_words

_MOST_POINTS = 40
_MOST_DETAILED = 3
_MOST_NAMES = 120
_SIGNS = {
    "same": "🟰 same",
    "same as far as known": "🟰 same as far as known",
    "undecided": "⚠️ not decided",
    "different": "🔴 differs",
}


def add_to(comment: Comment, sent: SentDifference) -> None:
    """Add the table and the messages."""
    tokens = f"model tokens ({sent.encoding})" if sent.encoding else ""
    heads = ("at", "", "messages", *((tokens,) if tokens else ()), "kept from the beginning", "changes")
    comment.add_table(heads, _rows(sent), _MOST_POINTS)
    if sentence := prefixes(sent):
        comment.add(plain_words(f"{sentence[0].upper()}{sentence[1:]}."))
    told = set[MessageChange]()
    plain = Paint(is_wanted=False)
    detailed = [each for each in sent.points if each.verdict == "different"]
    for point in detailed[:_MOST_DETAILED]:
        lines = [line.removeprefix("      ") for line in messages_of(point, plain, told)]
        if lines:
            comment.add_details(f"Messages at @{point.at}", lines, "diff")


def _rows(sent: SentDifference) -> Iterator[tuple[str, ...]]:
    for is_same, group in groupby(sent.points, lambda each: each.verdict == "same"):
        points = list(group)
        if is_same and len(points) > 1:
            at = plain_words(f"@{points[0].at} … @{points[-1].at}")
            yield (at, f"{_SIGNS['same']}, {len(points)} points", *[""] * (4 if sent.encoding else 3))
            continue
        for point in points:
            yield tuple(_cells(point, sent))


def _cells(point: PointDifference, sent: SentDifference) -> Iterator[str]:
    old, new = point.old, point.new
    yield code(f"@{point.at}")
    yield _SIGNS.get(point.verdict, "⚠️ not compared")
    is_failed = point.verdict == "failed"
    yield "" if is_failed else n_messages(point).replace("->", "→")
    if sent.encoding:
        tokens = tokens_of(old.n_tokens, new.n_tokens, is_estimate=sent.is_estimate).replace("->", "→")
        yield "" if is_failed else tokens
    yield plain_words(cache_of(point)) if point.verdict == "different" else ""
    said = [f"{side}: {code(sentence, _MOST_NAMES)}" for side, sentence in reasons(point)]
    yield "<br>".join(filter(None, (counts(point), *said)))
