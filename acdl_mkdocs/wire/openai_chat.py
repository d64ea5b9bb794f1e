"""OpenAI Chat Completions: `messages` of roles, calls beside the content, results as messages of their own."""

from collections.abc import Mapping
from dataclasses import replace

from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.prompt import Attachment, Call, Json, Message, Opaque, Output, Part, Prompt, Role, Text, Thinking, Tool
from acdl_mkdocs.wire.answers import Answers, given_id
from acdl_mkdocs.wire.arguments import read_arguments, written_arguments
from acdl_mkdocs.wire.body import chosen_model, written_body
from acdl_mkdocs.wire.declared_tools import read_declared_tools
from acdl_mkdocs.wire.in_words import FORGEABLE, blocks_with_status, parts_without_status
from acdl_mkdocs.wire.known_messages import KnownMessages
from acdl_mkdocs.wire.media import attachment_at, data_url, in_words, is_image, lose_fields
from acdl_mkdocs.wire.opaque import NOT_SENT, merged, of_message, of_request, own_role, pieces, tool_keys, with_more
from acdl_mkdocs.wire.place import Place
from acdl_mkdocs.wire.results import Read, Written
from acdl_mkdocs.wire.sent import Piece, Sent, Settled, Wants
from acdl_mkdocs.wire.settle import settle

NAME = "openai"
WANTS = Wants(NAME, has_names=True)
_ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_THOUGHTS = ("reasoning_content", "reasoning")
"""Keys of other vendors of this format."""


def write(prompt: Prompt, model: str | None = None) -> Written:
    """A request body of Chat Completions."""
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
    """Content: a string where that says everything."""
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
    """What a request body of Chat Completions says."""
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
    """A part whose keys are in an object of its own."""
    more, inner = place.rest("type", key), place.at(key).rest(*known)
    return with_more(NAME, part, {**more, key: inner} if inner else more)
