"""`acdl-inspect` blocks in every docs tool: drawn alike, in words without HTML, rebuilt with their recordings."""

import json
import re
from pathlib import Path

from markdown import Markdown

from acdl_mkdocs.frontends.docs.markdown.superfences import fence, validate
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project

BLOCK = '```acdl-inspect src="runs/a.jsonl"\n```\n'
NAMES = ["acdl-inspect-run-1-step-1", "acdl-inspect-run-1-step-2"]


def recording(day: str) -> str:
    """Two requests, the later one on another day."""
    bodies = [
        {"messages": [{"role": "system", "content": f"Today is {each}."}, {"role": "user", "content": "Hello?"}]}
        for each in ("Monday", day)
    ]
    return "".join(f"{json.dumps(each)}\n" for each in bodies)


def parts(html: str) -> list[str]:
    """The steps of a page, and the day after the change."""
    found = re.findall(r'<section class="acdl-sent-point" id="([^"]+)"', html)
    return [*found, *re.findall(r"<ins>(\w+)</ins>", html)]


def test_same_everywhere(tmp_path: Path, project: Project) -> None:
    """Each tool shows the same steps; a changed recording is seen."""
    site = Site(tmp_path, specs=[])
    for files in (site, project):
        files.write("runs/a.jsonl", recording("Friday"))
    site.write("docs/index.md", BLOCK)
    project.write("index.md", f"# Home\n\n{BLOCK}")
    alone = Markdown(extensions=["acdl"], extension_configs={"acdl": {"root": str(tmp_path)}})
    custom = [
        {"name": "acdl-inspect", "class": "x", "format": fence(root=str(tmp_path)), "validator": validate},
    ]
    settings = {"pymdownx.superfences": {"custom_fences": custom}}
    fenced = Markdown(extensions=["pymdownx.superfences"], extension_configs=settings)
    site.build()
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    pages = (alone.convert(BLOCK), fenced.convert(BLOCK), site.html(), built.read())
    assert [parts(html) for html in pages] == [[*NAMES, "Friday"]] * 4
    site.write("runs/a.jsonl", recording("Sunday"))
    project.write("runs/a.jsonl", recording("Sunday"))
    site.build()
    assert parts(site.html())[-1] == "Sunday"
    again = project.build()
    assert again.written == ["index"]
    assert parts(again.read())[-1] == "Sunday"


def test_in_words(project: Project) -> None:
    """Text, LaTeX and books have what a terminal shows."""
    project.write("runs/a.jsonl", recording("Friday"))
    project.write("index.rst", "Home\n====\n\n.. acdl-inspect::\n   :src: runs/a.jsonl\n")
    for builder, name in (("text", "index.txt"), ("latex", "test.tex"), ("epub", "index.xhtml")):
        built = project.build(builder)
        assert built.code == 0, built.warned
        assert "a date in the instructions" in built.read(name)


def test_llms(tmp_path: Path) -> None:
    """The Markdown for language models has the inspection as text."""
    site = Site(tmp_path, specs=[], llms=True)
    site.write("runs/a.jsonl", recording("Friday"))
    site.write("docs/index.md", BLOCK)
    site.build()
    assert "cache lost: a date in the instructions changed" in site.html("index.md")


def test_watched_files(tmp_path: Path) -> None:
    """The state of a custom fence changes with the recording, so that a tool draws all pages again."""
    site = Site(tmp_path)
    site.write("runs/a.jsonl", recording("Friday"))
    site.write("docs/index.md", BLOCK)
    drawing = fence(root=str(tmp_path), watch=[str(tmp_path / "docs")])
    before = drawing.__getstate__()
    assert drawing.__getstate__() == before
    site.write("runs/a.jsonl", recording("Sunday"))
    assert drawing.__getstate__() != before
