"""Answers of OpenAI Responses: building, splitting into events, and assembling from events."""

from collections.abc import Iterable, Iterator

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.chat_completions import build_error, make_call_id
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.prompts.providers.event_stream import Event, split_text, write_event
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedReply

__all__ = ("assemble_body", "build_body", "build_error", "make_call_id", "stream_body")

_REASONS = {"length": "max_output_tokens", "refusal": "content_filter"}
_ENDS = ("response.completed", "response.incomplete", "response.failed")


def build_body(reply: ScriptedReply, client_request: ClientRequest) -> dict[str, Json]:
    """Build the body of an answer."""
    n_asked, n_said = reply.count_model_tokens(client_request.json)
    reason = _REASONS.get(reply.stop)
    request = client_request.request
    return {
        "id": f"resp_{reply.mark}",
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if reason else "completed",
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "instructions": request.get("instructions"),
        "model": request.get("model", ""),
        "output": _write_output_items(reply),
        "parallel_tool_calls": request.get("parallel_tool_calls", True),
        "tool_choice": request.get("tool_choice", "auto"),
        "tools": request.get("tools", []),
        "usage": {
            "input_tokens": n_asked,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": n_said,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": n_asked + n_said,
        },
    }


def _write_output_items(reply: ScriptedReply) -> list[Json]:
    items: list[Json] = []
    if reply.thinking:
        summary: list[Json] = [{"type": "summary_text", "text": reply.thinking}]
        items.append({"type": "reasoning", "id": f"rs_{reply.mark}", "summary": summary})
    if reply.text:
        content: list[Json] = [{"type": "output_text", "text": reply.text, "annotations": []}]
        message = {"type": "message", "id": f"msg_{reply.mark}", "status": "completed", "role": "assistant"}
        items.append({**message, "content": content})
    for number, call in enumerate(reply.calls, 1):
        names: dict[str, Json] = {"type": "function_call", "id": f"fc_{reply.mark}_{number}", "call_id": call.call_id}
        items.append({**names, "name": call.name, "arguments": call.text, "status": "completed"})
    return items


def stream_body(body: dict[str, Json], request: ClientRequest) -> Iterator[bytes]:  # noqa: ARG001 - as all shapes
    """Yield an answer as a stream of bytes."""
    for number, event in enumerate(_list_events(body)):
        data: dict[str, Json] = {**event, "sequence_number": number}
        yield write_event(Event(data, str(event["type"])))


def _list_events(body: dict[str, Json]) -> Iterator[dict[str, Json]]:
    begun: dict[str, Json] = {**body, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    output = body.get("output")
    for number, item in enumerate(output if isinstance(output, list) else ()):
        if isinstance(item, dict):
            yield {"type": "response.output_item.added", "output_index": number, "item": _make_item_start(item)}
            keys: dict[str, Json] = {"item_id": item.get("id"), "output_index": number}
            for event in _list_inner_events(item):
                yield {**event, **keys}
            yield {"type": "response.output_item.done", "output_index": number, "item": item}
    status = str(body.get("status", "completed"))
    yield {"type": f"response.{status}", "response": body}


def _make_item_start(item: dict[str, Json]) -> dict[str, Json]:
    """Return an item without the content that is streamed."""
    empty: dict[str, Json] = {"content": [], "summary": [], "arguments": ""}
    status: dict[str, Json] = {"status": "in_progress"} if "status" in item else {}
    return {**item, **{key: value for key, value in empty.items() if key in item}, **status}


def _list_inner_events(item: dict[str, Json]) -> Iterator[dict[str, Json]]:
    match item.get("type"):
        case "message":
            yield from _list_part_events(item, "content", "content", "output_text")
        case "reasoning":
            yield from _list_part_events(item, "summary", "reasoning_summary", "reasoning_summary_text")
        case "function_call":
            text = str(item.get("arguments", ""))
            for piece in split_text(text):
                yield {"type": "response.function_call_arguments.delta", "delta": piece}
            done: dict[str, Json] = {"type": "response.function_call_arguments.done", "name": item.get("name")}
            yield {**done, "arguments": text}


def _list_part_events(item: dict[str, Json], key: str, part_name: str, text_name: str) -> Iterator[dict[str, Json]]:
    listed = item.get(key)
    for number, part in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(part, dict):
            continue
        keys: dict[str, Json] = {f"{key}_index": number}
        text = str(part.get("text", ""))
        logs: dict[str, Json] = {"logprobs": []} if key == "content" else {}
        yield {"type": f"response.{part_name}_part.added", **keys, "part": {**part, "text": ""}}
        for piece in split_text(text):
            yield {"type": f"response.{text_name}.delta", **keys, "delta": piece, **logs}
        yield {"type": f"response.{text_name}.done", **keys, "text": text, **logs}
        yield {"type": f"response.{part_name}_part.done", **keys, "part": part}


def assemble_body(events: Iterable[Event]) -> Json:
    """Assemble the answer from its events: the last event has it; of a truncated one, the complete items."""
    begun: Json = None
    items: list[Json] = []
    for event in events:
        data = event.data if isinstance(event.data, dict) else {}
        kind = data.get("type")
        if kind in _ENDS:
            return data.get("response")
        if kind == "response.created":
            begun = data.get("response")
        elif kind == "response.output_item.done":
            items.append(data.get("item"))
        elif kind == "error":
            return data
    return {**begun, "output": items} if isinstance(begun, dict) else None
