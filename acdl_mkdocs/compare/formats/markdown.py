"""A difference as a pull-request comment: the verdict first, then the edits, the messages, and the details folded.

All text of authors is shown as code, and the comment keeps within the length limit of hosts.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from acdl_mkdocs.compare.formats import text
from acdl_mkdocs.compare.formats.edit_text import BlockHeads, describe_change, head_of, summarize_difference
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.messages import MessageChange
from acdl_mkdocs.compare.sent.sent import PointDifference, SentDifference
from acdl_mkdocs.compare.sent.summary import (
    cache_of,
    count_changes,
    describe_prefixes,
    format_messages,
    list_reasons,
    looks_and_sends,
    n_messages,
    sent_verdict,
    tokens_of,
)
from acdl_mkdocs.compare.sent.words import Paint
from acdl_mkdocs.compare.structure.edits import Change, Difference, Edit
from acdl_mkdocs.foundation.reports.comment_markdown import MarkdownComment, escape_mentions, format_code
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.nodes import Node
from acdl_mkdocs.language.syntax.parse import Parsed

_MOST_POINTS = 40
_MOST_DETAILED = 3
_MOST_NAMES = 120
_SIGNS = {
    "same": "🟰 same",
    "same as far as known": "🟰 same as far as known",
    "undecided": "⚠️ not decided",
    "different": "🔴 differs",
}


def add_sent(comment: MarkdownComment, sent: SentDifference) -> None:
    """Add the table and the messages."""
    tokens = f"model tokens ({sent.encoding})" if sent.encoding else ""
    heads = ("at", "", "messages", *((tokens,) if tokens else ()), "common prefix", "changes")
    comment.add_table(heads, _sent_rows(sent), _MOST_POINTS)
    if sentence := describe_prefixes(sent):
        comment.add_paragraph(escape_mentions(f"{sentence[0].upper()}{sentence[1:]}."))
    reported = set[MessageChange]()
    plain = Paint(is_wanted=False)
    detailed = [each for each in sent.points if each.verdict == "different"]
    for point in detailed[:_MOST_DETAILED]:
        lines = [line.removeprefix("      ") for line in format_messages(point, plain, reported)]
        if lines:
            comment.add_details(f"Messages at @{point.at}", lines, "diff")


def _sent_rows(sent: SentDifference) -> Iterator[tuple[str, ...]]:
    for is_same, group in groupby(sent.points, lambda each: each.verdict == "same"):
        points = list(group)
        if is_same and len(points) > 1:
            at = escape_mentions(f"@{points[0].at} … @{points[-1].at}")
            yield (at, f"{_SIGNS['same']}, {len(points)} points", *[""] * (4 if sent.encoding else 3))
            continue
        for point in points:
            yield tuple(_point_cells(point, sent))


def _point_cells(point: PointDifference, sent: SentDifference) -> Iterator[str]:
    old, new = point.old, point.new
    yield format_code(f"@{point.at}")
    yield _SIGNS.get(point.verdict, "⚠️ not compared")
    is_failed = point.verdict == "failed"
    yield "" if is_failed else n_messages(point).replace("->", "→")
    if sent.encoding:
        tokens = tokens_of(old.n_tokens, new.n_tokens, is_estimate=sent.is_estimate).replace("->", "→")
        yield "" if is_failed else tokens
    yield escape_mentions(cache_of(point)) if point.verdict == "different" else ""
    reasons = [f"{side}: {format_code(sentence, _MOST_NAMES)}" for side, sentence in list_reasons(point)]
    yield "<br>".join(filter(None, (count_changes(point), *reasons)))


_MOST_EDITS = 60
_HEADS = ("", "what", "where", "old", "new")
_WORDS = {
    "added": "➕ added",
    "removed": "➖ removed",
    "changed": "✏️ changed",
    "moved": "↕️ moved",
    "renamed": "🏷️ renamed",
    "wrapped": "➕ wrapped",
    "unwrapped": "➖ unwrapped",
    "role": "✏️ role",
    "setting": "✏️ setting",
}
_CURE = "`acdl diff` shows all of it."


def write(difference: Difference, options: CompareOptions | None = None) -> str:
    """Write one comment."""
    options = options or CompareOptions()
    comment = MarkdownComment(options.limit)
    add_difference(comment, difference, options)
    return comment.format_text(_CURE)


def add_difference(comment: MarkdownComment, difference: Difference, options: CompareOptions, level: int = 3) -> None:
    """Add one difference to a comment that may have several.

    Parameters:
        comment: Where it goes.
        difference: What changed.
        options: The differences of the messages, and the title.
        level: Of its heading.
    """
    comment.add_paragraph(f"{'#' * level} {format_code(options.title) if options.title else _format_names(difference)}")
    comment.add_paragraph("\n".join(_format_verdicts(difference, options)))
    if difference.edits:
        comment.add_table(_HEADS, _edit_rows(difference), _MOST_EDITS)
    if options.sent is not None:
        add_sent(comment, options.sent)
    if difference.comments:
        n_comments = len(difference.comments)
        comment.add_paragraph(f"{format_count(n_comments, 'change')} of comments, which are never sent.")
    if not difference.is_empty:
        comment.add_details("All of it as text", _text_lines(difference), "diff")


def _text_lines(difference: Difference) -> list[str]:
    return [line.removeprefix("  ") for line in text.write(difference).splitlines()]


def _format_names(difference: Difference) -> str:
    old, new = difference.old.source.name, difference.new.source.name
    return format_code(new) if old == new else f"{format_code(old)} → {format_code(new)}"


def _format_verdicts(difference: Difference, options: CompareOptions) -> Iterator[str]:
    """Yield the verdicts on the difference, one line each."""
    sign = "🟰" if difference.is_empty else "🟢" if difference.is_equal_sent else "🟠"
    yield f"{sign} **Specs:** {summarize_difference(difference)}."
    for parsed in (difference.old, difference.new):
        if parsed.diagnostics:
            first, source = parsed.diagnostics[0], parsed.source
            place = f"{source.name}:{source.find_place(first.label.span.start).line}"
            yield f"<br>⚠️ {format_code(place)} is not understood: {format_code(first.message)}"
    sent = options.sent
    if sent is None:
        return
    sign = "🟢" if sent.is_same else "🔴" if sent.first_difference else "⚠️"
    yield f"<br>{sign} **With the state:** {escape_mentions(sent_verdict(sent))}."
    if hint := looks_and_sends(difference, sent):
        yield f"<br>{hint[0].upper()}{hint[1:]}."


def _edit_rows(difference: Difference) -> Iterator[tuple[str, ...]]:
    yield from _rows_of_difference(difference)
    for used in difference.used:
        yield from _rows_of_difference(used)


def _rows_of_difference(difference: Difference) -> Iterator[tuple[str, ...]]:
    all_heads = BlockHeads(difference)
    for edit in difference.edits:
        where = _format_heads(all_heads.heads_around(edit))
        old, new = _format_place(edit.old, difference.old), _format_place(edit.new, difference.new)
        if edit.kind == "setting":
            old = new = ""
        kind = _WORDS[edit.kind] + ("" if edit.can_change_sent else " (same messages)")
        yield kind, _describe_edit(edit, difference), where, old, new


def _describe_edit(edit: Edit, difference: Difference) -> str:
    node, parsed = (edit.new, difference.new) if edit.new is not None else (edit.old, difference.old)
    head = head_of(node, parsed) if node is not None else ""
    if not edit.changes:
        return format_code(head) if head else "the text"
    return "<br>".join(map(_format_change, edit.changes))


def _format_change(change: Change) -> str:
    if change.old == change.new:
        return f"{describe_change(change)}: {format_code(change.new)}"
    return f"{describe_change(change)}: {format_code(change.old)} → {format_code(change.new)}"


def _format_heads(heads: Sequence[str]) -> str:
    return format_code(" > ".join(heads)) if heads else "top level"


def _format_place(node: Node | None, parsed: Parsed) -> str:
    if node is None:
        return ""
    return format_code(f"{parsed.source.name}:{parsed.source.find_place(node.span.start).line}")
