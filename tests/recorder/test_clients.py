"""The real client packages, answered by a script: in one piece, in pieces, and asynchronously."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Recorded
from acdl_mkdocs.runs.record import recording
from recorder.upstream import recorded_lines, script_of

CALLING = "{thinking: I look it up., text: One moment., calls: [{name: search, arguments: {q: Oslo, n: 3}}], times: 2}"
ANSWER = "{text: It is seven degrees in Oslo., times: any}"


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A recording of clients that begin in this test, which have no keys of their own."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "run.jsonl"
    with recording(path, script=script_of(tmp_path / "replies.yaml", CALLING, ANSWER)) as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield path


def requests_of(path: Path, number: int) -> list[Recorded]:
    """The requests of a recording, as the readers of runs see it, when there are so many or after a while.

    A client may have all of a stream before the recorder has written the line about it.
    """
    until = time.monotonic() + 300
    while path.read_bytes().count(b"\n") < number and time.monotonic() < until:
        time.sleep(0.02)
    found = list(read_trace(path))
    assert all(isinstance(each, Recorded) and not each.problems for each in found)
    return [each for each in found if isinstance(each, Recorded)]


def test_openai_chat(out: Path) -> None:
    """OpenAI Chat Completions."""
    client = openai.OpenAI()
    first = client.chat.completions.create(model="gpt-x", messages=[{"role": "user", "content": "hi"}])
    call = (first.choices[0].message.tool_calls or [])[0]
    assert isinstance(call, openai.types.chat.ChatCompletionMessageFunctionToolCall)
    assert (call.id, call.function.name, json.loads(call.function.arguments)) == (
        "call_1_1",
        "search",
        {"q": "Oslo", "n": 3},
    )
    assert (first.choices[0].message.content, first.choices[0].finish_reason) == ("One moment.", "tool_calls")
    with client.chat.completions.stream(model="gpt-x", messages=[{"role": "user", "content": "hi"}]) as stream:
        second = stream.get_final_completion()
    assert second.choices[0].message.content == "One moment."
    chunks = client.chat.completions.create(
        model="gpt-x", messages=[{"role": "user", "content": "hi"}], stream=True, stream_options={"include_usage": True}
    )
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(texts) == "It is seven degrees in Oslo."
    assert len([text for text in texts if text]) > 1

    async def later() -> str | None:
        found = await openai.AsyncOpenAI().chat.completions.create(
            model="gpt-x", messages=[{"role": "user", "content": "hi"}]
        )
        return found.choices[0].message.content

    assert asyncio.run(later()) == "It is seven degrees in Oslo."
    assert [(each.format, each.model) for each in requests_of(out, 4)] == [("openai", "gpt-x")] * 4
    assert recorded_lines(out)[0]["reply"] == first.model_dump(exclude_unset=True)


def test_openai_responses(out: Path) -> None:
    """OpenAI Responses."""
    client = openai.OpenAI()
    first = client.responses.create(model="gpt-x", input="hi", instructions="be short")
    assert [item.type for item in first.output] == ["reasoning", "message", "function_call"]
    with client.responses.stream(model="gpt-x", input="hi") as stream:
        kinds = [event.type for event in stream]
        assert stream.get_final_response().output_text == "One moment."
    assert kinds[0] == "response.created"
    assert {"response.reasoning_summary_text.delta", "response.function_call_arguments.delta"} <= set(kinds)
    assert kinds[-1] == "response.completed"

    async def later() -> str:
        return (await openai.AsyncOpenAI().responses.create(model="gpt-x", input="hi")).output_text

    assert asyncio.run(later()) == "It is seven degrees in Oslo."
    assert [each.format for each in requests_of(out, 3)] == ["responses"] * 3


def test_anthropic(out: Path) -> None:
    """Anthropic Messages."""
    client = anthropic.Anthropic()
    first = client.messages.create(model="claude-x", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert [block.type for block in first.content] == ["thinking", "text", "tool_use"]
    assert first.stop_reason == "tool_use"
    with client.messages.stream(model="claude-x", max_tokens=9, messages=[{"role": "user", "content": "hi"}]) as stream:
        second = stream.get_final_message()
    kept = recorded_lines(out)[0]["reply"]
    assert kept == first.model_dump(exclude_unset=True)
    assert [block.type for block in second.content] == ["thinking", "text", "tool_use"]
    assert client.messages.count_tokens(model="claude-x", messages=[{"role": "user", "content": "hi"}]).input_tokens > 0

    async def later() -> str:
        found = await anthropic.AsyncAnthropic().messages.create(
            model="claude-x", max_tokens=9, messages=[{"role": "user", "content": "hi"}]
        )
        return "".join(block.text for block in found.content if block.type == "text")

    assert asyncio.run(later()) == "It is seven degrees in Oslo."
    lines = recorded_lines(out)
    assert [line.get("format") for line in lines] == ["anthropic", "anthropic", None, "anthropic"]
    assert lines[2]["path"] == "/v1/messages/count_tokens"
    found = list(read_trace(out))
    assert [isinstance(each, Recorded) for each in found] == [True, True, False, True]
    assert not any(getattr(each, "is_damaged", False) for each in found)


def test_gemini(out: Path) -> None:
    """Google Gen AI."""
    client = genai.Client()
    first = client.models.generate_content(model="gemini-x", contents="hi")
    assert [(call.name, call.args) for call in first.function_calls or []] == [("search", {"q": "Oslo", "n": 3})]
    pieces = list(client.models.generate_content_stream(model="gemini-x", contents="hi"))
    assert len(pieces) > 2
    config = types.GenerateContentConfig(system_instruction="be short")
    assert (
        client.models.generate_content(model="gemini-x", contents="hi", config=config).text
        == "It is seven degrees in Oslo."
    )

    async def later() -> str:
        stream = await client.aio.models.generate_content_stream(model="gemini-x", contents="hi")
        return "".join([piece.text or "" async for piece in stream])

    assert asyncio.run(later()) == "It is seven degrees in Oslo."
    assert [(each.format, each.model) for each in requests_of(out, 4)] == [("gemini", "gemini-x")] * 4
