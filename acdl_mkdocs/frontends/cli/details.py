"""Details for `-v`: each file that is read or written, each program run, each host looked up.

They come from Python's own audit events, so every command has the same details without mentioning them.
"""

import os
import shlex
import sys
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from acdl_mkdocs.foundation.atomic import DRAFT
from acdl_mkdocs.frontends.cli.messages import is_verbose, print_detail

_WRITING = os.O_WRONLY | os.O_RDWR
_PYTHON = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
_IGNORED_PREFIXES = tuple(
    os.path.realpath(path) + os.sep for path in (*_PYTHON, str(Path(__file__).parents[2])) if path
)
"""The folders of Python and packages, whose files are of no interest to users."""
_SYSTEM = ("/dev/", "/proc/", "/sys/", "/etc/", "/lib", "/usr/lib", "/usr/share", "/usr/local/lib", "/usr/local/share")
_LONGEST = 120
"""The longest printed command, in characters."""


@cache
def report_details() -> None:
    """Report events while `-v` is in force; an audit hook stays as long as the process."""
    sys.addaudithook(_report_event)


def _report_event(event: str, args: tuple[Any, ...]) -> None:
    report = _REPORTS.get(event)
    if report is not None and is_verbose():
        sentence = report(*args)
        if sentence:
            print_detail(sentence)


def _describe_open(name: object, mode: object, flags: int) -> str:
    del mode
    path = _path_of(name)
    if path is None or _is_draft(path):
        return ""
    if flags & _WRITING:
        return f"writes {path}"
    return f"reads {path}" if os.path.isfile(path) else ""


def _describe_rename(old: object, new: object, *_: object) -> str:
    """Describe a rename; most files are written by renaming a draft."""
    path = _path_of(new)
    return f"writes {path}" if path is not None and _is_draft(os.fsdecode(_text_of(old))) else ""


def _describe_process(program: object, words: object, *_: object) -> str:
    arguments = words if isinstance(words, (list, tuple)) else [words if isinstance(words, (str, bytes)) else program]
    command = shlex.join(os.fsdecode(_text_of(each)) for each in arguments)
    return f"runs {command if len(command) <= _LONGEST else f'{command[:_LONGEST]}…'}"


def _describe_lookup(host: object, port: object, *_: object) -> str:
    return f"connects to {os.fsdecode(_text_of(host))}:{port}" if host else ""


_REPORTS: dict[str, Callable[..., str]] = {
    "open": _describe_open,
    "os.rename": _describe_rename,
    "os.link": _describe_rename,
    "subprocess.Popen": _describe_process,
    "socket.getaddrinfo": _describe_lookup,
}


def _text_of(name: object) -> str | bytes:
    return name if isinstance(name, (str, bytes)) else str(name)


def _path_of(name: object) -> str | None:
    """Return the path of a file that users care about; `None` for descriptors and files of Python and the system."""
    if not isinstance(name, (str, bytes, os.PathLike)):
        return None
    path = os.fsdecode(name)
    real_path = os.path.realpath(path)
    if real_path.startswith((*_IGNORED_PREFIXES, *_SYSTEM)) or "site-packages" in real_path:
        return None
    with suppress(OSError):  # the working folder is gone
        prefix = os.getcwd() + os.sep
        return path.removeprefix(prefix)
    return path


def _is_draft(path: str) -> bool:
    """Return whether a path is a draft: the next contents of a file, under a temporary name."""
    return os.path.basename(path).startswith(".") and path.endswith(DRAFT)
