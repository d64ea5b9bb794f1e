"""Run a command with a fault at each change that it makes of the disk, one after another."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.projects import PROGRAMS

UNDISTURBED = "1000000"
"""The copy in which the command met no fault."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    """Negative if a signal ended it."""
    said: str


@dataclass(frozen=True, slots=True)
class Faulty:
    """A command that met a fault, and the same command in the same folder afterwards."""

    folder: Path
    """As it is in the end."""
    left: Path
    """A copy of it as the fault left it."""
    place: str
    """Where the fault was: the kind of change, and the path."""
    ended: Ended
    again: Ended


def with_faults(
    fault: str, project: Path, copies: Path, *command: str, where: str = "", most: int = 1000, status: int = 0
) -> list[Faulty]:
    """A run for each change that a command makes; without any fault it ends well, which is looked at too.

    Parameters:
        fault: `kill`, `interrupt`, or the name of a signal, such as `SIGTERM`, or of an error, such as `ENOSPC`.
        project: The folder that the command runs in a copy of.
        copies: Where the copies are put.
        command: `acdl` or `mkdocs`, and its arguments.
        where: Only changes of paths with this in them.
        most: Only so many of these changes.
        status: Of the command without a fault.
    """
    shutil.rmtree(copies, ignore_errors=True)
    copies.mkdir()
    program = [
        sys.executable,
        str(PROGRAMS / "faulty.py"),
        fault,
        where,
        str(most),
        str(project),
        str(copies),
        *command,
    ]
    ran = subprocess.run(program, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    *faulty, last = [json.loads(line) for line in ran.stdout.splitlines()]
    assert last["status"] == status, last["said"]
    assert faulty, "the command changes nothing"
    return [
        Faulty(Path(each["folder"]), Path(f"{each['folder']}-left"), each["place"], _ended(each), _ended(each["again"]))
        for each in faulty
    ]


def _ended(data: dict[str, Any]) -> Ended:
    return Ended(data["status"], data["said"])
