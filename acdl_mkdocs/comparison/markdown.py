"""A difference as a comment of a pull request: the verdict first, then the edits, what is sent, and the details folded.

Whatever authors wrote stands as code, and all of it keeps within what hosts take as one comment.
"""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.comparison import sent_markdown, text
from acdl_mkdocs.comparison.edits import Change, Difference, Edit
from acdl_mkdocs.comparison.options import CompareOptions
from acdl_mkdocs.comparison.sent_told import looks_and_sends, sent_verdict
from acdl_mkdocs.comparison.words import Heads, head_of, summary, told
from acdl_mkdocs.foundation.reports.comment_markdown import Comment, code, plain_words
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.language.syntax.nodes import Node
from acdl_mkdocs.language.syntax.parse import Parsed

_MOST_EDITS = 60
_HEADS = ("", "what", "where", "old", "new")
_WORDS = {
    "added": "➕ added",
    "removed": "➖ removed",
    "changed": "✏️ changed",
    "moved": "↕️ moved",
    "renamed": "🏷️ renamed",
    "wrapped": "➕ put around what was there",
    "unwrapped": "➖ taken away from around what stays",
    "role": "✏️ role",
    "setting": "✏️ setting",
}
_CURE = "`acdl diff` shows all of it."


def write(difference: Difference, options: CompareOptions | None = None) -> str:
    """One comment."""
    options = options or CompareOptions()
    comment = Comment(options.limit)
    add_to(comment, difference, options)
    return comment.text(_CURE)


def add_to(comment: Comment, difference: Difference, options: CompareOptions, level: int = 3) -> None:
    """Add one difference to a comment that may have several.

    Parameters:
        comment: Where it goes.
        difference: What changed.
        options: What is sent, and the title.
        level: Of its heading.
    """
    comment.add(f"{'#' * level} {code(options.title) if options.title else _names(difference)}")
    comment.add("\n".join(_verdicts(difference, options)))
    if difference.edits:
        comment.add_table(_HEADS, _rows(difference), _MOST_EDITS)
    if options.sent is not None:
        sent_markdown.add_to(comment, options.sent)
    if difference.comments:
        n_comments = len(difference.comments)
        comment.add(f"{counted(n_comments, 'change')} of comments, which are never sent.")
    if not difference.is_empty:
        comment.add_details("All of it as text", _lines(difference), "diff")


def _lines(difference: Difference) -> list[str]:
    return [line.removeprefix("  ") for line in text.write(difference).splitlines()]


def _names(difference: Difference) -> str:
    old, new = difference.old.source.name, difference.new.source.name
    return code(new) if old == new else f"{code(old)} → {code(new)}"


def _verdicts(difference: Difference, options: CompareOptions) -> Iterator[str]:
    """What all of it is worth, one line each."""
    sign = "🟰" if difference.is_empty else "🟢" if difference.is_equal_sent else "🟠"
    yield f"{sign} **Specs:** {summary(difference)}."
    for parsed in (difference.old, difference.new):
        if parsed.diagnostics:
            first, source = parsed.diagnostics[0], parsed.source
            place = f"{source.name}:{source.place(first.label.span.start).line}"
            yield f"<br>⚠️ {code(place)} is not understood: {code(first.message)}"
    sent = options.sent
    if sent is None:
        return
    sign = "🟢" if sent.is_same else "🔴" if sent.first_difference else "⚠️"
    yield f"<br>{sign} **What is sent:** {plain_words(sent_verdict(sent))}."
    if hint := looks_and_sends(difference, sent):
        yield f"<br>{hint[0].upper()}{hint[1:]}."


def _rows(difference: Difference) -> Iterator[tuple[str, ...]]:
    yield from _rows_of(difference)
    for used in difference.used:
        yield from _rows_of(used)


def _rows_of(difference: Difference) -> Iterator[tuple[str, ...]]:
    all_heads = Heads(difference)
    for edit in difference.edits:
        where = _where(all_heads.around(edit))
        old, new = _place(edit.old, difference.old), _place(edit.new, difference.new)
        if edit.kind == "setting":
            old = new = ""
        kind = _WORDS[edit.kind] + ("" if edit.can_change_sent else " (same sent)")
        yield kind, _what(edit, difference), where, old, new


def _what(edit: Edit, difference: Difference) -> str:
    node, parsed = (edit.new, difference.new) if edit.new is not None else (edit.old, difference.old)
    head = head_of(node, parsed) if node is not None else ""
    if not edit.changes:
        return code(head) if head else "the text"
    return "<br>".join(map(_change, edit.changes))


def _change(change: Change) -> str:
    if change.old == change.new:
        return f"{told(change)}: {code(change.new)}"
    return f"{told(change)}: {code(change.old)} → {code(change.new)}"


def _where(heads: Sequence[str]) -> str:
    return code(" > ".join(heads)) if heads else "top level"


def _place(node: Node | None, parsed: Parsed) -> str:
    if node is None:
        return ""
    return code(f"{parsed.source.name}:{parsed.source.place(node.span.start).line}")
