"""`[[acdl:Name]]` in Sphinx, and every link of a built site."""

import re
from pathlib import Path

import pytest
from site_links import dead_links

from integrations.sphinx_project import CHAT, Project, sphinx_build

EXAMPLE = Path(__file__).parents[2] / "examples" / "sphinx-project"
MARKED = "React[@T]: {\n    Mark 2 { U: env.question[@T] }\n}\n"
WORDS = "See [[acdl:Chat]], [[acdl:Chat|the chat]] and [[acdl:React#mark-2]].\n"


def links(html: str) -> list[tuple[str, str]]:
    """The references of a page, with what they show."""
    found = re.findall(r'<a class="reference internal" href="([^"]*)"[^>]*>(.*?)</a>', html, re.DOTALL)
    return [(href, re.sub(r"<[^>]*>", "", words)) for href, words in found if "#" in href]


@pytest.mark.parametrize("name", ["page.md", "page.rst"])
def test_references(name: str, project: Project) -> None:
    """They lead to figures and marks of other pages, in Markdown and reStructuredText."""
    project.write("index.md", f"# Home\n\n```acdl\n{CHAT}```\n\n```acdl\n{MARKED}```\n\n```{{toctree}}\npage\n```\n")
    title = "# Page\n\n" if name.endswith(".md") else "Page\n====\n\n"
    code = "`[[acdl:Nope]]`" if name.endswith(".md") else "``[[acdl:Nope]]``"
    project.write(name, f"{title}{WORDS}Not {code}.\n")
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    page = built.read("page.html")
    assert ("index.html#Chat", "Chat") in links(page)
    assert ("index.html#Chat", "the chat") in links(page)
    assert ("index.html#React-mark-2", "React") in links(page)
    assert "[[acdl:Nope]]" in page
    assert page.count("[[acdl:") == 1
    assert dead_links(built.out) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "page.md",
            '# Page\n\n[](acdl:Chat), [the *chat*](acdl:Chat), [x] and [mark](acdl:React#mark-2 "title"). '
            "Not `[a](acdl:Nope)`.\n\n[x]: acdl:Chat\n",
        ),
        (
            "page.rst",
            "Page\n====\n\n`Chat <acdl:Chat>`_, `the chat <acdl:Chat>`_, x_ and `mark <acdl:React#mark-2>`_. "
            "Not ``acdl:Nope``.\n\n.. _x: acdl:Chat\n",
        ),
    ],
)
def test_links_with_a_target(name: str, text: str, project: Project) -> None:
    """A link whose target is `acdl:Name` is a reference too, without any setting of MyST."""
    project.write("index.md", f"# Home\n\n```acdl\n{CHAT}```\n\n```acdl\n{MARKED}```\n\n```{{toctree}}\npage\n```\n")
    project.write(name, text)
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    found = [each for each in links(built.read("page.html")) if "index.html" in each[0]]
    chat = [("index.html#Chat", words) for words in ("Chat", "the chat", "x")]
    assert found == [*chat, ("index.html#React-mark-2", "mark")]
    assert dead_links(built.out) == []


ESCAPED = (
    "Some \\[[acdl:Chat]], [[acdl:Chat|link]], {code}, *\\[[acdl:Chat]]*, [\\[acdl:Chat]], {code} and "
    "[[acdl:Chat]].\n\n- \\[[acdl:Chat]]\n\nTwo backslashes: \\\\[[acdl:Chat|third]].\n"
)


@pytest.mark.parametrize(
    ("name", "title", "code"),
    [
        ("page.md", "# Page \\[[acdl:Chat]]\n\n", "`[[acdl:Chat]]`"),
        ("page.rst", "Page\n====\n\n", "``\\[[acdl:Chat]]``"),
    ],
)
def test_escaped_references(name: str, title: str, code: str, project: Project) -> None:
    """With a backslash they are text, in titles, emphasis and lists too, and code is no matter."""
    project.write("index.md", f"# Home\n\n```acdl\n{CHAT}```\n\n```{{toctree}}\npage\n```\n")
    project.write(name, title + ESCAPED.format(code=code))
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    body = built.read("page.html").partition("<h1>")[2].partition('<div class="clearer">')[0]
    found = [words for address, words in links(body) if address == "index.html#Chat"]
    assert found == ["link", "Chat", "third"]
    assert body.count("[[acdl:Chat]]") == (7 if name.endswith(".md") else 6)


def test_reference_that_leads_nowhere(project: Project) -> None:
    """It is told like that of a role, with its line and a near name."""
    project.write(
        "index.md", f"# Home\n\n```acdl\n{CHAT}```\n\nSee [[acdl:Caht]] and [[acdl:Chat#line-99]].\n\n[a](acdl:Chta)\n"
    )
    warned = project.build().warned
    assert "index.md:9: WARNING: no spec, fragment or mark named `Caht`; did you mean `Chat`?" in warned
    assert "no mark named `Chat-line-99`" in warned
    assert "index.md:11: WARNING: no spec, fragment or mark named `Chta`; did you mean `Chat`?" in warned
    assert warned.count("[acdl.unknown-reference]") == 3


def test_example_has_no_dead_link(tmp_path: Path) -> None:
    """Every link and anchor of the example project exists."""
    built = sphinx_build(EXAMPLE, tmp_path / "out")
    assert built.code == 0, built.warned
    assert dead_links(built.out) == []
