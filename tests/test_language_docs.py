"""The language's own pages: complete, true, and made from what the program does."""

import re
from html import unescape
from pathlib import Path

import grammar_docs
import pytest

from acdl_mkdocs.app.python import render
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.problems.rule_pages import CodeSample, all_names, rule_page
from acdl_mkdocs.frontends.docs.problems.rule_texts import example_message, to_markdown, write_catalogue
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax import nodes
from acdl_mkdocs.language.syntax.nodes import Node, same_shape, walk
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.tables import GRAMMAR
from acdl_mkdocs.workspace.fences import Fence, scan_fences

SITE = Path(__file__).parent.parent / "site_src"
REFERENCE = SITE / "reference" / "language.md"
LEARN = sorted((SITE / "learn").glob("*.md"))

_ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|$", re.MULTILINE)
_NOT_SHOWN = {"Broken", "BrokenBlock", "HostLine", "HostValue", "Skipped", "Label"}
"""What stands for mistakes and for text that is not ACDL; groups with a title are in the table of spellings."""


def fences(page: Path) -> list[Fence]:
    """The figures of a page."""
    return [each for each in scan_fences(page.read_text("utf-8").split("\n")) if each.language == "acdl"]


def constructs() -> set[str]:
    """The names of the classes of nodes; those that others have in common are no constructs."""
    kinds = [kind for kind in vars(nodes).values() if isinstance(kind, type) and issubclass(kind, Node)]
    return {kind.__name__ for kind in kinds if not kind.__subclasses__()}


def test_every_construct_is_drawn() -> None:
    """The reference has a figure with each kind of node."""
    shown = {type(node).__name__ for fence in fences(REFERENCE) for node in walk(parse(Source(fence.text)).file)}
    assert {"ForEach", "TimeIndex"} <= constructs()
    assert constructs() - _NOT_SHOWN - shown == set()


def test_every_figure_has_its_source_beside_it() -> None:
    """The reference and the tutorial show both."""
    for page in (REFERENCE, SITE / "learn" / "tutorial.md"):
        assert [fence.first + 1 for fence in fences(page) if "show=side" not in fence.header] == []


def test_both_readings_of_ranges_are_shown() -> None:
    """The two blocks about ranges differ in what the figure says of the end."""
    text = REFERENCE.read_text("utf-8")
    half_open, inclusive = (
        re.search(rf"^```acdl show=side id=ref-range-{mode} range={mode}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        for mode in ("half-open", "inclusive")
    )
    assert half_open
    assert inclusive
    assert "1 ... @T excl." in render(half_open[1], "text", view=View(range="half-open"))
    assert "1 ... @T-1\n" in render(inclusive[1], "text", view=View(range="inclusive"))


def spellings() -> list[tuple[str, str]]:
    """The rows of the table of spellings."""
    section = REFERENCE.read_text("utf-8").partition("{ #spellings }")[2].partition("Also read")[0]
    return _ROW.findall(section)


@pytest.mark.parametrize(("written", "documented"), spellings(), ids=[row[0] for row in spellings()])
def test_spelling(written: str, documented: str) -> None:
    """Both columns give the same tree, without a problem of syntax."""
    trees = []
    for text in (written, documented):
        is_title = re.match(r"(?:Prompt |RoleFrag |RolesFrag )?[PF]\b", text)
        parsed = parse(Source(text if is_title else f"P[@T]: {{ {text} }}"))
        assert not parsed.diagnostics
        trees.append(parsed.file)
    assert same_shape(*trees)


def test_there_are_spellings() -> None:
    """The table is read at all, and its columns differ."""
    assert len(spellings()) > 25
    assert all(written != documented for written, documented in spellings())


def test_grammar_is_whole() -> None:
    """Every production and every token of the grammar file is in the summary, and every name there is explained."""
    rules = grammar_docs.productions(GRAMMAR.read_text("utf-8"))
    assert len(rules) > 30
    used = {word for choices in rules.values() for choice in choices for word in choice}
    assert {word for word in used if word.isupper()} == set(grammar_docs.TYPED)
    summary = grammar_docs.summary()
    defined = set(re.findall(r"^(\w+) *=", summary, re.MULTILINE))
    assert defined == {*rules, *grammar_docs.SPELLED}
    grammar = re.sub(r'"[^"]*"', "", summary.partition("\n\n")[0])
    assert set(re.findall(r"[A-Za-z_]+", grammar)) <= defined


def test_the_grammar_accepts_what_it_says() -> None:
    """Alternatives that differ in one part are joined, and left recursion is repetition."""
    grammar = "items: -> a\n | items item -> b\nblock: A items B\n | C A items B -> x\n?sum: item\n | sum PLUS item\n"
    rules = grammar_docs.productions(grammar)
    assert rules == {
        "items": [(), ("items", "item")],
        "block": [("A", "items", "B"), ("C", "A", "items", "B")],
        "sum": [("item",), ("sum", "PLUS", "item")],
    }
    lines = [grammar_docs.production(name, choices) for name, choices in rules.items()]
    assert lines == ["items = { item }", "block = [ C ] A items B", 'sum = item { "+" item }']


def test_tutorial_grows() -> None:
    """At least ten steps, each a figure of its own that differs from the one before, free of all problems."""
    page = SITE / "learn" / "tutorial.md"
    steps = re.findall(r"^## (\d+)\. ", page.read_text("utf-8"), re.MULTILINE)
    assert steps == [str(number) for number in range(1, len(steps) + 1)]
    assert len(steps) >= 10
    texts = [fence.text for fence in fences(page)]
    assert len(texts) == len(set(texts)) == len(steps)
    found = [each.message for text in texts for each in analyse(Source(text), Config(snippet=True)).diagnostics]
    assert found == []


@pytest.mark.parametrize("name", all_names())
def test_rule_page(name: str) -> None:
    """A page has the problem, the message of its example, and a figure of what to write instead."""
    page = rule_page(name)
    text = to_markdown(page)
    assert text.startswith(f"# {name}\n")
    assert re.search(r"^## (Why|Example)$", text, re.MULTILINE)
    assert f'<span class="acdl-badge acdl-badge-{page.severity}">' in text
    assert page.problem.endswith(".")
    assert "\x1b" not in text
    if name in RULES:
        assert f'{name} = "off"' in text
        assert "```acdl show=side\n" in text
        assert f"acdl-terminal-{page.severity}" in text
        assert f"{page.severity}[{name}]: " in example_message(page)


@pytest.mark.parametrize("name", all_names())
def test_message_of_a_page(name: str) -> None:
    """Its words are in lines that wrap; its text is that of the terminal, and it follows all that it depends on."""
    page = rule_page(name)
    before, _, rest = to_markdown(page).partition('<pre class="acdl-terminal"><code>')
    shown = rest.partition("</code></pre>")[0]
    assert unescape(re.sub(r"<[^>]+>", "", shown)) == example_message(page)
    if shown:
        assert [title for title in ("Example", "Elsewhere", "State") if f"\n## {title}\n" in rest] == []
        assert "\n## Example\n" in before


def test_pages_without_a_message() -> None:
    """They need git, recordings, a playbook, a whole site or a text that does not fit on a page."""
    assert {name for name in all_names() if not rule_page(name).findings} == {
        "ambiguous-side",
        "damaged-history",
        "empty-gallery",
        "empty-playbook",
        "internal-error",
        "lossy-request",
        "newer-fragments",
        "not-formatted",
        "not-text",
        "over-limit",
        "playbook-file",
        "refuted-line",
        "repeated-id",
        "secret-in-history",
        "secret-in-playbook",
        "too-deep",
        "too-large",
        "unknown-bullet",
        "unknown-revision",
        "unknown-section",
        "unknown-target",
        "unreadable-src",
        "unusable-results",
    }


def test_lines_of_a_message() -> None:
    """What wraps is indented to where its words begin; marks keep their column."""
    lines = to_markdown(rule_page("answer-before-call")).split("\n")
    styles = [re.findall(r"--acdl-hang: (\d+)ch", line) for line in lines]
    assert [style for style in styles if style] == [["2"], ["55"], ["10"], ["10"]]
    (marks,) = [line for line in lines if "^^^" in line]
    assert marks.index('<span class="acdl-terminal-marks">') < marks.index("^^^") < marks.index("</span></span>")


def test_languages_of_a_page() -> None:
    """Examples and states are coloured as what they are; only what to write instead is drawn."""
    text = to_markdown(rule_page("answer-before-call"))
    assert re.findall(r"^## (.+)\n\n```(.+)$", text, re.MULTILINE) == [
        ("Example", "acdl-code"),
        ("State", "yaml"),
        ("Use instead", "acdl show=side"),
    ]


def test_names_in_a_page_are_links() -> None:
    """Other problems and the documents of the language are a click away; a page does not link to itself."""
    text = to_markdown(rule_page("repeated-completion"))
    assert "[`completion-mixed-with-chat`](completion-mixed-with-chat.md)" in text
    assert "[`repeated-completion`]" not in text
    assert re.search(r'^Reference: \[Language Reference\]\(http://www\.acdlang\.org\), ".+"\.$', text, re.MULTILINE)


@pytest.mark.parametrize("name", all_names())
def test_cures_fit_beside_their_figures(name: str) -> None:
    """The source to copy takes half of a page."""
    for section in rule_page(name).sections:
        for part in section.parts:
            if section.title == "Use instead" and isinstance(part, CodeSample) and part.language == "acdl":
                assert max(map(len, part.text.split("\n"))) <= 46


def test_catalogue_has_every_problem() -> None:
    """The catalogue links to each page once."""
    links = re.findall(r"\]\(([a-z0-9-]+)\.md\)", write_catalogue([rule_page(name) for name in all_names()]))
    assert links == list(all_names())


def test_every_diagnostic_has_a_page() -> None:
    """Whatever name a message has, there is a page to explain it."""
    calls = re.compile(r'\b(?:error|warning|note|report)\(\s*"([a-z]+(?:-[a-z0-9]+)*)",')
    package = SITE.parent / "acdl_mkdocs"
    names = {name for path in package.rglob("*.py") for name in calls.findall(path.read_text("utf-8"))}
    assert len(names) > 20
    assert names - set(all_names()) == set()
