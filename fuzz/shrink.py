"""The smallest input that fails in the same way: pieces are left out as long as the failure stays what it is."""

import math
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import process_time

PACKAGES = ("acdl_mkdocs", "fuzz")
SLOW = "slow"
"""How an input fails that takes too long."""


def signature(fault: BaseException) -> str:
    """What a failure is known by: its kind and the line of our code that is nearest to it."""
    if isinstance(fault, RecursionError):
        return type(fault).__name__ + " " + _outermost(fault)
    frames = [each for each in traceback.extract_tb(fault.__traceback__) if _is_ours(each.filename)]
    place = f"{_short(frames[-1].filename)}:{frames[-1].name}" if frames else "?"
    line = f" {frames[-1].line}" if frames else ""
    return f"{type(fault).__name__} {place}{line}"


def _outermost(fault: BaseException) -> str:
    """Where our package was entered: what calls itself stops anywhere."""
    frames = [each for each in traceback.extract_tb(fault.__traceback__) if "acdl_mkdocs/" in each.filename]
    return f"{_short(frames[0].filename)}:{frames[0].name}" if frames else "?"


def _is_ours(path: str) -> bool:
    return any(f"/{name}/" in path for name in PACKAGES)


def _short(path: str) -> str:
    start = max(path.rfind(f"/{name}/") for name in PACKAGES)
    return path[start + 1 :]


class _SlowError(Exception):
    """An input takes too long."""


def failure(run: Callable[[bytes], None], data: bytes, max_cpu_s: float = math.inf) -> str:
    """The signature of what goes wrong with an input; empty if nothing does.

    Parameters:
        run: What is tried.
        data: The input.
        max_cpu_s: More processor time is a failure of its own, called `slow`; it ends the input.
    """
    try:
        with nullcontext() if math.isinf(max_cpu_s) else _limited(max_cpu_s):
            run(data)
    except _SlowError:
        return SLOW
    except Exception as fault:
        return signature(fault)
    return ""


@contextmanager
def _limited(max_cpu_s: float) -> Iterator[None]:
    """Let what is done inside end when it has taken so much processor time."""

    def stop(*_: object) -> None:
        raise _SlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, max_cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def shrunk(run: Callable[[bytes], None], data: bytes, max_cpu_s: float = 60.0, input_cpu_s: float = math.inf) -> bytes:
    """A smaller input with the same failure.

    Parameters:
        run: What fails with the input.
        data: The input.
        max_cpu_s: How long smaller ones are looked for.
        input_cpu_s: How long one input may take; longer is a failure.
    """
    wanted = failure(run, data, input_cpu_s)
    ends = process_time() + max_cpu_s
    length = max(len(data) // 2, 1)
    while wanted:
        before = len(data)
        at = 0
        while at < len(data) and process_time() < ends:
            smaller = data[:at] + data[at + length :]
            if failure(run, smaller, input_cpu_s) == wanted:
                data = smaller
            else:
                at += length
        if process_time() >= ends or (length == 1 and len(data) == before):
            break
        length = max(length // 2, 1)
    return data
