"""The spans and log records of OTLP-JSON as plain data; knows nothing about models.

Also takes what exporters write in other spellings: snake case, and spans whose attributes are an object.
"""

from collections.abc import Iterator, Mapping

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json

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
        """What records in several files know it by."""
        return key_of(self.trace_id, self.id)


def key_of(trace_id: str, span_id: str) -> str:
    """What a span is known by; numbers may be written as Python writes them."""
    ids = (each.lower().removeprefix("0x") for each in (trace_id, span_id))
    return "/".join(ids)


def spans_in(document: Json) -> list[Span]:
    """The spans of a document, in the order in which they began."""
    found = [
        _span(each, _scope(group))
        for group in _items_below(document, _SPAN_LISTS[:2])
        for each in _items_below(group, _SPAN_LISTS[2:])
    ]
    if not found and isinstance(document, dict) and "attributes" in document and not _is_record(document):
        found = [_span(document, _scope(document))]
    return sorted(found, key=lambda span: span.start_ns)


def records_in(document: Json) -> Iterator[Event]:
    """The log records of a document, in their order."""
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
    """The objects in lists of lists, each under one of some keys."""
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
    """Whether an object is a log record, as the exporter of Python prints it."""
    return "body" in value and any(key in value for key in ("severity_number", "severityNumber", "severity_text"))


def _scope(group: dict[str, Json]) -> str:
    """Name of the instrumentation that made the spans of a group."""
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
    """Attributes by their names."""
    if isinstance(given, dict):
        return given
    found: dict[str, Json] = {}
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict) and isinstance(key := each.get("key"), str):
            found[key] = value_of(each.get("value"))
    return found


def value_of(given: Json, depth: int = 0) -> Json:
    """A value that says its type, as plain data; any other as it is."""
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
