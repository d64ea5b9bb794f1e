"""Anthropic Messages: `system` beside messages of two roles, whose content is a list of blocks."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from acdl_mkdocs.prompt import Attachment, Call, Json, Message, Opaque, Output, Part, Prompt, Role, Text, Thinking, Tool
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.wire.answers import SPLIT, Answers, given_id
from acdl_mkdocs.wire.arguments import is_readable
from acdl_mkdocs.wire.body import chosen_model, leading_system, turns, written_body
from acdl_mkdocs.wire.claude import end_problem, system_at_place
from acdl_mkdocs.wire.in_words import tagged
from acdl_mkdocs.wire.media import in_words, is_base64, is_image, lose_fields, mime_of
from acdl_mkdocs.wire.opaque import merged, of_message, of_request, own_role, pieces, tool_keys, with_more
from acdl_mkdocs.wire.place import Place
from acdl_mkdocs.wire.results import Read, Written
from acdl_mkdocs.wire.sent import Piece, Sent, Settled, Wants
from acdl_mkdocs.wire.settle import settle

NAME = "anthropic"
WANTS = Wants(NAME, id_pattern=r"[A-Za-z0-9_-]+", tool_pattern=r"[A-Za-z0-9_-]{1,128}", has_split_answers=True)
MAX_TOKENS = 4096
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_NO_ARGUMENTS: Json = {"type": "object", "properties": {}}


def write(prompt: Prompt, model: str | None = None) -> Written:
    """A request body of Messages."""
    settled = settle(prompt, WANTS)
    body = chosen_model(settled, model)
    body["max_tokens"] = settled.settings.get("max_tokens", MAX_TOKENS)
    if "max_tokens" not in settled.settings:
        sentence = f"the request needs `max_tokens`: {MAX_TOKENS} is filled in"
        settled.advise("", sentence, "set it where you send the request")
    system, more, rest = leading_system(settled, apart="system")
    blocks = [block for piece in system if (block := _block(piece, "system", settled))]
    if blocks:
        body["system"] = _content(blocks)
    if more:
        settled.lose("", "more keys of the instructions are not sent", "set them where you send the request")
    listed = list(turns(rest))
    at_place = system_at_place(model, [each[0].role for each in listed])
    written = [
        (each[-1].path, message)
        for number, each in enumerate(listed)
        if (message := _message(each, settled, is_at_place=number in at_place))
    ]
    messages: list[Json] = [message for _, message in written]
    body["messages"] = messages
    if not written:
        settled.advise("messages", "the provider rejects a request without messages", "write a user message")
        return written_body(settled, body, [_tool(number, tool, settled) for number, tool in enumerate(settled.tools)])
    if written[0][1].get("role") != "user":
        settled.advise(written[0][0], "the provider wants a user message first", "write one before it")
    if len(written) > 1 and (problem := end_problem(model, written[-1][1])):
        settled.advise(written[-1][0], *problem)
    return written_body(settled, body, [_tool(number, tool, settled) for number, tool in enumerate(settled.tools)])


def _tool(number: int, tool: Tool, settled: Settled) -> Json:
    written: dict[str, Json] = {"name": tool.alias or tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    schema = dict(tool.parameters) or _NO_ARGUMENTS
    if isinstance(schema, dict) and schema.get("type") != "object":
        settled.lose(f"tools[{number}]", "the schema is sent with `type: object`", "write it into `parameters`")
        schema = {**schema, "type": "object"}
    return merged({**written, "input_schema": schema}, tool_keys(tool, NAME))


def _message(turn: list[Sent], settled: Settled, *, is_at_place: bool) -> dict[str, Json] | None:
    first = turn[0]
    if first.role == "none":
        opaque = first.pieces[0].part
        if isinstance(opaque, Opaque) and isinstance(opaque.json, dict):
            return opaque.json
        settled.lose(f"{first.path}.parts", "a message that is no object is not sent", "write it as text of the user")
        return None
    role, more = first.role, {key: value for sent in turn for key, value in sent.more.items()}
    blocks = [block for sent in turn for piece in sent.pieces if (block := _block(piece, role, settled))]
    if role == "system" and is_at_place:
        more = {"role": "system", **more}
    if role == "system" and more.get("role") != "system":
        sentence = "instructions between messages are sent as text of a user message, in `<system>` tags"
        cure = "put them before the first message, or right behind a user message for Claude Opus 4.8 or newer"
        settled.lose(f"{first.path}.parts", sentence, cure)
        blocks = [tagged(block) for block in blocks]
    if not blocks:
        settled.lose(first.path, "the message is not sent: the provider rejects one without content", "leave it out")
        return None
    spoken = "assistant" if role == "assistant" else "user"
    return merged({"role": spoken, "content": _content(blocks)}, own_role(role, more), "role")


def _content(blocks: list[dict[str, Json]]) -> Json:
    """Content: a string where that says everything."""
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        return blocks[0]["text"]
    return list(blocks)


def _block(piece: Piece, role: str, settled: Settled) -> dict[str, Json] | None:
    """A part as a block; nothing where the provider would reject it."""
    block: dict[str, Json] | None
    match piece.part:
        case Text(text):
            block = {"type": "text", "text": text}
            if not text.strip():
                sentence = "a text without a letter is not sent: the provider rejects it"
                settled.lose(piece.path, sentence, "leave it out")
                return None
        case Thinking() as thinking:
            block = _thinking(thinking, piece, settled)
        case Attachment() as attachment:
            block = _media(attachment, piece, settled) if role in ("user", "tool") else None
            block = block or {"type": "text", "text": in_words(piece, attachment, settled, f"a message of `{role}`")}
        case Call() as call:
            if not is_readable(call):
                settled.lose(piece.path, "arguments that are not JSON are not sent", "write them as an object")
            block = {"type": "tool_use", "id": call.id, "name": call.tool, "input": dict(call.args)}
        case Output() as output:
            block = _result(output, piece, settled)
        case Opaque(json=json):
            block = json if isinstance(json, dict) else None
    return None if block is None else merged(block, piece.more)


def _thinking(thinking: Thinking, piece: Piece, settled: Settled) -> dict[str, Json] | None:
    if thinking.provider == NAME and thinking.is_redacted:
        return {"type": "redacted_thinking", "data": thinking.text}
    if thinking.provider == NAME and thinking.signature is not None:
        return {"type": "thinking", "thinking": thinking.text, "signature": thinking.signature}
    sentence = "thinking is not sent: the provider takes back only what it signed itself"
    settled.lose(piece.path, sentence, "write what matters as text, or keep provider and signature")
    return None


def _media(attachment: Attachment, piece: Piece, settled: Settled) -> dict[str, Json] | None:
    """An image or a document, where the provider has a block for it."""
    mime = mime_of(attachment)
    source: dict[str, Json] | None = None
    if is_image(attachment) and attachment.data and mime in _IMAGES:
        source = {"type": "base64", "media_type": mime, "data": attachment.data}
    elif is_image(attachment) and attachment.href:
        source = {"type": "url", "url": attachment.href}
    if source is not None:
        lose_fields(piece, attachment, settled, "mime" if attachment.data else "")
        return {"type": "image", "source": source}
    if attachment.data and mime == "application/pdf":
        source = {"type": "base64", "media_type": mime, "data": attachment.data}
    elif attachment.href and (mime == "application/pdf" or attachment.href.endswith(".pdf")):
        source = {"type": "url", "url": attachment.href}
    elif attachment.text and attachment.type in ("file", "doc"):
        source = {"type": "text", "media_type": "text/plain", "data": attachment.text}
    if source is None:
        return None
    lose_fields(piece, attachment, settled, "name", "mime" if source.get("media_type") == attachment.mime else "")
    title: dict[str, Json] = {} if attachment.name is None else {"title": attachment.name}
    return {"type": "document", "source": source, **title}


def _result(output: Output, piece: Piece, settled: Settled) -> dict[str, Json]:
    inside = pieces(output.parts, f"{piece.path}.parts", NAME, settled.losses)
    block: dict[str, Json] = {"type": "tool_result", "tool_use_id": output.call_id}
    if len(inside) == 1 and isinstance(text := inside[0].part, Text) and not inside[0].more:
        block["content"] = text.text
    elif blocks := [written for each in inside if (written := _block(each, "tool", settled))]:
        block["content"] = _content(blocks)
    if output.is_error:
        block["is_error"] = True
    return block


def read(body: Json) -> Read:
    """What a request body of Messages says."""
    place = Place(body)
    answers = Answers()
    more = place.rest("model", "system", "messages", "tools")
    messages: list[Message] = []
    if place.has("system"):
        messages.append(Message("system", _parts(place.at("system"), answers)))
    said = list(place.at("messages").items())
    model = place.at("model").optional_text()
    at_place = system_at_place(model, [each.at("role").value for each in said])
    for number, each in enumerate(said):
        messages.extend(_read_message(each, answers, is_at_place=number in at_place))
    answers.end()
    tools: list[Tool] = []
    names: dict[str, str] = {}
    others: list[Json] = []
    for each in place.at("tools").items() if place.has("tools") else ():
        if each.at("type").value in (None, "custom") and each.has("input_schema"):
            tools.append(_read_tool(each, names))
        else:
            others.append(each.value)
    place.at("tools").tell_order(others)
    if others:
        more["tools"] = others
    prompt = Prompt(tuple(messages), tuple(tools), settings=of_request(NAME, more))
    return Read(prompt, tuple(place.problems), model)


def _read_tool(place: Place, names: dict[str, str]) -> Tool:
    schema = place.at("input_schema").object()
    more = place.rest("name", "description", "input_schema")
    return Tool(
        place.at("name").name(names),
        place.at("description").optional_text(),
        {} if schema == _NO_ARGUMENTS else schema,
        more=Opaque(NAME, more, "more") if more else None,
    )


def _read_message(place: Place, answers: Answers, *, is_at_place: bool) -> Iterator[Message]:
    """The messages that one of the body is: a message of the user may begin with results of tools."""
    role = place.at("role").value
    if not isinstance(place.value, dict) or not isinstance(role, str) or role not in _ROLES:
        near = closest(role, _ROLES) if isinstance(role, str) else None
        cure = f"did you mean `{near}`?" if near else "write `user` or `assistant`"
        where = place.at("role") if isinstance(place.value, dict) else place
        where.report("this is no role of a message" if where is not place else "this is no message", cure)
        yield Message("none", (Opaque(NAME, place.value),))
        return
    more = place.rest("role", "content")
    if role == "system" and not is_at_place:  # so that it is written there, and not as text of a user message
        more = {"role": "system", **more}
    content = place.at("content")
    if not isinstance(content.value, list):
        answers.message(is_answer=role == "assistant")
        yield Message(_ROLES[role], (*_said(content), *of_message(NAME, more)))
        return
    blocks = list(content.items())
    groups = groupby(blocks, key=lambda each: each.at("type").value == "tool_result") if blocks else [(False, [])]
    if len({each.at("type").value == "tool_result" for each in blocks}) == 2:
        place.advise(*SPLIT)
    for is_results, group in groups:
        keys, more = of_message(NAME, more), {}
        if is_results:
            for number, each in enumerate(group):
                yield Message("tool", (*_read_result(each, answers), *(keys if number == 0 else ())))
        else:
            answers.message(is_answer=role == "assistant")
            parts = [part for each in group for part in _part(each, answers)]
            yield Message(_ROLES[role], (*parts, *keys))


def _read_result(place: Place, answers: Answers) -> tuple[Part, ...]:
    call_id = given_id(place.at("tool_use_id"))
    tool = answers.result(place, call_id, None)
    content = _parts(place.at("content"), answers) if place.has("content") else ()
    inside = tuple(part for part in content if isinstance(part, Text | Attachment | Opaque))
    more = place.rest("type", "tool_use_id", "content", "is_error")
    return with_more(NAME, Output(inside, call_id, tool, place.at("is_error").value is True), more)


def _said(place: Place) -> tuple[Part, ...]:
    """Content that is a string; anything else is kept."""
    if isinstance(place.value, str):
        return (Text(place.value),)
    place.expect("a string or a list of blocks", 'write it as `"..."`')
    return () if place.value is None else (Opaque(NAME, place.value),)


def _parts(place: Place, answers: Answers) -> tuple[Part, ...]:
    if not isinstance(place.value, list):
        return _said(place)
    return tuple(part for each in place.items() for part in _part(each, answers))


def _part(place: Place, answers: Answers) -> tuple[Part, ...]:
    if isinstance(place.value, str):
        place.expect("a block", 'write it as `{"type": "text", "text": "..."}`')
        return (Text(place.value),)
    match place.at("type").value:
        case "text":
            return with_more(NAME, Text(place.at("text").text()), place.rest("type", "text"))
        case "thinking":
            signature = place.at("signature").optional_text()
            thinking = Thinking(place.at("thinking").text(), signature, provider=NAME)
            return with_more(NAME, thinking, place.rest("type", "thinking", "signature"))
        case "redacted_thinking":
            thinking = Thinking(place.at("data").text(), is_redacted=True, provider=NAME)
            return with_more(NAME, thinking, place.rest("type", "data"))
        case "tool_use":
            call = Call(place.at("name").text(), place.at("input").object(), given_id(place.at("id")))
            answers.call(place, call.id, call.tool)
            return with_more(NAME, call, place.rest("type", "id", "name", "input"))
        case "image" | "document" if (attachment := _read_media(place)) is not None:
            return with_more(NAME, attachment, place.rest("type", "source", "title"))
        case str():
            return (Opaque(NAME, place.value),)
        case _:
            place.report("this block has no `type`", 'write it as `{"type": "text", "text": "..."}`')
            return (Opaque(NAME, place.value),)


def _read_media(place: Place) -> Attachment | None:
    """An image or a document, where its source is one that every provider knows."""
    source = place.at("source")
    kind = "image" if place.at("type").value == "image" else "file"
    name, mime = place.at("title").value, source.at("media_type").value
    if not (name is None or (isinstance(name, str) and kind == "file")) or not isinstance(mime, str | None):
        return None
    match source.value:
        case {"type": "base64", "media_type": str(), "data": str(data), **rest} if not rest and is_base64(data):
            return Attachment(kind, name=name, mime=mime, data=data)
        case {"type": "url", "url": str(url), **rest} if not rest and not url.startswith("data:"):
            return Attachment(kind, name=name, href=url)
        case {"type": "text", "media_type": str(), "data": str(text), **rest} if not rest and kind == "file":
            return Attachment(kind, name=name, mime=mime, text=text)
    return None
