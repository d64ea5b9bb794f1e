"""Answers of Anthropic Messages: made, taken apart into events, and put together from events."""

import json
from collections.abc import Iterable, Iterator
from typing import cast

from acdl_mkdocs.prompt import Json
from acdl_mkdocs.recorder.calls import Asked
from acdl_mkdocs.recorder.event_stream import Event, Growing, finished, grown, pieces, written_event
from acdl_mkdocs.recorder.said import Failure, Said, openai_kind

_STOPS = {"end": "end_turn", "calls": "tool_use", "length": "max_tokens", "refusal": "refusal"}
_DELTAS = {"text": "text_delta", "thinking": "thinking_delta", "signature": "signature_delta"}
"""Keys of blocks that are given piece by piece, and the kinds of events that give them."""


def body(said: Said, asked: Asked) -> dict[str, Json]:
    """An answer."""
    n_asked, n_said = said.model_tokens(asked.json)
    content: list[Json] = []
    if said.thinking:
        content.append({"type": "thinking", "thinking": said.thinking, "signature": f"signed-{said.mark}"})
    if said.text:
        content.append({"type": "text", "text": said.text})
    for call in said.calls:
        content.append({"type": "tool_use", "id": call.call_id, "name": call.name, "input": dict(call.arguments)})
    return {
        "id": f"msg_{said.mark}",
        "type": "message",
        "role": "assistant",
        "model": asked.request.get("model", ""),
        "content": content,
        "stop_reason": _STOPS[said.stop],
        "stop_sequence": None,
        "usage": {"input_tokens": n_asked, "output_tokens": n_said},
    }


def call_id(mark: str, number: int) -> str:
    """Name of a call."""
    return f"toolu_{mark}_{number}"


def failure(failed: Failure) -> dict[str, Json]:
    """An error."""
    return {"type": "error", "error": {"type": openai_kind(failed), "message": failed.message}}


def streamed(whole: dict[str, Json], asked: Asked) -> Iterator[bytes]:  # noqa: ARG001 - as all shapes
    """An answer piece by piece."""
    for event in _events(whole):
        yield written_event(Event(event, str(event["type"])))


def _events(whole: dict[str, Json]) -> Iterator[dict[str, Json]]:
    usage = whole.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    begin = {**whole, "content": [], "stop_reason": None, "usage": {**counts, "output_tokens": 0}}
    yield {"type": "message_start", "message": begin}
    content = whole.get("content")
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            yield {"type": "content_block_start", "index": number, "content_block": _begun(block)}
            for delta in _deltas(block):
                yield {"type": "content_block_delta", "index": number, "delta": delta}
            yield {"type": "content_block_stop", "index": number}
    end: dict[str, Json] = {"stop_reason": whole.get("stop_reason"), "stop_sequence": whole.get("stop_sequence")}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": counts.get("output_tokens", 0)}}
    yield {"type": "message_stop"}


def _is_in_pieces(block: dict[str, Json], key: str) -> bool:
    kinds = {"text": ("text",), "thinking": ("thinking", "signature")}
    return key in kinds.get(str(block.get("type")), ()) and isinstance(block[key], str)


def _has_input(block: dict[str, Json]) -> bool:
    return str(block.get("type")).endswith("tool_use") and "input" in block


def _begun(block: dict[str, Json]) -> dict[str, Json]:
    """A block without what comes piece by piece."""
    begun = {key: "" if _is_in_pieces(block, key) else value for key, value in block.items()}
    return {**begun, "input": {}} if _has_input(block) else begun


def _deltas(block: dict[str, Json]) -> Iterator[dict[str, Json]]:
    if _has_input(block):
        for piece in pieces(json.dumps(block["input"], ensure_ascii=False)):
            yield {"type": "input_json_delta", "partial_json": piece}
    for key in (key for key in block if _is_in_pieces(block, key)):
        text = str(block[key])
        for piece in [text] if key == "signature" else pieces(text):
            yield {"type": _DELTAS[key], key: piece}


def assembled(events: Iterable[Event]) -> Json:
    """The answer that events are of."""
    message: dict[str, Json] = {}
    content: list[Json] = []
    inputs: dict[int, Growing] = {}
    for event in events:
        data = event.data if isinstance(event.data, dict) else {}
        match data.get("type"):
            case "message_start" if isinstance(data.get("message"), dict):
                message = dict(cast("dict[str, Json]", data["message"]))
            case "content_block_start":
                content.append(data.get("content_block"))
            case "content_block_delta" if content and isinstance(content[-1], dict):
                _add(content[-1], data.get("delta"), inputs, len(content) - 1)
            case "message_delta":
                _end(message, data)
            case "error":
                return data
    for number, text in inputs.items():
        cast("dict[str, Json]", content[number])["input"] = _value(str(finished(text)))
    return finished({**message, "content": content}) if message else None


def _add(block: dict[str, Json], delta: Json, inputs: dict[int, Growing], number: int) -> None:
    if not isinstance(delta, dict):
        return
    if delta.get("type") == "input_json_delta":
        inputs[number] = grown(inputs.get(number), str(delta.get("partial_json", "")))
    elif delta.get("type") == "citations_delta":
        before = block.get("citations")
        block["citations"] = [*(before if isinstance(before, list) else ()), delta.get("citation")]
    else:
        for key in _DELTAS:
            if isinstance(piece := delta.get(key), str):
                block[key] = grown(block.get(key), piece)


def _end(message: dict[str, Json], data: dict[str, Json]) -> None:
    delta, usage, before = data.get("delta"), data.get("usage"), message.get("usage")
    message.update(delta if isinstance(delta, dict) else {})
    if isinstance(usage, dict):
        counted = {key: value for key, value in usage.items() if value is not None}
        message["usage"] = {**(before if isinstance(before, dict) else {}), **counted}


def _value(text: str) -> Json:
    """The arguments of a call; of one that is cut off, its text."""
    try:
        value: Json = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
    return value
