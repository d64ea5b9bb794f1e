"""Answers of OpenAI Chat Completions: made, taken apart into chunks, and put together from chunks."""

from collections.abc import Iterable, Iterator
from typing import cast

from acdl_mkdocs.prompt import Json
from acdl_mkdocs.recorder.calls import Asked
from acdl_mkdocs.recorder.event_stream import Event, finished, grown, pieces, written_event
from acdl_mkdocs.recorder.said import Failure, Said, openai_kind

_STOPS = {"end": "stop", "calls": "tool_calls", "length": "length", "refusal": "content_filter"}
_WHOLE = ("role", "id", "type", "name")
"""Texts that are not given piece by piece."""


def body(said: Said, asked: Asked) -> dict[str, Json]:
    """An answer."""
    n_asked, n_said = said.model_tokens(asked.json)
    message: dict[str, Json] = {"role": "assistant", "content": said.text or None}
    if said.thinking:
        message["reasoning_content"] = said.thinking
    if said.calls:
        message["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
            for call in said.calls
        ]
    return {
        "id": f"chatcmpl-{said.mark}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.request.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": _STOPS[said.stop]}],
        "usage": {"prompt_tokens": n_asked, "completion_tokens": n_said, "total_tokens": n_asked + n_said},
    }


def call_id(mark: str, number: int) -> str:
    """Name of a call."""
    return f"call_{mark}_{number}"


def failure(failed: Failure) -> dict[str, Json]:
    """An error."""
    error: dict[str, Json] = {"message": failed.message, "type": openai_kind(failed), "param": None, "code": None}
    return {"error": error}


def streamed(whole: dict[str, Json], asked: Asked) -> Iterator[bytes]:
    """An answer piece by piece."""
    for chunk in _chunks(whole, asked):
        yield written_event(Event(chunk))
    yield b"data: [DONE]\n\n"


def _chunks(whole: dict[str, Json], asked: Asked) -> Iterator[dict[str, Json]]:
    head = {**{key: whole[key] for key in whole if key not in ("choices", "usage")}, "object": "chat.completion.chunk"}
    choices = whole.get("choices")
    for number, choice in enumerate(choices if isinstance(choices, list) else ()):
        if isinstance(choice, dict) and isinstance(message := choice.get("message"), dict):
            for delta in _deltas(message):
                yield {**head, "choices": [{"index": number, "delta": delta, "finish_reason": None}]}
            yield {**head, "choices": [{"index": number, "delta": {}, "finish_reason": choice.get("finish_reason")}]}
    options = asked.request.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        yield {**head, "choices": [], "usage": whole.get("usage")}


def _deltas(message: dict[str, Json]) -> Iterator[dict[str, Json]]:
    yield {"role": message.get("role", "assistant"), "content": None if message.get("content") is None else ""}
    for key, value in message.items():
        if key in ("role", "tool_calls") or value is None:
            continue
        if isinstance(value, str):
            for piece in pieces(value):
                yield {key: piece}
        else:
            yield {key: value}
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict) and isinstance(function := call.get("function"), dict):
            begin: dict[str, Json] = {**call, "index": number, "function": {**function, "arguments": ""}}
            yield {"tool_calls": [begin]}
            for piece in pieces(str(function.get("arguments", ""))):
                yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}


def assembled(events: Iterable[Event]) -> Json:
    """The answer that chunks are of."""
    whole: dict[str, Json] = {}
    choices: dict[int, dict[str, Json]] = {}
    for event in events:
        if not isinstance(event.data, dict):
            continue
        whole |= {key: value for key, value in event.data.items() if key != "choices" and value is not None}
        listed = event.data.get("choices")
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict):
                number = each.get("index")
                choice = choices.setdefault(number if isinstance(number, int) else 0, {"message": {}})
                _add(cast("dict[str, Json]", choice["message"]), each.get("delta"))
                choice |= {key: value for key, value in each.items() if key not in ("delta", "index") and value}
    if not choices:
        return whole or None
    usage = {"usage": whole.pop("usage")} if "usage" in whole else {}
    listed_choices: list[Json] = [{"index": number, **choices[number]} for number in sorted(choices)]
    return finished({**whole, "object": "chat.completion", "choices": listed_choices, **usage})


def _add(message: dict[str, Json], delta: Json) -> None:
    """Add what a chunk has to what is there: texts grow, what has an index is found by it."""
    for key, value in delta.items() if isinstance(delta, dict) else ():
        before = message.get(key)
        if isinstance(value, str) and key not in _WHOLE:
            message[key] = grown(before, value)
        elif isinstance(value, dict) and isinstance(before, dict):
            _add(before, value)
        elif isinstance(value, list):
            message[key] = _with_items(before if isinstance(before, list) else [], value)
        elif value is not None and (value != "" or before is None):
            message[key] = value
        else:
            message.setdefault(key, value)


def _with_items(before: list[Json], items: list[Json]) -> list[Json]:
    """A list with what a chunk adds to it; `index` says to which of its items, and is not part of them."""
    for each in items:
        number = each.get("index") if isinstance(each, dict) else None
        if not isinstance(each, dict) or not isinstance(number, int) or number < 0:
            before.append(each)
            continue
        at = min(number, len(before))
        if at == len(before):
            before.append({})
        found = before[at]
        if isinstance(found, dict):
            _add(found, {key: value for key, value in each.items() if key != "index"})
    return before
