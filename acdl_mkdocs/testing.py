"""`assert_matches_spec()`: a test of an agent that fails if its requests do not match its spec.

For pytest, unittest and any other tool that uses `AssertionError`. Imports no client package and calls no model:
requests are plain data, typed objects that can become plain data, or a recording.
"""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import get_args

from acdl_mkdocs.app.check_runs import NOT_CHECKED, RunOptions, check_runs
from acdl_mkdocs.app.python import state_file_of
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.state.read import StateFile
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.reports import REPORTS
from acdl_mkdocs.frontends.cli.check_run import DEFAULT_MUTANTS
from acdl_mkdocs.frontends.cli.spec_and_state import choose_input, inputs_of, parse_spec_name
from acdl_mkdocs.runs.check_files import CheckedFiles, Recordings, open_recordings
from acdl_mkdocs.runs.points import Manifest
from acdl_mkdocs.runs.read.jsonl import read_objects
from acdl_mkdocs.runs.report.summary import summarize_check
from acdl_mkdocs.runs.report.terminal import write_refuted

__all__ = ["assert_matches_spec"]


def assert_matches_spec(
    requests: Sequence[object] | str | PathLike[str],
    path: str | PathLike[str],
    *,
    spec: str | None = None,
    state: str | PathLike[str] | Mapping[str, object] | State | None = None,
    at: str | Sequence[str] | None = None,
    range: RangeMode | None = None,  # the word that users know it by
    format: str | None = None,
    only: Mapping[str, str] | None = None,
    min_coverage: int = 0,
    mutants: int | None = None,
    min_score: int = 0,
) -> CheckedFiles:
    """Fail unless the requests of an agent match its spec.

    Parameters:
        requests: Bodies of requests to any provider in their order, as dictionaries or as typed objects of client
            packages; lists of them, each a run; or the path of a recording or of a folder with recordings.
        path: File of the spec, or a page with it; `page.md#Name` is one spec.
        spec: Name of the spec; by default the one that the state names, else the first of the file.
        state: Data in addition to the requests: a path, or the same as plain data.
        at: Point of the first request of each run, or a point for each request; by default they are counted.
        range: How `range(a, b)` is read; by default as in the state or the text.
        format: Format of the bodies, such as `openai` or `anthropic`; by default detected for each.
        only: Filters for the requests, such as `{"model": "gpt-*", "system": "You plan"}`; all of them must match. Keys
            are `model`, `episode` (in both `*` matches anything) and `system`, some of its words.
        min_coverage: The minimum percentage of lines of the spec that the requests have to reach.
        mutants: The maximum number of deliberate errors to try in the spec, which the requests should refute. By
            default 50 if `min_score` is given, else 0.
        min_score: The minimum percentage of those that they have to refute.

    Returns:
        The results for each line; of a file whose prompts share the requests, those of the first prompt.

    Raises:
        AssertionError: A request does not match the spec, or a minimum is not reached.
        AcdlError: The spec or the state cannot be read or has errors, or there is no request.
        TypeError: A request is not plain data.
        ValueError: A minimum can never be reached.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    mutants = (DEFAULT_MUTANTS if min_score else 0) if mutants is None else mutants
    _check_minimums(min_coverage, mutants, min_score, range)
    file, name = parse_spec_name(Namespace(path=str(path), spec=spec))
    state_file = _load_state_file(state)
    known = state_file.state if state_file is not None else None
    name = name or (known.spec if known is not None else None)
    text = understand_input(choose_input(inputs_of(file), name, file))
    first, points = (at, None) if isinstance(at, str) else (None, at)
    if isinstance(requests, (str, PathLike)):
        if points is not None:
            raise TypeError("`at` is one point for a recording; a point for each request belongs into a manifest")
        recordings = partial(open_recordings, [str(requests)], format)
    else:
        manifest = None if points is None else Manifest("at", tuple((parse_point(each), None) for each in points), {})
        recordings = partial(Recordings, (), read_objects(requests, format), manifest)
    selections = [f"{key}={words}" for key, words in (only or {}).items()]
    checked = check_runs(text, state_file, recordings, RunOptions(name, range, first, selections, mutants))
    if not checked.found:
        reports = [REPORTS["terminal"]([diagnostic], source, None) for diagnostic, source in checked.errors]
        raise TraceError(f"{NOT_CHECKED}\n\n" + "\n".join(reports))
    wrong = [_find_failure(each, min_coverage, min_score) for each in checked.found]
    if any(wrong):
        raise AssertionError("\n".join(filter(None, wrong)))
    return checked.found[0]


def _check_minimums(min_coverage: int, mutants: int, min_score: int, range: str | None) -> None:
    """Refuse minimums that no requests could reach.

    Raises:
        ValueError: It is so.
    """
    for name, percent in (("min_coverage", min_coverage), ("min_score", min_score)):
        if not 0 <= percent <= 100:
            raise ValueError(f"`{name}` is a number from 0 to 100, and {percent} is given")
    if min_score and not mutants:
        raise ValueError("`min_score` needs mutants; leave `mutants=0` out")
    if range not in (None, *get_args(RangeMode)):
        raise ValueError(f"`range` is {' or '.join(map(repr, get_args(RangeMode)))}, and {range!r} is given")


def _find_failure(found: CheckedFiles, min_coverage: int, min_score: int) -> str:
    """Describe why a test fails; empty if it passes."""
    summary = summarize_check(found)
    if summary.is_refuted or summary.n_checked < summary.n_requests:
        return f"the requests are not what the spec says\n\n{write_refuted(found)}"
    if summary.coverage_percent < min_coverage:
        return (
            f"the requests come to {summary.coverage_percent} % of the lines, not {min_coverage} %: {summary.sentence}"
        )
    if min_score and (summary.score_percent or 0) < min_score:
        return (
            f"the requests refute {summary.score_percent or 0} % of the mutants, not {min_score} %: {summary.sentence}"
        )
    return ""


def _load_state_file(given: str | PathLike[str] | Mapping[str, object] | State | None) -> StateFile | None:
    """The state that is given.

    Raises:
        TraceError: There is no such file.
    """
    if given is None:
        return None
    try:
        return state_file_of(Path(given) if isinstance(given, str) else given)
    except FileNotFoundError as reason:
        raise TraceError(f"{reason.filename}: there is no such file") from None
