"""Follows calls and results while a request body is read: whose result it is, and what has none."""

from collections import deque
from dataclasses import field

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.wire.place import Place

SPLIT = (
    "results and other things in one message are read as messages of their own, and written so",
    "nothing: the provider takes both",
)
"""What is told of a message that is split, and what can be done."""


@dataclass(slots=True)
class _Asked:
    place: Place
    id: str | None
    tool: str
    is_answered: bool = False
    is_passed: bool = False
    """Whether another message came after it."""


@dataclass(slots=True)
class Answers:
    """Calls of a body so far. Tell it everything in the order of the body."""

    is_continued: bool = False
    """Whether the provider has earlier messages, so that calls may be missing."""
    asked: list[_Asked] = field(default_factory=list)
    by_id: dict[str, _Asked] = field(default_factory=dict)
    waiting: deque[_Asked] = field(default_factory=deque)
    """Calls of the last messages, of which some may be answered."""
    waiting_by_tool: dict[str, deque[_Asked]] = field(default_factory=dict)

    def message(self) -> None:
        """A message begins that is no result: calls must have their results by now."""
        for asked in self.waiting:
            asked.is_passed = True
        self.waiting.clear()
        self.waiting_by_tool.clear()

    def call(self, place: Place, id: str | None, tool: str) -> None:
        """A call is read."""
        asked = _Asked(place, id, tool)
        if id is not None and id in self.by_id:
            first = self.by_id[id].place.path
            place.advise(f"the call has the id `{id}`, as the one in `{first}` has", "give every call an id of its own")
        elif id is not None:
            self.by_id[id] = asked
        self.asked.append(asked)
        self.waiting.append(asked)
        self.waiting_by_tool.setdefault(tool, deque()).append(asked)

    def result(self, place: Place, id: str | None, tool: str | None) -> str | None:
        """A result is read; says the tool that it is of, where that is known."""
        asked = self.by_id.get(id) if id is not None else self._earliest(tool)
        if asked is None and self.is_continued:
            return tool
        if asked is None:
            what = f"no call before it has the id `{id}`" if id is not None else "no call before it waits for a result"
            place.advise(what, "put the call into a message before it, or leave the result out")
            return tool
        if asked.is_answered:
            place.advise(f"the call in `{asked.place.path}` has a result already", "give every call one result")
        asked.is_answered = True
        return asked.tool

    def _earliest(self, tool: str | None) -> _Asked | None:
        """The first call of a tool, or of any, that has no result yet."""
        waiting = self.waiting if tool is None else self.waiting_by_tool.get(tool)
        while waiting and waiting[0].is_answered:
            waiting.popleft()
        return waiting[0] if waiting else None

    def end(self) -> None:
        """Everything is read: only the last calls may wait."""
        for asked in self.asked:
            if asked.is_passed and not asked.is_answered:
                asked.place.advise(
                    f"the call of `{asked.tool}` has no result, and messages follow", "put its result right behind it"
                )
