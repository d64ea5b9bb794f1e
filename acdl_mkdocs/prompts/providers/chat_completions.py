"""OpenAI Chat Completions in both directions: requests, and answers, whole or streamed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from acdl_mkdocs.foundation.wording import find_closest
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
from acdl_mkdocs.prompts.providers.adapt_prompt import adapt_prompt
from acdl_mkdocs.prompts.providers.arguments import read_arguments, write_arguments
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.prompts.providers.event_stream import Event, append_text, join_texts, split_text, write_event
from acdl_mkdocs.prompts.providers.media import describe_attachment, is_image, lose_fields, make_data_url, read_url
from acdl_mkdocs.prompts.providers.opaque import (
    NOT_SENT,
    attach_keys,
    get_tool_keys,
    keep_own_role,
    make_message_keys,
    make_request_keys,
    merge_keys,
    select_pieces,
)
from acdl_mkdocs.prompts.providers.provider import Host, Provider
from acdl_mkdocs.prompts.providers.read_body import JsonNode, KnownMessages, PairedCalls, read_declared_tools, read_id
from acdl_mkdocs.prompts.providers.results import (
    AdaptedPrompt,
    ProviderLimits,
    ProviderMessage,
    ProviderPart,
    Read,
    Written,
)
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedError, ScriptedReply, find_openai_kind
from acdl_mkdocs.prompts.providers.sniff import list_blocks, list_tools
from acdl_mkdocs.prompts.providers.tagged_text import FORGEABLE, add_status, remove_status
from acdl_mkdocs.prompts.providers.write_body import choose_model, write_body

NAME = "openai"
PROVIDER_LIMITS = ProviderLimits(NAME, has_names=True)
_ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_THOUGHTS = ("reasoning_content", "reasoning")
"""Keys of other vendors of this format."""
_OWN_ROLES = ("developer", "tool", "function")
_OWN_BLOCKS = {"image_url", "input_audio", "file", "refusal"}
_OWN_KEYS = {"max_completion_tokens", "response_format", "logit_bias", "n", "seed", "stop", "reasoning_effort"}
_OWN_KEYS |= {"stream_options", "frequency_penalty", "presence_penalty", "logprobs", "top_logprobs", "user"}
_OWN_KEYS |= {"parallel_tool_calls", "functions", "function_call", "modalities", "prediction", "verbosity", "store"}


def write(prompt: Prompt, model: str | None = None, limits: ProviderLimits = PROVIDER_LIMITS) -> Written:
    """Write a request body of Chat Completions.

    Parameters:
        prompt: The prompt.
        model: The name of the model.
        limits: The requirements, and the name, of another provider that takes this format.
    """
    settled = adapt_prompt(prompt, limits)
    named = choose_model(settled, model)
    messages: list[Json] = [
        message for each in settled.messages if (message := _write_message(each, settled)) is not None
    ]
    return write_body(
        settled, {**named, "messages": messages}, [_write_tool(tool, limits.provider) for tool in settled.tools]
    )


def _write_tool(tool: Tool, provider: str) -> Json:
    function: dict[str, Json] = {"name": tool.alias or tool.name}
    if tool.description is not None:
        function["description"] = tool.description
    if tool.parameters:
        function["parameters"] = dict(tool.parameters)
    return merge_keys({"type": "function", "function": function}, get_tool_keys(tool, provider))


def _write_message(sent: ProviderMessage, adapted: AdaptedPrompt) -> Json:
    if sent.role == "none":
        (piece,) = sent.pieces
        return piece.part.json if isinstance(piece.part, Opaque) else None
    if sent.role == "tool":
        return _write_result(sent, adapted)
    message: dict[str, Json] = {"role": sent.role}
    if sent.name is not None:
        message["name"] = sent.name
    calls: list[Json] = []
    blocks: list[dict[str, Json]] = []
    for piece in sent.pieces:
        match piece.part:
            case Call() as call:
                calls.append(_write_call(call, piece, adapted))
            case Thinking():
                _lose_thinking(piece, sent, adapted)
            case part:
                if calls:
                    adapted.report_loss(
                        piece.path, "content after a call is sent before it", "write it before the call"
                    )
                blocks.append(_write_block(part, piece, sent.role, adapted))
    if sent.pieces and not blocks and not calls and not sent.more:
        return None
    is_other_answer = bool(calls) or (sent.role == "assistant" and bool(sent.more))  # such as a refusal
    message["content"] = _write_content(blocks) if blocks or not is_other_answer else None
    if calls:
        message["tool_calls"] = calls
    return merge_keys(message, keep_own_role(sent.role, sent.more), "role")


def _lose_thinking(piece: ProviderPart, sent: ProviderMessage, adapted: AdaptedPrompt) -> None:
    if not any(key in sent.more for key in _THOUGHTS):
        cure = "write what matters as text, or send it to the provider that gave it"
        adapted.report_loss(piece.path, "thinking is not sent: this format has no place for it", cure)


def _write_call(call: Call, piece: ProviderPart, adapted: AdaptedPrompt) -> Json:
    if isinstance(piece.instead, dict):
        instead: dict[str, Json] = {**piece.instead, "id": call.id}
        calls_read = [
            each for each in _read_calls(JsonNode({"tool_calls": [instead]}), PairedCalls()) if isinstance(each, Call)
        ]
        if calls_read == [replace(call, args_raw=calls_read[0].args_raw)]:
            return instead
    if piece.instead is not None:
        adapted.report_loss(
            piece.path, f"it has a different call, so {NOT_SENT}", "remove it, or write its values as the call"
        )
    function: dict[str, Json] = {"name": call.tool, "arguments": write_arguments(call)}
    return merge_keys({"id": call.id, "type": "function", "function": function}, piece.more)


def _write_content(blocks: list[dict[str, Json]]) -> Json:
    """Write content: as a string if that holds everything."""
    if not blocks:
        return ""
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        return blocks[0]["text"]
    return list(blocks)


def _write_block(part: Part, piece: ProviderPart, role: str, adapted: AdaptedPrompt) -> dict[str, Json]:
    match part:
        case Text(text):
            block: dict[str, Json] = {"type": "text", "text": text}
        case Attachment() if role == "user" and is_image(part) and (part.data or part.href):
            lose_fields(piece, part, adapted, "mime" if part.data else "")
            block = {"type": "image_url", "image_url": {"url": make_data_url(part) if part.data else part.href}}
        case Attachment() if role == "user" and part.data:
            lose_fields(piece, part, adapted, "mime", "name")
            named: dict[str, Json] = {} if part.name is None else {"filename": part.name}
            block = {"type": "file", "file": {**named, "file_data": make_data_url(part)}}
        case Attachment():
            block = {"type": "text", "text": describe_attachment(piece, part, adapted, f"a message of `{role}`")}
        case Opaque(json=dict() as json):
            block = json
        case _:
            block = {"type": "text", "text": ""}
    return merge_keys(block, piece.more)


def _write_result(sent: ProviderMessage, adapted: AdaptedPrompt) -> Json:
    (piece,) = sent.pieces
    output = piece.part
    assert isinstance(output, Output)  # noqa: S101 - `adapt_prompt` gives every result a message
    inside = select_pieces(output.parts, f"{piece.path}.parts", adapted.provider, adapted.losses)
    blocks = [_write_block(each.part, each, "tool", adapted) for each in inside]
    content = _write_content(add_status(blocks, "text", is_error=output.is_error))
    return merge_keys({"role": "tool", "tool_call_id": output.call_id, "content": content}, {**sent.more, **piece.more})


def read(body: Json, known_messages: KnownMessages | None = None) -> Read:
    """Read a request body of Chat Completions."""
    node = JsonNode(body)
    pairing = PairedCalls()
    other_keys = node.list_other_keys("model", "messages", "tools")
    known_messages = known_messages or KnownMessages()
    messages = known_messages.read_messages(
        node.get_key("messages").list_items(), pairing, lambda each, _: (_read_message(each, pairing),)
    )
    pairing.check_end()
    tools, others = read_declared_tools(
        node, lambda each: each.get_key("type").value in (None, "function") and each.has_key("function"), _read_tool
    )
    prompt = Prompt(tuple(messages), tools, settings=make_request_keys(NAME, other_keys | others))
    model = node.get_key("model").read_optional_text()
    return Read(prompt, tuple(node.problems), model)


def _read_tool(node: JsonNode, names: dict[str, str]) -> Tool:
    function = node.get_key("function")
    other_keys = node.list_other_keys("type", "function")
    inner = function.list_other_keys("name", "description", "parameters")
    if inner:
        other_keys["function"] = inner
    parameters = function.get_key("parameters")
    return Tool(
        function.get_key("name").read_tool_name(names),
        function.get_key("description").read_optional_text(),
        parameters.read_object() if parameters.value is not None else {},
        more=Opaque(NAME, other_keys, "more") if other_keys else None,
    )


def _read_message(node: JsonNode, pairing: PairedCalls) -> Message:
    role = node.get_key("role").value
    if not isinstance(node.value, dict):
        node.report_expected("a message", 'write it as `{"role": "user", "content": "..."}`')
        return Message("none", (Opaque(NAME, node.value),))
    if role in ("tool", "function"):
        return _read_result(node, pairing)
    pairing.begin_message(is_answer=role == "assistant")
    if not isinstance(role, str) or role not in _ROLES:
        near = find_closest(role, (*_ROLES, "tool")) if isinstance(role, str) else None
        cure = f"did you mean `{near}`?" if near else "write one of `system`, `developer`, `user`, `assistant`, `tool`"
        node.get_key("role").report_problem("this is not a message role", cure)
        return Message("none", (Opaque(NAME, node.value),))
    other_keys = node.list_other_keys("role", "name", "content", "tool_calls", "function_call")
    if role == "developer":
        other_keys = {"role": role, **other_keys}
    parts = [*_read_thinking(node), *_read_parts(node.get_key("content")), *_read_calls(node, pairing)]
    name = node.get_key("name").read_optional_text()
    return Message(_ROLES[role], (*parts, *make_message_keys(NAME, other_keys)), name)


def _read_thinking(node: JsonNode) -> tuple[Part, ...]:
    texts = [text for key in _THOUGHTS if isinstance(text := node.get_key(key).value, str) and text]
    return tuple(Thinking(text, provider=NAME) for text in texts[:1])


def _read_calls(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    parts: list[Part] = []
    for each in node.get_key("tool_calls").list_items() if node.has_key("tool_calls") else ():
        call_id = read_id(each.get_key("id"))
        if each.get_key("type").value == "custom":
            custom = each.get_key("custom")
            tool, args, raw = custom.get_key("name").read_text(), {"input": custom.get_key("input").value}, None
            opaques: tuple[Part, ...] = (Opaque(NAME, each.value, "instead"),)
        else:
            function = each.get_key("function")
            tool = function.get_key("name").read_text()
            args, raw = read_arguments(function.get_key("arguments"))
            keys = each.list_other_keys("id", "type", "function")
            opaques = (Opaque(NAME, keys, "more"),) if keys else ()
        pairing.add_call(each, call_id, tool)
        parts.extend((Call(tool, args, call_id, raw), *opaques))
    if node.has_key("function_call"):
        function = node.get_key("function_call")
        args, raw = read_arguments(function.get_key("arguments"))
        pairing.add_call(function, None, function.get_key("name").read_text())
        parts.append(Call(function.get_key("name").read_text(), args, None, raw))
    return tuple(parts)


def _read_result(node: JsonNode, pairing: PairedCalls) -> Message:
    own_keys = ("role", "content", "tool_call_id")
    name = (node.get_key("name") if node.has_key("name") else node.get_key("tool_name")).read_optional_text()
    call_id = read_id(node.get_key("tool_call_id")) if node.get_key("role").value == "tool" else None
    tool = pairing.add_result(node, call_id, name)
    inside = [part for part in _read_parts(node.get_key("content")) if isinstance(part, (Text, Attachment, Opaque))]
    parts, is_error = remove_status(tuple(inside))
    if list(parts) != inside:
        node.get_key("content").report_advice(*FORGEABLE)
    other_keys = (
        node.list_other_keys(*own_keys, "name")
        if node.get_key("role").value == "function"
        else node.list_other_keys(*own_keys)
    )
    return Message("tool", (Output(parts, call_id, tool, is_error), *make_message_keys(NAME, other_keys)))


def _read_parts(node: JsonNode) -> tuple[Part, ...]:
    if node.value is None:
        return ()
    if isinstance(node.value, str):
        return (Text(node.value),)
    if not isinstance(node.value, list):
        node.report_expected("a string or a list of parts", 'write it as `"..."`')
        return (Opaque(NAME, node.value),)
    return tuple(part for each in node.list_items() for part in _read_part(each))


def _read_part(node: JsonNode) -> tuple[Part, ...]:
    kind = node.get_key("type").value
    if isinstance(node.value, str):
        node.report_expected("an object with a `type`", 'write it as `{"type": "text", "text": "..."}`')
        return (Text(node.value),)
    if kind == "text":
        return attach_keys(NAME, Text(node.get_key("text").read_text()), node.list_other_keys("type", "text"))
    if kind == "image_url" and isinstance(node.get_key("image_url").value, dict):
        image = read_url("image", node.get_key("image_url").get_key("url").read_text())
        return (Opaque(NAME, node.value),) if image is None else _flatten_part(node, "image_url", image, "url")
    if kind == "file" and node.get_key("file").has_key("file_data"):
        file = node.get_key("file")
        attachment = read_url(
            "file", file.get_key("file_data").read_text(), file.get_key("filename").read_optional_text()
        )
        if attachment is not None and attachment.data is not None:
            return _flatten_part(node, "file", attachment, "file_data", "filename")
    if not isinstance(kind, str):
        node.report_problem("this part has no `type`", 'write it as `{"type": "text", "text": "..."}`')
    return (Opaque(NAME, node.value),)


def _flatten_part(node: JsonNode, key: str, part: Attachment, *own_keys: str) -> tuple[Part, ...]:
    """Read a part whose keys are in an inner object."""
    other_keys, inner = node.list_other_keys("type", key), node.get_key(key).list_other_keys(*own_keys)
    return attach_keys(NAME, part, {**other_keys, key: inner} if inner else other_keys)


_STOPS = {"end": "stop", "calls": "tool_calls", "length": "length", "refusal": "content_filter"}
_WHOLE = ("role", "id", "type", "name")
"""Texts that are not given piece by piece."""


def build_body(reply: ScriptedReply, request: ClientRequest) -> dict[str, Json]:
    """Build the body of an answer."""
    n_asked, n_said = reply.count_model_tokens(request.json)
    message: dict[str, Json] = {"role": "assistant", "content": reply.text or None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
            for call in reply.calls
        ]
    return {
        "id": f"chatcmpl-{reply.mark}",
        "object": "chat.completion",
        "created": 0,
        "model": request.request.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": _STOPS[reply.stop]}],
        "usage": {"prompt_tokens": n_asked, "completion_tokens": n_said, "total_tokens": n_asked + n_said},
    }


def make_call_id(mark: str, number: int) -> str:
    """Return the id of a call."""
    return f"call_{mark}_{number}"


def build_error(failure: ScriptedError) -> dict[str, Json]:
    """Build the body of an error."""
    error: dict[str, Json] = {
        "message": failure.message,
        "type": find_openai_kind(failure),
        "param": None,
        "code": None,
    }
    return {"error": error}


def stream_body(body: dict[str, Json], request: ClientRequest) -> Iterator[bytes]:
    """Yield an answer as a stream of bytes."""
    for chunk in _list_chunks(body, request):
        yield write_event(Event(chunk))
    yield b"data: [DONE]\n\n"


def _list_chunks(body: dict[str, Json], request: ClientRequest) -> Iterator[dict[str, Json]]:
    head = {**{key: body[key] for key in body if key not in ("choices", "usage")}, "object": "chat.completion.chunk"}
    choices = body.get("choices")
    for number, choice in enumerate(choices if isinstance(choices, list) else ()):
        if isinstance(choice, dict) and isinstance(message := choice.get("message"), dict):
            for delta in _list_deltas(message):
                yield {**head, "choices": [{"index": number, "delta": delta, "finish_reason": None}]}
            yield {**head, "choices": [{"index": number, "delta": {}, "finish_reason": choice.get("finish_reason")}]}
    options = request.request.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage"):
        yield {**head, "choices": [], "usage": body.get("usage")}


def _list_deltas(message: dict[str, Json]) -> Iterator[dict[str, Json]]:
    yield {"role": message.get("role", "assistant"), "content": None if message.get("content") is None else ""}
    for key, value in message.items():
        if key in ("role", "tool_calls") or value is None:
            continue
        if isinstance(value, str):
            for piece in split_text(value):
                yield {key: piece}
        else:
            yield {key: value}
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict) and isinstance(function := call.get("function"), dict):
            begin: dict[str, Json] = {**call, "index": number, "function": {**function, "arguments": ""}}
            yield {"tool_calls": [begin]}
            for piece in split_text(str(function.get("arguments", ""))):
                yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}


def assemble_body(events: Iterable[Event]) -> Json:
    """Assemble the answer from its chunks."""
    body: dict[str, Json] = {}
    choices: dict[int, dict[str, Json]] = {}
    for event in events:
        if not isinstance(event.data, dict):
            continue
        body |= {key: value for key, value in event.data.items() if key != "choices" and value is not None}
        listed = event.data.get("choices")
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict):
                number = each.get("index")
                choice = choices.setdefault(number if isinstance(number, int) else 0, {"message": {}})
                _add_delta(cast("dict[str, Json]", choice["message"]), each.get("delta"))
                choice |= {key: value for key, value in each.items() if key not in ("delta", "index") and value}
    if not choices:
        return body or None
    usage = {"usage": body.pop("usage")} if "usage" in body else {}
    listed_choices: list[Json] = [{"index": number, **choices[number]} for number in sorted(choices)]
    return join_texts({**body, "object": "chat.completion", "choices": listed_choices, **usage})


def _add_delta(message: dict[str, Json], delta: Json) -> None:
    """Add a chunk to a message: texts grow, items are found by their index."""
    for key, value in delta.items() if isinstance(delta, dict) else ():
        before = message.get(key)
        if isinstance(value, str) and key not in _WHOLE:
            message[key] = append_text(before, value)
        elif isinstance(value, dict) and isinstance(before, dict):
            _add_delta(before, value)
        elif isinstance(value, list):
            message[key] = _add_items(before if isinstance(before, list) else [], value)
        elif value is not None and (value != "" or before is None):
            message[key] = value
        else:
            message.setdefault(key, value)


def _add_items(before: list[Json], items: list[Json]) -> list[Json]:
    """Return a list with the items of a chunk added; `index` selects the item, and is not part of it."""
    for each in items:
        number = each.get("index") if isinstance(each, dict) else None
        if not isinstance(each, dict) or not isinstance(number, int) or number < 0:
            before.append(each)
            continue
        at = min(number, len(before))
        if at == len(before):
            before.append({})
        item = before[at]
        if isinstance(item, dict):
            _add_delta(item, {key: value for key, value in each.items() if key != "index"})
    return before


def _answer_messages(reply: dict[str, Json]) -> list[Json] | None:
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return [message] if isinstance(message, dict) else None


def _weigh_chat(body: dict[str, Json], messages: Sequence[dict[str, Json]]) -> int:
    """Return 3 for messages of its own, which are better evidence than blocks and other keys, for which it is 1."""
    if any("tool_calls" in message or str(message.get("role")) in _OWN_ROLES for message in messages):
        return 3
    is_instructed = bool(messages) and messages[0].get("role") == "system"  # Anthropic takes it between messages only
    has_own_tool = any("function" in tool for tool in list_tools(body))
    return int(
        is_instructed or has_own_tool or any(str(each.get("type")) in _OWN_BLOCKS for each in list_blocks(messages))
    )


def _count_own_keys(body: dict[str, Json]) -> int:
    choice = body.get("tool_choice")
    is_own_choice = isinstance(choice, str) or (isinstance(choice, dict) and choice.get("type") == "function")
    return len(body.keys() & _OWN_KEYS) + is_own_choice


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
    weigh_chat=_weigh_chat,
    count_own_keys=_count_own_keys,
    is_tool=lambda tool: isinstance(tool.get("function"), dict),
    tool_key="function",
    tool_choice=lambda name: {"tool_choice": {"type": "function", "function": {"name": name}}},
    answer_messages=_answer_messages,
    cache_invalidating_parameters={"tools": "tools", "response_format": "system"},
    respelled=(Call,),
)
