"""`acdl diff` of folders, of revisions of folders, and of commits."""

import json
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive
from jsonschema import Draft202012Validator

import acdl_mkdocs
from acdl_mkdocs.frontends.cli.main import main
from cli.repositories import Repository

ASSETS = Path(acdl_mkdocs.__file__).parent / "assets"
SCHEMA, FILES_SCHEMA = (
    json.loads((ASSETS / name).read_text("utf-8")) for name in ("diff.schema.json", "diff-files.schema.json")
)
SPEC = "P[@T]: {\n    S: RULES\n    U: env.q[@T]\n}\n"
OTHER = SPEC.replace("U:", "A:")
THIRD = "Third[@T]: {\n    T: sys.tool[@T].result\n    U: env.something_else[@T]\n}\n"
PAGE = "# Page\n\n```acdl\n{}```\n\n```acdl\nKept[@T]: {{ U: HI }}\n```\n"


@pytest.fixture
def repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository in which files changed, were renamed, came, went, and were only written otherwise."""
    made = Repository(folder, monkeypatch)
    for name, text in {
        "specs/a.acdl": SPEC,
        "specs/gone.acdl": THIRD,
        "specs/old name.acdl": SPEC.replace("P[", "Moved["),
        "specs/same.acdl": SPEC,
        "specs/spaces.acdl": SPEC,
        "page.md": PAGE.format(SPEC),
        "notes.txt": "x",
    }.items():
        made.write(name, text)
    made.commit()
    made.git("tag", "v1")
    made.write("specs/a.acdl", OTHER)
    made.git("mv", "specs/old name.acdl", "specs/new #name.acdl")
    made.git("rm", "-q", "specs/gone.acdl")
    made.write("specs/sub/came.acdl", "Came[@T]: { U: HELLO }\n")
    made.write("specs/spaces.acdl", SPEC.replace("    S", "        S"))
    made.write("page.md", PAGE.format(OTHER))
    made.write("notes.txt", "y")
    return made


def run(*arguments: str, status: int = 1) -> None:
    """Run the command."""
    assert main(["diff", *arguments]) == status


ALL = [
    ("changed", "specs/a.acdl"),
    ("renamed", "specs/new #name.acdl"),
    ("added", "specs/sub/came.acdl"),
    ("removed", "specs/gone.acdl"),
]


def listed(text: str) -> list[dict[str, Any]]:
    """What is told of each file as JSON."""
    document = json.loads(text)
    Draft202012Validator(FILES_SCHEMA).validate(document)
    found: list[dict[str, Any]] = document["files"]
    return found


def files(text: str) -> list[tuple[str, str]]:
    """Status and path of all that is told as JSON."""
    told = listed(text)
    return sorted((each["status"], (each["new"] or each["old"]).rpartition(":")[2]) for each in told)


@pytest.mark.parametrize(
    "sides",
    [("v1:specs", "specs"), ("v1:specs", "HEAD:specs"), ("--git", "v1", "specs"), ("--git", "v1..HEAD", "specs")],
)
def test_folders_and_revisions(
    sides: tuple[str, ...], repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever way the two sides are named, the same is found."""
    if "HEAD" in " ".join(sides):
        repository.commit()
    run(*sides, "--format", "json")
    said = capsys.readouterr().out
    assert files(said) == sorted(ALL)
    for each in listed(said):
        assert (each["difference"] is None) == (each["status"] in ("added", "removed"))
        if each["difference"] is not None:
            Draft202012Validator(SCHEMA).validate(each["difference"])


@pytest.mark.usefixtures("repository")
def test_pages_block_by_block(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the spec that changed, by its name."""
    run("--git", "HEAD", "page.md", "--format", "json")
    (found,) = listed(capsys.readouterr().out)
    assert (found["block"], found["status"], found["new"]) == ("P", "changed", "page.md")
    assert found["difference"]["edits"][0]["kind"] == "role"
    assert found["difference"]["edits"][0]["new"]["start"]["line"] == 6


@pytest.mark.usefixtures("repository")
def test_what_is_told_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Every file, and a sentence about all of them."""
    run("--git", "HEAD", "specs")
    said = capsys.readouterr().out
    assert "--- HEAD:specs/a.acdl\n+++ specs/a.acdl\n" in said
    assert "\n\nrenamed: specs/old name.acdl → specs/new #name.acdl\nno difference\n\n" in said
    assert "specs/spaces.acdl" not in said
    last = "1 changed, 1 renamed, 1 added, 1 removed; the messages can differ in 1"
    assert said.endswith(f"\nadded: specs/sub/came.acdl\nremoved: specs/gone.acdl\n{last}\n")


def test_one_comment(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """For a pull request: all files in one text."""
    repository.write("specs/@you.acdl", SPEC)
    run("--git", "HEAD", "specs", "--format", "markdown", "-o", "comment.md")
    assert capsys.readouterr().out == ""
    text = (repository.folder / "comment.md").read_text()
    assert text.startswith("### Specs: 1 changed, 1 renamed, 2 added, 1 removed; the messages can differ in 1\n")
    assert text.count("\n#### ") == 2
    assert "| added | `specs/@you.acdl` |" in text
    run("specs", "specs", "--format", "markdown", status=0)
    assert capsys.readouterr().out == "### Specs: no spec changed\n"


@exhaustive
def test_a_comment_keeps_within_its_limit(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever has no room is counted."""
    for number in range(300):
        repository.write(f"specs/n{number}.acdl", SPEC.replace("RULES", f"RULES_{number}"))
    repository.commit()
    for number in range(300):
        repository.write(f"specs/n{number}.acdl", OTHER.replace("RULES", f"OTHERS_{number}"))
    run("--git", "HEAD", "specs", "--format", "markdown")
    said = capsys.readouterr().out
    assert len(said) <= 65_536
    assert "had no room here" in said


@pytest.mark.parametrize("format", ["svg", "html"])
def test_figures_of_each_pair(format: str, repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """A file for each spec that changed, in the folder that is named."""
    run("--git", "HEAD", "--format", format, "-o", "figures")
    made = capsys.readouterr().out.split("\n")[:-1]
    assert made == [f"figures/page.md-P.{format}", f"figures/specs/a.{format}"]
    assert all((repository.folder / name).read_text().startswith("<") for name in made)
    run("--git", "HEAD", "--format", format, status=2)
    assert "of several files needs a folder: `-o FOLDER`" in capsys.readouterr().err


def test_from_inside_of_a_folder(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names are those from the working folder."""
    monkeypatch.chdir(repository.folder / "specs")
    repository.git("config", "diff.relative", "true")
    run("--git", "HEAD", "--format", "json")
    names = [name for _, name in files(capsys.readouterr().out)]
    assert sorted(names) == ["../page.md", "a.acdl", "gone.acdl", "new #name.acdl", "sub/came.acdl"]


def test_what_a_branch_changed(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Three dots leave out what happened on the other branch since."""
    repository.git("checkout", "-q", "-b", "work")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("specs/same.acdl", OTHER)
    repository.commit()
    run("--git", "main...work", "specs", "--format", "json")
    assert files(capsys.readouterr().out) == sorted(ALL)
    run("--git", "main..work", "specs", "--format", "json")
    assert ("changed", "specs/same.acdl") in files(capsys.readouterr().out)


def test_what_is_sent_with_the_states_beside(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """`--at` takes the state beside each spec; one without a state is told."""
    repository.write("specs/a.state.yaml", "acdl_state: 1\nenv: {q: {1: Why?}}\ntemplates: {RULES: Be brief.}\n")
    repository.write("specs/spaces.acdl", OTHER)
    run("--git", "HEAD", "specs/a.acdl", "specs/spaces.acdl", "--at", "1", "--format", "json", "--tokens", "none")
    captured = capsys.readouterr()
    first, second = listed(captured.out)
    assert first["difference"]["sent"] is not None
    assert second["difference"]["sent"] is None
    assert "there is no state beside specs/spaces.acdl" in captured.err


def test_a_state_of_another_spec(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """It is reported, and all other files are compared."""
    state = "acdl_state: 1\nenv: {q: {1: Why?}}\ntemplates: {RULES: Be brief.}\n"
    repository.write("specs/a.state.yaml", f"spec: Gone\n{state}")
    repository.write("specs/spaces.state.yaml", state)
    repository.write("specs/spaces.acdl", OTHER)
    run("--git", "HEAD", "specs/a.acdl", "specs/spaces.acdl", "--at", "1", "--format", "json", "--tokens", "none")
    captured = capsys.readouterr()
    first, second = listed(captured.out)
    assert first["difference"]["sent"] is None
    assert second["difference"]["sent"] is not None
    assert "specs/a.acdl has no spec `Gone`; there are `P`\n" in captured.err


def test_the_exit_status(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that was only renamed is a difference of structure, and none of what is sent."""
    run("v1:specs", "v1:specs", status=0)
    run("--git", "HEAD", "specs/spaces.acdl", status=0)
    paths = ("specs/old name.acdl", "specs/new #name.acdl")
    run("--git", "HEAD", *paths, status=1)
    run("--git", "HEAD", *paths, "--exit", "sent", status=0)
    (repository.folder / "specs/a.acdl").write_bytes(b"\xff\xfe\xfa")
    run("--git", "HEAD", "specs/a.acdl", status=2)
    assert "specs/a.acdl" in capsys.readouterr().err


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--git", "nothing"), "no revision `nothing`"),
        (("--git", "--", "a"), None),
        (("--git=-x",), "`-x` is not a revision: it begins with `-`"),
        (("specs", "page.md"), "one of these is not a folder"),
        (("v1:specs", "specs/a.acdl"), "one of these is not a folder"),
        (("a", "--git", "HEAD"), "`--git` says both sides"),
        (("specs", "v1:specs", "--state", "a.yaml"), "`--at` takes the state beside each spec"),
        (("--git", "HEAD", "/"), "git cannot compare these"),
    ],
)
def test_what_cannot_be_done(arguments: tuple[str, ...], said: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    """Said with what to do."""
    if said is None:
        with pytest.raises(SystemExit):
            main(["diff", *arguments])
        return
    run(*arguments, status=2)
    assert said in capsys.readouterr().err


def test_two_sides_are_needed_without_git(capsys: pytest.CaptureFixture[str]) -> None:
    """As before."""
    with pytest.raises(SystemExit):
        main(["diff", "a.acdl"])
    assert "the following arguments are required: NEW" in capsys.readouterr().err
