"""`diff` with revisions of git: what a file was, and never a file outside of the folders of the client."""

import subprocess
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.mcp.answers import Answer
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tools import run_tool

OLD = "P[@T]: {\n    U: OLD_TEXT\n}\n"
NEW = "P[@T]: {\n    U: NEW_TEXT\n}\n"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """A folder of a repository: a spec that changed, one that is gone, and a link that leads out of the folder."""
    own = tmp_path / "own specs"
    own.mkdir()
    (tmp_path / "secret.acdl").write_text("P[@T]: {\n    U: SECRET_TEXT\n}\n", "utf-8")
    for name in ("chat.acdl", "gone.acdl"):
        (own / name).write_text(OLD, "utf-8")
    (own / "page.md").write_text(f"```acdl\n{OLD}```\n", "utf-8")
    (own / "link.acdl").symlink_to("../secret.acdl")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (own / "chat.acdl").write_text(NEW, "utf-8")
    (own / "gone.acdl").unlink()
    (own / "link.acdl").unlink()
    return Folders((own,))


def diff(folders: Folders, **sent: object) -> Answer:
    """The answer of the tool."""
    return run_tool("diff", sent, folders)


@pytest.mark.parametrize(
    "sent",
    [
        {"old_revision": "HEAD", "new_path": "chat.acdl"},
        {"old_path": "gone.acdl", "old_revision": "HEAD", "new_path": "chat.acdl"},
        {"old_path": "page.md#1", "old_revision": "HEAD", "new": NEW},
    ],
    ids=["same-file", "gone", "block"],
)
def test_what_a_file_was(sent: dict[str, object], folders: Folders) -> None:
    """The committed text is compared with the one that is there."""
    found = diff(folders, **sent)
    assert not found.is_error, found.text
    assert "OLD_TEXT -> NEW_TEXT" in found.text


def test_what_it_is_called(folders: Folders) -> None:
    """As on the command line; two revisions of one file need its name once."""
    assert "--- HEAD:chat.acdl" in diff(folders, old_revision="HEAD", new_path="chat.acdl").text
    assert diff(folders, old_revision="HEAD", new_path="chat.acdl", new_revision="HEAD").data["is_same"] is True


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"old_path": "../secret.acdl", "old_revision": "HEAD", "new": NEW}, "lies outside"),
        ({"old_path": "none.acdl", "old_revision": "HEAD", "new": NEW}, "`git log --oneline -- none.acdl`"),
        ({"old_revision": "nope", "new_path": "chat.acdl"}, "no revision `nope`"),
        ({"old_revision": "--help", "new_path": "chat.acdl"}, "begins with `-`"),
        ({"old_revision": "HEAD", "new": NEW}, "name the file with `old_path`"),
        ({"old": OLD, "old_revision": "HEAD", "new": NEW}, "send no `old`"),
    ],
)
def test_refusals(sent: dict[str, object], said: str, folders: Folders) -> None:
    """Each says what to do instead."""
    answer = diff(folders, **sent)
    assert answer.is_error
    assert said in answer.text


def test_links_of_a_revision_are_not_followed(folders: Folders) -> None:
    """A link that was committed may lead out of the folder."""
    answer = diff(folders, old_path="link.acdl", old_revision="HEAD", new=NEW)
    assert "SECRET_TEXT" not in answer.text + answer.notes + str(answer.data)


@pytest.mark.parametrize("revision", ["HEAD", ":0", ":/x", "HEAD:page.md", "@{upstream}", "HEAD\0", "\ud800"])
def test_no_program_of_the_repository(revision: str, folders: Folders) -> None:
    """What a repository has in its settings for git is not run, whatever the revision; none is a fault."""
    told, program = folders.roots[0] / "told", folders.roots[0] / "program"
    program.write_text(f"#!/bin/sh\necho ran > '{told}'\n", "utf-8")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "diff.x.textconv", "filter.x.smudge", "core.pager"):
        subprocess.run(["git", "config", name, str(program)], cwd=folders.roots[0], check=True)
    (folders.roots[0] / ".gitattributes").write_text("*.acdl diff=x filter=x\n", "utf-8")
    answer = diff(folders, old_revision=revision, new_path="chat.acdl")
    assert answer.is_error is (revision != "HEAD")
    assert "no revision" in answer.text or not answer.is_error
    assert not told.exists()


def test_repository_in_a_folder(folders: Folders, tmp_path: Path) -> None:
    """A server for a folder of many repositories asks the one that has the file, also when its folder is gone."""
    outer = Folders((tmp_path.parent,))
    name = (folders.roots[0] / "chat.acdl").relative_to(tmp_path.parent).as_posix()
    assert "OLD_TEXT -> NEW_TEXT" in diff(outer, old_revision="HEAD", new_path=name).text
    (folders.roots[0] / "chat.acdl").unlink()
    assert "OLD_TEXT -> NEW_TEXT" in diff(outer, old_path=name, old_revision="HEAD", new=NEW).text


def test_no_repository(tmp_path: Path) -> None:
    """A folder that git does not keep."""
    (tmp_path / "chat.acdl").write_text(NEW, "utf-8")
    answer = diff(Folders((tmp_path,)), old_revision="HEAD", new_path="chat.acdl")
    assert answer.is_error
    assert answer.text.endswith("send the text itself instead")
