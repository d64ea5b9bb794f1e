"""The Python-Markdown extension in every place where a fence can stand, alone and with other extensions."""

import re
from pathlib import Path
from typing import Any

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from markdown import Markdown, markdown

from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.docs.markdown.host import announce_page, page_of
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.options import BlockOptions

NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"

PAGE = """\
Text before
```acdl #top
Top[@T]: {

  U: env.q
}
```
Text after

- item

    ``` {.acdl id="list"}
    List[@T]: { U: env.q }
    ```
    more of the item

- tight
    ```acdl #tight
    Tight[@T]: { U: env.q }
    ```
- ```acdl #marker
  Marker[@T]: { U: env.q }
  ```

> quote
>
> ```acdl #quote
> Quote[@T]: {
>   U: env.q
> }
> ```

!!! note "Admonition"

    ~~~acdl #admonition
    Admonition[@T]: { U: env.q }
    ~~~

A note[^1] and *the end*.

[^1]: First paragraph.

    ```acdl #footnote
    Footnote[@T]: {

      U: env.q
    }
    ```

    Last paragraph of the note.

<div markdown="1" class="html">

```acdl #html
Html[@T]: { U: env.q }
```

</div>
"""
MATERIAL_PAGE = """
=== "Tab"

    ```acdl #tab
    Tab[@T]: { U: env.q }
    ```

??? note "Details"

    - in a list

        ```acdl #details
        Details[@T]: { U: env.q }
        ```
"""
LITERAL_PAGE = """
````md
```acdl
Longer[@T]: { U: env.q }
```
````

Text:

    ```acdl
    Indented[@T]: {

      U: { S: { A } } }
    ```

- list

        ```acdl
        Deeper[@T]: { U: env.q }
        ```

<!-- comment
```acdl
Comment[@T]: { U: env.q }
```
-->
"""

PLAIN = ["admonition", "footnotes", "md_in_html", "attr_list", "tables", "def_list", "toc"]
SETS: dict[str, list[str]] = {
    "alone": PLAIN,
    "fenced_code": [*PLAIN, "fenced_code"],
    "superfences": [*PLAIN, "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.details", "pymdownx.highlight"],
}


def convert(text: str, extensions: list[Any] | None = None, **settings: object) -> str:
    """A page as HTML."""
    configs = {"pymdownx.tabbed": {"alternate_style": True}}
    return markdown(text, extensions=[*(extensions or []), AcdlExtension(**settings)], extension_configs=configs)


def ids(html: str) -> list[str]:
    """Ids of the figures, in their order."""
    return re.findall(r'<figure class="acdl[^"]*" id="([^"]*)"', html)


@pytest.mark.parametrize("name", SETS)
def test_every_container(name: str) -> None:
    """A fence becomes a figure in every container, and nothing of it is left in the text."""
    html = convert(PAGE + (MATERIAL_PAGE if name == "superfences" else ""), SETS[name])
    extra = {"tab", "details"} if name == "superfences" else set()
    wanted = {"top", "list", "tight", "marker", "quote", "admonition", "footnote", "html"}
    assert set(ids(html)) == wanted | extra
    assert html.count("<svg") == len(wanted | extra)
    assert "```" not in html
    assert "\x02" not in html


@pytest.mark.parametrize("name", SETS)
def test_containers_stay_whole(name: str) -> None:
    """What surrounds a fence is as without it: lists go on, footnotes keep their last paragraph, HTML is valid."""
    html = convert(PAGE, SETS[name])
    inside = re.sub(r"<figure.*?</figure>", "FIGURE", html, flags=re.DOTALL)
    assert "<p>Text before</p>\nFIGURE\n<p>Text after</p>" in inside
    assert "<p>more of the item</p>" in inside
    assert inside.count("<ul>") == 1
    assert re.search(r'<li id="fn:1">\s*<p>First paragraph.</p>\s*FIGURE\s*<p>Last paragraph of the note', inside)
    assert re.search(r"<blockquote>\s*<p>quote</p>\s*FIGURE\s*</blockquote>", inside)
    assert not re.search(r"<p>[^<]*FIGURE", inside)


@pytest.mark.parametrize("name", SETS)
def test_two_containers_on_one_line(name: str) -> None:
    """A fence may begin on the line that opens two containers."""
    page = "- - ```acdl #a\n    A[@T]: { U: env.q }\n    ```\n\n- > ```acdl #b\n  > B[@T]: { U: env.q }\n  > ```\n"
    html = re.sub(r"<figure.*?</figure>", "FIGURE", convert(page, SETS[name]), flags=re.DOTALL)
    assert re.search(r"<ul>\s*<li>\s*<ul>\s*<li>\s*(?:<p>)?FIGURE", html)
    assert re.search(r"<li>\s*<blockquote>\s*FIGURE\s*</blockquote>", html)
    assert "```" not in html


def test_pages_without_fences_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody asks for the page, and so for its file, before a fence of ours is found."""
    monkeypatch.setattr("acdl_mkdocs.frontends.docs.markdown.extension.page_of", lambda *_: pytest.fail("asked"))
    assert "plain" in markdown("text\n\n```python\nplain\n```\n", extensions=["fenced_code", "acdl"])


@pytest.mark.parametrize("name", SETS)
def test_literal_fences(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """A fence that is shown as text stays text, to the character, and is not checked."""
    html = convert(LITERAL_PAGE, SETS[name])
    text = re.sub(r"<[^>]+>", "", html)
    assert ids(html) == []
    if name != "alone":
        assert "```acdl\nLonger[@T]: { U: env.q }\n```" in text
    assert "```acdl\nIndented[@T]: {\n\n  U: { S: { A } } }\n```" in text
    assert "```acdl\nDeeper[@T]: { U: env.q }\n```" in text
    assert "Comment" in html
    assert caplog.records == []


def test_listed_before_and_after_superfences() -> None:
    """The order in which extensions are listed makes no difference."""
    orders = [["acdl", "pymdownx.superfences"], ["pymdownx.superfences", "acdl"]]
    pages = [markdown("```acdl\nA[@T]: { U: env.q }\n```", extensions=order) for order in orders]
    assert pages[0] == pages[1]
    assert ids(pages[0]) == ["A"]


def test_other_fences_are_left_alone() -> None:
    """Blocks of other languages are as they would be without the extension."""
    text = "```python\nx = 1\n```\n\n~~~\nplain\n~~~\n"
    assert convert(text, ["fenced_code"]) == markdown(text, extensions=["fenced_code"])


def test_snippets_come_first(tmp_path: Path) -> None:
    """A file that a fence includes with `--8<--` is in the figure."""
    (tmp_path / "a.acdl").write_text("Included[@T]: {\n  U: env.q\n}\n")
    html = markdown(
        '```acdl\n--8<-- "a.acdl"\n```\n',
        extensions=["pymdownx.snippets", "acdl"],
        extension_configs={"pymdownx.snippets": {"base_path": [str(tmp_path)]}},
    )
    assert ids(html) == ["Included"]


def test_unclosed_fence() -> None:
    """A fence without an end is drawn, with what is wrong, and what follows its container is untouched."""
    html = convert("- item\n\n    ```acdl\n    A[@T]: { U: env.q }\n\nAfter the list.\n")
    assert "error[unclosed-fence]" in html
    assert "<svg" in html
    assert "<p>After the list.</p>" in html
    assert "error[unclosed-fence]" in convert("```acdl\nA[@T]: { U: env.q }\n")


def test_problems_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Without a documentation tool, problems go to the package's logger, with the line of the text."""
    html = convert(f"Text\n\n```acdl shwo=both\n{NESTED}```\n")
    assert html.count("acdl-problem-message") == 2
    assert [(record.levelname, record.message.split(": ")[0]) for record in caplog.records] == [
        ("ERROR", "<text>:3:9"),
        ("ERROR", "<text>:6:5"),
    ]


def test_settings() -> None:
    """Settings are defaults of the header's options."""
    text = "```acdl\nA[@T]: { U: env.q }\n```\n\n```acdl show=figure\nB[@T]: { U: env.q }\n```\n"
    html = convert(text, show="text")
    assert (html.count("acdl-text"), html.count("<svg")) == (1, 1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"shwo": "both"}, "no setting `shwo`; did you mean `show`"),
        ({"show": "nothing"}, "`show` of `acdl` cannot be 'nothing': expected `both`, `side`, `figure`"),
    ],
)
def test_wrong_settings(settings: dict[str, str], words: str) -> None:
    """A setting that cannot be is refused with the near one."""
    with pytest.raises(ValueError, match=re.escape(words)):
        AcdlExtension(**settings)


def test_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`src` starts from `root`, and from the working folder without one."""
    (tmp_path / "a.acdl").write_text("File[@T]: {\n  U: env.q\n}\n")
    text = "```acdl src=a.acdl\n```\n"
    assert ids(convert(text, root=str(tmp_path))) == ["File"]
    assert "missing-src" in convert(text)
    monkeypatch.chdir(tmp_path)
    assert ids(convert(text)) == ["File"]


def test_one_instance_many_pages() -> None:
    """A Markdown instance that is used again starts each page afresh."""
    md = Markdown(extensions=["acdl"])
    text = "```acdl\nA[@T]: { U: env.q }\n```\n\n```acdl\nA[@T]: { U: env.q }\n```\n"
    first = md.convert(text)
    assert ids(first) == ["A", "A-2"]
    assert md.convert(text) == first
    assert md.reset().convert(text) == first


def test_control_characters_of_markdown() -> None:
    """A file cannot smuggle in the marks that Markdown uses for its own placeholders."""
    html = convert("<b>one</b>\n\n```acdl\nA[@T]: { U: \x02wzxhzdk:0\x03 }\n```\n\n\x02acdl:0\x03\n")
    assert html.count("<b>one</b>") == 1
    assert ids(html) == ["A"]


def test_page_of_the_plugin_wins() -> None:
    """The page that a plugin announced is used for its blocks, until it is done."""
    page = Page(name="docs/a.md", settings=Settings(BlockOptions(show="text")))
    md = Markdown(extensions=["acdl"])
    with announce_page(page):
        assert page_of(md, Settings()) is page
        assert "acdl-text" in md.convert("```acdl\nA[@T]: { U: env.q }\n```\n")
    assert page_of(md, Settings()) is not page
    assert page.used_ids >= {"A"}


def test_page_of_zensical(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Zensical's page is found by what it registers, and problems go to standard error, which it shows."""
    from markdown.preprocessors import Preprocessor

    class Context(Preprocessor):
        """What Zensical registers, as far as it concerns us."""

        page = type("Page", (), {"path": "a.md"})()
        config = {"docs_dir": "docs", "config_file_path": str(tmp_path / "mkdocs.yml")}  # noqa: RUF012

        def run(self, lines: list[str]) -> list[str]:
            """Change nothing."""
            return lines

    (tmp_path / "docs").mkdir()
    text = f"---\nx: y\n---\n```acdl\n{NESTED}```\n"
    (tmp_path / "docs" / "a.md").write_text(text)
    md = Markdown(extensions=["acdl"])
    md.preprocessors.register(Context(md), "rendering_context", 0)
    md.convert(text.split("---\n", 2)[2])
    assert capsys.readouterr().err.startswith("docs/a.md:7:5: error[nested-role]")


PIECES = st.sampled_from(
    (
        "```acdl",
        "A[@T]: { U: env.q }",
        "```",
        "~~~",
        "    ```acdl",
        "    A[@T]: {",
        "    ```",
        "> ```acdl",
        "> }",
        "- ```acdl",
        "- item",
        "",
        "text",
        "[^1]: note",
        "see[^1]",
        "!!! note",
        "<div markdown>",
        "</div>",
        "<!--",
        "-->",
        "````",
        "# Title",
    )
)


@examples(60)
@given(st.lists(PIECES, max_size=20), st.sampled_from(sorted(SETS)))
def test_any_page_is_built(lines: list[str], name: str) -> None:
    """Whatever the order of fences and containers, the page is built and no mark of ours is left in it."""
    html = convert("\n".join(lines), SETS[name], show="text")
    assert "acdl:" not in html
    assert "\x02" not in html


@pytest.mark.parametrize("start", ["[^1]: Note.\n\n    ", "[^1]: "])
def test_last_in_a_footnote(start: str) -> None:
    """The link back from a footnote does not share a paragraph with the figure above it."""
    text = f"a[^1]\n\n{start}```acdl #x\n    U: env.q\n    ```\n"
    html = markdown(text, extensions=["acdl", "footnotes"])
    assert re.search(r'</figure>\s*<p><a class="footnote-backref"', html)
    assert not re.search(r"<p>(?:(?!</p>).)*<figure", html, re.DOTALL)


def test_first_line_of_a_definition() -> None:
    """A fence may stand right behind the colon."""
    html = markdown("Term\n:   ```acdl #x\n    U: env.q\n    ```\n", extensions=["acdl", "def_list"])
    assert re.search(r'<dd>\s*<figure class="acdl" id="x">', html)


def test_unclosed_fence_keeps_the_list() -> None:
    """The empty line behind a fence that is never closed still separates the items."""
    html = markdown("- a\n    ```acdl\n    U: env.q\n\n- b\n", extensions=["acdl"])
    assert html.count("<ul>\n<li>") == 1
    assert "</figure>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>" in html


def test_place_behind_a_sample() -> None:
    """Problems are reported where the block stands, not where the same text is an indented sample."""
    lines: list[str] = []
    fence = "```acdl\nX[@T]: {\n  U: { S: { A } }\n}\n```\n"
    sample = "".join(f"    {line}\n" for line in fence.splitlines())
    text = f"Text\n\n{sample}\nText\n\n{fence}"
    with announce_page(Page(name="a.md", text=text, report=lambda _, line: lines.append(line))):
        markdown(text, extensions=["acdl"])
    assert [line.split(":")[1] for line in lines] == ["13"]


def test_settings_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The project's file counts without a plugin too; a mistake in it is said once and costs nothing."""
    twice = "```acdl\nA[@T]: { U: env.q }\nA[@T]: { U: env.q }\n```\n"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "acdl.toml").write_text('[rules]\nduplicate-definition = "error"\n')
    assert "error[duplicate-definition]" in markdown(twice, extensions=["acdl"])
    off = {"acdl": {"rules": {"duplicate-definition": "off"}}}
    assert "duplicate-definition" not in markdown(twice, extensions=["acdl"], extension_configs=off)
    (tmp_path / "acdl.toml").write_text("rnage = 1\n")
    assert "<svg" in markdown(twice, extensions=["acdl"])
    assert capsys.readouterr().err.count("did you mean `range`?") == 1
