"""The HTML element of a difference: verdict, drawings, text, list of edits. Reads no file."""

from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote

from acdl_mkdocs.compare.formats.edit_signs import anchor_numbers
from acdl_mkdocs.compare.formats.edit_text import describe_change, head_of, heads_around
from acdl_mkdocs.compare.structure.edits import Change, CommentEdit, Difference, Edit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable, make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.docs.blocks.diff_options import DiffOptions
from acdl_mkdocs.frontends.docs.blocks.diff_sides import DiffSide
from acdl_mkdocs.frontends.docs.blocks.element import render_folded, text_view

_KINDS = {"role": "role changed", "setting": "setting changed"}
_MOST_EDITS = 200


@dataclass(frozen=True, slots=True)
class DiffParts:
    """The parts of a difference that are shown."""

    difference: Difference
    sides: tuple[DiffSide, DiffSide]
    unified: str = ""
    """SVG of one figure; empty if it is not wanted."""
    pair: tuple[str, str] | None = None
    """SVG of each side."""
    words: str = ""
    """The whole difference as text."""
    sent_html: str = ""
    """The messages of both, as HTML."""
    is_same_sent: bool | None = None
    """Whether the messages are equal at all tested points; `None` without any."""
    is_unsure: bool = False
    """Whether a text of a git revision uses fragments that are only known in their current version."""
    prefix: str = ""
    """Prefix of the ids in the drawings."""


def difference_element(options: DiffOptions, name: str, parts: DiffParts | None, panel: str, source_url: str) -> str:
    """Render the element of a block.

    Parameters:
        options: Of the block.
        name: Its anchor.
        parts: The parts to show; `None` if there is nothing to compare.
        panel: The problems, as HTML.
        source_url: Address of the files of the repository; empty if unknown.
    """
    called = escape(make_printable(options.title or options.caption or _compared_names(parts)))
    link = f"Link to this difference: {called}"
    classes = " ".join(("acdl", "acdl-diff", *(escape(each) for each in options.classes)))
    html_parts = [
        f'<figure class="{classes}" id="{name}">',
        f'<div class="acdl-title">{escape(make_printable(options.title))}</div>' if options.title else "",
        panel,
        *(_render_parts(options, parts, called, source_url) if parts else ()),
        f'<a class="acdl-permalink" href="#{name}" title="{link}" aria-label="{link}">#</a>',
        f"<figcaption>{escape(make_printable(options.caption))}</figcaption>" if options.caption else "",
        "</figure>",
    ]
    return "".join(html_parts)


def describe_verdict(parts: DiffParts, sides: tuple[str, str] | None = None) -> tuple[str, str]:
    """Return the verdict of the comparison in a few words, and what it applies to.

    Parameters:
        parts: The parts that are shown.
        sides: The display names of both, if they differ from their names.
    """
    difference = parts.difference
    old, new = sides or (parts.sides[0].title, parts.sides[1].title)
    if parts.is_unsure and difference.is_equal_sent:
        return (
            "The messages can differ",
            f"{old} and {new} use fragments of pages, of which only the current version is known",
        )
    if difference.is_empty:
        return "No difference", f"{old} and {new} are equivalent"
    counted = " and ".join(
        filter(
            None, (_count_changes(len(difference.edits), ""), _count_changes(len(difference.comments), " of comments"))
        )
    )
    edit_summary = f"{counted} from {old} to {new}"
    if difference.is_equal_sent:
        return "The messages are the same", f"{edit_summary}, which cannot affect them"
    if parts.is_same_sent:
        return "The messages are the same at all points tested", f"{edit_summary}, which may affect others"
    return "The messages differ" if parts.is_same_sent is False else "The messages can differ", edit_summary


def _compared_names(parts: DiffParts | None) -> str:
    return f"{parts.sides[0].title} and {parts.sides[1].title} compared" if parts else "Difference"


def _render_parts(options: DiffOptions, parts: DiffParts, called: str, source_url: str) -> Iterator[str]:
    is_same = (parts.difference.is_equal_sent and not parts.is_unsure) or parts.is_same_sent
    sign = "same" if is_same else "other"
    verdict, about = describe_verdict(parts, (_link_side(parts.sides[0]), _link_side(parts.sides[1])))
    yield f'<p class="acdl-verdict acdl-verdict-{sign}"><strong>{verdict}</strong>: {about}.</p>'
    focusable = f'tabindex="0" role="group" aria-label="{called}"'
    if parts.unified:
        yield f'<div class="acdl-figure" {focusable}>{parts.unified}</div>'
    if parts.pair:
        beside = f'tabindex="0" role="group" aria-label="{called}, side by side"'
        halves = "".join(
            f'<div class="acdl-half"><p class="acdl-half-name">{_half_name(word, side)}</p>{svg}</div>'
            for word, side, svg in zip(("Old", "New"), parts.sides, parts.pair, strict=True)
        )
        yield f'<div class="acdl-figure acdl-halves" {beside}>{halves}</div>'
    if options.show == "text" or not (parts.unified or parts.pair):
        yield text_view(parts.words)
    else:
        yield render_folded("acdl-words", "Text", text_view(parts.words), is_open=options.show == "all")
    if not parts.difference.is_empty:
        yield _render_edits(parts, source_url)
    if parts.sent_html:
        yield parts.sent_html


def _half_name(word: str, side: DiffSide) -> str:
    """Render the heading of one of two figures."""
    return f"<b>{word}</b>" if side.title == word.lower() else f"{word}: {_link_side(side)}"


def _link_side(side: DiffSide) -> str:
    words = escape(make_printable(side.title))
    return f'<a href="{escape(side.address)}">{words}</a>' if side.address else f"<b>{words}</b>"


def _render_edits(parts: DiffParts, source_url: str) -> str:
    difference = parts.difference
    places = zip(difference.edits, anchor_numbers(difference), strict=True)
    items = [_render_edit(edit, number, parts, source_url) for edit, number in places]
    items += [_render_comment(edit, parts, source_url) for edit in difference.comments]
    left = len(items) - _MOST_EDITS
    rest = f"<p>… and {left:,} more; the text has all of them</p>" if left > 0 else ""
    title = _count_changes(len(items), "")
    listed = "".join(f"<li>{each}</li>" for each in items[:_MOST_EDITS])
    return f'<div class="acdl-edits">{render_folded("acdl-more", title, f"<ol>{listed}</ol>{rest}")}</div>'


def _render_edit(edit: Edit, number: int, parts: DiffParts, source_url: str) -> str:
    """Render one edit: kind, subject, place; its word links to the place in the drawing."""
    difference = parts.difference
    kind = escape(_KINDS.get(edit.kind, edit.kind))
    html = parts.unified or "".join(parts.pair or ())
    anchors = [f"{parts.prefix}{half}edit-{number}" for half in ("", "new-", "old-")]
    anchor = next((each for each in anchors if f' id="{each}"' in html), "")
    word = f'<a href="#{anchor}">{kind}</a>' if anchor else kind
    head = ""
    if edit.kind != "setting":
        node, parsed = (edit.new, difference.new) if edit.new is not None else (edit.old, difference.old)
        head = _render_code(head_of(node, parsed) if node is not None else "")
    inside = " › ".join(_render_code(each) for each in heads_around(edit, difference))
    places = _render_places([edit.old] if edit.old else [], [edit.new] if edit.new else [], parts, source_url)
    changes = "; ".join(_render_change(each) for each in edit.changes)
    effect = "" if edit.can_change_sent else ' <span class="acdl-edit-quiet">same messages</span>'
    words = [f'<span class="acdl-edit-kind">{word}</span>', head, f"in {inside}" if inside else ""]
    line = " ".join(filter(None, words)) + (f": {changes}" if changes else "")
    return f"{line}{effect}{places if edit.kind != 'setting' else ''}"


def _render_change(change: Change) -> str:
    what = escape(describe_change(change))
    if change.old == change.new:
        return f"{what} {_render_code(change.new)}"
    old = f"<del>{_render_code(change.old)}</del>" if change.old else "nothing"
    new = f"<ins>{_render_code(change.new)}</ins>" if change.new else "nothing"
    return f"{what} {old} → {new}"


def _render_comment(edit: CommentEdit, parts: DiffParts, source_url: str) -> str:
    change = " → ".join(
        f"<{tag}>{' '.join(escape(make_visible(' '.join(each.text.split()))) for each in comments)}</{tag}>"
        for tag, comments in (("del", edit.old), ("ins", edit.new))
        if comments
    )
    places = _render_places(edit.old, edit.new, parts, source_url)
    return f'<span class="acdl-edit-kind">comment {escape(edit.kind)}</span> {change}{places}'


def _render_places(old: Iterable[object], new: Iterable[object], parts: DiffParts, source_url: str) -> str:
    """Render the lines of both sides, as links if the repository's address is known."""
    found = [
        _render_place(node, side, source_url)
        for nodes, side in zip((old, new), parts.sides, strict=True)
        for node in list(nodes)[:1]
    ]
    return f' <span class="acdl-edit-place">{" → ".join(found)}</span>' if found else ""


def _render_place(node: object, side: DiffSide, source_url: str) -> str:
    from acdl_mkdocs.language.syntax.nodes import Node

    assert isinstance(node, Node) and side.source is not None  # noqa: S101, PT018 - edits are between texts that are there
    line = side.source.find_place(node.span.start).line
    words = f"line {line}"
    if not source_url or not side.is_file:
        return words
    address = f"{source_url.rstrip('/')}/{quote(side.source.name, safe='/')}#L{line}"
    return f'<a href="{escape(address)}">{words}</a>'


def _render_code(words: str) -> str:
    return f"<code>{escape(make_visible(words))}</code>" if words else ""


def _count_changes(number: int, rest: str) -> str:
    return format_count(number, "change") + rest if number else ""
