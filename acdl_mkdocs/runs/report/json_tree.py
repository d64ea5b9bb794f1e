"""The result of checking recorded runs, for programs: one JSON object, described by `assets/check-run.schema.json`."""

from hashlib import sha256

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.episodes import Cut
from acdl_mkdocs.runs.match.coverage import Coverage
from acdl_mkdocs.runs.match.evidence import CheckedCall, Counterexample, LineVerdict
from acdl_mkdocs.runs.match.mutants import MutationScore
from acdl_mkdocs.runs.read.recorded import Origin as RecordedOrigin
from acdl_mkdocs.runs.read.recorded import Recorded, Tally
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import format_point, list_rows
from acdl_mkdocs.runs.report.summary import Summary, summarize_check

VERSION = 1
"""Incremented when a key changes its meaning or is removed."""


def write(checked_files: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Return the whole report as JSON."""
    return json_text(build_tree(checked_files, options)) + "\n"


def build_tree(checked_files: CheckedFiles, options: RunReportOptions | None = None) -> dict[str, Json]:
    """Return the report as data."""
    options = options or RunReportOptions()
    checked, summary, source = checked_files.checked, summarize_check(checked_files), checked_files.resolved.source
    return {
        "acdl_check_run": VERSION,
        "verdict": _find_verdict(summary),
        "is_weak": summary.is_weak,
        "sentence": summary.sentence,
        "spec": {
            "name": checked.spec or None,
            "file": source.name,
            "sha256": sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest(),
        },
        "has_state": checked_files.has_state,
        "reading": checked_files.reading,
        "agreeing_reading": checked_files.agreeing_reading,
        "files": list(checked_files.files),
        "runs": list(checked_files.runs),
        "formats": dict(checked_files.formats),
        "models": dict(checked_files.models),
        "summary": _build_numbers(summary),
        "lines": [_build_line(each, checked_files, options) for each in checked.lines],
        "calls": [_build_checked_request(each, checked_files) for each in checked.calls],
        "coverage": _build_coverage(checked.coverage),
        "mutants": None if checked_files.score is None else _build_mutants(checked_files.score),
        "cuts": [_build_cut(each, checked_files) for each in checked.cuts],
        "skipped": _build_skipped(checked_files.tally),
        "incomplete": _build_incomplete(checked_files.tally),
    }


def _find_verdict(summary: Summary) -> str:
    if summary.n_checked == 0:
        return "unchecked"
    return "refuted" if summary.is_refuted else "agrees"


def _build_numbers(summary: Summary) -> dict[str, Json]:
    return {
        "calls": summary.n_requests,
        "checked": summary.n_checked,
        "agreeing": summary.n_agreeing,
        "lines": summary.n_lines,
        "confirmed": summary.n_confirmed,
        "refuted": summary.n_refuted,
        "unexercised": summary.n_unexercised,
        "uncontrollable": summary.n_uncontrollable,
        "ways": summary.n_ways,
        "ways_gone": summary.n_ways_gone,
        "coverage_percent": summary.coverage_percent,
        "score_percent": summary.score_percent,
    }


def _build_line(line: LineVerdict, checked_files: CheckedFiles, options: RunReportOptions) -> dict[str, Json]:
    example = line.counterexample
    return {
        **_build_span(line.origin),
        "kind": line.kind,
        "verdict": line.verdict,
        "reason": line.reason if options.has_excerpts else "",
        "n_confirmed": line.n_confirmed,
        "n_refuted": line.n_refuted,
        "n_free": line.n_free,
        "counterexample": None if example is None else _build_example(example, checked_files, options),
    }


def _build_example(example: Counterexample, checked_files: CheckedFiles, options: RunReportOptions) -> dict[str, Json]:
    recorded = example.recorded
    rows = list_rows(example) if options.has_excerpts else ()
    return {
        **_build_position(recorded.origin),
        "call": example.call,
        "run": checked_files.runs[checked_files.checked.calls[example.call].run],
        "at": format_point(recorded),
        "path": example.path,
        "messages": [{"path": row.path, "role": row.role, "text": row.text, "is_wrong": row.is_wrong} for row in rows],
    }


def _build_checked_request(request: CheckedCall, checked_files: CheckedFiles) -> dict[str, Json]:
    verdict = "unchecked" if request.match is None else "agrees" if request.match.is_agreeing else "disagrees"
    return {
        **_build_position(request.recorded.origin),
        "run": checked_files.runs[request.run],
        "at": format_point(request.recorded),
        "format": request.recorded.format,
        "model": request.recorded.model,
        "verdict": verdict,
        "problem": request.problem,
    }


def _build_coverage(coverage: Coverage) -> dict[str, Json]:
    return {
        "loops": [
            {
                **_build_span(each.origin),
                "none": each.n_none,
                "one": each.n_one,
                "several": each.n_several,
                "free": each.is_free,
            }
            for each in coverage.loops.values()
        ],
        "ways": [
            {**_build_span(each.origin), "taken": each.n_taken, "passed": each.n_passed, "free": each.is_free}
            for each in coverage.ways.values()
        ],
    }


def _build_mutants(score: MutationScore) -> dict[str, Json]:
    return {
        "tried": len(score.results),
        "killed": score.n_killed,
        "left_out": score.n_left_out,
        "requests_left_out": score.n_requests_left_out,
        "survivors": [
            {**_build_span(each.origin), "change": each.change, "description": each.description}
            for each in score.survivors
        ],
    }


def _build_cut(cut: Cut, checked_files: CheckedFiles) -> dict[str, Json]:
    return {
        "run": checked_files.runs[cut.run],
        "earlier": _build_request(cut.earlier),
        "later": _build_request(cut.later),
        "n_kept": cut.n_kept,
        "path": cut.before.path,
    }


def _build_request(recorded: Recorded) -> dict[str, Json]:
    return {**_build_position(recorded.origin), "at": format_point(recorded)}


def _build_skipped(tally: Tally) -> list[Json]:
    return [
        {
            **_build_position(kind.first.origin),
            "reason": kind.first.reason,
            "detail": kind.first.detail,
            "cure": kind.first.cure,
            "is_damaged": kind.first.is_damaged,
            "count": kind.n_found,
        }
        for kind in tally.skipped.values()
    ]


def _build_incomplete(tally: Tally) -> list[Json]:
    return [
        {
            **_build_position(part.first),
            "source": what.source,
            "missing": what.missing,
            "is_rebuilt": what.is_rebuilt,
            "count": part.n_found,
        }
        for what, part in tally.incomplete.items()
    ]


def _build_position(origin: RecordedOrigin) -> dict[str, Json]:
    return {"file": origin.file, "line": origin.line, "inside": origin.inside}


def _build_span(origin: Origin) -> dict[str, Json]:
    start, end = origin.source.find_place(origin.span.start), origin.source.find_place(origin.span.end)
    return {
        "file": origin.source.name,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }
