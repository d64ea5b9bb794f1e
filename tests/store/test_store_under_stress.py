"""Playbooks that many processes write at once, and writers that are killed at any moment."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.store import create, load, load_history
from acdl_mkdocs.playbook.store.verify import verify

PROGRAMS = Path(__file__).parent / "programs"
N_WRITERS, N_UPDATES, N_READERS = 8, 50, 4
N_KILLS, N_KILLERS = 200, 4


def program(name: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start one of the programs beside this file."""
    command = [sys.executable, str(PROGRAMS / name), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_all_updates_of_many_writers_are_kept_and_no_reader_sees_half_a_file(tmp_path: Path) -> None:
    """Eight processes make fifty updates each while four read: 400 bullets, 400 revisions, never a torn file."""
    path = tmp_path / "playbook.yaml"
    create(path, Playbook("stress"))
    output, error = program("crowd.py", path, N_WRITERS, N_UPDATES, N_READERS).communicate()
    assert error == ""
    assert "wrong" not in output, output
    assert [line.split()[0] for line in output.splitlines()] == ["read"] * N_READERS
    playbook = load(path).playbook
    assert playbook is not None
    wanted = {f"w{idx}-{number}" for idx in range(N_WRITERS) for number in range(N_UPDATES)}
    assert {bullet.id for bullet in playbook.bullets} == wanted
    assert playbook.revision == N_WRITERS * N_UPDATES
    traces = {event.trace for event in load_history(path).events if event.trace}
    assert traces == {f"w{idx}/{number}" for idx in range(N_WRITERS) for number in range(N_UPDATES)}
    assert verify(path).wrong == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, so that a round is fast")
def test_a_killed_writer_never_damages_anything(tmp_path: Path) -> None:
    """After 200 kill -9 at random moments of a save, no file was ever damaged and no returned update lost."""
    seed = random.SystemRandom().randrange(1_000_000)
    folders = [tmp_path / str(number) for number in range(N_KILLERS)]
    for folder in folders:
        folder.mkdir()
    n_rounds = N_KILLS // N_KILLERS
    killers = [program("killed.py", folder, n_rounds, seed + number) for number, folder in enumerate(folders)]
    for killer in killers:  # several at once, since each mostly waits for the disk
        output, error = killer.communicate()
        assert error == "", f"seed {seed}"
        assert "wrong" not in output, output
        assert int(output.split()[2]) >= n_rounds, "each round has an update that returned"
