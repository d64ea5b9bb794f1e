"""`acdl check` on folders of 1,000 files, on one core where the system can keep a program on it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, forget_cache, in_turn, timed_row
from specs import renamed

N_FILES = 1_000


N_SHARED = 3_000
"""Fragments of a library that all files use, and that has about 200 kB."""


def measure() -> list[Row]:
    """All rows of this part."""
    return [
        *_rows("1,000 files", {f"{number:04}": renamed(number) for number in range(N_FILES)}),
        *_rows("1,000 files that use one library", _users()),
        *_rows("1,000 files that each use the next", {f"{number:04}": _link(number) for number in range(N_FILES)}),
    ]


def _rows(what: str, texts: dict[str, str]) -> list[Row]:
    """How long a folder takes, new and unchanged.

    Parameters:
        what: The folder in words.
        texts: File names without their suffix, and what the files say.
    """
    acdl = str(Path(sys.executable).with_name("acdl"))
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "acdl.toml").write_text("", "utf-8")
        for file, text in texts.items():
            (folder / f"{file}.acdl").write_text(text, "utf-8")

        def forget() -> None:
            forget_cache(folder)

        check = on_cores(1, acdl, "check", ".", cwd=folder)
        bare = on_cores(1, sys.executable, "-c", "pass", cwd=folder)
        cold, start = in_turn(5, check, bare, before=[forget])
        warm, _ = in_turn(9, check, bare)
    against = ("python -c pass", start)
    return [
        timed_row(f"acdl check, {what}, cold, one core", cold, at_most_ms=4_000, against=against),
        timed_row("the same, nothing changed", warm, at_most_ms=600, against=against),
    ]


def _users() -> dict[str, str]:
    """A library and its users."""
    shared = (f"StrFrag Shared{number}[@t]: {{ PART_{number} env.note[@t] sys.rules }}\n" for number in range(N_SHARED))
    users = {
        f"{number:04}": f"Prompt{number}[@T]: {{\n  S: RULES\n  U: {{ Frag Shared{number}[@T] }}\n}}\n"
        for number in range(N_FILES)
    }
    return {"shared": "".join(shared), **users}


def _link(number: int) -> str:
    """A link of a chain."""
    body = f"Frag Link{number + 1}[@t]" if number + 1 < N_FILES else "END"
    return f"StrFrag Link{number}[@t]: {{ {body} }}\n"


def on_cores(n_cores: int, *words: str, cwd: Path) -> Callable[[], object]:
    """Run a program, whose exit status may be that of problems found, on the first cores that there are."""

    def pin() -> None:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n_cores])

    def action() -> object:
        done = subprocess.run(words, cwd=cwd, capture_output=True, preexec_fn=pin)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr.decode())
        return done

    return action
