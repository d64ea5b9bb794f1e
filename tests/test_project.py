"""Which folder the files of a page are named from."""

from pathlib import Path

from acdl_mkdocs.site.project import project_of


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
