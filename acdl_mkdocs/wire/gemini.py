"""Gemini generateContent: `systemInstruction` beside `contents` of two roles, whose parts have no types but keys."""

from collections.abc import Sequence

from acdl_mkdocs.prompt import Attachment, Call, Json, Opaque, Output, Prompt, Text, Thinking, Tool
from acdl_mkdocs.wire.arguments import is_readable, spelled
from acdl_mkdocs.wire.body import END_WITH_USER, leading_system, turns, written_body
from acdl_mkdocs.wire.gemini_contents import read
from acdl_mkdocs.wire.gemini_tools import NAME, marker, written_own_call, written_own_result
from acdl_mkdocs.wire.in_words import tagged
from acdl_mkdocs.wire.media import in_words, lose_fields, mime_of
from acdl_mkdocs.wire.opaque import NOT_SENT, merged, pieces, tool_keys
from acdl_mkdocs.wire.own_tools import joined_answers
from acdl_mkdocs.wire.pair import JOINED
from acdl_mkdocs.wire.results import Written
from acdl_mkdocs.wire.schema import json_schema
from acdl_mkdocs.wire.sent import Piece, Sent, Settled, Wants
from acdl_mkdocs.wire.settle import settle

__all__ = ["read", "write"]

WANTS = Wants(
    NAME, has_ids=False, tool_pattern=r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", has_signatures=True, has_split_answers=True
)


def write(prompt: Prompt, model: str | None = None) -> Written:  # noqa: ARG001 - the address names the model
    """A request body of generateContent; the model is part of its address."""
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
    """Contents in which all calls that results stand behind are in the one right before them."""
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
    """Whether a content is text of the model; calls without results are reported as such."""
    parts = content.get("parts") if isinstance(content, dict) and content.get("role") == "model" else None
    last = parts[-1] if isinstance(parts, list) and parts else None
    return isinstance(last, dict) and "text" in last


def _lose_unsigned(messages: Sequence[Sent], settled: Settled) -> None:
    """Say once that newer models want a signature at the first call of a step."""
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
    """A part; nothing where the provider has no place for it."""
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
    """A result: an object, under the keys that the provider has for what came out and for what went wrong."""
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
