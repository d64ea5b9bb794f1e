"""A result answers the latest open call of its id: some programs count ids anew at each step, or give none."""

from typing import Any

import pytest

from acdl_mkdocs.evaluation.formats.message_html import pair_calls
from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.pending_calls import PendingCalls
from acdl_mkdocs.prompts.pml.segments import remove
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Call, Message, Output, Prompt, Text, Tool
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES


def said(role: Any, *parts: Any) -> Message:
    """A message."""
    return Message(role, parts)


def result(call_id: str | None, text: str, tool: str | None = None) -> Message:
    """A result."""
    return said("tool", Output((Text(text),), call_id, tool))


HI = said("user", Text("hi"))
RUNS: dict[str, tuple[Message, ...]] = {
    "one-by-one": (
        said("assistant", Call("weather", {}, "c")),
        result("c", "weather"),
        said("assistant", Call("trains", {}, "c")),
        result("c", "trains"),
    ),
    "side-by-side": (
        said("assistant", Call("weather", {}, "c"), Call("trains", {}, "d")),
        result("d", "trains"),
        result("c", "weather"),
        said("assistant", Call("buses", {}, "c"), Call("boats", {}, "d")),
        result("d", "boats"),
        result("c", "buses"),
    ),
    "twice-in-a-step": (
        said("assistant", Call("weather", {}, "c"), Call("trains", {}, "c")),
        result("c", "weather"),
        result("c", "trains"),
        said("assistant", Call("buses", {}, "c"), Call("boats", {}, "c")),
        result("c", "buses"),
        result("c", "boats"),
    ),
    "without": (
        said("assistant", Call("weather", {})),
        result(None, "weather"),
        said("assistant", Call("trains", {}), Call("buses", {})),
        result(None, "trains"),
        result(None, "buses"),
    ),
}
"""Each result says the tool that it is of."""


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("messages", RUNS.values(), ids=RUNS)
def test_written(messages: tuple[Message, ...], name: str) -> None:
    """What is written has ids of its own for each call, and each result names its call."""
    written = WIRES[name].write(Prompt((HI, *messages)), "m")
    read = WIRES[name].read(written.body)
    assert read.problems == ()
    parts = [part for each in read.prompt.messages for part in each.parts]
    calls = {part.id: part.tool for part in parts if isinstance(part, Call)}
    outputs = [part for part in parts if isinstance(part, Output)]
    assert len(outputs) == sum(each.role == "tool" for each in messages)
    if None not in calls:
        assert [Text(calls[each.call_id]) for each in outputs] == [each.parts[0] for each in outputs]
    assert [Text(str(each.tool)) for each in outputs] == [each.parts[0] for each in outputs]


def read_as(name: str, messages: tuple[Message, ...], *, empty: bool = False) -> list[tuple[str | None, str]]:
    """The tools and texts of results that a body with these ids is read as."""
    body = WIRES[name].write(Prompt((HI, *messages)), "m").body
    ids = [part.id for each in messages for part in each.parts if isinstance(part, Call)]
    read = WIRES[name].read(body)
    written = [part.id for each in read.prompt.messages for part in each.parts if isinstance(part, Call)]
    names = {new: "" if empty else old for new, old in zip(written, ids, strict=True)}
    again = WIRES[name].read(renamed(body, names))
    assert not any("result already" in each.sentence or "no result" in each.sentence for each in again.problems)
    parts = [part for each in again.prompt.messages for part in each.parts]
    return [(part.tool, str(getattr(part.parts[0], "text", ""))) for part in parts if isinstance(part, Output)]


def renamed(value: Any, names: dict[Any, Any]) -> Any:
    """A body with other ids."""
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    keys = ("id", "call_id", "tool_call_id", "tool_use_id")
    return {key: names.get(each, each) if key in keys else renamed(each, names) for key, each in value.items()}


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("run", ["one-by-one", "side-by-side", "twice-in-a-step"])
def test_read(run: str, name: str) -> None:
    """Every provider's results are those of the latest calls."""
    assert all(tool == text for tool, text in read_as(name, RUNS[run]))


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("run", ["one-by-one", "twice-in-a-step"])
def test_empty(run: str, name: str) -> None:
    """Empty ids are none: results belong to calls in their order."""
    assert all(tool == text for tool, text in read_as(name, RUNS[run], empty=True))


@pytest.mark.parametrize("name", PROVIDERS)
def test_document(name: str) -> None:
    """A document keeps the ids, and what is written of it pairs them in the same way."""
    text = convert(str_of(RUNS["side-by-side"]), name, from_="pml").text
    assert text is not None
    for each in ("boats", "buses"):
        assert text.index(f'"{each}"') < text.rindex(f'"{each}"')


def str_of(messages: tuple[Message, ...]) -> str:
    """A document."""
    return write(Prompt((HI, *messages)))


def test_pages() -> None:
    """A page leads from each result to the call of its step."""
    found = pair_calls((HI, *RUNS["one-by-one"]), "p")
    assert [found[2, 0].tool, found[4, 0].tool] == ["weather", "trains"]


def test_segments() -> None:
    """With a call, its own result is removed."""
    left = remove(Prompt((HI, *RUNS["one-by-one"])), "turn[1]/assistant[2]/call[1]")
    assert left.messages == (HI, *RUNS["one-by-one"][:2])


def test_after_a_question() -> None:
    """A call that never got its result does not take that of a later one."""
    waiting: PendingCalls[int] = PendingCalls()
    for number, role in enumerate(("assistant", "user", "assistant")):
        waiting.begin_message(role)
        if role == "assistant":
            waiting.add_call(number, "c", "f")
    assert waiting.answer_call("c", None) == 2
    assert waiting.answer_call("c", None) == 0
    assert waiting.answer_call("c", None) == 2, "the last one, for a second result"


@pytest.mark.parametrize("name", PROVIDERS)
def test_two_tools_of_one_name(name: str) -> None:
    """Calls cannot tell them apart, and most providers reject them."""
    tools = (Tool("search", "Web"), Tool("find"), Tool("search", "Mail"))
    read = WIRES[name].read(WIRES[name].write(Prompt((HI,), tools), "m").body)
    (problem,) = read.problems
    assert problem.is_advice
    assert problem.sentence.startswith("another tool is also named `search`, in `tools[0]")
    assert problem.path.startswith("tools[")
    assert read.prompt.tools[2].description == "Mail"
