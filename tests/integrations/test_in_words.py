"""The view of figures in words: as a setting of every docs tool, on the pages of specs, and in texts for models."""

import pytest
from markdown import markdown

from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from integrations.mkdocs_site import CHAT, Site
from integrations.sphinx_project import Project

BLOCK = "```acdl{option}\nS: {{ Frag Greeting[@T] }}\n```\n"


def test_pages_of_specs(site: Site) -> None:
    """Pages of specs have the view unless the site does without; a block has it if the site says so."""
    names = {"specs/Chat/index.html": (True, True, False), "specs/Greeting/index.html": (True, True, False)}
    names |= {"index.html": (False, True, False)}
    site.write("docs/index.md", BLOCK.format(option=""))
    for number, setting in enumerate((None, True, False)):
        site.options |= {} if setting is None else {"explain": setting}
        site.build()
        for name, expected in names.items():
            assert ('<details class="acdl-explained"' in site.html(name)) is expected[number], (name, setting)


@pytest.mark.parametrize("value", [True, False])
def test_markdown(value: bool) -> None:
    """The extension has the setting, which a block overrides."""
    for option, expected in (("", value), (" explain=on", True), (" explain=off", False)):
        html = markdown(BLOCK.format(option=option), extensions=[AcdlExtension(explain=value)])
        assert ("In words" in html) is expected


def test_sphinx(project: Project) -> None:
    """The value in `conf.py` is for all blocks, and a directive overrides it."""
    blocks = ("A[@T]: { U: env.q[@T] }", ":explain: off\n\nB[@T]: { U: X }")
    project.write("index.md", "# T\n\n" + "".join(f"```{{acdl}}\n{each}\n```\n\n" for each in blocks))
    project.conf('acdl = {"explain": True}')
    html = project.build().read("index.html")
    assert 'id="A-in-words"' in html
    assert 'id="B-in-words"' not in html


def test_words_of_specs_for_models(site: Site) -> None:
    """Pages of specs and `llms-full.txt` say in words what a spec sends, as do blocks that ask for it."""
    site.options["llms"] = True
    site.write("specs/chat.acdl", CHAT.replace("U: env.q[@T]", "U: env.q[@T] // *all* <b> of `it`"))
    block = "{mark} {option}\nS: {{ Frag Greeting[@T] }}\n```\n"
    blocks = [block.format(mark="```acdl", option=option) for option in ("#one explain=on", "#two")]
    site.write("docs/index.md", "\n".join(blocks))
    site.build()
    sentence = "- a User message: `env.q` of the current turn"
    for name in ("specs/Chat/index.md", "llms-full.txt"):
        assert "`Chat[@T]` is a chat prompt." in site.html(name)
        assert f"{sentence} (\\*all\\* &lt;b> of `it`)\n" in site.html(name)
    assert (
        site.html("index.md").count("- a System message:\n  - the fragment `Greeting` with `t` = the current turn:\n")
        == 1
    )
    site.options["explain"] = False
    site.build()
    for name in ("specs/Chat/index.md", "llms-full.txt", "specs/Chat/index.html"):
        assert "is a chat prompt" not in site.html(name)


def test_titles_in_llms_txt(site: Site) -> None:
    """The title of a page, which MkDocs has as HTML, is text with only the signs of Markdown escaped."""
    site.options["llms"] = True
    site.write("docs/index.md", "# Questions & `a < b`\n")
    site.build()
    assert "- [Questions & a &lt; b](index.md)" in site.html("llms.txt")
