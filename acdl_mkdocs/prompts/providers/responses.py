"""OpenAI Responses in both directions: requests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby

from acdl_mkdocs.foundation.frozen import dataclass
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
from acdl_mkdocs.prompts.providers.adapt_prompt import CONTINUES, adapt_prompt
from acdl_mkdocs.prompts.providers.arguments import read_arguments, write_arguments
from acdl_mkdocs.prompts.providers.media import describe_attachment, is_image, lose_fields, make_data_url, read_url
from acdl_mkdocs.prompts.providers.opaque import (
    attach_keys,
    get_tool_keys,
    is_reference,
    keep_own_role,
    make_message_keys,
    make_request_keys,
    merge_keys,
    select_pieces,
)
from acdl_mkdocs.prompts.providers.provider import MessageLayout, Provider
from acdl_mkdocs.prompts.providers.read_body import JsonNode, PairedCalls, read_declared_tools, read_id
from acdl_mkdocs.prompts.providers.responses_tools import (
    CALLS,
    CUSTOM,
    NAME,
    OUTPUTS,
    read_call,
    read_output,
    write_call,
    write_output,
)
from acdl_mkdocs.prompts.providers.results import (
    AdaptedPrompt,
    ProviderLimits,
    ProviderMessage,
    ProviderPart,
    Read,
    Written,
)
from acdl_mkdocs.prompts.providers.tagged_text import FORGEABLE, add_status, remove_status
from acdl_mkdocs.prompts.providers.write_body import choose_model, write_body

NO_ARGUMENTS: Json = {"type": "object", "properties": {}}
_STORED = ("prompt", *CONTINUES)
"""Keys of requests that need no input."""
ITEMS: Mapping[str, Role] = {
    "compaction": "assistant",
    "item_reference": "assistant",
    "additional_tools": "system",
    "configuration_update": "system",
    "compaction_trigger": "system",
}
"""Items that are kept unchanged, with the role of their message: output of the model, and input for it."""
_ROLES = ("system", "developer", "user", "assistant")
_MESSAGE_TYPES = ("function_call", "function_call_output", "reasoning", "message", "custom_tool_call")
"""Types of items that a list of messages without a request is known by."""


@dataclass(slots=True)
class OpenMessage:
    """The message of the assistant that items belong to, while they follow each other."""

    kinds: set[str] = field(default_factory=set)

    def begins_message(self, kind: str) -> bool:
        """Return whether an item begins a message: all items do after text or calls, except calls."""
        is_new = not self.kinds or (kind != "call" and bool(self.kinds & {"text", "call"}))
        self.kinds = {kind} if is_new else {*self.kinds, kind}
        return is_new


def read(body: Json) -> Read:
    """Read a request body of Responses."""
    node = JsonNode(body)
    other_keys = node.list_other_keys("model", "instructions", "input", "tools")
    messages: list[Message] = []
    if node.has_key("instructions"):
        messages.append(Message("system", (Text(node.get_key("instructions").read_text()),)))
    if isinstance(node.get_key("input").value, str):
        messages.append(Message("user", (Text(node.get_key("input").read_text()),)))
    elif node.has_key("input") or not any(node.has_key(key) for key in _STORED):
        reader = _ItemReader(PairedCalls(is_continued=any(key in other_keys for key in CONTINUES)), messages)
        for each in node.get_key("input").list_items():
            reader.read_item(each)
        reader.answers.check_end()
    tools, others = read_declared_tools(node, lambda each: each.get_key("type").value == "function", _read_tool)
    prompt = Prompt(tuple(messages), tools, settings=make_request_keys(NAME, other_keys | others))
    model = node.get_key("model").read_optional_text()
    return Read(prompt, tuple(node.problems), model)


def _read_tool(node: JsonNode, names: dict[str, str]) -> Tool:
    other_keys = node.list_other_keys("type", "name", "description", "parameters", "strict")
    if node.get_key("strict").value is not False:
        other_keys["strict"] = node.get_key("strict").value
    parameters = node.get_key("parameters")
    schema = {} if parameters.value in (None, NO_ARGUMENTS) else parameters.read_object()
    described = node.get_key("description").read_optional_text()
    return Tool(
        node.get_key("name").read_tool_name(names),
        described,
        schema,
        more=Opaque(NAME, other_keys, "more") if other_keys else None,
    )


@dataclass(slots=True)
class _ItemReader:
    """Makes messages of items."""

    answers: PairedCalls
    messages: list[Message]
    opened: OpenMessage = field(default_factory=OpenMessage)
    ids: dict[str, str] = field(default_factory=dict)
    """The id of each call by that of its item, for results that name the item."""

    def read_item(self, node: JsonNode) -> None:
        kind = node.get_key("type").value
        if not isinstance(node.value, dict):
            node.report_expected("an item", 'write it as `{"role": "user", "content": "..."}`')
            self.add_message(Message("none", (Opaque(NAME, node.value),)))
        elif kind == "message" or (kind is None and node.has_key("role")):
            self.read_message(node)
        elif kind == "function_call":
            self.read_function_call(node)
        elif kind in ("function_call_output", CUSTOM):
            self.read_result(node, *(("type",) if kind != CUSTOM else ()))
        elif kind == "reasoning":
            self.read_reasoning(node)
        elif isinstance(kind, str) and kind in CALLS:
            self.read_other_call(node)
        elif isinstance(kind, str) and kind in OUTPUTS:
            self.add_message(Message("tool", read_output(node, self.ids, self.answers)))
        elif is_reference(node.value):  # which may do without a type
            self.keep_item(node, "item_reference")
        elif isinstance(kind, str):
            self.keep_item(node, kind)
        else:
            node.report_problem("this item has no `type`", 'write it as `{"role": "user", "content": "..."}`')
            self.add_message(Message("none", (Opaque(NAME, node.value),)))

    def add_message(self, message: Message) -> None:
        """Append a message."""
        self.opened.kinds = set()
        self.messages.append(message)

    def add_answer_parts(self, kind: str, parts: tuple[Part, ...], id: str | None = None) -> None:
        """Add parts of the assistant to its open message, or to a new one."""
        if self.opened.begins_message(kind):
            self.messages.append(Message("assistant", parts, id=id))
        else:
            opened = self.messages[-1]
            self.messages[-1] = Message("assistant", (*opened.parts, *parts), id=id or opened.id)

    def read_other_call(self, node: JsonNode) -> None:
        """Read a call of another tool than a function, with its result if the item has one."""
        item_id, call_id = node.get_key("id").value, node.get_key("call_id").value
        if isinstance(item_id, str) and isinstance(call_id, str):
            self.ids[item_id] = call_id
        call, result = read_call(node, self.answers)
        self.add_answer_parts("call", call)
        if result:
            self.add_message(Message("tool", result))

    def keep_item(self, node: JsonNode, kind: str) -> None:
        """Keep an item unchanged."""
        self.answers.is_continued |= kind == "item_reference"
        if kind not in ITEMS:
            node.report_advice(f"the item type `{kind}` is not known: the item is kept unchanged", "check the type")
        if ITEMS.get(kind, "none") != "assistant":
            self.add_message(Message(ITEMS.get(kind, "none"), (Opaque(NAME, node.value),)))
        else:
            self.add_answer_parts("item", (Opaque(NAME, node.value),))

    def read_message(self, node: JsonNode) -> None:
        """Read a message with a role."""
        role = node.get_key("role").value
        self.answers.begin_message(is_answer=role == "assistant")
        if role not in _ROLES:
            near = find_closest(role, _ROLES) if isinstance(role, str) else None
            cure = f"did you mean `{near}`?" if near else "write one of `developer`, `user`, `assistant`"
            node.get_key("role").report_problem("this is not a message role", cure)
            self.add_message(Message("none", (Opaque(NAME, node.value),)))
            return
        parts = _read_parts(node.get_key("content"))
        if role == "assistant":
            other_keys = node.list_other_keys("type", "role", "content", "id", "status")
            if node.get_key("status").value not in (None, "completed"):
                other_keys["status"] = node.get_key("status").value
            self.add_answer_parts(
                "text", (*parts, *make_message_keys(NAME, other_keys)), node.get_key("id").read_optional_text()
            )
            return
        other_keys = node.list_other_keys("type", "role", "content")
        is_lone = not self.messages and len(parts) == 1
        if role == "system" or (role == "developer" and is_lone):  # else it would be written as `instructions`
            other_keys = {"role": role, **other_keys}
        spoken: Role = "user" if role == "user" else "system"
        self.add_message(Message(spoken, (*parts, *make_message_keys(NAME, other_keys))))

    def read_function_call(self, node: JsonNode) -> None:
        """Read a call of a function."""
        args, raw = read_arguments(node.get_key("arguments"))
        tool, call_id = node.get_key("name").read_text(), read_id(node.get_key("call_id"))
        self.answers.add_call(node, call_id, tool)
        other_keys = node.list_other_keys("type", "call_id", "name", "arguments")
        self.add_answer_parts("call", attach_keys(NAME, Call(tool, args, call_id, raw), other_keys))

    def read_result(self, node: JsonNode, *own_keys: str) -> None:
        """Read the result of a function or of a custom tool."""
        call_id = read_id(node.get_key("call_id"), is_optional=True)
        tool = self.answers.add_result(node, call_id, node.get_key("name").read_optional_text())
        inside = [part for part in _read_parts(node.get_key("output")) if isinstance(part, (Text, Attachment, Opaque))]
        parts, is_error = remove_status(tuple(inside))
        if list(parts) != inside:
            node.get_key("output").report_advice(*FORGEABLE)
        other_keys = node.list_other_keys(*own_keys, "call_id", "output")
        self.add_message(Message("tool", attach_keys(NAME, Output(parts, call_id, tool, is_error), other_keys)))

    def read_reasoning(self, node: JsonNode) -> None:
        """Read the thinking of the model; parts without words are kept unchanged."""
        texts = [each.get_key("text").read_text() for each in node.get_key("summary").list_items()]
        other_keys = node.list_other_keys("type", "summary", "encrypted_content")
        if len(texts) != 1:
            other_keys["summary"] = node.get_key("summary").value
        signature = node.get_key("encrypted_content").read_optional_text()
        thinking = Thinking("\n\n".join(texts), signature, provider=NAME)
        self.add_answer_parts("thinking", attach_keys(NAME, thinking, other_keys))


def _read_parts(node: JsonNode) -> tuple[Part, ...]:
    if isinstance(node.value, str):
        return (Text(node.value),)
    if not isinstance(node.value, list):
        node.report_expected("a string or a list of parts", 'write it as `"..."`')
        return () if node.value is None else (Opaque(NAME, node.value),)
    return tuple(part for each in node.list_items() for part in _read_part(each))


def _read_part(node: JsonNode) -> tuple[Part, ...]:
    kind = node.get_key("type").value
    if kind in ("input_text", "output_text"):
        other_keys = node.list_other_keys("type", "text")
        if not other_keys.get("annotations"):
            other_keys.pop("annotations", None)
        return attach_keys(NAME, Text(node.get_key("text").read_text()), other_keys)
    if kind == "input_image" and node.has_key("image_url"):
        other_keys = node.list_other_keys("type", "image_url", "detail")
        if node.get_key("detail").value not in (None, "auto"):
            other_keys["detail"] = node.get_key("detail").value
        image = read_url("image", node.get_key("image_url").read_text())
        return (Opaque(NAME, node.value),) if image is None else attach_keys(NAME, image, other_keys)
    if kind == "input_file" and (node.has_key("file_data") or node.has_key("file_url")):
        key = "file_data" if node.has_key("file_data") else "file_url"
        name = node.get_key("filename").read_optional_text()
        attachment = read_url("file", node.get_key(key).read_text(), name)
        if attachment is not None and (attachment.data is not None) == (key == "file_data"):
            return attach_keys(NAME, attachment, node.list_other_keys("type", "filename", key))
    if not isinstance(kind, str):
        node.report_problem("this part has no `type`", 'write it as `{"type": "input_text", "text": "..."}`')
    return (Opaque(NAME, node.value),)


PROVIDER_LIMITS = ProviderLimits(NAME, has_order=False, has_message_ids=True, has_references=True)


def write(prompt: Prompt, model: str | None = None) -> Written:
    """Write a request body of Responses."""
    settled = adapt_prompt(prompt, PROVIDER_LIMITS)
    body = choose_model(settled, model)
    messages = settled.messages
    if messages and _is_instructions(messages[0], settled):
        texts = [piece.part.text for piece in messages[0].pieces if isinstance(piece.part, Text)]
        body["instructions"] = "\n\n".join(texts)
        _lose_id(messages[0], settled)
        messages = messages[1:]
    opened, others = OpenMessage(), _find_other_calls(messages)
    body["input"] = [item for each in messages for item in _write_items(each, opened, others, settled)]
    return write_body(settled, body, [_write_tool(tool) for tool in settled.tools])


@dataclass(frozen=True, slots=True)
class _OtherCalls:
    """Calls that are not of functions."""

    types: dict[str | None, str]
    """The type of the item of each, by its id."""
    results: dict[str | None, Output]
    """All results, by the ids of their calls."""
    ids: frozenset[str | None]
    """Of all calls."""


def _find_other_calls(messages: Sequence[ProviderMessage]) -> _OtherCalls:
    pieces = [piece for each in messages for piece in each.pieces]
    called = [(piece.part, piece.more) for piece in pieces if isinstance(piece.part, Call)]
    typed = [(call, other_keys) for call, other_keys in called if "type" in other_keys]
    types = {
        call.id: str(other_keys["type"]) for call, other_keys in typed if write_call(call, other_keys, None) is not None
    }
    results = {part.call_id: part for piece in pieces if isinstance(part := piece.part, Output)}
    return _OtherCalls(types, results, frozenset(call.id for call, _ in called))


def _is_item(piece: ProviderPart) -> bool:
    """Return whether a part is a separate item, not a part of a message."""
    if not isinstance(piece.part, Opaque):
        return False
    json = piece.part.json
    return isinstance(json, dict) and (str(json.get("type")) in ITEMS or is_reference(json))


def _is_instructions(sent: ProviderMessage, adapted: AdaptedPrompt) -> bool:
    """Return whether a message can be one text at the beginning of the request."""
    are_texts = all(isinstance(piece.part, Text) and not piece.more and not piece.instead for piece in sent.pieces)
    n_texts = 2 if adapted.has_memory and sent.path != "memory" else 1
    return sent.role == "system" and are_texts and len(sent.pieces) == n_texts and not sent.more


def _write_tool(tool: Tool) -> Json:
    written: dict[str, Json] = {"type": "function", "name": tool.alias or tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    written["parameters"] = dict(tool.parameters) or NO_ARGUMENTS
    written["strict"] = False  # without it, the provider takes the schema as a strict one
    return merge_keys(written, get_tool_keys(tool, NAME), "strict")


def _write_items(sent: ProviderMessage, opened: OpenMessage, others: _OtherCalls, adapted: AdaptedPrompt) -> list[Json]:
    if sent.role == "assistant":
        return _write_answer(sent, opened, others, adapted)
    opened.kinds = set()
    if sent.role == "none":
        return [piece.part.json for piece in sent.pieces if isinstance(piece.part, Opaque)]
    if sent.role == "tool":
        return _write_result(sent, others, adapted)
    _lose_id(sent, adapted)
    items: list[Json] = [piece.part.json for piece in sent.pieces if isinstance(piece.part, Opaque) and _is_item(piece)]
    content: list[Json] = [_write_block(piece, sent.role, adapted) for piece in sent.pieces if not _is_item(piece)]
    if items and not content:
        return items
    role = "developer" if sent.role == "system" else sent.role
    return [
        *items,
        merge_keys({"type": "message", "role": role, "content": content}, keep_own_role(sent.role, sent.more), "role"),
    ]


def _lose_id(sent: ProviderMessage, adapted: AdaptedPrompt) -> None:
    if sent.id is not None:
        adapted.report_loss(sent.path, f"the id `{sent.id}` of the message is not sent", "store it outside the request")


def _write_answer(
    sent: ProviderMessage, opened: OpenMessage, others: _OtherCalls, adapted: AdaptedPrompt
) -> list[Json]:
    """Return the items of a message of the assistant, in its order."""
    items: list[Json] = []
    own_id, other_keys = sent.id, sent.more
    for kind, run in _group_pieces(sent.pieces):
        item = _write_item(run, own_id, other_keys, others, adapted)
        if item is None:
            continue
        if opened.begins_message(kind) == bool(items):
            sentence = "it is read as another message" if items else "it is read as part of the message before it"
            adapted.report_loss(run[0].path, sentence, "write reasoning, text and calls of a message in this order")
        items.append(item)
        if kind == "text":
            own_id, other_keys = None, {}
    if own_id is not None or other_keys:
        adapted.report_loss(
            sent.path, "id and keys of a message without text are not sent", "store them outside the request"
        )
    if not items:
        adapted.report_loss(sent.path, "a message of the assistant without content is not sent", "remove it")
    return items


def _group_pieces(pieces: Sequence[ProviderPart]) -> Iterator[tuple[str, list[ProviderPart]]]:
    """Group pieces by item: texts together, calls and thinking one by one."""
    for kind, run in groupby(pieces, key=_find_kind):
        together = list(run)
        yield from [(kind, together)] if kind == "text" else ((kind, [each]) for each in together)


def _find_kind(piece: ProviderPart) -> str:
    return "item" if _is_item(piece) else {Call: "call", Thinking: "thinking"}.get(type(piece.part), "text")


def _write_item(
    run: list[ProviderPart],
    own_id: str | None,
    other_keys: dict[str, Json],
    others: _OtherCalls,
    adapted: AdaptedPrompt,
) -> Json:
    match run[0].part:
        case Call() as call:
            return _write_call(call, run[0], others, adapted)
        case Opaque(json=json) if _is_item(run[0]):
            return json
        case Thinking() as thinking:
            return _write_reasoning(thinking, run[0], adapted)
        case _:
            return _write_text([_write_block(piece, "assistant", adapted) for piece in run], own_id, other_keys)


def _write_text(blocks: list[dict[str, Json]], own_id: str | None, other_keys: dict[str, Json]) -> Json:
    """Write text of the assistant: as the provider gave it if its id is known, else in the short form."""
    if own_id is None and len(blocks) == 1 and blocks[0].keys() == {"type", "text", "annotations"}:
        return merge_keys({"type": "message", "role": "assistant", "content": blocks[0]["text"]}, other_keys)
    named: dict[str, Json] = {} if own_id is None else {"id": own_id, "status": "completed"}
    return merge_keys({"type": "message", **named, "role": "assistant", "content": list(blocks)}, other_keys, "status")


def _write_call(call: Call, piece: ProviderPart, others: _OtherCalls, adapted: AdaptedPrompt) -> Json:
    if call.id in others.types:
        return write_call(call, piece.more, others.results.get(call.id))
    if str(piece.more.get("type")) in CALLS:
        sentence = f"the call has arguments that `{piece.more['type']}` cannot have: it is sent as a function call"
        adapted.report_loss(
            piece.path, sentence, "declare it as a function, or call the tool as the provider defines it"
        )
    item: dict[str, Json] = {"type": "function_call", "call_id": call.id, "name": call.tool}
    return merge_keys({**item, "arguments": write_arguments(call)}, piece.more)


def _write_reasoning(thinking: Thinking, piece: ProviderPart, adapted: AdaptedPrompt) -> Json:
    if thinking.provider != NAME or "id" not in piece.more:
        sentence = "thinking is not sent: this format accepts only its own reasoning items, with their ids"
        adapted.report_loss(piece.path, sentence, "write what matters as text")
        return None
    item: dict[str, Json] = {"type": "reasoning", "id": piece.more["id"]}
    item["summary"] = _write_summary(thinking, piece.more)
    if thinking.signature is not None:
        item["encrypted_content"] = thinking.signature
    return merge_keys(item, piece.more)


def _write_summary(thinking: Thinking, other_keys: dict[str, Json]) -> Json:
    """Write the thinking of the model: in the provider's parts, if they say the same."""
    summary = other_keys.get("summary")
    parts = summary if isinstance(summary, list) else []
    texts = [text for each in parts if isinstance(each, dict) and isinstance(text := each.get("text"), str)]
    if summary is not None and len(texts) == len(parts) and "\n\n".join(texts) == thinking.text:
        return summary
    return [{"type": "summary_text", "text": thinking.text}]


def _write_block(piece: ProviderPart, role: str, adapted: AdaptedPrompt) -> dict[str, Json]:
    kind = "output_text" if role == "assistant" else "input_text"
    rest: dict[str, Json] = {"annotations": []} if role == "assistant" else {}
    match piece.part:
        case Text(text):
            block: dict[str, Json] = {"type": kind, "text": text, **rest}
        case Attachment() as part if role in ("user", "tool") and is_image(part) and (part.data or part.href):
            lose_fields(piece, part, adapted, "mime")
            url = make_data_url(part) if part.data else part.href
            block = {"type": "input_image", "detail": "auto", "image_url": url}
        case Attachment() as part if role in ("user", "tool") and (part.data or part.href):
            lose_fields(piece, part, adapted, "name", "mime" if part.data else "")
            named: dict[str, Json] = {} if part.name is None else {"filename": part.name}
            where: dict[str, Json] = {"file_data": make_data_url(part)} if part.data else {"file_url": part.href}
            block = {"type": "input_file", **named, **where}
        case Attachment() as part:
            block = {"type": kind, "text": describe_attachment(piece, part, adapted, f"a message of `{role}`"), **rest}
        case Opaque(json=dict() as json):
            block = json
        case _:
            block = {"type": kind, "text": "", **rest}
    return merge_keys(block, piece.more, "annotations", "detail")


def _write_result(sent: ProviderMessage, others: _OtherCalls, adapted: AdaptedPrompt) -> list[Json]:
    (piece,) = sent.pieces
    output = piece.part
    assert isinstance(output, Output)  # noqa: S101 - `adapt_prompt` gives every result a message
    other_keys = {**piece.more, **sent.more}
    kind = others.types.get(output.call_id)
    if kind is not None and CALLS[kind].is_run:  # its call has it
        return []
    name = (
        CALLS[kind].output if kind is not None else other_keys.get("type") if output.call_id not in others.ids else None
    )
    inside = select_pieces(output.parts, f"{piece.path}.parts", NAME, adapted.losses)
    blocks = add_status(
        [_write_block(each, "tool", adapted) for each in inside], "input_text", is_error=output.is_error
    )
    is_text = len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
    content: Json = blocks[0]["text"] if is_text else list(blocks)
    if str(name) in OUTPUTS:
        return [write_output(output, other_keys, str(name), content)]
    item: dict[str, Json] = {"type": "function_call_output", "call_id": output.call_id, "output": content}
    return [merge_keys(item, other_keys)]


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
        isinstance(body.get("input"), (str, list)) or "previous_response_id" in body or _has_stored(body)
    ),
    is_tool=_is_tool,
    is_message=lambda message: message.get("type") in _MESSAGE_TYPES,
    tool_choice=lambda name: {"tool_choice": {"type": "function", "name": name}},
    answer_messages=_answer_messages,
    cache_invalidating_parameters={"tools": "tools", "text": "system"},
    earlier_keys=("previous_response_id", "conversation"),
    earlier_answer_key="previous_response_id",
    layout=MessageLayout(is_system_apart=True, merging=frozenset(("assistant",)), is_in_items=True, has_thoughts=True),
)
