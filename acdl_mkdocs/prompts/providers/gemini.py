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
from acdl_mkdocs.prompts.providers.adapt_prompt import settle
from acdl_mkdocs.prompts.providers.arguments import is_readable, spelled
from acdl_mkdocs.prompts.providers.gemini_tools import CALLS as OWN_CALLS
from acdl_mkdocs.prompts.providers.gemini_tools import (
    NAME,
    marker,
    read_own_call,
    read_own_result,
    written_own_call,
    written_own_result,
)
from acdl_mkdocs.prompts.providers.gemini_tools import RESULTS as OWN_RESULTS
from acdl_mkdocs.prompts.providers.media import in_words, is_base64, is_image, lose_fields, mime_of
from acdl_mkdocs.prompts.providers.opaque import NOT_SENT, merged, of_message, of_request, pieces, tool_keys, with_more
from acdl_mkdocs.prompts.providers.pair_calls import JOINED
from acdl_mkdocs.prompts.providers.provider import TWO_ROLES, Host, Provider
from acdl_mkdocs.prompts.providers.read_body import SPLIT, Answers, KnownMessages, Place, given_id
from acdl_mkdocs.prompts.providers.results import Piece, Read, Sent, Settled, Wants, Written
from acdl_mkdocs.prompts.providers.tagged_text import tagged
from acdl_mkdocs.prompts.providers.write_body import END_WITH_USER, joined_answers, leading_system, turns, written_body

_OF_SCHEMAS = ("properties", "defs")
_SCHEMAS = ("anyOf", "prefixItems")


def json_schema(schema: Json) -> dict[str, Json]:
    """Convert to JSON Schema with the same meaning."""
    if not isinstance(schema, dict):
        return {}
    found: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            found[key] = value.lower()
        elif key in _OF_SCHEMAS and isinstance(value, dict):
            found[key] = {name: json_schema(inner) for name, inner in value.items()}
        elif key in _SCHEMAS and isinstance(value, list):
            found[key] = [json_schema(inner) for inner in value]
        elif key == "items":
            found[key] = json_schema(value)
        elif key != "nullable":
            found[key] = value
    if schema.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


_ROLES = {"user": "user", "model": "assistant", "function": "user", None: "user"}
_KEYS = ("functionResponse", "functionCall", "thoughtSignature", "inlineData", "fileData", *OWN_CALLS, *OWN_RESULTS)


def read(body: Json, known: KnownMessages | None = None) -> Read:
    """Read a request body of generateContent."""
    place = Place(_camel(body, "systemInstruction", "generationConfig", "toolConfig", "safetySettings"))
    answers = Answers()
    more = place.rest("model", "systemInstruction", "contents", "tools")
    messages: list[Message] = []
    if place.has("systemInstruction"):
        messages.append(Message("system", _system(place.at("systemInstruction"))))
    known = known or KnownMessages()
    messages += known.read(_each(place.at("contents")), answers, lambda each, _: _read_content(each, answers))
    answers.end()
    tools: list[Tool] = []
    names: dict[str, str] = {}
    others: list[Json] = []
    for each in _each(place.at("tools")) if place.has("tools") else ():
        tool = _inside(each, "functionDeclarations")
        for declared in _each(tool.at("functionDeclarations")) if tool.has("functionDeclarations") else ():
            tools.append(_read_tool(declared, names))
        if rest := tool.rest("functionDeclarations"):
            others.append(rest)
    if others:
        place.at("tools").tell_order(others if tools else [])
        more["tools"] = others
    prompt = Prompt(tuple(messages), tuple(tools), settings=of_request(NAME, more))
    model = place.at("model").optional_text()
    return Read(prompt, tuple(place.problems), model)


def _camel(value: Json, *keys: str) -> Json:
    """Return an object with our spelling of keys: the provider accepts `function_call` as well."""
    if not isinstance(value, dict):
        return value
    snakes = {re.sub("([A-Z])", lambda found: "_" + found[1].lower(), key): key for key in keys}
    return {snakes.get(key, key): inner for key, inner in value.items()}


def _inside(place: Place, *keys: str) -> Place:
    return Place(_camel(place.value, *keys), place.path, place.problems)


def _each(place: Place) -> Iterator[Place]:
    """Yield the elements of a list; the provider accepts a single object instead of a list of one."""
    if isinstance(place.value, dict) and place.value:
        yield place
    else:
        yield from place.items()


def _system(place: Place) -> tuple[Part, ...]:
    if isinstance(place.value, str):
        place.expect("an object with `parts`", 'write it as `{"parts": [{"text": "..."}]}`')
        return (Text(place.value),)
    parts = [part for each in _each(place.at("parts")) for part in _read_part(each, Answers())]
    return (*parts, *of_message(NAME, place.rest("parts")))


def _read_tool(place: Place, names: dict[str, str]) -> Tool:
    place = _inside(place, "parametersJsonSchema")
    more = place.rest("name", "description", "parameters", "parametersJsonSchema")
    schema: dict[str, Json] = {}
    if place.has("parametersJsonSchema"):
        schema = place.at("parametersJsonSchema").object()
    elif place.has("parameters"):
        more["parameters"] = place.at("parameters").object()
        schema = json_schema(more["parameters"])
    described = place.at("description").optional_text()
    return Tool(place.at("name").name(names), described, schema, more=Opaque(NAME, more, "more") if more else None)


def _read_content(place: Place, answers: Answers) -> Iterator[Message]:
    """Yield the messages of one content: a content of the user may hold results of tools."""
    role = place.at("role").value
    if not isinstance(place.value, dict) or not (role is None or isinstance(role, str)) or role not in _ROLES:
        where = place.at("role") if isinstance(place.value, dict) else place
        where.report(
            "this is no content" if where is place else "this is no role of a content", "write `user` or `model`"
        )
        yield Message("none", (Opaque(NAME, place.value),))
        return
    more = place.rest("role", "parts")
    parts = [_part_of(each) for each in _each(place.at("parts"))]
    groups = groupby(parts, key=_result_key) if parts else [("", [])]
    if len({each.has("functionResponse") for each in parts}) == 2:
        place.advise(*SPLIT)
    for key, group in groups:
        keys, more = of_message(NAME, more), {}
        if key:
            read_one = read_own_result if key in OWN_RESULTS else _read_result
            for number, each in enumerate(group):
                yield Message("tool", (*read_one(each, answers), *(keys if number == 0 else ())))
        else:
            answers.message(is_answer=role == "model")
            read = [part for each in group for part in _read_part(each, answers)]
            yield Message("assistant" if role == "model" else "user", (*read, *keys))


def _part_of(place: Place) -> Place:
    """Return a part with our spelling of keys, also inside parts of tools that the provider runs."""
    place = _inside(place, *_KEYS)
    for key in (*OWN_CALLS, *OWN_RESULTS):
        if place.has(key) and isinstance(place.value, dict):
            place = Place({**place.value, key: _camel(place.value[key], "toolType")}, place.path, place.problems)
    return place


def _result_key(place: Place) -> str:
    """Return the key of a result of a tool in a part; empty if there is none."""
    return next((key for key in ("functionResponse", *OWN_RESULTS) if place.has(key)), "")


def _read_result(place: Place, answers: Answers) -> tuple[Part, ...]:
    result = place.at("functionResponse")
    said, call_id = result.at("name").text(), given_id(result.at("id"), is_optional=True)
    tool = answers.result(place, call_id, said)
    parts, is_error = _read_response(result.at("response"))
    for each in _each(result.at("parts")) if result.has("parts") else ():
        found = _read_media(_inside(each, *_KEYS))
        parts = (*parts, *found)
    more, inner = place.rest("functionResponse"), result.rest("id", "name", "response", "parts")
    if inner:
        more["functionResponse"] = inner
    if said != tool:
        place.advise(f"the result says that it is of `{said}`, its call is of `{tool}`", "give it the name of its call")
    return with_more(NAME, Output(parts, call_id, said, is_error), more)


def _read_response(place: Place) -> tuple[tuple[Text | Attachment | Opaque, ...], bool]:
    """Return the texts of a response, and whether it is an error; another object is kept beside its text."""
    match place.object():
        case {"output": str(text), **rest} if not rest:
            return (Text(text),), False
        case {"error": str(text), **rest} if not rest:
            return (Text(text),), True
        case {"output": list(texts), **rest} if not rest and all(isinstance(text, str) for text in texts):
            return tuple(Text(text) for text in texts if isinstance(text, str)), False
        case {"error": list(texts), **rest} if not rest and all(isinstance(text, str) for text in texts):
            return tuple(Text(text) for text in texts if isinstance(text, str)), True
        case other:
            return (Text(spelled(other)), Opaque(NAME, other, "instead")), False


def _read_media(place: Place) -> tuple[Attachment | Opaque, ...]:
    data, file = _inside(place.at("inlineData"), "mimeType"), _inside(place.at("fileData"), "mimeType", "fileUri")
    if isinstance(said := data.at("data").value, str) and is_base64(said):
        mime = data.at("mimeType").optional_text()
        found = Attachment("file", mime=mime, data=said)
        key, inner = "inlineData", data.rest("mimeType", "data")
    elif file.has("fileUri"):
        found = Attachment("file", mime=file.at("mimeType").optional_text(), href=file.at("fileUri").text())
        key, inner = "fileData", file.rest("mimeType", "fileUri")
    else:
        return (Opaque(NAME, place.value),)
    if is_image(found):
        found = Attachment("image", mime=found.mime, data=found.data, href=found.href)
    more = place.rest(key)
    if inner:
        more[key] = inner
    return (found, Opaque(NAME, more, "more")) if more else (found,)


def _read_part(place: Place, answers: Answers) -> tuple[Part, ...]:
    place = _part_of(place)
    if isinstance(place.value, str):
        place.expect("a part", 'write it as `{"text": "..."}`')
        return (Text(place.value),)
    if place.has("functionCall"):
        call = place.at("functionCall")
        tool, call_id = call.at("name").text(), given_id(call.at("id"), is_optional=True)
        answers.call(place, call_id, tool)
        args = call.at("args").object() if call.has("args") else {}
        more, inner = place.rest("functionCall", "thoughtSignature"), call.rest("id", "name", "args")
        if inner:
            more["functionCall"] = inner
        signature = place.at("thoughtSignature").optional_text()
        return with_more(NAME, Call(tool, args, call_id, signature=signature), more)
    if any(place.has(key) for key in OWN_CALLS):
        return read_own_call(place, answers)
    if place.has("text") and place.at("thought").value is True:
        signature = place.at("thoughtSignature").optional_text()
        more = place.rest("text", "thought", "thoughtSignature")
        return with_more(NAME, Thinking(place.at("text").text(), signature, provider=NAME), more)
    if place.has("text"):
        return with_more(NAME, Text(place.at("text").text()), place.rest("text"))
    if not isinstance(place.value, dict):
        place.expect("a part", 'write it as `{"text": "..."}`')
    return _read_media(place)


WANTS = Wants(
    NAME, has_ids=False, tool_pattern=r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", has_signatures=True, has_split_answers=True
)


def write(prompt: Prompt, model: str | None = None) -> Written:  # noqa: ARG001 - the address names the model
    """Write a request body of generateContent; the model is part of its address."""
    settled = settle(prompt, WANTS)
    system, more, rest = leading_system(settled)
    rest = joined_answers(rest, settled, marker)
    body: dict[str, Json] = {}
    instructions: list[Json] = [block for piece in system if (block := _part(piece, "system", settled))]
    if instructions:
        body["systemInstruction"] = merged({"parts": instructions}, more)
    written = [(each[0].path, content) for each in turns(rest) if (content := _content(each, settled))]
    joined = _joined(written, settled)
    contents: list[Json] = [content for _, content in joined]
    body["contents"] = contents
    if not written:
        settled.advise("messages", "the provider rejects a request without messages", "write a user message")
    elif isinstance(first := contents[0], dict) and first.get("role") == "model":
        settled.advise(written[0][0], "the provider wants a user message first", "write one before it")
    if len(joined) > 1 and _begins_answer(contents[-1]):
        sentence = "the request ends with a message of the model, and the provider rejects that"
        settled.advise(joined[-1][0], sentence, END_WITH_USER)
    _lose_unsigned(rest, settled)
    declared: list[Json] = [_tool(number, tool, settled) for number, tool in enumerate(settled.tools)]
    return written_body(settled, body, [{"functionDeclarations": declared}] if declared else [])


def _joined(written: Sequence[tuple[str, Json]], settled: Settled) -> list[tuple[str, Json]]:
    """Join contents so that all calls answered by results are in the one right before the results."""
    found: list[tuple[str, Json]] = []
    for each in written:
        while _has(each[1], "functionResponse") and len(found) > 1:
            (path, later), (first_path, first) = found[-1], found[-2]
            if not isinstance(first, dict) or not isinstance(later, dict) or not _has(first, "functionCall"):
                break
            parts, more = first.get("parts"), later.get("parts")
            if later.get("role") != "model" or not isinstance(parts, list) or not isinstance(more, list):
                break
            settled.lose(path, JOINED, "write the calls in one message")
            found[-2:] = [(first_path, {**later, **first, "parts": [*parts, *more]})]
        found.append(each)
    return found


def _has(content: Json, key: str) -> bool:
    parts = content.get("parts") if isinstance(content, dict) else None
    return isinstance(parts, list) and any(isinstance(part, dict) and key in part for part in parts)


def _begins_answer(content: Json) -> bool:
    """Return whether a content is text of the model; calls without results are reported as such."""
    parts = content.get("parts") if isinstance(content, dict) and content.get("role") == "model" else None
    last = parts[-1] if isinstance(parts, list) and parts else None
    return isinstance(last, dict) and "text" in last


def _lose_unsigned(messages: Sequence[Sent], settled: Settled) -> None:
    """Report once that newer models require a signature at the first call of a step."""
    for sent in messages:
        first = next((piece for piece in sent.pieces if isinstance(piece.part, Call)), None)
        if first is not None and isinstance(first.part, Call) and first.part.signature is None and not marker(first):
            sentence = "Gemini 3 rejects a first call of a step without the `thoughtSignature` that came with it"
            settled.advise(first.path, sentence, "give the call its `signature`, or `skip_thought_signature_validator`")
            return


def _tool(number: int, tool: Tool, settled: Settled) -> Json:
    written: dict[str, Json] = {"name": tool.alias or tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    more = tool_keys(tool, NAME)
    if "parameters" in more and json_schema(more["parameters"]) != tool.parameters:
        more = {key: value for key, value in more.items() if key != "parameters"}
        settled.lose(f"tools[{number}]", "its `parameters` say another schema than the tool", "remove them")
    if tool.parameters and "parameters" not in more:
        written["parametersJsonSchema"] = dict(tool.parameters)
    return merged(written, more)


def _content(turn: list[Sent], settled: Settled) -> Json:
    first = turn[0]
    if first.role == "none":
        opaque = first.pieces[0].part
        return opaque.json if isinstance(opaque, Opaque) else None
    pieces_of_turn = [piece for sent in turn for piece in sent.pieces]
    parts = [part for piece in pieces_of_turn if (part := _part(piece, first.role, settled))]
    if first.role == "system":
        sentence = "instructions between messages are sent as text of a user message, in `<system>` tags"
        settled.lose(f"{first.path}.parts", sentence, "put them before the first message")
        parts = [tagged(part) for part in parts]
    if not parts:
        settled.lose(first.path, "the message is not sent: the provider rejects one without parts", "leave it out")
        return None
    role = "model" if first.role == "assistant" else "user"
    return merged(
        {"role": role, "parts": list(parts)}, {key: value for sent in turn for key, value in sent.more.items()}
    )


def _part(piece: Piece, role: str, settled: Settled) -> dict[str, Json] | None:
    """Write a part; `None` if the provider cannot hold it."""
    block: dict[str, Json]
    match piece.part:
        case Text(text):
            if not text and not piece.more:
                settled.lose(piece.path, "an empty text is not sent: the provider rejects it", "leave it out")
                return None
            block = {"text": text}
        case Thinking() as thinking:
            return _thinking(thinking, piece, settled)
        case Attachment() as attachment:
            block = _media(attachment, piece, role, settled)
        case Call() as call:
            block = _call(call, piece, settled)
        case Output() as output:
            block = _result(output, piece, settled)
        case Opaque(json=json):
            return json if isinstance(json, dict) else None
    return merged(block, piece.more)


def _thinking(thinking: Thinking, piece: Piece, settled: Settled) -> dict[str, Json] | None:
    if thinking.is_redacted:
        settled.lose(piece.path, "thinking that only its provider can read is not sent", "leave it out")
        return None
    if thinking.provider not in (None, NAME):
        cure = f"write what matters as text, or send it to `{thinking.provider}`"
        settled.lose(piece.path, f"thinking of `{thinking.provider}` is not sent: it goes to no other provider", cure)
        return None
    block: dict[str, Json] = {"text": thinking.text, "thought": True}
    if thinking.signature is not None and thinking.provider == NAME:
        block["thoughtSignature"] = thinking.signature
    elif thinking.signature is not None:
        sentence = "the signature of thinking is not sent: it is not said which provider signed it"
        settled.lose(piece.path, sentence, f'write `x:provider="{NAME}"` if it is of this one')
    return merged(block, piece.more)


def _call(call: Call, piece: Piece, settled: Settled) -> dict[str, Json]:
    if not is_readable(call):
        settled.lose(piece.path, "arguments that are not JSON are not sent", "write them as an object")
    if (key := marker(piece)) is not None:
        return written_own_call(call, key, piece.more.get(key))
    named: dict[str, Json] = {} if call.id is None else {"id": call.id}
    block: dict[str, Json] = {"functionCall": {**named, "name": call.tool, "args": dict(call.args)}}
    return block if call.signature is None else {**block, "thoughtSignature": call.signature}


def _media(attachment: Attachment, piece: Piece, role: str, settled: Settled) -> dict[str, Json]:
    if role != "system" and (attachment.data or attachment.href):
        lose_fields(piece, attachment, settled, "mime")
        if attachment.data:
            return {"inlineData": {"mimeType": mime_of(attachment), "data": attachment.data}}
        kind: dict[str, Json] = {} if attachment.mime is None else {"mimeType": attachment.mime}
        return {"fileData": {**kind, "fileUri": attachment.href}}
    return {"text": in_words(piece, attachment, settled, f"a message of `{role}`")}


def _result(output: Output, piece: Piece, settled: Settled) -> dict[str, Json]:
    """Write a result: an object, under the provider's keys for output and errors."""
    if (key := marker(piece)) is not None:
        return written_own_result(output, key, piece.more.get(key))
    inside = pieces(output.parts, f"{piece.path}.parts", NAME, settled.losses)
    texts: list[Json] = []
    media: list[Json] = []
    for each in inside:
        match each.part:
            case Attachment() as attachment if attachment.data or attachment.href:
                media.append(merged(_media(attachment, each, "tool", settled), each.more))
            case Attachment() as attachment:
                texts.append(in_words(each, attachment, settled, "a result"))
            case Text(text):
                texts.append(text)
                if media:
                    settled.lose(each.path, "the text is sent before the images of the result", "write it first")
            case Opaque(json=json):
                media.append(json)
    said: Json = texts[0] if len(texts) == 1 else texts
    response: Json = {"error" if output.is_error else "output": said}
    if inside and (instead := inside[0].instead) is not None:
        if texts == [spelled(instead) if isinstance(instead, dict) else None] and not output.is_error:
            response = instead
        else:
            settled.lose(piece.path, f"it says another result, so {NOT_SENT}", "remove it, or write what it says")
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
    is_sure=_is_sure,
    is_likely=lambda body: isinstance(body.get("systemInstruction", body.get("system_instruction")), dict),
    is_tool=_is_tool,
    tool_key="",
    tools_of=_tools_of,
    tool_choice=lambda name: {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}},
    answer_messages=_answer_messages,
    is_streamed_as_list=True,
    invalidates={"tools": "tools", "systemInstruction": "system"},
    earlier_keys=("cachedContent", "cached_content"),
    custom=TWO_ROLES,
    respelled=(Text,),
    block_keys={Call: ("functionCall", "toolCall"), Output: ("functionResponse", "toolResponse")},
)
