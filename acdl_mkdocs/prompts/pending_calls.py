"""`PendingCalls`: calls without a result, and which of them a result answers. Knows only ids and names of tools.

A result with an id answers the latest open call that has it, since some programs count ids anew at every step; of
calls of one step that share an id, the first. A result without an id, or with an empty one, answers the earliest
pending call of its tool, or the earliest of all if it names no tool.
"""

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")


class OpenIds(Generic[K]):
    """Calls by their ids, step by step: a step is over when a result comes, or when a person speaks."""

    def __init__(self, is_open: Callable[[K], bool]) -> None:
        self._is_open = is_open
        self._alone: dict[str, tuple[int, K]] = {}
        """Ids of one call with its step, which is the usual case: a list for each would need ten times the memory."""
        self._steps: dict[str, list[tuple[int, deque[K]]]] = {}
        self._latest: dict[str, K] = {}
        self._step = 0

    def end_step(self) -> None:
        """End the current step: later calls belong to another one."""
        self._step += 1

    def add_call(self, call_id: str, call: K) -> None:
        """Add a call of the current step."""
        if call_id not in self._steps and call_id not in self._alone:
            self._alone[call_id] = (self._step, call)
            return
        steps = self._steps.setdefault(call_id, [])
        if call_id in self._alone:
            step, first = self._alone.pop(call_id)
            steps.append((step, deque((first,))))
        if not steps or steps[-1][0] != self._step:
            steps.append((self._step, deque()))
        steps[-1][1].append(call)
        self._latest[call_id] = call

    def take_call(self, call_id: str) -> K | None:
        """Remove and return the latest open call with an id, which a result answers."""
        self._step += 1
        if call_id in self._alone:
            call = self._alone[call_id][1]
            return call if self._is_open(call) else None
        steps = self._steps.get(call_id)
        while steps:
            calls = steps[-1][1]
            while calls:
                call = calls.popleft()
                if self._is_open(call):
                    return call
            steps.pop()
        return None

    def find_latest(self, call_id: str) -> K | None:
        """Return the last call with an id, open or answered."""
        return self._alone[call_id][1] if call_id in self._alone else self._latest.get(call_id)


class PendingCalls(Generic[K]):
    """Pending calls, each with a unique handle."""

    def __init__(self) -> None:
        self.calls: dict[K, None] = {}
        """The pending calls, in order."""
        self._by_id: OpenIds[K] = OpenIds(self.calls.__contains__)
        self._by_tool: dict[str, deque[K]] = {}
        self._in_order: deque[K] = deque()
        self._first: dict[str, K] = {}

    def begin_message(self, role: str) -> None:
        """Begin a message of a role: one of a person or a program ends a step."""
        if role not in ("assistant", "tool"):
            self._by_id.end_step()

    def add_call(self, call: K, call_id: str | None, tool: str) -> K | None:
        """Add a call; return the first one with the same id, if there is one."""
        self.calls[call] = None
        self._by_tool.setdefault(tool, deque()).append(call)
        self._in_order.append(call)
        if not call_id:
            return None
        self._by_id.add_call(call_id, call)
        first = self._first.setdefault(call_id, call)
        return None if first == call else first

    def answer_call(self, call_id: str | None, tool: str | None) -> K | None:
        """Remove and return the call that a result answers; `None` if there is none.

        If all calls with an id have results, it is the last of them.
        """
        if call_id:
            named = self._by_id.take_call(call_id)
            if named is None:
                return self._by_id.find_latest(call_id)
            del self.calls[named]
            return named
        self._by_id.end_step()
        candidates = self._in_order if tool is None else self._by_tool.get(tool, deque())
        while candidates:
            call = candidates.popleft()
            if call in self.calls:
                del self.calls[call]
                return call
        return None
