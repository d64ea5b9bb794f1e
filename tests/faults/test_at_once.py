"""Several programs that work in one folder at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.foundation.user_cache import project_cache
from acdl_mkdocs.playbook.store import load
from acdl_mkdocs.playbook.store.verify import verify
from faults.projects import PROGRAMS, SMALL_SITE, build_site, digests, left_over, make_project, run

N_AT_ONCE = 2


def started(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """A module of Python as a process that is not waited for."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@exhaustive
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


@pytest.mark.parametrize(("moment", "other"), few([("page", "mkdocs.yml"), ("nav", "other.yml"), ("env", "other.yml")]))
def test_a_build_within_another(moment: str, other: str, tmp_path: Path) -> None:
    """A whole build in the midst of another: of the same site into the same folder, or with fewer files to download.

    Neither takes from the other what it is about to copy, and both leave what they keep for the next build.
    """
    project = make_project(tmp_path / "project")
    site = f"{SMALL_SITE.replace('[acdl]', '[acdl, svg]')}hooks: [{PROGRAMS / 'meanwhile.py'}]\n"
    (project / "mkdocs.yml").write_text(site)
    (project / "other.yml").write_text(
        site.replace("[acdl, svg]", "[json]").replace("site_dir: out", "site_dir: other")
    )
    assert build_site(project).returncode == 0
    wanted, kept = digests(project / "out"), digests(project_cache(project) / "downloads")
    assert kept
    said = build_site(project, {"MOMENT": moment, "OTHER": other})
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
    assert digests(project / "out") == wanted
    assert kept.items() <= digests(project_cache(project) / "downloads").items()
    if other != "mkdocs.yml":
        found = digests(project / "other")
        assert run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", other], project).returncode == 0
        assert digests(project / "other") == found


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
    assert (playbook.revision, verify(path).inconsistencies) == (len(lessons), ())


def test_figures_at_once(tmp_path: Path) -> None:
    """Several programs that write one figure leave a whole one."""
    project = make_project(tmp_path / "project")
    command = ("acdl_mkdocs", "render", "specs/chat.acdl", "-o", f"figures{os.sep}chat.svg")
    drawings = [started(project, *command) for _ in range(N_AT_ONCE)]
    assert [(*drawing.communicate(), drawing.returncode) for drawing in drawings] == [("", "", 0)] * N_AT_ONCE
    assert started(project, *command[:-1], "alone.svg").wait() == 0
    assert (project / "figures" / "chat.svg").read_bytes() == (project / "alone.svg").read_bytes()
    assert left_over(project) == []
