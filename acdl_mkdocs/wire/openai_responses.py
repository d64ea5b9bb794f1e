"""OpenAI Responses: `instructions` and a flat list of items: messages, reasoning, calls and their outputs."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Attachment, Call, Json, Opaque, Output, Prompt, Text, Thinking, Tool
from acdl_mkdocs.wire.arguments import written_arguments
from acdl_mkdocs.wire.body import chosen_model, written_body
from acdl_mkdocs.wire.in_words import blocks_with_status
from acdl_mkdocs.wire.media import data_url, in_words, is_image, lose_fields
from acdl_mkdocs.wire.opaque import is_reference, merged, own_role, pieces, tool_keys
from acdl_mkdocs.wire.responses_calls import CALLS, NAME, OUTPUTS, written_call, written_output
from acdl_mkdocs.wire.responses_items import ITEMS, NO_ARGUMENTS, Open, read
from acdl_mkdocs.wire.results import Written
from acdl_mkdocs.wire.sent import Piece, Sent, Settled, Wants
from acdl_mkdocs.wire.settle import settle

__all__ = ["read", "write"]

WANTS = Wants(NAME, has_order=False, has_message_ids=True, has_references=True)


def write(prompt: Prompt, model: str | None = None) -> Written:
    """A request body of Responses."""
    settled = settle(prompt, WANTS)
    body = chosen_model(settled, model)
    messages = settled.messages
    if messages and _is_instructions(messages[0], settled):
        texts = [piece.part.text for piece in messages[0].pieces if isinstance(piece.part, Text)]
        body["instructions"] = "\n\n".join(texts)
        _lose_id(messages[0], settled)
        messages = messages[1:]
    opened, others = Open(), _others(messages)
    body["input"] = [item for each in messages for item in _items(each, opened, others, settled)]
    return written_body(settled, body, [_tool(tool) for tool in settled.tools])


@dataclass(frozen=True, slots=True)
class _Others:
    """Calls that are not of functions."""

    types: dict[str | None, str]
    """The type of the item of each, by its id."""
    results: dict[str | None, Output]
    """All results, by the ids of their calls."""
    ids: frozenset[str | None]
    """Of all calls."""


def _others(messages: Sequence[Sent]) -> _Others:
    pieces = [piece for each in messages for piece in each.pieces]
    called = [(piece.part, piece.more) for piece in pieces if isinstance(piece.part, Call)]
    typed = [(call, more) for call, more in called if "type" in more]
    types = {call.id: str(more["type"]) for call, more in typed if written_call(call, more, None) is not None}
    results = {part.call_id: part for piece in pieces if isinstance(part := piece.part, Output)}
    return _Others(types, results, frozenset(call.id for call, _ in called))


def _is_item(piece: Piece) -> bool:
    """Whether a part is an item of its own, not a part of a message."""
    if not isinstance(piece.part, Opaque):
        return False
    json = piece.part.json
    return isinstance(json, dict) and (str(json.get("type")) in ITEMS or is_reference(json))


def _is_instructions(sent: Sent, settled: Settled) -> bool:
    """Whether a message can be said as one text that the request begins with."""
    are_texts = all(isinstance(piece.part, Text) and not piece.more and not piece.instead for piece in sent.pieces)
    n_texts = 2 if settled.has_memory and sent.path != "memory" else 1
    return sent.role == "system" and are_texts and len(sent.pieces) == n_texts and not sent.more


def _tool(tool: Tool) -> Json:
    written: dict[str, Json] = {"type": "function", "name": tool.alias or tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    written["parameters"] = dict(tool.parameters) or NO_ARGUMENTS
    written["strict"] = False  # without it, the provider takes the schema as a strict one
    return merged(written, tool_keys(tool, NAME), "strict")


def _items(sent: Sent, opened: Open, others: _Others, settled: Settled) -> list[Json]:
    if sent.role == "assistant":
        return _answer(sent, opened, others, settled)
    opened.kinds = set()
    if sent.role == "none":
        return [piece.part.json for piece in sent.pieces if isinstance(piece.part, Opaque)]
    if sent.role == "tool":
        return _result(sent, others, settled)
    _lose_id(sent, settled)
    items: list[Json] = [piece.part.json for piece in sent.pieces if isinstance(piece.part, Opaque) and _is_item(piece)]
    content: list[Json] = [_block(piece, sent.role, settled) for piece in sent.pieces if not _is_item(piece)]
    if items and not content:
        return items
    role = "developer" if sent.role == "system" else sent.role
    return [
        *items,
        merged({"type": "message", "role": role, "content": content}, own_role(sent.role, sent.more), "role"),
    ]


def _lose_id(sent: Sent, settled: Settled) -> None:
    if sent.id is not None:
        settled.lose(sent.path, f"the id `{sent.id}` of the message is not sent", "keep it beside the request")


def _answer(sent: Sent, opened: Open, others: _Others, settled: Settled) -> list[Json]:
    """The items of a message of the assistant, in its order."""
    items: list[Json] = []
    own_id, more = sent.id, sent.more
    for kind, run in _runs(sent.pieces):
        item = _item(run, own_id, more, others, settled)
        if item is None:
            continue
        if opened.begins(kind) == bool(items):
            sentence = "it is read as another message" if items else "it is read as part of the message before it"
            settled.lose(run[0].path, sentence, "write reasoning, text and calls of a message in this order")
        items.append(item)
        if kind == "text":
            own_id, more = None, {}
    if own_id is not None or more:
        settled.lose(sent.path, "id and keys of a message without text are not sent", "keep them beside the request")
    if not items:
        settled.lose(sent.path, "a message of the assistant without content is not sent", "leave it out")
    return items


def _runs(pieces: Sequence[Piece]) -> Iterator[tuple[str, list[Piece]]]:
    """Pieces by the items that they are: texts together, calls and thinking one by one."""
    for kind, run in groupby(pieces, key=_kind):
        together = list(run)
        yield from [(kind, together)] if kind == "text" else ((kind, [each]) for each in together)


def _kind(piece: Piece) -> str:
    return "item" if _is_item(piece) else {Call: "call", Thinking: "thinking"}.get(type(piece.part), "text")


def _item(run: list[Piece], own_id: str | None, more: dict[str, Json], others: _Others, settled: Settled) -> Json:
    match run[0].part:
        case Call() as call:
            return _call(call, run[0], others, settled)
        case Opaque(json=json) if _is_item(run[0]):
            return json
        case Thinking() as thinking:
            return _reasoning(thinking, run[0], settled)
        case _:
            return _said([_block(piece, "assistant", settled) for piece in run], own_id, more)


def _said(blocks: list[dict[str, Json]], own_id: str | None, more: dict[str, Json]) -> Json:
    """Text of the assistant: as the provider gave it where its id is known, else in the short form."""
    if own_id is None and len(blocks) == 1 and blocks[0].keys() == {"type", "text", "annotations"}:
        return merged({"type": "message", "role": "assistant", "content": blocks[0]["text"]}, more)
    named: dict[str, Json] = {} if own_id is None else {"id": own_id, "status": "completed"}
    return merged({"type": "message", **named, "role": "assistant", "content": list(blocks)}, more, "status")


def _call(call: Call, piece: Piece, others: _Others, settled: Settled) -> Json:
    if call.id in others.types:
        return written_call(call, piece.more, others.results.get(call.id))
    if str(piece.more.get("type")) in CALLS:
        sentence = f"the call says other things than `{piece.more['type']}` can: it is sent as one of a function"
        settled.lose(piece.path, sentence, "declare it as a function, or call the tool as the provider defines it")
    item: dict[str, Json] = {"type": "function_call", "call_id": call.id, "name": call.tool}
    return merged({**item, "arguments": written_arguments(call)}, piece.more)


def _reasoning(thinking: Thinking, piece: Piece, settled: Settled) -> Json:
    if thinking.provider != NAME or "id" not in piece.more:
        sentence = "thinking is not sent: this format takes back only reasoning that it gave, with its id"
        settled.lose(piece.path, sentence, "write what matters as text")
        return None
    item: dict[str, Json] = {"type": "reasoning", "id": piece.more["id"]}
    item["summary"] = _summary(thinking, piece.more)
    if thinking.signature is not None:
        item["encrypted_content"] = thinking.signature
    return merged(item, piece.more)


def _summary(thinking: Thinking, more: dict[str, Json]) -> Json:
    """What the model thought: in the parts that the provider gave, where they say the same."""
    given = more.get("summary")
    parts = given if isinstance(given, list) else []
    texts = [text for each in parts if isinstance(each, dict) and isinstance(text := each.get("text"), str)]
    if given is not None and len(texts) == len(parts) and "\n\n".join(texts) == thinking.text:
        return given
    return [{"type": "summary_text", "text": thinking.text}]


def _block(piece: Piece, role: str, settled: Settled) -> dict[str, Json]:
    kind = "output_text" if role == "assistant" else "input_text"
    rest: dict[str, Json] = {"annotations": []} if role == "assistant" else {}
    match piece.part:
        case Text(text):
            block: dict[str, Json] = {"type": kind, "text": text, **rest}
        case Attachment() as part if role in ("user", "tool") and is_image(part) and (part.data or part.href):
            lose_fields(piece, part, settled, "mime")
            url = data_url(part) if part.data else part.href
            block = {"type": "input_image", "detail": "auto", "image_url": url}
        case Attachment() as part if role in ("user", "tool") and (part.data or part.href):
            lose_fields(piece, part, settled, "name", "mime" if part.data else "")
            named: dict[str, Json] = {} if part.name is None else {"filename": part.name}
            where: dict[str, Json] = {"file_data": data_url(part)} if part.data else {"file_url": part.href}
            block = {"type": "input_file", **named, **where}
        case Attachment() as part:
            block = {"type": kind, "text": in_words(piece, part, settled, f"a message of `{role}`"), **rest}
        case Opaque(json=dict() as json):
            block = json
        case _:
            block = {"type": kind, "text": "", **rest}
    return merged(block, piece.more, "annotations", "detail")


def _result(sent: Sent, others: _Others, settled: Settled) -> list[Json]:
    (piece,) = sent.pieces
    output = piece.part
    assert isinstance(output, Output)  # noqa: S101 - `settle` gives every result a message
    more = {**piece.more, **sent.more}
    kind = others.types.get(output.call_id)
    if kind is not None and CALLS[kind].is_run:  # its call has it
        return []
    name = CALLS[kind].output if kind is not None else more.get("type") if output.call_id not in others.ids else None
    inside = pieces(output.parts, f"{piece.path}.parts", NAME, settled.losses)
    blocks = blocks_with_status(
        [_block(each, "tool", settled) for each in inside], "input_text", is_error=output.is_error
    )
    is_text = len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
    said: Json = blocks[0]["text"] if is_text else list(blocks)
    if str(name) in OUTPUTS:
        return [written_output(output, more, str(name), said)]
    item: dict[str, Json] = {"type": "function_call_output", "call_id": output.call_id, "output": said}
    return [merged(item, more)]
