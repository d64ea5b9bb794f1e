"""Traces in OTLP-JSON: today's GenAI conventions, and older ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Opaque, Output, Text, Thinking
from acdl_mkdocs.runs.read import otlp
from traces.runs import found_in, lines, requests, said, skipped

TALK = [
    ("system", "Be brief."),
    ("user", "Rain in Oslo?"),
    ("assistant", 'look({"city": "Oslo"})'),
    ("tool", "-> rainy"),
]
MESSAGES: Json = [
    {"role": "user", "parts": [{"type": "text", "content": "Rain in Oslo?"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "look", "arguments": {"city": "Oslo"}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "rainy"}]},
]
SYSTEM: Json = [{"type": "text", "content": "Be brief."}]
CALL: Json = {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"city": "Oslo"}'}}


def value(given: Any) -> Json:
    """A value as OTLP writes it."""
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(each) for each in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": pairs(given)}}
    return {"stringValue": given}


def pairs(given: dict[str, Any]) -> list[Json]:
    """Attributes as OTLP writes them."""
    return [{"key": key, "value": value(each)} for key, each in given.items()]


def span(attributes: dict[str, Any], id: str = "a1", events: Json = None, start: int = 1) -> Json:
    """A span of a call."""
    named = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5", **attributes}
    made: dict[str, Json] = {"traceId": "t1", "spanId": id, "name": "chat gpt-5", "startTimeUnixNano": str(start)}
    return {**made, "attributes": pairs(named), "events": events or []}


def trace(*spans: Json) -> Json:
    """A document of spans."""
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def event(name: str, attributes: dict[str, Any]) -> Json:
    """An event of a span."""
    return {"name": name, "timeUnixNano": "1", "attributes": pairs(attributes)}


FLAT = {
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be brief.",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": '[{"type": "text", "text": "Rain in Oslo?"}]',
    "gen_ai.prompt.2.role": "assistant",
    "gen_ai.prompt.2.tool_calls.0.id": "c",
    "gen_ai.prompt.2.tool_calls.0.name": "look",
    "gen_ai.prompt.2.tool_calls.0.arguments": '{"city": "Oslo"}',
    "gen_ai.prompt.10.role": "tool",
    "gen_ai.prompt.10.tool_call_id": "c",
    "gen_ai.prompt.10.content": "rainy",
}
ARIZE = {
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.contents.0.message_content.text": "Be brief.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": "Rain in Oslo?",
    "llm.input_messages.2.message.role": "assistant",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "look",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"city": "Oslo"}',
    "llm.input_messages.3.message.role": "tool",
    "llm.input_messages.3.message.content": "rainy",
}
CHAT: Json = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Rain in Oslo?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "rainy"},
]
EVENTS: list[Json] = [
    event("gen_ai.system.message", {"content": "Be brief."}),
    event("gen_ai.user.message", {"gen_ai.event.content": '{"content": "Rain in Oslo?"}'}),
    event("gen_ai.assistant.message", {"tool_calls": [CALL]}),
    event("gen_ai.tool.message", {"id": "c", "content": "rainy"}),
    event("gen_ai.choice", {"index": 0, "message": '{"content": "Yes."}'}),
]


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(span({"gen_ai.system_instructions": SYSTEM, "gen_ai.input.messages": MESSAGES}), id="structured"),
        pytest.param(
            span({"gen_ai.system_instructions": json.dumps(SYSTEM), "gen_ai.input.messages": json.dumps(MESSAGES)}),
            id="text",
        ),
        pytest.param(span({"gen_ai.input.messages": json.dumps(CHAT)}), id="chat-messages"),
        pytest.param(span(FLAT), id="indexed"),
        pytest.param(span(ARIZE), id="openinference"),
        pytest.param(span({"gen_ai.prompt": json.dumps(CHAT)}), id="one-attribute"),
        pytest.param(
            span({}, events=[event("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(CHAT)})]), id="one-event"
        ),
        pytest.param(span({}, events=EVENTS), id="events"),
        pytest.param(
            span(
                {},
                events=[
                    event(
                        "gen_ai.client.inference.operation.details",
                        {"gen_ai.system_instructions": SYSTEM, "gen_ai.input.messages": MESSAGES},
                    )
                ],
            ),
            id="details",
        ),
    ],
)
def test_conventions(made: Json, tmp_path: Path) -> None:
    """A conversation is the same in every convention."""
    (found,) = requests(found_in(tmp_path / "trace.jsonl", lines(trace(made))))
    assert said(found.request) == TALK
    assert (found.format, found.model, found.origin.inside, found.problems) == ("otel", "gpt-5", "span a1", ())


@pytest.mark.parametrize("is_pretty", [True, False])
def test_snake_case_and_documents(is_pretty: bool, tmp_path: Path) -> None:
    """Other spellings of the same trace: snake case, on one line or many, and a span alone with plain attributes."""
    text = json.dumps(trace(span({"gen_ai.input.messages": MESSAGES})), indent=1 if is_pretty else None)
    for camel, snake in (("resourceSpans", "resource_spans"), ("scopeSpans", "scope_spans"), ("spanId", "span_id")):
        text = text.replace(camel, snake)
    text = text.replace("stringValue", "string_value").replace("arrayValue", "array_value")
    text = text.replace("kvlistValue", "kvlist_value")
    (found,) = requests(found_in(tmp_path / "trace.json", text))
    assert said(found.request) == TALK[1:]
    plain: Json = {"context": {"span_id": "0x1"}, "attributes": {"gen_ai.input.messages": json.dumps(MESSAGES)}}
    (alone,) = requests(found_in(tmp_path / "span.json", json.dumps(plain, indent=1)))
    assert (said(alone.request), alone.origin.inside) == (TALK[1:], "span 0x1")


def test_log_records(tmp_path: Path) -> None:
    """Messages that are log records are gathered by their span, and close with the answer."""
    records: list[Json] = []
    for name in ("a1", "b2"):
        records.append({"spanId": name, "eventName": "gen_ai.user.message", "body": value({"content": f"hi {name}"})})
    named = pairs({"event.name": "gen_ai.choice"})
    records.append({"spanId": "b2", "attributes": named, "body": value({"message": {"content": "yes"}})})
    records.append({"spanId": "b2", "eventName": "http.request"})
    logs: Json = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    found = found_in(tmp_path / "logs.jsonl", lines(trace(span({}, "b2")), logs))
    assert [(said(each.request), each.reply) for each in requests(found)] == [
        ([("user", "hi b2")], {"content": "yes"}),
        ([("user", "hi a1")], None),
    ]
    assert skipped(found) == [("a log record that is not about a model call", "", False)]


def test_other_spans(tmp_path: Path) -> None:
    """Spans of agents and tools are counted even with messages; a call without messages is damage, with a cure."""
    text = lines(
        trace(
            span({"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": MESSAGES}),
            span({"gen_ai.operation.name": "execute_tool"}),
            span({"gen_ai.operation.name": "embeddings"}),
            {"spanId": "h", "name": "GET /", "attributes": pairs({"http.method": "GET"})},
            {"spanId": "w", "name": "flow", "attributes": pairs({"traceloop.span.kind": "workflow", **FLAT})},
            span({}, "e"),
        )
    )
    found = found_in(tmp_path / "trace.jsonl", text)
    assert requests(found) == []
    other = ("a span that is not a model call", "", False)
    assert skipped(found) == [*[other] * 5, ("a model call without its messages", "chat gpt-5", True)]


def test_order_and_conversation(tmp_path: Path) -> None:
    """Spans come in the order in which they began; a conversation is the name of a run."""
    made = [
        span({"gen_ai.input.messages": MESSAGES, "gen_ai.conversation.id": f"conv {n}"}, f"s{n}", start=n)
        for n in (3, 1, 2)
    ]
    found = requests(found_in(tmp_path / "trace.jsonl", lines(trace(*made))))
    assert [(each.origin.inside, each.episode) for each in found] == [(f"span s{n}", f"conv {n}") for n in (1, 2, 3)]


def test_parts(tmp_path: Path) -> None:
    """Every type of part has its place; one that is not known is kept as it is."""
    parts: Json = [
        {"type": "reasoning", "content": "hm"},
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "QUJD"},
        {"type": "uri", "modality": "image", "uri": "https://x.example/a.png"},
        {"type": "file", "modality": "audio", "file_id": "f1"},
        {"type": "tool_call", "name": "look", "arguments": '{"q": 1}'},
        {"type": "tool_call_response", "id": "c", "response": {"rain": True}},
        {"type": "strange", "x": 1},
    ]
    messages: Json = [{"role": "assistant", "parts": parts}]
    tools: Json = [{"type": "function", "name": "look", "description": "[x]", "parameters": {"type": "object"}}]
    made = span({"gen_ai.input.messages": json.dumps(messages), "gen_ai.tool.definitions": json.dumps(tools)})
    (found,) = requests(found_in(tmp_path / "trace.jsonl", lines(trace(made))))
    assert [(each.role, each.parts) for each in found.request.messages] == [
        (
            "assistant",
            (
                Thinking("hm", provider="otel"),
                Attachment("image", mime="image/png", data="QUJD"),
                Attachment("image", href="https://x.example/a.png"),
                Attachment("audio", id="f1"),
                Call("look", {"q": 1}),
            ),
        ),
        ("tool", (Output((Text('{"rain": true}'),), "c"),)),
        ("assistant", (Opaque("otel", {"type": "strange", "x": 1}),)),
    ]
    assert [(tool.name, tool.description) for tool in found.request.tools] == [("look", "[x]")]


def test_images_and_model_of_openinference(tmp_path: Path) -> None:
    """Images are parts like texts, in their order, and the model has its own attribute."""
    content = "llm.input_messages.0.message.contents."
    attributes = {
        "gen_ai.request.model": "",
        "llm.model_name": "gpt-4o",
        "llm.input_messages.0.message.role": "user",
        f"{content}0.message_content.type": "image",
        f"{content}0.message_content.image.image.url": "data:image/png;base64,iVBORw0KGgo=",
        f"{content}1.message_content.type": "text",
        f"{content}1.message_content.text": "What is it?",
        f"{content}2.message_content.type": "image",
        f"{content}2.message_content.image.image.url": "https://e.org/a.png",
        f"{content}3.message_content.type": "audio",
    }
    (found,) = requests(found_in(tmp_path / "trace.jsonl", lines(trace(span(attributes)))))
    assert found.model == "gpt-4o"
    assert [each.parts for each in found.request.messages] == [
        (
            Attachment("image", mime="image/png", data="iVBORw0KGgo="),
            Text("What is it?"),
            Attachment("image", href="https://e.org/a.png"),
            Opaque("otel", {"type": "audio"}),
        )
    ]


def test_problems(tmp_path: Path) -> None:
    """What is not as the conventions say is told with its place."""
    messages: Json = [{"role": "usr", "parts": []}, {"role": "user", "parts": [{"type": "text", "content": 5}]}, "hi"]
    made = span({"gen_ai.input.messages": json.dumps(messages)})
    (found,) = requests(found_in(tmp_path / "trace.jsonl", lines(trace(made))))
    assert [each.path for each in found.problems] == ["messages[0].role", "messages[1].parts[0].content", "messages[2]"]


def test_many_open_spans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Log records without an answer are not held for ever: the oldest span is closed."""
    monkeypatch.setattr(otlp, "MOST_OPEN", 2)
    made: list[Json] = []
    for number in range(5):
        record: Json = {"spanId": f"s{number}", "eventName": "gen_ai.user.message", "body": value({"content": "hi"})}
        made.append({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})
    found = found_in(tmp_path / "logs.jsonl", lines(*made))
    assert [each.origin.line for each in requests(found)] == [1, 2, 3, 4, 5]


def test_named_reader(tmp_path: Path) -> None:
    """A line that is no trace is told when the file is named as one."""
    assert [each[0] for each in skipped(found_in(tmp_path / "t.jsonl", '{"a": 1}\n', "otlp"))] == [
        "a document without `resourceSpans`"
    ]


@pytest.mark.parametrize("key", ["resourceMetrics", "resource_metrics", "resourceProfiles"])
def test_other_signals_first(tmp_path: Path, key: str) -> None:
    """A collector writes them into the same file, also before the first span."""
    text = lines({key: [{}]}, trace(span({"gen_ai.input.messages": json.dumps(MESSAGES)})))
    found = found_in(tmp_path / "run.jsonl", text)
    assert len(requests(found)) == 1
    assert skipped(found) == [("metrics or another signal without model calls", "", False)]


def test_spans_of_the_console(tmp_path: Path) -> None:
    """The exporter of Python prints each span on many lines, with attributes that are an object."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(MESSAGES)}
    spans = [{"name": "chat", "context": {"span_id": f"0x{n}"}, "attributes": attributes} for n in range(3)]
    found = found_in(tmp_path / "spans.txt", "".join(f"{json.dumps(each, indent=4)}\n" for each in spans))
    assert [each.origin.inside for each in requests(found)] == ["span 0x0", "span 0x1", "span 0x2"]
