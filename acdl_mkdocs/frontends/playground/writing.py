"""Editing help: hover, completion, outline, formatting, actions, drawings."""

import re
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from acdl_mkdocs.app.convert import drawing_to_acdl, form_of
from acdl_mkdocs.app.format import format as format_text
from acdl_mkdocs.drawing.formats.box_text import safe_href
from acdl_mkdocs.foundation.errors import RefusedError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.highlight import highlight_acdl
from acdl_mkdocs.frontends.editor import complete as editor_complete
from acdl_mkdocs.frontends.editor import hover as editor_hover
from acdl_mkdocs.frontends.editor.positions import Positions
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.frontends.playground.params import Data, Params
from acdl_mkdocs.frontends.playground.texts import URI, PlaygroundText, problem_data, read_range, text_of

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.editor.symbols import OutlineSymbol

_BLOCK = re.compile(r"^```(\w*)\n(.*?)\n?^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(
    r"(?P<tick>`+)(?P<code>.+?)(?P=tick)|\*\*(?P<bold>.+?)\*\*|\[(?P<label>[^\]]+)\]\((?P<href>[^)\s]+)\)"
)
_ITEM = re.compile(r"^[-*] ")


def to_html(markdown: str) -> str:
    """Render the words as elements, with everything else escaped."""
    parts: list[str] = []
    at = 0
    for block in _BLOCK.finditer(markdown):
        parts += _split_paragraphs(markdown[at : block.start()])
        code = highlight_acdl(block[2]) if block[1] == "acdl" else escape(block[2])
        parts.append(f"<pre><code>{code}</code></pre>")
        at = block.end()
    return "".join([*parts, *_split_paragraphs(markdown[at:])])


def _split_paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.splitlines()
        if lines and all(_ITEM.match(line) for line in lines):
            yield "<ul>" + "".join(f"<li>{_render_inline(line[2:])}</li>" for line in lines) + "</ul>"
        elif lines:
            yield f"<p>{_render_inline(' '.join(lines))}</p>"


def _render_inline(text: str) -> str:
    parts: list[str] = []
    at = 0
    for match in _INLINE.finditer(text):
        parts.append(escape(text[at : match.start()]))
        at = match.end()
        if match["code"]:
            parts.append(f"<code>{escape(match['code'].strip())}</code>")
        elif match["bold"]:
            parts.append(f"<strong>{_render_inline(match['bold'])}</strong>")
        else:
            href = safe_href(match["href"])
            label = _render_inline(match["label"])
            parts.append(f'<a href="{escape(href)}">{label}</a>' if href else label)
    return "".join([*parts, escape(text[at:])])


def hover(params: Params) -> Data | None:
    """Return the hover text at an offset, as Markdown; nothing where there is none."""
    text = text_of(params)
    hover_text = editor_hover.hover_at(_build_workspace(text, params), URI, _read_offset(text, params))
    if hover_text is None:
        return None
    return {**text.span_data_of(hover_text.span), "markdown": hover_text.markdown, "html": to_html(hover_text.markdown)}


def complete(params: Params) -> Data:
    """Return the completions at an offset."""
    text = text_of(params)
    completions = editor_complete.complete_at(_build_workspace(text, params), URI, _read_offset(text, params))
    items = [
        {
            **text.span_data_of(each.span),
            "label": each.label,
            "kind": each.kind,
            "insert": each.insert,
            "isSnippet": each.is_snippet,
            "detail": each.detail,
            "documentation": each.documentation,
            "sort": each.sort,
        }
        for each in completions
    ]
    return {"items": items}


def symbols(params: Params) -> Data:
    """Return the outline of a text."""
    from acdl_mkdocs.frontends.editor.symbols import list_symbols

    text = text_of(params)
    return {"symbols": [_symbol_data(each, text) for each in list_symbols(text.workspace, URI)]}


def actions(params: Params) -> Data:
    """Return the actions for a part of a text, except the cures of its problems."""
    from acdl_mkdocs.frontends.editor.actions import list_actions as actions_for

    text = text_of(params)
    start, end = (text.positions.offset_of(params.number_of(name) or 0) for name in ("from", "to"))
    listed_actions = actions_for(_build_workspace(text, params), URI, Span(start, end))
    return {"actions": [{"title": each.title, "edits": text.own_edits(each.edits)} for each in listed_actions]}


def convert(params: Params) -> Data:
    """Convert a text in the drawn notation to formal ACDL; any other text stays as it is."""
    text = params.text_of("text")
    if form_of(text) != "drawing":
        return {"text": text, "isDrawing": False, "diagnostics": []}
    conversion = drawing_to_acdl(Source(text), read_range(params))
    positions = Positions(text)
    return {
        "text": conversion.text,
        "isDrawing": True,
        "diagnostics": [problem_data(each, positions) for each in conversion.diagnostics],
    }


def format(params: Params) -> Data:  # noqa: A001  # the word that users know it by
    """Return the text in its normal form, and the edits that produce it."""
    from acdl_mkdocs.frontends.editor.formatting import line_edits

    text = text_of(params)
    first, last = params.number_of("from"), params.number_of("to")
    lines = None
    if first is not None and last is not None:
        at = [text.source.line_index(text.positions.offset_of(each)) + 1 for each in sorted((first, last))]
        lines = at[0], at[1]
    formatted = format_text(_build_workspace(text, params).check_piece(text.piece), lines, text.range)
    if formatted.is_refused:
        raise RefusedError("text", "it is not formatted: it has errors", "fix its errors first")
    return {
        "text": formatted.text,
        "edits": text.own_edits(text.piece.translate_edits(line_edits(formatted.before, formatted.text))),
    }


def _build_workspace(text: PlaygroundText, params: Params) -> Workspace:
    """Return the workspace of the text and its files, with its state."""
    return text.with_state(params.text_of("state", ""))


def _read_offset(text: PlaygroundText, params: Params) -> int:
    return text.positions.offset_of(params.number_of("at") or 0)


def _symbol_data(symbol: "OutlineSymbol", text: PlaygroundText) -> Data:
    name = text.span_data_of(symbol.name_span)
    return {
        **text.span_data_of(symbol.span),
        "name": symbol.name,
        "detail": symbol.detail,
        "kind": symbol.kind,
        "nameFrom": name["from"],
        "nameTo": name["to"],
        "children": [_symbol_data(each, text) for each in symbol.children],
    }
