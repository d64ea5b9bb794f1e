"""OpenAI Chat Completions in both directions: requests, and answers, whole or streamed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Role,
    Text,
    Thinking,
    Tool,
)
from acdl_mkdocs.prompts.providers.adapt_prompt import settle
from acdl_mkdocs.prompts.providers.arguments import read_arguments, written_arguments
from acdl_mkdocs.prompts.providers.client_request import Asked
from acdl_mkdocs.prompts.providers.event_stream import Event, finished, grown, written_event
from acdl_mkdocs.prompts.providers.event_stream import pieces as pieces_of_text
from acdl_mkdocs.prompts.providers.media import attachment_at, data_url, in_words, is_image, lose_fields
from acdl_mkdocs.prompts.providers.opaque import (
    NOT_SENT,
    merged,
    of_message,
    of_request,
    own_role,
    pieces,
    tool_keys,
    with_more,
)
from acdl_mkdocs.prompts.providers.provider import Host, Provider
from acdl_mkdocs.prompts.providers.read_body import Answers, KnownMessages, Place, given_id, read_declared_tools
from acdl_mkdocs.prompts.providers.results import Piece, Read, Sent, Settled, Wants, Written
from acdl_mkdocs.prompts.providers.scripted_reply import Failure, Said, openai_kind
from acdl_mkdocs.prompts.providers.tagged_text import FORGEABLE, blocks_with_status, parts_without_status
from acdl_mkdocs.prompts.providers.write_body import chosen_model, written_body

NAME = "openai"
WANTS = Wants(NAME, has_names=True)
_ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_THOUGHTS = ("reasoning_content", "reasoning")
"""Keys of other vendors of this format."""


def write(prompt: Prompt, model: str | None = None) -> Written:
    """Write a request body of Chat Completions."""
    settled = settle(prompt, WANTS)
    named = chosen_model(settled, model)
    messages: list[Json] = [said for each in settled.messages if (said := _message(each, settled)) is not None]
    return written_body(settled, {**named, "messages": messages}, [_tool(tool) for tool in settled.tools])


def _tool(tool: Tool) -> Json:
    function: dict[str, Json] = {"name": tool.alias or tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.parameters:
        function["parameters"] = dict(tool.parameters)
    return merged({"type": "function", "function": function}, tool_keys(tool, NAME))


def _message(sent: Sent, settled: Settled) -> Json:
    if sent.role == "none":
        (piece,) = sent.pieces
        return piece.part.json if isinstance(piece.part, Opaque) else None
    if sent.role == "tool":
        return _result(sent, settled)
    message: dict[str, Json] = {"role": sent.role}
    if sent.name is not None:
        message["name"] = sent.name
    calls: list[Json] = []
    blocks: list[dict[str, Json]] = []
    for piece in sent.pieces:
        match piece.part:
            case Call() as call:
                calls.append(_call(call, piece, settled))
            case Thinking():
                _lose_thinking(piece, sent, settled)
            case part:
                if calls:
                    settled.lose(piece.path, "what stands behind a call is sent before it", "write it before the call")
                blocks.append(_block(part, piece, sent.role, settled))
    if sent.pieces and not blocks and not calls and not sent.more:
        return None
    message["content"] = _content(blocks) if blocks or not calls else None
    if calls:
        message["tool_calls"] = calls
    return merged(message, own_role(sent.role, sent.more), "role")


def _lose_thinking(piece: Piece, sent: Sent, settled: Settled) -> None:
    if not any(key in sent.more for key in _THOUGHTS):
        cure = "write what matters as text, or send it to the provider that gave it"
        settled.lose(piece.path, "thinking is not sent: this format has no place for it", cure)


def _call(call: Call, piece: Piece, settled: Settled) -> Json:
    if isinstance(piece.instead, dict):
        instead: dict[str, Json] = {**piece.instead, "id": call.id}
        said = [each for each in _calls(Place({"tool_calls": [instead]}), Answers()) if isinstance(each, Call)]
        if said == [replace(call, args_raw=said[0].args_raw)]:
            return instead
    if piece.instead is not None:
        settled.lose(piece.path, f"it says another call, so {NOT_SENT}", "remove it, or write what it says")
    function: dict[str, Json] = {"name": call.tool, "arguments": written_arguments(call)}
    return merged({"id": call.id, "type": "function", "function": function}, piece.more)


def _content(blocks: list[dict[str, Json]]) -> Json:
    """Write content: as a string if that holds everything."""
    if not blocks:
        return ""
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        return blocks[0]["text"]
    return list(blocks)


def _block(part: Part, piece: Piece, role: str, settled: Settled) -> dict[str, Json]:
    match part:
        case Text(text):
            block: dict[str, Json] = {"type": "text", "text": text}
        case Attachment() if role == "user" and is_image(part) and (part.data or part.href):
            lose_fields(piece, part, settled, "mime" if part.data else "")
            block = {"type": "image_url", "image_url": {"url": data_url(part) if part.data else part.href}}
        case Attachment() if role == "user" and part.data:
            lose_fields(piece, part, settled, "mime", "name")
            named: dict[str, Json] = {} if part.name is None else {"filename": part.name}
            block = {"type": "file", "file": {**named, "file_data": data_url(part)}}
        case Attachment():
            block = {"type": "text", "text": in_words(piece, part, settled, f"a message of `{role}`")}
        case Opaque(json=dict() as json):
            block = json
        case _:
            block = {"type": "text", "text": ""}
    return merged(block, piece.more)


def _result(sent: Sent, settled: Settled) -> Json:
    (piece,) = sent.pieces
    output = piece.part
    assert isinstance(output, Output)  # noqa: S101 - `settle` gives every result a message
    inside = pieces(output.parts, f"{piece.path}.parts", NAME, settled.losses)
    blocks = [_block(each.part, each, "tool", settled) for each in inside]
    content = _content(blocks_with_status(blocks, "text", is_error=output.is_error))
    return merged({"role": "tool", "tool_call_id": output.call_id, "content": content}, {**sent.more, **piece.more})


def read(body: Json, known: KnownMessages | None = None) -> Read:
    """Read a request body of Chat Completions."""
    place = Place(body)
    answers = Answers()
    more = place.rest("model", "messages", "tools")
    known = known or KnownMessages()
    messages = known.read(place.at("messages").items(), answers, lambda each, _: (_read_message(each, answers),))
    answers.end()
    tools, others = read_declared_tools(
        place, lambda each: each.at("type").value in (None, "function") and each.has("function"), _read_tool
    )
    prompt = Prompt(tuple(messages), tools, settings=of_request(NAME, more | others))
    model = place.at("model").optional_text()
    return Read(prompt, tuple(place.problems), model)


def _read_tool(place: Place, names: dict[str, str]) -> Tool:
    function = place.at("function")
    more = place.rest("type", "function")
    inner = function.rest("name", "description", "parameters")
    if inner:
        more["function"] = inner
    parameters = function.at("parameters")
    return Tool(
        function.at("name").name(names),
        function.at("description").optional_text(),
        parameters.object() if parameters.value is not None else {},
        more=Opaque(NAME, more, "more") if more else None,
    )


def _read_message(place: Place, answers: Answers) -> Message:
    role = place.at("role").value
    if not isinstance(place.value, dict):
        place.expect("a message", 'write it as `{"role": "user", "content": "..."}`')
        return Message("none", (Opaque(NAME, place.value),))
    if role in ("tool", "function"):
        return _read_result(place, answers)
    answers.message(is_answer=role == "assistant")
    if not isinstance(role, str) or role not in _ROLES:
        near = closest(role, (*_ROLES, "tool")) if isinstance(role, str) else None
        cure = f"did you mean `{near}`?" if near else "write one of `system`, `developer`, `user`, `assistant`, `tool`"
        place.at("role").report("this is no role of a message", cure)
        return Message("none", (Opaque(NAME, place.value),))
    more = place.rest("role", "name", "content", "tool_calls", "function_call")
    if role == "developer":
        more = {"role": role, **more}
    parts = [*_thinking(place), *_parts(place.at("content")), *_calls(place, answers)]
    name = place.at("name").optional_text()
    return Message(_ROLES[role], (*parts, *of_message(NAME, more)), name)


def _thinking(place: Place) -> tuple[Part, ...]:
    found = [text for key in _THOUGHTS if isinstance(text := place.at(key).value, str) and text]
    return tuple(Thinking(text, provider=NAME) for text in found[:1])


def _calls(place: Place, answers: Answers) -> tuple[Part, ...]:
    found: list[Part] = []
    for each in place.at("tool_calls").items() if place.has("tool_calls") else ():
        call_id = given_id(each.at("id"))
        if each.at("type").value == "custom":
            custom = each.at("custom")
            tool, args, raw = custom.at("name").text(), {"input": custom.at("input").value}, None
            more: tuple[Part, ...] = (Opaque(NAME, each.value, "instead"),)
        else:
            function = each.at("function")
            tool = function.at("name").text()
            args, raw = read_arguments(function.at("arguments"))
            keys = each.rest("id", "type", "function")
            more = (Opaque(NAME, keys, "more"),) if keys else ()
        answers.call(each, call_id, tool)
        found.extend((Call(tool, args, call_id, raw), *more))
    if place.has("function_call"):
        function = place.at("function_call")
        args, raw = read_arguments(function.at("arguments"))
        answers.call(function, None, function.at("name").text())
        found.append(Call(function.at("name").text(), args, None, raw))
    return tuple(found)


def _read_result(place: Place, answers: Answers) -> Message:
    known = ("role", "content", "tool_call_id")
    said = (place.at("name") if place.has("name") else place.at("tool_name")).optional_text()
    call_id = given_id(place.at("tool_call_id")) if place.at("role").value == "tool" else None
    tool = answers.result(place, call_id, said)
    inside = [part for part in _parts(place.at("content")) if isinstance(part, Text | Attachment | Opaque)]
    parts, is_error = parts_without_status(tuple(inside))
    if list(parts) != inside:
        place.at("content").advise(*FORGEABLE)
    more = place.rest(*known, "name") if place.at("role").value == "function" else place.rest(*known)
    return Message("tool", (Output(parts, call_id, tool, is_error), *of_message(NAME, more)))


def _parts(place: Place) -> tuple[Part, ...]:
    if place.value is None:
        return ()
    if isinstance(place.value, str):
        return (Text(place.value),)
    if not isinstance(place.value, list):
        place.expect("a string or a list of parts", 'write it as `"..."`')
        return (Opaque(NAME, place.value),)
    return tuple(part for each in place.items() for part in _part(each))


def _part(place: Place) -> tuple[Part, ...]:
    kind = place.at("type").value
    if isinstance(place.value, str):
        place.expect("an object with a `type`", 'write it as `{"type": "text", "text": "..."}`')
        return (Text(place.value),)
    if kind == "text":
        return with_more(NAME, Text(place.at("text").text()), place.rest("type", "text"))
    if kind == "image_url" and isinstance(place.at("image_url").value, dict):
        image = attachment_at("image", place.at("image_url").at("url").text())
        return (Opaque(NAME, place.value),) if image is None else _with_inner(place, "image_url", image, "url")
    if kind == "file" and place.at("file").has("file_data"):
        file = place.at("file")
        found = attachment_at("file", file.at("file_data").text(), file.at("filename").optional_text())
        if found is not None and found.data is not None:
            return _with_inner(place, "file", found, "file_data", "filename")
    if not isinstance(kind, str):
        place.report("this part has no `type`", 'write it as `{"type": "text", "text": "..."}`')
    return (Opaque(NAME, place.value),)


def _with_inner(place: Place, key: str, part: Attachment, *known: str) -> tuple[Part, ...]:
    """Read a part whose keys are in an inner object."""
    more, inner = place.rest("type", key), place.at(key).rest(*known)
    return with_more(NAME, part, {**more, key: inner} if inner else more)


_STOPS = {"end": "stop", "calls": "tool_calls", "length": "length", "refusal": "content_filter"}
_WHOLE = ("role", "id", "type", "name")
"""Texts that are not given piece by piece."""


def body(said: Said, asked: Asked) -> dict[str, Json]:
    """Build the body of an answer."""
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
    """Return the id of a call."""
    return f"call_{mark}_{number}"


def failure(failed: Failure) -> dict[str, Json]:
    """Build the body of an error."""
    error: dict[str, Json] = {"message": failed.message, "type": openai_kind(failed), "param": None, "code": None}
    return {"error": error}


def streamed(whole: dict[str, Json], asked: Asked) -> Iterator[bytes]:
    """Yield an answer as a stream of bytes."""
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
            for piece in pieces_of_text(value):
                yield {key: piece}
        else:
            yield {key: value}
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict) and isinstance(function := call.get("function"), dict):
            begin: dict[str, Json] = {**call, "index": number, "function": {**function, "arguments": ""}}
            yield {"tool_calls": [begin]}
            for piece in pieces_of_text(str(function.get("arguments", ""))):
                yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}


def assembled(events: Iterable[Event]) -> Json:
    """Assemble the answer from its chunks."""
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
    """Add a chunk to a message: texts grow, items are found by their index."""
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
    """Return a list with the items of a chunk added; `index` selects the item, and is not part of it."""
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


def _answer_messages(reply: dict[str, Json]) -> list[Json] | None:
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return [message] if isinstance(message, dict) else None


PROVIDER = Provider(
    writer=write,
    reader=read,
    label="Request of OpenAI (chat completions)",
    is_by_message=True,
    messages_key="messages",
    address="https://api.openai.com/v1/chat/completions",
    headers=("Authorization: Bearer ${OPENAI_API_KEY:?}",),
    paths=(r"/chat/completions$",),
    hosts=(
        Host(
            "openai",
            "https://api.openai.com/v1",
            ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
            ("OPENAI_API_KEY",),
            "/v1",
        ),
        Host("azure", None, ("AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE"), ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY")),
    ),
    is_tool=lambda tool: isinstance(tool.get("function"), dict),
    tool_key="function",
    tool_choice=lambda name: {"tool_choice": {"type": "function", "function": {"name": name}}},
    answer_messages=_answer_messages,
    invalidates={"tools": "tools", "response_format": "system"},
    respelled=(Call,),
)
