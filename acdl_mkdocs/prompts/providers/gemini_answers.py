"""Answers of Gemini: whole, and as the chunks of a stream."""

import json
from collections.abc import Iterable, Iterator
from typing import cast

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers.client_request import ClientRequest, find_model
from acdl_mkdocs.prompts.providers.event_stream import (
    Event,
    GrowingText,
    append_text,
    join_texts,
    split_text,
    write_event,
)
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError, ScriptedReply

_STOPS = {"end": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
_KINDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def build_body(reply: ScriptedReply, request: ClientRequest) -> dict[str, Json]:
    """Build the body of an answer."""
    n_asked, n_said = reply.count_model_tokens(request.json)
    parts: list[Json] = []
    if reply.thinking:
        parts.append({"text": reply.thinking, "thought": True})
    if reply.text:
        parts.append({"text": reply.text})
    for call in reply.calls:
        parts.append({"functionCall": {"id": call.call_id, "name": call.name, "args": dict(call.arguments)}})
    counts: dict[str, Json] = {
        "promptTokenCount": n_asked,
        "candidatesTokenCount": n_said,
        "totalTokenCount": n_asked + n_said,
    }
    content: dict[str, Json] = {"role": "model", "parts": parts}
    return {
        "candidates": [{"content": content, "finishReason": _STOPS[reply.stop], "index": 0}],
        "usageMetadata": counts,
        "modelVersion": find_model(request.path) or "",
        "responseId": f"response-{reply.mark}",
    }


def make_call_id(mark: str, number: int) -> str:
    """Return the id of a call."""
    return f"call-{mark}-{number}"


def build_error(failure: ScriptedError) -> dict[str, Json]:
    """Build the body of an error."""
    kind = failure.kind or _KINDS.get(failure.status, "INVALID_ARGUMENT" if failure.status < 500 else "INTERNAL")
    return {"error": {"code": failure.status, "message": failure.message, "status": kind}}


def stream_body(body: dict[str, Json], request: ClientRequest) -> Iterator[bytes]:
    """Yield an answer as a stream: as events, or as elements of a list if the client does not ask for events."""
    chunks = list(_list_chunks(body))
    if "alt=sse" in request.query:
        yield from (write_event(Event(chunk), "\r\n\r\n") for chunk in chunks)
        return
    for number, chunk in enumerate(chunks):
        yield (b",\r\n" if number else b"[") + json.dumps(chunk).encode()
    yield b"]"


def _list_chunks(body: dict[str, Json]) -> Iterator[dict[str, Json]]:
    candidates = body.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    content = first.get("content") if isinstance(first, dict) else None
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(first, dict) or not isinstance(content, dict) or not isinstance(parts, list) or not parts:
        yield body
        return
    head = {key: value for key, value in body.items() if key not in ("candidates", "usageMetadata")}
    small = [piece for part in parts for piece in _split_part(part)]
    for part in small[:-1]:
        yield {"candidates": [{"content": {**content, "parts": [part]}, "index": 0}], **head}
    yield {**body, "candidates": [{**first, "content": {**content, "parts": [small[-1]]}}]}


def _split_part(part: Json) -> list[Json]:
    """Split a text part into several; other keys go with the last piece."""
    if not isinstance(part, dict) or not isinstance(text := part.get("text"), str) or not text:
        return [part]
    *begin, end = split_text(text)
    thought: dict[str, Json] = {"thought": True} if part.get("thought") else {}
    small: list[Json] = [{"text": piece, **thought} for piece in begin]
    return [*small, {**part, "text": end}]


def assemble_body(events: Iterable[Event]) -> Json:
    """Assemble the answer from its chunks."""
    body: dict[str, Json] = {}
    candidates: dict[int, dict[str, Json]] = {}
    for event in events:
        if not isinstance(event.data, dict):
            continue
        body |= {key: value for key, value in event.data.items() if key != "candidates"}
        listed = event.data.get("candidates")
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict):
                number = each.get("index")
                _add_chunk(candidates.setdefault(number if isinstance(number, int) else 0, {}), each)
    if not candidates:
        return body or None
    return join_texts({"candidates": [candidates[number] for number in sorted(candidates)], **body})


def _add_chunk(candidate: dict[str, Json], chunk: dict[str, Json]) -> None:
    content = candidate.get("content")
    candidate |= {key: value for key, value in chunk.items() if key != "content"}
    added_content = chunk.get("content")
    if not isinstance(added_content, dict):
        return
    before = content if isinstance(content, dict) else {}
    parts: list[Json] = list(cast("list[Json]", before.get("parts") or []))
    added = added_content.get("parts")
    for part in added if isinstance(added, list) else ():
        last = parts[-1] if parts else None
        if isinstance(part, dict) and isinstance(last, dict) and _is_more(last, part):
            parts[-1] = {**last, **part, "text": append_text(last["text"], str(part["text"]))}
        else:
            parts.append(part)
    rest = {key: value for key, value in candidate.items() if key != "content"}
    candidate.clear()
    candidate |= {"content": {**before, **added_content, "parts": parts}, **rest}


def _is_more(last: dict[str, Json], part: dict[str, Json]) -> bool:
    """Return whether a part continues the text of the last one."""
    is_text = isinstance(last.get("text"), (str, GrowingText)) and isinstance(part.get("text"), str)
    return is_text and "thoughtSignature" not in last and bool(last.get("thought")) == bool(part.get("thought"))
