"""`joined()`: what several files say about the same call is one request: spans in one, and log records in another."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from acdl_mkdocs.traces.recorded import Found, Recorded, Skipped

MOST_HELD = 1000
"""Requests from log records whose spans may still come."""
MOST_KNOWN = 100_000
"""Calls that are remembered, each by its ids."""


def joined(found: Iterable[Found]) -> Iterator[Found]:
    """The same, each call once, with what its span and its log records say together."""
    waiting: dict[str, Skipped] = {}
    held: dict[str, Recorded] = {}
    done: dict[str, None] = {}
    for each in found:
        if isinstance(each, Skipped):
            yield from _skipped(each, waiting, held, done)
        elif not each.call:
            yield each
        elif each.call in done or each.call in held:
            yield Skipped(each.origin, "a second record of the same call")
        elif each.call in waiting:
            done[each.call] = None
            call = waiting.pop(each.call).call
            yield each if call is None else with_call(each, call)
        elif each.model is None and each.episode is None:
            held[each.call] = each
        else:
            done[each.call] = None
            yield each
        yield from _too_many(waiting, held, done)
    yield from held.values()
    yield from waiting.values()


def _skipped(
    skipped: Skipped, waiting: dict[str, Skipped], held: dict[str, Recorded], done: dict[str, None]
) -> Iterator[Found]:
    call = skipped.call
    if call is None:
        yield skipped
    elif call.call in held:
        done[call.call] = None
        yield with_call(held.pop(call.call), call)
    elif call.call not in done:
        waiting[call.call] = skipped


def _too_many(waiting: dict[str, Skipped], held: dict[str, Recorded], done: dict[str, None]) -> Iterator[Found]:
    """Decide about the oldest."""
    if len(held) > MOST_HELD:
        key = next(iter(held))
        done[key] = None
        yield held.pop(key)
    if len(waiting) > MOST_KNOWN:
        yield waiting.pop(next(iter(waiting)))
    if len(done) > MOST_KNOWN:
        del done[next(iter(done))]


def with_call(request: Recorded, call: Recorded) -> Recorded:
    """A request with what its span says about it."""
    return replace(
        request,
        model=request.model or call.model,
        episode=request.episode or call.episode,
        call=request.call or call.call,
    )
