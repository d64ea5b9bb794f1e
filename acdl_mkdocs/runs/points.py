"""The point in time of each recorded request, counted or given by a manifest."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import PointError, TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.runs.episodes import MOST_OPEN, Continuation, Trail, Trails, find_continuation
from acdl_mkdocs.runs.read.recorded import Recorded

Reading: TypeAlias = Literal["results", "tags", "turns", "requests", "one-turn"]
READINGS: Mapping[Reading, str] = {
    "results": "user text directly after tool results belongs to them",
    "tags": "user text directly after tool results begins a turn, unless it is only an attachment or text in tags",
    "turns": "user text directly after tool results begins a turn",
    "requests": "each request is a turn",
    "one-turn": "each request of a run is a step of one turn",
}
"""Ways to count turns and steps, the usual one first, and what each means."""
LIKELY: tuple[Reading, ...] = ("results", "tags", "turns")
"""The readings that a conversation itself may suggest; the others only explain why a spec disagrees."""


@dataclass(frozen=True, slots=True)
class _LastRequest:
    """The last request of a run, with its point by every reading."""

    trail: Trail
    points: Mapping[Reading, Time]


def assign_points(
    requests: Iterable[Recorded], first: Time | None = None, trails: Trails | None = None
) -> Iterator[Recorded]:
    """Give each request its point by the usual reading, as `count_points()` counts it."""
    for each, points in count_points(requests, first, trails):
        yield each if each.at is not None else replace(each, at=points["results"])


def count_points(
    requests: Iterable[Recorded], first: Time | None = None, trails: Trails | None = None
) -> Iterator[tuple[Recorded, Mapping[Reading, Time]]]:
    """Count the point of each request by every reading.

    A request that has a point keeps it in all readings, and later ones are counted from there.

    Parameters:
        requests: Requests from `group_requests()`.
        first: Point of the first request of each run, if examples precede the first question, or if the beginning was
            not recorded.
        trails: Makes the trails of the requests, shared with `group_requests()`.
    """
    trails = trails or Trails()
    runs: dict[str, _LastRequest] = {}
    for each in requests:
        name = each.episode or ""
        trail = trails.trace_request(each)
        last = runs.pop(name, None)
        points = _find_points(each.at, first, last, trail)
        runs[name] = _LastRequest(trail, points)
        if len(runs) > MOST_OPEN:
            del runs[next(iter(runs))]
        yield each, points


def _find_points(
    at: Time | None, first: Time | None, last: _LastRequest | None, trail: Trail
) -> Mapping[Reading, Time]:
    """Return the point of a request by every reading; one object if all agree."""
    given_point = at or (first if last is None else None)
    if given_point is not None:
        return dict.fromkeys(READINGS, Time((given_point.get_part(0), given_point.get_part(1))))
    if last is None:
        points = {reading: _find_first_point(trail, reading) for reading in READINGS}
    else:
        how = find_continuation(last.trail, trail)
        points = {
            reading: _find_next_point(point.get_part(0), point.get_part(1), how, last.trail, trail, reading)
            for reading, point in last.points.items()
        }
    times = {point: Time(point) for point in points.values()}
    return {reading: times[point] for reading, point in points.items()}


def _find_first_point(trail: Trail, reading: Reading) -> tuple[int, int]:
    """Return the point of a request without a known earlier one."""
    if reading in ("requests", "one-turn"):
        return 1, 0
    end = len(trail.roles)
    if trail.roles[-1:] == ("assistant",):
        end -= 1  # the beginning of a requested answer
    n_turns, n_rounds = _count_turns(trail, 0, end, reading)
    return max(n_turns, 1), n_rounds


def _find_next_point(
    turn: int, n_rounds: int, continuation: Continuation | None, before: Trail, trail: Trail, reading: Reading
) -> tuple[int, int]:
    """Return the point of a request after one at another point."""
    if reading == "requests":
        return turn + 1, 0
    if reading == "one-turn" or (continuation is not None and continuation.is_grown):
        return turn, n_rounds + 1
    if continuation is None:
        n_since = _count_turns(trail, 0, len(trail.roles), reading)[1]
        is_asked = _find_last_question(trail) != _find_last_question(before)
        return (turn + 1, n_since) if is_asked else (turn, max(n_rounds + 1, n_since))
    n_turns, n_since = _count_turns(trail, continuation.start, continuation.end, reading)
    return (turn + n_turns, n_since) if n_turns else (turn, n_rounds + n_since)


def _find_last_question(trail: Trail) -> int | None:
    """Return the last message of the user."""
    questions = [key for key, role in zip(trail.keys, trail.roles, strict=True) if role == "user"]
    return questions[-1] if questions else None


def _count_turns(trail: Trail, start: int, end: int, reading: Reading) -> tuple[int, int]:
    """Count the turns that begin in a part of a request, and the rounds since the last of them began."""
    n_turns = n_rounds = 0
    before, has_open_calls = "", False
    part = slice(start, end)
    for sender, is_note, has_calls in zip(
        trail.roles[part], trail.are_notes[part], trail.are_asking[part], strict=True
    ):
        is_result = sender == "tool" or (sender == "user" and has_open_calls)
        is_beside = sender == "user" and before == "tool" and (reading == "results" or (reading == "tags" and is_note))
        role = "tool" if is_result or is_beside else sender
        has_open_calls = has_calls or (is_result and sender == "user")
        if role in ("user", "none"):
            n_turns += before != role
            n_rounds = 0
        elif role == "assistant":
            n_rounds += before != "assistant"
        elif role == "tool":
            n_rounds += before not in ("assistant", "tool")
        before = role
    return n_turns, n_rounds


@dataclass(frozen=True, slots=True)
class Manifest:
    """Facts given about the requests of a run."""

    name: str
    in_order: tuple[tuple[Time | None, str | None], ...] | None
    """Point and run of each request, if the manifest is a list."""
    by_place: dict[str, tuple[Time | None, str | None]]
    """Point and run of some requests by their places, such as `run.jsonl:3`."""


def read_manifest(text: str, name: str) -> Manifest:
    """Read a manifest: a list of points in the order of the requests, or an object of positions and points.

    A point is `"2.1"`, or `{"at": "2.1", "episode": "morning"}`; for `null` it is counted.

    Raises:
        TraceError: It is not a manifest.
    """
    try:
        value = strict_json(text)
    except JsonFault as fault:
        raise TraceError(f'{name}: not JSON: {fault}; write a list of points such as `["1", "1.1", "2"]`') from None
    if isinstance(value, list):
        return Manifest(name, tuple(_read_entry(each, f"{name}: entry {n}") for n, each in enumerate(value, 1)), {})
    if isinstance(value, dict):
        return Manifest(name, None, {key: _read_entry(each, f"{name}: `{key}`") for key, each in value.items()})
    raise TraceError(f'{name}: not a manifest; write a list of points such as `["1", "1.1", "2"]`')


def _read_entry(value: Json, where: str) -> tuple[Time | None, str | None]:
    episode: Json = None
    if isinstance(value, dict):
        unknown = sorted(value.keys() - {"at", "episode"})
        if unknown:
            raise TraceError(f"{where}: unknown key `{unknown[0]}`; the keys are `at` and `episode`")
        episode = value.get("episode")
        value = value.get("at")
    if value is not None and (isinstance(value, bool) or not isinstance(value, (str, int))):
        raise TraceError(f'{where}: not a point in time; write it as `"2.1"`')
    if episode is not None and not isinstance(episode, str):
        raise TraceError(f'{where}: `episode` is not a string; write it as `"morning"`')
    try:
        return None if value is None else parse_point(str(value)), episode
    except PointError as reason:
        raise TraceError(f"{where}: {reason}") from None


def apply_manifest(requests: Iterable[Recorded], manifest: Manifest) -> Iterator[Recorded]:
    """Yield the requests with the facts of a manifest, before they are grouped.

    Raises:
        TraceError: The manifest is about other requests.
    """
    n_requests = 0
    unmet = dict(manifest.by_place)
    for each in requests:
        n_requests += 1
        if manifest.in_order is None:
            point = unmet.pop(_format_position(each), None)
        else:
            point = manifest.in_order[n_requests - 1] if n_requests <= len(manifest.in_order) else None
        yield each if point is None else replace(each, at=point[0] or each.at, episode=point[1] or each.episode)
    if unmet:
        raise TraceError(
            f"{manifest.name}: there is no request at `{next(iter(unmet))}`; write a position such as `run.jsonl:3`"
        )
    n_said = n_requests if manifest.in_order is None else len(manifest.in_order)
    if n_said != n_requests:
        counts = f"{format_count(n_said, 'point')} for {format_count(n_requests, 'request')}"
        raise TraceError(f"{manifest.name}: it has {counts}; write one point for each request")


def _format_position(request: Recorded) -> str:
    """Return the position that names a request in a manifest: file and line, or its path in a document."""
    origin = request.origin
    return f"{origin.file}:{origin.line}" if origin.line is not None else str(origin)
