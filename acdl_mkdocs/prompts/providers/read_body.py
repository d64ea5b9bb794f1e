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
class JsonNode:
    """A JSON value at a path. A wrong type is reported, once, and read as an empty value."""

    value: Json
    path: str = ""
    problems: list[Problem] = field(default_factory=list)
    """Problems found so far, shared by all nodes of a body."""
    is_missing: bool = False
    """Whether there is no value."""

    def report_problem(self, sentence: str, cure: str) -> None:
        """Report a problem here."""
        self.problems.append(Problem(self.path, sentence, cure))

    def report_advice(self, sentence: str, cure: str) -> None:
        """Report why the provider may reject a value that can be read."""
        self.problems.append(Problem(self.path, sentence, cure, is_advice=True))

    def report_expected(self, expected: str, cure: str) -> None:
        """Report that something else was expected here."""
        kind = "null" if self.value is None else _NAMES.get(type(self.value), "not JSON")
        actual = "missing" if self.is_missing else kind
        self.report_problem(f"this is {actual}, expected {expected}", cure)

    def get_key(self, key: str) -> "JsonNode":
        """Return the value of a key; `null` if there is no such key, or no object."""
        inside = self.value if isinstance(self.value, dict) else {}
        path = f"{self.path}.{key}" if self.path else key
        return JsonNode(inside.get(key), path, self.problems, is_missing=key not in inside)

    def has_key(self, key: str) -> bool:
        """Return whether the key exists, with a value other than `null`."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def read_object(self) -> dict[str, Json]:
        """Return the object here."""
        if isinstance(self.value, dict):
            return self.value
        self.report_expected("an object", "write it as `{...}`")
        return {}

    def list_items(self) -> Iterator["JsonNode"]:
        """Yield the elements of the list here."""
        if not isinstance(self.value, list):
            self.report_expected("a list", "write it as `[...]`")
            return
        for number, value in enumerate(self.value):
            yield JsonNode(value, f"{self.path}[{number}]", self.problems)

    def read_text(self) -> str:
        """Return the string here."""
        if isinstance(self.value, str):
            return self.value
        self.report_expected("a string", 'write it as `"..."`')
        return ""

    def read_optional_text(self) -> str | None:
        """Return the string here, or `None` if there is no value."""
        return None if self.value is None else self.read_text()

    def report_order(self, others: list[Json]) -> None:
        """Report that elements of this list are written after all others, if they are not there already."""
        if isinstance(self.value, list) and others and self.value[-len(others) :] != others:
            sentence = "tools run by the provider are written after the declared tools"
            self.report_advice(sentence, "no change is needed: their order has no meaning")

    def read_tool_name(self, names: dict[str, str]) -> str:
        """Return the name of a tool; `names` has those of earlier tools, each with its path."""
        name = self.read_text()
        first = names.setdefault(name, self.path)
        if first != self.path:
            sentence = f"another tool is also named `{name}`, in `{first}`: providers reject that"
            self.report_advice(sentence, "give it another name, or declare it once")
        return name

    def list_other_keys(self, *names: str) -> dict[str, Json]:
        """Return the unknown keys of the object here."""
        return {key: value for key, value in self.read_object().items() if key not in names}


SPLIT = (
    "results and other content of one message are read and written as separate messages",
    "no change is needed: the provider accepts both forms",
)
"""The sentence about a message that is split, and its help."""


def read_id(node: JsonNode, *, is_optional: bool = False) -> str | None:
    """Return the id of a call; `None` if it is empty or missing, so that results belong to calls in their order."""
    if node.value == "":
        node.report_advice("the id is empty: results belong to calls in their order", "give every call its own id")
        return None
    return node.read_optional_text() if is_optional else node.read_text() or None


Event: TypeAlias = tuple[Literal["answer", "message", "call", "result"], str, str | None, str | None]
"""Something that `PairedCalls` was called with: its kind, and the path, the id and the tool of a call or a result."""


@dataclass(slots=True)
class _ReadCall:
    node: JsonNode
    id: str | None
    tool: str
    is_answered: bool = False
    is_passed: bool = False
    """Whether another message came after it."""


@dataclass(slots=True)
class PairedCalls:
    """Calls of a body so far. Needs every message, call and result in the order of the body."""

    is_continued: bool = False
    """Whether the provider has earlier messages, so their calls may be missing."""
    calls: list[_ReadCall] = field(default_factory=list)
    by_id: OpenIds[_ReadCall] = field(default_factory=lambda: OpenIds(lambda asked: not asked.is_answered))
    first: dict[str, _ReadCall] = field(default_factory=dict)
    """The first call of each id."""
    n_passed: int = 0
    """How many calls another message comes after."""
    waiting: deque[_ReadCall] = field(default_factory=deque)
    """Calls of the last messages, some of which may be answered."""
    waiting_by_tool: dict[str, deque[_ReadCall]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    """Everything that it was called with."""

    def begin_message(self, *, is_answer: bool = False) -> None:
        """Begin a message that is not a result: calls must have their results by now.

        Those before another message of the model may still get theirs: some providers take several in a row as one.
        """
        self.events.append(("answer" if is_answer else "message", "", None, None))
        for call in self.calls[self.n_passed :]:
            call.is_passed = True
        self.n_passed = len(self.calls)
        if is_answer:
            return
        self.by_id.end_step()
        self.waiting.clear()
        self.waiting_by_tool.clear()

    def add_call(self, node: JsonNode, id: str | None, tool: str) -> None:
        """Add a call."""
        self.events.append(("call", node.path, id, tool))
        call = _ReadCall(node, id, tool)
        if id is not None:
            self.by_id.add_call(id, call)
            first = self.first.setdefault(id, call)
            if first is not call:
                sentence = f"the call has the same id `{id}` as the one in `{first.node.path}`"
                node.report_advice(sentence, "give every call its own id")
        self.calls.append(call)
        self.waiting.append(call)
        self.waiting_by_tool.setdefault(tool, deque()).append(call)

    def add_result(self, node: JsonNode, id: str | None, tool: str | None) -> str | None:
        """Add a result; return its tool, if it is known."""
        self.events.append(("result", node.path, id, tool))
        call = self._find_call(id) if id is not None else self._find_earliest(tool)
        if call is None and self.is_continued:
            return tool
        if call is None:
            what = f"no call before it has the id `{id}`" if id is not None else "no call before it waits for a result"
            node.report_advice(what, "put the call in a message before it, or remove the result")
            return tool
        if call.is_answered:
            node.report_advice(f"the call in `{call.node.path}` already has a result", "give every call one result")
        call.is_answered = True
        return call.tool

    def replay_events(self, events: Iterable[Event], problems: list[Problem]) -> None:
        """Replay the events of another body from its beginning; problems go into a list."""
        for kind, path, call_id, tool in events:
            if kind == "call":
                self.add_call(JsonNode(None, path, problems), call_id, tool or "")
            elif kind == "result":
                self.add_result(JsonNode(None, path, problems), call_id, tool)
            else:
                self.begin_message(is_answer=kind == "answer")

    def _find_call(self, id: str) -> _ReadCall | None:
        """Return the latest open call with an id; if all have results, the last of them."""
        call = self.by_id.take_call(id)
        return self.by_id.find_latest(id) if call is None else call

    def _find_earliest(self, tool: str | None) -> _ReadCall | None:
        """Return the first call of a tool, or of any, that has no result yet."""
        self.by_id.end_step()
        queue = self.waiting if tool is None else self.waiting_by_tool.get(tool)
        while queue and queue[0].is_answered:
            queue.popleft()
        return queue[0] if queue else None

    def check_end(self) -> None:
        """Check the calls at the end: only the last ones may be open."""
        for call in self.calls:
            if call.is_passed and not call.is_answered:
                call.node.report_advice(
                    f"the call of `{call.tool}` has no result, and messages follow", "put its result right after it"
                )


@dataclass(frozen=True, slots=True)
class _KnownMessage:
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
        self._messages: list[_KnownMessage] = []

    def read_messages(
        self,
        nodes: Iterable[JsonNode],
        pairing: PairedCalls,
        read_one: Callable[[JsonNode, bool], Iterable[Message]],
        special: frozenset[int] = frozenset(),
    ) -> list[Message]:
        """Read the messages of a body.

        Parameters:
            nodes: The messages in the body.
            pairing: Follows calls and results.
            read_one: Reads a message; it may depend only on earlier calls of `answers`.
            special: The numbers of messages that are read differently; `read_one` gets a flag for them.
        """
        if pairing.events:  # their dependencies may differ from those of the last body
            self._messages.clear()
        all_messages: list[Message] = []
        number = -1
        for number, node in enumerate(nodes):
            known_message = self._reuse_message(number, node, is_special=number in special)
            n_problems, n_events = len(node.problems), len(pairing.events)
            if known_message is None:
                messages = tuple(read_one(node, number in special))
                events, problems = tuple(pairing.events[n_events:]), tuple(node.problems[n_problems:])
                known_message = _KnownMessage(node.value, node.path, number in special, messages, events, problems)
                self._messages.append(known_message)
            else:
                pairing.replay_events(known_message.events, node.problems)
                node.problems[n_problems:] = known_message.problems
            all_messages.extend(known_message.messages)
        del self._messages[number + 1 :]
        return all_messages

    def _reuse_message(self, number: int, node: JsonNode, *, is_special: bool) -> _KnownMessage | None:
        """Return a known message; forget later messages if it is unknown, because they depend on it."""
        known_message = self._messages[number] if number < len(self._messages) else None
        if known_message is None or (
            known_message.value is node.value
            and known_message.path == node.path
            and known_message.is_special == is_special
        ):
            return known_message
        del self._messages[number:]
        return None


def read_declared_tools(
    node: JsonNode, is_declared: Callable[[JsonNode], bool], read_tool: Callable[[JsonNode, dict[str, str]], Tool]
) -> tuple[tuple[Tool, ...], dict[str, Json]]:
    """Read the tools of a request body.

    Parameters:
        node: The body.
        is_declared: Whether an entry of `tools` is a declaration.
        read_tool: Reads a declaration; the second argument has the names that were read before.

    Returns:
        The declared tools in order, and the other entries under the key `tools` if there are any.
    """
    tools: list[Tool] = []
    others: list[Json] = []
    names: dict[str, str] = {}
    for each in node.get_key("tools").list_items() if node.has_key("tools") else ():
        if is_declared(each):
            tools.append(read_tool(each, names))
        else:
            others.append(each.value)
    node.get_key("tools").report_order(others)
    return tuple(tools), {"tools": others} if others else {}
