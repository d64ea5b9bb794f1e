"""The small projects of `examples/` are built by the real tools, strictly, and show every figure."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from exhaustive import few
from site_links import dead_links

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@dataclass(frozen=True)
class Example:
    """What the tests know of a project."""

    tool: str
    spec: str
    """A file of specs that its pages show."""
    figures: dict[str, set[str]]
    """Ids of figures by page."""
    spec_pages: tuple[str, ...] = ()
    """The specs and fragments that have pages of their own."""

    @property
    def folder(self) -> Path:
        """Where it is."""
        return EXAMPLES / f"{self.tool}-project"


PROJECTS = [
    Example(
        "mkdocs",
        "specs/research.acdl",
        {
            "index.html": {"Opening", "acdl-diff"},
            "calls/index.html": {"Planner", "Answer", "acdl", "planner-tools", "laic", "question"},
        },
        ("Planner", "Answer"),
    ),
    Example(
        "properdocs",
        "specs/desk.acdl",
        {"index.html": {"Desk", "Summary", "booking-tools", "bergen", "acdl-diff"}},
        ("Desk", "Summary"),
    ),
    Example(
        "zensical",
        "specs/game.acdl",
        {
            "index.html": {"Master", "Player", "world", "Farewell", "dice", "round"},
            "rules/index.html": {"TableRules", "acdl-diff"},
        },
    ),
]


def build(example: Example, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build a copy of a project strictly with its tool; skip where that is not installed."""
    program = shutil.which(example.tool, path=str(Path(sys.executable).parent)) or shutil.which(example.tool)
    if not program:
        pytest.skip(f"{example.tool} is not installed")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "ACDL_NO_CACHE": "1"}
    command = [program, "build", "--clean", "--strict"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(params=few(PROJECTS), ids=lambda example: example.tool)
def example(request: pytest.FixtureRequest) -> Example:
    """Each of them."""
    assert isinstance(request.param, Example)
    return request.param


@pytest.fixture
def folder(example: Example, tmp_path: Path) -> Path:
    """A copy, as it is in version control."""
    copy = tmp_path / example.folder.name
    shutil.copytree(example.folder, copy, ignore=shutil.ignore_patterns("site", ".cache", "acdl"))
    return copy


def figures(page: Path) -> set[str]:
    """The ids of the figures of a page."""
    return set(re.findall(r'<figure class="acdl[^"]*" id="([^"]+)"', page.read_text("utf-8")))


def test_every_project_is_tested() -> None:
    """Each folder of a project is in the list above, or has tests of its own."""
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    others = {"drawings", "embedded", "sphinx-project", "playbook", "learning", "pml", "turn", "workflows"}
    agents = {"agents", "infer"}
    assert folders == {*(example.folder.name for example in PROJECTS), *others, *agents}


def test_project_is_right(example: Example) -> None:
    """Nothing is wrong with its specs and pages, and all are in their normal form."""
    for words in (("check", "--strict"), ("format", "--check")):
        command = [sys.executable, "-m", "acdl_mkdocs", *words, "docs", "specs"]
        ran = subprocess.run(command, cwd=example.folder, capture_output=True, text=True, encoding="utf-8")
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_project_is_built(example: Example, folder: Path) -> None:
    """A strict build shows every figure, with the style sheet, and no problem."""
    ran = build(example, folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "WARNING" not in ran.stdout + ran.stderr
    site = folder / "site"
    assert (site / "assets" / "acdl" / "acdl.css").is_file()
    assert dead_links(site) == []
    if example.spec_pages:
        assert "acdl-gallery" in (site / "specs" / "index.html").read_text("utf-8")
    for name in example.spec_pages:
        assert name in figures(site / "specs" / name / "index.html")
        assert f'href="{name}/"' in (site / "specs" / "index.html").read_text("utf-8")
    for name, expected in example.figures.items():
        assert figures(site / name) == expected
        text = (site / name).read_text("utf-8")
        assert 'class="acdl-problem' not in text
        ids = re.findall(r'<[a-z][^<>]*\sid="?([^"\s>]+)', text)
        assert [each for each in ids if each in expected and ids.count(each) > 1] == []
        assert re.search(r'<link[^>]*href="[^"]*assets/acdl/acdl(-figure)?\.css"', text)
        assert re.search(r'<script[^>]*src="[^"]*assets/acdl/acdl\.js"', text)


def test_broken_spec_fails_the_build(example: Example, folder: Path) -> None:
    """A mistake in a file of specs ends a strict build with its place."""
    with (folder / example.spec).open("a", encoding="utf-8") as file:
        file.write("\nBroken[@T]: { U: { S: A_TEXT } }\n")
    page = next(iter(example.figures)).replace(".html", ".md")
    with (folder / "docs" / page).open("a", encoding="utf-8") as file:
        file.write(f'\n```acdl src="{example.spec}#Broken"\n```\n')
    ran = build(example, folder)
    assert ran.returncode != 0
    assert re.search(rf"{re.escape(example.spec)}:\d+:\d+: error\[nested-role\]", ran.stdout + ran.stderr)
