"""What commands say beside their results: on standard error, in colour where that is wanted."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO, TypeVar

from acdl_mkdocs.figure.metrics import visible

Item = TypeVar("Item")
Result = TypeVar("Result")

RANGE_HELP = "whether range(a, b) stops before b or at it; {}"
_BAR_WIDTH = 24


def use_color(wanted: str, stream: TextIO) -> bool:
    """Whether a stream gets colours: `always`, `never`, or on a terminal unless `NO_COLOR` is set."""
    if wanted != "auto":
        return wanted == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def complain(message: str) -> None:
    """Say why something could not be done."""
    print(f"acdl: {visible(message)}", file=sys.stderr)


def progress(items: Sequence[Item], work: Callable[[Item], Result]) -> Iterator[Result]:
    """Work on items one after another, showing how many are done on a terminal and nothing anywhere else.

    The line of the terminal is free again whenever a result comes, so that something may be printed about it.
    """
    is_shown = len(items) > 1 and sys.stderr.isatty()
    for idx, item in enumerate(items):
        if is_shown:
            filled = _BAR_WIDTH * idx // len(items)
            bar = "#" * filled + "." * (_BAR_WIDTH - filled)
            print(f"\r[{bar}] {idx}/{len(items)}", end="", file=sys.stderr, flush=True)
        result = work(item)
        if is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        yield result


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 error", "2 errors"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
