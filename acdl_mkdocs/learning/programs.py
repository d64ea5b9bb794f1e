"""`run_program()`: run a program of the user with data on standard input, and end all of it when it takes too long."""

import contextlib
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import IO

from acdl_mkdocs.foundation.frozen import dataclass

CANNOT_RUN = (126, 127)
"""Statuses by which a shell says that a program cannot be run."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and what it wrote."""

    status: int
    out: bytes
    err: bytes
    is_late: bool = False
    """Whether it was ended because it took too long."""
    is_too_much: bool = False
    """Whether it was ended because it wrote too much to standard output."""


def run_program(
    command: Sequence[str],
    told: bytes,
    timeout_s: float,
    *,
    environ: Mapping[str, str] | None = None,
    max_bytes: int | None = None,
    kept_bytes: int | None = None,
) -> Ended:
    """Run a program without a shell, in a group of processes of its own.

    Parameters:
        command: Program and arguments.
        told: What it reads on standard input.
        timeout_s: How long it may take; then it is ended with all that it started.
        environ: Its environment; `None` is ours.
        max_bytes: Of standard output; a program that writes more is ended.
        kept_bytes: How much of the beginning and of the end of both is kept; `None` is all.

    Raises:
        OSError: The program cannot be started.
    """
    process = subprocess.Popen(  # noqa: S603 - the program that the user named
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=None if environ is None else dict(environ),
        start_new_session=True,
    )
    out = _Output(process.stdout, most=max_bytes, stop=lambda: _end(process), kept=None if max_bytes else kept_bytes)
    err = _Output(process.stderr, kept=kept_bytes)
    Thread(target=_tell, args=(process.stdin, told), daemon=True).start()
    is_late = False
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        is_late = True
    finally:
        _end(process)  # also whatever it has left running
    process.wait()
    errors, text = err.read(), out.read()
    return Ended(process.returncode, text, errors, is_late, out.is_too_much)


class _Output:
    """Reads a stream to its end, so that no program waits for a reader.

    Parameters:
        stream: The stream.
        most: Bytes that are allowed.
        stop: Called when there are more.
        kept: How many bytes of the beginning and of the end are kept; without it all. Nobody knows how much a
            program writes that runs away.
    """

    def __init__(
        self,
        stream: IO[bytes] | None,
        *,
        most: int | None = None,
        stop: Callable[[], None] | None = None,
        kept: int | None = None,
    ) -> None:
        self.is_too_much = False
        self._stream, self._most, self._stop = stream, most, stop
        self._kept, self._n_last = kept, 0
        self._first: list[bytes] = []
        self._last: deque[bytes] = deque()
        self._thread = Thread(target=self._all, daemon=True)
        self._thread.start()

    def _all(self) -> None:
        size = 0
        assert self._stream is not None  # noqa: S101 - a pipe of ours
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._stream.fileno(), 65_536):
                size += len(chunk)
                if self._most is None or size <= self._most:
                    self._keep(chunk, is_first=self._kept is None or size <= self._kept)
                elif not self.is_too_much:
                    self.is_too_much = True
                    if self._stop is not None:
                        self._stop()

    def _keep(self, chunk: bytes, *, is_first: bool) -> None:
        if is_first:
            self._first.append(chunk)
            return
        self._last.append(chunk)
        self._n_last += len(chunk)
        while self._n_last - len(self._last[0]) >= (self._kept or 0):
            self._n_last -= len(self._last.popleft())

    def read(self) -> bytes:
        """All that was read, or what is kept of it."""
        self._thread.join(5.0)
        if self._stream is not None:
            self._stream.close()
        return b"".join((*self._first, *self._last))


def _tell(stream: IO[bytes] | None, told: bytes) -> None:
    """Write to a program that may not read."""
    with contextlib.suppress(OSError):
        if stream is not None:
            stream.write(told)
            stream.close()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program and all that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
