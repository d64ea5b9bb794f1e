"""XML in the colours that a page has for source, as HTML. Takes any text: what is no XML stays as it is.

Tags, attributes, values, CDATA marks, references and comments have a colour each; `acdl.css` has them for `.acdl-code`.
"""

import re
from html import escape

from acdl_mkdocs.site.highlight import shown

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
    """The text with a `<span>` around markup; what is in a tag is the text, escaped."""
    parts: list[str] = []
    at = 0
    is_in_tag = False
    while found := _TOKENS.search(text, at):
        parts.append(_between(text[at : found.start()], is_in_tag=is_in_tag))
        kind = found.lastgroup or ""
        if kind == "k":
            is_in_tag = found[0][0] == "<"
        is_markup = kind != "s" or is_in_tag
        parts.append(_span(kind, found[0]) if is_markup else shown(escape(found[0])))
        at = found.end()
        if found[0] == "<![CDATA[":
            end = text.find(_CDATA_END, at)
            end = len(text) if end < 0 else end
            parts.append(shown(escape(text[at:end])))
            at = end
    return "".join((*parts, _between(text[at:], is_in_tag=is_in_tag)))


def _between(text: str, *, is_in_tag: bool) -> str:
    """Words, or the names of attributes."""
    if not is_in_tag:
        return shown(escape(text))
    parts: list[str] = []
    at = 0
    for found in _NAME.finditer(text + "="):
        parts += [shown(escape(text[at : found.start()])), _span("v", found[0])]
        at = found.end()
    return "".join((*parts, shown(escape(text[at:]))))


def _span(kind: str, text: str) -> str:
    return f'<span class="acdl-{kind}">{shown(escape(text))}</span>'
