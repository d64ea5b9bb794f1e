"""Check recordings for `acdl check-run`, show the result, and compute the exit status."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from acdl_mkdocs.app.check_runs import NOT_CHECKED, CheckedRuns, RunOptions, check_runs
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.frontends.cli.drawing import write_figure
from acdl_mkdocs.frontends.cli.findings import print_on_terminal
from acdl_mkdocs.frontends.cli.messages import SlowProgress, StoppedError, clear_bar, print_error, should_color
from acdl_mkdocs.frontends.cli.spec_and_state import choose_input, inputs_of, parse_spec_name, state_file_of
from acdl_mkdocs.runs.check_files import CheckedFiles, open_recordings
from acdl_mkdocs.runs.report import RunReportOptions, write_reports
from acdl_mkdocs.runs.report.summary import Summary, summarize_check, summarize_prompts
from acdl_mkdocs.runs.report.terminal import SIGNS


def explain_wrong_combination(args: argparse.Namespace) -> str:
    """Explain which options do not work together; empty if all do."""
    if [args.path, args.state, args.manifest, *args.traces].count("-") > 1:
        return "standard input can be only one of the spec, the state and the requests"
    if args.manifest == "-":
        return "the manifest cannot come from standard input; name a file"
    if args.min_score is not None and args.mutants == 0:
        return "--min-score needs mutants; leave --mutants 0 away"
    if args.emit_state == "-" and args.output in (None, "-"):
        return "the state and the report cannot both go to standard output; name a file for one with -o or --emit-state"
    if args.force and args.emit_state is None:
        return "--force is about the file of --emit-state, and there is none"
    if args.emit_state not in (None, "-") and not args.force and os.path.lexists(args.emit_state):
        return f"nothing was checked: {args.emit_state} exists already; --force writes over it"
    return ""


def check_recordings(args: argparse.Namespace) -> CheckedRuns:
    """Check the recorded requests against the spec; its errors, or those of the state, are reported instead.

    Raises:
        AcdlError: A named file does not exist, or the recordings have no requests.
    """
    path, name = parse_spec_name(args)
    inputs = inputs_of(path)
    file = None if args.state is None else state_file_of(args.state, path, (), name)
    state = file.state if file is not None else None
    name = name or (state.spec if state is not None else None)
    text = understand_input(choose_input(inputs, name, path))
    recordings = partial(open_recordings, args.traces, args.source, args.manifest)
    options = RunOptions(name, args.range, args.at, args.only, args.mutants, SlowProgress().show_count)
    try:
        checked = check_runs(text, file, recordings, options)
    finally:
        clear_bar()
    if checked.errors:
        print_on_terminal(checked.errors, args)
        print_error(NOT_CHECKED)
    return checked


def write_run_report(checked_prompts: Sequence[CheckedFiles], args: argparse.Namespace) -> bool:
    """Write the report; return True on success. If it goes to a file or is data, a summary is printed."""
    is_file = args.output not in (None, "-")
    options = RunReportOptions(
        color=not is_file and should_color(args.color, sys.stdout),
        is_ascii=not is_file and not _has_signs(),
        has_excerpts=not args.no_excerpts,
    )
    has_color = options.color and args.format == "terminal"
    if not write_figure(
        write_reports(args.format, checked_prompts, options),
        Path(args.output) if is_file else None,
        has_color=has_color,
    ):
        return False
    if is_file:
        print_error(f"{args.output}: {summarize_prompts(checked_prompts)}")
    return True


def _has_signs() -> bool:
    """Return whether standard output can print the signs of verdicts."""
    with suppress(UnicodeError, LookupError):
        "".join(sign for sign, _ in SIGNS.values()).encode(sys.stdout.encoding or "ascii")
        return True
    return False


def emit_run_state(checked: CheckedRuns, args: argparse.Namespace) -> None:
    """Write the state inferred from the run, if requested.

    Raises:
        StoppedError: There is such a file already, it cannot be written, or several prompts were checked.
        TraceError: No request agrees with the spec.
    """
    if args.emit_state is None:
        return
    if len(checked.found) > 1:
        names = ", ".join(f"`{each.checked.spec}`" for each in checked.found)
        raise StoppedError(f"no state was made: a state is of one prompt; choose it with --spec: {names}")
    from acdl_mkdocs.frontends.cli.emitting import emit_state

    emit_state(
        args.emit_state,
        checked.found[0],
        is_forced=args.force,
        state=checked.state,
        options=checked.options,
        config=checked.config,
    )


def status_of(checked_prompts: Sequence[CheckedFiles], args: argparse.Namespace) -> int:
    """Return the exit status; reasons to fail other than a refuted line are printed."""
    summaries = [summarize_check(each) for each in checked_prompts]
    if not any(each.n_checked for each in summaries):
        return 2
    if any(each.is_refuted for each in summaries):
        return 1
    failures = [
        f"{checked_files.checked.spec}: {sentence}" if len(summaries) > 1 else sentence
        for checked_files, summary in zip(checked_prompts, summaries, strict=True)
        for sentence in _list_failures(checked_files, summary, args)
    ]
    for sentence in failures:
        print_error(f"not enough: {sentence}")
    return 1 if failures else 0


def _list_failures(checked_files: CheckedFiles, summary: Summary, args: argparse.Namespace) -> list[str]:
    """Return what a prompt lacks of what was asked for."""
    failing = {*args.fail_on, *(("uncontrollable", "unexercised", "unread") if args.strict else ())}
    n_unread = summary.n_damaged + summary.n_requests - summary.n_checked
    reasons = [
        (summary.n_uncontrollable, "uncontrollable", "lines that nothing decides"),
        (summary.n_unexercised, "unexercised", "lines that no request comes to"),
        (n_unread, "unread", "requests that could not be read or checked"),
        (len(checked_files.checked.cuts), "cut", "requests that do not begin with what was sent before"),
    ]
    failures = [f"{number} {words}" for number, name, words in reasons if number and name in failing]
    if args.min_coverage is not None and summary.coverage_percent < args.min_coverage:
        failures.append(
            f"requests come to {summary.coverage_percent} % of the lines, and {args.min_coverage} % are asked for"
        )
    if args.min_score is not None and (summary.score_percent or 0) < args.min_score:
        failures.append(
            f"requests refute {summary.score_percent or 0} % of the mutants, and {args.min_score} % are asked for"
        )
    return failures
