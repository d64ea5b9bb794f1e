"""Reads traces in OTLP-JSON, as the file exporter of a collector writes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from acdl_mkdocs.foundation.frozen import dataclass
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
from acdl_mkdocs.runs.match.units import get_text
from acdl_mkdocs.runs.read.exports import add_span_data
from acdl_mkdocs.runs.read.genai import (
    Event,
    Span,
    find_body,
    find_events,
    find_prompt,
    is_answer,
    is_message,
    list_records,
    list_spans,
    make_span_key,
    parse_spelled,
)
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.jsonl import make_recorded
from acdl_mkdocs.runs.read.logged_request import find_inner_dialect, is_other_signal, is_otlp, list_requests
from acdl_mkdocs.runs.read.recorded import Found, Origin, Recorded, Skipped

_CONTRIB = (
    "set `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` and "
    "`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only`; or set the second to `true` alone, "
    "and also pass the exported log records"
)
_TRACELOOP = (
    "set `TRACELOOP_TRACE_CONTENT=true`, which is the default; where attributes are switched off, "
    "also pass the exported log records"
)
_BOTH = (
    "set `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, to `span_only` or, for an older version, to `true`; "
    "for OpenLLMetry, set `TRACELOOP_TRACE_CONTENT=true`"
)
_SWITCHES: Mapping[str, str] = {
    "opentelemetry.instrumentation.openai_v2": _CONTRIB,
    "opentelemetry.util.genai": _CONTRIB,
    "opentelemetry.instrumentation.google_genai": _CONTRIB,
    "opentelemetry.instrumentation.openai_agents": _BOTH,
    "opentelemetry.instrumentation.vertexai": _BOTH,
    "opentelemetry.instrumentation.": _TRACELOOP,
    "openinference.": "unset `OPENINFERENCE_HIDE_INPUTS` and `OPENINFERENCE_HIDE_INPUT_MESSAGES`",
    "pydantic-ai": "write `InstrumentationSettings(include_content=True)`",
    "logfire": "instrument the client with Logfire's defaults, which record `request_data`",
    "langsmith": "unset `LANGSMITH_HIDE_INPUTS`",
    "langfuse": "export the observations with `input`",
    "gen_ai": "leave `recordInputs` enabled in the telemetry settings of the AI SDK",
    "ai": "leave `recordInputs` enabled in the telemetry settings of the AI SDK",
}
"""By the beginning of the name of the scope that made a span; the first that fits."""
_OTHERS = (
    "make the instrumentation record message contents: set `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`; "
    "if it writes them to log records, pass these with the spans"
)


def describe_content_recording(scope: str) -> str:
    """Describe how to make an instrumentation record messages.

    Args:
        scope: Name of the scope of its spans; a package or a module.
    """
    return next((cure for begin, cure in _SWITCHES.items() if scope.startswith(begin)), _OTHERS)


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


MOST_OPEN = 1000
"""Limit of spans whose log records are collected at the same time."""
MOST_REQUESTS = 100_000
"""Limit of requests that are remembered, each by its ids."""
_REQUEST_OPERATIONS = {"chat", "generate_content", "text_completion", "completion"}
_KINDS = ("openinference.span.kind", "traceloop.span.kind", "langsmith.span.kind")
_AI_SDK_REQUESTS = (".doGenerate", ".doStream")
_MLFLOW_REQUESTS = ("CHAT_MODEL", "LLM")
_DETAILS = "gen_ai.client.inference.operation.details"
_EPISODES = ("gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId", "langfuse.session.id")
"""Attributes that name the conversation."""
_MODELS = ("gen_ai.request.model", "llm.model_name", "ai.model.id")
"""Attributes that name the model."""
_SAME = "a second span of the same call"


@dataclass(slots=True)
class _SpanRecords:
    """Messages of a span that are log records."""

    origin: Origin
    events: list[Event] = field(default_factory=list)
    span: Recorded | None = None
    """The request, as far as the span describes it."""


@dataclass(frozen=True, slots=True)
class _SpanRequest:
    """A request to a model that a span has shown."""

    last: tuple[str, str] | None
    """Role and words of the last message; `None` if the span has no messages."""


@dataclass(slots=True)
class _PendingSpans:
    """The pending spans and records, and the requests that were read."""

    gathered: dict[str, _SpanRecords] = field(default_factory=dict)
    empty: dict[str, Skipped] = field(default_factory=dict)
    """Requests without contents, by their spans: log records or other spans may have them."""
    requests: dict[str, _SpanRequest] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)
    """The requests that are directly inside a span, by the key of that span."""
    same: dict[str, str] = field(default_factory=dict)
    """Of spans of the same request without messages: the key of the one that is in `empty`."""
    keys: dict[str, str] = field(default_factory=dict)
    """The keys of requests by the ids of their spans, for records that do not name their trace."""

    def close_oldest(self) -> Iterator[Found]:
        """Decide about the oldest pending items."""
        while len(self.gathered) > MOST_OPEN:
            yield from self.close_request(next(iter(self.gathered)))
        while len(self.empty) > MOST_OPEN:
            yield self.empty.pop(next(iter(self.empty)))
        for store in (self.requests, self.inside, self.same, self.keys):
            while len(store) > MOST_REQUESTS:
                del store[next(iter(store))]

    def close_request(self, key: str, answer: Json = None) -> Iterator[Found]:
        """Yield the request whose messages are complete."""
        gathered = self.gathered.pop(key, None)
        if gathered is None:
            return
        empty = self.empty.pop(key, None)
        span = gathered.span or (None if empty is None else empty.request)
        for each in _read_request({}, gathered.events, gathered.origin, answer):
            yield from self.add_request(key, each if span is None else add_span_data(each, span))

    def add_request(self, key: str, request: Recorded) -> Iterator[Found]:
        """Yield a request, unless the same request was read already."""
        known = self.requests.get(key)
        if known is not None and known.last is not None:
            yield Skipped(request.origin, _SAME)
            return
        self.requests[key] = _SpanRequest(_describe_last(request))
        yield replace(request, request_id=key)

    def close_all(self) -> Iterator[Found]:
        """Yield everything pending at the end of the file."""
        for key in tuple(self.gathered):
            yield from self.close_request(key)
        yield from self.empty.values()

    def match_requests(self, span: Span, last: tuple[str, str] | None) -> tuple[list[Skipped], bool]:
        """Return requests without messages that are that of a span, and whether another span has it already.

        Spans are of the same request where one is directly inside the other, unless both have messages that differ.
        """
        others = self._find_related(span)
        last_messages = (request.last for other in others if (request := self.requests.get(other)) is not None)
        before = next((each for each in last_messages if each is not None and last in (None, each)), None)
        empty = {key: None for other in others if (key := self.same.get(other, other)) in self.empty}
        earlier = last or before
        if earlier is None:
            if empty:
                self.same[span.key], self.requests[span.key] = next(iter(empty)), _SpanRequest(None)
            return [], bool(empty)
        for key in [*empty, *(other for other in others if self.requests.get(other) == _SpanRequest(None)), span.key]:
            self.requests[key] = _SpanRequest(earlier)
        return [Skipped(self.empty.pop(key).origin, _SAME) for key in empty], before is not None

    def _find_related(self, span: Span) -> list[str]:
        """Return the requests that directly contain a span or are inside it; remember where the span is."""
        parent = make_span_key(span.trace_id, span.parent_id) if span.parent_id else ""
        related = [parent] if parent in self.requests else []
        related += self.inside.get(span.key, ()) if span.id else ()
        if parent and span.id:
            self.inside.setdefault(parent, []).append(span.key)
        return related


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """Yield the requests to models in a trace.

    Args:
        values: The values of the file.
        format: Not used: traces have their own form.
    """
    del format
    pending = _PendingSpans()
    for each in values:
        if isinstance(each, Skipped):
            yield each
        elif not is_otlp(each.json):
            cure = "export the trace as OTLP JSON, or name another reader with `--from`"
            yield Skipped(each.origin, "a document without `resourceSpans`", cure=cure, is_damaged=True)
        elif is_other_signal(each.json):
            yield Skipped(each.origin, "metrics or another signal without model calls")
        else:
            for span in list_spans(each.json):
                yield from _read_span(span, each.origin, pending)
            for number, record in enumerate(list_records(each.json), 1):
                yield from _read_record(record, replace(each.origin, inside=f"log record {number}"), pending)
            yield from pending.close_oldest()
    yield from pending.close_all()


def _read_span(span: Span, origin: Origin, pending: _PendingSpans) -> Iterator[Found]:
    origin = replace(origin, inside=f"span {span.id or span.name}")
    if not _is_request(span):
        yield Skipped(origin, "a span that is not a model call")
        return
    request = next(_find_span_request(span, origin), None)
    gathered = pending.gathered.get(span.key) or pending.gathered.get(make_span_key("", span.id))
    if request is None and gathered is not None:
        gathered.span = _make_empty_request(span, origin)
        return
    last = None if request is None else _describe_last(request)
    if span.key in pending.requests and pending.requests[span.key].last is not None and span.id:
        yield Skipped(origin, _SAME, request=_make_empty_request(span, origin))
        return
    settled, is_same = pending.match_requests(span, last)
    yield from settled
    if is_same:
        yield Skipped(origin, _SAME)
        return
    if span.id:
        pending.requests[span.key] = _SpanRequest(last)
        pending.keys[make_span_key("", span.id)] = span.key
    if request is not None:
        yield replace(request, request_id=span.key if span.id else "")
        return
    bare, other = _make_empty_request(span, origin), find_inner_dialect(find_body(span.attributes))
    cure = describe_content_recording(span.scope) if other is None else other.cure
    reason = "a model call without its messages" if other is None else other.sentence
    skipped = Skipped(origin, reason, span.name, cure, is_damaged=True, request=bare if span.id else None)
    pending.empty[span.key if span.id else f"{len(pending.empty)}"] = skipped


def _find_span_request(span: Span, origin: Origin) -> Iterator[Recorded]:
    """Yield the request of a span."""
    events = (*span.events, *find_events(span.attributes))
    yield from _read_request(span.attributes, events, origin)
    details = next((each for each in span.events if each.name == _DETAILS), None)
    if details is not None:
        yield from _read_request({**span.attributes, **details.attributes}, (), origin)
    body = find_body(span.attributes)
    wrapped = None if body is None else next(list_requests({"request": body}), None)
    if wrapped is not None:
        reply = parse_spelled(span.attributes.get("response_data", span.attributes.get("mlflow.spanOutputs")))
        request = make_recorded(replace(wrapped, path="", reply=reply), origin)
        yield replace(request, episode=_find_name(span.attributes, _EPISODES))


def _make_empty_request(span: Span, origin: Origin) -> Recorded:
    """Return a request without its prompt."""
    episode, model = _find_name(span.attributes, _EPISODES), _find_name(span.attributes, _MODELS)
    return Recorded(Prompt(()), NAME, origin, episode=episode, model=model, request_id=span.key)


def _is_request(span: Span) -> bool:
    """Return whether a span is a request to a model, not of an agent, a tool or a step with such a request inside."""
    attributes = span.attributes
    if attributes.get("logfire.span_type") == "pending_span":
        return False  # it is written again when it ends
    of_ai_sdk = attributes.get("ai.operationId")
    if isinstance(of_ai_sdk, str):
        return of_ai_sdk.endswith(_AI_SDK_REQUESTS)
    of_mlflow = attributes.get("mlflow.spanType")
    if isinstance(of_mlflow, str):
        return of_mlflow.strip('"') in _MLFLOW_REQUESTS
    operation = attributes.get("gen_ai.operation.name") or attributes.get("llm.request.type")
    if isinstance(operation, str):
        return operation in _REQUEST_OPERATIONS
    kinds = [kind for key in _KINDS if isinstance(kind := attributes.get(key), str)]
    if kinds:
        return all(kind.upper() == "LLM" for kind in kinds)
    if any(key.startswith(("gen_ai.", "llm.")) for key in attributes) or any(map(is_message, span.events)):
        return True
    return "request_data" in attributes and find_body(attributes) is not None


def _read_record(record: Event, origin: Origin, pending: _PendingSpans) -> Iterator[Found]:
    key = make_span_key(record.trace_id, record.span_id)
    key = key if record.trace_id else pending.keys.get(key, key)
    if record.name == _DETAILS:
        empty = pending.empty.pop(key, None)
        for each in _read_request(record.attributes, (), origin):
            named = each if empty is None or empty.request is None else add_span_data(each, empty.request)
            yield from pending.add_request(key, named) if record.span_id else (named,)
    elif is_message(record):
        pending.gathered.setdefault(key, _SpanRecords(origin)).events.append(record)
    elif is_answer(record):
        yield from pending.close_request(key, parse_spelled(record.attributes.get("message")))
    else:
        yield Skipped(origin, "a log record that is not about a model call")


def _read_request(
    attributes: Mapping[str, Json], events: Sequence[Event], origin: Origin, answer: Json = None
) -> Iterator[Recorded]:
    """Yield the request in attributes and events, if there is one."""
    sent = find_prompt(attributes, events)
    if sent is None:
        return
    read = read_prompt(sent)
    event_answer = next((parse_spelled(each.attributes.get("message")) for each in events if is_answer(each)), None)
    reply = answer or parse_spelled(attributes.get("gen_ai.output.messages")) or event_answer
    episode, model = _find_name(attributes, _EPISODES), _find_name(attributes, _MODELS)
    yield Recorded(read.prompt, NAME, origin, None, episode, model, reply, None, read.problems)


def _find_name(attributes: Mapping[str, Json], keys: Sequence[str]) -> str | None:
    """Return the name under the first of some keys that has one."""
    return next((name for key in keys if isinstance(name := attributes.get(key), str) and name), None)


def _describe_last(request: Recorded) -> tuple[str, str]:
    """Return role and words of the last message of a request."""
    messages = request.request.messages
    last = messages[-1] if messages else Message("none", ())
    return last.role, " ".join(" ".join(map(get_text, last.parts)).split())
