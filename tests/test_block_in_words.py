"""The view of a figure in words: a sentence for each statement, which knows its part of the figure."""

import re
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock, from_fence, to_html
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.search_text import hide_drawings
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import BlockText

ROOT = Path(__file__).parent.parent


def drawn(text: str, options: BlockOptions, page: Page | None = None) -> PageBlock:
    """A block on a page of its own."""
    return to_html(BlockText(Source(text, "docs/a.md", 3, 1), options), page or Page())


EXPLAINED = """\
// before
Chat[@T]: {
  S: { RULES("<b>") sys.mode[@T] }
  ForEach(t: range(1, @T)) {
    U: env.question[@t] // & <what>
  }
  Frag Manners[@T]
}
RolesFrag Manners[@t]: { A: resp.answer[@t] }
"""


def explained(html: str) -> str:
    """The figure in words."""
    return html.partition('<div class="acdl-explanation">')[2].partition("</div>")[0]


def test_words_of_a_figure() -> None:
    """The figure says that its details are the words, which have a sentence for each statement, escaped."""
    html = drawn(EXPLAINED, BlockOptions(explain=True)).html
    assert ' aria-label="Chat" aria-details="Chat-in-words">' in html
    assert '<details class="acdl-explained" data-search-exclude id="Chat-in-words"><summary>In words</summary>' in html
    words = explained(html)
    sentences = [re.sub("<[^>]*>", "", each) for each in re.findall(r"<li><span[^>]*>(.*?)</span>", words)]
    assert sentences == [
        "a System message: line 3",
        "the template RULES, filled with the words &quot;&lt;b&gt;&quot; line 3",
        "sys.mode of the current turn line 3",
        "for each turn t from 1 to the turn before the current turn, with more rounds as time goes on: line 4",
        "a User message: env.question of turn t (&amp; &lt;what&gt;) line 5",
        "the fragment Manners with t = the current turn: line 7",
        "an Assistant message: resp.answer of turn t line 9",
    ]
    assert "<code>sys.mode</code>" in words
    assert "the template" not in hide_drawings(html).html  # a search finds the words of the figure alone


def test_words_are_asked_for() -> None:
    """An ordinary block has them if it asks for them, beside a figure with other views."""
    for options in (
        BlockOptions(),
        BlockOptions(explain=False),
        *(BlockOptions(explain=True, show=show) for show in ("figure", "source", "text")),
    ):
        assert "In words" not in drawn(EXPLAINED, options).html
        assert "aria-details" not in drawn(EXPLAINED, options).html
    assert "In words" in drawn(EXPLAINED, BlockOptions(explain=True, show="side")).html


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.acdl")), ids=lambda path: path.stem)
def test_each_sentence_has_its_part(path: Path) -> None:
    """Every sentence is about a part of the figure, in both drawings of it, and every link leads to a line of it."""
    html = to_html(BlockText(Source(path.read_text("utf-8"), "a.acdl"), BlockOptions(explain=True)), Page()).html
    words = explained(html)
    spans = set(re.findall(r'data-acdl="[^"]*"', words))
    assert spans
    for drawing in re.findall("<svg.*?</svg>", html, re.DOTALL):
        assert spans <= set(re.findall(r'data-acdl="[^"]*"', drawing))
    assert set(re.findall(r'href="#([^"]*)"', words)) <= set(re.findall(r' id="([^"]*)"', html))


def test_words_of_other_files(tmp_path: Path) -> None:
    """A statement of another file is said in words, without a part of this figure; one spec of a file is all of it."""
    (tmp_path / "manners.acdl").write_text("RolesFrag Manners[@t]: { A: resp.answer[@t] }\n")
    (tmp_path / "chat.acdl").write_text(
        "// acdl: use manners.acdl\nChat[@T]: { Frag Manners[@T] }\nOther[@T]: { U: env.other }\n"
    )
    fence = Fence(0, 2, "", "```", 'acdl src="chat.acdl#Chat" explain=on', "", 1, True)
    words = explained(from_fence(fence, Page(root=tmp_path)).html)
    assert "<span>an Assistant message: <code>resp.answer</code> of turn t</span>" in words
    assert "Other" not in words


def test_words_of_a_fragment_inside_a_spec() -> None:
    """A fragment that is defined inside a spec can be the one that is drawn."""
    text = "Chat[@T]: {\n  U: env.q\n  StrFrag Inner[@t]: { A_TEXT }\n}\n// the end\n"
    html = drawn(text, BlockOptions(explain=True, spec="Inner")).html
    assert "the template <code>A_TEXT</code>" in explained(html)
    assert "acdl-problem" not in html


def test_anchor_of_words_is_unique() -> None:
    """The words have an anchor that nothing else of the page has."""
    page = Page()
    page.foreign_ids = frozenset({"Chat-in-words"})
    blocks = [drawn(EXPLAINED, BlockOptions(explain=True), page).html for _ in range(2)]
    names = [re.findall('aria-details="([^"]*)"', each)[0] for each in blocks]
    assert len({*names, "Chat-in-words"}) == 3
    for name, html in zip(names, blocks, strict=True):
        assert f' id="{name}"' in html
