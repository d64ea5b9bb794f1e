"""Messages as LangChain writes them, in the form of Chat Completions: serialized objects, dumps and pairs."""

import json

from acdl_mkdocs.prompts.prompt import Json

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "developer": "developer",
}
_KINDS = ("HumanMessage", "AIMessage", "SystemMessage", "ToolMessage", "FunctionMessage", "ChatMessage")


def convert_messages(messages: Json) -> list[Json] | None:
    """Convert messages to Chat Completions; `None` if a value is not a list of messages, or of one such list."""
    if isinstance(messages, list) and len(messages) == 1 and isinstance(messages[0], list):
        messages = messages[0]
    if not isinstance(messages, list) or not messages:
        return None
    converted = [convert_message(each) for each in messages]
    return None if any(each is None for each in converted) else [each for each in converted if each is not None]


def convert_message(message: Json) -> Json:
    """Convert a message; `None` if a value is not a message."""
    if isinstance(message, list) and len(message) == 2 and all(isinstance(each, str) for each in message):
        return {"role": _ROLES.get(str(message[0]), message[0]), "content": message[1]}
    if not isinstance(message, dict):
        return None
    fields, kind = _read_fields(message)
    role = fields.get("role") or _ROLES.get(kind)
    if not isinstance(role, str) or not (fields.keys() & {"content", "tool_calls", "parts"}):
        return None
    is_own = message.keys() & {"additional_kwargs", "response_metadata"} or _has_own_calls(message)
    if fields is message and "role" in message and not is_own:
        return message
    return _build_message(_ROLES.get(role, role), fields)


def _has_own_calls(message: dict[str, Json]) -> bool:
    """Return whether the calls of a message are in the form of LangChain."""
    calls = message.get("tool_calls")
    return isinstance(calls, list) and any(isinstance(each, dict) and "args" in each for each in calls)


def _read_fields(message: dict[str, Json]) -> tuple[dict[str, Json], str]:
    """Return the fields of a message and its kind, such as `human`."""
    inner, name = message.get("kwargs"), message.get("id")
    if isinstance(inner, dict) and isinstance(name, list) and name:
        kind = str(name[-1]).removesuffix("Chunk")
        return inner, kind.removesuffix("Message").lower() if kind in _KINDS else ""
    inner = message.get("data")
    kind = str(message.get("type", "")).removesuffix("Chunk")
    kind = kind.removesuffix("Message").lower()
    return (inner, kind) if isinstance(inner, dict) else (message, kind)


def _build_message(role: str, fields: dict[str, Json]) -> Json:
    calls = fields.get("tool_calls")
    additional = fields.get("additional_kwargs")
    if not calls and isinstance(additional, dict):
        calls = additional.get("tool_calls")
    message: dict[str, Json] = {"role": role, "content": _read_content(fields.get("content"), has_calls=bool(calls))}
    if isinstance(calls, list) and calls:
        message["tool_calls"] = [_build_call(each) for each in calls]
    if role == "tool":
        message["tool_call_id"] = fields.get("tool_call_id")
    return message


def _read_content(content: Json, *, has_calls: bool) -> Json:
    """Return content without the calls that are also listed beside it; LangChain sends no content for an empty text."""
    if not has_calls or not isinstance(content, list):
        return None if has_calls and content == "" else content
    kinds = ("tool_use", "tool_call", "function_call")
    return [each for each in content if not (isinstance(each, dict) and each.get("type") in kinds)]


def _build_call(call: Json) -> Json:
    if not isinstance(call, dict) or "function" in call:
        return call
    function: Json = {"name": call.get("name"), "arguments": json.dumps(call.get("args"), ensure_ascii=False)}
    return {"id": call.get("id"), "type": "function", "function": function}
