"""Which folder the files of a page are named from."""

from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.workspace.page_kinds import kind_at
from acdl_mkdocs.workspace.project import project_of, root_of_site
from acdl_mkdocs.workspace.settings import load_settings


def test_a_project_that_begins(tmp_path: Path) -> None:
    """A process that stays, such as that of an editor, sees that a folder becomes a project, and that it is none."""
    page = tmp_path / "site" / "docs" / "index.md"
    page.parent.mkdir(parents=True)
    before = project_of(page, tmp_path)
    assert before != tmp_path / "site"
    settings = tmp_path / "site" / "mkdocs.yml"
    settings.write_text("site_name: x\n", "utf-8")
    assert project_of(page, tmp_path) == tmp_path / "site"
    settings.unlink()
    assert project_of(page, tmp_path) == before


@pytest.mark.parametrize(
    "name", ["mkdocs.yml", "mkdocs.yaml", "zensical.toml", "mkdocs.prod.yml", "properdocs.yaml", "zensical-de.toml"]
)
def test_configurations(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever its name, one says where a project begins, that Markdown is no MyST, and who reads its blocks."""
    docs = tmp_path / "site" / "docs"
    docs.mkdir(parents=True)
    page = docs / "index.md"
    page.write_text("```acdl #chat\nChat[@T]: { U: env.question[@T] }\n```\n", "utf-8")
    (docs / "mkdocs_notes.yml").touch()
    (tmp_path / "site" / "conf.py").touch()
    assert kind_at(page) == "myst"
    (tmp_path / "site" / name).write_text("format: acdl_mkdocs.fence\n", "utf-8")
    assert project_of(page, tmp_path) == tmp_path / "site"
    assert kind_at(page) == "markdown"
    assert main(["check", str(page)]) == 1
    assert "superfences does not understand this line" in capsys.readouterr().out


def test_a_folder_that_says_it_is_one(tmp_path: Path) -> None:
    """`root = true` comes before all other signs, wherever it is; without it settings are no sign where others are."""
    part = tmp_path / "parts" / "a"
    page = part / "docs" / "index.md"
    page.parent.mkdir(parents=True)
    (part / "mkdocs.yml").touch()
    (tmp_path / "acdl.toml").write_text('range = "inclusive"\n', "utf-8")
    assert project_of(page, tmp_path) == part
    (tmp_path / "pyproject.toml").write_text("[tool.acdl]\nroot = true\n", "utf-8")
    assert project_of(page, tmp_path) == part  # `acdl.toml` wins
    (tmp_path / "acdl.toml").unlink()
    assert project_of(page, tmp_path) == tmp_path


def test_root_that_is_no_truth(tmp_path: Path) -> None:
    """A path is refused, with what is meant; looking for the project ends nothing."""
    (tmp_path / "acdl.toml").write_text('root = ".."\n', "utf-8")
    with pytest.raises(SettingsError, match="`root` has to be `true` or `false`"):
        load_settings(tmp_path)
    assert project_of(tmp_path / "index.md", tmp_path) == tmp_path


def test_pages_beside_their_configuration(tmp_path: Path) -> None:
    """A site has the folder of its configuration if its pages are in it, else the one that its pages are in."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "mkdocs.prod.yml").touch()
    (tmp_path / "docs").mkdir()
    (tmp_path / "pyproject.toml").touch()
    assert root_of_site(tmp_path / "config", tmp_path / "docs") == tmp_path
    assert root_of_site(tmp_path / "config", tmp_path / "config" / "docs") == tmp_path / "config"


@pytest.mark.parametrize(
    ("root", "files", "found"),
    [
        ("..", [], "site"),
        ("../..", ["acdl.toml"], "."),
        ("../..", [".git"], "."),
        ("../..", [], "site/docs"),
        ("../..", ["site/.git"], "site/docs"),
        ("..", ["site/docs/.git", "pyproject.toml"], "site/docs"),
        ("/", [], "site/docs"),
        ("/", [".git"], "site/docs"),
        ("/etc", [], "site/docs"),
        ("below", [], "site/docs"),
        ("../other", [".git"], "site/docs"),
    ],
)
def test_root_that_somebody_else_wrote(root: str, files: list[str], found: str, tmp_path: Path) -> None:
    """The `conf.py` of a stranger, which is only read, opens no folder beyond its repository."""
    docs = tmp_path / "site" / "docs"
    docs.mkdir(parents=True)
    for name in files:
        (tmp_path / name).touch()
    (docs / "conf.py").write_text(f'extensions = ["acdl_mkdocs"]\nacdl = {{"root": "{root}"}}\n', "utf-8")
    assert project_of(docs / "index.md", docs) == (tmp_path / found).resolve()
