"""Run a program while a recorder answers it, for `acdl record`."""

import argparse
import os
import sys
from pathlib import Path

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.prompts.redact import redact_text
from acdl_mkdocs.runs.record.records import Mode
from acdl_mkdocs.runs.record.session import CURES, NOTHING_CAME, RecordingPlan, RecordingSession, run_program

_COULD_NOT_RUN = 2
_MOST_TOLD = 20


def record_run(args: argparse.Namespace) -> int:
    """Run the program; return its exit status, or 1 if the recording is unusable, or 2 if it could not start."""
    command = args.program[1:] if args.program[:1] == ["--"] else args.program
    try:
        session = RecordingSession(_build_plan(args, command), os.environ)
    except RecorderError as problem:
        return _report_refusal(problem)
    try:
        session.start_recording()
        status = run_program(command, {**os.environ, **session.variables})
    except RecorderError as problem:
        return _report_refusal(problem)
    finally:
        session.stop_recording()
    return _report_session(args, session, status)


def _build_plan(args: argparse.Namespace, command: list[str]) -> RecordingPlan:
    """Build the plan from the arguments.

    Raises:
        RecorderError: The arguments make no sense.
    """
    if not command:
        raise RecorderError(
            "there is no program to run; write it behind `--`: `acdl record -o run.jsonl -- python agent.py`"
        )
    if args.out is None and args.replay is None and args.script is None:
        raise RecorderError("there is no recording to write; add `-o run.jsonl`")
    if args.out == "-":
        raise RecorderError("standard output belongs to the program; name a file: `-o run.jsonl`")
    mode: Mode = "replace" if args.force else "append" if args.append else "new"
    return RecordingPlan(
        None if args.out is None else Path(args.out),
        mode,
        _parse_pairs(args.upstream, "--upstream", "openai=https://api.example.com/v1"),
        _parse_pairs(args.variable, "--variable", "MY_MODEL_URL=openai"),
        None if args.replay is None else Path(args.replay),
        None if args.script is None else Path(args.script),
        args.episode,
        args.no_episode,
        args.all,
        tuple(command),
    )


def _parse_pairs(pairs: list[str], option: str, example: str) -> dict[str, str]:
    values = {}
    for each in pairs:
        name, sign, value = each.partition("=")
        if not (name and sign and value):
            raise RecorderError(f"{option}: `{each}` means nothing; write it as `{option} {example}`")
        values[name] = value
    return values


def _report_refusal(problem: RecorderError) -> int:
    for line in str(problem).split("\n"):
        print_error(redact_text(line))  # the command line may contain a key
    return _COULD_NOT_RUN


def _report_session(args: argparse.Namespace, session: RecordingSession, status: int) -> int:
    """Print what was recorded and what is wrong with it; return the exit status."""
    lines = session.lines
    faults = session.list_faults()
    for each in faults[:_MOST_TOLD]:
        print_error(each)
    if len(faults) > _MOST_TOLD:
        print_error(f"{len(faults) - _MOST_TOLD} more like these")
    for each in session.list_notes():
        _print_note(each)
    if lines.n_requests == 0:
        print_error(NOTHING_CAME)
        for cure in CURES:
            _print_note(cure)
        if session.is_file_as_before:
            _print_note(f"{args.out} is as it was before")
    elif args.out is not None and not lines.fault:
        formats = ", ".join(f"{n} {name}" for name, n in sorted(lines.by_format.items()))
        others = f", and {format_count(lines.n_others, 'other call')}" if lines.n_others else ""
        _print_note(f"recorded {format_count(lines.n_requests, 'request')} ({formats}){others} in {args.out}")
    return status or int(bool(faults) or lines.n_requests == 0)


def _print_note(sentence: str) -> None:
    print(f"acdl: {make_visible(sentence)}", file=sys.stderr)
