"""Repositories of strangers: no program that one names in its settings is run, and nothing is asked of other hosts."""

import subprocess
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main

_PROGRAMS = (
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.mine.command",
    "diff.mine.textconv",
    "filter..clean",
    "filter.mine.clean",
    "filter.mine.process",
    "filter.mine.smudge",
    "gpg.program",
    "pager.diff",
    "pager.grep",
)
"""Settings of git that name a program."""
_LINES = {
    "a file and its revision": ("diff", "HEAD~1:a.acdl", "a.acdl"),
    "files as they are": ("diff", "--git", "HEAD"),
    "two commits": ("diff", "--git", "HEAD~1..HEAD"),
    "a branch": ("diff", "--git", "HEAD~1...HEAD"),
    "a folder": ("diff", "HEAD~1:.", "."),
    "no such revision": ("diff", "--git", "@{upstream}"),
    "a page": ("diff", "HEAD:page.md", "page.md"),
}


def _git(folder: Path, *arguments: str, is_checked: bool = True) -> str:
    asked = ("git", *arguments)
    told = subprocess.run(asked, cwd=folder, check=is_checked, capture_output=True, text=True, timeout=600)
    return told.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits and files that were edited since; every program that git can be told of leaves a file behind."""
    folder = tmp_path / "cloned"
    folder.mkdir()
    monkeypatch.chdir(folder)
    _git(folder, "init", "-q", "-b", "main")
    for words in ("one", "two"):
        (folder / "a.acdl").write_text(f"A[@T]: {{ U: env.{words}[@T] }}\n")
        (folder / "page.md").write_text(f"```acdl\nA[@T]: {{ U: env.{words}[@T] }}\n```\n")
        _git(folder, "add", "-A")
        _git(folder, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", words)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/run'\ncat\n")
    program.chmod(0o755)
    for name in _PROGRAMS:
        _git(folder, "config", name, str(program))
    (folder / ".gitattributes").write_text("*.acdl diff=mine filter=mine\npage.md diff=mine filter=\n")
    for name in ("a.acdl", "page.md"):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("two", "six"))  # of the same length, so that git has to read it
    return folder


def test_git_would_run_them(repository: Path) -> None:
    """What is set is run by git itself: so the next test can fail."""
    _git(repository, "diff", "HEAD", is_checked=False)
    assert (repository.parent / "run").exists()


def test_nothing_is_run(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is compared."""
    for what, line in _LINES.items():
        status = main(line)
        said = capsys.readouterr()
        assert status == (2 if what == "no such revision" else 1), (what, said.err)
        assert not (repository.parent / "run").exists(), what


def test_a_program_that_cannot_be_replaced(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Git takes no other value for a name with `=`: nothing is compared then, and the setting is named."""
    _git(repository, "config", "filter.a=b.clean", str(repository.parent / "program"))
    (repository / ".gitattributes").write_text("*.acdl filter=a=b\n")
    assert main(["diff", "--git", "HEAD"]) == 2
    assert "`filter.a=b`" in capsys.readouterr().err
    assert not (repository.parent / "run").exists()


@pytest.mark.parametrize("address", ["ext::{program}", "ssh://host.example/a"])
def test_missing_parts_are_not_fetched(address: str, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A repository that has only some of its parts names a program that gets the others."""
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch '{repository.parent}/run'\n")  # one that reads would wait for git
    blob = _git(repository, "rev-parse", "HEAD~1:a.acdl")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": address.format(program=program),
        "protocol.ext.allow": "always",
        "protocol.ssh.allow": "always",
    }.items():
        _git(repository, "config", name, value)
    for line in (_LINES["a file and its revision"], _LINES["two commits"], _LINES["a folder"]):
        assert main(line) == 2
        assert not (repository.parent / "run").exists()
    assert "is not in this repository" in capsys.readouterr().err
    _git(repository, "cat-file", "-s", blob, is_checked=False)
    assert (repository.parent / "run").exists()
