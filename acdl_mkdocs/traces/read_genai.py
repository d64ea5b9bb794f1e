"""What the GenAI attributes of a span say was sent: of today's conventions, and of older ones that are still in use.

`gen_ai.input.messages` and `gen_ai.system_instructions`; `gen_ai.prompt.N.role` and the like, also under
`llm.input_messages`; events such as `gen_ai.user.message`, also as a list in an attribute; `ai.prompt.messages` of the
Vercel AI SDK. All are brought into the form of the first. Some instrumentations record the body of the request instead.
"""

import re
from collections.abc import Mapping, Sequence

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redacted
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.traces import read_ai_sdk
from acdl_mkdocs.traces.read_langchain import chat_messages
from acdl_mkdocs.traces.read_otlp_spans import Event

_INDEXED = re.compile(r"(?:gen_ai\.prompt|llm\.input_messages)\.(\d{1,6})\.(?:message\.)?(.+)")
_INDEXED_TOOL = re.compile(r"(?:llm\.request\.functions|gen_ai\.request\.tools)\.(\d{1,6})\.(\w+)")
_INDEXED_CALL = re.compile(r"tool_calls\.(\d{1,6})\.(?:tool_call\.)?(?:function\.)?(\w+)")
_INDEXED_CONTENT = re.compile(r"contents\.(\d{1,6})\.message_content\.text")
_TOOL_SCHEMA = re.compile(r"llm\.tools\.(\d{1,6})\.tool\.json_schema")
_BODIES = ("request_data", "mlflow.spanInputs", "input.value")
"""Attributes of Logfire, MLflow and OpenInference that have the body of a request."""
_SCHEMAS = ("parameters", "input_schema")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_ROLES_OF_EVENTS = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


def sent_in(attributes: Mapping[str, Json], events: Sequence[Event] = ()) -> dict[str, Json] | None:
    """What was sent, as `system`, `messages` and `tools`; `None` where the span does not have it.

    Args:
        attributes: Those of a span, or of the event that has the details of a call.
        events: Those of the span, and log records that belong to it.
    """
    messages = spelled_out(attributes.get("gen_ai.input.messages"))
    system = spelled_out(attributes.get("gen_ai.system_instructions", attributes.get("gen_ai.system.instructions")))
    of_ai_sdk = spelled_out(attributes.get(read_ai_sdk.MESSAGES))
    if isinstance(messages, list):
        messages = _messages(messages)
    elif isinstance(of_ai_sdk, list):
        messages = read_ai_sdk.messages_of(of_ai_sdk)
    if messages is None:
        messages = _indexed(attributes) or _whole(attributes, events) or [*map(_of_event, filter(is_message, events))]
    if not messages and system is None:
        return None
    tools = spelled_out(attributes.get("gen_ai.tool.definitions")) or _tools(attributes)
    return {"system": system, "messages": messages, "tools": tools}


def body_in(attributes: Mapping[str, Json]) -> dict[str, Json] | None:
    """The body of a request that a span has as it was sent."""
    bodies = (spelled_out(attributes.get(key)) for key in _BODIES)
    return next(
        (each for each in bodies if isinstance(each, dict) and each.keys() & {"messages", "contents", "input"}), None
    )


def events_in(attributes: Mapping[str, Json]) -> list[Event]:
    """Events that a span has in an attribute, as Pydantic AI and Logfire have written them."""
    listed = spelled_out(attributes.get("events"))
    found: list[Event] = []
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(name := each.get("event.name"), str):
            found.append(Event(name, each))
    return found


def _messages(given: list[Json]) -> list[Json]:
    """Messages, of which some may be as a provider has them."""
    return [message_of(each) if isinstance(each, dict) and "parts" not in each else each for each in given]


def is_message(event: Event) -> bool:
    """Whether an event is a message that was sent."""
    return _EVENT.fullmatch(event.name) is not None


def is_answer(event: Event) -> bool:
    """Whether an event is the answer of a call."""
    return event.name == "gen_ai.choice"


def spelled_out(value: Json) -> Json:
    """A value that may be written as JSON text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return redacted(strict_json(value))
    except JsonFault:
        return value


def _indexed(attributes: Mapping[str, Json]) -> list[Json]:
    """Messages whose fields are attributes of their own."""
    by_number: dict[int, dict[str, Json]] = {}
    for key, value in attributes.items():
        if found := _INDEXED.fullmatch(key):
            by_number.setdefault(int(found[1]), {})[found[2]] = value
    return [_message(by_number[number]) for number in sorted(by_number)]


def _message(fields: dict[str, Json]) -> Json:
    calls: dict[int, dict[str, Json]] = {}
    texts: dict[int, Json] = {}
    for key, value in fields.items():
        if found := _INDEXED_CALL.fullmatch(key):
            calls.setdefault(int(found[1]), {})[found[2]] = value
        elif found := _INDEXED_CONTENT.fullmatch(key):
            texts[int(found[1])] = value
    whole = dict(fields)
    if texts and not whole.get("content"):
        whole["content"] = [{"type": "text", "content": texts[number]} for number in sorted(texts)]
    if calls:
        whole["tool_calls"] = [calls[number] for number in sorted(calls)]
    return message_of(whole)


def message_of(fields: Mapping[str, Json]) -> Json:
    """A message of roles, content and calls, in the form of today's conventions."""
    role, call_id = fields.get("role"), fields.get("tool_call_id")
    content = spelled_out(fields.get("content")) if _is_blocks(fields.get("content")) else fields.get("content")
    if role in ("tool", "function"):
        part: Json = {"type": "tool_call_response", "id": call_id or fields.get("id"), "response": content}
        return {"role": "tool", "parts": [part]}
    parts: list[Json] = list(content) if isinstance(content, list) else []
    if isinstance(content, str) and content:
        parts.append({"type": "text", "content": content})
    calls = spelled_out(fields.get("tool_calls"))
    parts.extend(_call(each) for each in (calls if isinstance(calls, list) else ()))
    return {"role": role, "parts": parts}


def _is_blocks(content: Json) -> bool:
    """Whether a content is a list of parts that is written as text, not a text that looks like some other list."""
    return isinstance(content, str) and re.match(r'\s*\[\s*\{\s*"type"\s*:', content) is not None


def _call(given: Json) -> Json:
    call = given if isinstance(given, dict) else {}
    function = call.get("function")
    named = {**call, **function} if isinstance(function, dict) else call
    args = next((named[key] for key in ("arguments", "arguments_json", "args", "input") if key in named), None)
    return {"type": "tool_call", "id": named.get("id"), "name": named.get("name"), "arguments": args}


def _whole(attributes: Mapping[str, Json], events: Sequence[Event]) -> Json:
    """All messages in one attribute, of a span or of an event, as the oldest conventions have them."""
    texts = [attributes.get("gen_ai.prompt")]
    texts += [event.attributes.get("gen_ai.prompt") for event in events if event.name == "gen_ai.content.prompt"]
    for text in texts:
        found = spelled_out(text)
        if isinstance(found, list):
            return _messages(found)
        if isinstance(found, dict) and (listed := chat_messages(found.get("messages"))) is not None:
            return _messages(listed)
        if isinstance(found, str) and found:
            return [{"role": "user", "parts": [{"type": "text", "content": found}]}]
    return None


def _of_event(event: Event) -> Json:
    """A message that is an event of its own."""
    fields = dict(event.attributes)
    known = spelled_out(fields.get("gen_ai.event.content"))
    if isinstance(known, dict):
        fields |= known
    found = _EVENT.fullmatch(event.name)
    role = _ROLES_OF_EVENTS[found[1]] if found else "user"
    return message_of({**fields, "role": fields.get("role") if role != "tool" and fields.get("role") else role})


def _tools(attributes: Mapping[str, Json]) -> list[Json]:
    """Tools whose fields are attributes of their own."""
    by_number: dict[int, dict[str, Json]] = {}
    for key, value in attributes.items():
        if found := _INDEXED_TOOL.fullmatch(key):
            by_number.setdefault(int(found[1]), {})[found[2]] = spelled_out(value) if found[2] in _SCHEMAS else value
        elif (found := _TOOL_SCHEMA.fullmatch(key)) and isinstance(tool := spelled_out(value), dict):
            by_number[int(found[1])] = tool
    return [by_number[number] for number in sorted(by_number)] or read_ai_sdk.tools_of(attributes)
