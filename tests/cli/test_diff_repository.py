"""`acdl diff` of odd repositories and folders: links, odd names, files that use others, pages with several specs."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.frontends.cli.main import main
from cli.repositories import Repository

SPEC = "P[@T]: {\n    S: RULES\n    U: env.q[@T]\n}\n"
OTHER = SPEC.replace("U:", "A:")
TWO = (
    "# Page\n\n```acdl\nP[@T]: {{ U: env.question[@T] A: {} }}\n```\n\n```acdl\n{}[@T]: {{ S: BE_BRIEF U: {} }}\n```\n"
)


@pytest.fixture
def repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with one spec."""
    made = Repository(folder, monkeypatch)
    made.write("a.acdl", SPEC)
    made.commit()
    return made


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> list[dict[str, Any]]:
    """What is told of each file."""
    assert main(["diff", *arguments, "--format", "json"]) == status
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["files"]
    return found


def test_links_are_not_followed(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """A pull request must not show files of the machine that compares it."""
    secret = repository.folder.parent / "secret.txt"
    secret.write_text("P[@T]: { U: HUNTER2 }\n")
    (repository.folder / "a.acdl").unlink()
    (repository.folder / "a.acdl").symlink_to(secret)
    (repository.folder / "new.acdl").symlink_to(secret)
    assert main(["diff", "--git", "HEAD"]) == 1
    said = capsys.readouterr().out
    assert said == "removed: a.acdl\n1 removed\n"
    repository.commit()
    assert [each["status"] for each in told(capsys, "--git", "HEAD~1..HEAD", status=1)] == ["removed"]


def test_a_folder_that_became_a_link(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """What lies behind it is not read either."""
    outside = repository.folder.parent / "outside"
    outside.mkdir()
    (outside / "b.acdl").write_text("P[@T]: { U: HUNTER2 }\n")
    repository.write("specs/b.acdl", SPEC)
    repository.commit()
    (repository.folder / "specs/b.acdl").unlink()
    (repository.folder / "specs").rmdir()
    (repository.folder / "specs").symlink_to(outside)
    (found,) = told(capsys, "--git", "HEAD", status=1)
    assert (found["status"], found["difference"]) == ("removed", None)


def test_a_link_that_is_as_it_was(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not a difference, and one that leads nowhere is none either."""
    (repository.folder / "link.acdl").symlink_to("a.acdl")
    (repository.folder / "nowhere.acdl").symlink_to("gone.acdl")
    repository.commit()
    assert told(capsys, "HEAD:.", ".", status=0) == []
    assert told(capsys, ".", ".", status=0) == []
    assert main(["diff", "HEAD:link.acdl", "link.acdl"]) == 0
    assert capsys.readouterr().out == "no difference\n"


def test_names_are_no_commands_of_a_terminal(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither in heads nor in the list of what was drawn."""
    name = "esc\x1b[31m\nb.acdl"
    repository.write(name, SPEC)
    repository.commit()
    repository.write(name, OTHER)
    assert main(["diff", "--git", "HEAD"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("--- HEAD:esc\ufffd[31m b.acdl\n+++ esc\ufffd[31m b.acdl\n")
    assert main(["diff", "--git", "HEAD", "--format", "svg", "-o", "figures"]) == 1
    assert capsys.readouterr().out == "figures/esc\ufffd[31m b.svg\n"


def test_every_figure_has_a_file_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever their files are called."""
    for side, text in (("old", SPEC), ("new", OTHER)):
        (folder / side).mkdir()
        for name in ("a-P.acdl", "c.acdl", "C.ACDL", "a.md-P.acdl"):
            (folder / side / name).write_text(text)
        (folder / side / "a.md").write_text(f"```acdl\n{text}```\n")
    assert main(["diff", "old", "new", "--format", "svg", "-o", "out"]) == 1
    made = capsys.readouterr().out.split()
    assert sorted(made) == ["out/C.svg", "out/a-P.svg", "out/a.md-P-2.svg", "out/a.md-P.svg", "out/c-2.svg"]
    assert len(list((folder / "out").iterdir())) == len(made)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--git", ""), "`--git` names no revision to compare with; is a variable empty? name one: `HEAD`"),
        (("--git", "...HEAD"), "`--git` names no revision before `...`"),
        (("--git", "..HEAD"), "`--git` names no revision before `..`"),
        (("--git", "HEAD", "b.acdl"), "`b.acdl` is on neither side; did you mean `a.acdl`?"),
        (("--git", "HEAD..HEAD", "far/away"), "`far/away` is on neither side; paths start at the working folder"),
        (("--git", "HEAD", "--", "a.acdl"), "paths follow BASE without `--`: `--git HEAD a.acdl`"),
        ((":a.acdl", "a.acdl"), ":a.acdl is in git's index, which is not read; name a commit: `HEAD:a.acdl`"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_nothing_is_not_compared(arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A check of nothing must not be green."""
    assert main(["diff", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_paths_of_either_side(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """One that is gone, one that git does not know yet, and folders in any spelling."""
    repository.write("specs/b.acdl", SPEC)
    repository.git("rm", "-q", "a.acdl")
    for path in ("a.acdl", "specs", "specs/", ".", str(repository.folder / "specs")):
        assert main(["diff", "--git", "HEAD", path, "--exit", "structure"]) == 1, path
    capsys.readouterr()


def test_a_bare_repository(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has no files as they are."""
    repository.write("a.acdl", OTHER)
    repository.commit()
    bare = repository.folder.parent / "bare.git"
    repository.git("clone", "-q", "--bare", str(repository.folder), str(bare))
    monkeypatch.chdir(bare)
    assert main(["diff", "--git", "HEAD"]) == 2
    assert "this repository is bare" in capsys.readouterr().err
    assert told(capsys, "--git", "HEAD..HEAD", "a.acdl", status=0) == []
    assert [each["status"] for each in told(capsys, "--git", "HEAD~1..HEAD", status=1)] == ["changed"]
    assert len(told(capsys, "HEAD~1:.", "HEAD:.", status=1)) == 1


def test_what_went_wrong_is_in_every_report(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Not only on standard error, which no comment has; and it counts as compared nowhere."""
    repository.git("mv", "a.acdl", "b.acdl")
    repository.write("c.acdl", SPEC.replace("P[", "Q[").replace("RULES", "WORDS"))
    repository.commit()
    (repository.folder / "c.acdl").write_bytes(b"\xff\xfe\xfa")
    bad, moved = told(capsys, "HEAD~1:.", ".", status=2)[::-1]
    assert (bad["problem"], bad["difference"]) == ("./c.acdl is not UTF-8 text: byte 0xff in line 1", None)
    assert (moved["status"], moved["problem"]) == ("renamed", None)
    summary = "1 renamed, 1 could not be compared; the messages cannot differ in the 1 that was compared"
    assert main(["diff", "HEAD~1:.", "."]) == 2
    assert capsys.readouterr().out.endswith(
        f"not compared: ./c.acdl is not UTF-8 text: byte 0xff in line 1\n{summary}\n"
    )
    assert main(["diff", "HEAD~1:.", ".", "--format", "markdown"]) == 2
    said = capsys.readouterr().out
    assert said.startswith(f"### Specs: {summary}\n")
    assert "| not compared | `c.acdl` | `./c.acdl is not UTF-8 text: byte 0xff in line 1` |" in said


def test_a_spec_of_a_page_that_was_renamed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is known by what it says, as files are."""
    for side, name, last in (("old", "Second", "env.hint[@T]"), ("new", "Third", "env.clue[@T]")):
        (folder / side).mkdir()
        (folder / side / "a.md").write_text(TWO.format("resp.answer[@T]", name, last))
    (found,) = told(capsys, "old", "new", status=1)
    assert (found["status"], found["old_block"], found["block"]) == ("renamed", "Second", "Third")
    assert {each["kind"] for each in found["difference"]["edits"]} == {"renamed", "changed"}
    assert main(["diff", "old", "new"]) == 1
    assert "renamed: a.md#Second → a.md#Third\n" in capsys.readouterr().out


def test_two_pages_spec_by_spec(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in folders, unless one spec is asked for."""
    (folder / "old.md").write_text(TWO.format("resp.answer[@T]", "Second", "env.x"))
    (folder / "new.md").write_text(TWO.format("resp.reply[@T]", "Second", "env.x"))
    (found,) = told(capsys, "old.md", "new.md", status=1)
    assert (found["old"], found["new"], found["block"]) == ("old.md", "new.md", "P")
    assert (found["status"], found["difference"]["old"]) == ("changed", "old.md")
    assert told(capsys, "old.md", "old.md", status=0) == []
    assert main(["diff", "old.md", "new.md", "--spec", "Second"]) == 0
    assert capsys.readouterr().out == "no difference\n"


PAGES = {
    "a.md": "```acdl\n{0}\n```\n\n```acdl\n{1}\n```\n",
    "b.mdx": "```acdl\n{0}\n```\n\n```acdl\n{1}\n```\n",
    "c.rst": ".. acdl::\n\n   {0}\n\n.. acdl::\n\n   {1}\n",
    "d.py": '"""A chat.\n\n.. acdl::\n\n   {0}\n\n.. acdl::\n\n   {1}\n"""\n',
}


def test_every_kind_of_page(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """In a repository, a revision, folders and as two files, each spec is compared with the one of its name."""
    for text, specs in (("HI", ("P", "Q")), ("HELLO", ("Q", "P"))):
        repository.commit()
        for name, page in PAGES.items():
            repository.write(f"docs/{name}", page.format(*(f"{each}[@T]: {{ U: {each}_{text} }}" for each in specs)))
            repository.write("docs/none.py", f"GREETING = '{text}'\n")
    expected = [(f"docs/{name}", spec) for name in PAGES for spec in "QP"]
    for arguments in (("--git", "HEAD"), ("HEAD:docs", "docs")):
        assert [(each["new"], each["block"]) for each in told(capsys, *arguments, status=1)] == expected
    assert told(capsys, "docs", "docs", status=0) == []
    assert [each["block"] for each in told(capsys, "HEAD:docs/b.mdx", "docs/b.mdx", status=1)] == ["Q", "P"]


def test_a_revision_has_what_a_folder_has(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Folders that a search skips are on neither side."""
    repository.write("acdl.toml", 'exclude = ["vendor", "b.acdl"]\n')
    for name in ("vendor/a.acdl", "sub/b.acdl", "node_modules/c.acdl", "sub/.hidden/d.acdl"):
        repository.write(name, OTHER)
    repository.commit()
    assert told(capsys, "HEAD:.", ".", status=0) == []
    assert [each["old"] for each in told(capsys, "HEAD:sub/.hidden", "sub", status=1)] == ["HEAD:sub/.hidden/d.acdl"]


def test_two_pages_that_send_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their names are not compared, so that the status is that of the messages."""
    loop = "ForEach(@t: range({}, @T)) {{ U: env.q[@t] }}"
    for name, start in (("a", 0), ("b", 1)):
        spec = "P[@T]: { S: RULES " + loop.format(start) + " }"
        (folder / f"{name}.md").write_text(f"```acdl\n{spec}\n```\n\n```acdl\nQ[@T]: {{ U: HI }}\n```\n")
    (folder / "a.state.yaml").write_text("acdl_state: 1\nspec: P\nat: 2\nenv: {q: {1: x}}\ntemplates: {RULES: r}\n")
    assert main(["diff", "a.md", "b.md", "--at", "2"]) == 0
    assert "the messages are the same at the only point tested\n" in capsys.readouterr().out


def test_a_page_that_became_a_spec(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A removed block is named by its old page."""
    for side in ("old", "new"):
        (folder / side).mkdir()
    (folder / "old/page.md").write_text(f"```acdl\n{SPEC}```\n")
    (folder / "new/a.acdl").write_text(SPEC)
    assert main(["diff", "old", "new"]) == 1
    assert capsys.readouterr().out == "added: a.acdl\nremoved: page.md#P\n1 added, 1 removed\n"


def test_settings_of_two_folders(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is the same text is read differently if ranges are."""
    for side, mode in (("old", "half-open"), ("new", "inclusive")):
        (folder / side).mkdir()
        (folder / side / "acdl.toml").write_text(f'range = "{mode}"\n')
        (folder / side / "a.acdl").write_text("P[@T]: { ForEach(@t: range(1, @T)) { U: env.q[@t] } }\n")
        (folder / side / "b.acdl").write_text(SPEC)
    (found,) = told(capsys, "old", "new", status=1)
    assert found["new"] == "new/a.acdl"
    assert not found["difference"]["equal_sent"]
    assert told(capsys, "old", "new", "--range", "inclusive", status=0) == []


def test_files_that_use_one_that_changed(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """What they send differs, though they say the same."""
    frag = "StrFrag Style[]: {{\n    {}\n}}\n"
    repository.write("sub/frag.acdl", frag.format("SHORT"))
    user = "// acdl: use sub/frag.acdl\nUser[@T]: { S: { Frag Style[] } }\n"
    repository.write("user.acdl", user)
    repository.write("link-user.md", f"```acdl\n{user.replace('User', 'OnPage')}```\n")
    repository.commit()
    assert told(capsys, "--git", "HEAD", status=0) == []
    repository.write("sub/frag.acdl", frag.format("LONG"))
    found = told(capsys, "--git", "HEAD", status=1)
    assert [(each["new"], each["block"]) for each in found] == [
        ("link-user.md", "OnPage"),
        ("sub/frag.acdl", None),
        ("user.acdl", None),
    ]
    assert not found[2]["difference"]["equal_sent"]
    assert [each["new"] for each in told(capsys, "--git", "HEAD", "user.acdl", status=1)] == ["user.acdl"]
    assert len(told(capsys, "HEAD:.", ".", status=1)) == len(found)
    repository.commit()
    assert len(told(capsys, "--git", "HEAD~1..HEAD", status=1)) == len(found)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What to do instead; and none is waited for."""
    os.mkfifo(folder / "pipe.acdl")
    (folder / "a.acdl").write_text(SPEC)
    assert main(["diff", "pipe.acdl", "a.acdl"]) == 2
    assert "is a device or a pipe, not a file; `-` reads what is sent to standard input" in capsys.readouterr().err
    assert main(["diff", ".", "."]) == 2
    assert "pipe.acdl is a device or a pipe, not a file" in capsys.readouterr().err
