"""The program `acdl`: find the command, import it, run it.

Exit status: 0 fine, 1 problems or differences were found, 2 it could not run.
"""

import atexit
import gc
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn, TextIO

from acdl_mkdocs import __version__
from acdl_mkdocs.foundation.errors import UnknownFormatError
from acdl_mkdocs.frontends.cli.messages import StoppedError, print_detail, print_error, set_volume

if TYPE_CHECKING:
    from argparse import Namespace

_COULD_NOT_RUN = 2
_SIGNAL_STATUS = 128
"""Shells add this to the number of the signal that ended a program."""
_BROKEN_PIPE = _SIGNAL_STATUS + 13


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    signals = []
    if arguments is None:
        signals = _stop_in_order()
        atexit.register(gc.freeze)  # a last search for garbage would take a sixth of the time of `acdl render`
    if not os.path.isdir(os.path.dirname(__file__)):
        print_error("the package is inside an archive, but needs its files in a folder; install it with pip")
        raise SystemExit(_COULD_NOT_RUN)  # the main program of an archive ignores the return value
    if "_ARGCOMPLETE" in os.environ:  # a shell asks how a command line can continue
        from acdl_mkdocs.frontends.cli.completion import complete_command_line

        return complete_command_line()
    if not _has_streams():
        print_error("standard output is closed")
        return _COULD_NOT_RUN
    try:
        return _run_guarded(words, signals)
    except MemoryError:
        pass  # the memory is freed at the end of this clause
    print_error("there is not enough memory; give it less at once, or let it have more")
    return _COULD_NOT_RUN


def _run_guarded(words: Sequence[str], signals: Sequence[int]) -> int:
    """Run a command; errors that stop it are printed as one sentence, signals without one."""
    try:
        status = _execute_command(words)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output(sys.stdout)
        _discard_output(sys.stderr)
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _SIGNAL_STATUS + (signals[0] if signals else signal.SIGINT)
    except (StoppedError, UnknownFormatError) as wrong:
        print_error(str(wrong))
        return _COULD_NOT_RUN
    except MemoryError:
        raise
    except OSError as problem:
        if _is_of_output(problem):
            _discard_output(sys.stdout)
        _print_error_if_possible(_format_error(problem))
        return _COULD_NOT_RUN
    except Exception as fault:
        if os.environ.get("ACDL_TRACEBACK"):
            raise
        print_error(f"failed with {type(fault).__name__}: {fault}; please report it (ACDL_TRACEBACK=1 shows where)")
        return _COULD_NOT_RUN
    return status


def _execute_command(words: Sequence[str]) -> int:
    """Parse a command line and run the command."""
    if words in (["--version"], ["-V"]):
        print(f"acdl {__version__}")
        return 0
    from acdl_mkdocs.foundation.system import relax_collector  # the version needs none of it

    with relax_collector():  # most of what a command loads are modules, which are never garbage
        from acdl_mkdocs.frontends.cli.command_line import read_command_line
        from acdl_mkdocs.frontends.cli.output_format import choose_format
        from acdl_mkdocs.workspace.settings import use_settings_from

        args = read_command_line(words)
        if args is None:
            return 0
        choose_format(args)
        with use_settings_from(args.config), set_volume(is_quiet=args.quiet, is_verbose=args.verbose):
            return _run_command(args)


def _run_command(args: "Namespace") -> int:
    """Run a parsed command, with details if wanted."""
    started_s = time.monotonic()
    if args.verbose:
        from acdl_mkdocs.frontends.cli.details import report_details

        report_details()
    status: int = args.run(args)
    print_detail(f"finished after {time.monotonic() - started_s:.2f} s with exit status {status}")
    return status


def _stop_in_order() -> list[int]:
    """Handle signals that end a program like Ctrl-C, so that no draft of a file stays; return those that arrived."""
    received: list[int] = []

    def stop(number: int, _frame: object) -> NoReturn:
        received.append(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # `nohup` ignores it
            signal.signal(number, stop)
    return received


def _has_streams() -> bool:
    """Make the streams able to print any text; return False without standard output."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process lives
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    return sys.stdout is not None


def _is_of_output(problem: OSError) -> bool:
    """Return whether an error is about standard output: the system names no file then, nor if the folder is gone."""
    return problem.filename is None and not isinstance(problem, FileNotFoundError)


def _format_error(problem: OSError) -> str:
    """Return the system's error as a sentence."""
    reason = (problem.strerror or str(problem)).lower()
    if problem.filename is not None:
        return f"{problem.filename}: {reason}"
    if isinstance(problem, FileNotFoundError):
        return "the current folder does not exist any more; go to one that does"
    return f"standard output: {reason}"


def _print_error_if_possible(message: str) -> None:
    """Print an error, unless standard error is what failed."""
    try:
        print_error(message)
    except OSError:
        _discard_output(sys.stderr)


def _discard_output(stream: TextIO) -> None:
    """Discard output that a stream could not write, so that Python does not try again at exit."""
    with suppress(OSError):  # a stream of the caller has no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
