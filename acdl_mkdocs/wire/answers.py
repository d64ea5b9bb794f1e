"""Follows calls and results while a request body is read: whose result it is, and what has none."""

from collections import deque
from collections.abc import Iterable
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.pml.waiting import OpenIds
from acdl_mkdocs.wire.place import Place
from acdl_mkdocs.wire.results import Problem

SPLIT = (
    "results and other things in one message are read as messages of their own, and written so",
    "nothing: the provider takes both",
)
"""What is told of a message that is split, and what can be done."""


def given_id(place: Place, *, is_optional: bool = False) -> str | None:
    """The id of a call; none where it is empty or missing, so that results belong to calls in their order."""
    if place.value == "":
        place.advise("the id is empty: results belong to calls in their order", "give every call an id of its own")
        return None
    return place.optional_text() if is_optional else place.text() or None


Event: TypeAlias = tuple[Literal["answer", "message", "call", "result"], str, str | None, str | None]
"""Something that `Answers` was told: its kind, and the path, the id and the tool of a call or of a result."""


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
    by_id: OpenIds[_Asked] = field(default_factory=lambda: OpenIds(lambda asked: not asked.is_answered))
    first: dict[str, _Asked] = field(default_factory=dict)
    """The first call of each id."""
    n_passed: int = 0
    """How many calls another message comes after."""
    waiting: deque[_Asked] = field(default_factory=deque)
    """Calls of the last messages, of which some may be answered."""
    waiting_by_tool: dict[str, deque[_Asked]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    """All that it was told."""

    def message(self, *, is_answer: bool = False) -> None:
        """A message begins that is no result: calls must have their results by now.

        Those before another message of the model may still get theirs: some providers take several in a row as one.
        """
        self.events.append(("answer" if is_answer else "message", "", None, None))
        for asked in self.asked[self.n_passed :]:
            asked.is_passed = True
        self.n_passed = len(self.asked)
        if is_answer:
            return
        self.by_id.end_step()
        self.waiting.clear()
        self.waiting_by_tool.clear()

    def call(self, place: Place, id: str | None, tool: str) -> None:
        """A call is read."""
        self.events.append(("call", place.path, id, tool))
        asked = _Asked(place, id, tool)
        if id is not None:
            self.by_id.add(id, asked)
            first = self.first.setdefault(id, asked)
            if first is not asked:
                sentence = f"the call has the id `{id}`, as the one in `{first.place.path}` has"
                place.advise(sentence, "give every call an id of its own")
        self.asked.append(asked)
        self.waiting.append(asked)
        self.waiting_by_tool.setdefault(tool, deque()).append(asked)

    def result(self, place: Place, id: str | None, tool: str | None) -> str | None:
        """A result is read; says the tool that it is of, where that is known."""
        self.events.append(("result", place.path, id, tool))
        asked = self._named(id) if id is not None else self._earliest(tool)
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

    def repeat(self, events: Iterable[Event], problems: list[Problem]) -> None:
        """Tell it again what it was told of another body, from the beginning of that; problems go into a list."""
        for kind, path, call_id, tool in events:
            if kind == "call":
                self.call(Place(None, path, problems), call_id, tool or "")
            elif kind == "result":
                self.result(Place(None, path, problems), call_id, tool)
            else:
                self.message(is_answer=kind == "answer")

    def _named(self, id: str) -> _Asked | None:
        """The latest open call of an id; where all have their results, the last of them."""
        asked = self.by_id.take(id)
        return self.by_id.latest(id) if asked is None else asked

    def _earliest(self, tool: str | None) -> _Asked | None:
        """The first call of a tool, or of any, that has no result yet."""
        self.by_id.end_step()
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
