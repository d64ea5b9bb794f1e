"""`Waiting`: calls that wait for their results, and which of them a result answers; knows ids and names of tools only.

A result with an id answers the first call that has it; one without answers the earliest call of its tool that waits, or
the earliest of all where it names no tool.
"""

from collections import deque
from typing import Generic, TypeVar

K = TypeVar("K")


class Waiting(Generic[K]):
    """Calls, each with something that stands for it and is not there twice."""

    def __init__(self) -> None:
        self.calls: dict[K, None] = {}
        """Those that wait, in order."""
        self.by_id: dict[str, K] = {}
        self._by_tool: dict[str, deque[K]] = {}
        self._in_order: deque[K] = deque()

    def add(self, call: K, call_id: str | None, tool: str) -> K | None:
        """One more call; the one that had its id before, if there is such."""
        self.calls[call] = None
        self._by_tool.setdefault(tool, deque()).append(call)
        self._in_order.append(call)
        if call_id is None:
            return None
        first = self.by_id.setdefault(call_id, call)
        return None if first == call else first

    def answered(self, call_id: str | None, tool: str | None) -> K | None:
        """The call that a result answers, which waits no longer; `None` where there is none."""
        if call_id is not None:
            named = self.by_id.get(call_id)
            if named is not None:
                self.calls.pop(named, None)
            return named
        candidates = self._in_order if tool is None else self._by_tool.get(tool, deque())
        while candidates:
            call = candidates.popleft()
            if call in self.calls:
                del self.calls[call]
                return call
        return None
