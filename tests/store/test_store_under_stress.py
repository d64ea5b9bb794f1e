"""Playbooks that many processes write at once, and writers that are killed at any moment."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.store import create, load, load_history
from acdl_mkdocs.playbook.store.verify import verify

PROGRAMS = Path(__file__).parent / "programs"
N_WRITERS, N_READERS = 8, 4
N_KILLERS = 4


def program(name: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start one of the programs beside this file."""
    command = [sys.executable, str(PROGRAMS / name), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("n_updates", few([10, 50]))
def test_all_updates_of_many_writers_are_kept_and_no_reader_sees_half_a_file(n_updates: int, tmp_path: Path) -> None:
    """Eight processes make ten or fifty updates each while four read: all are kept, and no file is ever torn."""
    path = tmp_path / "playbook.yaml"
    create(path, Playbook("stress"))
    output, error = program("crowd.py", path, N_WRITERS, n_updates, N_READERS).communicate()
    assert error == ""
    assert "wrong" not in output, output
    assert [line.split()[0] for line in output.splitlines()] == ["read"] * N_READERS
    playbook = load(path).playbook
    assert playbook is not None
    wanted = {f"w{idx}-{number}" for idx in range(N_WRITERS) for number in range(n_updates)}
    assert {bullet.id for bullet in playbook.bullets} == wanted
    assert playbook.revision == N_WRITERS * n_updates
    traces = {event.trace for event in load_history(path).events if event.trace}
    assert traces == {f"w{idx}/{number}" for idx in range(N_WRITERS) for number in range(n_updates)}
    assert verify(path).inconsistencies == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, so that a round is fast")
@pytest.mark.parametrize("n_kills", few([40, 200]))
def test_a_killed_writer_never_damages_anything(n_kills: int, tmp_path: Path) -> None:
    """After each kill -9 at a random moment of a save, no file was ever damaged and no returned update lost."""
    seed = random.SystemRandom().randrange(1_000_000)
    folders = [tmp_path / str(number) for number in range(N_KILLERS)]
    for folder in folders:
        folder.mkdir()
    n_rounds = n_kills // N_KILLERS
    killers = [program("killed.py", folder, n_rounds, seed + number) for number, folder in enumerate(folders)]
    for killer in killers:  # several at once, since each mostly waits for the disk
        output, error = killer.communicate()
        assert error == "", f"seed {seed}"
        assert "wrong" not in output, output
        assert int(output.split()[2]) >= n_rounds, "each round has an update that returned"
