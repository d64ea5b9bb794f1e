"""`acdl check` on many files: settings of their folders, fragments of others, what is known from the last run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.app import check as checking
from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.workspace.examine import examine_text

USE = "Chat[@T]: { U: { Frag Greeting[@T] } }\n"
FRAGMENT = "StrFrag Greeting[@t]: { HELLO(env.name[@t]) }\n"
PLAIN = "Chat[@T]: { U: env.question[@T] }\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    """A project's folder, in which commands run."""
    (folder / "acdl.toml").write_text("")
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files and the folders above them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit status and output of `acdl check`."""
    status = main(["check", *arguments])
    return status, capsys.readouterr().out


def test_fragments_of_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that are checked together share their fragments; a file alone does not have those of others."""
    write(folder, {"a.acdl": USE, "lib/b.acdl": FRAGMENT + PLAIN.replace("Chat", "Other")})
    assert check(capsys, "a.acdl", "lib") == (0, "")
    assert "unknown-fragment" in check(capsys, "a.acdl")[1]
    assert "unused-fragment" in check(capsys, "lib")[1]


def test_fences_use_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A fence may use what a file defines, and a fragment that a fence defines counts as used."""
    write(folder, {"page.md": f"```acdl\n{USE}```\n", "b.acdl": FRAGMENT + PLAIN.replace("Chat", "Other")})
    assert check(capsys, ".") == (0, "")


def test_fragments_without_frag(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word that a file or another page defines as a fragment lacks its `Frag`, whatever else the text uses."""
    write(
        folder,
        {
            "a.acdl": "Chat[@T]: { U: { Greeting[@T] // Comment and env.Field\n Turn } }\n",
            "b.acdl": f"{FRAGMENT}StrFrag Comment: {{ A }}\nStrFrag Field: {{ A }}\n",
            "page.md": "```acdl\nStrFrag Turn: { HI }\n```\n",
        },
    )
    out = check(capsys, ".")[1]
    assert re.findall(r"warning\[([^]]*)\]: `(\w*)`", out) == [("missing-frag", "Greeting"), ("missing-frag", "Turn")]
    assert "not as that of b.acdl:1" in out
    assert "not as that of page.md:2" in out


def test_nearest_definition(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the page defines comes before other files; two files that define the same name are a doubt."""
    other = FRAGMENT.replace("HELLO", "GOOD_EVENING")
    write(folder, {"page.md": f"```acdl\n{USE}```\n\n```acdl\n{FRAGMENT}```\n", "b.acdl": other})
    assert "ambiguous-fragment" not in check(capsys, ".")[1]
    write(folder, {"page.md": f"```acdl\n{USE}```\n", "c.acdl": FRAGMENT})
    _, out = check(capsys, ".")
    assert "ambiguous-fragment" in out
    assert "b.acdl:1 or c.acdl:1?" in out
    write(folder, {"b.acdl": FRAGMENT})
    assert "ambiguous-fragment" not in check(capsys, ".")[1]


def test_named_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`// acdl: use` names a file from the folder of its own, also in turn, and wins over other files."""
    write(
        folder,
        {
            "specs/a.acdl": '// acdl: use ../lib/b.acdl, use "../lib/with blank.acdl"\n' + USE,
            "lib/b.acdl": "// acdl: use c.acdl\nStrFrag Greeting[@t]: { Frag Deep[@t] }\n",
            "lib/c.acdl": "StrFrag Deep[@t]: { HELLO }\n",
            "lib/with blank.acdl": "StrFrag Blank[@t]: { HELLO }\n",
            "x.acdl": FRAGMENT,
        },
    )
    assert check(capsys, "specs") == (0, "")
    assert check(capsys, ".") == (0, "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lib.acdl", "the file `lib.acdl` does not exist"),
        ("lbi/b.acdl", "the file `lbi/b.acdl` does not exist"),
        ("../../../etc/hosts", "lies outside the project"),
        ("lib", "the file `lib` is a folder"),
    ],
)
def test_named_files_that_cannot_be_read(
    name: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The place is that of the name in the comment."""
    write(folder, {"a.acdl": f"{PLAIN}// acdl: use {name}\n", "lib/b.acdl": FRAGMENT})
    status, out = check(capsys, "a.acdl")
    assert status == 1
    assert said in out
    assert "a.acdl:2:14" in out


def test_cycle_over_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fragments that use each other over several files are found in each of them."""
    write(
        folder,
        {
            "a.acdl": "StrFrag One[@t]: { Frag Two[@t] }\n" + USE.replace("Greeting", "One"),
            "b.acdl": "StrFrag Two[@t]: { Frag Three[@t] }\n",
            "c.acdl": "StrFrag Three[@t]: { Frag One[@t] }\n",
        },
    )
    assert check(capsys, ".")[0] == 1
    for name, arrows in (("a", "One → Two → Three → One"), ("b", "Two → Three → One → Two")):
        _, out = check(capsys, f"{name}.acdl", "a.acdl", "b.acdl", "c.acdl")
        assert out.count(f"--> {name}.acdl:1") == 1
        assert f"the cycle is {arrows}" in out


def test_settings_of_each_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file has the settings of the nearest folder that has any; the command line wins over `range`."""
    history = "Chat[@T]: { ForEach(t: range(1, @T-1)) { U: env.question[@t] } }\n"
    write(
        folder,
        {
            "a.acdl": history,
            "in/a.acdl": history,
            "in/acdl.toml": 'range = "inclusive"\n',
            "off/a.acdl": history,
            "off/pyproject.toml": '[tool.acdl.rules]\nrange-excludes-current = "off"\n',
            "hard/a.acdl": history,
            "hard/acdl.toml": '[rules]\nrange-excludes-current = "error"\n',
        },
    )
    status, out = check(capsys, "--format", "json", ".")
    assert status == 1
    assert [line.partition('"file": "')[2].partition('"')[0] for line in out.splitlines()] == ["a.acdl", "hard/a.acdl"]
    assert check(capsys, "--range", "inclusive", ".") == (0, "")


def test_excluded_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Folders are searched without what the settings leave out; a file that is named is checked in any case."""
    write(folder, {"vendor/a.acdl": "Chat[@T]: {\n", "b.acdl": PLAIN, "acdl.toml": 'exclude = ["vendor"]'})
    assert check(capsys, ".") == (0, "")
    assert check(capsys, "vendor/a.acdl")[0] == 1


def test_shown_files_are_told_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with a file is said once, however many blocks show it; a block that names no spec of it is told."""
    write(
        folder,
        {"a.acdl": "Chat[@T]: { U: $x }\n", "page.md": "```acdl src=a.acdl\n```\n\n```acdl src=a.acdl#Caht\n```\n"},
    )
    assert check(capsys, ".")[1].count("error[undefined-name]") == 2
    assert check(capsys, "page.md")[1].count("error[undefined-name]") == 2
    write(folder, {"page.md": "```acdl src=a.acdl\n```\n\n```acdl src=a.acdl#Chat\n```\n"})
    assert check(capsys, ".")[1].count("error[undefined-name]") == 1
    assert check(capsys, "page.md")[1].count("error[undefined-name]") == 1


def test_unsafe_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--unsafe` means nothing without `--fix`, and says so."""
    write(folder, {"a.acdl": PLAIN})
    assert main(["check", "--unsafe", "a.acdl"]) == 2
    assert capsys.readouterr().err == "acdl: --unsafe needs --fix: alone it changes nothing\n"


def test_wrong_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistake in the settings is said once, with its cure, and the command fails."""
    write(folder, {"acdl.toml": '[rules]\nunused-nmae = "off"\n', "a.acdl": PLAIN, "b.acdl": PLAIN})
    assert main(["check", "a.acdl", "b.acdl"]) == 2
    assert capsys.readouterr().err.count("there is no rule `unused-nmae`; did you mean `unused-name`?") == 1
    write(folder, {"acdl.toml": "rnage = 1\n"})
    assert main(["check", "."]) == 2
    assert "did you mean `range`?" in capsys.readouterr().err


def many(folder: Path, count: int = 30) -> None:
    """Write so many files that what was found in them is kept."""
    write(folder, {f"specs/{number:03}.acdl": PLAIN.replace("Chat", f"Chat{number}") for number in range(count)})


def test_what_did_not_change_is_not_checked(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run says the same and examines nothing; a change of a text, of a fragment or of a setting counts."""
    many(folder)
    write(folder, {"use.acdl": USE, "bad.acdl": "Chat[@T]: {\n    U: $nothing\n    user: env.a\n}\n"})
    examined: list[str] = []

    def counting(text, *rest):  # type: ignore[no-untyped-def]
        examined.append(text.source.name)
        return examine_text(text, *rest)

    monkeypatch.setattr(checking, "examine_text", counting)
    first = check(capsys, ".")
    assert "undefined-name" in first[1]
    assert "unknown-fragment" in first[1]
    assert len(examined) == 32
    examined.clear()
    assert check(capsys, ".") == first
    assert examined == []
    write(folder, {"specs/greeting.acdl": FRAGMENT})
    assert "unknown-fragment" not in check(capsys, ".")[1]
    assert sorted(examined) == ["specs/greeting.acdl", "use.acdl"]
    examined.clear()
    write(folder, {"acdl.toml": '[rules]\nundefined-name = "off"\n'})
    assert "undefined-name" not in check(capsys, ".")[1]
    assert len(examined) == 33
    (folder / "use.acdl").unlink()
    check(capsys, ".")
    assert "use.acdl" not in (project_cache(folder) / "check.txt").read_text()


def test_cache_is_that_of_the_project(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names files from the project's folder, wherever a command runs, and follows a file to its new name."""
    many(folder)
    check(capsys, ".")
    path = project_cache(folder) / "check.txt"
    first = path.read_bytes()
    monkeypatch.chdir(folder / "specs")
    check(capsys, ".")
    check(capsys, str(folder))
    assert path.read_bytes() == first
    (folder / "specs" / "000.acdl").rename(folder / "specs" / "new.acdl")
    check(capsys, ".")
    assert '"specs/new.acdl"' in path.read_text()
    assert '"specs/000.acdl"' not in path.read_text()


def test_unfinished_caches_are_deleted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a run left that was killed while it wrote goes away; other files stay."""
    many(folder)
    caches = project_cache(folder)
    write(caches, {"old.tmp": "", "young.tmp": ""})
    os.utime(caches / "old.tmp", (0, 0))
    check(capsys, ".")
    assert sorted(each.name for each in caches.iterdir()) == [
        "check.txt",
        "project.txt",
        "young.tmp",
    ]


@pytest.mark.parametrize("damage", [b"", b"x", b"\xff\n"])
def test_damaged_cache(damage: bytes, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not what was written counts as absent."""
    many(folder)
    write(folder, {"bad.acdl": "Chat[@T]: {\n"})
    first = check(capsys, ".")
    path = project_cache(folder) / "check.txt"
    path.write_bytes(damage + path.read_bytes()[len(damage) + 1 :])
    assert check(capsys, ".") == first


def test_cache_can_be_switched_off(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `ACDL_NO_CACHE`, and for few files, nothing is written."""
    caches = folder.parent / f"{folder.name}-caches"
    monkeypatch.setenv("ACDL_CACHE_DIR", str(caches))
    write(folder, {"a.acdl": PLAIN})
    check(capsys, ".")
    many(folder)
    monkeypatch.setenv("ACDL_NO_CACHE", "1")
    check(capsys, ".")
    assert not caches.exists()


@pytest.mark.skipif(len(getattr(os, "sched_getaffinity", lambda _: [0])(0)) < 2, reason="there is one core only")
def test_several_processes(folder: Path) -> None:
    """Many files are shared between processes, and said in the same order as by one."""
    many(folder, 230)
    write(folder, {"specs/100.acdl": "Chat[@T]: {\n", "specs/200.acdl": "Chat[@T]: { U: $x }\n", "use.acdl": USE})
    write(folder, {"z.acdl": FRAGMENT})

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "acdl_mkdocs", "check", "."]
        return subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **environment}, check=False, cwd=folder
        )

    shared = run(ACDL_NO_CACHE="1")
    assert shared.returncode == 1
    assert shared.stdout.index("specs/100.acdl") < shared.stdout.index("specs/200.acdl")
    assert run().stdout == shared.stdout
    assert run().stdout == shared.stdout
