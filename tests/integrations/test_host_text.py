"""Real builds of pages in which another tool puts text into blocks: what it brings is drawn, formatted or not."""

import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown import markdown

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.language.syntax.format import format_text
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project

HISTORY = "ForEach(t: range(1, @T)) {\n  U: env.question[@t]\n  A: resp.answer[@t]\n}\n"
FACTS = (
    "StrFrag Other[@t]: { X }\n// --8<-- [start:facts]\nStrFrag Facts[@t]: { env.clock[@t] }\n// --8<-- [end:facts]\n"
)
SNIPPETS = """\
# Home

```acdl
--8<-- "inc/facts.acdl:facts"
Chat[@T]: {
  S: { RULES Frag Facts[@T] }
  --8<-- 'inc/history.acdl:1:3,4:4'
        -8<-
        inc/question.acdl

        ; inc/missing.acdl
        -8<-
  ;--8<-- "inc/history.acdl"
  }
```
"""
MACROS = """\
# Home

```acdl
{# what is known #}
{% include "inc/facts.acdl" %}
Chat[@T]: {
  S: { RULES Frag Facts[@T] {{ tone }} }
  {%- include 'inc/history.acdl' -%}
  {{ turns(
       "more",
     ) }}
  {% if pro %}
  U: {{ question }} A: "{{ product }}"
  {% else %}
  U: "{{ name("x") }}"
  {% endif %}
  }
```
"""
USES = "# More\n\n```acdl\nMore[@T]: { S: { Frag Facts[@T] } U: env.question[@T] }\n```\n\nAs in [[acdl:Facts]].\n"
HOST_TEXT = re.compile(r";?-+8<-.*|inc/.*|\{[%#{](?:.|\n)*?[%#}]\}")
OFFSETS = re.compile(r' (?:data-acdl|id)="[^"]*"')


@pytest.fixture
def host(site: Site) -> Site:
    """A site with files to include."""
    site.options |= {"specs": [], "downloads": []}
    site.write("inc/history.acdl", HISTORY)
    site.write("inc/facts.acdl", FACTS)
    site.write("inc/question.acdl", "U: env.question[@T]\n")
    site.write("docs/more.md", USES)
    return site


def with_snippets(site: Site) -> None:
    """Let the site include files."""
    options = {"base_path": [str(site.root)], "check_paths": True}
    site.config["markdown_extensions"] = [{"pymdownx.snippets": options}, "pymdownx.superfences"]
    site.write("docs/index.md", SNIPPETS)


def with_macros(site: Site) -> None:
    """Let the site have macros."""
    logging.getLogger("mkdocs.plugins.mkdocs_macros.util").setLevel(logging.WARNING)
    site.write(
        "main.py",
        "def define_env(env):\n"
        "    @env.macro\n    def turns(what):\n        return f'U: env.{what}[@T]\\nA: resp.{what}[@T-1]'\n"
        "    @env.macro\n    def name(what):\n        return what\n",
    )
    site.plugins = [{"macros": {"include_dir": str(site.root), "on_undefined": "strict", "on_error_fail": True}}]
    site.config["extra"] = {"tone": "TONE", "question": "env.question[@T]", "product": "Shop", "pro": True}
    site.write("docs/index.md", MACROS)


def figure(html: str) -> str:
    """The drawing of a page, without the places of its words in the text."""
    return OFFSETS.sub("", html.partition("<svg")[2].partition("</svg>")[0])


def host_text(page: str) -> list[str]:
    """All of a page that another tool looks for, without indentation."""
    return [" ".join(each.split()) for each in HOST_TEXT.findall(page)]


@pytest.mark.parametrize("kind", [with_snippets, with_macros])
def test_what_a_build_puts_in_is_drawn(
    kind: Callable[[Site], None], host: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """The figure has all of it and is the same after `format`; nothing is said of what was read."""
    kind(host)
    host.build(strict=True)
    before = figure(host.html())
    assert all(word in before for word in ("ForEach", "answer", "clock", "question"))
    said = [each.message for each in caplog.records if each.name == "mkdocs.plugins.acdl" and each.levelno > 20]
    assert said == []
    text = (host.root / "docs" / "index.md").read_text("utf-8")
    assert main(["format", str(host.root / "docs")]) == 0
    made = (host.root / "docs" / "index.md").read_text("utf-8")
    assert made != text
    assert host_text(made) == host_text(text)
    host.build(strict=True)
    assert figure(host.html()) == before
    assert main(["format", "--check", str(host.root / "docs")]) == 0
    assert main(["check", "--strict", str(host.root / "docs")]) == 0


def test_what_no_build_puts_in_is_shown(host: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Without the plugin that knows it, the figure shows the line, and a note says that it was not read."""
    host.write("docs/index.md", '# Home\n\n```acdl\nChat[@T]: {\n  S: RULES\n  {{ turns("more") }}\n}\n```\n')
    with caplog.at_level(logging.INFO):
        host.build(strict=True)
    assert "{{ turns(&quot;more&quot;) }}" in host.html() or '{{ turns("more") }}' in host.html()
    assert any("note[unread-include]" in each.message for each in caplog.records)


@pytest.mark.parametrize(
    "line",
    [
        '--8<-- "history.acdl"',
        "-8<- 'history.acdl:2:5'",
        '------8<--- "history.acdl::5"',
        '--8<-- "history.acdl:2:3,4:5"',
        '--8<-- "history.acdl:turn"',
        '; --8<-- "history.acdl"',
        ';--8<-- "history.acdl"',
        '--8<-- "history.acdl" ',
        "--8<--\nhistory.acdl\n\n; missing.acdl\n--8<--",
    ],
)
@pytest.mark.parametrize("place", ["Chat[@T]: {{\nS: RULES\n{}\n}}\n", "{}\n", "U: RULES\n   {}\nA: resp.x[@T-1]\n"])
def test_every_spelling_of_a_snippet(line: str, place: str, tmp_path: Path) -> None:
    """Python-Markdown alone draws the same figure of a block and of its normal form, whatever is included how."""
    (tmp_path / "history.acdl").write_text(f"// --8<-- [start:turn]\n{HISTORY}// --8<-- [end:turn]\n", "utf-8")
    body = place.format(line)
    made = format_text(Source(body))
    assert made.diagnostics == ()
    options = {"pymdownx.snippets": {"base_path": [str(tmp_path)]}}
    pages = [
        markdown(f"```acdl\n{text}```\n", extensions=["pymdownx.snippets", "acdl"], extension_configs=options)
        for text in (body, made.text)
    ]
    assert figure(pages[0]) == figure(pages[1]) != ""


UNREAD = 'A[@T]: {\n    S: RULES\n    --8<-- "inc/history.acdl"\n    {{ turns() }}\n    U: env.q[@T]\n}\n'


@pytest.mark.parametrize("page", ["index.md", "index.rst"])
def test_sphinx_puts_nothing_in(page: str, project: Project) -> None:
    """A strict build does not fail, the lines are drawn as written, and one note says that they were not read."""
    block = f"# Home\n\n```acdl\n{UNREAD}```\n"
    if page.endswith(".rst"):
        block = "Home\n====\n\n.. acdl::\n\n" + "".join(f"   {line}\n" for line in UNREAD.splitlines())
    project.write(page, block)
    result = project.build("html", "-W", "-v")
    assert (result.code, result.warned) == (0, "")
    assert result.said.count("acdl.unread-include") == 1
    page_text = result.read()
    assert "[not read] --8&lt;-- &quot;inc/history.acdl&quot;, [not read] {{ turns() }}" in page_text
