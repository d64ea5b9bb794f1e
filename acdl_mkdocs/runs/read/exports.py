"""Common parts of reading exports of observability tools: rows in order of start, requests that several files have."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.jsonl import make_recorded
from acdl_mkdocs.runs.read.logged_request import find_inner_dialect, list_requests
from acdl_mkdocs.runs.read.recorded import Found, Origin, Recorded, Skipped

MOST_HELD_ROWS = 1000
"""Limit of requests that are held back until no earlier one can follow."""


def sort_by_start(items: Iterable[tuple[str, Found]]) -> Iterator[Found]:
    """Yield the items, each request after those that began before it.

    Args:
        items: Requests with the times when they began, as texts that sort like the times; others with any text.
    """
    heap: list[tuple[str, int, Recorded]] = []
    last = ""
    for number, (start, each) in enumerate(items):
        if isinstance(each, Skipped):
            yield each
            continue
        if start < last:
            cure = "sort the export by start time"
            yield Skipped(
                each.origin,
                "a call that is out of order: it started long before the one preceding it",
                cure=cure,
                is_damaged=True,
            )
            continue
        heappush(heap, (start, number, each))
        if len(heap) > MOST_HELD_ROWS:
            last, _, first = heappop(heap)
            yield first
    while heap:
        yield heappop(heap)[2]


@dataclass(frozen=True, slots=True)
class ExportedRequest:
    """A request to a model in a row."""

    body: Json
    """The body of the request; `None` if the row has no messages."""
    name: str
    """Its name in the tool."""
    path: str
    """Path of the messages in the row."""
    reply: Json
    episode: str | None


def read_export(
    values: Iterator[Value | Skipped], rows: Callable[[Value], Iterator[tuple[str, Found]]]
) -> Iterator[Found]:
    """Yield the requests of an export, in the order in which they began.

    Args:
        values: The values of the file.
        rows: Returns the rows of a value, each with its start time.
    """

    def list_rows() -> Iterator[tuple[str, Found]]:
        for each in values:
            if isinstance(each, Skipped):
                yield "", each
            else:
                yield from rows(each)

    yield from sort_by_start(list_rows())


def read_exported_request(request: ExportedRequest, origin: Origin, format: str | None, cure: str) -> Found:
    """Return a request, or why it cannot be read.

    Args:
        request: The request, as exported.
        origin: Where it is recorded.
        format: Key in `WIRES` of the format of all bodies; `None` detects it.
        cure: How to export requests with their messages.
    """
    wrapped = next(list_requests({"request": request.body}, format), None) if request.body else None
    if wrapped is not None:
        return make_recorded(replace(wrapped, path=request.path, reply=request.reply, episode=request.episode), origin)
    if (other := find_inner_dialect(request.body)) is not None:
        return Skipped(origin, other.sentence, request.name, other.cure, is_damaged=True)
    return Skipped(origin, "a model call without its messages", request.name, cure, is_damaged=True)


MOST_HELD_REQUESTS = 1000
"""Limit of requests from log records whose spans may still follow."""
MOST_KNOWN = 100_000
"""Limit of requests that are remembered, each by its ids."""


def join_requests(items: Iterable[Found]) -> Iterator[Found]:
    """Yield the items, each request once, with the data of its span and its log records joined."""
    pending: dict[str, Skipped] = {}
    unanswered: dict[str, Recorded] = {}
    emitted: dict[str, None] = {}
    for each in items:
        if isinstance(each, Skipped):
            yield from _handle_skipped(each, pending, unanswered, emitted)
        elif not each.request_id:
            yield each
        elif each.request_id in emitted or each.request_id in unanswered:
            yield Skipped(each.origin, "a second record of the same call")
        elif each.request_id in pending:
            emitted[each.request_id] = None
            request = pending.pop(each.request_id).request
            yield each if request is None else add_span_data(each, request)
        elif each.model is None and each.episode is None:
            unanswered[each.request_id] = each
        else:
            emitted[each.request_id] = None
            yield each
        yield from _release_oldest(pending, unanswered, emitted)
    yield from unanswered.values()
    yield from pending.values()


def _handle_skipped(
    skipped: Skipped, pending: dict[str, Skipped], unanswered: dict[str, Recorded], emitted: dict[str, None]
) -> Iterator[Found]:
    request = skipped.request
    if request is None:
        yield skipped
    elif request.request_id in unanswered:
        emitted[request.request_id] = None
        yield add_span_data(unanswered.pop(request.request_id), request)
    elif request.request_id not in emitted:
        pending[request.request_id] = skipped


def _release_oldest(
    pending: dict[str, Skipped], unanswered: dict[str, Recorded], emitted: dict[str, None]
) -> Iterator[Found]:
    """Decide about the oldest pending items."""
    if len(unanswered) > MOST_HELD_REQUESTS:
        key = next(iter(unanswered))
        emitted[key] = None
        yield unanswered.pop(key)
    if len(pending) > MOST_KNOWN:
        yield pending.pop(next(iter(pending)))
    if len(emitted) > MOST_KNOWN:
        del emitted[next(iter(emitted))]


def add_span_data(request: Recorded, span: Recorded) -> Recorded:
    """Return a request with the data of its span."""
    return replace(
        request,
        model=request.model or span.model,
        episode=request.episode or span.episode,
        request_id=request.request_id or span.request_id,
    )
