"""Gemini generateContent in both directions: requests, and answers, whole or streamed."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Text,
    Thinking,
    Tool,
)
from acdl_mkdocs.prompts.providers.adapt_prompt import adapt_prompt
from acdl_mkdocs.prompts.providers.arguments import is_readable, write_json
from acdl_mkdocs.prompts.providers.gemini_tools import CALLS as OWN_CALLS
from acdl_mkdocs.prompts.providers.gemini_tools import (
    NAME,
    find_own_key,
    read_own_call,
    read_own_result,
    write_own_call,
    write_own_result,
)
from acdl_mkdocs.prompts.providers.gemini_tools import RESULTS as OWN_RESULTS
from acdl_mkdocs.prompts.providers.media import describe_attachment, detect_mime, is_base64, is_image, lose_fields
from acdl_mkdocs.prompts.providers.opaque import (
    NOT_SENT,
    attach_keys,
    get_tool_keys,
    make_message_keys,
    make_request_keys,
    merge_keys,
    select_pieces,
)
from acdl_mkdocs.prompts.providers.pair_calls import JOINED
from acdl_mkdocs.prompts.providers.provider import TWO_ROLES, Host, Provider
from acdl_mkdocs.prompts.providers.read_body import SPLIT, JsonNode, KnownMessages, PairedCalls, read_id
from acdl_mkdocs.prompts.providers.results import (
    AdaptedPrompt,
    ProviderLimits,
    ProviderMessage,
    ProviderPart,
    Read,
    Written,
)
from acdl_mkdocs.prompts.providers.tagged_text import tag_block
from acdl_mkdocs.prompts.providers.write_body import (
    END_WITH_USER,
    group_results,
    join_answers,
    split_leading_system,
    write_body,
)

_OF_SCHEMAS = ("properties", "defs")
_SCHEMAS = ("anyOf", "prefixItems")


def convert_schema(schema: Json) -> dict[str, Json]:
    """Convert to JSON Schema with the same meaning."""
    if not isinstance(schema, dict):
        return {}
    converted: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            converted[key] = value.lower()
        elif key in _OF_SCHEMAS and isinstance(value, dict):
            converted[key] = {name: convert_schema(inner) for name, inner in value.items()}
        elif key in _SCHEMAS and isinstance(value, list):
            converted[key] = [convert_schema(inner) for inner in value]
        elif key == "items":
            converted[key] = convert_schema(value)
        elif key != "nullable":
            converted[key] = value
    if schema.get("nullable") is True and isinstance(converted.get("type"), str):
        converted["type"] = [converted["type"], "null"]
    return converted


_ROLES = {"user": "user", "model": "assistant", "function": "user", None: "user"}
_KEYS = ("functionResponse", "functionCall", "thoughtSignature", "inlineData", "fileData", *OWN_CALLS, *OWN_RESULTS)


def read(body: Json, known_messages: KnownMessages | None = None) -> Read:
    """Read a request body of generateContent."""
    node = JsonNode(_convert_keys(body, "systemInstruction", "generationConfig", "toolConfig", "safetySettings"))
    pairing = PairedCalls()
    other_keys = node.list_other_keys("model", "systemInstruction", "contents", "tools")
    messages: list[Message] = []
    if node.has_key("systemInstruction"):
        messages.append(Message("system", _read_system(node.get_key("systemInstruction"))))
    known_messages = known_messages or KnownMessages()
    messages += known_messages.read_messages(
        _list_elements(node.get_key("contents")), pairing, lambda each, _: _read_content(each, pairing)
    )
    pairing.check_end()
    tools: list[Tool] = []
    names: dict[str, str] = {}
    others: list[Json] = []
    for each in _list_elements(node.get_key("tools")) if node.has_key("tools") else ():
        tool = _read_inside(each, "functionDeclarations")
        for declared in (
            _list_elements(tool.get_key("functionDeclarations")) if tool.has_key("functionDeclarations") else ()
        ):
            tools.append(_read_tool(declared, names))
        if rest := tool.list_other_keys("functionDeclarations"):
            others.append(rest)
    if others:
        node.get_key("tools").report_order(others if tools else [])
        other_keys["tools"] = others
    prompt = Prompt(tuple(messages), tuple(tools), settings=make_request_keys(NAME, other_keys))
    model = node.get_key("model").read_optional_text()
    return Read(prompt, tuple(node.problems), model)


def _convert_keys(value: Json, *keys: str) -> Json:
    """Return an object with our spelling of keys: the provider accepts `function_call` as well."""
    if not isinstance(value, dict):
        return value
    snakes = {re.sub("([A-Z])", lambda match: "_" + match[1].lower(), key): key for key in keys}
    return {snakes.get(key, key): inner for key, inner in value.items()}


def _read_inside(node: JsonNode, *keys: str) -> JsonNode:
    return JsonNode(_convert_keys(node.value, *keys), node.path, node.problems)


def _list_elements(node: JsonNode) -> Iterator[JsonNode]:
    """Yield the elements of a list; the provider accepts a single object instead of a list of one."""
    if isinstance(node.value, dict) and node.value:
        yield node
    else:
        yield from node.list_items()


def _read_system(node: JsonNode) -> tuple[Part, ...]:
    if isinstance(node.value, str):
        node.report_expected("an object with `parts`", 'write it as `{"parts": [{"text": "..."}]}`')
        return (Text(node.value),)
    parts = [part for each in _list_elements(node.get_key("parts")) for part in _read_part(each, PairedCalls())]
    return (*parts, *make_message_keys(NAME, node.list_other_keys("parts")))


def _read_tool(node: JsonNode, names: dict[str, str]) -> Tool:
    node = _read_inside(node, "parametersJsonSchema")
    other_keys = node.list_other_keys("name", "description", "parameters", "parametersJsonSchema")
    schema: dict[str, Json] = {}
    if node.has_key("parametersJsonSchema"):
        schema = node.get_key("parametersJsonSchema").read_object()
    elif node.has_key("parameters"):
        other_keys["parameters"] = node.get_key("parameters").read_object()
        schema = convert_schema(other_keys["parameters"])
    described = node.get_key("description").read_optional_text()
    return Tool(
        node.get_key("name").read_tool_name(names),
        described,
        schema,
        more=Opaque(NAME, other_keys, "more") if other_keys else None,
    )


def _read_content(node: JsonNode, pairing: PairedCalls) -> Iterator[Message]:
    """Yield the messages of one content: a content of the user may hold results of tools."""
    role = node.get_key("role").value
    if not isinstance(node.value, dict) or not (role is None or isinstance(role, str)) or role not in _ROLES:
        where = node.get_key("role") if isinstance(node.value, dict) else node
        where.report_problem(
            "this is not a content object" if where is node else "this is not a content role",
            "write `user` or `model`",
        )
        yield Message("none", (Opaque(NAME, node.value),))
        return
    other_keys = node.list_other_keys("role", "parts")
    parts = [_clean_part(each) for each in _list_elements(node.get_key("parts"))]
    groups = groupby(parts, key=_find_result_key) if parts else [("", [])]
    if len({each.has_key("functionResponse") for each in parts}) == 2:
        node.report_advice(*SPLIT)
    for key, group in groups:
        keys, other_keys = make_message_keys(NAME, other_keys), {}
        if key:
            read_one = read_own_result if key in OWN_RESULTS else _read_result
            for number, each in enumerate(group):
                yield Message("tool", (*read_one(each, pairing), *(keys if number == 0 else ())))
        else:
            pairing.begin_message(is_answer=role == "model")
            read = [part for each in group for part in _read_part(each, pairing)]
            yield Message("assistant" if role == "model" else "user", (*read, *keys))


def _clean_part(node: JsonNode) -> JsonNode:
    """Return a part with our spelling of keys, also inside parts of tools that the provider runs."""
    node = _read_inside(node, *_KEYS)
    for key in (*OWN_CALLS, *OWN_RESULTS):
        if node.has_key(key) and isinstance(node.value, dict):
            node = JsonNode({**node.value, key: _convert_keys(node.value[key], "toolType")}, node.path, node.problems)
    return node


def _find_result_key(node: JsonNode) -> str:
    """Return the key of a result of a tool in a part; empty if there is none."""
    return next((key for key in ("functionResponse", *OWN_RESULTS) if node.has_key(key)), "")


def _read_result(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    result = node.get_key("functionResponse")
    name, call_id = result.get_key("name").read_text(), read_id(result.get_key("id"), is_optional=True)
    tool = pairing.add_result(node, call_id, name)
    parts, is_error = _read_response(result.get_key("response"))
    for each in _list_elements(result.get_key("parts")) if result.has_key("parts") else ():
        media = _read_media(_read_inside(each, *_KEYS))
        parts = (*parts, *media)
    other_keys, inner = (
        node.list_other_keys("functionResponse"),
        result.list_other_keys("id", "name", "response", "parts"),
    )
    if inner:
        other_keys["functionResponse"] = inner
    if name != tool:
        node.report_advice(
            f"the result names the tool `{name}`, but its call is of `{tool}`", "use the tool name of its call"
        )
    return attach_keys(NAME, Output(parts, call_id, name, is_error), other_keys)


def _read_response(node: JsonNode) -> tuple[tuple[Text | Attachment | Opaque, ...], bool]:
    """Return the texts of a response, and whether it is an error; another object is kept beside its text."""
    match node.read_object():
        case {"output": str(text), **rest} if not rest:
            return (Text(text),), False
        case {"error": str(text), **rest} if not rest:
            return (Text(text),), True
        case {"output": list(texts), **rest} if not rest and all(isinstance(text, str) for text in texts):
            return tuple(Text(text) for text in texts if isinstance(text, str)), False
        case {"error": list(texts), **rest} if not rest and all(isinstance(text, str) for text in texts):
            return tuple(Text(text) for text in texts if isinstance(text, str)), True
        case other:
            return (Text(write_json(other)), Opaque(NAME, other, "instead")), False


def _read_media(node: JsonNode) -> tuple[Attachment | Opaque, ...]:
    data, file = (
        _read_inside(node.get_key("inlineData"), "mimeType"),
        _read_inside(node.get_key("fileData"), "mimeType", "fileUri"),
    )
    if isinstance(base64_data := data.get_key("data").value, str) and is_base64(base64_data):
        mime = data.get_key("mimeType").read_optional_text()
        attachment = Attachment("file", mime=mime, data=base64_data)
        key, inner = "inlineData", data.list_other_keys("mimeType", "data")
    elif file.has_key("fileUri"):
        attachment = Attachment(
            "file", mime=file.get_key("mimeType").read_optional_text(), href=file.get_key("fileUri").read_text()
        )
        key, inner = "fileData", file.list_other_keys("mimeType", "fileUri")
    else:
        return (Opaque(NAME, node.value),)
    if is_image(attachment):
        attachment = Attachment("image", mime=attachment.mime, data=attachment.data, href=attachment.href)
    other_keys = node.list_other_keys(key)
    if inner:
        other_keys[key] = inner
    return (attachment, Opaque(NAME, other_keys, "more")) if other_keys else (attachment,)


def _read_part(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    node = _clean_part(node)
    if isinstance(node.value, str):
        node.report_expected("a part", 'write it as `{"text": "..."}`')
        return (Text(node.value),)
    if node.has_key("functionCall"):
        call = node.get_key("functionCall")
        tool, call_id = call.get_key("name").read_text(), read_id(call.get_key("id"), is_optional=True)
        pairing.add_call(node, call_id, tool)
        args = call.get_key("args").read_object() if call.has_key("args") else {}
        other_keys, inner = (
            node.list_other_keys("functionCall", "thoughtSignature"),
            call.list_other_keys("id", "name", "args"),
        )
        if inner:
            other_keys["functionCall"] = inner
        signature = node.get_key("thoughtSignature").read_optional_text()
        return attach_keys(NAME, Call(tool, args, call_id, signature=signature), other_keys)
    if any(node.has_key(key) for key in OWN_CALLS):
        return read_own_call(node, pairing)
    if node.has_key("text") and node.get_key("thought").value is True:
        signature = node.get_key("thoughtSignature").read_optional_text()
        other_keys = node.list_other_keys("text", "thought", "thoughtSignature")
        return attach_keys(NAME, Thinking(node.get_key("text").read_text(), signature, provider=NAME), other_keys)
    if node.has_key("text"):
        return attach_keys(NAME, Text(node.get_key("text").read_text()), node.list_other_keys("text"))
    if not isinstance(node.value, dict):
        node.report_expected("a part", 'write it as `{"text": "..."}`')
    return _read_media(node)


PROVIDER_LIMITS = ProviderLimits(
    NAME, has_ids=False, tool_pattern=r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", has_signatures=True, has_split_answers=True
)


def write(prompt: Prompt, model: str | None = None) -> Written:  # noqa: ARG001 - the address names the model
    """Write a request body of generateContent; the model is part of its address."""
    settled = adapt_prompt(prompt, PROVIDER_LIMITS)
    system, other_keys, rest = split_leading_system(settled)
    rest = join_answers(rest, settled, find_own_key)
    body: dict[str, Json] = {}
    instructions: list[Json] = [block for piece in system if (block := _write_part(piece, "system", settled))]
    if instructions:
        body["systemInstruction"] = merge_keys({"parts": instructions}, other_keys)
    written = [(each[0].path, content) for each in group_results(rest) if (content := _write_content(each, settled))]
    joined = _join_calls(written, settled)
    contents: list[Json] = [content for _, content in joined]
    body["contents"] = contents
    if not written:
        settled.report_advice("messages", "the provider rejects a request without messages", "write a user message")
    elif isinstance(first := contents[0], dict) and first.get("role") == "model":
        settled.report_advice(
            written[0][0], "the provider requires a user message first", "write a user message before it"
        )
    if len(joined) > 1 and _begins_answer(contents[-1]):
        sentence = "the request ends with a message of the model, and the provider rejects that"
        settled.report_advice(joined[-1][0], sentence, END_WITH_USER)
    _lose_unsigned(rest, settled)
    declared: list[Json] = [_write_tool(number, tool, settled) for number, tool in enumerate(settled.tools)]
    return write_body(settled, body, [{"functionDeclarations": declared}] if declared else [])


def _join_calls(written: Sequence[tuple[str, Json]], adapted: AdaptedPrompt) -> list[tuple[str, Json]]:
    """Join contents so that all calls answered by results are in the one right before the results."""
    contents: list[tuple[str, Json]] = []
    for each in written:
        while _has_key(each[1], "functionResponse") and len(contents) > 1:
            (path, later), (first_path, first) = contents[-1], contents[-2]
            if not isinstance(first, dict) or not isinstance(later, dict) or not _has_key(first, "functionCall"):
                break
            parts, later_parts = first.get("parts"), later.get("parts")
            if later.get("role") != "model" or not isinstance(parts, list) or not isinstance(later_parts, list):
                break
            adapted.report_loss(path, JOINED, "write the calls in one message")
            contents[-2:] = [(first_path, {**later, **first, "parts": [*parts, *later_parts]})]
        contents.append(each)
    return contents


def _has_key(content: Json, key: str) -> bool:
    parts = content.get("parts") if isinstance(content, dict) else None
    return isinstance(parts, list) and any(isinstance(part, dict) and key in part for part in parts)


def _begins_answer(content: Json) -> bool:
    """Return whether a content is text of the model; calls without results are reported as such."""
    parts = content.get("parts") if isinstance(content, dict) and content.get("role") == "model" else None
    last = parts[-1] if isinstance(parts, list) and parts else None
    return isinstance(last, dict) and "text" in last


def _lose_unsigned(messages: Sequence[ProviderMessage], adapted: AdaptedPrompt) -> None:
    """Report once that newer models require a signature at the first call of a step."""
    for sent in messages:
        first = next((piece for piece in sent.pieces if isinstance(piece.part, Call)), None)
        if (
            first is not None
            and isinstance(first.part, Call)
            and first.part.signature is None
            and not find_own_key(first)
        ):
            sentence = "Gemini 3 rejects a first call of a step without the `thoughtSignature` that came with it"
            adapted.report_advice(
                first.path, sentence, "give the call its `signature`, or `skip_thought_signature_validator`"
            )
            return


def _write_tool(number: int, tool: Tool, adapted: AdaptedPrompt) -> Json:
    written: dict[str, Json] = {"name": tool.alias or tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    other_keys = get_tool_keys(tool, NAME)
    if "parameters" in other_keys and convert_schema(other_keys["parameters"]) != tool.parameters:
        other_keys = {key: value for key, value in other_keys.items() if key != "parameters"}
        adapted.report_loss(
            f"tools[{number}]", "its `parameters` are a different schema from that of the tool", "remove them"
        )
    if tool.parameters and "parameters" not in other_keys:
        written["parametersJsonSchema"] = dict(tool.parameters)
    return merge_keys(written, other_keys)


def _write_content(turn: list[ProviderMessage], adapted: AdaptedPrompt) -> Json:
    first = turn[0]
    if first.role == "none":
        opaque = first.pieces[0].part
        return opaque.json if isinstance(opaque, Opaque) else None
    pieces_of_turn = [piece for sent in turn for piece in sent.pieces]
    parts = [part for piece in pieces_of_turn if (part := _write_part(piece, first.role, adapted))]
    if first.role == "system":
        sentence = "instructions between messages are sent as text of a user message, in `<system>` tags"
        adapted.report_loss(f"{first.path}.parts", sentence, "put them before the first message")
        parts = [tag_block(part) for part in parts]
    if not parts:
        adapted.report_loss(
            first.path, "the message has no parts and is not sent: the provider rejects it", "remove it"
        )
        return None
    role = "model" if first.role == "assistant" else "user"
    return merge_keys(
        {"role": role, "parts": list(parts)}, {key: value for sent in turn for key, value in sent.more.items()}
    )


def _write_part(piece: ProviderPart, role: str, adapted: AdaptedPrompt) -> dict[str, Json] | None:
    """Write a part; `None` if the provider cannot hold it."""
    block: dict[str, Json]
    match piece.part:
        case Text(text):
            if not text and not piece.more:
                adapted.report_loss(piece.path, "an empty text is not sent: the provider rejects it", "remove it")
                return None
            block = {"text": text}
        case Thinking() as thinking:
            return _write_thinking(thinking, piece, adapted)
        case Attachment() as attachment:
            block = _write_media(attachment, piece, role, adapted)
        case Call() as call:
            block = _write_call(call, piece, adapted)
        case Output() as output:
            block = _write_result(output, piece, adapted)
        case Opaque(json=json):
            return json if isinstance(json, dict) else None
    return merge_keys(block, piece.more)


def _write_thinking(thinking: Thinking, piece: ProviderPart, adapted: AdaptedPrompt) -> dict[str, Json] | None:
    if thinking.is_redacted:
        adapted.report_loss(piece.path, "thinking that only its provider can read is not sent", "remove it")
        return None
    if thinking.provider not in (None, NAME):
        cure = f"write what matters as text, or send it to `{thinking.provider}`"
        adapted.report_loss(
            piece.path, f"thinking of `{thinking.provider}` is not sent: no other provider accepts it", cure
        )
        return None
    block: dict[str, Json] = {"text": thinking.text, "thought": True}
    if thinking.signature is not None and thinking.provider == NAME:
        block["thoughtSignature"] = thinking.signature
    elif thinking.signature is not None:
        sentence = "the signature of thinking is not sent: its provider is not known"
        adapted.report_loss(piece.path, sentence, f'write `x:provider="{NAME}"` if it is from this provider')
    return merge_keys(block, piece.more)


def _write_call(call: Call, piece: ProviderPart, adapted: AdaptedPrompt) -> dict[str, Json]:
    if not is_readable(call):
        adapted.report_loss(piece.path, "arguments that are not JSON are not sent", "write them as an object")
    if (key := find_own_key(piece)) is not None:
        return write_own_call(call, key, piece.more.get(key))
    named: dict[str, Json] = {} if call.id is None else {"id": call.id}
    block: dict[str, Json] = {"functionCall": {**named, "name": call.tool, "args": dict(call.args)}}
    return block if call.signature is None else {**block, "thoughtSignature": call.signature}


def _write_media(attachment: Attachment, piece: ProviderPart, role: str, adapted: AdaptedPrompt) -> dict[str, Json]:
    if role != "system" and (attachment.data or attachment.href):
        lose_fields(piece, attachment, adapted, "mime")
        if attachment.data:
            return {"inlineData": {"mimeType": detect_mime(attachment), "data": attachment.data}}
        kind: dict[str, Json] = {} if attachment.mime is None else {"mimeType": attachment.mime}
        return {"fileData": {**kind, "fileUri": attachment.href}}
    return {"text": describe_attachment(piece, attachment, adapted, f"a message of `{role}`")}


def _write_result(output: Output, piece: ProviderPart, adapted: AdaptedPrompt) -> dict[str, Json]:
    """Write a result: an object, under the provider's keys for output and errors."""
    if (key := find_own_key(piece)) is not None:
        return write_own_result(output, key, piece.more.get(key))
    inside = select_pieces(output.parts, f"{piece.path}.parts", NAME, adapted.losses)
    texts: list[Json] = []
    media: list[Json] = []
    for each in inside:
        match each.part:
            case Attachment() as attachment if attachment.data or attachment.href:
                media.append(merge_keys(_write_media(attachment, each, "tool", adapted), each.more))
            case Attachment() as attachment:
                texts.append(describe_attachment(each, attachment, adapted, "a result"))
            case Text(text):
                texts.append(text)
                if media:
                    adapted.report_loss(each.path, "the text is sent before the images of the result", "write it first")
            case Opaque(json=json):
                media.append(json)
    value: Json = texts[0] if len(texts) == 1 else texts
    response: Json = {"error" if output.is_error else "output": value}
    if inside and (instead := inside[0].instead) is not None:
        if texts == [write_json(instead) if isinstance(instead, dict) else None] and not output.is_error:
            response = instead
        else:
            adapted.report_loss(
                piece.path, f"it has a different result, so {NOT_SENT}", "remove it, or write its value as the result"
            )
    named: dict[str, Json] = {} if output.call_id is None else {"id": output.call_id}
    block: dict[str, Json] = {**named, "name": output.tool, "response": response}
    return {"functionResponse": {**block, "parts": media} if media else block}


def _is_sure(body: dict[str, Json]) -> bool:
    contents = body.get("contents")
    return isinstance(contents, list) or (isinstance(contents, dict) and "parts" in contents)


def _is_tool(tool: dict[str, Json]) -> bool:
    is_declaring = any(key in tool for key in ("functionDeclarations", "function_declarations"))
    is_declared = "parameters" in tool and "name" in tool and tool.get("type") != "function"
    return is_declaring or "parametersJsonSchema" in tool or is_declared


def _tools_of(tools: list[Json]) -> list[Json]:
    """Return tools that are declared one by one as one that declares them all."""
    declared: list[Json] = [tool for tool in tools if isinstance(tool, dict) and "name" in tool]
    return [{"functionDeclarations": declared}] if declared and len(declared) == len(tools) else tools


def _answer_messages(reply: dict[str, Json]) -> list[Json] | None:
    candidates = reply.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    content = first.get("content") if isinstance(first, dict) else None
    return [{"role": "model", **content}] if isinstance(content, dict) else None


def _complete_body(body: dict[str, Json], is_own: bool) -> dict[str, Json]:
    """Return a body with lists instead of `contents` or `parts` that are text."""
    contents = body.get("contents")
    is_text = isinstance(contents, str) and (is_own or isinstance(body.get("model"), str))
    if is_text or isinstance(contents, dict):
        contents = [contents]
    if not isinstance(contents, list):
        return body
    return {**body, "contents": [_complete_content(each) for each in contents]}


def _complete_content(content: Json) -> Json:
    if isinstance(content, str):
        return {"role": "user", "parts": [{"text": content}]}
    if isinstance(content, dict) and isinstance(parts := content.get("parts"), str):
        return {**content, "parts": [{"text": parts}]}
    return content


PROVIDER = Provider(
    writer=write,
    reader=read,
    label="Request of Gemini",
    is_by_message=True,
    answers="gemini_answers",
    messages_key="contents",
    address="https://generativelanguage.googleapis.com/v1beta/models/{model}:generateContent",
    headers=("x-goog-api-key: ${GEMINI_API_KEY:?}",),
    paths=(r":(?:generateContent|streamGenerateContent)$",),
    hosts=(
        Host(
            "gemini",
            "https://generativelanguage.googleapis.com",
            ("GOOGLE_GEMINI_BASE_URL",),
            ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ),
        Host("vertex", None, ("GOOGLE_VERTEX_BASE_URL",)),
    ),
    complete_body=_complete_body,
    is_sure=_is_sure,
    is_likely=lambda body: isinstance(body.get("systemInstruction", body.get("system_instruction")), dict),
    is_tool=_is_tool,
    is_message=lambda message: "parts" in message,
    tool_key="",
    list_request_tools=_tools_of,
    tool_choice=lambda name: {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}},
    answer_messages=_answer_messages,
    describe_model=lambda name: {"name": f"models/{name}"} if name else {"models": []},
    is_streamed_as_list=True,
    cache_invalidating_parameters={"tools": "tools", "systemInstruction": "system"},
    earlier_keys=("cachedContent", "cached_content"),
    layout=TWO_ROLES,
    respelled=(Text,),
    block_keys={Call: ("functionCall", "toolCall"), Output: ("functionResponse", "toolResponse")},
)
