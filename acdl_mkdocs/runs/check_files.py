"""`check_requests()`: group the requests of recorded files, find their points, and check them against a spec.

Knows nothing about the formats of the result, and about specs only what it passes to `check_runs()`.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import TraceError, UnknownFormatError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.episodes import Trails, group_requests, share_messages
from acdl_mkdocs.runs.match.mutants import MutationScore, score_mutants
from acdl_mkdocs.runs.match.verdicts import Checked, ReportProgress, check_runs, report_progress
from acdl_mkdocs.runs.points import LIKELY, READINGS, Manifest, Reading, apply_manifest, count_points, read_manifest
from acdl_mkdocs.runs.read.exports import join_requests
from acdl_mkdocs.runs.read.files import STANDARD_INPUT, list_files, read_stream, read_trace
from acdl_mkdocs.runs.read.jsonl import read_objects
from acdl_mkdocs.runs.read.readers import READERS
from acdl_mkdocs.runs.read.recorded import Found, Recorded, Tally
from acdl_mkdocs.runs.requests import add_earlier_messages, select_requests


@dataclass(frozen=True, slots=True)
class CheckedFiles:
    """The result of checking recorded files against a spec."""

    checked: Checked
    """The verdicts about lines, and the requests."""
    tally: Tally
    """The number of requests, and what was skipped."""
    resolved: Resolved
    """The text with the spec."""
    files: tuple[str, ...]
    """Display names of the files that were read."""
    runs: tuple[str, ...]
    """Names of the runs, in the order of `CheckedCall.run`."""
    score: MutationScore | None = None
    """The mutation score of the requests; `None` if it was not requested, or if the spec itself is refuted."""
    has_state: bool = False
    """Whether contents were compared with those of a state."""
    n_runs_found: int = 0
    """Runs that no file and no manifest names: their requests were grouped by content."""
    reading: Reading = "results"
    """How turns and steps were counted: the first likely reading by which all requests agree, else the usual one."""
    agreeing_reading: Reading | None = None
    """An unlikely reading by which all requests would agree, if they agree by no likely one."""

    @property
    def formats(self) -> tuple[tuple[str, int], ...]:
        """The formats of the requests, each with its count, in the order of their first occurrence."""
        return tuple(Counter(request.recorded.format for request in self.checked.calls).items())

    @property
    def models(self) -> tuple[tuple[str, int], ...]:
        """The models, each with its count, in the order of their first occurrence."""
        return tuple(
            Counter(request.recorded.model for request in self.checked.calls if request.recorded.model).items()
        )


_Counted: TypeAlias = tuple[Recorded, Mapping[Reading, Time]]
"""A request with its point by every reading."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """Recorded requests, which are read while they are checked or inspected."""

    files: tuple[str, ...]
    """Display names of the files."""
    found: Iterable[Found]
    manifest: Manifest | None = None
    """The points and runs of the requests."""


def open_recordings(
    paths: Sequence[str | Path], format: str | None = None, manifest: str | Path | None = None
) -> Recordings:
    """Open recordings, with the manifest in a file if there is one.

    Parameters:
        paths: Files, folders with files, or `-` for standard input.
        format: Key in `READERS` or `PROVIDERS` of the form of all files or of all bodies; `None` detects it.
        manifest: File with the points and runs of the requests.

    Raises:
        TraceError: The manifest cannot be read, or a folder has no recording; while reading, that a file cannot be.
        UnknownFormatError: There is no such format.
    """
    points = None if manifest is None else load_manifest(Path(manifest))
    return Recordings(*open_files(paths, format), points)


def open_recording(recording: str | PathLike[str] | Sequence[object], format: str | None = None) -> Recordings:
    """Open a recording given in Python.

    Parameters:
        recording: Path of a file or a folder; or bodies of requests in their order, as dictionaries or as typed objects
            of client packages, or lists of them, each a run.
        format: Form of the files, or format of the bodies; detected without it.

    Raises:
        TraceError: A folder has no recording; while reading, that a file cannot be read.
        UnknownFormatError: There is no such format.
        TypeError: While reading, that a request is not plain data.
    """
    if isinstance(recording, (str, PathLike)):
        return open_recordings([str(recording)], format)
    return Recordings(("the requests",), read_objects(recording, format))


def open_files(paths: Sequence[str | Path], format: str | None = None) -> tuple[tuple[str, ...], Iterator[Found]]:
    """Return the files of recordings, with folders expanded, and their content, read one after the other.

    Raises:
        TraceError: A folder has no recording; while reading, that a file cannot be read.
        UnknownFormatError: There is no such format.
    """
    reader, body = _find_format(format)
    files = tuple(chain.from_iterable(map(list_files, map(str, paths))))
    return files, chain.from_iterable(_read_file(each, reader, body) for each in files)


def check_requests(
    resolved: Resolved,
    recordings: Recordings,
    *,
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
    mutants: int = 0,
    first: Time | None = None,
    only: Mapping[str, str] | None = None,
    report: ReportProgress | None = None,
) -> CheckedFiles:
    """Check recordings against a spec.

    Parameters:
        resolved: The text with the spec.
        recordings: The recordings, read while they are checked.
        state: Values known beside the requests; contents are compared if the state has them.
        options: Which spec of the text, and how ranges are read.
        config: How to read ranges if neither options, state nor text specify it.
        mutants: Most small changes of the spec to try; the requests should refute them.
        first: Point of the first request of each run; without it, points are counted from the messages.
        only: Which requests to check, by the keys of `requests.KEYS`; all by default.
        report: Called for each request that has been read, and for each that has been checked.

    Raises:
        TraceError: The manifest is about other requests, or there is no request.
        UnknownSpecError: The text has no spec of that name, or none at all.
    """
    return check_run_requests(
        resolved,
        read_runs(recordings, first=first, only=only, report=report),
        state=state,
        options=options,
        config=config,
        mutants=mutants,
        report=report,
    )


@dataclass(frozen=True, slots=True)
class RunRequests:
    """Requests that were read, each with its run, and with its point by every reading."""

    requests: tuple[_Counted, ...]
    tally: Tally
    """How many requests there are, and what was skipped."""
    files: tuple[str, ...]
    """The files that were read, as a person calls them."""
    named: frozenset[str]
    """Names of runs that a file or a manifest gives; others were grouped by content."""

    def list_runs(self, reading: Reading = LIKELY[0]) -> dict[str, list[Recorded]]:
        """Return the requests of each run with their points by a reading."""
        runs: dict[str, list[Recorded]] = {}
        for each, points in self.requests:
            runs.setdefault(each.episode or "", []).append(
                each if each.at is not None else replace(each, at=points[reading])
            )
        return runs

    def list_other_readings(self) -> Iterator[Reading]:
        """Yield the readings, the likely ones first, whose points differ from those of earlier ones."""
        seen = [[points[LIKELY[0]] for _, points in self.requests]]
        for reading in READINGS:
            counted_so = [points[reading] for _, points in self.requests]
            if counted_so not in seen:
                seen.append(counted_so)
                yield reading


@system.relax_collector()
def read_runs(
    recordings: Recordings,
    *,
    first: Time | None = None,
    only: Mapping[str, str] | None = None,
    report: ReportProgress | None = None,
) -> RunRequests:
    """Read recordings that are open already: group their requests by run, and count their points.

    Raises:
        TraceError: A file cannot be read, the manifest is about other requests, or there is no request.
    """
    tally = Tally()
    requests: Iterable[Recorded] = tally.count_requests(add_earlier_messages(join_requests(recordings.found)))
    if recordings.manifest is not None:
        requests = apply_manifest(requests, recordings.manifest)
    if only:
        requests = select_requests(requests, only)
    named: set[str] = set()
    trails = Trails()
    numbered = count_points(group_requests(_note_run_names(requests, named), trails), first, trails)
    ordered = tuple(report_progress(_share_messages(numbered), report))
    if not ordered:
        raise TraceError(describe_no_request(recordings.files, tally))
    return RunRequests(ordered, tally, recordings.files, frozenset(named))


@system.relax_collector()
def check_run_requests(
    resolved: Resolved,
    runs_read: RunRequests,
    *,
    state: State | None = None,
    options: Options | None = None,
    config: Config | None = None,
    mutants: int = 0,
    report: ReportProgress | None = None,
) -> CheckedFiles:
    """Check requests that were read, by the first likely reading of their points by which all agree.

    Raises:
        UnknownSpecError: The text has no spec of that name, or none at all.
    """
    n_requests = len(runs_read.requests)
    runs = runs_read.list_runs()

    def check(
        runs: Mapping[str, Sequence[Recorded]], state: State | None = state, *, is_brief: bool = False
    ) -> Checked:
        return check_runs(
            resolved, list(runs.values()), state, options, config, report, is_brief=is_brief, has_steps=False
        )

    checked, reading, agreeing = check(runs), LIKELY[0], None
    if checked.is_refuted:
        others = ((each, check(runs_read.list_runs(each), is_brief=True)) for each in runs_read.list_other_readings())
        agreeing = next((each for each, result in others if result.n_agreeing == n_requests), None)
        if agreeing in LIKELY:
            runs, reading, agreeing = runs_read.list_runs(agreeing), agreeing, None
            checked = check(runs)
        elif agreeing is not None and not _is_explained(checked, agreeing, runs_read, check):
            agreeing = None
    is_tried = mutants > 0 and not checked.is_refuted  # what refutes the spec refutes its mutants, too
    tried = score_mutants(resolved, list(runs.values()), state, options, config, mutants) if is_tried else None
    return CheckedFiles(
        checked,
        runs_read.tally,
        resolved,
        runs_read.files,
        tuple(runs),
        tried,
        state is not None,
        len(runs.keys() - runs_read.named),
        reading,
        agreeing,
    )


def _is_explained(checked: Checked, agreeing: Reading, runs_read: RunRequests, check: Callable[..., Checked]) -> bool:
    """Return whether an unlikely reading may be right, because it explains which messages exist.

    It does not explain contents: at other points, a state just knows fewer of them. So where the requests agree as long
    as no contents are compared, the contents are wrong. A reading that confirms less than the usual one explains
    nothing.
    """
    bare = check(runs_read.list_runs(), None, is_brief=True)
    if bare.n_agreeing == len(runs_read.requests):
        return False
    other = check(runs_read.list_runs(agreeing))
    return not other.is_refuted and len(other.list_lines("confirmed")) >= len(checked.list_lines("confirmed"))


def _share_messages(requests: Iterable[_Counted]) -> Iterator[_Counted]:
    """Yield the requests; messages equal to those of the request before become the same objects."""
    points: list[Mapping[Reading, Time]] = []

    def keeping() -> Iterator[Recorded]:
        for each, request_points in requests:
            points.append(request_points)
            yield each

    for each in share_messages(keeping()):
        yield each, points.pop()


def _note_run_names(requests: Iterable[Recorded], named: set[str]) -> Iterator[Recorded]:
    """Yield the requests, and collect the recorded names of runs in the set."""
    for each in requests:
        if each.episode is not None:
            named.add(each.episode)
        yield each


def _find_format(name: str | None) -> tuple[str | None, str | None]:
    """Return the reader and the format of bodies for a name.

    Raises:
        UnknownFormatError: There is neither.
    """
    if name is None or name in READERS:
        return name, None
    if name in PROVIDERS:
        return None, name
    names = [*PROVIDERS, *READERS]
    near = find_closest(name, names)
    cure = f"did you mean `{near}`?" if near else f"choose one of {', '.join(f'`{each}`' for each in names)}"
    raise UnknownFormatError(f"recorded requests have no format `{name}`: {cure}")


def load_manifest(path: Path) -> Manifest:
    """Read the manifest in a file.

    Raises:
        TraceError: It cannot be read, or is not a manifest.
    """
    try:
        return read_manifest(path.read_text("utf-8"), str(path))
    except FileNotFoundError:
        raise TraceError(f"{path}: there is no such file") from None
    except OSError as reason:
        raise TraceError(f"{path}: {(reason.strerror or 'it cannot be read').lower()}") from None
    except UnicodeDecodeError as fault:
        raise TraceError(f"{path}: byte {fault.start + 1} is not UTF-8; save the file in UTF-8") from None


def _read_file(path: str, reader: str | None, body: str | None) -> Iterator[Found]:
    if path != STANDARD_INPUT:
        return read_trace(path, reader, body)
    if sys.stdin is None:
        raise TraceError("standard input is closed; name a file")
    return read_stream(sys.stdin.buffer, "<stdin>", reader, body)  # type: ignore[arg-type]  # it has `peek()`


def describe_no_request(files: Sequence[str], tally: Tally) -> str:
    """Explain that there is no request, and what there is instead."""
    where = ", ".join(files[:3]) + (" and more" if len(files) > 3 else "")
    sentences = tally.describe_skipped()
    if sentences and len(files) == 1:  # the name of the file is shown once
        sentences = (
            sentences[0].removeprefix(f"{files[0]}: ").removeprefix("cannot be read: ").removeprefix("skipped: "),
        )
    what = f": {sentences[0]}" if sentences else "; record a run with `acdl record --out run.jsonl -- COMMAND`"
    return f"{where or 'no file'}: there is no request in it{what}"
