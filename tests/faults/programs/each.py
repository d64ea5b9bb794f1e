"""Run command lines one after another, each in a process of its own and in a fresh copy of a project.

`each.py PLAN`: the plan is a file of JSON. Each process is a fork of this one, in which Python has started as whoever
made the plan wanted, and it ends as a program does. The result is a file of JSON: for each line its status, what it
printed, and the digests of the files that it made or changed.
"""

import contextlib
import hashlib
import importlib
import json
import locale
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from acdl_mkdocs.frontends.cli.main import main

LEFT_OUT = {".acdl-locks", "__pycache__", ".git"}
"""Folders whose files are no result."""


def digests(folder: str) -> dict[str, str]:
    """Every file of a folder, with a digest of it."""
    found = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted({*folders} - LEFT_OUT)
        for name in sorted(names):
            path = os.path.join(root, name)
            found[os.path.relpath(path, folder)] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return found


def redirect(paths: list[str], special: dict[str, str]) -> None:
    """Give this process its streams: a file each, unless a stream is `closed`, a `broken` pipe, or `full`."""
    for number, path in enumerate(paths):
        kind = special.get(str(number))
        if kind == "closed":
            with contextlib.suppress(OSError):
                os.close(number)
            continue
        if kind == "broken":
            reading, descriptor = os.pipe()
            os.close(reading)
        else:
            descriptor = os.open("/dev/full" if kind == "full" else path, os.O_RDWR | os.O_CREAT)
        if descriptor == number:
            os.set_inheritable(number, True)
        else:
            os.dup2(descriptor, number)
            os.close(descriptor)


def limit(limits: dict[str, int]) -> None:
    """Give this process less than there is: memory, open files, permissions of new files."""
    import resource

    for name, value in limits.items():
        if name == "umask":
            os.umask(value)
        elif name == "locale":
            with contextlib.suppress(locale.Error):  # a system without that language
                locale.setlocale(locale.LC_ALL, "")
        else:
            number = getattr(resource, name)
            resource.setrlimit(number, (value, value))


def protect(folder: str, number: int) -> None:
    """Give every file and folder fewer permissions."""
    for root, folders, names in os.walk(folder, topdown=False):
        for name in (*folders, *names):
            path = os.path.join(root, name)
            if not os.path.islink(path):
                os.chmod(path, os.stat(path).st_mode & number)
    os.chmod(folder, os.stat(folder).st_mode & number)


def release(folder: str) -> None:
    """Let what is protected be removed."""
    for root, _, _ in os.walk(folder):
        os.chmod(root, 0o700)


def read(path: str) -> str:
    """What a process printed, if it had a stream."""
    data = Path(path).read_bytes() if os.path.exists(path) else b""
    return data.decode("utf-8", "surrogateescape")


def start(words: list[str], folder: str, plan: dict[str, Any]) -> int:
    """Begin the process of a line; gives its number, and never returns in it."""
    pid = os.fork()
    if pid:
        return pid
    redirect([f"{folder}.in", f"{folder}.out", f"{folder}.err"], plan["streams"])
    os.chdir(folder)
    if plan["protect"]:
        protect(folder, plan["protect"])
    limit(plan["limits"])
    sys.argv[1:] = words
    sys.exit(main())


def run(line: dict[str, Any], folder: str, before: dict[str, str], plan: dict[str, Any]) -> dict[str, Any]:
    """Run a line to its end."""
    shutil.copytree(plan["project"], folder, symlinks=True)
    Path(f"{folder}.in").write_text(line["given"], "utf-8", newline="")
    words = [word.replace("{here}", folder) for word in line["words"]]
    _, status = os.waitpid(start(words, folder, plan), 0)
    release(folder)
    after = digests(folder)
    result = {
        "status": os.waitstatus_to_exitcode(status),
        "out": read(f"{folder}.out"),
        "err": read(f"{folder}.err"),
        "files": {path: digest for path, digest in after.items() if before.get(path) != digest},
        "drafts": [path for path in after if path.endswith(".tmp")],
    }
    shutil.rmtree(folder)
    return result


if __name__ == "__main__":
    plan = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    for name in plan["imports"]:
        importlib.import_module(name)
    before = digests(plan["project"])
    results = {
        name: run(line, os.path.join(plan["copies"], f"{number}{plan['named']}"), before, plan)
        for number, (name, line) in enumerate(plan["lines"].items())
    }
    Path(plan["result"]).write_text(json.dumps(results), "utf-8")
