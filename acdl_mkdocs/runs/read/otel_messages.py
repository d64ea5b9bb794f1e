"""Reads messages in the form of OpenTelemetry's conventions for generative AI."""

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
from acdl_mkdocs.prompts.providers.arguments import read_arguments, write_json
from acdl_mkdocs.prompts.providers.media import read_url
from acdl_mkdocs.prompts.providers.read_body import JsonNode
from acdl_mkdocs.prompts.providers.results import Read
from acdl_mkdocs.runs.read.genai import build_message

NAME = "otel"
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
}
_TEXTS = ("content", "text")


def read_prompt(sent: Json) -> Read:
    """Read a prompt, and report what does not follow the conventions.

    Args:
        sent: `system`, `messages` and `tools`, as `find_prompt()` gives them.
    """
    node = JsonNode(sent)
    messages: list[Message] = []
    if node.has_key("system"):
        messages.append(Message("system", _read_parts(node.get_key("system"))))
    for each in node.get_key("messages").list_items() if node.has_key("messages") else ():
        messages.extend(_read_messages(each))
    tools = tuple(_read_tool(each) for each in node.get_key("tools").list_items()) if node.has_key("tools") else ()
    return Read(Prompt(tuple(messages), tools), tuple(node.problems))


def read_answer(reply: Json) -> tuple[Message, ...]:
    """Read the model's answer: the first of several choices."""
    first = next(iter(reply), None) if isinstance(reply, list) else reply
    if not isinstance(first, dict):
        return ()
    message = {"role": "assistant", **first}
    return read_prompt({"messages": [message if "parts" in message else build_message(message)]}).prompt.messages


def _read_messages(node: JsonNode) -> list[Message]:
    """Return the messages of one; results of tools become separate messages, as everywhere in a prompt."""
    role = _ROLES.get(str(node.get_key("role").value).lower())
    if role is None:
        where = node.get_key("role") if isinstance(node.value, dict) else node
        where.report_problem("this is not a message role", "write one of `system`, `user`, `assistant`, `tool`")
        return [Message("none", (Opaque(NAME, node.value),))]
    parts = _read_parts(node.get_key("parts") if node.has_key("parts") else node.get_key("content"))
    if role == "tool" and not any(isinstance(part, Output) for part in parts):
        results = tuple(part for part in parts if isinstance(part, (Text, Attachment, Opaque)))
        parts = (Output(results, node.get_key("tool_call_id").read_optional_text()),)
    messages: list[Message] = []
    for part in parts:
        of = "tool" if isinstance(part, Output) else "user" if role == "tool" else role
        if messages and messages[-1].role == of and of != "tool":
            messages[-1] = Message(of, (*messages[-1].parts, part))
        else:
            messages.append(Message(of, (part,)))
    return messages or [Message(role, ())]


def _read_parts(node: JsonNode) -> tuple[Part, ...]:
    if node.value is None:
        return ()
    if isinstance(node.value, str):
        return (Text(node.value),)
    if isinstance(node.value, dict):
        return (_read_part(node),)
    return tuple(Text(each.value) if isinstance(each.value, str) else _read_part(each) for each in node.list_items())


def _read_part(node: JsonNode) -> Part:
    match node.get_key("type").value:
        case "text":
            return Text(_read_text(node))
        case "reasoning" | "thinking":
            return Thinking(_read_text(node), provider=NAME)
        case "tool_call" | "tool_use" | "function_call":
            return _read_call(node)
        case "tool_call_response" | "tool_result":
            return _read_result(node)
        case "blob":
            mime = node.get_key("mime_type").read_optional_text()
            return Attachment(_find_kind(node), mime=mime, data=node.get_key("content").read_text())
        case "uri" | "file" | "file_data":
            href, file_id = node.get_key("uri").read_optional_text(), node.get_key("file_id").read_optional_text()
            linked = Attachment(
                _find_kind(node), mime=node.get_key("mime_type").read_optional_text(), href=href, id=file_id
            )
            return (read_url(linked.type, href) if href and href.startswith("data:") else None) or linked
        case _:
            return Opaque(NAME, node.value)


def _find_kind(node: JsonNode) -> str:
    return node.get_key("modality").read_optional_text() or "file"


def _read_text(node: JsonNode) -> str:
    key = next((key for key in (*_TEXTS, "thinking") if node.has_key(key)), "content")
    return node.get_key(key).read_text()


def _read_call(node: JsonNode) -> Call:
    arguments = node.get_key("arguments") if node.has_key("arguments") else node.get_key("input")
    name, call_id = node.get_key("name").read_text(), node.get_key("id").read_optional_text()
    if arguments.value is None or isinstance(arguments.value, dict):
        return Call(name, arguments.value or {}, call_id)
    args, raw = read_arguments(arguments)
    return Call(name, args, call_id, raw)


def _read_result(node: JsonNode) -> Output:
    key = next((key for key in ("response", "result", "content") if node.has_key(key)), "response")
    content = node.get_key(key)
    call_id = (node.get_key("id") if node.has_key("id") else node.get_key("tool_use_id")).read_optional_text()
    is_parts = isinstance(content.value, list) and all(_is_part(each) for each in content.value)
    if content.value is None or isinstance(content.value, str) or is_parts:
        parts = tuple(part for part in _read_parts(content) if isinstance(part, (Text, Attachment, Opaque)))
    else:
        parts = (Text(write_json(content.value)),)
    return Output(parts, call_id, is_error=node.get_key("is_error").value is True)


def _is_part(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _read_tool(node: JsonNode) -> Tool:
    function = node.get_key("function") if node.has_key("function") else node
    key = next((key for key in ("parameters", "input_schema") if function.has_key(key)), "parameters")
    parameters = function.get_key(key).read_object() if function.has_key(key) else {}
    return Tool(function.get_key("name").read_text(), function.get_key("description").read_optional_text(), parameters)
