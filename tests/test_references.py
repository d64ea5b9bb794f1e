"""References in the prose of a page, without a docs tool."""

import re
from pathlib import Path

import pytest
from exhaustive import few
from markdown import Markdown

from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.docs.markdown.host import set_page
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.references import find_targets

REACT = "React1[@T]: {\n  Mark 2 {\n    U: env.question[@T]\n  }\n  S: { INSTRUCTIONS\n    BE_BRIEF }\n}\n"
EXAMPLES = [path.read_text("utf-8") for path in sorted((Path(__file__).parent.parent / "examples").glob("*.acdl"))]
FENCE = f"\n```acdl\n{REACT}```\n"


def converted(text: str, *, extensions: tuple[str, ...] = (), block: str = FENCE) -> tuple[str, list[str], Markdown]:
    """The HTML of a page without its figures, what was reported, and what converted it."""
    log: list[str] = []
    page = Page(name="a.md", text=text + block, report=lambda _, line: log.append(line))
    md = Markdown(extensions=[AcdlExtension(), *extensions])
    set_page(page)
    try:
        html = md.convert(text + block)
    finally:
        set_page(None)
    return html.partition("<figure")[0], log, md


def links(html: str) -> list[tuple[str, str]]:
    """Address and words of every reference."""
    return re.findall(r'<a class="acdl-reference" href="([^"]*)">(.*?)</a>', html)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[acdl:React1]]", ("#React1", "<code>React1</code>")),
        ("[[acdl: React1 ]]", ("#React1", "<code>React1</code>")),
        ("[[acdl:React1|the *loop*]]", ("#React1", "the *loop*")),
        ('[[acdl:React1|a <b> & "c"]]', ("#React1", "a &lt;b&gt; &amp; &quot;c&quot;")),
        ("[[acdl:React1#mark-2]]", ("#React1-mark-2", "<code>React1</code>")),
        ("[[acdl:React1#line-3|its question]]", ("#React1-line-3", "its question")),
        ("- item [[acdl:React1]]", ("#React1", "<code>React1</code>")),
        ("> quoted\n> [[acdl:React1]]", ("#React1", "<code>React1</code>")),
        ("**[[acdl:React1]]**", ("#React1", "<code>React1</code>")),
    ],
)
def test_links(text: str, expected: tuple[str, str]) -> None:
    """A reference becomes a link with the name or its own words, wherever prose can stand."""
    html, log, _ = converted(text)
    assert links(html) == [expected]
    assert log == []


@pytest.mark.parametrize(
    "text",
    [
        "`[[acdl:None]]`",
        "```text\n[[acdl:None]]\n```",
        "text\n\n    [[acdl:None]]",
        r"\[[acdl:None]]",
        "<pre>[[acdl:None]]</pre>",
    ],
)
def test_code_is_left_alone(text: str) -> None:
    """What is code, or is escaped, stays as it is and is no problem."""
    html, log, _ = converted(text, extensions=("fenced_code",))
    assert "[[acdl:None]]" in html
    assert log == []


def test_headings() -> None:
    """A reference in a heading gives the heading's anchor and the table of contents its words."""
    html, log, md = converted("# The [[acdl:React1]] loop\n", extensions=("toc",))
    assert log == []
    assert '<h1 id="the-react1-loop">' in html
    assert links(html) == [("#React1", "<code>React1</code>")]
    (entry,) = md.toc_tokens  # type: ignore[attr-defined]
    assert entry["name"] == "The React1 loop"


def test_tables() -> None:
    """In a table the bar before the words is escaped."""
    html, log, _ = converted(
        "| a | b |\n|---|---|\n| [[acdl:React1\\|words]] | [[acdl:React1]] |\n", extensions=("tables",)
    )
    assert links(html) == [("#React1", "words"), ("#React1", "<code>React1</code>")]
    assert log == []


def test_unknown_name() -> None:
    """A name that nothing has is an error with its place and the near name, and its words stay."""
    html, log, _ = converted("`[[acdl:Raect1]]` is\n\nwrong: [[acdl:Raect1]]")
    assert '<span class="acdl-broken-reference"><code>Raect1</code></span>' in html
    (line,) = log
    assert line.startswith("a.md:3:8: error[unknown-reference]: no spec or fragment of this site is named `Raect1`")
    assert "did you mean `[[acdl:React1]]`?" in line


def test_every_broken_reference_has_its_own_place() -> None:
    """The same words twice are two problems."""
    _, log, _ = converted("[[acdl:None]]\n\n[[acdl:None]]")
    assert [line.partition(" ")[0] for line in log] == ["a.md:1:1:", "a.md:3:1:"]


def test_part_behind_a_hyphen() -> None:
    """A part written as in an anchor is an error that says how it is written."""
    _, log, _ = converted("[[acdl:React1-mark-2]]")
    assert log[0].endswith("is named `React1-mark-2`; did you mean `[[acdl:React1#mark-2]]`?")


def test_unknown_part() -> None:
    """A part that the figure does not have is an error that names the near one."""
    html, log, _ = converted("[[acdl:React1#mark-3]]")
    assert links(html) == []
    assert "the figure of `React1` has no part `mark-3`" in log[0]
    assert "did you mean `[[acdl:React1#mark-2]]`?" in log[0]


def test_ambiguous_name() -> None:
    """Two texts that define a name are a warning with both places; the link leads to the first."""
    other = f"{FENCE}\n```acdl id=second\nReact1[@T]: {{ U: env.other[@T] }}\n```\n"
    html, log, _ = converted("[[acdl:React1]]", block=other)
    assert links(html) == [("#React1", "<code>React1</code>")]
    (line,) = log
    assert "warning[ambiguous-reference]: `React1` is defined in 2 places: a.md:3, a.md:13" in line


def test_ambiguous_name_of_repeated_figures() -> None:
    """Each meaning is reported once, at the line that defines the name, however many figures show it."""
    other = "\n```acdl\n// Short\nReact1[@T]: { U: env.other[@T] }\n```\n"
    _, log, _ = converted("[[acdl:React1]]", block=FENCE + other + FENCE + other)
    assert "`React1` is defined in 2 places: a.md:3, a.md:14;" in log[0]


def test_same_text_twice_is_not_ambiguous() -> None:
    """Two figures of one text mean the same."""
    html, log, _ = converted("[[acdl:React1]]", block=FENCE + FENCE)
    assert links(html) == [("#React1", "<code>React1</code>")]
    assert log == []


@pytest.mark.parametrize("header", ["acdl", "acdl id=own", "acdl id=React1"])
@pytest.mark.parametrize("spec", [REACT, *EXAMPLES], ids=lambda spec: spec.partition("[")[0][-20:])
def test_parts_are_those_of_the_figure(header: str, spec: str) -> None:
    """Every part that a reference can name is in the figure, whatever the block's own anchor is."""
    page = Page(name="a.md", text=f"```{header}\n{spec}```\n")
    md = Markdown(extensions=[AcdlExtension()])
    set_page(page)
    try:
        html = md.convert(page.text or "")
    finally:
        set_page(None)
    for name in page.catalog.names:
        (address,) = page.catalog.find_figures(name)
        parts = page.catalog.find_parts(name, address)
        assert any(part.startswith("line-") for part in parts)
        assert [anchor for anchor in parts.values() if f'id="{anchor}"' not in html] == []


def test_no_site() -> None:
    """Without any spec a reference is a problem with a cure, not an exception."""
    _, log, _ = converted("[[acdl:React1]]", block="")
    assert log[0].endswith("is named `React1`; name a spec that a page or a spec file defines")


@pytest.mark.parametrize("words", ["[[acdl:]]", "[[acdl:React1|[x](y)]]", "[[acdl:React1"])
def test_what_only_begins_like_a_reference(words: str) -> None:
    """It stays as it is, and is said once, however many headings a table of contents has."""
    html, log, _ = converted(f"# One\n\n## Two\n\n{words}\n", extensions=("toc",))
    assert links(html) == []
    assert [line.partition("; ")[0] for line in log] == [
        f"a.md:5:1: error[unknown-reference]: `{words}` is not a reference"
    ]


@pytest.mark.parametrize(
    ("part", "cure"),
    [
        ("mark-9", "did you mean `[[acdl:React1#mark-2]]`?"),
        ("makr-2", "did you mean `[[acdl:React1#mark-2]]`?"),
        ("line-99", "did you mean `[[acdl:React1#line-1]]`?"),
        ("nothing-like-it", "refer to the whole figure: `[[acdl:React1]]`"),
    ],
)
def test_near_parts_are_of_the_same_kind(part: str, cure: str) -> None:
    """A mark that is not there is not a line."""
    _, log, _ = converted(f"[[acdl:React1#{part}]]\n")
    assert [line.rpartition("; ")[2] for line in log] == [cure]


def test_no_marks_at_all() -> None:
    """A figure without marks has nothing near to one."""
    _, log, _ = converted("[[acdl:A#mark-1]]\n", block="\n```acdl\nA[@T]: { U: X }\n```\n")
    assert [line.rpartition("; ")[2] for line in log] == ["refer to the whole figure: `[[acdl:A]]`"]


def test_misspelled_fence() -> None:
    """A block with nearly our language is said, with its place; the page is as it would be."""
    html, log, _ = converted("# A\n\n```acdl-galery\n```\n", extensions=("fenced_code",))
    assert "language-acdl-galery" in html
    assert log == [
        "a.md:3:4: error[unknown-fence]: there are no blocks of the kind `acdl-galery`; did you mean `acdl-gallery`?"
    ]


@pytest.mark.parametrize("language", ["acdl-gallery", "acdl-playbook"])
def test_text_that_a_block_cannot_have(language: str) -> None:
    """Text in a block of only an opening line, also that after a missing end, is reported and not lost silently."""
    for text, expected in (
        ("Text\n```\n", "a.md:1:1: warning[src-and-text]: the block has text, which means nothing"),
        ("\nText\n", "a.md:1:1: error[unclosed-fence]: the block is not closed"),
    ):
        _, log, _ = converted(f"```{language}\n{text}", block="")
        assert [line for line in log if line.startswith(expected)]


@pytest.mark.parametrize("header", ["acdl, show=figure", "acdl,ignore", "{acdl, echo=FALSE}", "ACDL:"])
def test_separator_after_the_language(header: str) -> None:
    """A block with a comma or colon after its language, which no docs tool draws, is reported."""
    _, (line,), _ = converted(f"```{header}\nU: X\n```\n", extensions=("fenced_code",))
    assert "error[unknown-fence]: there are no blocks of the kind `acdl" in line
    assert line.endswith("; did you mean `acdl`?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[the *loop*](acdl:React1)", 'href="#React1">the <em>loop</em></a>'),
        ('[loop](acdl:React1 "a & b")', 'href="#React1" title="a &amp; b">loop</a>'),
        ("[](acdl:React1)", 'href="#React1"><code>React1</code></a>'),
        ("[loop](<acdl:React1#mark-2>)", 'href="#React1-mark-2">loop</a>'),
        ("[loop][x]\n\n[x]: acdl:React1#line-3\n", 'href="#React1-line-3">loop</a>'),
        ("[x]\n\n[x]: <acdl:React1> 'why'\n", 'href="#React1" title="why">x</a>'),
        ('<a href="acdl:React1" id="y">loop</a>', 'href="#React1" id="y">loop</a>'),
        ("[loop](acdl%3AReact1)", 'href="#React1">loop</a>'),
        ("[acdl:React1](acdl%3aReact1)", 'href="#React1"><code>React1</code></a>'),
        ("[a](b.md) <a>c</a> [`d`](acdl:React1)", 'href="#React1"><code>d</code></a>'),
    ],
)
def test_links_with_a_target(text: str, expected: str) -> None:
    """A link whose target is `acdl:Name` leads to the figure, in every form that Markdown has."""
    html, log, _ = converted(text)
    assert f'<a class="acdl-reference" {expected}' in html
    assert html.count("acdl-reference") == 1
    assert log == []


def test_target_with_attributes_and_in_a_heading() -> None:
    """Classes of the author stay, and a table of contents has the name."""
    html, log, md = converted("# Loop [](acdl:React1)\n\n[a](acdl:React1){.b #c}", extensions=("toc", "attr_list"))
    assert '<h1 id="loop-react1">' in html
    assert '<a class="acdl-reference b" href="#React1" id="c">a</a>' in html
    assert md.toc_tokens[0]["name"] == "Loop React1"  # type: ignore[attr-defined]
    assert log == []


@pytest.mark.parametrize(
    "text",
    ["`[a](acdl:None)`", "```text\n[a](acdl:None)\n```", r"\[a](acdl:None)", "text\n\n    [a](acdl:None)", "acdl:None"],
)
def test_targets_in_code_are_left_alone(text: str) -> None:
    """What is code, escaped or no link stays as it is and is no problem."""
    html, log, _ = converted(text, extensions=("fenced_code",))
    assert "acdl:None" in html
    assert "acdl-broken-reference" not in html
    assert log == []


def test_unknown_target() -> None:
    """It is an error with its place and a near name, each time, and the words stay."""
    code = "`[a](acdl:Raect1)` \\[b](acdl:Raect1)"
    text = f"{code}\n\n[c](acdl:Raect1), [d](acdl:React1#mark-3)\n[e](acdl:Raect1) [f](acdl:)"
    html, log, _ = converted(text)
    assert html.count('<span class="acdl-broken-reference">') == 4
    assert [line.partition(" ")[0] for line in log] == ["a.md:3:5:", "a.md:3:23:", "a.md:4:5:", "a.md:4:22:"]
    assert log[0].endswith("no spec or fragment of this site is named `Raect1`; did you mean `acdl:React1`?")
    assert log[1].endswith("did you mean `acdl:React1#mark-2`?")
    assert "`acdl:` is not a reference" in log[3]


@pytest.mark.parametrize("text", few(["[](" * 5000, "[" * 20000, "](acdl:A)" * 5000, "[a]" * 5000 + "](acdl:"]))
def test_many_brackets(text: str) -> None:
    """Brackets without an end take no more than linear time."""
    assert list(find_targets(text)) == []
