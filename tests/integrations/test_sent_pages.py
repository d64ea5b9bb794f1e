"""Messages beside figures in every docs tool: shown, with problems told, and made again when a state changes."""

import pickle
import re
from pathlib import Path

import pytest
from markdown import Markdown

from acdl_mkdocs.frontends.docs.blocks import sent
from acdl_mkdocs.frontends.docs.markdown.superfences import fence, validate
from acdl_mkdocs.prompts.tokens.counter import counter
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project

SPEC = "Talk[@T]: {\n    S: RULES\n    U: env.question[@T]\n}\n"
STATE = "acdl_state: 1\ntemplates: {RULES: Be kind.}\nenv: {question: {1: Hello?, 2: Bye!}}\n"
FENCE = '```acdl src="talk.acdl" state="talk.state.yaml"\n```\n'


@pytest.fixture(autouse=True)
def estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that need no vocabulary."""
    monkeypatch.setattr(sent, "counter", lambda: counter("estimate"))


def is_shown(html: str) -> bool:
    """Whether a page has both points."""
    ids = re.findall(r'<section class="acdl-sent-point" id="([^"]*)"', html)
    return ids == ["Talk-at-1", "Talk-at-2"] and "Hello?" in html and 'class="acdl-evaluated"' in html


def test_mkdocs(site: Site) -> None:
    """A page with a block, and the page of a spec; both follow the state."""
    site.write("specs/talk.acdl", SPEC)
    site.write("specs/talk.state.yaml", STATE)
    site.write("docs/index.md", "# Home\n\n" + FENCE.replace('="talk', '="specs/talk'))
    site.config["plugins"] = [{"acdl": {"specs": ["specs/talk.acdl"]}}]
    site.build()
    assert is_shown(site.html())
    assert is_shown(site.html("specs/Talk/index.html"))
    assert (site.root / "out/assets/acdl/acdl-steps.js").is_file()
    site.write("specs/talk.state.yaml", STATE.replace("Hello?", "Servus!"))
    site.build()
    for path in ("index.html", "specs/Talk/index.html"):
        assert "Servus!" in site.html(path)
        assert "Hello?" not in site.html(path)


def test_python_markdown(tmp_path: Path) -> None:
    """The Markdown extension takes states from its root, and says what is wrong with them."""
    (tmp_path / "talk.acdl").write_text(SPEC)
    (tmp_path / "talk.state.yaml").write_text(STATE)
    settings = {"acdl_mkdocs.frontends.docs.markdown.extension": {"root": str(tmp_path)}}
    markdown = Markdown(extensions=[*settings], extension_configs=settings)
    assert is_shown(markdown.convert(FENCE))
    html = markdown.reset().convert(FENCE.replace("talk.state", "tlak.state"))
    assert "did you mean <code>talk.state.yaml</code>?" in html
    assert "<svg" in html


def test_superfences(tmp_path: Path) -> None:
    """A custom fence shows them too, and all pages are drawn again when a state changes."""
    (tmp_path / "talk.acdl").write_text(SPEC)
    state = tmp_path / "talk.state.yaml"
    state.write_text(STATE)
    script = tmp_path / "assets" / "acdl.js"
    made = fence(root=str(tmp_path), watch=[str(tmp_path)], script=str(script))
    fences = [{"name": "acdl", "class": "acdl", "format": made, "validator": validate}]
    markdown = Markdown(
        extensions=["pymdownx.superfences"], extension_configs={"pymdownx.superfences": {"custom_fences": fences}}
    )
    assert is_shown(markdown.convert(FENCE))
    assert script.with_name("acdl-steps.js").is_file()
    assert script.with_name("acdl-actions.js").is_file()
    before = pickle.dumps(made)
    state.write_text(STATE.replace("Bye!", "Servus!"))
    assert pickle.dumps(made) != before


def sphinx(project: Project) -> Project:
    """A project with a block that has a state, and a page without."""
    project.write("talk.acdl", SPEC)
    project.write("talk.state.yaml", STATE)
    project.write("index.md", f"# Home\n\n```{{toctree}}\nother\n```\n\n{FENCE}")
    project.write("other.md", "# Other\n")
    return project


def test_sphinx(project: Project) -> None:
    """A page is written again when its state changes, and problems are told."""
    built = sphinx(project).build("html", "-W")
    assert built.code == 0, built.warned
    assert is_shown(built.read())
    assert (built.out / "_static" / "acdl-steps.js").is_file()
    assert project.build("html", "-W").written == []
    project.write("talk.state.yaml", STATE.replace("Hello?", "Servus!"))
    again = project.build("html", "-W")
    assert again.written == ["index"]
    assert "Servus!" in again.read()
    project.write("talk.state.yaml", STATE.replace("env:", "evn:"))
    assert "talk.state.yaml:3:1: ERROR: evn: did you mean env?" in project.build().warned


def test_sphinx_directive(project: Project) -> None:
    """In reStructuredText they are options of the directive."""
    project.write("talk.acdl", SPEC)
    project.write("talk.state.yaml", STATE)
    project.write("index.rst", "Home\n====\n\n.. acdl::\n   :src: talk.acdl\n   :state: talk.state.yaml\n   :at: 2\n")
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    assert re.findall(r'id="(Talk-at-\d)"', built.read()) == ["Talk-at-2"]


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_sphinx_without_html(project: Project, builder: str) -> None:
    """Where there is no HTML, the messages are lines."""
    built = sphinx(project).build(builder)
    assert built.code == 0, built.warned
    path = next(
        each for each in built.out.iterdir() if each.suffix in (".txt", ".tex") and "Be kind." in each.read_text()
    )
    text = path.read_text()
    assert "Hello?" in text
    assert "2 messages" in text


def test_sphinx_book(project: Project) -> None:
    """A book has the messages, and no drawing in its pages."""
    built = sphinx(project).build("epub")
    assert built.code == 0, built.warned
    page = built.read("index.xhtml")
    assert "Hello?" in page
    assert "<svg" not in page
    assert "acdl-growth" not in page
