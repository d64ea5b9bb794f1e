"""Common parts of reading request bodies: values with paths, calls and their results, known messages."""

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
    """A value at a path. A wrong type is reported, once, and read as an empty value."""

    value: Json
    path: str = ""
    problems: list[Problem] = field(default_factory=list)
    """Problems found so far, shared by all places of a body."""
    is_missing: bool = False
    """Whether there is no value."""

    def report(self, sentence: str, cure: str) -> None:
        """Report a problem here."""
        self.problems.append(Problem(self.path, sentence, cure))

    def advise(self, sentence: str, cure: str) -> None:
        """Report why the provider may reject a value that can be read."""
        self.problems.append(Problem(self.path, sentence, cure, is_advice=True))

    def expect(self, expected: str, cure: str) -> None:
        """Report that something else was expected here."""
        kind = "null" if self.value is None else _NAMES.get(type(self.value), "no JSON")
        found = "missing" if self.is_missing else kind
        self.report(f"this is {found}, expected {expected}", cure)

    def at(self, key: str) -> "Place":
        """Return the value of a key; `null` if there is no such key, or no object."""
        inside = self.value if isinstance(self.value, dict) else {}
        path = f"{self.path}.{key}" if self.path else key
        return Place(inside.get(key), path, self.problems, is_missing=key not in inside)

    def has(self, key: str) -> bool:
        """Return whether the key exists, with a value other than `null`."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def object(self) -> dict[str, Json]:
        """Return the object here."""
        if isinstance(self.value, dict):
            return self.value
        self.expect("an object", "write it as `{...}`")
        return {}

    def items(self) -> Iterator["Place"]:
        """Yield the elements of the list here."""
        if not isinstance(self.value, list):
            self.expect("a list", "write it as `[...]`")
            return
        for number, value in enumerate(self.value):
            yield Place(value, f"{self.path}[{number}]", self.problems)

    def text(self) -> str:
        """Return the string here."""
        if isinstance(self.value, str):
            return self.value
        self.expect("a string", 'write it as `"..."`')
        return ""

    def optional_text(self) -> str | None:
        """Return the string here, or `None` if there is no value."""
        return None if self.value is None else self.text()

    def tell_order(self, others: list[Json]) -> None:
        """Report that elements of this list are written after all others, if they are not there already."""
        if isinstance(self.value, list) and others and self.value[-len(others) :] != others:
            sentence = "tools that the provider runs itself are written behind those that are declared"
            self.advise(sentence, "nothing: their order means nothing")

    def name(self, names: dict[str, str]) -> str:
        """Return the name of a tool; `names` has those of earlier tools, each with its path."""
        name = self.text()
        first = names.setdefault(name, self.path)
        if first != self.path:
            sentence = f"another tool is called `{name}` too, in `{first}`: providers reject that"
            self.advise(sentence, "give it another name, or declare it once")
        return name

    def rest(self, *known: str) -> dict[str, Json]:
        """Return the unknown keys of the object here."""
        return {key: value for key, value in self.object().items() if key not in known}


SPLIT = (
    "results and other things in one message are read as messages of their own, and written so",
    "nothing: the provider takes both",
)
"""The sentence about a message that is split, and its help."""


def given_id(place: Place, *, is_optional: bool = False) -> str | None:
    """Return the id of a call; `None` if it is empty or missing, so that results belong to calls in their order."""
    if place.value == "":
        place.advise("the id is empty: results belong to calls in their order", "give every call an id of its own")
        return None
    return place.optional_text() if is_optional else place.text() or None


Event: TypeAlias = tuple[Literal["answer", "message", "call", "result"], str, str | None, str | None]
"""Something that `Answers` was called with: its kind, and the path, the id and the tool of a call or of a result."""


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
    """Calls of a body so far. Needs every message, call and result in the order of the body."""

    is_continued: bool = False
    """Whether the provider has earlier messages, so their calls may be missing."""
    asked: list[_Asked] = field(default_factory=list)
    by_id: OpenIds[_Asked] = field(default_factory=lambda: OpenIds(lambda asked: not asked.is_answered))
    first: dict[str, _Asked] = field(default_factory=dict)
    """The first call of each id."""
    n_passed: int = 0
    """How many calls another message comes after."""
    waiting: deque[_Asked] = field(default_factory=deque)
    """Calls of the last messages, some of which may be answered."""
    waiting_by_tool: dict[str, deque[_Asked]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    """Everything that it was called with."""

    def message(self, *, is_answer: bool = False) -> None:
        """Begin a message that is not a result: calls must have their results by now.

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
        """Add a call."""
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
        """Add a result; return its tool, if it is known."""
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
        """Replay the events of another body from its beginning; problems go into a list."""
        for kind, path, call_id, tool in events:
            if kind == "call":
                self.call(Place(None, path, problems), call_id, tool or "")
            elif kind == "result":
                self.result(Place(None, path, problems), call_id, tool)
            else:
                self.message(is_answer=kind == "answer")

    def _named(self, id: str) -> _Asked | None:
        """Return the latest open call with an id; if all have results, the last of them."""
        asked = self.by_id.take(id)
        return self.by_id.latest(id) if asked is None else asked

    def _earliest(self, tool: str | None) -> _Asked | None:
        """Return the first call of a tool, or of any, that has no result yet."""
        self.by_id.end_step()
        waiting = self.waiting if tool is None else self.waiting_by_tool.get(tool)
        while waiting and waiting[0].is_answered:
            waiting.popleft()
        return waiting[0] if waiting else None

    def end(self) -> None:
        """Check the calls at the end: only the last ones may be open."""
        for asked in self.asked:
            if asked.is_passed and not asked.is_answered:
                asked.place.advise(
                    f"the call of `{asked.tool}` has no result, and messages follow", "put its result right behind it"
                )


@dataclass(frozen=True, slots=True)
class _Known:
    """The result of reading one message of a body."""

    value: Json
    path: str
    is_special: bool
    messages: tuple[Message, ...]
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


class KnownMessages:
    """Messages of the last body that the next one may begin with.

    Bodies that repeat a conversation have to repeat the same objects, which readers of recordings ensure.
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
            places: The messages in the body.
            answers: Follows calls and results.
            read_one: Reads a message; it may depend only on earlier calls of `answers`.
            special: The numbers of messages that are read differently; `read_one` gets a flag for them.
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
        """Return a known message; forget later messages if it is unknown, because they depend on it."""
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
