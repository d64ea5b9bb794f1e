"""The result of checking recorded runs, for programs: one JSON object, described by `assets/check-run.schema.json`."""

from hashlib import sha256

from acdl_mkdocs.evaluation.transcript import Origin
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import CheckedFiles
from acdl_mkdocs.runs.episodes import Cut
from acdl_mkdocs.runs.match.coverage import Coverage
from acdl_mkdocs.runs.match.evidence import CheckedCall, Counterexample, LineVerdict
from acdl_mkdocs.runs.match.mutants import Score
from acdl_mkdocs.runs.read.recorded import Origin as RecordedOrigin
from acdl_mkdocs.runs.read.recorded import Recorded, Tally
from acdl_mkdocs.runs.report.options import RunReportOptions
from acdl_mkdocs.runs.report.recording import point_of, rows_of
from acdl_mkdocs.runs.report.summary import Summary, summary_of

VERSION = 1
"""Raised when a key changes its meaning or disappears."""


def write(found: CheckedFiles, options: RunReportOptions | None = None) -> str:
    """Return the whole report as JSON."""
    return json_text(tree_of(found, options)) + "\n"


def tree_of(found: CheckedFiles, options: RunReportOptions | None = None) -> dict[str, Json]:
    """Return the report as data."""
    options = options or RunReportOptions()
    checked, summary, source = found.checked, summary_of(found), found.resolved.source
    return {
        "acdl_check_run": VERSION,
        "verdict": _verdict(summary),
        "is_weak": summary.is_weak,
        "sentence": summary.sentence,
        "spec": {
            "name": checked.spec or None,
            "file": source.name,
            "sha256": sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest(),
        },
        "has_state": found.has_state,
        "reading": found.reading,
        "agreeing_reading": found.agreeing_reading,
        "files": list(found.files),
        "runs": list(found.runs),
        "formats": dict(found.formats),
        "models": dict(found.models),
        "summary": _numbers(summary),
        "lines": [_line(each, found, options) for each in checked.lines],
        "calls": [_call(each, found) for each in checked.calls],
        "coverage": _coverage(checked.coverage),
        "mutants": None if found.score is None else _mutants(found.score),
        "cuts": [_cut(each, found) for each in checked.cuts],
        "skipped": _skipped(found.tally),
        "incomplete": _incomplete(found.tally),
    }


def _verdict(summary: Summary) -> str:
    if summary.n_checked == 0:
        return "unchecked"
    return "refuted" if summary.is_refuted else "agrees"


def _numbers(summary: Summary) -> dict[str, Json]:
    return {
        "calls": summary.n_calls,
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


def _line(line: LineVerdict, found: CheckedFiles, options: RunReportOptions) -> dict[str, Json]:
    example = line.counterexample
    return {
        **_span(line.origin),
        "kind": line.kind,
        "verdict": line.verdict,
        "reason": line.reason if options.has_excerpts else "",
        "n_confirmed": line.n_confirmed,
        "n_refuted": line.n_refuted,
        "n_free": line.n_free,
        "counterexample": None if example is None else _example(example, found, options),
    }


def _example(example: Counterexample, found: CheckedFiles, options: RunReportOptions) -> dict[str, Json]:
    recorded = example.recorded
    rows = rows_of(example) if options.has_excerpts else ()
    return {
        **_place(recorded.origin),
        "call": example.call,
        "run": found.runs[found.checked.calls[example.call].run],
        "at": point_of(recorded),
        "path": example.path,
        "messages": [{"path": row.path, "role": row.role, "text": row.text, "is_wrong": row.is_wrong} for row in rows],
    }


def _call(call: CheckedCall, found: CheckedFiles) -> dict[str, Json]:
    verdict = "unchecked" if call.match is None else "agrees" if call.match.is_agreeing else "disagrees"
    return {
        **_place(call.recorded.origin),
        "run": found.runs[call.run],
        "at": point_of(call.recorded),
        "format": call.recorded.format,
        "model": call.recorded.model,
        "verdict": verdict,
        "problem": call.problem,
    }


def _coverage(coverage: Coverage) -> dict[str, Json]:
    return {
        "loops": [
            {
                **_span(each.origin),
                "none": each.n_none,
                "one": each.n_one,
                "several": each.n_several,
                "free": each.is_free,
            }
            for each in coverage.loops.values()
        ],
        "ways": [
            {**_span(each.origin), "taken": each.n_taken, "passed": each.n_passed, "free": each.is_free}
            for each in coverage.ways.values()
        ],
    }


def _mutants(score: Score) -> dict[str, Json]:
    return {
        "tried": len(score.tried),
        "killed": score.n_killed,
        "left_out": score.n_left_out,
        "requests_left_out": score.n_requests_left_out,
        "survivors": [
            {**_span(each.origin), "change": each.change, "description": each.description} for each in score.survivors
        ],
    }


def _cut(cut: Cut, found: CheckedFiles) -> dict[str, Json]:
    return {
        "run": found.runs[cut.run],
        "earlier": _request(cut.earlier),
        "later": _request(cut.later),
        "n_kept": cut.n_kept,
        "path": cut.before.path,
    }


def _request(recorded: Recorded) -> dict[str, Json]:
    return {**_place(recorded.origin), "at": point_of(recorded)}


def _skipped(tally: Tally) -> list[Json]:
    return [
        {
            **_place(kind.first.origin),
            "reason": kind.first.reason,
            "detail": kind.first.detail,
            "cure": kind.first.cure,
            "is_damaged": kind.first.is_damaged,
            "count": kind.n_found,
        }
        for kind in tally.skipped.values()
    ]


def _incomplete(tally: Tally) -> list[Json]:
    return [
        {
            **_place(part.first),
            "source": what.source,
            "missing": what.missing,
            "is_rebuilt": what.is_rebuilt,
            "count": part.n_found,
        }
        for what, part in tally.incomplete.items()
    ]


def _place(origin: RecordedOrigin) -> dict[str, Json]:
    return {"file": origin.file, "line": origin.line, "inside": origin.inside}


def _span(origin: Origin) -> dict[str, Json]:
    start, end = origin.source.place(origin.span.start), origin.source.place(origin.span.end)
    return {
        "file": origin.source.name,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }
