"""Anthropic Messages: `system` beside messages of two roles, whose content is a list of blocks."""

from acdl_mkdocs.prompt import Attachment, Call, Json, Opaque, Output, Prompt, Text, Thinking, Tool
from acdl_mkdocs.wire.anthropic_blocks import BLOCKS
from acdl_mkdocs.wire.anthropic_messages import NO_ARGUMENTS, read
from acdl_mkdocs.wire.anthropic_tools import NAME, marker, written_value
from acdl_mkdocs.wire.arguments import is_readable
from acdl_mkdocs.wire.body import chosen_model, leading_system, turns, written_body
from acdl_mkdocs.wire.claude import end_problem, system_at_place
from acdl_mkdocs.wire.in_words import tagged
from acdl_mkdocs.wire.media import in_words, is_image, lose_fields, mime_of
from acdl_mkdocs.wire.opaque import merged, own_role, pieces, tool_keys
from acdl_mkdocs.wire.own_tools import joined_answers
from acdl_mkdocs.wire.results import Written
from acdl_mkdocs.wire.sent import Piece, Sent, Settled, Wants
from acdl_mkdocs.wire.settle import settle

__all__ = ["read", "write"]

WANTS = Wants(NAME, id_pattern=r"[A-Za-z0-9_-]+", tool_pattern=r"[A-Za-z0-9_-]{1,128}", has_split_answers=True)
MAX_TOKENS = 4096
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


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
    listed = list(turns(joined_answers(rest, settled, marker)))
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
    schema = dict(tool.parameters) or NO_ARGUMENTS
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
            kind = "tool_use" if marker(piece) is None else piece.more["type"]
            block = {"type": kind, "id": call.id, "name": call.tool, "input": dict(call.args)}
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
    kind = "tool_result" if marker(piece) is None else piece.more["type"]
    block: dict[str, Json] = {"type": kind, "tool_use_id": output.call_id}
    if kind not in ("tool_result", BLOCKS):
        return block | written_value(output, piece.more)
    inside = pieces(output.parts, f"{piece.path}.parts", NAME, settled.losses)
    if len(inside) == 1 and isinstance(text := inside[0].part, Text) and not inside[0].more:
        block["content"] = text.text
    elif blocks := [written for each in inside if (written := _block(each, "tool", settled))]:
        block["content"] = _content(blocks)
    if output.is_error:
        block["is_error"] = True
    return block
