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


def convert_messages(given: Json) -> list[Json] | None:
    """Convert messages to Chat Completions; `None` if a value is not a list of messages, or of one such list."""
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], list):
        given = given[0]
    if not isinstance(given, list) or not given:
        return None
    found = [convert_message(each) for each in given]
    return None if any(each is None for each in found) else [each for each in found if each is not None]


def convert_message(given: Json) -> Json:
    """Convert a message; `None` if a value is not a message."""
    if isinstance(given, list) and len(given) == 2 and all(isinstance(each, str) for each in given):
        return {"role": _ROLES.get(str(given[0]), given[0]), "content": given[1]}
    if not isinstance(given, dict):
        return None
    fields, kind = _read_fields(given)
    role = fields.get("role") or _ROLES.get(kind)
    if not isinstance(role, str) or not (fields.keys() & {"content", "tool_calls", "parts"}):
        return None
    if fields is given and "role" in given and not given.keys() & {"additional_kwargs", "response_metadata"}:
        return given
    return _build_message(_ROLES.get(role, role), fields)


def _read_fields(given: dict[str, Json]) -> tuple[dict[str, Json], str]:
    """Return the fields of a message and its kind, such as `human`."""
    inner, name = given.get("kwargs"), given.get("id")
    if isinstance(inner, dict) and isinstance(name, list) and name:
        kind = str(name[-1]).removesuffix("Chunk")
        return inner, kind.removesuffix("Message").lower() if kind in _KINDS else ""
    inner = given.get("data")
    kind = str(given.get("type", "")).removesuffix("Chunk")
    kind = kind.removesuffix("Message").lower()
    return (inner, kind) if isinstance(inner, dict) else (given, kind)


def _build_message(role: str, fields: dict[str, Json]) -> Json:
    calls = fields.get("tool_calls")
    more = fields.get("additional_kwargs")
    if not calls and isinstance(more, dict):
        calls = more.get("tool_calls")
    found: dict[str, Json] = {"role": role, "content": _read_content(fields.get("content"), has_calls=bool(calls))}
    if isinstance(calls, list) and calls:
        found["tool_calls"] = [_build_call(each) for each in calls]
    if role == "tool":
        found["tool_call_id"] = fields.get("tool_call_id")
    return found


def _read_content(content: Json, *, has_calls: bool) -> Json:
    """Return content without the calls that are also listed beside it; LangChain sends no content for an empty text."""
    if not has_calls or not isinstance(content, list):
        return None if has_calls and content == "" else content
    kinds = ("tool_use", "tool_call", "function_call")
    return [each for each in content if not (isinstance(each, dict) and each.get("type") in kinds)]


def _build_call(given: Json) -> Json:
    if not isinstance(given, dict) or "function" in given:
        return given
    function: Json = {"name": given.get("name"), "arguments": json.dumps(given.get("args"), ensure_ascii=False)}
    return {"id": given.get("id"), "type": "function", "function": function}
