"""Inspect recorded requests: the prompt of each step, new content, and lost prompt caches. Needs no spec."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from os import PathLike

from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.runs.check_files import Recordings, open_recording
from acdl_mkdocs.runs.inspect.inspect_runs import InspectOptions, inspect_requests
from acdl_mkdocs.runs.inspect.inspection import Inspection
from acdl_mkdocs.runs.inspect.weigh_messages import Limits
from acdl_mkdocs.runs.requests import read_only


def inspect(
    recordings: Callable[[], Recordings],
    *,
    at: str | None = None,
    only: Iterable[str] = (),
    tokens: str | None = None,
    limits: Limits | None = None,
    report: Callable[[int], None] | None = None,
) -> Inspection:
    """Inspect recordings.

    Parameters:
        recordings: Opens them, after the other arguments are checked.
        at: Point of the first request of each run; without it, points are counted from the messages.
        only: Which requests, as `model=gpt-*`; all conditions must hold.
        tokens: How model tokens are counted, one of `acdl_mkdocs.prompts.tokens.counter.ENCODINGS`.
        limits: Limits of the kept contents.
        report: Called with the number of requests so far, each time one has been inspected.

    Raises:
        TraceError: A recording cannot be read, or no request matches.
        UnknownFormatError: There is no such format or encoding.
        MissingExtraError: The packages that the encoding needs are not installed.
        PointError: `at` is not a point in time.
    """
    counting, first = counter(tokens), None if at is None else parse_point(at)
    selections, opened = read_only(only), recordings()
    options = InspectOptions(counting, limits or Limits(), opened.manifest, first, selections, report)
    return inspect_requests(opened.found, opened.files, options)


def inspect_recording(
    recording: str | PathLike[str] | Sequence[object],
    *,
    format: str | None = None,
    only: Mapping[str, str] | None = None,
    at: str | None = None,
    tokens: str | None = None,
) -> Inspection:
    """Inspect a recording: what was new at each step, what was dropped, and where the prompt cache was lost.

    No spec is needed. Keys and passwords are redacted. `acdl_mkdocs.runs.inspect.INSPECTIONS` has the ways to write an
    inspection: for a terminal, as JSON, as an HTML file.

    Parameters:
        recording: Path of a file or a folder; or bodies of requests in their order, as dictionaries or as typed objects
            of client packages, or lists of them, each a run.
        format: Form of the files, or format of the bodies, as `--from` takes it; detected without it.
        only: Filters for the requests, such as `{"model": "gpt-*", "system": "You plan"}`; all of them must match. Keys
            are `model`, `episode` (in both `*` matches anything) and `system`, some of its words.
        at: Point of the first request of each run; without it, points are counted from the messages.
        tokens: How model tokens are counted, one of `acdl_mkdocs.prompts.tokens.counter.ENCODINGS`; by default exactly,
            if the packages for that are installed.

    Raises:
        TraceError: A file cannot be read, or there is no request.
        UnknownFormatError: There is no such form, format or encoding.
        MissingExtraError: The packages that the encoding needs are not installed.
        PointError: `at` is not a point in time.
        TypeError: A request is not plain data.
    """
    selections = (f"{key}={words}" for key, words in (only or {}).items())
    return inspect(partial(open_recording, recording, format), at=at, only=selections, tokens=tokens)
