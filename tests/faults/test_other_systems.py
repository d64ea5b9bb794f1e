"""What other systems do not allow, or write otherwise; and files that belong to somebody else."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.foundation.user_cache import project_cache
from faults.projects import CHAT, SMALL_SITE, STATE, build_site, digests, make_project, run, run_acdl

DEVICES = ("CON", "nul", "Aux", "PRN", "COM1", "lpt9")
"""No file of Windows has such a name, whatever its ending is."""
ODD_NAMES = {
    "line end": "a\nb",
    "dash": "-o",
    "no UTF-8": os.fsdecode(b"a\xffb"),
    "colon": "a:b",
    "number sign": "a#b",
    "percent": "a%41b",
    "long": "l" * 200,
}
_UNUSABLE = re.compile(r'(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|[<>:"|?*\\]|[. ]$')
_N_CAPABILITIES = 4
"""Those by which root reads and writes what it is not allowed to."""
_DROP = 24
_NOBODY = 65534
"""A user to whom no file of a test belongs."""


def without_privileges() -> None:
    """Let permissions hold for root too, in the program that starts next."""
    if sys.platform == "linux" and os.geteuid() == 0:
        for number in range(_N_CAPABILITIES):
            ctypes.CDLL(None).prctl(_DROP, number, 0, 0, 0)


def run_allowed(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A module of Python that may do only what permissions say."""
    return run([sys.executable, "-m", *arguments], folder, prepare=without_privileges)


def test_paths_with_backslashes(tmp_path: Path) -> None:
    """What Windows would find is not found on other systems, and the message says how to write it for all of them."""
    project = make_project(tmp_path / "project")
    (project / "lib").mkdir()
    (project / "lib" / "part.acdl").write_text("StrFrag Part[x]: {\n    x\n}\n")
    uses = '// acdl: use "..\\lib\\part.acdl"\nU[@T]: {\n  U: { Frag Part[env.q[@T]] }\n}\n'
    (project / "specs" / "uses.acdl").write_text(uses)
    (project / "docs" / "index.md").write_text(
        '```acdl src="specs\\chat.acdl"\n```\n\n'
        '```acdl state="specs\\chat.state.yaml"\nA[@T]: { U: env.q[@T] }\n```\n\n'
        '```acdl runs="\\specs\\..\\..\\run.jsonl"\nA[@T]: { U: env.q[@T] }\n```\n'
    )
    found = run_acdl("check", "docs", "specs", folder=project)
    assert found.returncode == 1
    for name in ("specs/chat.acdl", "specs/chat.state.yaml", "../lib/part.acdl"):
        assert f"did you mean `{name}`?" in found.stdout
    assert "`/specs" not in found.stdout
    (project / "mkdocs.yml").write_text(SMALL_SITE.replace("[specs]", "['specs\\chat.acdl']"))
    said = run([sys.executable, "-m", "mkdocs", "build"], project)
    assert "the option `specs` of `acdl` names `specs\\chat.acdl`, which has no `.acdl` file" in said.stderr


def test_names_of_files(tmp_path: Path) -> None:
    """Every file of a site can be on every disk: no devices, no forbidden letters, none that differ in case only."""
    project = make_project(tmp_path / "project")
    names = (*DEVICES, "Talk", "TALK", "talk", "Stra\u00dfe", "STRASSE")
    for number, name in enumerate(names):
        (project / "specs" / f"{number}.acdl").write_text(
            f"{name}[@T]: {{\n  U: env.q[@T]\n}}\nStrFrag {name}Part[x]: {{\n  x\n}}\n", "utf-8"
        )
    said = build_site(project)
    assert (said.returncode, said.stderr) == (0, "")
    files = [*digests(project / "out")]
    assert len([name for name in files if name.endswith("-light.svg")]) == 2 * len(names) + 2
    assert [name for name in files if any(_UNUSABLE.search(part) for part in name.split("/"))] == []
    assert len({name.casefold() for name in files}) == len(files)


@pytest.mark.parametrize("name", few(ODD_NAMES.values(), 1), ids=ODD_NAMES)
def test_odd_names_of_texts(name: str, tmp_path: Path) -> None:
    """Commands read and write files of any name that the disk takes; a list of names has a line for each."""
    (tmp_path / f"{name}.acdl").write_text(CHAT, "utf-8")
    (tmp_path / f"{name}.state.yaml").write_text(STATE.replace("{0}", "{name}"), "utf-8")
    listed = run_acdl("format", "--check", ".", folder=tmp_path)
    assert (listed.returncode, listed.stdout.count("\n")) == (1, 1)
    head = run_acdl("format", "--diff", ".", folder=tmp_path).stdout.splitlines()[:3]
    assert [line[:3] for line in head] == ["---", "+++", "@@ "]
    for words in (("check",), ("render", "-o", "made.svg"), ("format",), ("unroll",)):
        ran = run_acdl(*words, "--", f"{name}.acdl", folder=tmp_path)
        assert ran.returncode == 0, ran
        assert "Traceback" not in ran.stderr
    assert run_acdl("render", ".", "-o", "figures", folder=tmp_path).returncode == 0
    assert os.listdir(tmp_path / "figures") == [f"{name}.svg"]
    assert (tmp_path / f"{name}.acdl").read_text("utf-8") != CHAT


@exhaustive
def test_a_clock_that_goes_back(tmp_path: Path) -> None:
    """Lessons of an earlier time than the last are kept behind it, and file and history agree."""
    project = make_project(tmp_path / "project")
    for year in (2026, 2024, 1971):
        lesson = {"type": "ADD", "section": "general", "content": f"Lesson {year} of the clock."}
        (project / "delta.json").write_text(json.dumps({"operations": [lesson]}))
        time = ("--time", f"{year}-06-01T00:00:00Z")
        assert run_acdl("playbook", "curate", "book/playbook.yaml", "delta.json", *time, folder=project).returncode == 0
    assert run_acdl("playbook", "verify", "book/playbook.yaml", folder=project).returncode == 0
    shown = run_acdl("playbook", "show", "book/playbook.yaml", folder=project).stdout
    assert [year for year in (2026, 2024, 1971) if f"Lesson {year}" in shown] == [2026, 2024, 1971]
    assert build_site(project).returncode == 0


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its site and its cache, in a system where permissions hold."""
    project = make_project(tmp_path_factory.mktemp("built") / "project")
    assert build_site(project).returncode == 0
    path = project / "delta.json"
    path.chmod(0)
    said = run_allowed(project, "json.tool", path.name)
    path.chmod(0o644)
    if said.returncode == 0:
        pytest.skip("this system lets programs read what they may not")
    return project


def _whole(project: Path) -> list[Path]:
    return [project_cache(project).parent]


def _folder(project: Path) -> list[Path]:
    return [project_cache(project), project_cache(project) / "downloads"]


def _files(project: Path) -> list[Path]:
    return [path for path in project_cache(project).rglob("*") if path.is_file()]


def _sources(project: Path) -> list[Path]:
    folders = [project / name for name in ("docs", "specs", "book", "theme")]
    return [*folders, *(path for folder in folders for path in folder.rglob("*"))]


@pytest.mark.parametrize(
    ("places", "mode"),
    few([(_whole, 0), (_folder, 0), (_folder, 0o555), (_files, 0), (_sources, 0o555)], 2),
    ids=["cache", "folder", "folder, to write", "files", "pages, to write"],
)
def test_what_belongs_to_somebody_else(places: Callable[[Path], list[Path]], mode: int, built: Path) -> None:
    """A cache that may not be read or written, and sources that may not be written, give the same site, in silence."""
    wanted = digests(built / "out")
    modes = [(path, path.stat().st_mode & 0o7777) for path in places(built)]
    try:
        for path, _ in reversed(modes):
            path.chmod(mode)
        said = [run_allowed(built, "mkdocs", "build", "-q"), run_allowed(built, "acdl_mkdocs", "check", "specs")]
    finally:
        for path, before in modes:
            if path.exists():
                path.chmod(before)
    assert [(each.returncode, each.stderr) for each in said] == [(0, ""), (0, "no problems in 1 spec and 1 fragment\n")]
    assert digests(built / "out") == wanted


@pytest.fixture(scope="module")
def bare_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as files that nobody may write, which were never compiled."""
    packages = tmp_path_factory.mktemp("packages")
    shutil.copytree("acdl_mkdocs", packages / "acdl_mkdocs", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (*packages.rglob("*"), packages):
        path.chmod(path.stat().st_mode & 0o555)
    return packages


@exhaustive
def test_a_project_and_a_package_of_somebody_else(built: Path, bare_package: Path, tmp_path: Path) -> None:
    """Who may not write there, and has no home that can be read, can read all; what cannot be written is named."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir(mode=0)
    shutil.copytree(built, project)
    run(["git", "init", "-q"], project)
    for path in (*project.rglob("*"), project):
        if os.geteuid() == 0:
            os.chown(path, _NOBODY, _NOBODY)
        path.chmod(path.stat().st_mode & 0o555)
    taken = ("PYTHONDONTWRITEBYTECODE", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in taken}
    environment |= {"HOME": str(home), "PYTHONPATH": str(bare_package)}
    reading = (
        "check specs docs",
        "render specs/chat.acdl",
        "explain specs/chat.acdl",
        "playbook show book/playbook.yaml",
    )
    writing = {
        "render specs -o made": "acdl: made",
        "format specs": "acdl: specs/chat.acdl: cannot be written: permission denied",
        "embed docs": "acdl: docs/index.A.svg: cannot be written: permission denied",
        "playbook curate book/playbook.yaml delta.json": "acdl: book/.acdl-locks: cannot be written: permission denied",
        "git setup": "acdl: git: ",
    }
    ran = {
        words: subprocess.run(
            [sys.executable, "-m", "acdl_mkdocs", *words.split()],
            cwd=project,
            env=environment,
            preexec_fn=without_privileges,
            capture_output=True,
            text=True,
            check=False,
        )
        for words in (*reading, *writing)
    }
    assert [(words, each) for words, each in ran.items() if each.returncode != (2 if words in writing else 0)] == []
    assert [(words, ran[words].stderr) for words, said in writing.items() if said not in ran[words].stderr] == []
    assert [words for words, each in ran.items() if "Traceback" in each.stderr] == []
    assert "run this in a repository" not in ran["git setup"].stderr
    assert [*bare_package.rglob("__pycache__")] == []
