"""What is wrong in a request body: everything at once, with places, and nothing dropped for it."""

import json
from typing import Any

import pytest

from acdl_mkdocs.prompts.prompt import Call, Message, Opaque, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import WIRES, sniff


def problems(name: str, body: Any) -> dict[str, str]:
    """Places and sentences of what is wrong."""
    return {each.path: each.sentence for each in WIRES[name].read(body).problems}


def test_everything_at_once() -> None:
    """Several things are wrong: each is told with its place, what was expected and a cure."""
    body = {
        "model": 5,
        "messages": [
            {"role": "usr", "content": "hi"},
            {"role": "user", "content": 7},
            {"role": "user", "content": ["hi", {"text": "no type"}]},
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1'}},
                    {"id": "a", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}},
                    {"id": "b", "type": "function", "function": {"name": None, "arguments": '{"x": NaN}'}},
                    {"id": "c", "type": "function", "function": {"name": "g", "arguments": '{"x": 1, "x": 2}'}},
                ],
            },
            {"role": "tool", "tool_call_id": "zz", "content": "?"},
            {"role": "user", "content": "so?"},
            "hi",
        ],
    }
    read = WIRES["openai"].read(body)  # type: ignore[arg-type]
    assert [(each.path, each.sentence) for each in read.problems] == [
        ("messages[0].role", "this is not a message role"),
        ("messages[1].content", "this is a number, expected a string or a list of parts"),
        ("messages[2].content[0]", "this is a string, expected an object with a `type`"),
        ("messages[2].content[1]", "this part has no `type`"),
        (
            "messages[3].tool_calls[0].function.arguments",
            "the arguments are not one JSON object: expecting ',' delimiter at character 8",
        ),
        ("messages[3].tool_calls[1].function.arguments", "this is an object, expected a string that holds JSON"),
        (
            "messages[3].tool_calls[1]",
            "the call has the same id `a` as the one in `messages[3].tool_calls[0]`",
        ),
        ("messages[3].tool_calls[2].function.name", "this is null, expected a string"),
        (
            "messages[3].tool_calls[2].function.arguments",
            "the arguments are not one JSON object: `NaN` is not a JSON value",
        ),
        (
            "messages[3].tool_calls[3].function.arguments",
            "the arguments are not one JSON object: the key `x` appears twice",
        ),
        ("messages[4]", "no call before it has the id `zz`"),
        ("messages[6]", "this is a string, expected a message"),
        ("messages[3].tool_calls[0]", "the call of `f` has no result, and messages follow"),
        ("messages[3].tool_calls[1]", "the call of `f` has no result, and messages follow"),
        ("messages[3].tool_calls[2]", "the call of `` has no result, and messages follow"),
        ("messages[3].tool_calls[3]", "the call of `g` has no result, and messages follow"),
        ("model", "this is a number, expected a string"),
    ]
    assert all(each.cure for each in read.problems)
    assert next(each.cure for each in read.problems) == "did you mean `user`?"
    written = WIRES["openai"].write(read.prompt)
    kept = json.dumps(written.body)
    for words in ('"usr"', '"so?"', "no type", '{\\"x\\": 1', '{\\"x\\": NaN}', '"hi"'):
        assert words in kept
    assert "messages[1].parts[0]" in [loss.path for loss in written.losses]


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("body", [None, 5, "text", [], {}, {"messages": {}, "input": {}, "contents": {}}])
def test_no_body(name: str, body: Any) -> None:
    """What is no request is told, not raised."""
    read = WIRES[name].read(body)
    assert read.problems
    assert read.prompt.messages == ()


@pytest.mark.parametrize("name", WIRES)
def test_nested_too_deeply(name: str) -> None:
    """Thousands of levels are read or told."""
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    body = {"messages": [{"role": "user", "content": deep}], "input": [deep], "contents": [{"parts": deep}]}
    assert WIRES[name].read(body).problems  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WIRES)
def test_written_too_deeply(name: str) -> None:
    """Thousands of levels in arguments are written or told."""
    deep: Any = {}
    for _ in range(100_000):
        deep = {"x": deep}
    written = WIRES[name].write(Prompt((Message("assistant", (Call("f", deep, "a"),)),)), "m")
    assert written.body or written.losses


def test_responses() -> None:
    """Items have types, calls have ids."""
    body = {
        "input": [
            {"type": "function_call", "name": "f", "arguments": "[]"},
            {"type": "function_call_output", "call_id": "x", "output": 3},
            {"role": "usr", "content": "hi"},
            {"content": "hi"},
            {"type": "reasoning", "summary": "x"},
        ]
    }
    assert problems("responses", body) == {
        "input[0].call_id": "this is missing, expected a string",
        "input[0].arguments": "the arguments are not one JSON object: it is another value",
        "input[0]": "the call of `f` has no result, and messages follow",
        "input[1]": "no call before it has the id `x`",
        "input[1].output": "this is a number, expected a string or a list of parts",
        "input[2].role": "this is not a message role",
        "input[3]": "this item has no `type`",
        "input[4].summary": "this is a string, expected a list",
    }


def test_responses_continued() -> None:
    """Where the provider has the messages before, results may stand without their calls."""
    body: Any = {
        "model": "m",
        "input": [{"type": "function_call_output", "call_id": "x", "output": "3"}],
        "previous_response_id": "resp_1",
    }
    read = WIRES["responses"].read(body)
    assert read.problems == ()
    assert WIRES["responses"].write(read.prompt, "m").body == body


def test_anthropic() -> None:
    """Blocks have types, results name calls."""
    body = {
        "system": 3,
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": "{}"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b"}, {"text": "x"}, 5]},
            {"role": "tool", "content": "x"},
            {"role": "user"},
            {"role": [], "content": "x"},
        ],
        "tools": [{"name": 3, "input_schema": []}],
    }
    assert problems("anthropic", body) == {
        "system": "this is a number, expected a string or a list of blocks",
        "messages[0].content[0].input": "this is a string, expected an object",
        "messages[1]": "results and other content of one message are read and written as separate messages",
        "messages[1].content[0]": "no call before it has the id `b`",
        "messages[1].content[1]": "this block has no `type`",
        "messages[1].content[2]": "this block has no `type`",
        "messages[2].role": "this is not a message role",
        "messages[3].content": "this is missing, expected a string or a list of blocks",
        "messages[4].role": "this is not a message role",
        "messages[0].content[0]": "the call of `f` has no result, and messages follow",
        "tools[0].input_schema": "this is a list, expected an object",
        "tools[0].name": "this is a number, expected a string",
    }


def test_gemini() -> None:
    """Parts are objects, responses too."""
    body = {
        "systemInstruction": "be brief",
        "contents": [
            {"role": "assistant", "parts": []},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": "x"}}, "hi"]},
            {"role": "user", "parts": [{"functionResponse": {"name": "g", "response": "x"}}]},
            5,
        ],
    }
    assert problems("gemini", body) == {
        "systemInstruction": "this is a string, expected an object with `parts`",
        "contents[0].role": "this is not a content role",
        "contents[1].parts[0].functionCall.args": "this is a string, expected an object",
        "contents[1].parts[1]": "this is a string, expected a part",
        "contents[2].parts[0]": "no call before it waits for a result",
        "contents[2].parts[0].functionResponse.response": "this is a string, expected an object",
        "contents[3]": "this is not a content object",
    }


def test_gemini_in_snake_case() -> None:
    """The service takes both spellings."""
    body: Any = {
        "system_instruction": {"parts": [{"text": "s"}]},
        "contents": [
            {"parts": [{"text": "u"}, {"inline_data": {"mime_type": "image/png", "data": "aaaa"}}]},
            {"role": "model", "parts": [{"function_call": {"name": "f", "args": {}}, "thought_signature": "c2ln"}]},
            {"role": "function", "parts": [{"function_response": {"name": "f", "response": {"output": "x"}}}]},
        ],
        "tools": [{"function_declarations": [{"name": "f"}]}],
    }
    read = WIRES["gemini"].read(body)
    assert read.problems == ()
    assert [message.role for message in read.prompt.messages] == ["system", "user", "assistant", "tool"]
    assert read.prompt.messages[2].parts == (Call("f", {}, signature="c2ln"),)
    assert read.prompt.messages[3].parts == (Output((Text("x"),), tool="f"),)
    assert [tool.name for tool in read.prompt.tools] == ["f"]


def test_old_functions() -> None:
    """Calls of functions as Chat Completions once had them."""
    body: Any = {
        "messages": [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "x"},
        ]
    }
    read = WIRES["openai"].read(body)
    assert read.problems == ()
    assert read.prompt.messages == (
        Message("assistant", (Call("f", {}),)),
        Message("tool", (Output((Text("x"),), None, "f"),)),
    )


def test_spelling_of_arguments_is_kept() -> None:
    """Arguments are written back to the byte."""
    raw = '{"b":1,\n"a":"\\u00e9"}'
    call: Any = {"id": "a", "type": "function", "function": {"name": "f", "arguments": raw}}
    read = WIRES["openai"].read({"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]})
    assert read.prompt.messages[0].parts == (Call("f", {"b": 1, "a": "é"}, "a", raw),)
    body: Any = WIRES["openai"].write(read.prompt).body
    assert body["messages"][0]["tool_calls"] == [call]


def test_thinking_of_other_vendors() -> None:
    """`reasoning_content` is read as thinking and goes back to where it came from."""
    body: Any = {"model": "m", "messages": [{"role": "assistant", "content": "5", "reasoning_content": "2 + 3"}]}
    written = WIRES["openai"].write(WIRES["openai"].read(body).prompt, "m")
    assert (written.body, written.losses) == (body, ())


def test_unknown_messages_are_kept() -> None:
    """What no format has is kept for its provider."""
    item: Any = {"type": "news", "id": "msg_1"}
    read = WIRES["responses"].read({"input": [item]})
    assert read.prompt == Prompt((Message("none", (Opaque("responses", item),)),))
    assert [each.is_advice for each in read.problems] == [True]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"contents": []}, "gemini"),
        ({"input": "hi"}, "responses"),
        ({"messages": [{"role": "user", "content": "hi"}]}, "openai"),
        ({"messages": [{"role": "user", "content": "hi"}], "max_tokens": 5}, "anthropic"),
        ({"messages": [{"role": "user", "content": "hi"}], "max_tokens": 5, "model": "gpt-4"}, "openai"),
        ({"messages": [{"role": "user", "content": "hi"}], "model": "claude-x"}, "anthropic"),
        ({"messages": [{"role": "system", "content": "hi"}], "max_tokens": 5}, "openai"),
        ({"messages": ["hi"]}, None),
        ({"prompt": "hi"}, None),
        ([], None),
        (None, None),
    ],
)
def test_sniff(body: Any, name: str | None) -> None:
    """The format is told by what only one of them has."""
    assert sniff(body) == name
