"""OpenAI Responses in both directions: requests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby

from acdl_mkdocs.foundation.frozen import dataclass
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
from acdl_mkdocs.prompts.providers.adapt_prompt import CONTINUES, settle
from acdl_mkdocs.prompts.providers.arguments import read_arguments, written_arguments
from acdl_mkdocs.prompts.providers.media import attachment_at, data_url, in_words, is_image, lose_fields
from acdl_mkdocs.prompts.providers.opaque import (
    is_reference,
    merged,
    of_message,
    of_request,
    own_role,
    pieces,
    tool_keys,
    with_more,
)
from acdl_mkdocs.prompts.providers.provider import Custom, Provider
from acdl_mkdocs.prompts.providers.read_body import Answers, Place, given_id, read_declared_tools
from acdl_mkdocs.prompts.providers.responses_tools import (
    CALLS,
    CUSTOM,
    NAME,
    OUTPUTS,
    read_call,
    read_output,
    written_call,
    written_output,
)
from acdl_mkdocs.prompts.providers.results import Piece, Read, Sent, Settled, Wants, Written
from acdl_mkdocs.prompts.providers.tagged_text import FORGEABLE, blocks_with_status, parts_without_status
from acdl_mkdocs.prompts.providers.write_body import chosen_model, written_body

NO_ARGUMENTS: Json = {"type": "object", "properties": {}}
_STORED = ("prompt", *CONTINUES)
"""Keys of requests that can do without any input."""
ITEMS: Mapping[str, Role] = {
    "compaction": "assistant",
    "item_reference": "assistant",
    "additional_tools": "system",
    "configuration_update": "system",
    "compaction_trigger": "system",
}
"""Items that are kept unchanged, with the role of their message: output of the model, and input for it."""
_ROLES = ("system", "developer", "user", "assistant")


@dataclass(slots=True)
class Open:
    """The message of the assistant that items belong to, while they follow each other."""

    kinds: set[str] = field(default_factory=set)

    def begins(self, kind: str) -> bool:
        """Return whether an item begins a message: all items do after text or calls, except calls."""
        is_new = not self.kinds or (kind != "call" and bool(self.kinds & {"text", "call"}))
        self.kinds = {kind} if is_new else {*self.kinds, kind}
        return is_new


def read(body: Json) -> Read:
    """Read a request body of Responses."""
    place = Place(body)
    more = place.rest("model", "instructions", "input", "tools")
    messages: list[Message] = []
    if place.has("instructions"):
        messages.append(Message("system", (Text(place.at("instructions").text()),)))
    if isinstance(place.at("input").value, str):
        messages.append(Message("user", (Text(place.at("input").text()),)))
    elif place.has("input") or not any(place.has(key) for key in _STORED):
        reader = _Reader(Answers(is_continued=any(key in more for key in CONTINUES)), messages)
        for each in place.at("input").items():
            reader.item(each)
        reader.answers.end()
    tools, others = read_declared_tools(place, lambda each: each.at("type").value == "function", _read_tool)
    prompt = Prompt(tuple(messages), tools, settings=of_request(NAME, more | others))
    model = place.at("model").optional_text()
    return Read(prompt, tuple(place.problems), model)


def _read_tool(place: Place, names: dict[str, str]) -> Tool:
    more = place.rest("type", "name", "description", "parameters", "strict")
    if place.at("strict").value is not False:
        more["strict"] = place.at("strict").value
    parameters = place.at("parameters")
    schema = {} if parameters.value in (None, NO_ARGUMENTS) else parameters.object()
    described = place.at("description").optional_text()
    return Tool(place.at("name").name(names), described, schema, more=Opaque(NAME, more, "more") if more else None)


@dataclass(slots=True)
class _Reader:
    """Makes messages of items."""

    answers: Answers
    messages: list[Message]
    opened: Open = field(default_factory=Open)
    ids: dict[str, str] = field(default_factory=dict)
    """The id of each call by that of its item, for results that name the item."""

    def item(self, place: Place) -> None:
        kind = place.at("type").value
        if not isinstance(place.value, dict):
            place.expect("an item", 'write it as `{"role": "user", "content": "..."}`')
            self.add(Message("none", (Opaque(NAME, place.value),)))
        elif kind == "message" or (kind is None and place.has("role")):
            self.message(place)
        elif kind == "function_call":
            self.call(place)
        elif kind in ("function_call_output", CUSTOM):
            self.result(place, *(("type",) if kind != CUSTOM else ()))
        elif kind == "reasoning":
            self.reasoning(place)
        elif isinstance(kind, str) and kind in CALLS:
            self.other_call(place)
        elif isinstance(kind, str) and kind in OUTPUTS:
            self.add(Message("tool", read_output(place, self.ids, self.answers)))
        elif is_reference(place.value):  # which may do without a type
            self.other(place, "item_reference")
        elif isinstance(kind, str):
            self.other(place, kind)
        else:
            place.report("this item has no `type`", 'write it as `{"role": "user", "content": "..."}`')
            self.add(Message("none", (Opaque(NAME, place.value),)))

    def add(self, message: Message) -> None:
        """Append a message."""
        self.opened.kinds = set()
        self.messages.append(message)

    def answered(self, kind: str, parts: tuple[Part, ...], id: str | None = None) -> None:
        """Add parts of the assistant to its open message, or to a new one."""
        if self.opened.begins(kind):
            self.messages.append(Message("assistant", parts, id=id))
        else:
            opened = self.messages[-1]
            self.messages[-1] = Message("assistant", (*opened.parts, *parts), id=id or opened.id)

    def other_call(self, place: Place) -> None:
        """Read a call of another tool than a function, with its result if the item has one."""
        item_id, call_id = place.at("id").value, place.at("call_id").value
        if isinstance(item_id, str) and isinstance(call_id, str):
            self.ids[item_id] = call_id
        call, result = read_call(place, self.answers)
        self.answered("call", call)
        if result:
            self.add(Message("tool", result))

    def other(self, place: Place, kind: str) -> None:
        """Keep an item unchanged."""
        self.answers.is_continued |= kind == "item_reference"
        if kind not in ITEMS:
            place.advise(f"items of the type `{kind}` are not known: it is kept as it is", "check its name")
        if ITEMS.get(kind, "none") != "assistant":
            self.add(Message(ITEMS.get(kind, "none"), (Opaque(NAME, place.value),)))
        else:
            self.answered("item", (Opaque(NAME, place.value),))

    def message(self, place: Place) -> None:
        """Read a message with a role."""
        role = place.at("role").value
        self.answers.message(is_answer=role == "assistant")
        if role not in _ROLES:
            near = closest(role, _ROLES) if isinstance(role, str) else None
            cure = f"did you mean `{near}`?" if near else "write one of `developer`, `user`, `assistant`"
            place.at("role").report("this is no role of a message", cure)
            self.add(Message("none", (Opaque(NAME, place.value),)))
            return
        parts = _parts(place.at("content"))
        if role == "assistant":
            more = place.rest("type", "role", "content", "id", "status")
            if place.at("status").value not in (None, "completed"):
                more["status"] = place.at("status").value
            self.answered("text", (*parts, *of_message(NAME, more)), place.at("id").optional_text())
            return
        more = place.rest("type", "role", "content")
        is_lone = not self.messages and len(parts) == 1
        if role == "system" or (role == "developer" and is_lone):  # else it would be written as `instructions`
            more = {"role": role, **more}
        spoken: Role = "user" if role == "user" else "system"
        self.add(Message(spoken, (*parts, *of_message(NAME, more))))

    def call(self, place: Place) -> None:
        """Read a call of a function."""
        args, raw = read_arguments(place.at("arguments"))
        tool, call_id = place.at("name").text(), given_id(place.at("call_id"))
        self.answers.call(place, call_id, tool)
        more = place.rest("type", "call_id", "name", "arguments")
        self.answered("call", with_more(NAME, Call(tool, args, call_id, raw), more))

    def result(self, place: Place, *known: str) -> None:
        """Read the result of a function or of a custom tool."""
        call_id = given_id(place.at("call_id"), is_optional=True)
        tool = self.answers.result(place, call_id, place.at("name").optional_text())
        inside = [part for part in _parts(place.at("output")) if isinstance(part, Text | Attachment | Opaque)]
        parts, is_error = parts_without_status(tuple(inside))
        if list(parts) != inside:
            place.at("output").advise(*FORGEABLE)
        more = place.rest(*known, "call_id", "output")
        self.add(Message("tool", with_more(NAME, Output(parts, call_id, tool, is_error), more)))

    def reasoning(self, place: Place) -> None:
        """Read the thinking of the model; parts without words are kept unchanged."""
        texts = [each.at("text").text() for each in place.at("summary").items()]
        more = place.rest("type", "summary", "encrypted_content")
        if len(texts) != 1:
            more["summary"] = place.at("summary").value
        signature = place.at("encrypted_content").optional_text()
        thinking = Thinking("\n\n".join(texts), signature, provider=NAME)
        self.answered("thinking", with_more(NAME, thinking, more))


def _parts(place: Place) -> tuple[Part, ...]:
    if isinstance(place.value, str):
        return (Text(place.value),)
    if not isinstance(place.value, list):
        place.expect("a string or a list of parts", 'write it as `"..."`')
        return () if place.value is None else (Opaque(NAME, place.value),)
    return tuple(part for each in place.items() for part in _part(each))


def _part(place: Place) -> tuple[Part, ...]:
    kind = place.at("type").value
    if kind in ("input_text", "output_text"):
        more = place.rest("type", "text")
        if not more.get("annotations"):
            more.pop("annotations", None)
        return with_more(NAME, Text(place.at("text").text()), more)
    if kind == "input_image" and place.has("image_url"):
        more = place.rest("type", "image_url", "detail")
        if place.at("detail").value not in (None, "auto"):
            more["detail"] = place.at("detail").value
        image = attachment_at("image", place.at("image_url").text())
        return (Opaque(NAME, place.value),) if image is None else with_more(NAME, image, more)
    if kind == "input_file" and (place.has("file_data") or place.has("file_url")):
        key = "file_data" if place.has("file_data") else "file_url"
        name = place.at("filename").optional_text()
        found = attachment_at("file", place.at(key).text(), name)
        if found is not None and (found.data is not None) == (key == "file_data"):
            return with_more(NAME, found, place.rest("type", "filename", key))
    if not isinstance(kind, str):
        place.report("this part has no `type`", 'write it as `{"type": "input_text", "text": "..."}`')
    return (Opaque(NAME, place.value),)


WANTS = Wants(NAME, has_order=False, has_message_ids=True, has_references=True)


def write(prompt: Prompt, model: str | None = None) -> Written:
    """Write a request body of Responses."""
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
    """Return whether a part is a separate item, not a part of a message."""
    if not isinstance(piece.part, Opaque):
        return False
    json = piece.part.json
    return isinstance(json, dict) and (str(json.get("type")) in ITEMS or is_reference(json))


def _is_instructions(sent: Sent, settled: Settled) -> bool:
    """Return whether a message can be one text at the beginning of the request."""
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
    """Return the items of a message of the assistant, in its order."""
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
    """Group pieces by item: texts together, calls and thinking one by one."""
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
    """Write text of the assistant: as the provider gave it if its id is known, else in the short form."""
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
    """Write the thinking of the model: in the provider's parts, if they say the same."""
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


def _has_stored(body: dict[str, Json]) -> bool:
    """Return whether the provider has the messages, as a stored prompt."""
    prompt = body.get("prompt")
    return isinstance(prompt, dict) and "id" in prompt and "messages" not in body


def _is_tool(tool: dict[str, Json]) -> bool:
    is_of_others = "input_schema" in tool or "parametersJsonSchema" in tool
    return not is_of_others and tool.get("type") == "function" and "parameters" in tool and "name" in tool


def _answer_messages(reply: dict[str, Json]) -> list[Json] | None:
    output = reply.get("output")
    return output if isinstance(output, list) else None


PROVIDER = Provider(
    writer=write,
    reader=read,
    label="Request of OpenAI (responses)",
    answers="responses_answers",
    messages_key="input",
    address="https://api.openai.com/v1/responses",
    headers=("Authorization: Bearer ${OPENAI_API_KEY:?}",),
    paths=(r"/responses$",),
    is_likely=lambda body: (
        isinstance(body.get("input"), str | list) or "previous_response_id" in body or _has_stored(body)
    ),
    is_tool=_is_tool,
    tool_choice=lambda name: {"tool_choice": {"type": "function", "name": name}},
    answer_messages=_answer_messages,
    invalidates={"tools": "tools", "text": "system"},
    earlier_keys=("previous_response_id", "conversation"),
    custom=Custom(is_system_apart=True, merging=frozenset(("assistant",)), is_in_items=True, has_thoughts=True),
)
