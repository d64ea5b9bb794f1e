"""Links that a clone brings in the place of files that nobody names: nothing is read or written where they lead."""

import shutil
import subprocess
from pathlib import Path

import pytest
from integrations.mkdocs_site import Site
from integrations.sphinx_project import Project
from markdown import Markdown
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from acdl_mkdocs.foundation.atomic import replace_below
from acdl_mkdocs.foundation.errors import PlaybookError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.playground.site import list_former_files, write_site
from acdl_mkdocs.playbook.store import history_path
from acdl_mkdocs.playbook.store.repair import repair
from hostile.outside import MINE, is_kept

TIME = ("--time", "2026-01-01T00:00:00Z")


BELOW = {
    "file": ("out/a/figure.svg", "../../../outside/mine"),
    "file that is not there": ("out/a/figure.svg", "../../../outside/new"),
    "folder": ("out/a", "../../outside"),
    "folder that is not there": ("out/a", "../../outside/new"),
    "ring": ("out/a/figure.svg", "figure.svg"),
}
"""Where the link is, and where it leads."""


def link(clone: Path, name: str) -> Path:
    """Make one of these links."""
    place, target = BELOW[name]
    (clone / place).parent.mkdir(parents=True, exist_ok=True)
    (clone / place).symlink_to(target)
    return clone / place


@pytest.mark.parametrize("name", BELOW)
def test_files_of_an_output(name: str, clone: Path) -> None:
    """They are written into the folder that was named, and nowhere else; what is linked within it stays within."""
    found = link(clone, name)
    out, figure = Path("out"), Path("out/a/figure.svg")
    with pytest.raises(OSError, match="a link on this path leads out of the folder; remove it") as raised:
        replace_below(out, figure, b"new")
    assert raised.value.filename == str(figure)
    with pytest.raises(OSError, match="leads out of the folder"):
        write_site(out, [("a/figure.svg", b"new")])
    assert is_kept(clone)
    found.unlink()
    (clone / "out/b").mkdir()
    (clone / "out/other.svg").write_text(MINE)
    (clone / "out/b/figure.svg").symlink_to("../other.svg")
    replace_below(out, Path("out/b/figure.svg"), b"new")
    assert (clone / "out/b/figure.svg").read_bytes() == b"new"
    assert (clone / "out/other.svg").read_text() == MINE


def test_list_of_a_playground(clone: Path) -> None:
    """The list of files of a former playground is not read behind a link: it can be a device without an end."""
    (clone / "manifest.json").symlink_to("/dev/zero")
    assert list_former_files(clone, "abc") == ()


def _dirty(site: Site) -> None:
    """Build over what is there, as `mkdocs build --dirty` does; else MkDocs clears its folder first."""
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=True)
    build(config, dirty=True)


@pytest.mark.parametrize("name", ["out/llms.txt", "out/playbooks/book/AGENTS.md"])
def test_files_of_a_site(name: str, clone: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What the plugin writes itself goes through no link that lies in the folder of the site."""
    assert main(["playbook", "init", "book.yaml", *TIME]) == 0
    site = Site(clone, llms=True, playbooks=["book.yaml"])
    site.write("specs/a.acdl", "A[@T]: { U: env.q[@T] }\n")
    site.build(strict=False)
    assert (clone / name).exists()
    shutil.rmtree(clone / "out")
    (clone / name).parent.mkdir(parents=True)
    (clone / name).symlink_to(clone.parent / "outside" / "new")
    with pytest.raises(Abort):
        _dirty(site)
    assert "cannot be written: a link on this path leads out of the folder; remove it" in caplog.text
    assert is_kept(clone)


def test_files_of_a_book(clone: Path) -> None:
    """The same of figures that Sphinx has in an EPUB."""
    project = Project(clone)
    project.write("index.rst", "T\n=\n\n.. acdl::\n\n   A[@T]: { U: env.q[@T] }\n")
    images = project.out / "epub" / "_images"
    images.parent.mkdir(parents=True)
    images.symlink_to(clone.parent / "outside")
    built = project.build("epub")
    assert built.code == 2
    assert "cannot be written: a link on this path leads out of the folder; remove it" in built.warned
    assert is_kept(clone)


ACTIONS = {
    "tag": ("tag", "book.yaml", "gen-aaaaaaaa", "helpful", *TIME),
    "curate": ("curate", "book.yaml", "delta.json", *TIME),
    "undo": ("undo", "book.yaml", *TIME),
    "repair": ("repair", "book.yaml", *TIME),
    "log": ("log", "book.yaml"),
    "blame": ("blame", "book.yaml"),
    "verify": ("verify", "book.yaml"),
}
BOOK = (
    "schema_version: 1\nname: book\nrevision: 0\nsections:\n- {id: general, title: General}\n"
    "bullets:\n- {id: gen-aaaaaaaa, section: general, content: Look before you leap.}\n"
)


@pytest.mark.parametrize("target", ["../outside/mine", "../outside/new", "/dev/zero", "book.history.jsonl"])
@pytest.mark.parametrize("action", ACTIONS)
def test_history_of_a_playbook(action: str, target: str, clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A history that is a link is neither read nor written, torn lines of it are not cut off, and no file is made."""
    (clone / "book.yaml").write_text(BOOK)
    (clone / "delta.json").write_text('[{"type": "ADD", "section": "general", "content": "Prefer short words."}]')
    (clone / "book.history.jsonl").symlink_to(target)
    assert main(["playbook", *ACTIONS[action]]) == 2
    said = "book.history.jsonl: is a link; put the history itself there, or delete the link"
    assert said in capsys.readouterr().err
    assert (clone / "book.yaml").read_text() == BOOK
    assert is_kept(clone)
    (clone / "book.history.jsonl").unlink()
    assert main(["playbook", *ACTIONS["repair"]]) == 0
    assert not history_path(clone / "book.yaml").is_symlink()


def test_a_playbook_that_is_a_link_to_one(clone: Path) -> None:
    """Who names a link means what it leads to: its history is beside that."""
    shared = clone.parent / "shared"
    shared.mkdir()
    (shared / "book.yaml").write_text(BOOK)
    (clone / "book.yaml").symlink_to("../shared/book.yaml")
    assert main(["playbook", *ACTIONS["tag"]]) == 0
    assert (shared / "book.history.jsonl").is_file()
    assert (clone / "book.yaml").is_symlink()


def test_rest_of_a_history(clone: Path) -> None:
    """What a repair moves out of a history is not put behind a link."""
    (clone / "book.yaml").write_text(BOOK)
    assert main(["playbook", *ACTIONS["tag"]]) == 0
    history = history_path(clone / "book.yaml")
    history.write_bytes(history.read_bytes() + b"not a line\n" * 3)
    (clone / "book.history.rejected.jsonl").symlink_to("../outside/mine")
    before = history.read_bytes()
    with pytest.raises(PlaybookError, match=r"book\.history\.rejected\.jsonl is a link, and must be a file"):
        repair(Path("book.yaml"), time=TIME[1])
    assert history.read_bytes() == before
    assert is_kept(clone)


@pytest.mark.parametrize("name", ["book.history.jsonl", "book.evaluation.json", "book.run/run.json", "book.run"])
def test_page_of_a_playbook(name: str, clone: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A page shows the playbook, and nothing that lies behind a link beside it; a lost history is a warning."""
    (clone / "book.yaml").write_text(BOOK)
    (clone / name).parent.mkdir(exist_ok=True)
    (clone / name).symlink_to("/dev/zero")
    page = Markdown(extensions=["acdl"], extension_configs={"acdl": {"root": str(clone)}})
    html = page.convert("```acdl-playbook src=book.yaml\n```\n")
    assert "Look before you leap." in html
    assert ("the history cannot be read: is a link" in caplog.text) == name.endswith("history.jsonl")


@pytest.mark.parametrize(
    ("words", "place"),
    [(("new", "site", "made"), "made/docs"), (("new", "skill"), ".agents"), (("new", "skill", "made"), "made/acdl")],
)
def test_new_files(words: tuple[str, ...], place: str, clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is new lies in the folder that was named."""
    (clone / place).parent.mkdir(exist_ok=True)
    (clone / place).symlink_to(clone.parent / "outside")
    assert main(words) == 2
    assert "a link on this path leads out of the folder; remove it" in capsys.readouterr().err
    assert is_kept(clone)


@pytest.mark.parametrize("words", [("git", "setup", "--attributes"), ("playbook", "merge", "--setup")])
def test_attributes_of_git(words: tuple[str, ...], clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Git follows no link from `.gitattributes`, and neither does what writes there."""
    subprocess.run(["git", "init", "-q", "."], check=True)
    (clone / ".gitattributes").symlink_to("../outside/mine")
    before = (clone / ".git" / "config").read_bytes()
    assert main(words) == 2
    assert ".gitattributes: is a link, which git does not follow; put the file itself there" in capsys.readouterr().err
    assert (clone / ".git" / "config").read_bytes() == before
    assert is_kept(clone)
