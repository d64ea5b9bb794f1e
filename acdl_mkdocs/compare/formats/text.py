"""A difference for a person at a terminal: unchanged parts are reduced to the heads of the blocks around each edit."""

from collections.abc import Iterator

from acdl_mkdocs.compare.formats.edit_text import (
    BlockHeads,
    describe_change,
    head_of,
    statement_lines,
    summarize_difference,
)
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.words import BOLD, CYAN, GREEN, RED, YELLOW, Paint
from acdl_mkdocs.compare.structure.edits import Change, CommentEdit, Difference, Edit
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.language.syntax.nodes import Node
from acdl_mkdocs.language.syntax.parse import Parsed

_COLORS = {"+": GREEN, "-": RED, "~": YELLOW, ">": YELLOW}
_SIGNS = {"added": "+", "wrapped": "+", "removed": "-", "unwrapped": "-", "moved": ">"}
_MOST_LINES = 12
"""The number of lines of an added or removed block to show."""


def write(difference: Difference, options: CompareOptions | None = None) -> str:
    """Write the edits in the order of the new text, each with its places; the last lines give the verdict."""
    options = options or CompareOptions()
    paint = Paint(options.color)
    lines: list[str] = []
    if not difference.is_empty:
        lines += [
            paint(BOLD, f"--- {make_visible(difference.old.source.name)}"),
            paint(BOLD, f"+++ {make_visible(difference.new.source.name)}"),
        ]
    lines += _format_edits(difference, paint)
    for used in difference.used:
        old, new = used.old.source.name, used.new.source.name
        lines.append(paint(CYAN, make_visible(f"used: {new}" if old == new else f"used: {old} -> {new}")))
        lines += _format_edits(used, paint)
    if difference.comments:
        lines.append(paint(CYAN, "comments"))
    for comment in difference.comments:
        lines += _format_comment(comment, difference, paint)
    lines.append(summarize_difference(difference))
    if options.sent is not None:
        from acdl_mkdocs.compare.sent import summary as sent_text  # only with a state

        lines += sent_text.format_lines(difference, options.sent, paint)
    return "\n".join(lines) + "\n"


def _format_edits(difference: Difference, paint: Paint) -> Iterator[str]:
    """Yield all edits of statements, below the heads of the blocks around them."""
    all_heads = BlockHeads(difference)
    before: tuple[str, ...] | None = None
    last: Edit | None = None
    for edit in difference.edits:
        heads = all_heads.heads_around(edit)
        if heads != before:
            yield paint(CYAN, make_visible(" > ".join(heads) or "at the top level"))
        is_again = last is not None and edit.old is last.old is not None and edit.new is last.new is not None
        lines = list(_format_edit(edit, difference, paint))
        yield from lines[1:] if is_again else lines
        before, last = heads, edit


def _format_edit(edit: Edit, difference: Difference, paint: Paint) -> Iterator[str]:
    sign = _SIGNS.get(edit.kind, "~")
    where = "" if edit.kind == "setting" else _format_places(edit.old, edit.new, difference)
    if edit.kind in ("added", "removed") and not edit.is_head:
        node, parsed = _current_side(edit, difference)
        for number, line in enumerate(_fold_lines(statement_lines(node, parsed))):
            yield paint(_COLORS[sign], f"  {sign} {where if not number else ' ' * len(where)}  {make_visible(line)}")
        return
    node, parsed = _current_side(edit, difference)
    head = make_visible(head_of(node, parsed)) or "the text"
    own_paths = {each.old_path if edit.new is None else each.new_path for each in edit.carried}
    inside = format_count(len(own_paths), "statement") if own_paths else "some statements"
    description = {
        "wrapped": f"{head} put around {inside}",
        "unwrapped": f"{head} removed from around {inside}",
        "added": f"{head}, with statements from elsewhere",
        "removed": f"{head}; some of its statements are elsewhere",
        "moved": f"{head} moved",
    }.get(edit.kind, head)
    yield paint(_COLORS[sign], f"  {sign} {where}  {description}")
    for change in edit.changes:
        yield f"      {_format_change(change, edit, paint)}"


def _format_change(change: Change, edit: Edit, paint: Paint) -> str:
    what = f"{describe_change(change)} renamed" if edit.kind == "renamed" else describe_change(change)
    if change.old == change.new:
        return f"{what}: {make_visible(change.new)}"
    old = paint(RED, make_visible(change.old) or "nothing")
    return f"{what}: {old} -> {paint(GREEN, make_visible(change.new) or 'nothing')}"


def _format_comment(edit: CommentEdit, difference: Difference, paint: Paint) -> Iterator[str]:
    if edit.kind == "moved":
        places = zip((difference.old, difference.new), (edit.old[0], edit.new[0]), strict=True)
        where = " -> ".join(_format_place(parsed.source, each.span) for parsed, each in places)
        yield paint(YELLOW, f"  > {where}  // {make_visible(' '.join(edit.new[0].text.split()))} moved")
        return
    for sign, comments, parsed in (("-", edit.old, difference.old), ("+", edit.new, difference.new)):
        for each in comments:
            where = _format_place(parsed.source, each.span)
            for line in _fold_lines(each.text.split("\n")):
                yield paint(_COLORS[sign], f"  {sign} {where}  // {make_visible(line.strip())}")


def _fold_lines(lines: list[str]) -> list[str]:
    """Return lines, with the middle of a long added or removed block left out."""
    if len(lines) <= _MOST_LINES + 1:
        return lines
    return [*lines[: _MOST_LINES - 1], f"… {len(lines) - _MOST_LINES} more lines", lines[-1]]


def _current_side(edit: Edit, difference: Difference) -> tuple[Node, Parsed]:
    """Return the statement that an edit is about, in the new text if it is there, with its text."""
    if edit.new is not None:
        return edit.new, difference.new
    assert edit.old is not None  # noqa: S101 - every edit has a side
    return edit.old, difference.old


def _format_places(old: Node | None, new: Node | None, difference: Difference) -> str:
    places = [
        _format_place(parsed.source, node.span)
        for node, parsed in ((old, difference.old), (new, difference.new))
        if node is not None
    ]
    return " -> ".join(places)


def _format_place(source: Source, span: Span) -> str:
    place = source.find_place(span.start)
    return f"{place.line}:{place.column}"
