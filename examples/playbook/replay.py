"""Grow the playbook from its deltas, as it is committed: `python examples/playbook/replay.py [FOLDER]`.

Makes `playbook.yaml` and `playbook.history.jsonl` in the folder, in place of those that are there; without a folder, in
that of this file. Every time is that of the change that taught the lesson, so the files are the same on every machine.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BEGIN = "2026-11-21T21:58:57Z"

TIMES = """
2026-11-21T21:58:58Z maintainers
2026-11-21T22:24:58Z maintainers
2026-11-21T22:49:57Z maintainers
2026-11-22T00:35:54Z maintainers
2026-11-22T00:35:55Z maintainers
2026-11-22T00:42:36Z maintainers
2026-11-22T02:01:45Z maintainers
2026-11-22T02:01:46Z maintainers
2026-11-22T03:29:47Z maintainers
2026-11-22T03:29:48Z maintainers
2026-11-22T05:06:27Z maintainers
2026-11-22T06:02:56Z maintainers
2026-11-22T06:36:48Z maintainers
2026-11-22T06:36:49Z maintainers
2026-11-22T06:36:50Z maintainers
2026-11-22T06:36:51Z maintainers
2026-11-22T06:36:52Z maintainers
2026-11-22T06:36:53Z maintainers
2026-11-22T06:46:21Z maintainers
2026-11-22T06:51:56Z person
2026-11-22T06:51:57Z person
2026-11-25T23:25:00Z maintainers
"""
"""When each delta was learned, in their order, and by whom. Only a person pins bullets and calls them critical."""


def acdl(*words: str) -> None:
    """Run a command of the playbook; stop if it refuses something."""
    command = [sys.executable, "-m", "acdl_mkdocs", "playbook", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own program


def main(folder: Path) -> None:
    """Begin with nothing and curate every delta."""
    for name in ("playbook.yaml", "playbook.history.jsonl"):
        (folder / name).unlink(missing_ok=True)
    playbook = str(folder / "playbook.yaml")
    acdl("init", playbook, "--name", "acdl", "--time", BEGIN)
    deltas = sorted((HERE / "deltas").glob("*.json"))
    for delta, line in zip(deltas, TIMES.split("\n")[1:-1], strict=True):
        time, actor = line.split()
        acdl("curate", playbook, str(delta), "--time", time, "--actor", actor)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
