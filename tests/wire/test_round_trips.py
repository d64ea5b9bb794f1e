"""What is written is read again: the same prompt where the format holds it, and the same request always."""

import json
from typing import Any

import pytest
from exhaustive import few
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.prompts.prompt import Call, Json, Message, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import WIRES, Read, sniff
from wire.prompts import ANY, EVEN_OPAQUE, JSON, common

SETTINGS = {"max_tokens"}
"""What a format wants of every request: read as settings, which are not part of the prompt that was written."""


@pytest.mark.parametrize("name", few(WIRES, 2))
@given(data=st.data())
def test_common_subset(name: str, data: st.DataObject) -> None:
    """Prompts of the common subset come back as they were, without a loss and without a problem."""
    prompt = data.draw(common(name))
    written = WIRES[name].write(prompt, "m")
    read = WIRES[name].read(json.loads(json.dumps(written.body)))
    assert Prompt(read.prompt.messages, read.prompt.tools) == prompt
    assert [loss for loss in written.losses if not loss.is_advice] == []
    assert [problem for problem in read.problems if not problem.is_advice] == []
    assert read.model == (None if name in ("gemini", "pml") else "m")
    assert {key for each in read.prompt.settings for key in dict_of(each.json)} <= SETTINGS


def dict_of(value: Json) -> dict[str, Json]:
    """An object, which the value must be."""
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("name", few(WIRES, 2))
@given(prompt=ANY)
def test_written_again(name: str, prompt: Prompt) -> None:
    """Whatever a prompt says, what is written for it is read without a problem and written again as it was."""
    written = WIRES[name].write(prompt, "m")
    read = WIRES[name].read(written.body)
    again = WIRES[name].write(read.prompt, read.model)
    assert json.dumps(again.body) == json.dumps(written.body)


@pytest.mark.parametrize("name", WIRES)
def test_calls_between_which_was_a_result(name: str) -> None:
    """Two messages with calls become neighbours when the result between them is moved to an earlier call."""
    prompt = Prompt(
        (
            Message("assistant", (Call("search", {}, "a"),)),
            Message("user", (Text("And?"),)),
            Message("assistant", (Call("search", {}, "b"),)),
            Message("tool", (Output((Text("1"),), "a"),)),
            Message("assistant", (Call("read", {}, "c"),)),
            Message("tool", (Output((Text("3"),), "c"),)),
        )
    )
    written = WIRES[name].write(prompt, "m")
    read = WIRES[name].read(written.body)
    assert WIRES[name].write(read.prompt, read.model).body == written.body
    if name == "openai":
        body: Any = written.body
        calls = [[call["id"] for call in each.get("tool_calls", ())] for each in body["messages"]]
        assert calls == [["a"], [], [], ["b", "c"], []]


@pytest.mark.parametrize("name", few(WIRES, 2))
@given(prompt=EVEN_OPAQUE)
def test_anything_can_be_written(name: str, prompt: Prompt) -> None:
    """What providers say beside parts never breaks the writing, and every loss has a place and a cure."""
    written = WIRES[name].write(prompt, "m")
    json.dumps(written.body)
    assert all(loss.sentence and loss.cure for loss in written.losses)


KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "messages",
        "tools",
        "system",
        "input",
        "contents",
        "parts",
        "id",
        "name",
        "tool_calls",
        "function",
        "arguments",
        "call_id",
        "output",
        "functionCall",
        "functionResponse",
        "response",
        "tool_use_id",
        "tool_call_id",
        "source",
        "data",
        "image_url",
        "url",
        "thought",
        "summary",
        "instructions",
        "inlineData",
        "fileData",
        "input_schema",
        "parameters",
        "thinking",
        "signature",
        "functionDeclarations",
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "system",
        "model",
        "developer",
        "text",
        "tool_use",
        "tool_result",
        "function",
        "function_call",
        "reasoning",
        "message",
        "function_call_output",
        "image",
        "image_url",
        "input_text",
        "thinking",
        "custom",
    ]
)
BODIES: st.SearchStrategy[Json] = st.recursive(
    JSON | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("name", few(WIRES, 2))
@given(body=BODIES)
def test_anything_can_be_read(name: str, body: Json) -> None:
    """No body raises; what is read can be written."""
    read = WIRES[name].read(body)
    assert isinstance(read, Read)
    WIRES[name].write(read.prompt, read.model)
    for other in WIRES:
        WIRES[other].write(read.prompt, "m")
    assert sniff(body) in {None, *WIRES}
