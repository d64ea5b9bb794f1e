"""Write and read one playbook from many processes: `crowd.py PLAYBOOK WRITERS UPDATES READERS`.

Prints what any reader ever saw that was wrong, and how often each of them read.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import Event, Process, Queue, get_all_start_methods, queues, set_start_method, synchronize
from pathlib import Path

import filelock

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, sort_playbook
from acdl_mkdocs.playbook.model.curate import Curated
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.store import load, update

PAUSE_S = 0.2
"""How long a reader waits, so that writers get to write on a small machine."""
METHOD = "fork" if "fork" in get_all_start_methods() else "spawn"
"""Forked processes need not import anything again."""


def adding(name: str, number: int) -> Callable[[Playbook], Curated]:
    """A change that adds a bullet."""

    def change(playbook: Playbook) -> Curated:
        revision = playbook.revision + 1
        new = Bullet(id=f"{name}-{number}", section="general", content=f"Lesson {number} of {name}.", added=revision)
        return Curated(sort_playbook(replace(playbook, revision=revision, bullets=(*playbook.bullets, new))), Report())

    return change


def write(path: Path, name: str, count: int) -> None:
    """Add bullets, one an update."""
    for number in range(count):
        update(path, adding(name, number), trace=f"{name}/{number}")


def read(path: Path, ended: synchronize.Event, said: "queues.Queue[str]") -> None:
    """Read again and again until the writers have ended: each bullet has a revision, and no revision comes back."""
    n_reads, last = 0, -1
    wrong: list[str] = []
    while n_reads == 0 or not ended.wait(PAUSE_S):
        loaded = load(path)
        n_reads += 1
        if loaded.playbook is None:
            wrong.append(f"wrong: {loaded.problems}")
            continue
        revision, n_bullets = loaded.playbook.revision, len(loaded.playbook.bullets)
        if revision < last or revision != n_bullets:
            wrong.append(f"wrong: revision {revision} after {last}, {n_bullets} bullets")
        last = revision
    said.put("\n".join([*wrong, f"read {n_reads}"]))


def main() -> None:
    """Start all of them, and wait."""
    path, n_writers, n_updates, n_readers = Path(sys.argv[1]), *map(int, sys.argv[2:])
    load(path)  # what it imports late is there for all
    set_start_method(METHOD)
    ended = Event()
    said: queues.Queue[str] = Queue()
    readers = [Process(target=read, args=(path, ended, said)) for _ in range(n_readers)]
    writers = [Process(target=write, args=(path, f"w{idx}", n_updates)) for idx in range(n_writers)]
    for each in (*readers, *writers):
        each.start()
    for writer in writers:
        writer.join()
    ended.set()
    for _ in readers:
        sys.stdout.write(said.get(timeout=600) + "\n")
    for reader in readers:
        reader.join()
    codes = [each.exitcode for each in (*readers, *writers)]
    if any(codes):
        sys.stdout.write(f"wrong: processes ended with {codes}, filelock {filelock.__version__}" + "\n")


if __name__ == "__main__":
    main()
