"""The figure as nested HTML lists: the same content without a picture, for screen readers, feeds and search.

Needs no stylesheet. Constructs that hold others are `<details open>`, so long ones can be folded.
"""

from html import escape

from acdl_mkdocs.drawing.figure.boxes import Box, format_comment, sign_text
from acdl_mkdocs.drawing.formats.box_text import (
    BADGES,
    definition_anchors,
    figure_title,
    header_text,
    source_href,
    target_href,
    walk_boxes,
)
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.drawing.formats.xml import make_id
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.language.syntax.words import Pill, Run

_CHANGED = {"was": ("<del>", "</del>"), "was-role": ("<del>", "</del>"), "now": ("<ins>", "</ins>")}
"""Frames around what words were and what they are now."""


def write(figure: Box, options: OutputOptions) -> str:
    """Write one `<li>` per box; its id is that of the SVG plus `-text`, so that both can be on one page."""
    anchors = definition_anchors(figure)
    lines: list[str] = []
    for box, depth, is_beginning in walk_boxes(figure):
        if not depth:
            name = escape(make_visible(options.title or figure_title(figure)))
            lines.append(f'<ul class="acdl-text" aria-label="{name}">' if is_beginning else "</ul>")
        elif is_beginning:
            lines.append(_open_item(box, anchors, options))
        elif box.children:
            lines.append("</ul></details></li>")
    return "\n".join(lines) + "\n"


def _open_item(box: Box, anchors: dict[str, str], options: OutputOptions) -> str:
    attributes = f' class="acdl-{escape(box.kind.replace(".", "-"))}"'
    if box.anchor:
        attributes += f' id="{escape(make_id(f"{options.id_prefix}{box.anchor}-text"))}"'
    if box.span:
        attributes += f' data-acdl="{box.span.start}-{box.span.end}"'
    content = " ".join(
        filter(None, (_render_sign(box), _render_header(box, anchors, options), _render_comment(box, options)))
    )
    if box.children:
        return f"<li{attributes}><details open><summary>{content}</summary><ul>"
    return f"<li{attributes}>{content}</li>"


def _render_sign(box: Box) -> str:
    """Render the sign of a box and its words."""
    text = sign_text(box)
    return f'<small class="acdl-sign acdl-sign-{escape(box.sign)}">[{escape(text)}]</small>' if text else ""


def _render_header(box: Box, anchors: dict[str, str], options: OutputOptions) -> str:
    text = escape(header_text(box))
    if not text:
        return ""
    if box.kind == "mark":
        return f"<strong>Mark {text}</strong>"
    if box.kind in BADGES:
        return f"<strong>{text}</strong> {BADGES[box.kind]}"
    if box.kind == "prompt" or box.kind.startswith("role."):
        return f"<strong>{text}</strong>"
    return (
        f"<code>{_link_header(box, anchors, options)}</code>"
        if any(isinstance(word, Pill) for word in box.header)
        else text
    )


def _link_header(box: Box, anchors: dict[str, str], options: OutputOptions) -> str:
    """Return the header with a link on every frame that refers to a definition."""
    parts: list[str] = []
    pending: list[Run | Pill | str] = [*reversed(box.header)]
    while pending:
        word = pending.pop()
        if isinstance(word, Run):
            parts.append(escape(make_visible(word.text)))
        elif isinstance(word, str):
            parts.append(word)
        else:
            href = target_href(word.target, anchors, options.links, options.id_prefix) if word.target else ""
            if href.startswith("#"):
                href += "-text"
            begin, end = (f'<a href="{escape(href)}">', "</a>") if href else _CHANGED.get(word.style, ("", ""))
            parts.append(begin)
            pending += [end, *reversed(word.words)]
    return "".join(parts)


def _render_comment(box: Box, options: OutputOptions) -> str:
    text = format_comment(box)
    if not text:
        return ""
    href = source_href(text, options.source_url)
    linked = f'<a href="{escape(href)}">{escape(text)}</a>' if href else escape(text)
    return f'<em class="acdl-comment">{linked}</em>'
