"""The HTML of a block: figure, source, problems, ids; safe whatever the block says."""

import gzip
import re
from collections.abc import Callable
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock, from_fence, to_html
from acdl_mkdocs.frontends.docs.blocks.highlight import highlight_acdl
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.search_text import hide_drawings
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.workspace.fences import Fence, scan_fences
from acdl_mkdocs.workspace.options import BlockOptions, set_option
from acdl_mkdocs.workspace.read_block import BlockText

REACT = "React2[@T]: {\n  S: SYSTEM_PROMPT\n  Mark 2 {\n    U: env.question[@T]\n  }\n}\n"
BROKEN = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"
EVIL = '</svg></pre><script>alert("1")</script><a href="javascript:alert(1)">x</a>'


def drawn(text: str, options: BlockOptions | None = None, page: Page | None = None) -> PageBlock:
    """A block on a page of its own."""
    return to_html(BlockText(Source(text, "docs/a.md", 3, 1), options or BlockOptions()), page or Page())


WORDS = ("aria-label", "title")
"""Attributes that are read out, whatever they say."""


class _Balance(HTMLParser):
    """Counts the open elements, and keeps the names of all."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Every attribute is harmless."""
        assert not [
            name
            for name, value in attrs
            if name.startswith("on") or (name not in WORDS and "javascript:" in (value or ""))
        ]
        self.tags.add(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content opens nothing."""
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Elements close in the order in which they were opened."""
        assert self.open.pop() == tag


def test_figure_of_a_block() -> None:
    """A figure with its id, its drawing, its source and a link to itself."""
    block = drawn(REACT, BlockOptions(title="T", caption="C"))
    assert block.html.startswith('<figure class="acdl" id="React2">')
    assert "<svg" in block.html
    assert '<code class="language-acdl"><span class="acdl-k">React2</span>[' in block.html
    assert re.sub("<[^>]*>", "", block.html.partition("language-acdl")[2]).startswith('">React2[@T]: {\n  S: SYSTEM_')
    assert "<figcaption>C</figcaption>" in block.html
    assert 'href="#React2"' in block.html
    assert 'id="React2-mark-2"' in block.html
    assert block.log == ()
    assert _Balance(block.html).open == []


@pytest.mark.parametrize(
    ("show", "svg", "source", "text"),
    [
        ("both", True, True, True),
        ("side", True, True, False),
        ("figure", True, False, False),
        ("source", False, True, False),
        ("text", False, False, True),
    ],
)
def test_show(show: str, svg: bool, source: bool, text: bool) -> None:
    """What is shown is what was asked for."""
    html = drawn(REACT, set_option(BlockOptions(), "show", show)).html
    assert ("<svg" in html, "language-acdl" in html, "acdl-text" in html) == (svg, source, text)


def test_source_beside_the_figure() -> None:
    """The source comes first, unfolded, and search leaves it out; where nothing is drawn it is as if alone."""
    html = drawn(REACT, BlockOptions(show="side", classes=("wide",), caption="A loop")).html
    assert html.startswith('<figure class="acdl acdl-side wide"')
    code = r'<pre class="acdl-code" tabindex="0" data-search-exclude>'
    assert re.search(rf"{code}.*<svg.*</figcaption></figure>$", html, re.DOTALL)
    assert hide_drawings(html).html.count("env.") == hide_drawings(
        drawn(REACT, BlockOptions(caption="A loop")).html
    ).html.count("env.")
    assert "<details" not in html
    broken = drawn("((((", BlockOptions(show="side")).html
    assert '<figure class="acdl" ' in broken
    assert '<pre class="acdl-code" tabindex="0"><code' in broken


def test_panel_above_what_was_understood() -> None:
    """A block with an error shows the panel, and below it the figure of what was understood."""
    block = drawn(BROKEN)
    assert "error[nested-role]" in block.html
    assert block.html.index("acdl-problem") < block.html.index("<svg")
    assert [severity for severity, _ in block.log] == ["error"]
    assert block.log[0][1].startswith("docs/a.md:5:5: error[nested-role]")


def test_warnings_in_the_page_only_when_asked() -> None:
    """Warnings go to the log in any case, into the page if the site wants them."""
    text = f"{REACT}{REACT}"
    quiet = drawn(text)
    loud = drawn(text, page=Page(settings=Settings(show_warnings=True)))
    assert "acdl-problem" not in quiet.html
    assert "warning[duplicate-definition]" in loud.html
    assert {severity for severity, _ in quiet.log} >= {"warning"}


def test_ids_are_unique_on_a_page() -> None:
    """The first figure of a spec has its name, the next ones a number; ids inside never meet."""
    page = Page()
    blocks = [drawn(REACT, page=page) for _ in range(3)]
    blocks.append(drawn(REACT, BlockOptions(id="mine"), page))
    assert [block.id for block in blocks] == ["React2", "React2-2", "React2-3", "mine"]
    ids = [each for block in blocks for each in re.findall(r'\sid="([^"]*)"', block.html)]
    assert len(ids) == len(set(ids))
    assert {"React2-mark-2", "React2-2-React2-mark-2", "mine-React2-mark-2"} <= set(ids)


def test_helpers_of_the_same_name_do_not_collide() -> None:
    """Two figures of different specs that define the same fragment have no id in common."""
    page = Page()
    texts = [
        f"{name}[@T]: {{\n  Frag H[]\n}}\nRolesFrag H[]: {{\n  Mark 1 {{\n    U: env.q\n  }}\n}}\n" for name in "XY"
    ]
    ids = [each for text in texts for each in re.findall(r'\sid="([^"]*)"', drawn(text, page=page).html)]
    assert len(ids) == len(set(ids))


def test_repeated_id_is_reported() -> None:
    """A second block with an id that its author gave gets another one, and a warning."""
    page = Page()
    drawn(REACT, BlockOptions(id="x"), page)
    second = drawn(REACT, BlockOptions(id="x"), page)
    assert second.id == "x-2"
    assert "repeated-id" in second.log[0][1]


def test_only_the_wanted_spec() -> None:
    """`spec` draws one definition; one that does not exist is explained and everything is drawn."""
    text = REACT + "Other[@T]: {\n  U: env.other\n}\n"
    assert "env.other" not in drawn(text, BlockOptions(spec="React2", show="figure")).html
    missing = drawn(text, BlockOptions(spec="Othr", show="figure"))
    assert "did you mean <code>Other</code>?" in missing.html
    assert "env.other" in missing.html


HOSTILE: dict[str, Callable[[], PageBlock]] = {
    "template": lambda: drawn(f"A[@T]: {{ U: {EVIL} }}\n"),
    "comment": lambda: drawn(f"// {EVIL}\nA[@T]: {{ // {EVIL}\n  U: env.q // {EVIL}\n}}\n"),
    "string": lambda: drawn(f"A[@T]: {{ U: '{EVIL}' }}\n"),
    "title": lambda: drawn(REACT, BlockOptions(title=EVIL, caption=EVIL, show="text")),
    "svg title": lambda: drawn(REACT, BlockOptions(title=EVIL, caption=EVIL)),
    "spec": lambda: drawn(REACT, BlockOptions(spec=EVIL)),
    "id": lambda: drawn(REACT, BlockOptions(id=EVIL)),
    "header": lambda: from_fence(Fence(0, 3, "", "```", f"acdl {EVIL} title='{EVIL}'", REACT, 1, True), Page()),
    "name": lambda: to_html(BlockText(Source(BROKEN, EVIL)), Page()),
    "control": lambda: from_fence(
        Fence(0, 3, "", "```", "acdl", "A: { U: \x02wzxhzdk:0\x03 \x00 }\n", 1, True), Page()
    ),
}


@pytest.mark.parametrize("where", HOSTILE)
def test_hostile_text_is_text(where: str) -> None:
    """Markup and control characters of a block appear as text and nothing else."""
    html = HOSTILE[where]().html
    balance = _Balance(html)
    assert balance.open == []
    assert "script" not in balance.tags
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", html)


def test_src_in_a_page(tmp_path: Path) -> None:
    """A block that names a file is drawn from it, its problems have the file's own places, and the file is watched."""
    (tmp_path / "bad.acdl").write_text(BROKEN)
    said: list[str] = []
    page = Page(name="docs/a.md", root=tmp_path, report=lambda severity, line: said.append(f"{severity} {line}"))
    block = from_fence(Fence(7, 9, "", "```", 'acdl src="bad.acdl#Chat"', "", 1, True), page)
    assert block.id == "Chat"
    assert said[0].startswith("error bad.acdl:3:5: error[nested-role]")
    assert page.files == {tmp_path / "bad.acdl"}


def test_src_with_text_is_reported() -> None:
    """A block that both names a file and has text says that its text is not drawn."""
    block = from_fence(Fence(0, 3, "", "```", "acdl src=none.acdl", REACT, 1, True), Page())
    assert [line.partition("[")[2].partition("]")[0] for _, line in block.log] == ["src-and-text", "missing-src"]


def test_empty_and_unclosed_blocks() -> None:
    """Neither is ever a silent gap."""
    empty = from_fence(Fence(4, 6, "", "```", "acdl", "\n", 1, True), Page(name="a.md"))
    assert "empty-block" in empty.html
    assert empty.log[0][1].startswith("a.md:5:1: error[empty-block]")
    unclosed = from_fence(Fence(0, 9, "", "~~~~", "acdl", REACT + "And prose.\n", 1, False), Page())
    assert [line.partition("[")[2].partition("]")[0] for _, line in unclosed.log] == ["unclosed-fence"]
    assert "only ~~~~" in unclosed.html


def test_a_fault_of_ours_is_a_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong while drawing, the page is built and says so."""
    monkeypatch.setattr("acdl_mkdocs.drawing.figure.describe.describe", lambda *_: 1 / 0)
    block = drawn(REACT)
    assert "ZeroDivisionError" in block.html
    assert "React2[@T]" in block.html
    assert [severity for severity, _ in block.log] == ["error"]


def test_places_are_those_of_the_file() -> None:
    """Front matter and changed indentation do not move a place; equal blocks are told apart by their order."""
    body = BROKEN.replace("\n", "\n    ").rstrip(" ")
    text = f"---\ntitle: x\n---\n\n- a\n\n    ```acdl\n    {body}    ```\n\n```acdl\n{BROKEN}```\n"
    seen = list(scan_fences(text.split("---\n", 2)[2].split("\n")))
    said: list[str] = []
    page = Page(name="docs/a.md", text=text, report=lambda _, line: said.append(line.split(" ")[0]))
    for fence in seen:
        from_fence(fence, page)
    assert said == ["docs/a.md:10:9:", "docs/a.md:18:5:"]


def test_tabs_keep_their_columns() -> None:
    """Markdown expands tabs; a place still counts the characters of the file."""
    text = "\t```acdl\n\tChat[@T]: {\n\t\tU: {\n\t\t\tS: { A }\n\t\t}\n\t}\n\t```\n"
    said: list[str] = []
    page = Page(name="a.md", text=text, report=lambda _, line: said.append(line.split(" ")[0]))
    (fence,) = scan_fences(text.expandtabs(4).split("\n"))
    from_fence(fence, page)
    assert said == ["a.md:4:4:"]


def test_block_that_is_not_in_the_file() -> None:
    """A block that another tool made says so, and counts from its own first line."""
    said: list[str] = []
    page = Page(name="a.md", text="nothing", report=lambda _, line: said.append(line))
    from_fence(Fence(40, 45, "    ", "```", "acdl", BROKEN, 5, True), page)
    assert said[0].startswith("a.md (generated block):4:5: error[nested-role]")


def rules_and_places(lines: list[str]) -> list[str]:
    """Place and rule of log lines."""
    return [re.sub(r"^(\S+): \w+\[([\w-]+)\].*", r"\1 \2", line) for line in lines]


def test_problems_of_options_stand_at_the_options(tmp_path: Path) -> None:
    """A repeated id and an unknown spec are reported in the header that gives them, not in the file of `src`."""
    (tmp_path / "a.acdl").write_text(REACT)
    said: list[str] = []
    text = (
        "```acdl src=a.acdl #x\n```\n\n```acdl src=a.acdl id=x\n```\n\n```acdl src=a.acdl #x\n```\n\n"
        "```acdl spec=Reakt\n" + REACT + "```\n\n```acdl src=a.acdl#Reakt\n```\n"
    )
    page = Page(name="p.md", text=text, root=tmp_path, report=lambda _, line: said.append(line))
    for fence in scan_fences(text.split("\n")):
        from_fence(fence, page)
    assert rules_and_places(said) == [
        "p.md:4:23 repeated-id",
        "p.md:7:20 repeated-id",
        "p.md:10:14 unknown-spec",
        "p.md:19:13 unknown-spec",
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("```acdl\n// nothing\n```\n", "p.md:1:1"),
        ("```acdl\nNamespace env := { a: b }\n```\n", "p.md:1:1"),
        ("```acdl header=on comments=off\n// nothing\n```\n", "p.md:1:1"),
        ("```acdl src=empty.acdl\n```\n", "p.md:1:13"),
    ],
)
def test_nothing_to_draw(text: str, place: str, tmp_path: Path) -> None:
    """A block or file without anything to draw is no silent gap."""
    (tmp_path / "empty.acdl").write_text("\n")
    said: list[str] = []
    page = Page(name="p.md", text=text, root=tmp_path, report=lambda _, line: said.append(line))
    (fence,) = scan_fences(text.split("\n"))
    assert "empty-block" in from_fence(fence, page).html
    assert rules_and_places(said) == [f"{place} empty-block"]


@pytest.mark.parametrize("header", ["acdl show=source", "acdl header=on"])
def test_comments_alone_can_be_wanted(header: str) -> None:
    """A block of comments is fine where its source or its comments are asked for."""
    (fence,) = scan_fences([f"```{header}", "// title: Nothing", "```"])
    block = from_fence(fence, Page())
    assert block.log == ()
    assert "Nothing" in block.html


def test_header_comments() -> None:
    """`header=on` draws the comments above the first definition."""
    text = f"// read this first\n{REACT}"
    assert "read this first" not in drawn(text, BlockOptions(show="figure")).html
    assert "read this first" in drawn(text, set_option(BlockOptions(show="figure"), "header", True)).html


def test_long_src(tmp_path: Path) -> None:
    """A path longer than any file's name is a problem of the block, not the end of the build."""
    block = from_fence(Fence(0, 2, "", "```", f"acdl src={'a' * 300}.acdl", "", 1, True), Page(root=tmp_path))
    assert "unreadable-src" in block.log[0][1]


def test_very_many_problems() -> None:
    """A page shows the worst of very many problems and counts the rest; the log has more of them."""
    messages = "  U: { S: { RULES } }\n" * 300
    said: list[tuple[str, str]] = []
    page = Page(name="a.md", report=lambda severity, line: said.append((severity, line)))
    html = to_html(BlockText(Source(f"A[@T]: {{\n{messages}}}\n", "a.md")), page).html
    assert html.count('<pre class="acdl-excerpt" tabindex="0">') == 20
    assert "and 280 more</p>" in html
    assert len(said) == 101
    assert said[-1] == ("error", "a.md: 200 more problems in this block; `acdl check` lists all of them")


def test_problems_of_a_file_name_the_page(tmp_path: Path) -> None:
    """What is wrong in a file that a block names is reported with the page that shows it."""
    (tmp_path / "bad.acdl").write_text(BROKEN)
    said: list[str] = []
    page = Page(name="docs/a.md", root=tmp_path, report=lambda _, line: said.append(line))
    block = from_fence(Fence(7, 9, "", "```", "acdl src=bad.acdl", "", 1, True), page)
    assert said
    assert all(line.startswith("bad.acdl:") and line.endswith(" (shown by docs/a.md:8)") for line in said)
    assert "::: shown by docs/a.md:8\n" in block.html


def test_figure_for_keyboard_and_screen_reader() -> None:
    """A figure can be scrolled by keyboard; it and the link to it have its name."""
    html = drawn(REACT, BlockOptions(title="Agent & tools")).html
    assert '<div class="acdl-figure" tabindex="0" role="group" aria-label="Agent &amp; tools">' in html
    assert 'aria-label="Link to this figure: Agent &amp; tools"' in html
    assert 'aria-label="Link to this figure: React2"' in drawn(REACT).html


def line_ids(html: str) -> dict[int, str]:
    """Line to the words that stand first of it in the figure."""
    found = re.findall(r'<text id="[\w.-]+-line-(\d+)".*?</text>', html, re.DOTALL)
    words = [
        re.sub("<[^>]*>", "", each[0]) for each in re.finditer(r'<text id="[^"]*-line-.*?</text>', html, re.DOTALL)
    ]
    return dict(zip(map(int, found), words, strict=True))


def test_an_address_for_each_line() -> None:
    """Prose can link to a line: its first words have its number as their id, counted in the text of the block."""
    block = drawn("\n// first\nA[@T]: {\n  U: env.q  A: resp.a\n  If @T > 1 {\n    S: { X Y }\n  }\n}\n")
    words = {3: "A[@T]:", 4: "ROLE: USER", 5: "If @T &gt; 1", 6: "ROLE: SYSTEM"}
    assert line_ids(block.html) == words
    assert 'id="A-line-4"' in block.html


def test_addresses_of_lines_are_unique() -> None:
    """Two figures of one spec on a page have different addresses for the same line; those of a file are the file's."""
    page = Page()
    blocks = [drawn(REACT, page=page) for _ in range(2)]
    assert 'id="React2-line-4"' in blocks[0].html
    assert 'id="React2-2-line-4"' in blocks[1].html
    assert {"React2-line-4", "React2-2-line-4"} <= page.used_ids


def test_lines_of_a_file(tmp_path: Path) -> None:
    """A block that draws one definition of a file counts the lines of the file, as an editor does."""
    (tmp_path / "a.acdl").write_text(f"// title: A\n\n{REACT}Other[@T]: {{\n  U: env.other\n}}\n")
    block = from_fence(Fence(0, 2, "", "```", 'acdl src="a.acdl#Other"', "", 1, True), Page(root=tmp_path))
    assert line_ids(block.html) == {9: "Other[@T]:", 10: "ROLE: USER"}


def test_text_of_a_figure() -> None:
    """The text view is the text output, escaped, and not part of the search index."""
    html = drawn("A[@T]: {\n  If @T < 3 { U: env.q }\n}\n").html
    view = html.partition('<details class="acdl-words" data-search-exclude><summary>Text</summary>')[2]
    assert view.startswith(
        '<pre class="acdl-text" tabindex="0">A[@T]:\n  If @T &lt; 3\n    Role: User\n      env.q\n</pre>'
    )


def test_nothing_moves_by_itself() -> None:
    """Neither style sheet nor script has an animation but one that follows the scrolling of readers."""
    by_scrolling = {"-timeline: scroll(", "-name: acdl-fade", "-timeline: scroll(self inline", "-direction: reverse"}
    for name in ("acdl.css", "acdl.js", "acdl-actions.js"):
        text = (files("acdl_mkdocs") / "assets" / name).read_text("utf-8")
        assert {*re.findall(r"animation([-\w]*:[^;})]*)", text)} <= by_scrolling
        assert not re.search(r"\btransition\b|smooth", text)


def test_no_rule_depends_on_the_whole_page() -> None:
    """Browsers would style a page of figures again whenever anything is added to it, such as the bar of a figure."""
    text = (files("acdl_mkdocs") / "assets" / "acdl.css").read_text("utf-8")
    assert not re.search(r"(?:^|[\s,{}])(?::root|html|body)?:has\(", text)


def test_what_a_page_weighs() -> None:
    """Views, anchors and colours of the source together are less than half of what the drawing weighs, packed."""
    text = "".join(
        f"Agent{number}[@T]: {{\n  S: {{ INSTRUCTIONS sys.tools }}\n  U: env.q{number}[@T]\n}}\n" for number in range(9)
    )
    html = drawn(text).html
    drawing = html[html.index("<svg") : html.index("</svg>")]
    packed, bare = (len(gzip.compress(part.encode(), 9, mtime=0)) for part in (html, drawing))
    assert packed < 1.5 * bare


def test_search_finds_each_word_once() -> None:
    """While other tools look at a page it has the words of a figure once, and gets all of its views back."""
    html = f"<h1>T</h1>{drawn(REACT).html}<p>End</p>"
    light = hide_drawings(html)
    assert light.html.count("SYSTEM_PROMPT") == 1
    assert "<details" not in light.html
    assert light.html.count("<!--") == 3, "two around the words, one for all other views together"
    assert light.restore_drawings(light.html.replace("<p>End</p>", "<p>Fin</p>")) == html.replace(
        "<p>End</p>", "<p>Fin</p>"
    )


def test_search_knows_the_parts_of_names() -> None:
    """Each part of a longer word of a drawing is there once as a word of its own; what is a word already is not."""
    light = hide_drawings(drawn("S: { A_B env.p_q[@T] call(sys.x_y[@T.i], A_B) }\nU: env.p_q[@T-1]\n").html).html
    words = re.split(r"[\s<>]+", light)
    assert [words.count(part) for part in ("A_B", "env", "p_q", "sys", "x_y", "call", "i")] == [1, 1, 1, 1, 1, 1, 0]


def test_search_shows_statements() -> None:
    """A few statements are a paragraph, with the parts of their names unless the search divides words there."""
    html = drawn("U: { env.p_q[@T] A_B }\n").html
    assert "<p>ROLE: USER env.p_q[@T] A_B env p_q</p>" in hide_drawings(html).html
    assert "env.p_q[@T] A_B</p>" in hide_drawings(html, r"[\s\-\[\]]+|\.(?!\d)").html
    assert "env.p_q[@T] A_B env p_q</p>" in hide_drawings(html, "(?<js>[").html


def test_search_shows_short_paragraphs() -> None:
    """A statement stands with others as long as a search shows all of them; the words and their order stay the same."""
    names = [f"sys.name_{number}" for number in range(40)]
    long = "W" * 150
    light = hide_drawings(drawn(f"S: {{ {' '.join(names)} {long} LAST }}\n").html).html
    paragraphs = re.findall(r"<p>(.*?)</p>", light)
    said = [[word for word in each.split() if word in {*names, long, "LAST"}] for each in paragraphs]
    assert [word for words in said for word in words] == [*names, long, "LAST"]
    assert all(len(" ".join(words)) <= 100 for words in said if long not in words)
    assert [long] in said
    assert len(paragraphs) < 10


def test_a_text_is_cut_into_words_once() -> None:
    """Figure, text and colours of the source share the words of a text, whatever empty lines are around it."""
    text = "\n\nOnlyHere[@T]: {\n    U: env.only_here[@T] // words\n}\n\n"
    before = tokenize.cache_info().misses
    html = drawn(text).html
    assert tokenize.cache_info().misses == before + 1
    assert highlight_acdl(text.strip("\n")) in html
