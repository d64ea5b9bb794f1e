"""Reads requests that were logged as JSON lines, or that a program has in memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.providers.event_stream import Event, read_events
from acdl_mkdocs.prompts.providers.read_body import KnownMessages
from acdl_mkdocs.prompts.providers.response_formats import RESPONSE_FORMATS
from acdl_mkdocs.prompts.providers.results import Problem
from acdl_mkdocs.prompts.redact import redact_document, redact_value
from acdl_mkdocs.runs.read.genai import parse_spelled
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.logged_request import LoggedRequest, describe_other, find_inner_dialect, list_requests
from acdl_mkdocs.runs.read.recorded import Found, Origin, Recorded, Skipped

_CURE = "name the format of the bodies, or write the body of each request under the key `request`"


def _is_jsonl(_: Json) -> str:
    return "jsonl"


def read(
    values: Iterator[Value | Skipped], format: str | None = None, reader_of: Callable[[Json], str] = _is_jsonl
) -> Iterator[Found]:
    """Yield the requests of a log.

    Args:
        values: The values of the file.
        format: Key in `WIRES` of the format of all bodies; `None` detects it for each.
        reader_of: Finds the reader for a value without a request.
    """
    messages_by_format: dict[str, KnownMessages] = {}
    for each in values:
        if isinstance(each, Skipped):
            yield each
            continue
        n_found = 0
        for wrapped in list_requests(each.json, format):
            n_found += 1
            yield make_recorded(wrapped, each.origin, messages_by_format.setdefault(wrapped.format, KnownMessages()))
        if n_found == 0:
            yield _skip_value(each, reader_of(each.json))


def _skip_value(value: Value, reader: str) -> Skipped:
    """Describe a value without a request."""
    if reader != "jsonl":
        cure = f"name the format of the file: `--from {reader}`"
        return Skipped(value.origin, f"a document in the format `{reader}`", cure=cure, is_damaged=True)
    if (other := find_inner_dialect(value.json)) is not None:
        return Skipped(value.origin, other.sentence, cure=other.cure, is_damaged=True)
    what, is_damaged = describe_other(value.json)
    return Skipped(value.origin, what, cure=_CURE if is_damaged else "", is_damaged=is_damaged)


def make_recorded(wrapped: LoggedRequest, origin: Origin, known_messages: KnownMessages | None = None) -> Recorded:
    """Read a request by its format; `earlier` has the messages of the one before."""
    read = WIRES[wrapped.format].read(wrapped.body, known_messages)
    if wrapped.format == "pml":
        read = redact_document(read)
    inside = ", ".join(filter(None, (origin.inside, wrapped.path)))
    problems = read.problems
    if wrapped.is_point_unusable:
        sentence, cure = "`at` is not a point in time", "write a step such as `3`, or a step and sub-step such as `3.2`"
        problems = (*problems, Problem("", sentence, cure))
    return Recorded(
        read.prompt,
        wrapped.format,
        replace(origin, inside=inside),
        wrapped.at,
        wrapped.episode,
        read.model or wrapped.model,
        _read_reply(wrapped.reply, wrapped.format) if wrapped.format in PROVIDERS else wrapped.reply,
        wrapped.status,
        problems,
    )


def _read_reply(reply: Json, format: str) -> Json:
    """Return the body of a reply, also of one in its HTTP response, one that is spelled as text, and a stream."""
    answer_messages = PROVIDERS[format].answer_messages
    if isinstance(reply, dict):
        is_body = answer_messages(reply) is not None or reply.get("body") is None
        return reply if is_body else _read_reply(reply["body"], format)
    events: Iterable[Event] = ()
    if isinstance(reply, str):
        value = parse_spelled(reply)
        if not isinstance(value, str):
            return _read_reply(value, format)
        events = read_events(value.encode("utf-8", "replace")) if value.lstrip().startswith(_STREAM) else ()
    elif isinstance(reply, list):
        events = map(Event, reply)
    joined = RESPONSE_FORMATS[format].assemble_body(events)
    return redact_value(joined) if isinstance(joined, dict) and answer_messages(joined) is not None else reply


_STREAM = ("data:", "event:", ":")
"""Beginnings of a stream of events; a line that begins with a colon is a comment."""
_LEFT_OUT = ("NotGiven", "Omit")
"""Types of the placeholders of client packages for missing values."""


def read_objects(requests: Sequence[object], format: str | None) -> Iterator[Found]:
    """Yield requests as from a recording.

    Args:
        requests: Bodies in their order, or lists of them, each a run.
        format: Key in `PROVIDERS` of the format of all bodies; `None` detects it for each.

    Raises:
        TraceError: There is no such format.
        TypeError: A body is not plain data, and cannot be converted to it.
    """
    if format is not None and format not in PROVIDERS:
        raise TraceError(f"there is no request format `{format}`; choose one of {', '.join(PROVIDERS)}")
    number = 0
    for run, each in enumerate(requests, 1):
        is_run = isinstance(each, (list, tuple))
        for body in each if isinstance(each, (list, tuple)) else (each,):
            number += 1
            value = Value(redact_value(_to_plain_data(body)), Origin(f"request {number}"))
            for request in read(iter((value,)), format):
                if is_run and isinstance(request, Recorded):
                    yield _read_run(request, run)
                else:
                    yield request


def _read_run(request: Recorded, run: int) -> Recorded:
    return request if request.episode is not None else replace(request, episode=f"run {run}")


def _to_plain_data(value: object) -> Json:
    """Convert a value to JSON, including the content of typed objects.

    Raises:
        TypeError: It cannot be converted.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        pairs = ((str(key), each) for key, each in value.items())
        return {key: _to_plain_data(each) for key, each in pairs if type(each).__name__ not in _LEFT_OUT}
    if isinstance(value, (list, tuple)):
        return [_to_plain_data(each) for each in value]
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return _to_plain_data(dump(mode="json", by_alias=True, exclude_none=True))
    plain = getattr(value, "to_dict", None)
    if callable(plain):
        return _to_plain_data(plain())
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    raise TypeError(f"a request contains a `{kind}`, which is not plain data; pass the request body as a dictionary")
