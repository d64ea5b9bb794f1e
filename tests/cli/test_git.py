"""`acdl git`: real git shows specs by it, and goes on whatever happens."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.git_driver import show_pair
from acdl_mkdocs.frontends.cli.git_setup import LINE, git_settings
from acdl_mkdocs.frontends.cli.main import main
from cli.repositories import Repository

SPEC = "P[@T]: {\n    S: RULES\n    U: env.q[@T]\n}\n"
OTHER = SPEC.replace("U:", "A:")


@pytest.fixture
def repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with a spec, in which git was set up."""
    made = Repository(folder, monkeypatch)
    made.write("a.acdl", SPEC)
    made.commit()
    assert main(["git", "setup", "--attributes"]) == 0
    made.commit()
    return made


def test_git_diff_says_what_changed(repository: Repository) -> None:
    """In the words of specs, not of lines."""
    repository.write("a.acdl", OTHER)
    said = repository.git("diff")
    assert said == (
        "diff --git a/a.acdl b/a.acdl\n--- a/a.acdl\n+++ b/a.acdl\nP[@T]\n"
        "  ~ 3:5 -> 3:5  A\n      role: user -> assistant\n1 change: the messages can differ\n"
    )
    assert "@@" not in said
    repository.write("a.acdl", SPEC.replace("    S", "  S"))
    assert repository.git("diff").splitlines()[-1] == "no difference"


def test_added_removed_and_renamed_files(repository: Repository) -> None:
    """Each side may be missing, and a renamed file has nine words."""
    repository.git("mv", "a.acdl", "b c.acdl")
    repository.write("b c.acdl", f"{SPEC}\n// one more\nQ[@T]: {{ U: HI }}\n")
    repository.write("new.acdl", "N[@T]: { U: HO }\n")
    repository.commit()
    said = repository.git("log", "-p", "-M", "--ext-diff", "-1")
    assert "diff --git a/a.acdl b/b c.acdl\nsimilarity index" in said
    assert "rename from a.acdl\nrename to b c.acdl\n" in said
    assert "diff --git a/new.acdl b/new.acdl\nnew file mode 100644\n" in said
    repository.git("rm", "-q", "new.acdl")
    assert "deleted file mode 100644\n" in repository.git("diff", "--cached")
    assert repository.git("log", "-p", "--ext-diff").count("diff --git") == 4


@pytest.mark.parametrize("text", ["P[@T]: {\n", "{{{", "", "\x00\x01", "U: half \udcff", "x" * 3_000])
def test_git_goes_on_whatever_a_file_says(text: str, repository: Repository) -> None:
    """What is not a spec is compared line by line."""
    (repository.folder / "a.acdl").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert repository.git("diff").startswith("diff --git a/a.acdl b/a.acdl\n")
    repository.commit()
    assert "diff --git" in repository.git("log", "-p", "--ext-diff")


@pytest.mark.parametrize(
    "name", ["-x.acdl", "--output=evil.acdl", "a b.acdl", "ä.acdl", "a'b$(touch gone).acdl", ";.acdl"]
)
def test_odd_names(name: str, repository: Repository) -> None:
    """A name is a name, not an option and no command."""
    repository.write(name, SPEC)
    repository.commit()
    repository.write(name, OTHER)
    assert "user -> assistant" in repository.git("diff")
    assert not (repository.folder / "gone").exists()
    assert not (repository.folder / "evil.acdl").exists()


def test_a_merge_that_is_not_solved(repository: Repository) -> None:
    """Git gives one word then."""
    repository.git("checkout", "-q", "-b", "other")
    repository.write("a.acdl", OTHER)
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("a.acdl", SPEC.replace("env.q", "env.x"))
    repository.commit()
    repository.git("merge", "-q", "other", status=1)
    assert "* Unmerged path a.acdl" in repository.git("diff", "--cached")


def test_a_program_that_is_gone(repository: Repository) -> None:
    """Lines are compared then."""
    value = git_settings()["diff.acdl.command"].replace(sys.executable, "/nowhere/python")
    assert "/nowhere/python" in value
    repository.git("config", "diff.acdl.command", value)
    repository.write("a.acdl", OTHER)
    said = repository.git("diff")
    assert "--- a/a.acdl" in said
    assert "-    U: env.q[@T]\n+    A: env.q[@T]\n" in said


def test_modules_of_the_repository_are_not_run(repository: Repository) -> None:
    """A repository of somebody else may have files that are called like modules of Python."""
    for name in ("argparse.py", "acdl_mkdocs.py", "acdl_mkdocs/__main__.py", "json.py"):
        repository.write(name, "raise SystemExit(open('gone', 'w').write('x'))\n")
    repository.write("a.acdl", OTHER)
    assert "user -> assistant" in repository.git("diff")
    assert not (repository.folder / "gone").exists()


def test_git_difftool(repository: Repository) -> None:
    """One pair after the other, also of files that came or went, and of files that are not specs."""
    (repository.folder / ".gitattributes").unlink()  # else git shows specs itself, as in `git diff`
    repository.write("b.acdl", SPEC)
    repository.write("n.py", "x = 1\n")
    repository.commit()
    repository.write("a.acdl", OTHER)
    repository.write("c.acdl", "Other[@T]: { T: sys.tool[@T].result }\n")
    repository.write("n.py", "x = 2\n")
    (repository.folder / "b.acdl").unlink()
    repository.git("add", "-N", "c.acdl")
    said = repository.git("difftool", "--no-prompt", "-t", "acdl")
    assert said.startswith("diff --git a/a.acdl b/a.acdl\n--- a/a.acdl\n+++ b/a.acdl\nP[@T]\n")
    assert "user -> assistant" in said
    assert "diff --git a/b.acdl b/b.acdl\n--- a/b.acdl\n+++ b/b.acdl\nat the top level\n  - 1:1  P[@T]: {" in said
    assert "--- a/c.acdl\n+++ b/c.acdl\nat the top level\n  + 1:1  Other[@T]: {" in said
    assert "-x = 1\n+x = 2\n" in said
    assert "user -> assistant" in repository.git("difftool", "--no-prompt", "-d", "-t", "acdl")


def test_git_difftool_called_by_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    """It says what it is for."""
    assert main(["git", "difftool", "a", "b"]) == 0
    assert capsys.readouterr().err == "acdl: `git difftool` calls this with three words; see `acdl git setup`\n"


def test_a_setting_of_somebody_else_is_kept(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Taken back is only what this program has set."""
    repository.git("config", "diff.acdl.command", "mine")
    assert main(["git", "setup", "--remove"]) == 0
    assert "diff.acdl.command is kept, since it is not of this program: mine\n" in capsys.readouterr().out
    assert repository.git("config", "diff.acdl.command") == "mine\n"
    repository.git("config", "difftool.acdl.cmd", status=1)


def test_a_setup_can_be_done_again_and_taken_back(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """The second time nothing changes; afterwards nothing is left."""
    attributes = repository.folder / ".gitattributes"
    before = attributes.read_text(), (repository.folder / ".git/config").read_text()
    assert main(["git", "setup", "--attributes"]) == 0
    assert (attributes.read_text(), (repository.folder / ".git/config").read_text()) == before
    assert capsys.readouterr().out.count("# as it is") == 2
    attributes.write_text(f"*.png binary\n{LINE}\n*.sh eol=lf")
    assert main(["git", "setup", "--remove", "--attributes"]) == 0
    assert attributes.read_text() == "*.png binary\n*.sh eol=lf"
    assert "acdl.c" not in repository.git("config", "--list")
    assert main(["git", "setup", "--remove"]) == 0
    assert "diff.acdl.command is not set" in capsys.readouterr().out
    repository.write("a.acdl", OTHER)
    assert "@@" in repository.git("diff")


def test_line_ends_of_attributes(repository: Repository) -> None:
    """All other lines of the file stay, to the byte."""
    attributes = repository.folder / ".gitattributes"
    attributes.write_bytes(b"*.png binary\r\n*.sh eol=lf\r\n")
    assert main(["git", "setup", "--attributes"]) == 0
    assert attributes.read_bytes() == f"*.png binary\r\n*.sh eol=lf\r\n{LINE}\r\n".encode()
    assert main(["git", "setup", "--remove", "--attributes"]) == 0
    assert attributes.read_bytes() == b"*.png binary\r\n*.sh eol=lf\r\n"
    assert main(["playbook", "merge", "--setup"]) == 0
    assert attributes.read_bytes().startswith(b"*.png binary\r\n*.sh eol=lf\r\n")
    assert attributes.read_bytes().count(b"\n") == attributes.read_bytes().count(b"\r\n") > len(("png", "sh"))


def test_only_told(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--print` nothing is done, and without `--attributes` no file of the repository is touched."""
    repository = Repository(folder, monkeypatch)
    before = (folder / ".git/config").read_text()
    assert main(["git", "setup", "--attributes", "--print"]) == 0
    assert (folder / ".git/config").read_text() == before
    assert not (folder / ".gitattributes").exists()
    said = capsys.readouterr().out
    assert f"{folder / '.gitattributes'}: add `{LINE}`" in said
    assert "git config --local diff.acdl.command '" in said
    assert main(["git", "setup"]) == 0
    assert not (folder / ".gitattributes").exists()
    assert "(`--attributes` does that too)" in capsys.readouterr().out
    assert repository.git("config", "difftool.acdl.cmd")


def test_every_repository(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The settings of the person, and the attributes of all repositories."""
    repository = Repository(folder, monkeypatch)
    assert main(["git", "setup", "--global", "--attributes"]) == 0
    assert (repository.home / "git/attributes").read_text() == f"{LINE}\n"
    assert "diff" not in (folder / ".git/config").read_text()
    repository.write("a.acdl", SPEC)
    repository.commit()
    repository.write("a.acdl", OTHER)
    assert "user -> assistant" in repository.git("diff")
    capsys.readouterr()
    repository.git("config", "--global", "diff.acdl.command", "other")
    assert main(["git", "setup", "--global"]) == 0
    assert "# instead of other" in capsys.readouterr().out


def test_no_repository_and_no_git(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Said in a sentence."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    assert main(["git", "setup"]) == 2
    assert "not a git repository" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(folder))
    assert main(["git", "setup"]) == 2
    assert capsys.readouterr().err == "acdl: git is not installed\n"


@pytest.mark.parametrize("words", [("git", "setup"), ("playbook", "merge", "--setup")])
def test_settings_that_cannot_be_written(
    words: tuple[str, ...], repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    """Git's reason is shown, and no cure for something else."""
    repository.git("config", "--unset", "diff.acdl.command")
    (repository.folder / ".git" / "config.lock").touch()
    assert main([*words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("acdl: git: could not lock config file .git/config: ")
    assert "run this in a repository" not in said


def test_colors_where_git_has_a_pager(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Git says so in the environment."""
    (folder / "old").write_text(SPEC)
    (folder / "new").write_text(OTHER)
    words = ["a.acdl", "old", "1" * 40, "100644", "new", "2" * 40, "100755"]
    assert show_pair(words, "auto") == 0
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    assert "old mode 100644\nnew mode 100755\n" in plain
    monkeypatch.setenv("GIT_PAGER_IN_USE", "true")
    assert show_pair(words, "auto") == 0
    assert "\x1b[1mdiff --git" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert show_pair(words, "auto") == 0
    assert capsys.readouterr().out == plain


def test_called_by_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    """It says what it is for."""
    assert main(["git", "driver"]) == 0
    assert capsys.readouterr().err == "acdl: git calls this with seven words or more; see `acdl git setup`\n"


def test_the_shell_is_a_plain_one() -> None:
    """Git runs the command with `sh`, which may be dash."""
    shell = shutil.which("dash") or "/bin/sh"
    done = subprocess.run([shell, "-n", "-c", git_settings()["diff.acdl.command"]], check=False, env=os.environ)
    assert done.returncode == 0
