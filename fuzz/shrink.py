"""The smallest input that fails in the same way: pieces are left out as long as the failure stays what it is."""

import traceback
from collections.abc import Callable
from time import process_time

PACKAGES = ("acdl_mkdocs", "fuzz")


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


def failure(run: Callable[[bytes], None], data: bytes) -> str:
    """The signature of what goes wrong with an input; empty if nothing does."""
    try:
        run(data)
    except Exception as fault:
        return signature(fault)
    return ""


def shrunk(run: Callable[[bytes], None], data: bytes, max_cpu_s: float = 60.0) -> bytes:
    """A smaller input with the same failure.

    Parameters:
        run: What fails with the input.
        data: The input.
        max_cpu_s: How long smaller ones are looked for.
    """
    wanted = failure(run, data)
    ends = process_time() + max_cpu_s
    length = max(len(data) // 2, 1)
    while wanted:
        before = len(data)
        at = 0
        while at < len(data) and process_time() < ends:
            smaller = data[:at] + data[at + length :]
            if failure(run, smaller) == wanted:
                data = smaller
            else:
                at += length
        if process_time() >= ends or (length == 1 and len(data) == before):
            break
        length = max(length // 2, 1)
    return data
