"""A body decides whose request it is, wherever it is recorded: none is read as that of a similar provider."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Found, Recorded, Skipped

USER: Any = {"role": "user", "content": "hi"}
TYPELESS: Any = {"role": "user", "content": [{"text": "hi"}]}
ADDRESSES = {
    "anthropic": "https://a.example/v1/messages",
    "openai": "https://a.example/v1/chat/completions",
    "responses": "https://a.example/v1/responses",
    "gemini": "https://a.example/v1/models/g:generateContent",
    "": "https://a.example/model/anthropic.claude-3%3A0/invoke",
}
"""By the format of the bodies that are usual there."""
REFUSED: dict[str, tuple[Any, str]] = {
    "converse": ({"messages": [TYPELESS]}, "the Bedrock Converse API"),
    "converse-tools": (
        {"messages": [], "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}]}},
        "the Bedrock Converse API",
    ),
    "nova": ({"schemaVersion": "messages-v1", "messages": [TYPELESS]}, "the Bedrock Converse API"),
    "cohere": ({"message": "hi", "model": "command-r"}, "version 1 of the Cohere Chat API"),
    "mistral": ({"agent_id": "a", "inputs": [USER]}, "the Mistral Conversations API"),
    "interactions": ({"model": "g", "input": "hi", "generation_config": {}}, "the Gemini Interactions API"),
    "interactions-parts": ({"model": "g", "input": [{"type": "text", "text": "hi"}]}, "the Gemini Interactions API"),
}
"""Bodies of formats that are not read, and their names."""
READ: dict[str, tuple[Any, str]] = {
    "calls": ({"model": "claude-5", "messages": [USER, {"role": "assistant", "tool_calls": []}]}, "openai"),
    "blocks": ({"model": "gpt-5", "messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}, "anthropic"),
    "contents": ({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "gemini"),
    "items": ({"model": "m", "input": [{"type": "message", **USER}]}, "responses"),
}
"""Bodies whose shape says the format, and that format."""
FORMS = ("vcr", "vcr-parsed", "har", "jsonl", "wrapped", "record")


def written(form: str, address: str, body: Any, format: str) -> Any:
    """A recording of one request."""
    text = json.dumps(body)
    request = {"method": "POST", "uri": address, "body": text}
    match form:
        case "vcr":
            return {"interactions": [{"request": request, "response": {"status": {"code": 200}, "body": {}}}]}
        case "vcr-parsed":
            return {"interactions": [{"request": {**request, "parsed_body": body}, "response": {}}]}
        case "har":
            entry = {"request": {"method": "POST", "url": address, "postData": {"text": text}}, "response": {}}
            return {"log": {"entries": [entry]}}
        case "jsonl":
            return {"url": address, "body": body}
        case "wrapped":
            return {"url": address, "request": {"payload": text}}
        case _:
            return {"acdl_record": 1, "format": format or None, "path": address, "status": 200, "request": body}


def found_in(folder: Path, recording: Any, format: str | None = None) -> Found:
    """What the only request is."""
    path = folder / "recording.json"
    path.write_text(json.dumps(recording), "utf-8")
    (found,) = read_trace(path, format=format)
    return found


def places() -> Iterator[tuple[str, str]]:
    """Every form with every address."""
    return ((form, name) for form in FORMS for name in ADDRESSES)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize(("form", "format"), places())
def test_is_named_and_refused(form: str, format: str, name: str, tmp_path: Path) -> None:
    """No address, and no word of a log, makes a request of another provider of it."""
    body, said = REFUSED[name]
    found = found_in(tmp_path, written(form, ADDRESSES[format], body, format))
    assert isinstance(found, Skipped)
    assert (found.reason, found.is_damaged) == (f"a request of {said}, which is not supported", True)
    assert found.cure


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize(("form", "format"), places())
def test_the_shape_decides(form: str, format: str, name: str, tmp_path: Path) -> None:
    """A body that only one format can have is read in that format, whatever the address is."""
    body, wire = READ[name]
    found = found_in(tmp_path, written(form, ADDRESSES[format], body, format))
    assert isinstance(found, Recorded)
    assert found.format == wire


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("format", ["anthropic", "openai"])
def test_the_address_decides_where_the_shape_does_not(form: str, format: str, tmp_path: Path) -> None:
    """A body that means the same in two formats is in that of its address."""
    body = {"model": "claude-5", "messages": [USER], "max_tokens": 9}
    found = found_in(tmp_path, written(form, ADDRESSES[format], body, format))
    assert isinstance(found, Recorded)
    assert found.format == format


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("interactions", {"model": "g", "input": "hi"}, "the Gemini Interactions API"),
        ("model/m/converse-stream", {"messages": []}, "the Bedrock Converse API"),
        ("conversations", {"model": "m", "inputs": "hi"}, "the Mistral Conversations API"),
        ("conversations/conv_1/restart", {"inputs": "hi"}, "the Mistral Conversations API"),
    ],
)
def test_the_address_names_a_format(form: str, path: str, body: Any, name: str, tmp_path: Path) -> None:
    """So does the address of a format that is not read, where the shape could be one that is."""
    found = found_in(tmp_path, written(form, f"https://a.example/{path}", body, ""))
    assert isinstance(found, Skipped)
    assert found.reason == f"a request of {name}, which is not supported"


@pytest.mark.parametrize("format", ["openai", "anthropic", "gemini", "responses"])
@pytest.mark.parametrize("name", REFUSED)
def test_nobody_can_force_it(name: str, format: str, tmp_path: Path) -> None:
    """`--from` says in which format bodies are, not that another one is read as if it were."""
    for form in ("vcr", "jsonl"):
        found = found_in(tmp_path, written(form, ADDRESSES[""], REFUSED[name][0], ""), format)
        assert isinstance(found, Skipped)


@pytest.mark.parametrize("name", ["converse", "cohere"])
def test_exports(name: str, tmp_path: Path) -> None:
    """Exports of observability tools say it, too."""
    body, said = REFUSED[name]
    attributes = [
        {"key": "openinference.span.kind", "value": {"stringValue": "LLM"}},
        {"key": "input.value", "value": {"stringValue": json.dumps(body)}},
    ]
    span = {"traceId": "a", "spanId": "b", "name": "chat", "startTimeUnixNano": "1", "attributes": attributes}
    exports = {
        "langfuse": {"id": "1", "type": "GENERATION", "traceId": "t", "input": body},
        "langsmith": {"id": "1", "run_type": "llm", "trace_id": "t", "inputs": body},
        "otlp": {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]},
    }
    for form, export in exports.items():
        found = found_in(tmp_path, export)
        assert isinstance(found, Skipped)
        is_told = form != "otlp" or "messages" in body
        assert found.reason == (
            f"a request of {said}, which is not supported" if is_told else "a model call without its messages"
        )
        assert found.is_damaged


@pytest.mark.parametrize("form", ["vcr", "har"])
def test_messages_of_people(form: str, tmp_path: Path) -> None:
    """A chat of people has addresses like those of models."""
    address = "https://chat.example/channels/1/messages"
    found = found_in(tmp_path, written(form, address, {"content": "hi", "nonce": "1"}, ""))
    assert isinstance(found, Skipped)
    assert (found.reason, found.is_damaged) == ("a request that is not a model call", False)
