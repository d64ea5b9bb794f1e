"""MkDocs hook of this project's own site: where code in a text may be broken into two lines."""

import re
from html import escape, unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

LONGEST = 28
"""Number of characters that fit into a line of a phone, however far from its start they begin the next one."""
_BREAKS = re.compile(r"(?<=\w[/_=])(?=\w)")
_CODE = re.compile(r"<code>([^<\n]+)</code>")


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Keep short code whole; let longer code break after a slash, an underscore or an equals sign."""
    del page, config, files
    return _CODE.sub(_mark_breaks, html)


def _mark_breaks(code: re.Match[str]) -> str:
    text = unescape(code[1])
    if len(text) <= LONGEST:
        return f'<code class="short">{code[1]}</code>'
    return f"<code>{'<wbr>'.join(escape(part, quote=False) for part in _BREAKS.split(text))}</code>"
