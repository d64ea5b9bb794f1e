"""What work costs: the lines of Python that run, without a clock; and the one clock, for what runs in C."""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

Found = TypeVar("Found")
MOST_SECONDS = 30
"""Of the processor, so other programs take none of it; ten times what anything takes that is measured so."""
Tracer = Callable[[FrameType, str, object], "Tracer"]


def n_steps(work: Callable[[], object]) -> int:
    """Lines of Python that run while something is done."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> Tracer:
        del frame, argument
        nonlocal count
        count += event == "line"
        return counted

    outer = sys.gettrace()
    sys.settrace(counted)
    try:
        work()
    finally:
        sys.settrace(outer)
    return count


def soon(work: Callable[[], Found]) -> Found:
    """What comes of work in regular expressions and parsers of C, where no line is counted.

    Inputs are as long as makes this last minutes where anything is looked through again for each of its parts.
    """
    began = time.process_time()
    found = work()
    assert time.process_time() - began < MOST_SECONDS
    return found
