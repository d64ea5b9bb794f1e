"""Runs a program: its streams are ours, signals are handed on, and its exit status is told as a shell tells it."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import FrameType

from acdl_mkdocs.foundation.errors import RecorderError

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGBREAK")
_OF_TERMINALS = ("SIGINT", "SIGQUIT")
"""Signals that a terminal sends to all programs that run in it."""
_KILLED = 128
"""What a shell adds to the number of the signal that ended a program."""


def run(command: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a program to its end; its exit status.

    Raises:
        RecorderError: There is no such program, or it cannot be run.
    """
    started: list[subprocess.Popen[bytes]] = []
    before = _hand_on(started)
    try:
        started.append(subprocess.Popen(list(command), env=dict(environ)))  # noqa: S603 - what the user asked for
        status = started[0].wait()
    except FileNotFoundError:
        raise RecorderError(f"there is no program `{command[0]}`; write it as in a terminal, behind `--`") from None
    except OSError as reason:
        raise RecorderError(f"`{command[0]}` cannot be run: {(reason.strerror or str(reason)).lower()}") from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return status if status >= 0 else _KILLED - status


def _hand_on(started: "list[subprocess.Popen[bytes]]") -> dict[signal.Signals, "signal._HANDLER"]:
    """Let signals reach the program and not end us; gives what was done with them before."""
    own = {getattr(signal, name) for name in _OF_TERMINALS if hasattr(signal, name)}

    def pass_on(number: int, _frame: FrameType | None) -> None:
        if number in own and _is_in_foreground():
            return  # the terminal has sent it to the program as well
        for child in started:
            if child.poll() is None:
                child.send_signal(number)

    found = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    ignored = [number for number in found if signal.getsignal(number) == signal.SIG_IGN]
    return {number: signal.signal(number, pass_on) for number in found if number not in ignored}


def _is_in_foreground() -> bool:
    """Whether a terminal sends us its signals."""
    if sys.platform == "win32":
        return True
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
