"""Several programs that work in one folder at once."""

import os
import subprocess
import sys
from pathlib import Path

from acdl_mkdocs.store import load
from acdl_mkdocs.store.verify import verify
from faults.projects import SMALL_SITE, build_site, digests, left_over, make_project

N_AT_ONCE = 2


def started(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """A module of Python as a process that is not waited for."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_builds_at_once_are_all_right(tmp_path: Path) -> None:
    """Builds that share a project and its cache, each into a folder of its own, make what one alone makes."""
    alone, shared = make_project(tmp_path / "alone"), make_project(tmp_path / "shared")
    for project in (alone, shared):
        (project / "mkdocs.yml").write_text(SMALL_SITE)
    assert build_site(alone).returncode == 0
    wanted = digests(alone / "out")
    for _ in range(2):  # without a cache, and with one
        folders = [tmp_path / "sites" / str(number) for number in range(N_AT_ONCE)]
        builds = [started(shared, "mkdocs", "build", "-q", "-d", str(folder)) for folder in folders]
        assert [(*build.communicate(), build.returncode) for build in builds] == [("", "", 0)] * N_AT_ONCE
        assert [digests(folder) for folder in folders] == [wanted] * N_AT_ONCE
    assert left_over(shared) == []


def test_curators_at_once_lose_nothing(tmp_path: Path) -> None:
    """Lessons that several commands add at the same time are all there."""
    project = make_project(tmp_path / "project")
    lessons = [f"Lesson {word}: look before you leap into the {word}." for word in ("river", "forest", "desert")]
    for number, lesson in enumerate(lessons):
        text = f'{{"operations": [{{"type": "ADD", "section": "general", "content": "{lesson}"}}]}}'
        (project / f"{number}.json").write_text(text)
    command = ("acdl_mkdocs", "playbook", "curate", "book/playbook.yaml")
    curators = [started(project, *command, f"{number}.json") for number in range(len(lessons))]
    ended = [(curator.communicate()[1], curator.returncode) for curator in curators]
    assert ended == [("", 0)] * len(lessons)
    path = project / "book" / "playbook.yaml"
    playbook = load(path).playbook
    assert playbook is not None
    assert sorted(bullet.content for bullet in playbook.active) == sorted(lessons)
    assert (playbook.revision, verify(path).wrong) == (len(lessons), ())


def test_figures_at_once(tmp_path: Path) -> None:
    """Several programs that write one figure leave a whole one."""
    project = make_project(tmp_path / "project")
    command = ("acdl_mkdocs", "render", "specs/chat.acdl", "-o", f"figures{os.sep}chat.svg")
    drawings = [started(project, *command) for _ in range(N_AT_ONCE)]
    assert [(*drawing.communicate(), drawing.returncode) for drawing in drawings] == [("", "", 0)] * N_AT_ONCE
    assert (project / "figures" / "chat.svg").read_text("utf-8").rstrip().endswith("</svg>")
    assert left_over(project) == []
