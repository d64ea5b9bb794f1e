"""Anthropic Messages in both directions: requests, tools that the provider runs, and answers, whole or streamed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

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
from acdl_mkdocs.prompts.providers.arguments import is_readable, read_json, write_json
from acdl_mkdocs.prompts.providers.media import describe_attachment, detect_mime, is_base64, is_image, lose_fields
from acdl_mkdocs.prompts.providers.opaque import (
    attach_keys,
    get_tool_keys,
    keep_own_role,
    make_message_keys,
    make_request_keys,
    merge_keys,
    select_pieces,
)
from acdl_mkdocs.prompts.providers.provider import TWO_ROLES, Host, Provider
from acdl_mkdocs.prompts.providers.read_body import (
    SPLIT,
    JsonNode,
    KnownMessages,
    PairedCalls,
    read_declared_tools,
    read_id,
)
from acdl_mkdocs.prompts.providers.results import (
    AdaptedPrompt,
    ProviderLimits,
    ProviderMessage,
    ProviderPart,
    Read,
    Written,
)
from acdl_mkdocs.prompts.providers.sniff import list_blocks, list_tools
from acdl_mkdocs.prompts.providers.tagged_text import tag_block
from acdl_mkdocs.prompts.providers.write_body import (
    END_WITH_USER,
    choose_model,
    group_results,
    join_answers,
    split_leading_system,
    write_body,
)

NAME = "anthropic"
_TYPE = "type"
CALLS = frozenset(("server_tool_use", "mcp_tool_use"))
"""Calls of tools that the provider runs."""
BLOCKS = "mcp_tool_result"
"""The result whose content is text or blocks, as that of a tool of the caller."""
RESULTS: Mapping[str, str | None] = {
    "web_search_tool_result": "web_search",
    "web_fetch_tool_result": "web_fetch",
    "code_execution_tool_result": "code_execution",
    "bash_code_execution_tool_result": "bash_code_execution",
    "text_editor_code_execution_tool_result": "text_editor_code_execution",
    "tool_search_tool_result": None,
    "advisor_tool_result": "advisor",
    BLOCKS: None,
}
"""Types of results, and the tool of such a result, if it is always the same."""
KEPT = frozenset(
    (
        *("search_result", "container_upload", "compaction", "tool_reference", "tool_addition", "tool_removal"),
        *("mcp_tool_listing", "fallback", "browser_state"),
    )
)
"""Blocks that are neither text nor calls nor results, kept unchanged."""
_OWN_BLOCKS = {"tool_use", "tool_result", "redacted_thinking", *CALLS, *RESULTS, *KEPT}
_SOURCED = ("image", "document")
"""Blocks that have a `source`; others have blocks of these names too."""
_OWN_KEYS = {"stop_sequences", "anthropic_version", "anthropic_beta", "container", "mcp_servers"}
_OWN_KEYS |= {"context_management", "output_config"}
_CHOICES = ("auto", "any", "tool", "none")


def find_own_key(piece: ProviderPart) -> str | None:
    """Return the key that shows that a piece belongs to a tool that the provider runs."""
    block_type = str(piece.more.get(_TYPE))
    is_call = isinstance(piece.part, Call) and block_type in CALLS
    return _TYPE if is_call or (isinstance(piece.part, Output) and block_type in RESULTS) else None


def read_value(other_keys: dict[str, Json]) -> tuple[tuple[Text, ...], bool]:
    """Read the content of a result, and whether it is an error; remove the key if the words hold all of it."""
    value = other_keys.get("content")
    if value is None:
        return (), False
    text = value if isinstance(value, str) else write_json(value)
    if read_json(text) == value:
        del other_keys["content"]
    is_error = isinstance(value, dict) and str(value.get(_TYPE)).endswith("_error")
    return (Text(text),), is_error


def write_value(output: Output, other_keys: Mapping[str, Json]) -> dict[str, Json]:
    """Write the content of a result, in the provider's spelling if that says the same."""
    text = "\n".join(part.text for part in output.parts if isinstance(part, Text))
    content = other_keys.get("content")
    if content is not None and text == (content if isinstance(content, str) else write_json(content)):
        return {"content": content}
    return {"content": read_json(text)} if output.parts else {}


_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?!\d)")
_WITHOUT_PREFILL = (4, 6)
"""The first version that does not continue an answer."""
_WITH_SYSTEM = (4, 8)
"""The first version of Opus that accepts system text between messages."""


def read_version(model: str | None) -> tuple[int, int] | None:
    """Return the version of a Claude model, as `(4, 6)`; `None` if its name does not have it."""
    match = _CLAUDE.search(model or "")
    return None if match is None else (int(match[1]), int(match[2] or 0))


def find_system_in_place(model: str | None, roles: Sequence[Json]) -> frozenset[int]:
    """Return the messages whose system text a model accepts in place: right after a user, and before an answer.

    Parameters:
        model: Name of the model.
        roles: Those of all messages; the requested answer follows the last.
    """
    version = read_version(model)
    if version is None or version < _WITH_SYSTEM or "opus" not in str(model):
        return frozenset()
    around = zip(roles, roles[1:], (*roles[2:], "assistant"), strict=False)
    return frozenset(
        number
        for number, (before, role, after) in enumerate(around, 1)
        if role == "system" and before in ("user", "tool") and after == "assistant"
    )


def find_end_problem(model: str | None, message: dict[str, Json]) -> tuple[str, str] | None:
    """Explain why a model may reject such a last message, with help; `None` if it does not begin an answer."""
    content = message.get("content")
    last = content[-1] if isinstance(content, list) and content else content
    text = last.get("text") if isinstance(last, dict) else last
    if message.get("role") != "assistant" or not isinstance(text, str):
        return None
    sentence = "the request ends with an assistant message, and {}"
    version = read_version(model)
    if version is None or version >= _WITHOUT_PREFILL:
        who = "models from Claude 4.6 on reject" if version is None else f"`{model}` rejects"
        return sentence.format(f"{who} that"), END_WITH_USER
    if text == text.rstrip():
        return None
    cure = "remove it, or write a user message after the assistant message"
    return sentence.format("the provider rejects white space at its end"), cure


NO_ARGUMENTS: Json = {"type": "object", "properties": {}}
_READ = ("image", "document", "tool_result", *RESULTS)
"""Blocks that are kept only if they are invalid."""
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


def read(body: Json, known_messages: KnownMessages | None = None) -> Read:
    """Read a request body of Messages."""
    node = JsonNode(body)
    pairing = PairedCalls()
    other_keys = node.list_other_keys("model", "system", "messages", "tools")
    messages: list[Message] = []
    if node.has_key("system"):
        messages.append(Message("system", _read_parts(node.get_key("system"), pairing)))
    items = list(node.get_key("messages").list_items())
    model = node.get_key("model").read_optional_text()
    at_place = find_system_in_place(model, [each.get_key("role").value for each in items])
    known_messages = known_messages or KnownMessages()
    messages += known_messages.read_messages(items, pairing, partial(_read_message, pairing), at_place)
    pairing.check_end()
    tools, others = read_declared_tools(
        node, lambda each: each.get_key("type").value in (None, "custom") and each.has_key("input_schema"), _read_tool
    )
    prompt = Prompt(tuple(messages), tools, settings=make_request_keys(NAME, other_keys | others))
    return Read(prompt, tuple(node.problems), model)


def _read_tool(node: JsonNode, names: dict[str, str]) -> Tool:
    schema = node.get_key("input_schema").read_object()
    other_keys = node.list_other_keys("name", "description", "input_schema")
    return Tool(
        node.get_key("name").read_tool_name(names),
        node.get_key("description").read_optional_text(),
        {} if schema == NO_ARGUMENTS else schema,
        more=Opaque(NAME, other_keys, "more") if other_keys else None,
    )


def _read_message(pairing: PairedCalls, node: JsonNode, is_at_place: bool) -> Iterator[Message]:
    """Yield the messages of one in the body: a message of the user may begin with results of tools."""
    role = node.get_key("role").value
    if not isinstance(node.value, dict) or not isinstance(role, str) or role not in _ROLES:
        near = find_closest(role, _ROLES) if isinstance(role, str) else None
        cure = f"did you mean `{near}`?" if near else "write `user` or `assistant`"
        where = node.get_key("role") if isinstance(node.value, dict) else node
        where.report_problem("this is not a message role" if where is not node else "this is not a message", cure)
        yield Message("none", (Opaque(NAME, node.value),))
        return
    other_keys = node.list_other_keys("role", "content")
    if role == "system" and not is_at_place:  # so that it is written there, and not as text of a user message
        other_keys = {"role": "system", **other_keys}
    content = node.get_key("content")
    if not isinstance(content.value, list):
        pairing.begin_message(is_answer=role == "assistant")
        yield Message(_ROLES[role], (*_read_text_content(content), *make_message_keys(NAME, other_keys)))
        return
    blocks = list(content.list_items())
    groups = groupby(blocks, key=_find_result_type) if blocks else [("", [])]
    if len({_find_result_type(each) == "tool_result" for each in blocks}) == 2:
        node.report_advice(*SPLIT)
    for result, group in groups:
        keys, other_keys = make_message_keys(NAME, other_keys), {}
        if result:
            for number, each in enumerate(group):
                yield Message("tool", (*_read_result(each, pairing), *(keys if number == 0 else ())))
        else:
            pairing.begin_message(is_answer=role == "assistant")
            parts = [part for each in group for part in _read_part(each, pairing)]
            yield Message(_ROLES[role], (*parts, *keys))


def _find_result_type(node: JsonNode) -> str:
    """Return the type of a block that is a result of a tool; empty otherwise."""
    kind = node.get_key("type").value
    return kind if isinstance(kind, str) and (kind == "tool_result" or kind in RESULTS) else ""


def _read_result(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    kind, call_id = _find_result_type(node), read_id(node.get_key("tool_use_id"))
    tool = pairing.add_result(node, call_id, RESULTS.get(kind))
    if kind not in ("tool_result", BLOCKS):
        other_keys = node.list_other_keys("tool_use_id")
        words, is_error = read_value(other_keys)
        return attach_keys(NAME, Output(words, call_id, tool, is_error), other_keys)
    content = _read_parts(node.get_key("content"), pairing) if node.has_key("content") else ()
    inside = tuple(part for part in content if isinstance(part, (Text, Attachment, Opaque)))
    own_keys = ("tool_use_id", "content", "is_error")
    other_keys = node.list_other_keys(*own_keys, *(("type",) if kind == "tool_result" else ()))
    return attach_keys(NAME, Output(inside, call_id, tool, node.get_key("is_error").value is True), other_keys)


def _read_text_content(node: JsonNode) -> tuple[Part, ...]:
    """Read content that is a string; keep any other."""
    if isinstance(node.value, str):
        return (Text(node.value),)
    node.report_expected("a string or a list of blocks", 'write it as `"..."`')
    return () if node.value is None else (Opaque(NAME, node.value),)


def _read_parts(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    if not isinstance(node.value, list):
        return _read_text_content(node)
    return tuple(part for each in node.list_items() for part in _read_part(each, pairing))


def _read_part(node: JsonNode, pairing: PairedCalls) -> tuple[Part, ...]:
    if isinstance(node.value, str):
        node.report_expected("a block", 'write it as `{"type": "text", "text": "..."}`')
        return (Text(node.value),)
    match node.get_key("type").value:
        case "text":
            return attach_keys(NAME, Text(node.get_key("text").read_text()), node.list_other_keys("type", "text"))
        case "thinking":
            signature = node.get_key("signature").read_optional_text()
            thinking = Thinking(node.get_key("thinking").read_text(), signature, provider=NAME)
            return attach_keys(NAME, thinking, node.list_other_keys("type", "thinking", "signature"))
        case "redacted_thinking":
            thinking = Thinking(node.get_key("data").read_text(), is_redacted=True, provider=NAME)
            return attach_keys(NAME, thinking, node.list_other_keys("type", "data"))
        case "tool_use" | "server_tool_use" | "mcp_tool_use" as kind:
            call = Call(
                node.get_key("name").read_text(), node.get_key("input").read_object(), read_id(node.get_key("id"))
            )
            pairing.add_call(node, call.id, call.tool)
            own_keys = ("id", "name", "input", *(("type",) if kind not in CALLS else ()))
            return attach_keys(NAME, call, node.list_other_keys(*own_keys))
        case "image" | "document" if (attachment := _read_media(node)) is not None:
            return attach_keys(NAME, attachment, node.list_other_keys("type", "source", "title"))
        case str() as kind:
            if kind not in (*_READ, *KEPT):
                node.report_advice(
                    f"the block type `{kind}` is not known: the block is kept unchanged", "check the type"
                )
            return (Opaque(NAME, node.value),)
        case _:
            node.report_problem("this block has no `type`", 'write it as `{"type": "text", "text": "..."}`')
            return (Opaque(NAME, node.value),)


def _read_media(node: JsonNode) -> Attachment | None:
    """Read an image or a document, if its source is one that every provider has."""
    source = node.get_key("source")
    kind = "image" if node.get_key("type").value == "image" else "file"
    name, mime = node.get_key("title").value, source.get_key("media_type").value
    if not (name is None or (isinstance(name, str) and kind == "file")) or not (mime is None or isinstance(mime, str)):
        return None
    match source.value:
        case {"type": "base64", "media_type": str(), "data": str(data), **rest} if not rest and is_base64(data):
            return Attachment(kind, name=name, mime=mime, data=data)
        case {"type": "url", "url": str(url), **rest} if not rest and not url.startswith("data:"):
            return Attachment(kind, name=name, href=url)
        case {"type": "text", "media_type": str(), "data": str(text), **rest} if not rest and kind == "file":
            return Attachment(kind, name=name, mime=mime, text=text)
    return None


PROVIDER_LIMITS = ProviderLimits(
    NAME, id_pattern=r"[A-Za-z0-9_-]+", tool_pattern=r"[A-Za-z0-9_-]{1,128}", has_split_answers=True
)
MAX_TOKENS = 4096
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


def write(prompt: Prompt, model: str | None = None) -> Written:
    """Write a request body of Messages."""
    settled = adapt_prompt(prompt, PROVIDER_LIMITS)
    body = choose_model(settled, model)
    body["max_tokens"] = settled.settings.get("max_tokens", MAX_TOKENS)
    if "max_tokens" not in settled.settings:
        sentence = f"the request needs `max_tokens`: {MAX_TOKENS} is filled in"
        settled.report_advice("", sentence, "set it where you send the request")
    system, other_keys, rest = split_leading_system(settled, apart="system")
    blocks = [block for piece in system if (block := _write_block(piece, "system", settled))]
    if blocks:
        body["system"] = _write_content(blocks)
    if other_keys:
        settled.report_loss("", "more keys of the instructions are not sent", "set them where you send the request")
    listed = list(group_results(join_answers(rest, settled, find_own_key)))
    at_place = find_system_in_place(model, [each[0].role for each in listed])
    written = [
        (each[-1].path, message)
        for number, each in enumerate(listed)
        if (message := _write_message(each, settled, is_at_place=number in at_place))
    ]
    messages: list[Json] = [message for _, message in written]
    body["messages"] = messages
    if not written:
        settled.report_advice("messages", "the provider rejects a request without messages", "write a user message")
        return write_body(
            settled, body, [_write_tool(number, tool, settled) for number, tool in enumerate(settled.tools)]
        )
    if written[0][1].get("role") != "user":
        settled.report_advice(
            written[0][0], "the provider requires a user message first", "write a user message before it"
        )
    if len(written) > 1 and (problem := find_end_problem(model, written[-1][1])):
        settled.report_advice(written[-1][0], *problem)
    return write_body(settled, body, [_write_tool(number, tool, settled) for number, tool in enumerate(settled.tools)])


def _write_tool(number: int, tool: Tool, adapted: AdaptedPrompt) -> Json:
    written: dict[str, Json] = {"name": tool.alias or tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    schema = dict(tool.parameters) or NO_ARGUMENTS
    if isinstance(schema, dict) and schema.get("type") != "object":
        adapted.report_loss(
            f"tools[{number}]", "the schema is sent with `type: object`", "write `type: object` in the parameters"
        )
        schema = {**schema, "type": "object"}
    return merge_keys({**written, "input_schema": schema}, get_tool_keys(tool, NAME))


def _write_message(turn: list[ProviderMessage], adapted: AdaptedPrompt, *, is_at_place: bool) -> dict[str, Json] | None:
    first = turn[0]
    if first.role == "none":
        opaque = first.pieces[0].part
        if isinstance(opaque, Opaque) and isinstance(opaque.json, dict):
            return opaque.json
        adapted.report_loss(
            f"{first.path}.parts", "a message that is not an object is not sent", "write it as a user message"
        )
        return None
    role, other_keys = first.role, {key: value for sent in turn for key, value in sent.more.items()}
    blocks = [block for sent in turn for piece in sent.pieces if (block := _write_block(piece, role, adapted))]
    if role == "system" and is_at_place:
        other_keys = {"role": "system", **other_keys}
    if role == "system" and other_keys.get("role") != "system":
        sentence = "instructions between messages are sent as text of a user message, in `<system>` tags"
        cure = "put them before the first message, or right after a user message for Claude Opus 4.8 or newer"
        adapted.report_loss(f"{first.path}.parts", sentence, cure)
        blocks = [tag_block(block) for block in blocks]
    if not blocks:
        adapted.report_loss(
            first.path, "the message has no content and is not sent: the provider rejects it", "remove it"
        )
        return None
    spoken = "assistant" if role == "assistant" else "user"
    return merge_keys({"role": spoken, "content": _write_content(blocks)}, keep_own_role(role, other_keys), "role")


def _write_content(blocks: list[dict[str, Json]]) -> Json:
    """Write content: as a string if that holds everything."""
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        return blocks[0]["text"]
    return list(blocks)


def _write_block(piece: ProviderPart, role: str, adapted: AdaptedPrompt) -> dict[str, Json] | None:
    """Write a part as a block; `None` if the provider would reject it."""
    block: dict[str, Json] | None
    match piece.part:
        case Text(text):
            block = {"type": "text", "text": text}
            if not text.strip():
                sentence = "a blank text is not sent: the provider rejects it"
                adapted.report_loss(piece.path, sentence, "remove it")
                return None
        case Thinking() as thinking:
            block = _write_thinking(thinking, piece, adapted)
        case Attachment() as attachment:
            block = _write_media(attachment, piece, adapted) if role in ("user", "tool") else None
            block = block or {
                "type": "text",
                "text": describe_attachment(piece, attachment, adapted, f"a message of `{role}`"),
            }
        case Call() as call:
            if not is_readable(call):
                adapted.report_loss(piece.path, "arguments that are not JSON are not sent", "write them as an object")
            kind = "tool_use" if find_own_key(piece) is None else piece.more["type"]
            block = {"type": kind, "id": call.id, "name": call.tool, "input": dict(call.args)}
        case Output() as output:
            block = _write_result(output, piece, adapted)
        case Opaque(json=json):
            block = json if isinstance(json, dict) else None
    return None if block is None else merge_keys(block, piece.more)


def _write_thinking(thinking: Thinking, piece: ProviderPart, adapted: AdaptedPrompt) -> dict[str, Json] | None:
    if thinking.provider == NAME and thinking.is_redacted:
        return {"type": "redacted_thinking", "data": thinking.text}
    if thinking.provider == NAME and thinking.signature is not None:
        return {"type": "thinking", "thinking": thinking.text, "signature": thinking.signature}
    sentence = "thinking is not sent: the provider takes back only what it signed itself"
    adapted.report_loss(piece.path, sentence, "write what matters as text, or keep provider and signature")
    return None


def _write_media(attachment: Attachment, piece: ProviderPart, adapted: AdaptedPrompt) -> dict[str, Json] | None:
    """Write an image or a document, if the provider has a block for it."""
    mime = detect_mime(attachment)
    source: dict[str, Json] | None = None
    if is_image(attachment) and attachment.data and mime in _IMAGES:
        source = {"type": "base64", "media_type": mime, "data": attachment.data}
    elif is_image(attachment) and attachment.href:
        source = {"type": "url", "url": attachment.href}
    if source is not None:
        lose_fields(piece, attachment, adapted, "mime" if attachment.data else "")
        return {"type": "image", "source": source}
    if attachment.data and mime == "application/pdf":
        source = {"type": "base64", "media_type": mime, "data": attachment.data}
    elif attachment.href and (mime == "application/pdf" or attachment.href.endswith(".pdf")):
        source = {"type": "url", "url": attachment.href}
    elif attachment.text and attachment.type in ("file", "doc"):
        source = {"type": "text", "media_type": "text/plain", "data": attachment.text}
    if source is None:
        return None
    lose_fields(piece, attachment, adapted, "name", "mime" if source.get("media_type") == attachment.mime else "")
    title: dict[str, Json] = {} if attachment.name is None else {"title": attachment.name}
    return {"type": "document", "source": source, **title}


def _write_result(output: Output, piece: ProviderPart, adapted: AdaptedPrompt) -> dict[str, Json]:
    kind = "tool_result" if find_own_key(piece) is None else piece.more["type"]
    block: dict[str, Json] = {"type": kind, "tool_use_id": output.call_id}
    if kind not in ("tool_result", BLOCKS):
        return block | write_value(output, piece.more)
    inside = select_pieces(output.parts, f"{piece.path}.parts", NAME, adapted.losses)
    if len(inside) == 1 and isinstance(text := inside[0].part, Text) and not inside[0].more:
        block["content"] = text.text
    elif blocks := [written for each in inside if (written := _write_block(each, "tool", adapted))]:
        block["content"] = _write_content(blocks)
    if output.is_error:
        block["is_error"] = True
    return block


def _weigh_chat(body: dict[str, Json], messages: Sequence[dict[str, Json]]) -> int:
    """Return 2 if its messages, its tools or its instructions are of this format."""
    is_own = isinstance(body.get("system"), (str, list)) or any("input_schema" in tool for tool in list_tools(body))
    return 2 if is_own or any(map(_is_own_block, list_blocks(messages))) else 0


def _is_own_block(block: dict[str, Json]) -> bool:
    kind = str(block.get(_TYPE))
    return (
        kind in _OWN_BLOCKS or (kind in _SOURCED and "source" in block) or (kind == "thinking" and "signature" in block)
    )


def _count_own_keys(body: dict[str, Json]) -> int:
    thinking, choice, metadata = (body.get(key) for key in ("thinking", "tool_choice", "metadata"))
    return (
        len(body.keys() & _OWN_KEYS)
        + (isinstance(thinking, dict) and ("budget_tokens" in thinking or thinking.get("type") == "adaptive"))
        + (isinstance(choice, dict) and choice.get("type") in _CHOICES)
        + (isinstance(metadata, dict) and metadata.keys() == {"user_id"})
    )


def _is_likely_chat(body: dict[str, Json]) -> bool:
    """Return whether a chat asks a model of this provider, or no model and has the limit that this format needs."""
    model = body.get("model")
    return model.startswith("claude") if isinstance(model, str) and model else "max_tokens" in body


def _describe_model(name: str) -> dict[str, Json]:
    if not name:
        return {"data": [], "has_more": False, "first_id": None, "last_id": None}
    return {"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}


PROVIDER = Provider(
    writer=write,
    reader=read,
    answers="anthropic_answers",
    label="Request of Anthropic",
    is_by_message=True,
    messages_key="messages",
    address="https://api.anthropic.com/v1/messages",
    headers=("x-api-key: ${ANTHROPIC_API_KEY:?}", "anthropic-version: 2023-06-01"),
    paths=(r"/messages$", r":(?:streamRawPredict|rawPredict)$"),
    hosts=(
        Host(
            "anthropic",
            "https://api.anthropic.com",
            ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"),
            ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        ),
    ),
    weigh_chat=_weigh_chat,
    count_own_keys=_count_own_keys,
    is_likely_chat=_is_likely_chat,
    is_tool=lambda tool: "input_schema" in tool,
    tool_key="input_schema",
    tool_choice=lambda name: {"tool_choice": {"type": "tool", "name": name}},
    answer_messages=lambda reply: (
        [{"role": "assistant", "content": content}] if isinstance(content := reply.get("content"), list) else None
    ),
    describe_model=_describe_model,
    cache_invalidating_parameters={
        "tools": "tools",
        "tool_choice": "messages",
        "thinking": "messages",
        "output_config": "messages",
    },
    layout=TWO_ROLES,
)
