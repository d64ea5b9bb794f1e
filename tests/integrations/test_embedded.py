"""Pages with pictures that `acdl embed` wrote, in tools that draw blocks themselves, and in others."""

import re
from pathlib import Path

import pytest
from markdown import markdown

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.pages.embedded import EmbeddedPicture, part_lines, read_page, without_parts
from acdl_mkdocs.frontends.docs.pages.markdown_copy import copy_as_markdown
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project

CHAT = "Chat[@T]: { S: RULES  U: env.question[@T] }"
PAGE = f"""\
# Agents

```acdl caption="A chat"
{CHAT}
```

> - an item
>
>   ```acdl
>   Quoted[@T]: {{ U: A }}
>   ```
>
>   More.

Last words.
"""
WORDS = 'A "title" with <b>, {braces}, `code`, [@T], $x$ & more_or_less'
LOOKS = {
    "picture": EmbeddedPicture(
        WORDS,
        {"light": "a.svg", "dark": "a.dark.svg"},
        caption="*cap* {x}",
        link=("a b.acdl", "../a b.acdl"),
        width="40",
    ),
    "image": EmbeddedPicture(WORDS, {"auto": "img/a b.svg"}, caption="*cap* {x}", link=("s", "https://example.org/s")),
    "text": EmbeddedPicture(WORDS, {}, text="Chat:\n  ```\n", sent_lines=[("What is sent at @1: <2>", "User\n  {hi}")]),
}


def embedded(text: str, folder: Path) -> str:
    """A page after `acdl embed`."""
    path = folder / "page.md"
    path.write_text(text, "utf-8")
    assert main(["embed", "-q", str(path)]) == 0
    embedded = path.read_text("utf-8")
    assert embedded.count("<picture>") == 2
    return embedded


def check(html: str) -> None:
    """The figures are there once each, and nothing of what was embedded; all other words are there."""
    assert html.count("<svg class=") == 2
    assert not re.search("<picture|<img|acdl-embed|<em>A chat</em>", html)
    assert "More." in html
    assert "Last words." in html


def test_python_markdown(tmp_path: Path) -> None:
    """The extension draws the blocks and leaves out what is embedded; the rest of the page is as without it."""
    html = markdown(embedded(PAGE, tmp_path), extensions=["acdl"])
    check(html)
    assert html == markdown(PAGE, extensions=["acdl"])


def test_mkdocs(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A strict build draws each figure once, and reports problems at their own lines."""
    site.options["llms"] = True
    site.write("docs/index.md", PAGE)
    assert main(["embed", "-q", str(site.root / "docs")]) == 0
    site.build()
    check(site.html())
    shown = (site.root / "out" / "index.md").read_text("utf-8")
    assert "acdl-embed" not in shown
    text = (site.root / "docs" / "index.md").read_text("utf-8").replace("U: A }", "U: { S: A } }")
    site.write("docs/index.md", text)
    site.build(strict=False)
    line = text[: text.index("S: A")].count("\n") + 1
    assert f"docs/index.md:{line}:" in caplog.text


def test_sphinx(project: Project) -> None:
    """The same with MyST, for which other words stay at their lines."""
    project.write("index.md", PAGE)
    assert main(["embed", "-q", str(project.folder)]) == 0
    text = (project.folder / "index.md").read_text("utf-8")
    project.write("index.md", f"{text}\n{{unknown}}`role`\n")
    built = project.build()
    check(built.read())
    assert f"index.md:{text.count(chr(10)) + 2}: WARNING: " in built.warned
    assert built.warned.count("WARNING") == 1


def test_text_of_models(tmp_path: Path) -> None:
    """The Markdown of a page for models has the blocks, and no pictures."""
    assert "<picture>" not in copy_as_markdown(embedded(PAGE, tmp_path), "page.md", tmp_path)


def test_what_a_person_changed_is_shown(tmp_path: Path) -> None:
    """Words that somebody put between the marks are not left out silently."""
    changed = embedded(PAGE, tmp_path).replace("_A chat_", "My own words.")
    lines = without_parts(changed.split("\n"))
    assert "My own words." in lines
    assert len(lines) == len(changed.split("\n"))


@pytest.mark.parametrize("name", LOOKS)
def test_markdown_of_most_tools(name: str) -> None:
    """Read as CommonMark: marks are comments, words are shown as they are, addresses lead to the files."""
    markdown_it = pytest.importorskip("markdown_it")
    picture = LOOKS[name]
    html = markdown_it.MarkdownIt("commonmark").render("\n".join(part_lines(picture, ["a.svg"], "md")))
    seen = re.sub("<!--.*?-->", "", html)
    assert "acdl-embed" not in seen
    if not picture.text:
        assert 'alt="A &quot;title&quot; with &lt;b&gt;, ' in seen.replace("&#123;", "{")
        assert "<p><em>*cap* {x}</em></p>" in seen
    if name == "image":
        assert 'src="./img/a%20b.svg"' in seen
        assert '<a href="https://example.org/s">s</a>' in seen
    if name == "picture":
        assert '<a href="../a%20b.acdl">a b.acdl</a>' in seen
    if name == "text":
        assert '<pre><code class="language-text">Chat:\n  ```\n</code></pre>' in seen
        assert "<summary>What is sent at @1: &lt;2&gt;</summary>" in seen


@pytest.mark.parametrize("name", LOOKS)
def test_mdx(name: str) -> None:
    """MDX has no HTML comments; every tag is closed, attributes are those of React, and no brace begins a program."""
    lines = part_lines(LOOKS[name], ["a.svg"], "mdx")
    assert re.fullmatch(r"\{/\* acdl-embed [0-9a-f]{12} a\.svg \*/\}", lines[0])
    assert lines[-1] == "{/* acdl-embed end */}"
    inside = "\n".join(lines[1:-1])
    code = re.sub(r"(`{3,})text\n.*?\n\1", "", inside, flags=re.DOTALL)
    assert "<!--" not in code
    assert "srcset" not in code
    assert not re.search(r"(?<!\\)[{}]", code)
    assert not re.search(r"(?<!\\)<(?!/?(?:picture|details|summary)>|(?:source|img) [^<>]*/>)", code)
    page = "\n".join(["```acdl", CHAT, "```", "", *lines, ""])
    assert read_page(page).parts[0].is_intact
    assert read_page(page).replace_parts({0: ()}) == f"```acdl\n{CHAT}\n```\n"


def test_quarto() -> None:
    """Quarto would print the alternative text of an image as its caption."""
    shown = part_lines(LOOKS["image"], [], "qmd")
    assert shown[2] == (
        r"![\*cap\* \{x\}](./img/a%20b.svg){fig-alt="
        r'"A \"title\" with <b>, {braces}, `code`, [@T], $x$ & more_or_less"}'
    )
    assert not any(line.startswith("_") for line in shown)
    pictures = part_lines(LOOKS["picture"], [], "qmd")
    assert r"_\*cap\* \{x\}_" in pictures
