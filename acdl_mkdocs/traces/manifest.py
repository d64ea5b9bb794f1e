"""A manifest: what somebody says about the points and runs of recorded requests, where counting cannot know it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import PointError, TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json
from acdl_mkdocs.traces.recorded import Recorded


@dataclass(frozen=True, slots=True)
class Manifest:
    """What somebody says about the requests of a run."""

    name: str
    in_order: tuple[tuple[Time | None, str | None], ...] | None
    """Point and run of each request, if the manifest is a list."""
    by_place: dict[str, tuple[Time | None, str | None]]
    """Point and run of some requests by their places, such as `run.jsonl:3`."""


def read_manifest(text: str, name: str) -> Manifest:
    """A manifest: a list of points in the order of the requests, or an object of places and points.

    A point is `"2.1"`, or `{"at": "2.1", "episode": "morning"}`; `null` leaves it to be counted.

    Raises:
        TraceError: It is none.
    """
    try:
        value = strict_json(text)
    except JsonFault as fault:
        raise TraceError(f'{name}: is no JSON: {fault}; write a list of points such as `["1", "1.1", "2"]`') from None
    if isinstance(value, list):
        return Manifest(name, tuple(_entry(each, f"{name}: entry {n}") for n, each in enumerate(value, 1)), {})
    if isinstance(value, dict):
        return Manifest(name, None, {key: _entry(each, f"{name}: `{key}`") for key, each in value.items()})
    raise TraceError(f'{name}: is no manifest; write a list of points such as `["1", "1.1", "2"]`')


def _entry(value: Json, where: str) -> tuple[Time | None, str | None]:
    episode: Json = None
    if isinstance(value, dict):
        unknown = sorted(value.keys() - {"at", "episode"})
        if unknown:
            raise TraceError(f"{where}: there is no key `{unknown[0]}`; there are `at` and `episode`")
        episode = value.get("episode")
        value = value.get("at")
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
        raise TraceError(f'{where}: is no point; write it as `"2.1"`')
    if episode is not None and not isinstance(episode, str):
        raise TraceError(f'{where}: `episode` is no text; write it as `"morning"`')
    try:
        return None if value is None else parse_point(str(value)), episode
    except PointError as reason:
        raise TraceError(f"{where}: {reason}") from None


def with_manifest(requests: Iterable[Recorded], manifest: Manifest) -> Iterator[Recorded]:
    """The requests with what a manifest says about them; before they are grouped.

    Raises:
        TraceError: The manifest is about other requests.
    """
    n_requests = 0
    unmet = dict(manifest.by_place)
    for each in requests:
        n_requests += 1
        if manifest.in_order is None:
            said = unmet.pop(_place(each), None)
        else:
            said = manifest.in_order[n_requests - 1] if n_requests <= len(manifest.in_order) else None
        yield each if said is None else replace(each, at=said[0] or each.at, episode=said[1] or each.episode)
    if unmet:
        raise TraceError(
            f"{manifest.name}: there is no request at `{next(iter(unmet))}`; places are like `run.jsonl:3`"
        )
    n_said = n_requests if manifest.in_order is None else len(manifest.in_order)
    if n_said != n_requests:
        sentence = f"has {n_said} points, and the run has {n_requests} requests; write one for each"
        raise TraceError(f"{manifest.name}: {sentence}")


def _place(request: Recorded) -> str:
    """The place by which a manifest names a request: file and line, or what of a document it is."""
    origin = request.origin
    return f"{origin.file}:{origin.line}" if origin.line is not None else str(origin)
