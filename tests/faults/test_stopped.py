"""Commands that are killed or interrupted at every change that they make of the disk; afterwards they are run again."""

import os
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.playbook.store import load
from acdl_mkdocs.playbook.store.verify import verify
from faults.projects import CHAT, SMALL_SITE, TIME, build_site, digests, left_over, make_project, run_acdl
from faults.stepwise import with_faults

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, so that a run is fast")

RENDER = ("acdl", "render", "specs/chat.acdl", "-o", "figures/chat.svg")
CURATE = ("acdl", "playbook", "curate", "book/playbook.yaml", "delta.json", *TIME)
N_SPECS = 20
"""So many texts are remembered by `acdl check`."""
BUILD = ("mkdocs", "build", "-q")


def test_a_killed_render_leaves_no_half_figure(tmp_path: Path) -> None:
    """There is the whole figure, or the one before, or none; and the next run makes it."""
    project, whole = make_project(tmp_path / "project"), make_project(tmp_path / "whole")
    assert run_acdl(*RENDER[1:], folder=whole).returncode == 0
    wanted = (whole / "figures" / "chat.svg").read_bytes()
    for before in (None, b"before"):
        figure = project / "figures" / "chat.svg"
        if before:
            figure.parent.mkdir()
            figure.write_bytes(before)
        for each in with_faults("kill", project, tmp_path / "copies", *RENDER):
            assert (each.ended.status, each.again.status) == (-9, 0), each
            left = each.left / "figures" / "chat.svg"
            assert (left.read_bytes() if left.exists() else None) in (before, wanted), each
            assert (each.folder / "figures" / "chat.svg").read_bytes() == wanted, each


@exhaustive
def test_a_killed_formatter_leaves_a_file_as_it_was_or_as_it_will_be(tmp_path: Path) -> None:
    """A text that somebody wrote is never half there."""
    project, whole = make_project(tmp_path / "project"), make_project(tmp_path / "whole")
    command = ("acdl", "format", "specs/chat.acdl")
    assert run_acdl(*command[1:], folder=whole).returncode == 0
    wanted = (whole / "specs" / "chat.acdl").read_text("utf-8")
    assert wanted != CHAT
    for each in with_faults("kill", project, tmp_path / "copies", *command):
        assert (each.ended.status, each.again.status) == (-9, 0), each
        assert (each.left / "specs" / "chat.acdl").read_text("utf-8") in (CHAT, wanted), each
        assert (each.folder / "specs" / "chat.acdl").read_text("utf-8") == wanted
    for each in with_faults("EIO", project, tmp_path / "copies", *command, where=".tmp"):
        assert each.ended.status == 2, each
        assert "specs/chat.acdl: cannot be written: input/output error" in each.ended.said
        assert each.again.status == 0, each
        assert (each.folder / "specs" / "chat.acdl").read_text("utf-8") == wanted


@exhaustive
def test_a_killed_curator_tears_nothing(tmp_path: Path) -> None:
    """File and history agree at the next command, and the lesson is there once."""
    project = make_project(tmp_path / "project")
    before = (project / "book" / "playbook.yaml").read_bytes()
    places = set()
    for each in with_faults("kill", project, tmp_path / "copies", *CURATE):
        places.add(each.place.partition(" ")[0])
        assert (each.ended.status, each.again.status) == (-9, 0), each
        path = each.folder / "book" / "playbook.yaml"
        assert (each.left / "book" / "playbook.yaml").read_bytes() in (before, path.read_bytes()), each
        assert verify(path).inconsistencies == (), each
        playbook = load(path).playbook
        assert playbook is not None
        assert [bullet.content for bullet in playbook.active] == ["Look before you leap, always."], each
        assert left_over(each.folder) == [], each
    assert places >= {"open", "os.mkdir", "os.rename"}


@exhaustive
def test_a_killed_build_is_made_good_by_the_next(tmp_path: Path) -> None:
    """Whatever was being kept when a build was killed, the next build makes the same site."""
    project = make_project(tmp_path / "project")
    (project / "mkdocs.yml").write_text(SMALL_SITE)
    runs = with_faults("kill", project, tmp_path / "copies", *BUILD, where=".tmp")
    assert build_site(project).returncode == 0
    wanted = digests(project)
    for each in runs:
        assert (each.ended.status, each.again.status) == (-9, 0), each
        assert digests(each.folder) == wanted, each.place
        assert left_over(each.folder) == [], each


@pytest.mark.parametrize(
    "command", few([(each,) for each in (RENDER, CURATE, ("acdl", "new", "site", "new"), ("acdl", "check", "specs"))])
)
def test_an_interrupt_is_quiet_and_leaves_nothing(command: tuple[str, ...], tmp_path: Path) -> None:
    """Ctrl-C gives status 130 without a traceback, no draft stays, and the command can be given again."""
    project = make_project(tmp_path / "project")
    for number in range(N_SPECS if "check" in command else 0):
        (project / "specs" / f"{number}.acdl").write_text(f"Spec{number}[@T]: {{\n  U: env.q[@T]\n}}\n")
    for each in with_faults("interrupt", project, tmp_path / "copies", *command):
        assert each.ended.status in (130, 0), each
        assert each.ended.said == "" or each.ended.status == 0, each
        assert each.again.status == 0, each
        assert left_over(each.folder) == [], each
