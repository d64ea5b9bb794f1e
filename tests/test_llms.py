"""`llms.txt`, `llms-full.txt` and the Markdown twins of pages."""

import os
import re
from pathlib import Path

import pytest
from markdown import Markdown
from written_indexes import example_index, index_of

from acdl_mkdocs.frontends.docs.markdown.snippets import include_snippets
from acdl_mkdocs.frontends.docs.pages.downloads import Download
from acdl_mkdocs.frontends.docs.pages.llms import (
    SiteWords,
    TextPage,
    gallery_list,
    llms_full_txt,
    llms_txt,
    markdown_address,
)
from acdl_mkdocs.frontends.docs.pages.markdown_copy import copy_as_markdown
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecIndex
from acdl_mkdocs.frontends.docs.pages.spec_page import PageSurroundings, spec_page
from acdl_mkdocs.workspace.fences import scan_fences

ROOT = Path(__file__).parent.parent

CHAT = """\
// title: Support
// acdl: range=inclusive
// What a question is sent with.

StrFrag Manners[@t]: { BE_BRIEF }

// The chat.
Chat[@T]: {
    S: { Frag Manners[@T] }
    ForEach(t: range(1, @T)) { U: env.question[@t] }
}
"""
SITE = SiteWords("Our  agents", "What they\nare sent.", "https://example.org/docs")
HOME = TextPage("Home", "", "# Our agents\n\n- a list\n\nThey *help* [people](x.md).\n")
TOOLS = TextPage("[Tools] (all)", "tools/a b/", "No heading.\n", "Use", "The tools.")
OWN = TextPage("Chat", "specs/Chat/", "# Chat\n\nA page about it.\n", "Specs")


@pytest.fixture
def spec_index() -> SpecIndex:
    """A file with a spec and a fragment, and a spec in a page."""
    return index_of({"specs/chat.acdl": CHAT, "tools.md": "// In a page.\nInPage[@T]: { U: env.x[@T] }\n"})


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", "index.md"),
        ("reference/language/", "reference/language/index.md"),
        ("reference/language.html", "reference/language.md"),
        ("agents/#Chat", "agents/index.md"),
    ],
)
def test_address_of_a_twin(address: str, expected: str) -> None:
    """The Markdown of a page stands beside its HTML, in both forms of addresses."""
    assert markdown_address(address) == expected


def test_llms_txt(spec_index: SpecIndex) -> None:
    """Heading, summary, sections of links: pages once, specs with their sentence, everything else optional."""
    assert llms_txt(SITE, [HOME, TOOLS, OWN], spec_index) == (
        "# Our agents\n\n> What they are sent.\n\n"
        "## Pages\n\n- [Home](https://example.org/docs/index.md): They *help* people.\n\n"
        "## Use\n\n- [\\[Tools\\] (all)](https://example.org/docs/tools/a%20b/index.md): The tools.\n\n"
        "## Specs\n\n- [Chat](https://example.org/docs/specs/Chat/index.md): The chat.\n"
        "- [InPage](https://example.org/docs/tools/#InPage): In a page.\n\n"
        "## Fragments\n\n"
        "- [Manners](https://example.org/docs/specs/Manners/): What a question is sent with.\n\n"
        "## Optional\n\n"
        "- [Everything in one file](https://example.org/docs/llms-full.txt): all pages, and the source of every spec\n"
        "- [specs.json](https://example.org/docs/specs.json): all specs with what they read and use, for programs\n"
    )


def test_home_page(spec_index: SpecIndex) -> None:
    """What MkDocs calls `./` is the address of the site."""
    assert "- [P](https://example.org/docs/index.md)" in llms_txt(SITE, [TextPage("P", "./", "# P\n")], spec_index)


def test_spec_of_a_page(spec_index: SpecIndex) -> None:
    """A spec that stands in a page with a twin is linked there, at its place."""
    page = next(entry.address.partition("#")[0] for entry in spec_index.entries if not entry.has_page)
    text = llms_txt(SITE, [TextPage("P", page, "# P\n")], spec_index)
    assert "- [InPage](https://example.org/docs/tools/index.md#InPage): In a page.\n" in text


def test_llms_full_txt(spec_index: SpecIndex) -> None:
    """Pages in full, then files, each once; pages about one spec say nothing that its file does not."""
    text = llms_full_txt(SITE, [HOME, TOOLS, OWN], spec_index)
    assert text.startswith("# Our agents\n\n> What they are sent.\n\n---\n\nPage: <https://example.org/docs/>\n\n# Our")
    assert "\n\nPage: <https://example.org/docs/tools/a%20b/>\n\n# \\[Tools\\] (all)\n\nNo heading.\n" in text
    assert text.endswith(f"# Specs\n\n## specs/chat.acdl\n\n```acdl\n{CHAT}```\n")
    assert "A page about it" not in text
    assert "InPage" not in text


def test_site_without_address() -> None:
    """A site that does not know its address has relative ones, and one without specs no such sections."""
    text = llms_txt(SiteWords("X"), [HOME], SpecIndex([]))
    assert text.startswith("# X\n\n## Pages\n\n- [Home](index.md): ")
    assert "## Specs" not in text
    assert "# Specs" not in llms_full_txt(SiteWords("X"), [HOME], SpecIndex([]))


def test_marks_in_a_spec() -> None:
    """A spec with backticks in a comment stays in its block."""
    text = llms_full_txt(SITE, [], index_of({"a.acdl": "// ````\nA[@T]: { U: env.x[@T] }\n"}))
    (fence,) = scan_fences(text.split("\n"))
    assert fence.mark == "`````"
    assert fence.text == "// ````\nA[@T]: { U: env.x[@T] }\n"


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\nSome words.\n",
        "A\n===\n\nSome words.\n",
        "```sh\na\n\nb c\n```\n\n1. x\n\n| a |\n\n    code\n\nSome words.\n",
    ],
)
def test_sentence_of_a_page(text: str) -> None:
    """A page without a description is described by its first prose."""
    assert "- [P](p/index.md): Some words.\n" in llms_txt(SiteWords("X"), [TextPage("P", "p/", text)], SpecIndex([]))


def test_long_sentences_are_cut() -> None:
    """No line of the list is long."""
    page = TextPage("P", "p/", "# P\n\n" + "word, " * 100)
    (line,) = re.findall(r"^- \[P\].*", llms_txt(SiteWords("X"), [page], SpecIndex([])), re.MULTILINE)
    assert line.endswith("word …")
    assert len(line) < 230


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a file of specs."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "chat.acdl").write_text(CHAT, "utf-8")
    return tmp_path


def test_files_stand_in_their_blocks(project: Path) -> None:
    """A block that names a file has its text, with what the file says about ranges, in its container."""
    text = '# A\n\n- x\n\n    ```acdl title="The chat" src=specs/chat.acdl#Chat id=c\n    ```\n\nEnd.\n'
    chat = CHAT[CHAT.index("// The chat") :].rstrip().split("\n")
    inside = "\n".join(f"    {line}" for line in chat)
    assert copy_as_markdown(text, "docs/a.md", project) == (
        f'# A\n\n- x\n\n    ```acdl title="The chat" range=inclusive id=c\n{inside}\n    ```\n\nEnd.\n'
    )


@pytest.mark.parametrize("header", ["acdl src=specs/chat.acdl spec=Chat", "{.acdl src='specs/chat.acdl' spec=Chat}"])
def test_option_spec(header: str, project: Path) -> None:
    """`spec` chooses a definition as `#` does."""
    (fence,) = scan_fences(copy_as_markdown(f"~~~{header}\n~~~\n", "a.md", project).split("\n"))
    assert fence.text == CHAT[CHAT.index("// The chat") :]
    assert "spec" not in fence.header
    assert "range=inclusive" in fence.header


def test_whole_file(project: Path) -> None:
    """Without a name the block has the whole file."""
    assert f"\n{CHAT}```" in copy_as_markdown("```acdl src=specs/chat.acdl\n```\n", "a.md", project)


@pytest.mark.parametrize(
    "text", ["```acdl src=missing.acdl\n```\n", "```acdl src=../x.acdl\n```\n", "````\n```acdl src=a\n```\n````\n"]
)
def test_blocks_without_their_file_stay(text: str, project: Path) -> None:
    """What cannot be read, lies outside the project or is text stays as it is written."""
    assert copy_as_markdown(text, "a.md", project) == text


def test_what_is_for_the_docs_tool_is_gone(project: Path) -> None:
    """Marks of generated parts, wrappers and attributes of headings are left out; those in blocks stay."""
    text = (
        "<div class='x' markdown>\n\n## Files { #files }\n\n<!-- generated: x -->\n\ntext { #x }\n\n<!-- end -->\n\n"
        "</div>\n\n```html\n<div>\n\n\n<!-- y -->\n```\n"
    )
    expected = "## Files\n\ntext { #x }\n\n```html\n<div>\n\n\n<!-- y -->\n```\n"
    assert copy_as_markdown(text, "a.md", project) == expected


def test_links(project: Path) -> None:
    """Targets of links become what the site makes of them; what is code stays."""
    text = (
        "[a](b.md#c) `[a](b.md)` ![i](<x y.png>)\n\n[r]: b.md\n\n[^1]: no [l](d.md)\n\n```text\n[a](b.md)\n```\n"
        '[t](b.md "title") [n][r] [m] (x)\n'
    )
    made = copy_as_markdown(text, "a.md", project, lambda target: f"https://e.org/{target}")
    assert made == (
        "[a](https://e.org/b.md#c) `[a](b.md)` ![i](<https://e.org/x y.png>)\n\n[r]: https://e.org/b.md\n\n"
        "[^1]: no [l](https://e.org/d.md)\n\n```text\n[a](b.md)\n```\n"
        '[t](https://e.org/b.md "title") [n][r] [m] (x)\n'
    )


def test_links_in_code(project: Path) -> None:
    """They are left alone in every kind of code; text between comments stays."""
    text = (
        "text `of\n[a](b.md)\ntwo` [a](TARGET)\n\n    [a](b.md)\n\n"
        "<pre>\n[a](b.md)\n</pre>\n\n<!-- x --> [a](TARGET) <!-- y -->\n"
    )
    expected = text.replace("TARGET", "c.md")
    assert copy_as_markdown(text.replace("TARGET", "b.md"), "a.md", project, lambda _: "c.md") == expected
    assert copy_as_markdown("One\n<!-- x --> <!-- y -->\nTwo\n", "a.md", project) == "One\nTwo\n"


def test_galleries(spec_index: SpecIndex, project: Path) -> None:
    """A gallery is a list of what it shows; one that is text stays."""
    text = "- x\n\n    ```acdl-gallery kinds=all tags=none\n    ```\n\n```acdl-gallery from=files\n```\n"
    lists = {"acdl-gallery": lambda opening: gallery_list(opening, SITE, spec_index, {OWN.address})}
    made = copy_as_markdown(text, "a.md", project, lists=lists)
    assert made == "- x\n\n\n- [Chat](https://example.org/docs/specs/Chat/index.md): The chat.\n"
    shown = "````\n```acdl-gallery\n```\n````\n"
    assert copy_as_markdown(shown, "a.md", project, lists=lists) == shown
    assert copy_as_markdown("```acdl-gallery\n```\n", "a.md", project) == "```acdl-gallery\n```\n"


def test_empty_page(project: Path) -> None:
    """A page of nothing has nothing."""
    assert copy_as_markdown("", "a.md", project) == ""
    assert copy_as_markdown("<!-- x -->\n", "a.md", project) == ""


def test_snippets(project: Path) -> None:
    """Files that a page includes are in its text, also inside blocks; without the extension nothing happens."""
    text = 'a\n\n--8<-- "specs/chat.acdl"\n\n```acdl\n--8<-- "specs/chat.acdl"\n```\n'
    options = {"pymdownx.snippets": {"base_path": [os.fspath(project)], "check_paths": True}}
    made = include_snippets(text, Markdown(extensions=["pymdownx.snippets"], extension_configs=options))
    assert made.count("// title: Support") == 2
    assert "--8<--" not in made
    assert include_snippets(text, Markdown()) == text


def test_every_page_of_our_site() -> None:
    """Twins of our own pages name no file, and their blocks are those of the page."""
    for path in sorted((ROOT / "site_src").rglob("*.md")):
        text = path.read_text("utf-8")
        made = copy_as_markdown(text, path.name, ROOT)
        before, after = (list(scan_fences(each.split("\n"))) for each in (text, made))
        assert [each.language for each in before] == [each.language for each in after]
        assert [each for each in after if each.language == "acdl" and " src=" in each.header] == []
        assert made == copy_as_markdown(text, path.name, ROOT)


def test_examples_in_full() -> None:
    """Every file of the examples is in the full text, as it is."""
    text = llms_full_txt(SITE, [], example_index())
    files = sorted((ROOT / "examples").glob("*.acdl"))
    assert [fence.text for fence in scan_fences(text.split("\n"))] == [each.read_text("utf-8") for each in files]


def test_page_of_a_spec(tmp_path: Path) -> None:
    """Its description is there once, as prose, and its text once; tags and numbers of signs are Markdown again."""
    words = "// acdl: range=inclusive\n\n// The <chat>.\n//\n// With *all* of it.\n"
    definition = 'Chat[@T]: {\n    ForEach(t: range(1, @T)) { U: env.question[@t] } // "&lt;"\n}'
    texts = {"chat.acdl": f"{words}{definition}\n\n// variant-of: Chat\n// Less.\nShort[@T]: {{ U: X }}\n"}
    texts["c```d~~~.acdl"] = "// Odd.\nOdd[@T]: {\n    U: X\n}\n"  # stands in the page, as no header can name it
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    spec_index = index_of(texts)
    around = PageSurroundings(
        href=lambda address: f"../{address}", file_href=lambda address: address.rpartition("/")[2]
    )
    made = []
    for entry in (spec_index.entries[0], spec_index.entries[-1]):
        page = spec_page(entry, spec_index, [Download(f"{entry.address}x.acdl", "the source", 812)], around)
        made.append(copy_as_markdown(page.split("---\n", 2)[2], "specs/page.md", tmp_path, is_spec=True))
    chat, odd = made
    assert chat == (
        "# Chat\n\n- **Kind** spec `Chat[@T]`\n- **File** `chat.acdl`, line 6\n"
        "- **Ranges** inclusive, as its file says: `range(1, 3)` is 1, 2, 3\n\n"
        "The &lt;chat>.\n\nWith \\*all\\* of it.\n\n"
        f"```acdl range=inclusive show=both explain=on\n{definition}\n```\n\n## What it reads\n\n"
        "| Variable | In the figure | Written as |\n| --- | --- | --- |\n"
        "| `env.question` | [1](#Chat-foreach-t-user) | `env.question[@t]` |\n\n"
        "## Variants side by side\n\n- `Chat` (this page): The &lt;chat>.\n- [`Short`](../specs/Short/): Less.\n\n"
        "## Files to download\n\n- [`x.acdl`](x.acdl): the source, 812 bytes\n"
    )
    assert "\nOdd.\n\n~~~~acdl show=both explain=on\nOdd[@T]: {\n    U: X\n}\n~~~~\n" in odd


HOSTILE = "<script>x</script> [a](javascript:alert(1)) `some <b>` \\\\ &lt; snake_case _b_ **c** # 1 | 2"


def test_words_of_authors_are_no_markup(tmp_path: Path) -> None:
    """What comments say stays text for who reads the Markdown; only code stays code."""
    (tmp_path / "chat.acdl").write_text(f"// title: {HOSTILE}\n// {HOSTILE}\nChat[@T]: {{ U: X }}\n", "utf-8")
    spec_index = index_of({"chat.acdl": (tmp_path / "chat.acdl").read_text("utf-8")})
    entry = spec_index.entries[0]
    page = spec_page(entry, spec_index, [], PageSurroundings(href=str, file_href=str))
    made = copy_as_markdown(page.split("---\n", 2)[2], "specs/page.md", tmp_path, is_spec=True)
    listed = llms_txt(SITE, [], spec_index)
    for text in (made, listed):
        assert "&lt;script>x&lt;/script> \\[a\\](javascript:alert(1)) `some <b>`" in text
        assert "&amp;lt; snake_case \\_b\\_ \\*\\*c\\*\\*" in text
        html = Markdown().convert(text.partition("```")[0])
        assert "<script" not in html
        assert 'href="javascript' not in html
        assert "<code>some &lt;b&gt;</code>" in html


def test_file_with_quotes_in_its_name(tmp_path: Path) -> None:
    """The opening line of a block stays whole, whatever the file that it names is called."""
    (tmp_path / 'it\'s "q".acdl').write_text("Chat[@T]: { U: X }\n", "utf-8")
    text = '```acdl src="it\'s \\"q\\".acdl#Chat" title="A"\n```\n'
    assert copy_as_markdown(text, "a.md", tmp_path) == '```acdl title="A"\nChat[@T]: { U: X }\n```\n'
