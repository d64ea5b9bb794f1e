"""What reading of all request bodies has in common: values with paths, calls and their results, known messages."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.pending_calls import OpenIds
from acdl_mkdocs.prompts.prompt import Json, Message, Tool
from acdl_mkdocs.prompts.providers.results import Problem

_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}


@dataclass(frozen=True, slots=True)
class Place:
    """A value at a path. What is asked for by a wrong type is reported, once, and read as if it were empty."""

    value: Json
    path: str = ""
    problems: list[Problem] = field(default_factory=list)
    """What was found so far, shared by all places of a body."""
    is_missing: bool = False
    """Whether nothing stands here."""

    def report(self, sentence: str, cure: str) -> None:
        """Say what is wrong here."""
        self.problems.append(Problem(self.path, sentence, cure))

    def advise(self, sentence: str, cure: str) -> None:
        """Say why the provider may reject what is here, although it can be read."""
        self.problems.append(Problem(self.path, sentence, cure, is_advice=True))

    def expect(self, expected: str, cure: str) -> None:
        """Say that something else was expected here."""
        kind = "null" if self.value is None else _NAMES.get(type(self.value), "no JSON")
        found = "missing" if self.is_missing else kind
        self.report(f"this is {found}, expected {expected}", cure)

    def at(self, key: str) -> "Place":
        """The value of a key; `null` where there is none, or no object."""
        inside = self.value if isinstance(self.value, dict) else {}
        path = f"{self.path}.{key}" if self.path else key
        return Place(inside.get(key), path, self.problems, is_missing=key not in inside)

    def has(self, key: str) -> bool:
        """Whether there is such a key, with a value other than `null`."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def object(self) -> dict[str, Json]:
        """The object here."""
        if isinstance(self.value, dict):
            return self.value
        self.expect("an object", "write it as `{...}`")
        return {}

    def items(self) -> Iterator["Place"]:
        """The elements of the list here."""
        if not isinstance(self.value, list):
            self.expect("a list", "write it as `[...]`")
            return
        for number, value in enumerate(self.value):
            yield Place(value, f"{self.path}[{number}]", self.problems)

    def text(self) -> str:
        """The string here."""
        if isinstance(self.value, str):
            return self.value
        self.expect("a string", 'write it as `"..."`')
        return ""

    def optional_text(self) -> str | None:
        """The string here, or `None` where nothing is."""
        return None if self.value is None else self.text()

    def tell_order(self, others: list[Json]) -> None:
        """Say that elements of this list are written behind all others of it, where they do not stand there."""
        if isinstance(self.value, list) and others and self.value[-len(others) :] != others:
            sentence = "tools that the provider runs itself are written behind those that are declared"
            self.advise(sentence, "nothing: their order means nothing")

    def name(self, names: dict[str, str]) -> str:
        """The name of a tool, for which those of earlier ones are known, each with its place."""
        name = self.text()
        first = names.setdefault(name, self.path)
        if first != self.path:
            sentence = f"another tool is called `{name}` too, in `{first}`: providers reject that"
            self.advise(sentence, "give it another name, or declare it once")
        return name

    def rest(self, *known: str) -> dict[str, Json]:
        """The keys of the object here that are not known."""
        return {key: value for key, value in self.object().items() if key not in known}


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


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of one message of a body."""

    value: Json
    path: str
    is_special: bool
    messages: tuple[Message, ...]
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


class KnownMessages:
    """Messages of the last body, as far as the next one begins with them.

    Bodies that repeat a conversation have to repeat the same objects: whoever reads a recording sees to that.
    """

    def __init__(self) -> None:
        self._known: list[_Known] = []

    def read(
        self,
        places: Iterable[Place],
        answers: Answers,
        read_one: Callable[[Place, bool], Iterable[Message]],
        special: frozenset[int] = frozenset(),
    ) -> list[Message]:
        """Read the messages of a body.

        Parameters:
            places: The messages as the body has them.
            answers: Follows calls and results.
            read_one: Reads a message; it may depend on what `answers` was told before, and on nothing else.
            special: The numbers of messages that are read differently, which `read_one` is told.
        """
        if answers.events:  # what they depend on may differ from what it was for the last body
            self._known.clear()
        found: list[Message] = []
        number = -1
        for number, place in enumerate(places):
            known = self._repeated(number, place, is_special=number in special)
            n_problems, n_events = len(place.problems), len(answers.events)
            if known is None:
                messages = tuple(read_one(place, number in special))
                events, problems = tuple(answers.events[n_events:]), tuple(place.problems[n_problems:])
                known = _Known(place.value, place.path, number in special, messages, events, problems)
                self._known.append(known)
            else:
                answers.repeat(known.events, place.problems)
                place.problems[n_problems:] = known.problems
            found.extend(known.messages)
        del self._known[number + 1 :]
        return found

    def _repeated(self, number: int, place: Place, *, is_special: bool) -> _Known | None:
        """What is known of a message; those behind one that is not known depend on it, and are forgotten."""
        known = self._known[number] if number < len(self._known) else None
        if known is None or (
            known.value is place.value and known.path == place.path and known.is_special == is_special
        ):
            return known
        del self._known[number:]
        return None


def read_declared_tools(
    place: Place, is_declared: Callable[[Place], bool], read_tool: Callable[[Place, dict[str, str]], Tool]
) -> tuple[tuple[Tool, ...], dict[str, Json]]:
    """Read the tools of a request body.

    Parameters:
        place: The body.
        is_declared: Whether an entry of `tools` is a declaration.
        read_tool: Reads a declaration; the second argument has the names that were read before.

    Returns:
        The declared tools in order, and the other entries under the key `tools` if there are any.
    """
    tools: list[Tool] = []
    others: list[Json] = []
    names: dict[str, str] = {}
    for each in place.at("tools").items() if place.has("tools") else ():
        if is_declared(each):
            tools.append(read_tool(each, names))
        else:
            others.append(each.value)
    place.at("tools").tell_order(others)
    return tuple(tools), {"tools": others} if others else {}
