"""`find_program()`: where a program is, never in the current folder, which others may have written."""

import os
from collections.abc import Sequence


def _endings() -> list[str]:
    """What names of programs end with on this system."""
    return os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";") if os.name == "nt" else [""]


def find_program(name: str, endings: Sequence[str] | None = None) -> str | None:
    """Find a program in the folders of `PATH` that are absolute; `None` if none of them has it.

    Windows looks in the current folder first, and other systems do where `PATH` has an empty or relative entry: a
    repository that has a file named `git` would get it run.

    Parameters:
        name: The name of the program, as it is typed.
        endings: What the name of its file may end with, best first; those of this system without them.
    """
    files = [f"{name}{ending}" for ending in (_endings() if endings is None else endings)]
    paths = (os.path.join(folder, file) for folder in os.get_exec_path() if os.path.isabs(folder) for file in files)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)
