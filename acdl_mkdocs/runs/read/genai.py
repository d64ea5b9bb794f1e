"""Prompts in the GenAI attributes of a span, in all their forms and in that of the Vercel AI SDK."""

import re
from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redacted
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.read.langchain import chat_messages

MESSAGES = "ai.prompt.messages"
_TOOLS = "ai.prompt.tools"
_VALUES = ("text", "json", "error-text", "error-json")


def messages_of(given: list[Json]) -> list[Json]:
    """Return the messages of a prompt."""
    return [_ai_sdk_message(each) for each in given]


def _ai_sdk_message(given: Json) -> Json:
    if not isinstance(given, dict):
        return given
    content = given.get("content")
    parts: list[Json] = [{"type": "text", "content": content}] if isinstance(content, str) else []
    for each in content if isinstance(content, list) else ():
        parts.append(_part(each) if isinstance(each, dict) else each)
    return {"role": given.get("role"), "parts": parts}


def _part(part: dict[str, Json]) -> Json:
    match part.get("type"):
        case "text" | "reasoning" as kind:
            return {"type": kind, "content": part.get("text")}
        case "tool-call":
            args = part.get("input", part.get("args"))
            return {"type": "tool_call", "id": part.get("toolCallId"), "name": part.get("toolName"), "arguments": args}
        case "tool-result":
            result = _result(part.get("output", part.get("result")))
            return {"type": "tool_call_response", "id": part.get("toolCallId"), "response": result}
        case "file" | "image" as kind:
            data = part.get("data", part.get("image"))
            mime = part.get("mediaType", part.get("mimeType"))
            modality = "image" if kind == "image" or str(mime).startswith("image/") else "file"
            is_address = isinstance(data, str) and data.startswith(("http://", "https://"))
            where: dict[str, Json] = {"type": "uri", "uri": data} if is_address else {"type": "blob", "content": data}
            return {**where, "modality": modality, "mime_type": mime} if isinstance(data, str) else part
    return part


def _result(output: Json) -> Json:
    """Return the result of a tool; since version 5 it has its type."""
    if not isinstance(output, dict) or "value" not in output:
        return output
    if output.get("type") in _VALUES:
        return output["value"]
    listed = output["value"] if output.get("type") == "content" else None
    if isinstance(listed, list):
        return [_part(each) if isinstance(each, dict) else each for each in listed]
    return output


def tools_of(attributes: Mapping[str, Json]) -> list[Json]:
    """Return the tools of a prompt, each of which is JSON text."""
    listed = attributes.get(_TOOLS)
    found: list[Json] = []
    for each in listed if isinstance(listed, list) else ():
        try:
            tool = strict_json(each) if isinstance(each, str) else each
        except JsonFault:
            continue
        if isinstance(tool, dict) and "name" in tool:
            schema = tool.get("inputSchema", tool.get("parameters"))
            found.append({**tool, "parameters": schema} if isinstance(schema, dict) else tool)
    return found


_NUMBERS = ("intValue", "int_value")
_PLAIN = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value")
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a span, or a log record that names one."""

    name: str
    attributes: Mapping[str, Json]
    """With what the body of a record has."""
    span_id: str = ""
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of work."""

    id: str
    trace_id: str
    name: str
    attributes: Mapping[str, Json]
    events: tuple[Event, ...]
    start_ns: int
    parent_id: str = ""
    scope: str = ""
    """Name of the instrumentation that made it."""

    @property
    def key(self) -> str:
        """The key of the span in records of several files."""
        return key_of(self.trace_id, self.id)


def key_of(trace_id: str, span_id: str) -> str:
    """Return the key of a span; numbers may be written as Python writes them."""
    ids = (each.lower().removeprefix("0x") for each in (trace_id, span_id))
    return "/".join(ids)


def spans_in(document: Json) -> list[Span]:
    """Return the spans of a document, in the order in which they began."""
    found = [
        _span(each, _scope(group))
        for group in _items_below(document, _SPAN_LISTS[:2])
        for each in _items_below(group, _SPAN_LISTS[2:])
    ]
    if not found and isinstance(document, dict) and "attributes" in document and not _is_record(document):
        found = [_span(document, _scope(document))]
    return sorted(found, key=lambda span: span.start_ns)


def records_in(document: Json) -> Iterator[Event]:
    """Yield the log records of a document, in their order."""
    alone = [document] if isinstance(document, dict) and _is_record(document) else []
    for each in alone or _items_below(document, _RECORD_LISTS):
        attributes = attributes_of(_either(each, "attributes"))
        name = _text(_either(each, "eventName", "event_name")) or _text(attributes.get("event.name"))
        yield Event(
            name,
            _with_body(attributes, value_of(each.get("body"))),
            _text(_either(each, "spanId", "span_id")),
            _text(_either(each, "traceId", "trace_id")),
        )


_SPAN_LISTS = (
    ("resourceSpans", "resource_spans"),
    ("scopeSpans", "scope_spans", "instrumentationLibrarySpans"),
    ("spans",),
)
_RECORD_LISTS = (("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records"))


def _items_below(document: Json, levels: tuple[tuple[str, ...], ...]) -> Iterator[dict[str, Json]]:
    """Yield the objects in nested lists, each under one of some keys."""
    if not isinstance(document, dict):
        return
    if not levels:
        yield document
        return
    listed = _either(document, *levels[0])
    for each in listed if isinstance(listed, list) else ():
        yield from _items_below(each, levels[1:])


def _either(value: dict[str, Json], *keys: str) -> Json:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _is_record(value: dict[str, Json]) -> bool:
    """Return whether an object is a log record, as the exporter of Python prints it."""
    return "body" in value and any(key in value for key in ("severity_number", "severityNumber", "severity_text"))


def _scope(group: dict[str, Json]) -> str:
    """Return the name of the instrumentation that made the spans of a group."""
    scope = _either(group, "scope", "instrumentationScope", "instrumentation_scope", "instrumentationLibrary")
    return _text(scope.get("name")) if isinstance(scope, dict) else ""


def _span(given: dict[str, Json], scope: str) -> Span:
    context = given.get("context")
    ids = {**given, **context} if isinstance(context, dict) else given
    events = given.get("events")
    start = _either(given, "startTimeUnixNano", "start_time_unix_nano")
    return Span(
        _text(_either(ids, "spanId", "span_id")),
        _text(_either(ids, "traceId", "trace_id")),
        _text(given.get("name")),
        attributes_of(given.get("attributes")),
        tuple(_event(each) for each in (events if isinstance(events, list) else ()) if isinstance(each, dict)),
        int(start) if isinstance(start, int | str) and str(start).isdecimal() else 0,
        _text(_either(given, "parentSpanId", "parent_span_id", "parent_id")),
        scope,
    )


def _event(given: dict[str, Json]) -> Event:
    attributes = attributes_of(given.get("attributes"))
    return Event(_text(given.get("name")), _with_body(attributes, value_of(given.get("body"))))


def _with_body(attributes: dict[str, Json], body: Json) -> dict[str, Json]:
    return {**attributes, **body} if isinstance(body, dict) else attributes


def attributes_of(given: Json) -> dict[str, Json]:
    """Return attributes by their names."""
    if isinstance(given, dict):
        return given
    found: dict[str, Json] = {}
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict) and isinstance(key := each.get("key"), str):
            found[key] = value_of(each.get("value"))
    return found


def value_of(given: Json, depth: int = 0) -> Json:
    """Return a typed value as plain data; any other unchanged."""
    if not isinstance(given, dict) or len(given) > 1 or depth > _DEEPEST:
        return given
    for key, value in given.items():
        if key in _PLAIN:
            return value
        if key in _NUMBERS:
            return int(value) if isinstance(value, str) and value.lstrip("-").isdecimal() else value
        if key in ("arrayValue", "array_value"):
            return [value_of(each, depth + 1) for each in _values(value)]
        if key in ("kvlistValue", "kvlist_value"):
            pairs = [each for each in _values(value) if isinstance(each, dict)]
            return {str(each.get("key")): value_of(each.get("value"), depth + 1) for each in pairs}
    return given or None


def _values(given: Json) -> list[Json]:
    listed = given.get("values") if isinstance(given, dict) else None
    return listed if isinstance(listed, list) else []


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
    """Return the sent prompt as `system`, `messages` and `tools`; `None` if the span does not have it.

    Args:
        attributes: Those of a span, or of the event that has the details of a call.
        events: Those of the span, and log records that belong to it.
    """
    messages = spelled_out(attributes.get("gen_ai.input.messages"))
    system = spelled_out(attributes.get("gen_ai.system_instructions", attributes.get("gen_ai.system.instructions")))
    of_ai_sdk = spelled_out(attributes.get(MESSAGES))
    if isinstance(messages, list):
        messages = _messages(messages)
    elif isinstance(of_ai_sdk, list):
        messages = messages_of(of_ai_sdk)
    if messages is None:
        messages = _indexed(attributes) or _whole(attributes, events) or [*map(_of_event, filter(is_message, events))]
    if not messages and system is None:
        return None
    tools = spelled_out(attributes.get("gen_ai.tool.definitions")) or _tools(attributes)
    return {"system": system, "messages": messages, "tools": tools}


def body_in(attributes: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return the body of a request that a span has as it was sent."""
    bodies = (spelled_out(attributes.get(key)) for key in _BODIES)
    return next(
        (each for each in bodies if isinstance(each, dict) and each.keys() & {"messages", "contents", "input"}), None
    )


def events_in(attributes: Mapping[str, Json]) -> list[Event]:
    """Return the events that a span has in an attribute, as Pydantic AI and Logfire write them."""
    listed = spelled_out(attributes.get("events"))
    found: list[Event] = []
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(name := each.get("event.name"), str):
            found.append(Event(name, each))
    return found


def _messages(given: list[Json]) -> list[Json]:
    """Return messages, some of which may be in the form of a provider."""
    return [message_of(each) if isinstance(each, dict) and "parts" not in each else each for each in given]


def is_message(event: Event) -> bool:
    """Return whether an event is a message that was sent."""
    return _EVENT.fullmatch(event.name) is not None


def is_answer(event: Event) -> bool:
    """Return whether an event is the answer of a call."""
    return event.name == "gen_ai.choice"


def spelled_out(value: Json) -> Json:
    """Parse a value that may be written as JSON text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return redacted(strict_json(value))
    except JsonFault:
        return value


def _indexed(attributes: Mapping[str, Json]) -> list[Json]:
    """Return messages whose fields are separate attributes."""
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
    """Return a message with roles, content and calls, in the form of today's conventions."""
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
    """Return whether a content is a list of parts written as text, not a text that looks like some other list."""
    return isinstance(content, str) and re.match(r'\s*\[\s*\{\s*"type"\s*:', content) is not None


def _call(given: Json) -> Json:
    call = given if isinstance(given, dict) else {}
    function = call.get("function")
    named = {**call, **function} if isinstance(function, dict) else call
    args = next((named[key] for key in ("arguments", "arguments_json", "args", "input") if key in named), None)
    return {"type": "tool_call", "id": named.get("id"), "name": named.get("name"), "arguments": args}


def _whole(attributes: Mapping[str, Json], events: Sequence[Event]) -> Json:
    """Return all messages in one attribute, of a span or of an event, as the oldest conventions have them."""
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
    """Return a message from an event."""
    fields = dict(event.attributes)
    known = spelled_out(fields.get("gen_ai.event.content"))
    if isinstance(known, dict):
        fields |= known
    found = _EVENT.fullmatch(event.name)
    role = _ROLES_OF_EVENTS[found[1]] if found else "user"
    return message_of({**fields, "role": fields.get("role") if role != "tool" and fields.get("role") else role})


def _tools(attributes: Mapping[str, Json]) -> list[Json]:
    """Return tools whose fields are separate attributes."""
    by_number: dict[int, dict[str, Json]] = {}
    for key, value in attributes.items():
        if found := _INDEXED_TOOL.fullmatch(key):
            by_number.setdefault(int(found[1]), {})[found[2]] = spelled_out(value) if found[2] in _SCHEMAS else value
        elif (found := _TOOL_SCHEMA.fullmatch(key)) and isinstance(tool := spelled_out(value), dict):
            by_number[int(found[1])] = tool
    return [by_number[number] for number in sorted(by_number)] or tools_of(attributes)
