"""A source in the colours of its figure, as HTML. Needs no library: `acdl.css` has the colours.

Characters that would hide or reorder text get their own element, which names the character and reorders nothing.
"""

import re
from html import escape

from acdl_mkdocs.drawing.formats.svg import CLASSES
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.language.syntax.classify import Kind, classify_spans

STYLES: dict[Kind, str] = {
    "comment": "comment",
    "keyword": "keyword",
    "role": "keyword",
    "title": "title",
    "fragment": "fragment",
    "template": "template",
    "function": "function",
    "namespace": "variable",
    "field": "variable",
    "path": "path",
    "index": "index",
    "reference": "reference",
    "string": "string",
    "number": "number",
    "word-operator": "keyword",
}
"""Kind of word to the style it has in a figure; other words look like the text around them."""
_SPECIAL = re.compile(r"""[&<>"']|[^\0-\x7f]""").search
_CLASSES: dict[str, str] = {kind: f"acdl-{CLASSES[style]}" for kind, style in STYLES.items()}


def highlight_acdl(text: str) -> str:
    """Wrap words of one style in `<span>` elements; the text is escaped."""
    parts: list[str] = []
    look, begin, at = "", 0, 0  # the style, the start and the end of the words before this one
    keyword = ""
    for start, end, kind in (*classify_spans(text), (len(text), len(text), "blank")):
        is_fragment = kind == "title" and keyword.lower().endswith(("frag", "fragment"))
        mine = _CLASSES["fragment"] if is_fragment else _CLASSES.get(kind, "")
        keyword = text[start:end] if kind == "keyword" else ""
        if look and (mine != look or start > at):
            parts.append(f'<span class="{look}">{_escape_text(text[begin:at])}</span>')
            look, begin = "", at
        if mine and not look:
            parts.append(_escape_text(text[begin:start]))
            look, begin = mine, start
        at = end
    return "".join([*parts, _escape_text(text[begin:])])


def _escape_text(text: str) -> str:
    """Escape text for HTML; most words need no escape."""
    return mark_hidden_characters(escape(text)) if _SPECIAL(text) else text


def mark_hidden_characters(text: str) -> str:
    """Wrap every character that hides or reorders text; copying yields the original text."""
    return text if text.isascii() else "".join(map(_set_apart, text))


def _set_apart(character: str) -> str:
    sign = make_visible(character)
    return character if len(sign) == 1 else f'<bdi class="acdl-control" data-code="{sign[1:-1]}">{character}</bdi>'


_TOKENS = re.compile(
    r"(?P<c><!--.*?(?:-->|\Z))"
    r"|(?P<f><!\[CDATA\[|\]\]>)"
    r"|(?P<k></?[^\s<>/=\"']+|/?>)"
    r"|(?P<s>=\s*(?:\"[^\"<]*\"|'[^'<]*'))"
    r"|(?P<n>&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|\w{1,8});)",
    re.DOTALL,
)
_NAME = re.compile(r"(?<![^\s<>/=\"'&])[^\s<>/=\"'&]++(?=\s*+=)")
_CDATA_END = "]]>"


def highlight_xml(text: str) -> str:
    """Wrap markup in `<span>` elements; the text is escaped."""
    parts: list[str] = []
    at = 0
    is_in_tag = False
    while match := _TOKENS.search(text, at):
        parts.append(_highlight_between(text[at : match.start()], is_in_tag=is_in_tag))
        kind = match.lastgroup or ""
        if kind == "k":
            is_in_tag = match[0][0] == "<"
        is_markup = kind != "s" or is_in_tag
        parts.append(_render_span(kind, match[0]) if is_markup else mark_hidden_characters(escape(match[0])))
        at = match.end()
        if match[0] == "<![CDATA[":
            end = text.find(_CDATA_END, at)
            end = len(text) if end < 0 else end
            parts.append(mark_hidden_characters(escape(text[at:end])))
            at = end
    return "".join((*parts, _highlight_between(text[at:], is_in_tag=is_in_tag)))


def _highlight_between(text: str, *, is_in_tag: bool) -> str:
    """Highlight text between markup, or the names of attributes."""
    if not is_in_tag:
        return mark_hidden_characters(escape(text))
    parts: list[str] = []
    at = 0
    for match in _NAME.finditer(text + "="):
        parts += [mark_hidden_characters(escape(text[at : match.start()])), _render_span("v", match[0])]
        at = match.end()
    return "".join((*parts, mark_hidden_characters(escape(text[at:]))))


def _render_span(kind: str, text: str) -> str:
    return f'<span class="acdl-{kind}">{mark_hidden_characters(escape(text))}</span>'
