"""`acdl-variants` blocks in every docs tool: drawn alike, in words without drawings, rebuilt with their files."""

import re
from pathlib import Path

from markdown import Markdown

from acdl_mkdocs.frontends.docs.markdown.superfences import fence, validate
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project

SPECS = "One[@T]: {\n    U: env.question[@T]\n}\n\nTwo[@T]: {\n    S: BE_KIND\n    U: env.question[@T]\n}\n"
BLOCK = (
    "```acdl-variants\nspecs: [specs/a.acdl#One, specs/a.acdl#Two]\nbase: One\nresults: {file: results.csv}\n"
    "caption: Which one is better.\n```\n"
)
RESULTS = "metric,One,Two\nsuccess,12.50,71.3\n"


def columns(html: str) -> list[str]:
    """The anchors of the columns of a page, and the numbers of its table."""
    found = re.findall(r'<div class="acdl-column" id="([^"]+)"', html)
    table = re.search(r"<tbody>.*?</tbody>", html, re.DOTALL)
    return [*found, *re.findall(r"\d+\.\d+", table[0] if table else "")]


def test_same_everywhere(tmp_path: Path, project: Project) -> None:
    """Each tool draws the same columns and shows the numbers as they are written; a changed file is seen."""
    site = Site(tmp_path, specs=[])
    for files in (site, project):
        files.write("specs/a.acdl", SPECS)
        files.write("results.csv", RESULTS)
    site.write("docs/index.md", BLOCK)
    project.write("index.md", f"# Home\n\n{BLOCK}")
    expected = ["acdl-variants-One", "acdl-variants-Two", "12.50", "71.3"]
    alone = Markdown(extensions=["acdl"], extension_configs={"acdl": {"root": str(tmp_path)}})
    custom = [
        {
            "name": "acdl-variants",
            "class": "acdl-variants",
            "format": fence(root=str(tmp_path)),
            "validator": validate,
        }
    ]
    settings = {"pymdownx.superfences": {"custom_fences": custom}}
    fenced = Markdown(extensions=["pymdownx.superfences"], extension_configs=settings)
    site.build()
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    assert [columns(html) for html in (alone.convert(BLOCK), fenced.convert(BLOCK), site.html(), built.read())] == [
        expected
    ] * 4
    site.write("results.csv", RESULTS.replace("71.3", "72.1"))
    project.write("results.csv", RESULTS.replace("71.3", "72.1"))
    site.build()
    assert columns(site.html())[-1] == "72.1"
    again = project.build()
    assert again.written == ["index"]
    assert columns(again.read())[-1] == "72.1"


def test_in_words(project: Project) -> None:
    """Text, LaTeX and books have the results, and no drawing."""
    project.write("specs/a.acdl", SPECS)
    project.write("results.csv", RESULTS)
    project.write("index.md", f"# Home\n\n{BLOCK}")
    for builder, name in (("text", "index.txt"), ("latex", "test.tex"), ("epub", "index.xhtml")):
        built = project.build(builder)
        assert built.code == 0, built.warned
        words = built.read(name)
        assert "71.3" in words
        assert "<svg" not in words


def test_watched_files(tmp_path: Path) -> None:
    """The state of a custom fence changes with the results, so that a tool draws all pages again."""
    site = Site(tmp_path)
    site.write("specs/a.acdl", SPECS)
    site.write("results.csv", RESULTS)
    site.write("docs/index.md", BLOCK)
    drawing = fence(root=str(tmp_path), watch=[str(tmp_path / "docs")])
    before = drawing.__getstate__()
    assert drawing.__getstate__() == before
    site.write("results.csv", RESULTS.replace("71.3", "72.1"))
    assert drawing.__getstate__() != before
