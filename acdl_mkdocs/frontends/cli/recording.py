"""Run a program while a recorder answers it, for `acdl record`."""

import argparse
import os
import sys
from pathlib import Path

from acdl_mkdocs.foundation.errors import RecorderError
from acdl_mkdocs.foundation.safe_text import visible
from acdl_mkdocs.foundation.wording import counted
from acdl_mkdocs.frontends.cli.messages import complain
from acdl_mkdocs.prompts.redact import redacted_text
from acdl_mkdocs.runs.record.records import Mode
from acdl_mkdocs.runs.record.session import CURES, NOTHING_CAME, Plan, Session, run

_COULD_NOT_RUN = 2
_MOST_TOLD = 20


def record(args: argparse.Namespace) -> int:
    """Run the program; return its exit status, or 1 if the recording is unusable, or 2 if it could not start."""
    command = args.program[1:] if args.program[:1] == ["--"] else args.program
    try:
        session = Session(_plan(args, command), os.environ)
    except RecorderError as problem:
        return _refused(problem)
    try:
        session.start()
        status = run(command, {**os.environ, **session.variables})
    except RecorderError as problem:
        return _refused(problem)
    finally:
        session.stop()
    return _told(args, session, status)


def _plan(args: argparse.Namespace, command: list[str]) -> Plan:
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
    return Plan(
        None if args.out is None else Path(args.out),
        mode,
        _pairs(args.upstream, "--upstream", "openai=https://api.example.com/v1"),
        _pairs(args.variable, "--variable", "MY_MODEL_URL=openai"),
        None if args.replay is None else Path(args.replay),
        None if args.script is None else Path(args.script),
        args.episode,
        args.no_episode,
        args.all,
        tuple(command),
    )


def _pairs(given: list[str], option: str, example: str) -> dict[str, str]:
    found = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not (name and sign and value):
            raise RecorderError(f"{option}: `{each}` means nothing; write it as `{option} {example}`")
        found[name] = value
    return found


def _refused(problem: RecorderError) -> int:
    for line in str(problem).split("\n"):
        complain(redacted_text(line))  # words of the command line, which may have a key
    return _COULD_NOT_RUN


def _told(args: argparse.Namespace, session: Session, status: int) -> int:
    """Print what was recorded and what is wrong with it; return the exit status."""
    lines = session.lines
    faults = session.faults()
    for each in faults[:_MOST_TOLD]:
        complain(each)
    if len(faults) > _MOST_TOLD:
        complain(f"{len(faults) - _MOST_TOLD} more like these")
    for each in session.remarks():
        _say(each)
    if lines.n_requests == 0:
        complain(NOTHING_CAME)
        for cure in CURES:
            _say(cure)
        if session.is_file_as_before:
            _say(f"{args.out} is as it was before")
    elif args.out is not None and not lines.fault:
        formats = ", ".join(f"{n} {name}" for name, n in sorted(lines.by_format.items()))
        others = f", and {counted(lines.n_others, 'other call')}" if lines.n_others else ""
        _say(f"recorded {counted(lines.n_requests, 'request')} ({formats}){others} in {args.out}")
    return status or int(bool(faults) or lines.n_requests == 0)


def _say(sentence: str) -> None:
    print(f"acdl: {visible(sentence)}", file=sys.stderr)
