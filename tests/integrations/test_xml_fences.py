"""`pml` and `laic` blocks in every docs tool: drawn alike, problems at their lines, nothing for pages without them."""

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from markdown import Markdown

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.block_kinds import draw_block
from acdl_mkdocs.frontends.docs.blocks.xml_fence import XML_OPTIONS
from acdl_mkdocs.frontends.docs.markdown.superfences import fence, validate
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.page_problems import page_problems
from acdl_mkdocs.frontends.docs.pages.markdown_copy import copy_as_markdown
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.page_kinds import PagePart
from integrations.mkdocs_site import Site, lines_of
from integrations.sphinx_project import Project

TOOLS = '<tools><tool name="W" alias="get_weather"><param key="loc" req="1"/></tool></tools>'
CALL = '<call name="W" loc="Oslo"/>'
CHAT = "<conversation><turn><user><text>Will it rain?</text></user></turn></conversation>"
BLOCKS = f"```laic\n{TOOLS}\n```\n\n```laic\n{CALL}\n```\n\n```pml\n{CHAT}\n```\n"
WRONG = '<call name="W" place="Oslo"/>'


def figures(html: str) -> list[str]:
    """The elements of the blocks of a page."""
    return re.findall(r'<figure class="acdl[^"]*" id=".*?</figure>', html, re.DOTALL)


def ids(html: str) -> list[str]:
    """All ids of a page."""
    return re.findall(r'\sid="([^"]+)"', html)


def words(html: str) -> str:
    """What a reader reads."""
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def converted(text: str) -> str:
    """A page by the Markdown extension alone."""
    return Markdown(extensions=["acdl"]).convert(text)


def test_markdown_alone() -> None:
    """Tools, calls and a conversation are drawn, and a call leads to its tool."""
    html = converted(BLOCKS)
    assert [re.findall(r'id="([^"]+)"', each)[0] for each in figures(html)] == ["laic", "laic-2", "pml"]
    assert 'href="#laic-tool-W"' in figures(html)[1]
    assert "Will it rain?" in figures(html)[2]
    assert len(ids(html)) == len(set(ids(html)))


def test_same_everywhere(tmp_path: Path, project: Project) -> None:
    """The custom fence, MkDocs and Sphinx draw the same as the extension."""
    expected = figures(converted(BLOCKS))
    custom = [{"name": name, "class": name, "format": fence(), "validator": validate} for name in ("laic", "pml")]
    options = {"pymdownx.superfences": {"custom_fences": custom}}
    md = Markdown(extensions=["pymdownx.superfences"], extension_configs=options)
    assert figures(md.convert(BLOCKS)) == expected
    site = Site(tmp_path / "site", specs=[])
    site.write("docs/index.md", f"# Home\n\n{BLOCKS}")
    site.build()
    assert figures(site.html()) == expected
    project.write("index.md", f"# Home\n\n{BLOCKS}")
    built = project.build("html", "-W")
    assert (built.code, built.warned) == (0, "")
    assert figures(built.read()) == expected


def test_call_before_tools(tmp_path: Path, project: Project) -> None:
    """A call is measured by tools that stand behind it, and leads there."""
    page = f"# Home\n\n```laic\n{CALL}\n```\n\n```laic #desk\n{TOOLS}\n```\n"
    site = Site(tmp_path / "site", specs=[])
    site.write("docs/index.md", page)
    site.build()
    project.write("index.md", page)
    for html in (converted(page), site.html(), project.build("html", "-W").read()):
        assert 'href="#desk-tool-W"' in html
        assert 'id="desk-tool-W"' in html


LINKS = ["#pml-turn-1", "#pml-call-1", "#pml-result-1", "#pml-tool-W", "#laic-tool-W", "#laic-tool-W-title"]


def test_links_to_anchors(tmp_path: Path, project: Project) -> None:
    """Everything that has an id in a drawing can be linked to, from its page and from others, in a strict build."""
    call = '<assistant><call name="W" id="a" loc="Oslo"/></assistant><tool_output id="a">Rain</tool_output>'
    chat = f"<prompt>{TOOLS}{CHAT.replace('</turn>', f'{call}</turn>')}</prompt>"
    blocks = f"```laic\n{TOOLS}\n```\n\n```pml\n{chat}\n```\n"
    here = " ".join(f"[a]({each})" for each in LINKS)
    there = " ".join(f"[a](index.md{each})" for each in LINKS)
    site = Site(tmp_path / "site", specs=[])
    for files in (site, project):
        folder = "docs/" if files is site else ""
        files.write(f"{folder}index.md", f"# Home\n\n```{{toctree}}\nother\n```\n\n{here}\n\n{blocks}")
        files.write(f"{folder}other.md", f"# Other\n\n{there}\n")
    site.build()
    assert set(LINKS) <= {f"#{each}" for each in ids(site.html())}
    built = project.build("html", "-W")
    assert (built.code, built.warned) == (0, "")
    for each in LINKS:
        assert f'href="{each}"' in built.read()
        assert f'href="index.html{each}"' in built.read("other.html")
        assert each[1:] in ids(built.read())


def test_link_to_nothing(tmp_path: Path, project: Project, caplog: pytest.LogCaptureFixture) -> None:
    """A link to a turn that is not there is told."""
    text = f"# Home\n\n[a](#pml-turn-9)\n\n```pml\n{CHAT}\n```\n"
    site = Site(tmp_path / "site", specs=[])
    site.write("docs/index.md", text)
    site.build(strict=False)
    assert "no such anchor" in caplog.text
    project.write("index.md", text)
    assert "pml-turn-9" in project.build().warned


@pytest.mark.parametrize(
    ("heading", "header", "anchor", "is_told"),
    [
        ("# PML", "pml", "pml-2", False),
        ("# Other {: #talk }", "pml id=talk", "talk-2", True),
        ("# Talk", "pml id=talk", "talk-2", True),
        ("<i id='talk'>x</i>", "pml id=talk", "talk-2", True),
        ('`<i id="talk">`', "pml id=talk", "talk", False),
    ],
)
def test_ids_of_headings(
    heading: str, header: str, anchor: str, is_told: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A block does not take the id of a heading; one that was chosen for it is told."""
    text = f"{heading}\n\n```{header}\n{CHAT}\n```\n"
    html = Markdown(extensions=["acdl", "toc", "attr_list"]).convert(text)
    assert re.findall(r'<figure class="acdl[^"]*" id="([^"]+)"', html) == [anchor]
    assert f'id="{anchor}-turn-1"' in html
    site = Site(tmp_path / "site", specs=[])
    site.config["markdown_extensions"] = ["attr_list"]
    site.write("docs/index.md", text)
    site.build(strict=False)
    assert f'id="{anchor}"' in site.html()
    assert ("[repeated-id]: a heading or another element of this page has the id `talk`" in caplog.text) == is_told


@pytest.mark.parametrize(
    "heading",
    ["# PML", "## PML #", "# Other {: #pml }", "# [PML](https://example.org)", "# `pml`", "# A\n\n# A\n\n# PML"],
)
def test_ids_of_headings_with_superfences(heading: str) -> None:
    """The same for the custom fence, which is drawn before the headings have their ids."""
    custom = [{"name": "pml", "class": "pml", "format": fence(), "validator": validate}]
    options = {"pymdownx.superfences": {"custom_fences": custom}}
    md = Markdown(extensions=["pymdownx.superfences", "toc", "attr_list"], extension_configs=options)
    for block in (f"```pml\n{CHAT}\n```", f"```text\n# PML\n```\n\n```pml\n{CHAT}\n```"):
        html = md.reset().convert(f"{heading}\n\n{block}\n")
        assert [each for each in ids(html) if ids(html).count(each) > 1] == []
        assert 'id="pml-2"' in html
        assert 'id="pml"' in md.reset().convert(f"# Talk\n\n{block}\n")


def test_acdl_ids_of_headings() -> None:
    """A figure does not take the id of a heading either, nor do the ids inside of it."""
    text = "# Chat\n\n# acdl-title\n\n```acdl #chat\nChat[@T]: { U: env.q }\n```\n\n```acdl\nB[@T]: { U: env.q }\n```\n"
    html = Markdown(extensions=["acdl", "toc"]).convert(text)
    assert [each for each in ids(html) if ids(html).count(each) > 1] == []
    assert 'id="chat-2"' in html


def test_search_finds_words_of_cells(tmp_path: Path) -> None:
    """Cells, rows and elements are words of their own in the index, without the sign of the link to a block."""
    tool = '<tool name="W" desc="Weather"><param key="town" type="string" req="1" desc="Name of a place"/></tool>'
    site = Site(tmp_path / "site", specs=[])
    site.plugins = ["search"]
    site.write("docs/index.md", f"# Home\n\n```laic\n<tools>{tool}</tools>\n```\n\n```pml\n{CHAT}\n```\n")
    site.build()
    text = json.loads(site.html("search/search_index.json"))["docs"][0]["text"]
    words = text.split()
    assert {"Weather", "Type", "town", "string", "required", "Name"} <= set(words)
    assert "#" not in words
    assert 'class="acdl-permalink"' in site.html()


def test_tools_of_one_name_in_a_block() -> None:
    """Each has an anchor of its own; calls lead to the first."""
    twice = TOOLS.replace("</tools>", '<tool name="W" desc="again"/></tools>')
    html = converted(f"```laic\n{twice}{CALL}\n```\n\n```pml\n<prompt>{twice}{CHAT}</prompt>\n```\n")
    assert [each for each in ids(html) if ids(html).count(each) > 1] == []
    assert {"laic-tool-W", "laic-tool-W-2", "pml-tool-W", "pml-tool-W_2"} <= set(ids(html))
    assert re.findall(r'<ol class="acdl-calls">.*?href="([^"]*)"', html) == ["#laic-tool-W"]


def test_many_tools_of_one_name() -> None:
    """Two blocks may list a tool of the same name: both have anchors, and calls lead to that of their own block."""
    page = f"```laic\n{TOOLS}\n```\n\n```laic\n{TOOLS}{CALL}\n```\n"
    html = converted(page)
    assert len(ids(html)) == len(set(ids(html)))
    assert re.findall(r'<ol class="acdl-calls">.*?href="([^"]*)"', html) == ["#laic-tool-W-2"]


def test_problems_of_a_build(tmp_path: Path, caplog: pytest.LogCaptureFixture, project: Project) -> None:
    """What is wrong with a call is told at its line of the page, in MkDocs, Sphinx and the page itself."""
    page = f"---\ntitle: T\n---\n# Home\n\n- item\n\n    ```laic\n    {TOOLS}\n    {WRONG}\n    ```\n"
    site = Site(tmp_path / "site", specs=[])
    site.write("docs/index.md", page)
    site.build(strict=False)
    missing, unknown = lines_of(caplog)
    assert missing.startswith("docs/index.md:10:5: warning[missing-argument]: the call of `W`: `loc` is missing")
    assert unknown.startswith("docs/index.md:10:5: warning[unknown-argument]: ")
    html = site.html()
    assert "problems in this LAIC block" not in html  # warnings are for the author
    assert "acdl-calls" in html
    project.write("index.md", page.replace("    ", "  "))
    built = project.build("html", "-W")
    assert built.code == 1
    assert "index.md:10:3: WARNING: the call of `W`: `loc` is missing" in built.warned
    assert "[acdl.missing-argument]" in built.warned


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("terminal", "warning[missing-argument]: the call of `W`: `loc` is missing\n --> page.md:6:3\n"),
        ("json", '"rule": "missing-argument", "severity": "warning", "file": "page.md", "line": 6, "column": 3'),
        ("github", "::warning file=page.md,line=6,endLine=6,col=3,"),
        ("junit", "page.md"),
        ("sarif", '"ruleId": "missing-argument"'),
    ],
)
def test_check(
    report: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`acdl check` tells the problems of both languages at their lines of the page, in every form."""
    monkeypatch.chdir(tmp_path)
    text = (
        f"# Page\n\n> ```laic\n> {TOOLS}\n>\n> {WRONG}\n> ```\n\n```pml\n<conversation>\n<trn/>\n</conversation>\n```\n"
    )
    Path("page.md").write_text(text, "utf-8")
    assert main(["check", "--format", report, "page.md"]) == 1
    said = capsys.readouterr().out
    assert expected in said
    assert "unknown-element" in said
    assert main(["format", "page.md"]) == 0
    assert Path("page.md").read_text("utf-8") == text


def test_check_knows_the_tools_of_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Calls are measured by tools of other blocks, also by those of a file of the project."""
    (tmp_path / "mkdocs.yml").write_text("", "utf-8")
    (tmp_path / "tools.xml").write_text(TOOLS, "utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"```laic\n{WRONG}\n```\n\n```laic src=tools.xml\n```\n", "utf-8")
    assert main(["check", "--strict", str(page)]) == 1
    assert "warning[missing-argument]" in capsys.readouterr().out
    page.write_text(f"```laic\n{CALL}\n```\n\n```laic src=tools.xml\n```\n", "utf-8")
    assert main(["check", str(page)]) == 0


def test_names_of_other_tools() -> None:
    """What a call might mean is told once for each tool, wherever it is listed and whatever its aliases are."""
    page = f"```laic\n{TOOLS}\n```\n\n```laic\n{TOOLS}<tool name='V' alias='v'/>\n<call name='get'/>\n```\n"
    problems = [problem.message for problem, _ in page_problems(Page(text=page), PagePart("a.md", page, "markdown"))]
    assert problems == ["there is no tool `get`; the tools are `W`, `V`"]


def test_check_and_build_agree(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both tell the same of a page: ids, cures, mended and broken texts, a block without an end."""
    users = "<user><text>a</text></user><user><text>b</text></user>"
    site = Site(tmp_path / "site", specs=[])
    site.write(
        "docs/index.md",
        f"# Home\n\n```pml id=a\n{CHAT}\n```\n\n```pml id=a\n{users}\n```\n\n```pml lenient=on\n{users}\n```\n\n"
        f"```pml lenient=on\n{users.replace('b', 'b & c')}\n```\n\n```laic #a\n{TOOLS}{WRONG}\n```\n\n```pml\n<turn>\n",
    )
    site.build(strict=False)
    built = [
        each.partition(": ")[2].partition(";")[0] for each in lines_of(caplog) if each.startswith("docs/index.md:")
    ]
    main(["check", str(site.root / "docs" / "index.md")])
    shown = capsys.readouterr()
    checked = re.findall(r"^(?:error|warning)\[.*", shown.out, re.MULTILINE)
    assert [each.partition(";")[0] for each in checked] == built
    rules = [re.findall(r"\[(.*?)\]", each)[0] for each in checked]
    assert [rule for rule in rules if rule != "repaired"] == [
        *("repeated-id", "not-xml", "not-xml", "repeated-id"),
        *("missing-argument", "unknown-argument", "unclosed-fence"),
    ]
    assert "repaired" in rules
    assert "or add `lenient=on`\n" in shown.out
    assert "--lenient" not in shown.out
    assert "= help: write `&amp;`\n" in shown.out
    assert "2 errors" not in shown.err
    assert shown.err.endswith(" in 6 blocks\n")


@pytest.mark.parametrize(
    ("header", "rule"),
    [
        ("laic title=", ""),
        ("laic titel=A", "unknown-option"),
        ("laic show=text", "bad-option-value"),
        ("laic src=none.xml", "missing-src"),
        ("laic src=tools.xml#W", "bad-option-value"),
        ("laic src=../other.xml", "src-outside-project"),
        ("laic", "empty-block"),
    ],
)
def test_opening_line(
    header: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong opening line is told like that of other blocks, and never loses the page."""
    monkeypatch.chdir(tmp_path)
    Path("mkdocs.yml").write_text("", "utf-8")
    Path("tools.xml").write_text(TOOLS, "utf-8")
    text = f"before\n\n```{header}\n{'' if rule in ('empty-block', 'missing-src') else TOOLS}\n```\n\nbehind\n"
    Path("page.md").write_text(text, "utf-8")
    main(["check", "page.md"])
    said = capsys.readouterr().out
    assert (f"[{rule}]" in said) if rule else "[" not in said
    html = converted(text)
    assert "before" in html
    assert "behind" in html
    assert ('class="acdl-problem' in html) == bool(rule)


def test_unclosed() -> None:
    """A block without an end is told as that, not by its text."""
    html = converted(f"```laic\n{TOOLS}\n<broken")
    assert "unclosed-fence" in html
    assert "not-xml" not in html


def test_views() -> None:
    """`show` chooses between the drawing and its source; the source is highlighted XML and not searched."""
    shown = {view: converted(f"```laic show={view}\n{TOOLS}\n```\n") for view in ("both", "side", "figure", "source")}
    for view, html in shown.items():
        assert ("acdl-tools" in html) == (view != "source")
        assert ('<code class="language-laic">' in html) == (view != "figure")
    assert '<details class="acdl-source" data-search-exclude>' in shown["both"]
    assert TOOLS in unescape(re.sub(r"<[^>]*>", "", shown["source"]))


def test_control_characters() -> None:
    """What no page may hold is told, not drawn."""
    html = converted('```laic\n<tools><tool name="A" desc="\x1b[2J"/></tools>\n```\n')
    assert "not-xml" in html
    assert "\x1b" not in html


def test_file(tmp_path: Path) -> None:
    """`src` draws a file, whose problems have its places; the twin of the page has its text."""
    site = Site(tmp_path / "site", llms=True)
    site.write("specs/a.acdl", "A[@T]: { U: env.q }\n")
    site.write("tools.xml", f"{TOOLS}\n{CALL}\n")
    site.write("docs/index.md", '# Home\n\n- item\n\n    ```laic src=tools.xml title="T"\n    ```\n')
    site.build()
    assert 'href="#laic-tool-W"' in site.html()
    text = (site.root / "out" / "index.md").read_text("utf-8")
    assert f'    ```laic title="T"\n    {TOOLS}\n    {CALL}\n    ```' in text
    assert TOOLS in (site.root / "out" / "llms-full.txt").read_text("utf-8")


def test_twin_keeps_what_is_written(tmp_path: Path) -> None:
    """The Markdown of a page for readers of text has its blocks as they stand."""
    assert copy_as_markdown(BLOCKS, "page.md", tmp_path) == BLOCKS
    missing = "```laic src=none.xml\n```\n"
    assert copy_as_markdown(missing, "page.md", tmp_path) == missing


@pytest.mark.parametrize("is_file", [False, True])
def test_twin_names_data(is_file: bool, tmp_path: Path) -> None:
    """The base64 of a picture is named in what readers of text get, not given."""
    picture = f'<attachment type="image"><content encoding="base64">{"A" * 400}</content></attachment>'
    chat = CHAT.replace("<user>", f"<user>{picture}")
    (tmp_path / "a.xml").write_text(chat)
    page = "- ```pml src=a.xml\n  ```\n" if is_file else f"- ```pml\n  {chat}\n  ```\n"
    text = copy_as_markdown(page, "a.md", tmp_path)
    brief = chat.replace("A" * 400, "<!-- 400 characters of base64 -->")
    assert text == f"- ```pml\n  {brief}\n  ```\n"


def test_twin_of_a_file_with_marks(tmp_path: Path) -> None:
    """A file may have the marks of a block in it; its empty lines have no white space."""
    (tmp_path / "chat.xml").write_text("<conversation>\n\n<!--\n```\n-->\n</conversation>\n", "utf-8")
    text = "> ```pml src=chat.xml\n> ```\n"
    assert copy_as_markdown(text, "page.md", tmp_path) == (
        "> ````pml\n> <conversation>\n>\n> <!--\n> ```\n> -->\n> </conversation>\n> ````\n"
    )


def test_files_are_watched(tmp_path: Path, project: Project) -> None:
    """Whoever builds a page knows the files that its blocks were drawn from: Sphinx writes it anew."""
    (tmp_path / "tools.xml").write_text(TOOLS, "utf-8")
    page = Page(root=tmp_path)
    draw_block(fences_of("```laic src=tools.xml\n```\n")[0], page)
    assert page.files == {tmp_path / "tools.xml"}
    project.write("tools.xml", TOOLS)
    project.write("index.md", "# Home\n\n```laic src=tools.xml\n```\n")
    assert "laic-tool-W" in project.build("html", "-W").read()
    project.write("tools.xml", TOOLS.replace('"W"', '"Other"'))
    assert "laic-tool-Other" in project.build("html", "-W").read()


def test_code_is_code() -> None:
    """In an indented code block, or in a longer fence, such a block is text."""
    for text in (f"    ```laic\n    {TOOLS}\n    ```\n", f"````markdown\n```laic\n{TOOLS}\n```\n````\n"):
        html = Markdown(extensions=["acdl", "fenced_code"]).convert(text)
        assert "<figure" not in html
        assert "&lt;tools&gt;" in html


def test_sphinx_directives(project: Project) -> None:
    """Both parsers have the directives: options below the name, a file as their word, names as targets."""
    project.write("tools.xml", TOOLS)
    project.write(
        "index.md",
        f"# Home\n\n```{{laic}}\n:title: The desk\n:name: desk\n\n{TOOLS}\n```\n\n```{{toctree}}\nother\n```\n",
    )
    chat = f".. pml::\n   :title: A chat\n\n   {CHAT}\n"
    other = f".. laic:: tools.xml\n   :id: file\n\n{chat}\nSee :ref:`the desk <desk>`.\n"
    project.write("other.rst", f"Other\n=====\n\n{other}")
    built = project.build("html", "-W")
    assert (built.code, built.warned) == (0, "")
    assert 'id="desk"' in built.read()
    assert "The desk" in built.read()
    page = built.read("other.html")
    assert 'id="file-tool-W"' in page
    assert "Will it rain?" in page
    assert 'href="index.html#desk"' in page
    search = built.read("searchindex.js")
    assert "get_weath" in search  # the words of drawings are found, stemmed


@pytest.mark.parametrize("builder", ["html", "latex", "text", "singlehtml"])
def test_sphinx_references(builder: str, project: Project) -> None:
    """A block with a caption is a numbered listing, which `ref` and `numref` name in every format."""
    project.conf("numfig = True")
    project.write("index.md", f"# Home\n\n```{{laic}}\n:name: desk\n:caption: The *desk*\n\n{TOOLS}\n```\n")
    project.write(
        "other.rst",
        f"Other\n=====\n\nIn :ref:`desk`, :numref:`desk`, :numref:`chat`.\n\n"
        f".. pml::\n   :id: chat\n   :caption: A chat\n\n   {CHAT}\n",
    )
    project.write("index.md", (project.folder / "index.md").read_text() + "\n```{toctree}\nother\n```\n")
    built = project.build(builder, "-W")
    assert (built.code, built.warned) == (0, "")
    if builder == "html":
        page, home = built.read("other.html"), built.read()
        assert (
            '<a class="reference internal" href="index.html#desk"><span class="std std-ref">The desk</span></a>' in page
        )
        assert 'href="index.html#desk"><span class="std std-numref">Listing 1</span></a>' in page
        assert 'href="#chat"><span class="std std-numref">Listing 2</span></a>' in page
        assert words(figures(home)[0]).endswith("Listing 1 The desk \N{PILCROW SIGN}")
        assert "<em>desk</em>" in home
    elif builder == "latex":
        text = built.read("test.tex")
        assert "\\hyperref[\\detokenize{index:desk}]{Listing \\ref{\\detokenize{index:desk}}}" in text
        assert "\\sphinxSetupCaptionForVerbatim{The \\sphinxstyleemphasis{desk}}" in text
    elif builder == "text":
        assert "In The desk, Listing" in built.read("other.txt")


@pytest.mark.parametrize("builder", ["text", "latex", "singlehtml", "epub"])
def test_sphinx_builders(builder: str, project: Project) -> None:
    """Books and single pages have the drawings, every other format has the XML."""
    project.conf('epub_show_urls = "no"', 'version = "1"')
    project.write("index.md", f"# Home\n\n```{{toctree}}\nother\n```\n\n{BLOCKS}")
    project.write("other.md", f"# Other\n\n{BLOCKS}")
    built = project.build(builder)
    assert built.code == 0
    assert "ERROR" not in built.warned
    if builder == "text":
        assert CALL in built.read("index.txt")
    elif builder == "latex":
        assert "get\\PYGZus{}weather" in built.read("test.tex")
    elif builder == "singlehtml":
        assert len(figures(built.read())) == 6
        assert len(ids(built.read())) == len(set(ids(built.read())))
    else:
        assert figures(built.read("index.xhtml"))


def test_pages_without_them_pay_nothing() -> None:
    """Neither the reader of PML nor what draws it is loaded for a page that has other blocks."""
    code = (
        "import sys; from markdown import Markdown; "
        "Markdown(extensions=['acdl']).convert('```acdl\\nA[@T]: { U: env.q }\\n```\\n\\n```python\\nx\\n```\\n'); "
        "print([each for each in sys.modules if 'acdl' in each and ('prompts.pml' in each or 'xml_' in each)])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_every_option_is_read() -> None:
    """Each option that the table has is one of the value that it makes."""
    assert set(XML_OPTIONS) == {"title", "id", "caption", "show", "src", "lenient"}
    html = converted(f'```laic title="A <b>" #own caption="C" .wide lenient=on\n{TOOLS}\n```\n')
    assert '<figure class="acdl acdl-laic wide" id="own">' in html
    assert "A &lt;b&gt;" in html
    assert "<figcaption>C</figcaption>" in html


def test_page_tells_its_blocks(tmp_path: Path) -> None:
    """A page finds its blocks in its file where no tool has told them."""
    path = tmp_path / "page.md"
    path.write_text(BLOCKS, "utf-8")
    page = Page(name="page.md", path=path)
    assert page.list_fences("laic") == [each for each in fences_of(BLOCKS) if each.language == "laic"]
