"""The little Markdown that is said about words, as HTML: paragraphs, lists, code, bold words and links."""

import re
from collections.abc import Iterator
from html import escape

from acdl_mkdocs.drawing.formats.box_text import safe_href
from acdl_mkdocs.site.highlight import highlight

_BLOCK = re.compile(r"^```(\w*)\n(.*?)\n?^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(
    r"(?P<tick>`+)(?P<code>.+?)(?P=tick)|\*\*(?P<bold>.+?)\*\*|\[(?P<label>[^\]]+)\]\((?P<href>[^)\s]+)\)"
)
_ITEM = re.compile(r"^[-*] ")


def to_html(markdown: str) -> str:
    """The words as elements, everything else escaped."""
    parts: list[str] = []
    at = 0
    for block in _BLOCK.finditer(markdown):
        parts += _paragraphs(markdown[at : block.start()])
        code = highlight(block[2]) if block[1] == "acdl" else escape(block[2])
        parts.append(f"<pre><code>{code}</code></pre>")
        at = block.end()
    return "".join([*parts, *_paragraphs(markdown[at:])])


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.splitlines()
        if lines and all(_ITEM.match(line) for line in lines):
            yield "<ul>" + "".join(f"<li>{_inline(line[2:])}</li>" for line in lines) + "</ul>"
        elif lines:
            yield f"<p>{_inline(' '.join(lines))}</p>"


def _inline(text: str) -> str:
    parts: list[str] = []
    at = 0
    for found in _INLINE.finditer(text):
        parts.append(escape(text[at : found.start()]))
        at = found.end()
        if found["code"]:
            parts.append(f"<code>{escape(found['code'].strip())}</code>")
        elif found["bold"]:
            parts.append(f"<strong>{_inline(found['bold'])}</strong>")
        else:
            href = safe_href(found["href"])
            label = _inline(found["label"])
            parts.append(f'<a href="{escape(href)}">{label}</a>' if href else label)
    return "".join([*parts, escape(text[at:])])
