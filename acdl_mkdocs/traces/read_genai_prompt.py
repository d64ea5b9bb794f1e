"""Messages in the form of the GenAI conventions as a prompt: roles, and parts of types."""

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
from acdl_mkdocs.prompts.providers.arguments import read_arguments, spelled
from acdl_mkdocs.prompts.providers.read_body import Place
from acdl_mkdocs.prompts.providers.results import Read

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


def read(sent: Json) -> Read:
    """What was sent, with what is not as the conventions say.

    Args:
        sent: `system`, `messages` and `tools`, as `sent_in()` gives them.
    """
    place = Place(sent)
    messages: list[Message] = []
    if place.has("system"):
        messages.append(Message("system", _parts(place.at("system"))))
    for each in place.at("messages").items() if place.has("messages") else ():
        messages.extend(_messages(each))
    tools = tuple(_tool(each) for each in place.at("tools").items()) if place.has("tools") else ()
    return Read(Prompt(tuple(messages), tools), tuple(place.problems))


def _messages(place: Place) -> list[Message]:
    """A message; results of tools are messages of their own, as everywhere in a prompt."""
    role = _ROLES.get(str(place.at("role").value).lower())
    if role is None:
        where = place.at("role") if isinstance(place.value, dict) else place
        where.report("this is no role of a message", "write one of `system`, `user`, `assistant`, `tool`")
        return [Message("none", (Opaque(NAME, place.value),))]
    parts = _parts(place.at("parts") if place.has("parts") else place.at("content"))
    if role == "tool" and not any(isinstance(part, Output) for part in parts):
        given = tuple(part for part in parts if isinstance(part, Text | Attachment | Opaque))
        parts = (Output(given, place.at("tool_call_id").optional_text()),)
    found: list[Message] = []
    for part in parts:
        of = "tool" if isinstance(part, Output) else "user" if role == "tool" else role
        if found and found[-1].role == of and of != "tool":
            found[-1] = Message(of, (*found[-1].parts, part))
        else:
            found.append(Message(of, (part,)))
    return found or [Message(role, ())]


def _parts(place: Place) -> tuple[Part, ...]:
    if place.value is None:
        return ()
    if isinstance(place.value, str):
        return (Text(place.value),)
    if isinstance(place.value, dict):
        return (_part(place),)
    return tuple(Text(each.value) if isinstance(each.value, str) else _part(each) for each in place.items())


def _part(place: Place) -> Part:
    match place.at("type").value:
        case "text":
            return Text(_text(place))
        case "reasoning" | "thinking":
            return Thinking(_text(place), provider=NAME)
        case "tool_call" | "tool_use" | "function_call":
            return _call(place)
        case "tool_call_response" | "tool_result":
            return _result(place)
        case "blob":
            mime = place.at("mime_type").optional_text()
            return Attachment(_kind(place), mime=mime, data=place.at("content").text())
        case "uri" | "file" | "file_data":
            href, file_id = place.at("uri").optional_text(), place.at("file_id").optional_text()
            return Attachment(_kind(place), mime=place.at("mime_type").optional_text(), href=href, id=file_id)
        case _:
            return Opaque(NAME, place.value)


def _kind(place: Place) -> str:
    return place.at("modality").optional_text() or "file"


def _text(place: Place) -> str:
    key = next((key for key in (*_TEXTS, "thinking") if place.has(key)), "content")
    return place.at(key).text()


def _call(place: Place) -> Call:
    given = place.at("arguments") if place.has("arguments") else place.at("input")
    name, call_id = place.at("name").text(), place.at("id").optional_text()
    if given.value is None or isinstance(given.value, dict):
        return Call(name, given.value or {}, call_id)
    args, raw = read_arguments(given)
    return Call(name, args, call_id, raw)


def _result(place: Place) -> Output:
    key = next((key for key in ("response", "result", "content") if place.has(key)), "response")
    given = place.at(key)
    call_id = (place.at("id") if place.has("id") else place.at("tool_use_id")).optional_text()
    is_parts = isinstance(given.value, list) and all(_is_part(each) for each in given.value)
    if given.value is None or isinstance(given.value, str) or is_parts:
        parts = tuple(part for part in _parts(given) if isinstance(part, Text | Attachment | Opaque))
    else:
        parts = (Text(spelled(given.value)),)
    return Output(parts, call_id, is_error=place.at("is_error").value is True)


def _is_part(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _tool(place: Place) -> Tool:
    function = place.at("function") if place.has("function") else place
    key = next((key for key in ("parameters", "input_schema") if function.has(key)), "parameters")
    parameters = function.at(key).object() if function.has(key) else {}
    return Tool(function.at("name").text(), function.at("description").optional_text(), parameters)
