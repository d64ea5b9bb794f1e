"""`acdl check` on a folder of 1,000 files, on one core where the system can keep a program on it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, in_turn, timed_row
from specs import renamed

N_FILES = 1_000


def measure() -> list[Row]:
    """All rows of this part."""
    acdl = str(Path(sys.executable).with_name("acdl"))
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "acdl.toml").write_text("", "utf-8")
        for number in range(N_FILES):
            (folder / f"{number:04}.acdl").write_text(renamed(number), "utf-8")

        def forget() -> None:
            shutil.rmtree(folder / ".cache", ignore_errors=True)

        check = on_one_core(acdl, "check", ".", cwd=folder)
        bare = on_one_core(sys.executable, "-c", "pass", cwd=folder)
        cold, start = in_turn(5, check, bare, before=[forget])
        warm, _ = in_turn(9, check, bare)
    against = ("python -c pass", start)
    return [
        timed_row("acdl check, 1,000 files, cold, one core", cold, at_most_ms=4_000, against=against),
        timed_row("the same, nothing changed", warm, at_most_ms=600, against=against),
    ]


def on_one_core(*words: str, cwd: Path) -> Callable[[], object]:
    """Run a program, whose exit status may be that of problems found, on the first core that there is."""

    def pin() -> None:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def action() -> object:
        done = subprocess.run(words, cwd=cwd, capture_output=True, preexec_fn=pin)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr.decode())
        return done

    return action
