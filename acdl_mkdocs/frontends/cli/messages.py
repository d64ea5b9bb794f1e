"""Messages of commands beside their results: on standard error, in colour where wanted."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TextIO, TypeVar

from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.runs.read.forms import FORMS, FORMS_IN_WORDS

if TYPE_CHECKING:
    from acdl_mkdocs.app.cures import Option


class StoppedError(Exception):
    """A command cannot continue; the message is a sentence for a person."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status
        """The exit status: 1 if a text is the reason, 2 if the command could not start."""


Item = TypeVar("Item")
Result = TypeVar("Result")

RANGE_HELP = "whether range(a, b) stops before b or at it; {}"
RECORDINGS_HELP = f"recorded requests or transcripts: {FORMS_IN_WORDS}; folders with them; `-` is standard input"
FROM_HELP = f"format of the files ({', '.join(FORMS)}) or of the request bodies (default: auto-detect)"
_BAR_WIDTH = 24
SILENT_S, EVERY_S = 2.0, 0.2
"""Progress is shown after this time, and updated at this interval, in seconds."""


def option_words(option: "Option") -> str:
    """Return the command line's form of an option: `--missing placeholder`."""
    return f"`--{option.name} {option.value}`" if option.value else f"`--{option.name}`"


def should_color(wanted: str, stream: TextIO) -> bool:
    """Return whether a stream gets colours: `always`, `never`, or on a terminal unless `NO_COLOR` is set."""
    if wanted != "auto":
        return wanted == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


_is_quiet = ContextVar("is_quiet", default=False)
_is_verbose = ContextVar("is_verbose", default=False)


@contextmanager
def set_volume(*, is_quiet: bool, is_verbose: bool) -> Iterator[None]:
    """Within a block, print neither progress nor summaries (quiet), or also details (verbose)."""
    tokens = _is_quiet.set(is_quiet), _is_verbose.set(is_verbose)
    try:
        yield
    finally:
        _is_quiet.reset(tokens[0])
        _is_verbose.reset(tokens[1])


def print_outcome(sentence: str) -> None:
    """Print a summary, unless the user wants results and errors only."""
    if not _is_quiet.get():
        print(make_visible(sentence), file=sys.stderr)


def print_detail(sentence: str) -> None:
    """Print a detail for users who give `-v`: files read and written, settings, time."""
    if _is_verbose.get():
        print(f"acdl: {make_visible(sentence)}", file=sys.stderr)


def is_verbose() -> bool:
    """Return whether `print_detail` prints, for details that take time to compute."""
    return _is_verbose.get()


def _shows_progress() -> bool:
    return sys.stderr.isatty() and not _is_quiet.get()


def print_error(message: str) -> None:
    """Print why something could not be done."""
    if _shows_progress():
        clear_bar()
    print(f"acdl: {make_visible(message)}", file=sys.stderr)


def map_with_progress(items: Sequence[Item], work: Callable[[Item], Result]) -> Iterator[Result]:
    """Work on items one after another, showing the count on a terminal and nothing anywhere else.

    The line of the terminal is cleared before each result is yielded, so that something may be printed about it.
    """
    is_shown = len(items) > 1 and _shows_progress()
    for idx, item in enumerate(items):
        if is_shown:
            show_bar(idx, len(items))
        result = work(item)
        if is_shown:
            clear_bar()
        yield result


def show_bar(n_done: int, n_all: int, note: str = "") -> None:
    """Show the progress on a terminal, replacing the last one; nothing anywhere else."""
    if _shows_progress():
        filled = _BAR_WIDTH * n_done // max(n_all, 1)
        bar = "#" * filled + "." * (_BAR_WIDTH - filled)
        print(f"\r[{bar}] {n_done}/{n_all}{note}", end="", file=sys.stderr, flush=True)


def show_count(n_done: int, noun: str) -> None:
    """Show a count on a terminal if the total is unknown; nothing anywhere else."""
    if _shows_progress():
        print(f"\r{n_done:,} {noun}{'' if n_done == 1 else 's'}", end="", file=sys.stderr, flush=True)


class SlowProgress:
    """A progress display for requests on a terminal, once they take long; nothing anywhere else."""

    def __init__(self) -> None:
        self._next_s = time.monotonic() + SILENT_S

    def show_count(self, n_done: int, n_all: int | None = None) -> None:
        """Show the count, unless it was shown a moment ago."""
        now_s = time.monotonic()
        if now_s >= self._next_s:
            if n_all is None:
                show_count(n_done, "request")
            else:
                clear_bar()  # the text before may be longer
                show_bar(n_done, n_all, " requests")
            self._next_s = now_s + EVERY_S


@contextmanager
def report_if_slow(sentence: str) -> Iterator[None]:
    """Within a block that shows no progress, print on a terminal what is being done, once that takes long."""
    if not _shows_progress():
        yield
        return
    from threading import Timer  # few commands take long on a terminal

    timer = Timer(SILENT_S, print, (f"acdl: {make_visible(sentence)} ...",), {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def clear_bar() -> None:
    """Clear the progress line of a terminal; nothing anywhere else."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
