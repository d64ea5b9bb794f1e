"""Kill a process that saves a playbook in a loop, many times: `killed.py FOLDER ROUNDS SEED`.

Every round checks, before anything is repaired, that the file can be read, and afterwards that file and history agree
and that no update is missing whose `update` had returned. Prints what was ever wrong and what happened how often.
"""

import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.model.curate import Curated
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.store import create, load, load_history, update
from acdl_mkdocs.playbook.store.repair import repair
from acdl_mkdocs.playbook.store.verify import verify

LONGEST_S = 0.04
ROUNDS_A_FILE = 8
BULLETS = tuple(
    Bullet(id=f"gen-{number:08d}", section="general", content=f"Lesson {number}: look before you leap.")
    for number in range(20)
)


def counting(playbook: Playbook) -> Curated:
    """Count one on each third bullet, so that a save changes many lines."""
    revision = playbook.revision + 1
    bullets = tuple(
        replace(each, helpful=each.helpful + 1, updated=revision) if idx % 3 == revision % 3 else each
        for idx, each in enumerate(playbook.bullets)
    )
    return Curated(replace(playbook, revision=revision, bullets=bullets), Report())


def save_for_ever(path: Path, number: int, pipe: int) -> None:
    """What the process does that is killed; each update that has returned is said on the pipe."""
    count = 0
    while True:
        update(path, counting, trace=f"{number}/{count}")
        os.write(pipe, f"{number}/{count}\n".encode())
        count += 1


def one_round(path: Path, number: int, chance: random.Random) -> list[str]:
    """Start, kill; the traces of the updates that had returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            save_for_ever(path, number, writing)
        finally:
            os._exit(3)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.readline()  # the first update has returned, however busy the machine is
        time.sleep(chance.uniform(0, LONGEST_S))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            sys.stdout.write(f"wrong: round {number}: the writer ended by itself with {os.WEXITSTATUS(status)}\n")
        return (said + file.read()).decode().split()


def checked(path: Path, number: int, acknowledged: set[str], seen: Counter[str]) -> list[str]:
    """What is wrong after a round."""
    before = load(path)
    if before.playbook is None:
        return [f"the file: {before.problems}"]
    history = load_history(path)
    seen["torn history"] += history.is_torn
    seen["file behind"] += history.revision > before.playbook.revision
    seen["left over"] += any(each.name.endswith(".tmp") for each in path.parent.iterdir())
    wrong = [str(each) for each in history.damage] if not history.is_torn else []
    if number % 2:
        repair(path)
    else:
        update(path, counting)  # the next writer finds the same, and goes on
    wrong += [str(each) for each in verify(path).inconsistencies]
    missing = acknowledged - {event.trace for event in load_history(path).events if event.trace}
    return [*wrong, *(f"lost {each}" for each in sorted(missing))]


def main() -> None:
    """Kill."""
    folder, rounds, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    seen: Counter[str] = Counter()
    n_updates = 0
    acknowledged: set[str] = set()
    path = folder
    for number in range(rounds):
        if number % ROUNDS_A_FILE == 0:
            acknowledged = set()
            path = folder / str(number) / "playbook.yaml"
            path.parent.mkdir()
            create(path, Playbook("stress", bullets=BULLETS))
        done = one_round(path, number, chance)
        n_updates += len(done)
        acknowledged.update(done)
        for each in checked(path, number, acknowledged, seen):
            sys.stdout.write(f"wrong: round {number}: {each}" + "\n")
    sys.stdout.write(f"seed {seed}: {n_updates} updates in {rounds} rounds: {dict(seen)}" + "\n")


if __name__ == "__main__":
    main()
