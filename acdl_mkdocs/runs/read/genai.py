"""Prompts in the GenAI attributes of a span, in all their forms and in that of the Vercel AI SDK."""

import re
from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redact_value
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.read.langchain import convert_messages

MESSAGES = "ai.prompt.messages"
_TOOLS = "ai.prompt.tools"
_VALUES = ("text", "json", "error-text", "error-json")


def read_messages(messages: list[Json]) -> list[Json]:
    """Return the messages of a prompt."""
    return [_read_ai_sdk_message(each) for each in messages]


def _read_ai_sdk_message(message: Json) -> Json:
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    parts: list[Json] = [{"type": "text", "content": content}] if isinstance(content, str) else []
    for each in content if isinstance(content, list) else ():
        parts.append(_convert_part(each) if isinstance(each, dict) else each)
    return {"role": message.get("role"), "parts": parts}


def _convert_part(part: dict[str, Json]) -> Json:
    match part.get("type"):
        case "text" | "reasoning" as kind:
            return {"type": kind, "content": part.get("text")}
        case "tool-call":
            args = part.get("input", part.get("args"))
            return {"type": "tool_call", "id": part.get("toolCallId"), "name": part.get("toolName"), "arguments": args}
        case "tool-result":
            result = _convert_result(part.get("output", part.get("result")))
            return {"type": "tool_call_response", "id": part.get("toolCallId"), "response": result}
        case "file" | "image" | "media" | "file-data" | "image-data" | "file-url" | "image-url" as kind:
            data = next((part[key] for key in ("data", "image", "url") if key in part), None)
            mime = part.get("mediaType", part.get("mimeType"))
            modality = "image" if kind.startswith("image") or str(mime).startswith("image/") else "file"
            is_address = isinstance(data, str) and data.startswith(("http://", "https://", "data:"))
            where: dict[str, Json] = {"type": "uri", "uri": data} if is_address else {"type": "blob", "content": data}
            return {**where, "modality": modality, "mime_type": mime} if isinstance(data, str) else part
    return part


def _convert_result(output: Json) -> Json:
    """Return the result of a tool; since version 5 it has its type."""
    if not isinstance(output, dict) or "value" not in output:
        return output
    if output.get("type") in _VALUES:
        return output["value"]
    listed = output["value"] if output.get("type") == "content" else None
    if isinstance(listed, list):
        return [_convert_part(each) if isinstance(each, dict) else each for each in listed]
    return output


def read_tools(attributes: Mapping[str, Json]) -> list[Json]:
    """Return the tools of a prompt, each of which is JSON text."""
    listed = attributes.get(_TOOLS)
    tools: list[Json] = []
    for each in listed if isinstance(listed, list) else ():
        try:
            tool = strict_json(each) if isinstance(each, str) else each
        except JsonFault:
            continue
        if isinstance(tool, dict) and "name" in tool:
            schema = tool.get("inputSchema", tool.get("parameters"))
            tools.append({**tool, "parameters": schema} if isinstance(schema, dict) else tool)
    return tools


_NUMBERS = ("intValue", "int_value")
_PLAIN = ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value")
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Event:
    """An event in a span, or a log record that names one."""

    name: str
    attributes: Mapping[str, Json]
    """With what the body of a record has."""
    span_id: str = ""
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A unit of work."""

    id: str
    trace_id: str
    name: str
    attributes: Mapping[str, Json]
    events: tuple[Event, ...]
    start_ns: int
    parent_id: str = ""
    scope: str = ""
    """Name of the instrumentation that created it."""

    @property
    def key(self) -> str:
        """The key of the span in records of several files."""
        return make_span_key(self.trace_id, self.id)


def make_span_key(trace_id: str, span_id: str) -> str:
    """Return the key of a span; numbers may be written as Python writes them."""
    ids = (each.lower().removeprefix("0x") for each in (trace_id, span_id))
    return "/".join(ids)


def list_spans(document: Json) -> list[Span]:
    """Return the spans of a document, in the order in which they began."""
    spans = [
        _read_span(each, _read_scope(group))
        for group in _list_objects(document, _SPAN_LISTS[:2])
        for each in _list_objects(group, _SPAN_LISTS[2:])
    ]
    if not spans and isinstance(document, dict) and "attributes" in document and not _is_record(document):
        spans = [_read_span(document, _read_scope(document))]
    return sorted(spans, key=lambda span: span.start_ns)


def list_records(document: Json) -> Iterator[Event]:
    """Yield the log records of a document, in their order."""
    alone = [document] if isinstance(document, dict) and _is_record(document) else []
    for each in alone or _list_objects(document, _RECORD_LISTS):
        attributes = read_attributes(_get_first(each, "attributes"))
        name = _format_text(_get_first(each, "eventName", "event_name")) or _format_text(attributes.get("event.name"))
        yield Event(
            name,
            _add_body(attributes, read_value(each.get("body"))),
            _format_text(_get_first(each, "spanId", "span_id")),
            _format_text(_get_first(each, "traceId", "trace_id")),
        )


_SPAN_LISTS = (
    ("resourceSpans", "resource_spans"),
    ("scopeSpans", "scope_spans", "instrumentationLibrarySpans"),
    ("spans",),
)
_RECORD_LISTS = (("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records"))


def _list_objects(document: Json, levels: tuple[tuple[str, ...], ...]) -> Iterator[dict[str, Json]]:
    """Yield the objects in nested lists, each under one of some keys."""
    if not isinstance(document, dict):
        return
    if not levels:
        yield document
        return
    listed = _get_first(document, *levels[0])
    for each in listed if isinstance(listed, list) else ():
        yield from _list_objects(each, levels[1:])


def _get_first(value: dict[str, Json], *keys: str) -> Json:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _format_text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _is_record(value: dict[str, Json]) -> bool:
    """Return whether an object is a log record, as the exporter of Python prints it."""
    return "body" in value and any(key in value for key in ("severity_number", "severityNumber", "severity_text"))


def _read_scope(group: dict[str, Json]) -> str:
    """Return the name of the instrumentation that made the spans of a group."""
    scope = _get_first(group, "scope", "instrumentationScope", "instrumentation_scope", "instrumentationLibrary")
    return _format_text(scope.get("name")) if isinstance(scope, dict) else ""


def _read_span(span: dict[str, Json], scope: str) -> Span:
    context = span.get("context")
    ids = {**span, **context} if isinstance(context, dict) else span
    events = span.get("events")
    start = _get_first(span, "startTimeUnixNano", "start_time_unix_nano")
    return Span(
        _format_text(_get_first(ids, "spanId", "span_id")),
        _format_text(_get_first(ids, "traceId", "trace_id")),
        _format_text(span.get("name")),
        read_attributes(span.get("attributes")),
        tuple(_read_event(each) for each in (events if isinstance(events, list) else ()) if isinstance(each, dict)),
        int(start) if isinstance(start, (int, str)) and str(start).isdecimal() else 0,
        _format_text(_get_first(span, "parentSpanId", "parent_span_id", "parent_id")),
        scope,
    )


def _read_event(event: dict[str, Json]) -> Event:
    attributes = read_attributes(event.get("attributes"))
    return Event(_format_text(event.get("name")), _add_body(attributes, read_value(event.get("body"))))


def _add_body(attributes: dict[str, Json], body: Json) -> dict[str, Json]:
    return {**attributes, **body} if isinstance(body, dict) else attributes


def read_attributes(attributes: Json) -> dict[str, Json]:
    """Return attributes by their names."""
    if isinstance(attributes, dict):
        return attributes
    result: dict[str, Json] = {}
    for each in attributes if isinstance(attributes, list) else ():
        if isinstance(each, dict) and isinstance(key := each.get("key"), str):
            result[key] = read_value(each.get("value"))
    return result


def read_value(any_value: Json, depth: int = 0) -> Json:
    """Return a typed value as plain data; any other unchanged."""
    if not isinstance(any_value, dict) or len(any_value) > 1 or depth > _DEEPEST:
        return any_value
    for key, value in any_value.items():
        if key in _PLAIN:
            return value
        if key in _NUMBERS:
            return int(value) if isinstance(value, str) and value.lstrip("-").isdecimal() else value
        if key in ("arrayValue", "array_value"):
            return [read_value(each, depth + 1) for each in _read_values(value)]
        if key in ("kvlistValue", "kvlist_value"):
            pairs = [each for each in _read_values(value) if isinstance(each, dict)]
            return {str(each.get("key")): read_value(each.get("value"), depth + 1) for each in pairs}
    return any_value or None


def _read_values(array: Json) -> list[Json]:
    listed = array.get("values") if isinstance(array, dict) else None
    return listed if isinstance(listed, list) else []


_INDEXED = re.compile(r"(?:gen_ai\.prompt|llm\.input_messages)\.(\d{1,6})\.(?:message\.)?(.+)")
_INDEXED_TOOL = re.compile(r"(?:llm\.request\.functions|gen_ai\.request\.tools)\.(\d{1,6})\.(\w+)")
_INDEXED_CALL = re.compile(r"tool_calls\.(\d{1,6})\.(?:tool_call\.)?(?:function\.)?(\w+)")
_INDEXED_CONTENT = re.compile(r"contents\.(\d{1,6})\.message_content\.(.+)")
_TOOL_SCHEMA = re.compile(r"llm\.tools\.(\d{1,6})\.tool\.json_schema")
_BODIES = ("request_data", "mlflow.spanInputs", "input.value")
"""Attributes of Logfire, MLflow and OpenInference that have the body of a request."""
_SCHEMAS = ("parameters", "input_schema")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_ROLES_OF_EVENTS = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


def find_prompt(attributes: Mapping[str, Json], events: Sequence[Event] = ()) -> dict[str, Json] | None:
    """Return the sent prompt as `system`, `messages` and `tools`; `None` if the span does not have it.

    Args:
        attributes: Those of a span, or of the event that has the details of a request.
        events: Those of the span, and log records that belong to it.
    """
    messages = parse_spelled(attributes.get("gen_ai.input.messages"))
    system = parse_spelled(attributes.get("gen_ai.system_instructions", attributes.get("gen_ai.system.instructions")))
    of_ai_sdk = parse_spelled(attributes.get(MESSAGES))
    if isinstance(messages, list):
        messages = _convert_messages(messages)
    elif isinstance(of_ai_sdk, list):
        messages = read_messages(of_ai_sdk)
    if messages is None:
        messages = (
            _read_indexed_messages(attributes)
            or _read_whole_messages(attributes, events)
            or [*map(_read_event_message, filter(is_message, events))]
        )
    if not messages and system is None:
        return None
    tools = parse_spelled(attributes.get("gen_ai.tool.definitions")) or _read_indexed_tools(attributes)
    return {"system": system, "messages": messages, "tools": tools}


def find_body(attributes: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return the body of a request that a span has as it was sent."""
    bodies = (parse_spelled(attributes.get(key)) for key in _BODIES)
    return next(
        (each for each in bodies if isinstance(each, dict) and each.keys() & {"messages", "contents", "input"}), None
    )


def find_events(attributes: Mapping[str, Json]) -> list[Event]:
    """Return the events that a span has in an attribute, as Pydantic AI and Logfire write them."""
    listed = parse_spelled(attributes.get("events"))
    events: list[Event] = []
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and isinstance(name := each.get("event.name"), str):
            events.append(Event(name, each))
    return events


def _convert_messages(messages: list[Json]) -> list[Json]:
    """Return messages, some of which may be in the form of a provider."""
    return [build_message(each) if isinstance(each, dict) and "parts" not in each else each for each in messages]


def is_message(event: Event) -> bool:
    """Return whether an event is a message that was sent."""
    return _EVENT.fullmatch(event.name) is not None


def is_answer(event: Event) -> bool:
    """Return whether an event is the answer to a request."""
    return event.name == "gen_ai.choice"


def parse_spelled(value: Json) -> Json:
    """Parse a value that may be written as JSON text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return redact_value(strict_json(value))
    except JsonFault:
        return value


def _read_indexed_messages(attributes: Mapping[str, Json]) -> list[Json]:
    """Return messages whose fields are separate attributes."""
    by_number: dict[int, dict[str, Json]] = {}
    for key, value in attributes.items():
        if match := _INDEXED.fullmatch(key):
            by_number.setdefault(int(match[1]), {})[match[2]] = value
    return [_build_indexed_message(by_number[number]) for number in sorted(by_number)]


def _build_indexed_message(fields: dict[str, Json]) -> Json:
    calls: dict[int, dict[str, Json]] = {}
    contents: dict[int, dict[str, Json]] = {}
    for key, value in fields.items():
        if match := _INDEXED_CALL.fullmatch(key):
            calls.setdefault(int(match[1]), {})[match[2]] = value
        elif match := _INDEXED_CONTENT.fullmatch(key):
            contents.setdefault(int(match[1]), {})[match[2]] = value
    message = dict(fields)
    if contents and not message.get("content"):
        message["content"] = [_build_indexed_content(contents[number]) for number in sorted(contents)]
    if calls:
        message["tool_calls"] = [calls[number] for number in sorted(calls)]
    return build_message(message)


def _build_indexed_content(fields: dict[str, Json]) -> Json:
    """Return a part of a message as OpenInference names its fields; anything but text and images unchanged."""
    if "text" in fields:
        return {"type": "text", "content": fields["text"]}
    address = fields.get("image.image.url")
    return {"type": "uri", "modality": "image", "uri": address} if isinstance(address, str) else {**fields}


def build_message(fields: Mapping[str, Json]) -> Json:
    """Return a message with roles, content and calls, in the form of today's conventions."""
    role, call_id = fields.get("role"), fields.get("tool_call_id")
    content = parse_spelled(fields.get("content")) if _is_blocks(fields.get("content")) else fields.get("content")
    if role in ("tool", "function"):
        part: Json = {"type": "tool_call_response", "id": call_id or fields.get("id"), "response": content}
        return {"role": "tool", "parts": [part]}
    parts: list[Json] = list(content) if isinstance(content, list) else []
    if isinstance(content, str) and content:
        parts.append({"type": "text", "content": content})
    calls = parse_spelled(fields.get("tool_calls"))
    parts.extend(_build_indexed_call(each) for each in (calls if isinstance(calls, list) else ()))
    return {"role": role, "parts": parts}


def _is_blocks(content: Json) -> bool:
    """Return whether a content is a list of parts written as text, not a text that looks like some other list."""
    return isinstance(content, str) and re.match(r'\s*\[\s*\{\s*"type"\s*:', content) is not None


def _build_indexed_call(value: Json) -> Json:
    call = value if isinstance(value, dict) else {}
    function = call.get("function")
    named = {**call, **function} if isinstance(function, dict) else call
    args = next((named[key] for key in ("arguments", "arguments_json", "args", "input") if key in named), None)
    return {"type": "tool_call", "id": named.get("id"), "name": named.get("name"), "arguments": args}


def _read_whole_messages(attributes: Mapping[str, Json], events: Sequence[Event]) -> Json:
    """Return all messages in one attribute, of a span or of an event, as the oldest conventions have them."""
    texts = [attributes.get("gen_ai.prompt")]
    texts += [event.attributes.get("gen_ai.prompt") for event in events if event.name == "gen_ai.content.prompt"]
    for text in texts:
        value = parse_spelled(text)
        if isinstance(value, list):
            return _convert_messages(value)
        if isinstance(value, dict) and (listed := convert_messages(value.get("messages"))) is not None:
            return _convert_messages(listed)
        if isinstance(value, str) and value:
            return [{"role": "user", "parts": [{"type": "text", "content": value}]}]
    return None


def _read_event_message(event: Event) -> Json:
    """Return a message from an event."""
    fields = dict(event.attributes)
    content = parse_spelled(fields.get("gen_ai.event.content"))
    if isinstance(content, dict):
        fields |= content
    match = _EVENT.fullmatch(event.name)
    role = _ROLES_OF_EVENTS[match[1]] if match else "user"
    return build_message({**fields, "role": fields.get("role") if role != "tool" and fields.get("role") else role})


def _read_indexed_tools(attributes: Mapping[str, Json]) -> list[Json]:
    """Return tools whose fields are separate attributes."""
    by_number: dict[int, dict[str, Json]] = {}
    for key, value in attributes.items():
        if match := _INDEXED_TOOL.fullmatch(key):
            by_number.setdefault(int(match[1]), {})[match[2]] = parse_spelled(value) if match[2] in _SCHEMAS else value
        elif (match := _TOOL_SCHEMA.fullmatch(key)) and isinstance(tool := parse_spelled(value), dict):
            by_number[int(match[1])] = tool
    return [by_number[number] for number in sorted(by_number)] or read_tools(attributes)
