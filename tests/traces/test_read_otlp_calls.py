"""Traces of several instrumentations and files: each call of a model is one request, and none is lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.prompts.prompt import Attachment, Json, Output
from acdl_mkdocs.runs.read import exports as joining
from acdl_mkdocs.runs.read.exports import join_requests
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Found, Skipped
from traces.runs import found_in, lines, requests, said, skipped
from traces.test_read_otlp import CHAT, EVENTS, MESSAGES, TALK, pairs, span, trace, value

SAME = ("a second span of the same call", "", False)
WITH: dict[str, Any] = {"gen_ai.input.messages": json.dumps(MESSAGES)}


def plain(attributes: dict[str, Any], id: str, parent: str = "", scope: str = "", name: str = "span") -> Json:
    """A trace with one span, with these attributes alone."""
    made: dict[str, Json] = {"traceId": "t1", "spanId": id, "parentSpanId": parent, "name": name}
    spans: Json = [{**made, "attributes": pairs(attributes)}]
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": scope}, "spans": spans}]}]}


def call(attributes: dict[str, Any], id: str, parent: str = "") -> Json:
    """A trace with one span of a call."""
    return plain({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **attributes}, id, parent)


@pytest.mark.parametrize("is_child_first", [True, False])
@pytest.mark.parametrize(("outer", "inner"), [(WITH, {}), ({}, WITH), (WITH, WITH)])
def test_two_instrumentations(is_child_first: bool, outer: Json, inner: Json, tmp_path: Path) -> None:
    """A call whose span is directly inside that of another call is the same call."""
    assert isinstance(outer, dict)
    assert isinstance(inner, dict)
    made = [call(outer, "p"), call(inner, "c", "p")]
    found = found_in(tmp_path / "trace.jsonl", lines(*(reversed(made) if is_child_first else made)))
    assert [said(each.request) for each in requests(found)] == [TALK[1:]]
    assert skipped(found) == [SAME]


def test_three_instrumentations(tmp_path: Path) -> None:
    """Also when there are three of them, the innermost first; without any messages, one call is lost, not three."""
    for attributes, n_requests, n_lost in ((WITH, 1, 0), ({}, 0, 1)):
        made = [call(attributes, "c", "b"), call(attributes, "b", "a"), call(attributes, "a")]
        found = found_in(tmp_path / "trace.jsonl", lines(*made))
        assert len(requests(found)) == n_requests
        assert sum(is_damaged for _, _, is_damaged in skipped(found)) == n_lost
        assert skipped(found).count(SAME) == 2


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("order", ["abc", "cba", "bac", "acb"])
def test_one_of_three(order: str, number: int, tmp_path: Path) -> None:
    """One instrumentation has the messages, and its span may be the innermost or not, and come first or not."""
    parents = {"a": "", "b": "a", "c": "b"}
    made = [call(WITH if "abc"[number] == name else {}, name, parents[name]) for name in order]
    found = found_in(tmp_path / "trace.jsonl", lines(*made))
    assert len(requests(found)) == 1
    assert skipped(found) == [SAME, SAME]


def test_calls_inside_tools(tmp_path: Path) -> None:
    """A call of an agent that a tool has started is another one, and so is one with other messages."""
    other = {"gen_ai.input.messages": json.dumps(MESSAGES[:1])}  # type: ignore[index]
    made = [
        call(WITH, "p"),
        plain({"gen_ai.operation.name": "execute_tool"}, "t", "p"),
        call(WITH, "c", "t"),
        call(other, "d", "p"),
    ]
    assert len(requests(found_in(tmp_path / "trace.jsonl", lines(*made)))) == 3


AI_SDK: list[Json] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Rain in Oslo?"}]},
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": {"city": "Oslo"}}],
    },
    {
        "role": "tool",
        "content": [
            {"type": "tool-result", "toolCallId": "c", "toolName": "look", "output": {"type": "text", "value": "rainy"}}
        ],
    },
]
OLD: list[Json] = [
    *AI_SDK[:2],
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "look", "args": {"city": "Oslo"}}],
    },
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "look", "result": "rainy"}]},
]


@pytest.mark.parametrize("messages", [AI_SDK, OLD])
def test_ai_sdk(messages: Json, tmp_path: Path) -> None:
    """The inner span is the request; the one around it and those of tools are none."""
    tool = json.dumps({"type": "function", "name": "look", "inputSchema": {"type": "object", "properties": {}}})
    outer = {"ai.operationId": "ai.generateText", "ai.prompt": "{}", "gen_ai.request.model": "m"}
    inner = {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.prompt.messages": json.dumps(messages),
        "ai.prompt.tools": [tool],
        "ai.telemetry.metadata.sessionId": "s",
        "gen_ai.request.model": "m",
    }
    made = [plain(outer, "o"), plain(inner, "i", "o", "ai"), plain({"ai.operationId": "ai.toolCall"}, "t", "i")]
    found = found_in(tmp_path / "trace.jsonl", lines(*made))
    (read,) = requests(found)
    assert (said(read.request), read.model, read.episode, read.problems) == (TALK, "m", "s", ())
    assert [tool.name for tool in read.request.tools] == ["look"]
    assert [is_damaged for _, _, is_damaged in skipped(found)] == [False, False]


def test_ai_sdk_parts(tmp_path: Path) -> None:
    """Pictures, thoughts and results of several parts."""
    output: Json = {"type": "content", "value": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    messages: list[Json] = [
        {"role": "user", "content": [{"type": "file", "mediaType": "image/png", "data": "QUJD"}]},
        {"role": "user", "content": [{"type": "image", "image": "https://x.example/a.png"}]},
        {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "output": output}]},
        {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "d", "output": {"type": "json", "value": {"n": 1}}}],
        },
    ]
    inner = {"ai.operationId": "ai.streamText.doStream", "ai.prompt.messages": json.dumps(messages)}
    (read,) = requests(found_in(tmp_path / "trace.jsonl", lines(plain(inner, "i"))))
    assert read.request.messages[0].parts == (Attachment("image", mime="image/png", data="QUJD"),)
    assert read.request.messages[1].parts == (Attachment("image", href="https://x.example/a.png"),)
    assert said(read.request)[2:] == [("assistant", "<Thinking>"), ("tool", "-> a b"), ("tool", '-> {"n": 1}')]


@pytest.mark.parametrize(
    ("part", "attachment"),
    [
        (
            {"type": "media", "mediaType": "image/png", "data": "QUJD"},
            Attachment("image", mime="image/png", data="QUJD"),
        ),
        (
            {"type": "image-data", "mediaType": "image/png", "data": "QUJD"},
            Attachment("image", mime="image/png", data="QUJD"),
        ),
        ({"type": "image-url", "url": "https://x.example/a.png"}, Attachment("image", href="https://x.example/a.png")),
        ({"type": "file-data", "mediaType": "a/b", "data": "QUJD"}, Attachment("file", mime="a/b", data="QUJD")),
        ({"type": "image", "image": "data:image/png;base64,QUJD"}, Attachment("image", mime="image/png", data="QUJD")),
    ],
)
def test_ai_sdk_pictures(part: Json, attachment: Attachment, tmp_path: Path) -> None:
    """Pictures and files are read in every version's form, also in results."""
    output: Json = {"type": "content", "value": [part]}
    results: Json = [{"type": "tool-result", "toolCallId": "c", "output": output}]
    messages: list[Json] = [{"role": "user", "content": [part]}, {"role": "tool", "content": results}]
    inner = {"ai.operationId": "ai.streamText.doStream", "ai.prompt.messages": json.dumps(messages)}
    (read,) = requests(found_in(tmp_path / "trace.jsonl", lines(plain(inner, "i"))))
    assert [each.parts for each in read.request.messages] == [(attachment,), (Output((attachment,), "c"),)]


CHAIN: list[Json] = [
    {"lc": 1, "id": ["langchain", "schema", "messages", "SystemMessage"], "kwargs": {"content": "Be brief."}},
    {"lc": 1, "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "Rain in Oslo?"}},
]
LISTED: list[Json] = [
    {"event.name": "gen_ai.system.message", "content": "Be brief.", "role": "system"},
    {"event.name": "gen_ai.user.message", "content": "Rain in Oslo?", "role": "user"},
    {"event.name": "gen_ai.choice", "message": {"content": "Yes."}},
]


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param(
            {"gen_ai.operation.name": "chat", "gen_ai.prompt": json.dumps({"messages": [CHAIN]})}, id="langsmith"
        ),
        pytest.param({"gen_ai.operation.name": "chat", "events": json.dumps(LISTED)}, id="pydantic-ai"),
        pytest.param({"request_data": json.dumps({"model": "m", "messages": CHAT[:2]})}, id="logfire"),  # type: ignore[index]
        pytest.param(
            {"mlflow.spanType": '"CHAT_MODEL"', "mlflow.spanInputs": json.dumps({"messages": CHAT[:2]})},  # type: ignore[index]
            id="mlflow",
        ),
        pytest.param(
            {"openinference.span.kind": "LLM", "input.value": json.dumps({"messages": CHAT[:2]})},  # type: ignore[index]
            id="openinference",
        ),
    ],
)
def test_more_conventions(attributes: dict[str, Any], tmp_path: Path) -> None:
    """Ways of recording a call that instrumentations have beside those of the conventions."""
    (read,) = requests(found_in(tmp_path / "trace.jsonl", lines(plain(attributes, "a"))))
    assert (said(read.request), read.problems) == (TALK[:2], ())


def test_tools_of_openinference(tmp_path: Path) -> None:
    """Tools are read from their schemas."""
    schema = json.dumps({"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}})
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "hi",
        "llm.tools.0.tool.json_schema": schema,
    }
    (read,) = requests(found_in(tmp_path / "trace.jsonl", lines(plain(attributes, "a"))))
    assert [tool.name for tool in read.request.tools] == ["look"]


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("opentelemetry.instrumentation.openai_v2", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only"),
        ("opentelemetry.instrumentation.openai.v1", "TRACELOOP_TRACE_CONTENT"),
        ("openinference.instrumentation.openai", "OPENINFERENCE_HIDE_INPUTS"),
        ("ai", "recordInputs"),
        ("pydantic-ai", "include_content=True"),
        ("some.other", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"),
    ],
)
def test_cures(scope: str, words: str, tmp_path: Path) -> None:
    """The cure is that of the instrumentation that made the span."""
    (found,) = found_in(tmp_path / "trace.jsonl", lines(plain({"gen_ai.operation.name": "chat"}, "a", scope=scope)))
    assert isinstance(found, Skipped)
    assert words in found.cure


def record(name: str, id: str, body: Any = None, attributes: dict[str, Any] | None = None) -> Json:
    """A log record."""
    made: dict[str, Json] = {"traceId": "t1", "spanId": id, "eventName": name, "attributes": pairs(attributes or {})}
    return made if body is None else {**made, "body": value(body)}


def logs(*records: Json) -> Json:
    """A document of log records."""
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}


def files(path: Path, *texts: str) -> list[Found]:
    """What several files say together."""
    found: list[Found] = []
    for number, text in enumerate(texts):
        name = path / f"{number}.jsonl"
        name.write_text(text, "utf-8")
        found.extend(read_trace(name))
    return [*join_requests(found)]


@pytest.mark.parametrize("is_spans_first", [True, False])
@pytest.mark.parametrize("is_details", [True, False])
def test_two_files(is_spans_first: bool, is_details: bool, tmp_path: Path) -> None:
    """Spans in one file and log records in another are one run, whichever comes first."""
    made: list[Json] = []
    for name in ("a", "b"):
        if is_details:
            made.append(record("gen_ai.client.inference.operation.details", name, attributes=WITH))
        else:
            made.append(record("gen_ai.user.message", name, {"content": f"hi {name}"}))
            made.append(record("gen_ai.choice", name, {"message": {"content": "yes"}}))
    spans = lines(call({"gen_ai.conversation.id": "s"}, "a"), call({"gen_ai.conversation.id": "s"}, "b"))
    texts = [spans, lines(logs(*made))]
    found = files(tmp_path, *(texts if is_spans_first else texts[::-1]))
    assert [(each.model, each.episode) for each in requests(found)] == [("m", "s")] * 2
    assert skipped(found) == []


def test_contents_in_both(tmp_path: Path) -> None:
    """Where spans and log records both have the messages, each call is one request."""
    details = logs(record("gen_ai.client.inference.operation.details", "a", attributes=WITH))
    for found in (
        found_in(tmp_path / "both.jsonl", lines(call(WITH, "a"), details)),
        found_in(tmp_path / "both.jsonl", lines(details, call(WITH, "a"))),
        files(tmp_path, lines(call(WITH, "a")), lines(details)),
    ):
        assert len(requests(found)) == 1
        assert [is_damaged for _, _, is_damaged in skipped(found)] == [False]


def test_one_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Log records without spans are requests; spans without log records are told, however many there are."""
    monkeypatch.setattr(joining, "MOST_HELD_REQUESTS", 1)
    monkeypatch.setattr(joining, "MOST_KNOWN", 1)
    made = [record("gen_ai.user.message", name, {"content": "hi"}) for name in "abc"]
    assert len(requests(files(tmp_path, lines(logs(*made))))) == 3
    found = files(tmp_path, lines(*(call({}, name) for name in "abc")))
    assert [reason for reason, _, _ in skipped(found)] == ["a model call without its messages"] * 3


def test_records_of_the_console(tmp_path: Path) -> None:
    """The exporter of Python prints log records with numbers in its own way."""
    one: Json = {
        "body": {"content": "hi"},
        "severity_number": 9,
        "attributes": {"event.name": "gen_ai.user.message"},
        "trace_id": "0xT1",
        "span_id": "0xA",
        "timestamp": "2026",
    }
    found = files(tmp_path, json.dumps(one, indent=4), lines(call({}, "a")))
    assert [(said(each.request), each.model) for each in requests(found)] == [([("user", "hi")], "m")]
    assert skipped(found) == []


def test_answers_beside_events(tmp_path: Path) -> None:
    """A span keeps what only it knows when its messages are log records that came before it."""
    early = logs(record("gen_ai.user.message", "a", {"content": "hi"}))
    (read,) = requests(found_in(tmp_path / "t.jsonl", lines(early, call({"gen_ai.conversation.id": "s"}, "a"))))
    assert (read.model, read.episode) == ("m", "s")
    again = requests(
        found_in(tmp_path / "t.jsonl", lines(trace(span({}, "a1", EVENTS)), trace(span({}, "a1", EVENTS))))
    )
    assert len(again) == 1
