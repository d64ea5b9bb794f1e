"""Answers of Anthropic Messages: building, splitting into events, and assembling from events."""

import json
from collections.abc import Iterable, Iterator
from typing import cast

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.prompts.providers.event_stream import (
    Event,
    GrowingText,
    append_text,
    join_texts,
    split_text,
    write_event,
)
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError, ScriptedReply, find_openai_kind

_STOPS = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens", "refusal": "refusal"}
_DELTAS = {"text": "text_delta", "thinking": "thinking_delta", "signature": "signature_delta"}
"""Keys of blocks that are given piece by piece, and the kinds of events that give them."""


def build_body(reply: ScriptedReply, request: ClientRequest) -> dict[str, Json]:
    """Build the body of an answer."""
    n_asked, n_said = reply.count_model_tokens(request.json)
    content: list[Json] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": f"signed-{reply.mark}"})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for call in reply.calls:
        content.append({"type": "tool_use", "id": call.call_id, "name": call.name, "input": dict(call.arguments)})
    return {
        "id": f"msg_{reply.mark}",
        "type": "message",
        "role": "assistant",
        "model": request.request.get("model", ""),
        "content": content,
        "stop_reason": _STOPS[reply.stop],
        "stop_sequence": None,
        "usage": {"input_tokens": n_asked, "output_tokens": n_said},
    }


def make_call_id(mark: str, number: int) -> str:
    """Return the id of a call."""
    return f"toolu_{mark}_{number}"


def build_error(error: ScriptedError) -> dict[str, Json]:
    """Build the body of an error."""
    return {"type": "error", "error": {"type": find_openai_kind(error), "message": error.message}}


def stream_body(body: dict[str, Json], request: ClientRequest) -> Iterator[bytes]:  # noqa: ARG001 - as all shapes
    """Yield an answer as a stream of bytes."""
    for event in _list_events(body):
        yield write_event(Event(event, str(event["type"])))


def _list_events(body: dict[str, Json]) -> Iterator[dict[str, Json]]:
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    begin = {**body, "content": [], "stop_reason": None, "usage": {**counts, "output_tokens": 0}}
    yield {"type": "message_start", "message": begin}
    content = body.get("content")
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            yield {"type": "content_block_start", "index": number, "content_block": _make_block_start(block)}
            for delta in _list_deltas(block):
                yield {"type": "content_block_delta", "index": number, "delta": delta}
            yield {"type": "content_block_stop", "index": number}
    end: dict[str, Json] = {"stop_reason": body.get("stop_reason"), "stop_sequence": body.get("stop_sequence")}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": counts.get("output_tokens", 0)}}
    yield {"type": "message_stop"}


def _is_in_pieces(block: dict[str, Json], key: str) -> bool:
    kinds = {"text": ("text",), "thinking": ("thinking", "signature")}
    return key in kinds.get(str(block.get("type")), ()) and isinstance(block[key], str)


def _has_input(block: dict[str, Json]) -> bool:
    return str(block.get("type")).endswith("tool_use") and "input" in block


def _make_block_start(block: dict[str, Json]) -> dict[str, Json]:
    """Return a block without the content that is streamed."""
    begun = {key: "" if _is_in_pieces(block, key) else value for key, value in block.items()}
    return {**begun, "input": {}} if _has_input(block) else begun


def _list_deltas(block: dict[str, Json]) -> Iterator[dict[str, Json]]:
    if _has_input(block):
        for piece in split_text(json.dumps(block["input"], ensure_ascii=False)):
            yield {"type": "input_json_delta", "partial_json": piece}
    for key in (key for key in block if _is_in_pieces(block, key)):
        text = str(block[key])
        for piece in [text] if key == "signature" else split_text(text):
            yield {"type": _DELTAS[key], key: piece}


def assemble_body(events: Iterable[Event]) -> Json:
    """Assemble the answer from its events."""
    message: dict[str, Json] = {}
    content: list[Json] = []
    inputs: dict[int, GrowingText] = {}
    for event in events:
        data = event.data if isinstance(event.data, dict) else {}
        match data.get("type"):
            case "message_start" if isinstance(data.get("message"), dict):
                message = dict(cast("dict[str, Json]", data["message"]))
            case "content_block_start":
                content.append(data.get("content_block"))
            case "content_block_delta" if content and isinstance(content[-1], dict):
                _add_delta(content[-1], data.get("delta"), inputs, len(content) - 1)
            case "message_delta":
                _add_end(message, data)
            case "error":
                return data
    for number, text in inputs.items():
        cast("dict[str, Json]", content[number])["input"] = _read_input(str(join_texts(text)))
    return join_texts({**message, "content": content}) if message else None


def _add_delta(block: dict[str, Json], delta: Json, inputs: dict[int, GrowingText], number: int) -> None:
    if not isinstance(delta, dict):
        return
    if delta.get("type") == "input_json_delta":
        inputs[number] = append_text(inputs.get(number), str(delta.get("partial_json", "")))
    elif delta.get("type") == "citations_delta":
        before = block.get("citations")
        block["citations"] = [*(before if isinstance(before, list) else ()), delta.get("citation")]
    else:
        for key in _DELTAS:
            if isinstance(piece := delta.get(key), str):
                block[key] = append_text(block.get(key), piece)


def _add_end(message: dict[str, Json], data: dict[str, Json]) -> None:
    delta, usage, before = data.get("delta"), data.get("usage"), message.get("usage")
    message.update(delta if isinstance(delta, dict) else {})
    if isinstance(usage, dict):
        counted = {key: value for key, value in usage.items() if value is not None}
        message["usage"] = {**(before if isinstance(before, dict) else {}), **counted}


def _read_input(text: str) -> Json:
    """Return the arguments of a call; the text of truncated ones."""
    try:
        value: Json = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
    return value
