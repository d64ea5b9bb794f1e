"""Where a project begins, what its settings leave out, and what its files are called."""

import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest

import acdl_mkdocs
from acdl_mkdocs.app import check as checking
from acdl_mkdocs.frontends.cli.main import main

PLAIN = "Chat[@T]: {\n    U: env.question[@T]\n}\n"
WRONG = "Chat[@T]: {\n    U: $x\n}\n"
SCHEMA = json.loads((Path(acdl_mkdocs.__file__).parent / "assets" / "diagnostic.schema.json").read_text("utf-8"))
Output = pytest.CaptureFixture[str]


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files and the folders above them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def check(capsys: Output, *arguments: str) -> tuple[int, str, str]:
    """Exit status and both outputs of `acdl check`."""
    status = main(["check", *arguments])
    return status, *capsys.readouterr()


@pytest.mark.parametrize("working", [".", "docs", "docs/deep"])
def test_settings_mark_a_project(working: str, folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with nothing but `acdl.toml` is a project from wherever a command runs."""
    write(folder, {"acdl.toml": "", "a.acdl": PLAIN, "docs/deep/page.md": "```acdl src=a.acdl\n```\n"})
    monkeypatch.chdir(folder / working)
    page = os.path.relpath(folder / "docs" / "deep" / "page.md")
    assert check(capsys, page) == (0, "", "no problems in 1 spec\n")


def test_settings_of_a_folder_mark_none(folder: Path, capsys: Output) -> None:
    """`acdl.toml` in a folder of a project says nothing about where that begins, as for the docs tool."""
    page = "```acdl src=a.acdl\n```\n"
    write(folder, {"mkdocs.yml": "", "a.acdl": PLAIN, "docs/acdl.toml": "", "docs/page.md": page})
    assert check(capsys, "docs")[0] == 0


@pytest.mark.parametrize(
    ("working", "shown"),
    [(".", "site/specs/{}.acdl"), ("site", "specs/{}.acdl"), ("site/docs", "../specs/{}.acdl")],
)
def test_names_from_here(
    working: str, shown: str, folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that blocks and comments name have paths that exist from the working folder."""
    use = "Chat[@T]: {\n    U: { Frag Hello[1] }\n}\n"
    write(
        folder,
        {
            "site/mkdocs.yml": "",
            "site/docs/page.md": f"```acdl src=specs/a.acdl\n```\n\n```acdl\n// acdl: use ../specs/b.acdl\n{use}```\n",
            "site/specs/a.acdl": WRONG,
            "site/specs/b.acdl": "StrFrag Hello[x, y]: { HI }\n",
        },
    )
    monkeypatch.chdir(folder / working)
    page = os.path.relpath(folder / "site" / "docs" / "page.md")
    status, out, _ = check(capsys, "--format", "json", page)
    assert status == 1
    files = {each["rule"]: each["file"] for each in map(json.loads, out.splitlines())}
    assert files["undefined-name"] == shown.format("a").replace("/", os.sep)
    assert files["fragment-argument-count"] == page
    assert shown.format("b") in check(capsys, page)[1]


@pytest.mark.parametrize("kind", ["up", "link"])
def test_excluded_however_it_is_reached(kind: str, folder: Path, capsys: Output) -> None:
    """What is left out stays so on a path with `..` and behind a symbolic link."""
    write(folder, {"in/acdl.toml": 'exclude = ["vendor"]\n', "in/a.acdl": PLAIN, "in/vendor/b.acdl": WRONG})
    path = os.path.join("in", "..", "in")
    if kind == "link":
        try:
            (folder / "link").symlink_to(folder / "in", target_is_directory=True)
        except OSError:
            pytest.skip("links are not allowed here")
        path = "link"
    assert check(capsys, path) == (0, "", "no problems in 1 spec\n")


def test_bad_settings_hide_their_folder_alone(folder: Path, capsys: Output) -> None:
    """The sentence is said once, and everything beside the folder is checked."""
    for words in ("rnage = 3\n", '[rules]\nunknown = "off"\n'):
        write(folder, {"a.acdl": WRONG, "bad/acdl.toml": words, "bad/x/b.acdl": WRONG, "c/d.acdl": WRONG})
        write(folder, {"bad/e.acdl": WRONG})
        status, out, err = check(capsys, "--format", "terminal", ".", "bad", "bad/e.acdl")
        assert status == 2
        assert [line.strip() for line in out.splitlines() if "-->" in line] == [
            "--> a.acdl:2:8",
            f"--> c{os.sep}d.acdl:2:8",
        ]
        assert err.count("acdl: ") == 1
        assert err.endswith("2 errors in 2 specs; others could not be checked\n")


@pytest.mark.parametrize("command", ["check", "format", "render"])
@pytest.mark.parametrize("argument", [".", "a.acdl"])
def test_wrong_rule(command: str, argument: str, folder: Path, capsys: Output) -> None:
    """Each command refuses a rule that does not exist."""
    write(folder, {"a.acdl": PLAIN, "acdl.toml": '[rules]\nnested-rule = "off"\n'})
    assert main([command, argument]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("there is no rule `nested-rule`; did you mean `nested-role`?") == 1


def test_each_file_once(folder: Path, capsys: Output) -> None:
    """A file that is named in several ways is checked once, under its first name."""
    write(folder, {"d.acdl": WRONG})
    status, out, err = check(capsys, "d.acdl", str(folder / "d.acdl"), "./d.acdl", ".", "../" + folder.name)
    assert (status, out.count("--> d.acdl:2:8"), err) == (1, 1, "1 error in 1 spec\n")


def test_unread_for_programs(folder: Path, capsys: Output) -> None:
    """What could not be read is a line of its own, valid for its readers."""
    write(folder, {"a.acdl": WRONG})
    assert check(capsys, "--format", "github", "a.acdl", "missing%file.acdl")[1].splitlines()[1:] == [
        "::error::missing%25file.acdl: does not exist"
    ]
    status, out, _ = check(capsys, "--format", "json", "a.acdl", "nowhere.acdl", "")
    found = [json.loads(line) for line in out.splitlines()]
    for each in found:
        jsonschema.validate(each, SCHEMA)
    assert status == 2
    assert [(each["rule"], each["file"]) for each in found[1:]] == [("unreadable", None), ("unreadable", None)]
    assert sorted(each["message"].partition(":")[0] for each in found[1:]) == [
        "an empty argument names no file; the working folder is `.`",
        "nowhere.acdl",
    ]


def test_folder_that_cannot_be_searched(folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told, and the others are searched."""
    write(folder, {"a/a.acdl": PLAIN, "b/b.acdl": PLAIN})
    scan = os.scandir

    def refuse(path: str) -> object:
        if Path(path).name == "a":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    status, _, err = check(capsys, ".")
    assert status == 2
    assert err == (
        f"acdl: .{os.sep}a: cannot be read: permission denied\nno problems in 1 spec; others could not be checked\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("form", ["terminal", "line", "json", "github", "sarif", "junit"])
def test_odd_names(form: str, folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that are not UTF-8, or have tabs and line ends, are checked, reported and kept as others are."""
    write(folder, {f"{number:02}.acdl": PLAIN for number in range(20)})
    write(folder, {"acdl.toml": "", "tab\tline\nend.acdl": WRONG})
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.acdl")).write_text(WRONG.replace("$x", "$y"))
    first = check(capsys, "--format", form, ".")
    assert first[0] == 1
    assert first[1].count("undefined-name") >= 2

    def fail(*_: object) -> None:
        pytest.fail("checked again")

    monkeypatch.setattr(checking, "examine_text", fail)
    assert check(capsys, "--format", form, ".") == first
