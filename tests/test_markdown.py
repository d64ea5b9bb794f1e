"""Text of authors as Markdown: whatever it is, a page shows exactly that."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from acdl_mkdocs.foundation.markdown import (
    code_fence,
    code_span,
    code_tag,
    escape_cell,
    escape_for_host,
    escape_markdown,
    escape_with_backslashes,
    link_addresses,
)

HOST = MarkdownIt("commonmark").enable(["table", "strikethrough"])
WORDS = st.text(st.sampled_from("ab 1\\`*_{}[]<>|#~&$@!=%:;\"'/.-+^()"), min_size=1).map(lambda text: f"x{text}x")


def text_of(markdown: str) -> str:
    """What a reader sees of a paragraph."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", HOST.render(markdown))).split())


@pytest.mark.parametrize("escape", [escape_markdown, escape_for_host, escape_with_backslashes, code_tag])
@given(text=WORDS)
def test_nothing_is_markup(escape: Callable[[str], str], text: str) -> None:
    """Nothing is read as markup, in a paragraph or in a cell of a table."""
    line = " ".join(text.split())
    assert text_of(escape(text)) == line
    table = HOST.render(f"| a | b |\n|---|---|\n| {escape(text)} | c |")
    cells = re.findall(r"<td>(.*?)</td>", table)
    assert [" ".join(unescape(re.sub(r"</?code>", "", each)).split()) for each in cells] == [line, "c"]


@given(text=WORDS)
def test_links_keep_words(text: str) -> None:
    """Only addresses become links, and no word is lost."""
    assert text_of(link_addresses(f"https://a.org {text}")) == " ".join(f"https://a.org {text}".split())


@pytest.mark.parametrize("text", ["a", "a`b", "a``b", "`", "``", "a ``` b `` c"])
def test_code_keeps_marks(text: str) -> None:
    """A span or a block of code holds any marks."""
    assert HOST.render(code_span(text)) == f"<p><code>{text}</code></p>\n"
    mark = code_fence(text)
    assert HOST.render(f"{mark}\n{text}\n{mark}") == f"<pre><code>{text}\n</code></pre>\n"


@pytest.mark.parametrize("text", ["a|b", r"a\|b", r"a\\|b", r"a\\\|b", "`a|b`", "a || b"])
def test_cells_hold_bars(text: str) -> None:
    """A bar ends no cell, also after backslashes."""
    (first, second) = re.findall(r"<td>(.*?)</td>", HOST.render(f"| a | b |\n|---|---|\n| {escape_cell(text)} | c |"))
    assert (first.count("|"), second) == (text.count("|"), "c")
