"""Reads traces in OTLP-JSON, as the file exporter of a collector writes them: spans, and log records beside them.

A document or a line has many spans, of which some are calls of a model. Messages that are log records of their own are
gathered by their span; few of those are open at a time, and the oldest is closed when there are too many.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.traces.read_genai import is_answer, is_message, sent_in, spelled_out
from acdl_mkdocs.traces.read_genai_prompt import NAME
from acdl_mkdocs.traces.read_genai_prompt import read as read_prompt
from acdl_mkdocs.traces.read_otlp_spans import Event, Span, records_in, spans_in
from acdl_mkdocs.traces.read_values import Value
from acdl_mkdocs.traces.recorded import Found, Origin, Recorded, Skipped
from acdl_mkdocs.traces.sniff import is_other_signal, reader_of

MOST_OPEN = 1000
"""Spans whose messages are log records, gathered at the same time."""
_CALLS = {"chat", "generate_content", "text_completion", "completion"}
_KINDS = ("openinference.span.kind", "traceloop.span.kind")
_DETAILS = "gen_ai.client.inference.operation.details"
_CURE = "let the instrumentation record contents, often by OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"


@dataclass(slots=True)
class _Gathered:
    """Messages of a span that are log records."""

    origin: Origin
    events: list[Event] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """What is not decided yet."""

    gathered: dict[str, _Gathered] = field(default_factory=dict)
    empty: dict[str, Skipped] = field(default_factory=dict)
    """Calls without contents, by their spans: log records may have them."""

    def too_many(self) -> Iterator[Found]:
        """Decide about the oldest."""
        while len(self.gathered) > MOST_OPEN:
            yield from self.closed(next(iter(self.gathered)))
        while len(self.empty) > MOST_OPEN:
            yield self.empty.pop(next(iter(self.empty)))

    def closed(self, span_id: str, answer: Json = None) -> Iterator[Found]:
        """The request whose messages are all there."""
        gathered = self.gathered.pop(span_id, None)
        if gathered is None:
            return
        self.empty.pop(span_id, None)
        yield from _request({}, gathered.events, gathered.origin, answer)

    def all(self) -> Iterator[Found]:
        """Everything, at the end of the file."""
        for span_id in tuple(self.gathered):
            yield from self.closed(span_id)
        yield from self.empty.values()


def read(values: Iterator[Value | Skipped], format: str | None = None) -> Iterator[Found]:
    """The calls of models in a trace.

    Args:
        values: What the file says.
        format: Not used: traces have a form of their own.
    """
    del format
    opened = _Open()
    for each in values:
        if isinstance(each, Skipped):
            yield each
        elif reader_of(each.json) != "otlp":
            cure = "export the trace as OTLP in JSON, or name another reader"
            yield Skipped(each.origin, "a document without `resourceSpans`", cure=cure, is_damaged=True)
        elif is_other_signal(each.json):
            yield Skipped(each.origin, "metrics or another signal without calls of a model")
        else:
            for span in spans_in(each.json):
                yield from _of_span(span, each.origin, opened)
            for number, record in enumerate(records_in(each.json), 1):
                yield from _of_record(record, replace(each.origin, inside=f"log record {number}"), opened)
            yield from opened.too_many()
    yield from opened.all()


def _of_span(span: Span, origin: Origin, opened: _Open) -> Iterator[Found]:
    origin = replace(origin, inside=f"span {span.id or span.name}")
    if not _is_call(span):
        yield Skipped(origin, "a span of something else than a call of a model")
        return
    found = [*_request(span.attributes, span.events, origin)]
    details = next((each for each in span.events if each.name == _DETAILS), None)
    if not found and details is not None:
        found = [*_request({**span.attributes, **details.attributes}, (), origin)]
    if found or span.id in opened.gathered:
        yield from found
        return
    opened.empty[span.id or str(len(opened.empty))] = Skipped(
        origin, "a call of a model without its messages", span.name, _CURE, is_damaged=True
    )


def _is_call(span: Span) -> bool:
    """Whether a span is a call of a model, not of an agent, a tool or a step that has one inside."""
    said = span.attributes.get("gen_ai.operation.name") or span.attributes.get("llm.request.type")
    if isinstance(said, str):
        return said in _CALLS
    kinds = [kind for key in _KINDS if isinstance(kind := span.attributes.get(key), str)]
    if kinds:
        return all(kind.upper() == "LLM" for kind in kinds)
    return any(key.startswith(("gen_ai.", "llm.")) for key in span.attributes) or any(map(is_message, span.events))


def _of_record(record: Event, origin: Origin, opened: _Open) -> Iterator[Found]:
    if record.name == _DETAILS:
        opened.empty.pop(record.span_id, None)
        yield from _request(record.attributes, (), origin)
    elif is_message(record):
        opened.gathered.setdefault(record.span_id, _Gathered(origin)).events.append(record)
    elif is_answer(record):
        yield from opened.closed(record.span_id, spelled_out(record.attributes.get("message")))
    else:
        yield Skipped(origin, "a log record of something else than a call of a model")


def _request(
    attributes: Mapping[str, Json], events: Sequence[Event], origin: Origin, answer: Json = None
) -> Iterator[Recorded]:
    """The request that attributes and events say, if they do."""
    sent = sent_in(attributes, events)
    if sent is None:
        return
    read = read_prompt(sent)
    model, episode = attributes.get("gen_ai.request.model"), _episode(attributes)
    said = next((spelled_out(each.attributes.get("message")) for each in events if is_answer(each)), None)
    reply = answer or spelled_out(attributes.get("gen_ai.output.messages")) or said
    named = model if isinstance(model, str) else None
    yield Recorded(read.prompt, NAME, origin, None, episode, named, reply, None, read.problems)


def _episode(attributes: Mapping[str, Json]) -> str | None:
    """Name of the conversation, where the trace says it."""
    said = attributes.get("gen_ai.conversation.id") or attributes.get("session.id")
    return said if isinstance(said, str) else None
