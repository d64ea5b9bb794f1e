"""Run a command again and again, with a fault at its first change of the disk, its second, and so on.

`faulty.py FAULT WHERE MOST FOLDER COPIES COMMAND...`: a copy of FOLDER for each run, named by the number of the change,
and another of what a fault left, `N-left`; only changes of paths with WHERE in them count, and only the first MOST of
them. Python tells an audit hook of every file that is opened for writing, renamed, made or removed before that happens,
so nothing of the program under test is replaced. It is told nothing of bytes that are written to an open file.
After each fault the command is run again without one. Prints a line of JSON for both; the last line is of a run without
a fault. That run is the first one, and what it has imported is imported before the others begin.
"""

import contextlib
import errno
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod"}
SHRINKS = {"os.remove", "os.rmdir", "os.truncate"}
LASTING = ("ENOSPC", "EROFS", "EACCES")
NEVER = 1_000_000
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Disk:
    """What is changed below a folder, until a fault."""

    def __init__(self, fault: str, where: str, step: int) -> None:
        self.fault = fault
        self.where = where
        self.n_left = step

    def hook(self, event: str, values: tuple[Any, ...]) -> None:
        """Called by Python before every event."""
        is_write = event == "open" and isinstance(values[2], int) and bool(values[2] & WRITES)
        if not is_write and event not in CHANGES:
            return
        path = os.fsdecode(values[0]) if isinstance(values[0], (str, bytes)) else f"{values[0]}"
        if self.where in path and not path.startswith(("/dev/", "/proc/")) and "__pycache__" not in path:
            self.change(event, path)

    def change(self, event: str, path: str) -> None:
        """Count a change; the last one fails, and so does every later one where a disk is full or read-only."""
        self.n_left -= 1
        is_lasting = self.fault in LASTING
        if self.n_left > 0 or (self.n_left < 0 and not is_lasting):
            return
        if self.n_left == 0:
            os.write(3, f"{event} {path}".encode())
        if self.fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "interrupt":
            raise KeyboardInterrupt
        if self.fault.startswith("SIG"):
            signal.raise_signal(getattr(signal, self.fault))
            return
        if self.fault == "ENOSPC" and event in SHRINKS:
            return  # a full disk lets go of files
        number = getattr(errno, self.fault)
        raise OSError(number, os.strerror(number), path)


def load(command: list[str]) -> Any:
    """The program, imported before there are faults."""
    if command[0] == "mkdocs":
        from mkdocs.__main__ import cli

        return lambda: cli.main(command[1:], standalone_mode=False) or 0
    from acdl_mkdocs.frontends.cli.main import main

    sys.argv[1:] = command[1:]
    return main


def run(program: Any, folder: Path, disk: Disk | None) -> dict[str, Any]:
    """Run the program once, as a process of its own: its status, what it said, and where the fault was."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as place, tempfile.TemporaryFile() as names:
        pid = os.fork()
        if pid == 0:
            child(program, folder, disk, said.fileno(), place.fileno(), names.fileno())
        _, status = os.waitpid(pid, 0)
        texts = []
        for file in (said, place, names):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    if disk is None:
        warm(texts[2].split())
    return {"status": os.waitstatus_to_exitcode(status), "said": texts[0], "place": texts[1]}


def warm(names: list[str]) -> None:
    """Import what a run has imported, so that the next runs need not."""
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def child(program: Any, folder: Path, disk: Disk | None, said: int, place: int, names: int) -> None:
    """Be that process."""
    before = {*sys.modules}
    descriptors = (os.open(os.devnull, os.O_RDONLY), os.dup(said), os.dup(said), os.dup(place), os.dup(names))
    for number, descriptor in enumerate([os.dup(each) for each in descriptors]):
        os.dup2(descriptor, number)
    os.chdir(folder)
    if disk is not None:
        sys.addaudithook(disk.hook)
    status = 99
    try:
        status = program()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException as fault:
        if hasattr(fault, "show"):  # what MkDocs ends with is a sentence
            fault.show()
            status = 1
        else:
            sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        if disk is None:
            os.write(4, " ".join(name for name in sys.modules if name not in before).encode())
        os._exit(status)


def main() -> None:
    """Run until there is no fault."""
    fault, where, most, source, copies, *command = sys.argv[1:]
    program = load(command)

    def attempt(step: int, disk: Disk | None) -> dict[str, Any]:
        folder = Path(copies) / str(step)
        shutil.copytree(source, folder, symlinks=True)
        sys.stdout.flush()  # a fork would write it again
        return {"folder": str(folder), "again": None, **run(program, folder, disk)}

    whole = attempt(NEVER, None)
    for step in range(1, int(most) + 1):
        first = attempt(step, Disk(fault, where, step))
        if not first["place"]:
            break
        shutil.copytree(first["folder"], f"{first['folder']}-left", symlinks=True)
        first["again"] = run(program, Path(first["folder"]), None)
        sys.stdout.write(f"{json.dumps(first)}\n")
    sys.stdout.write(f"{json.dumps(whole)}\n")


if __name__ == "__main__":
    main()
