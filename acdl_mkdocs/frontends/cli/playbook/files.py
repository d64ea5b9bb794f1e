"""Shared parts of the actions of `acdl playbook`: the file that they work on, the time, and the output of problems."""

import argparse
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from errno import EBADF
from pathlib import Path
from typing import BinaryIO

from acdl_mkdocs.foundation.errors import AcdlError, PlaybookError, UnusablePlaybookError
from acdl_mkdocs.foundation.safe_text import json_text, one_line
from acdl_mkdocs.frontends.cli.messages import print_error, should_color
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.content import clean_line, find_secrets
from acdl_mkdocs.prompts.prompt import Json

JSON_VERSION = 1
"""The version of the output of `--format json`."""

_LONGEST_NAME = 200


def standard_input() -> BinaryIO:
    """Return standard input, which `-` names.

    Raises:
        OSError: It is closed.
    """
    if sys.stdin is None:
        raise OSError(EBADF, "standard input is closed", "-")
    return sys.stdin.buffer


def add_playbook(parser: argparse.ArgumentParser) -> None:
    """Declare the file that an action works on."""
    parser.add_argument(
        "playbook", metavar="PLAYBOOK", type=_parse_file, help="the playbook file, such as playbook.yaml"
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """Declare the format of a result."""
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal", help="output format")


def add_time(parser: argparse.ArgumentParser) -> None:
    """Declare the time that the history records."""
    parser.add_argument(
        "--time",
        metavar="TIME",
        type=_parse_time,
        help="time of the change, ISO 8601 (default: SOURCE_DATE_EPOCH, or now)",
    )


def time_of(args: argparse.Namespace) -> str:
    """Return the time of a change in UTC: `--time`, else `SOURCE_DATE_EPOCH`, else now, to the microsecond.

    The microseconds distinguish changes of two branches of a playbook, so that a merge counts both.

    Raises:
        PlaybookError: `SOURCE_DATE_EPOCH` is not a time.
    """
    chosen_time: datetime | None = args.time or _parse_epoch(os.environ.get("SOURCE_DATE_EPOCH", ""))
    time = chosen_time or datetime.now(UTC)
    is_exact = chosen_time is None or time.microsecond
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if is_exact else "%Y-%m-%dT%H:%M:%SZ")


def parse_actor(text: str) -> str:
    """Parse the actor of a change for the history: one line, without hidden characters and without secrets."""
    cleaned = clean_line(text, _LONGEST_NAME)
    wrong = [*cleaned.problems, *(f"looks like a secret ({kind})" for kind in find_secrets(text))]
    if wrong or not cleaned.text:
        raise argparse.ArgumentTypeError(f"the name {wrong[0] if wrong else 'is empty; write who does it'}")
    return cleaned.text


def _parse_file(text: str) -> Path:
    path = Path(text)
    if path.name in ("", ".."):
        raise argparse.ArgumentTypeError(f"`{text}` names no file; write one such as playbook.yaml")
    return path


def _parse_time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"`{text}` is not a time; write one such as 2026-01-31T09:30:00Z") from None


def _parse_epoch(text: str) -> datetime | None:
    """Return the time of `SOURCE_DATE_EPOCH`; `None` if it is not set."""
    if not text:
        return None
    try:
        if text.isascii() and text.isdigit():
            return datetime.fromtimestamp(int(text), UTC)
    except (ValueError, OverflowError, OSError):
        pass
    message = f"SOURCE_DATE_EPOCH is `{one_line(text, 40)}`, which is not a time"
    raise PlaybookError(message, "set it to seconds since 1970, such as 1769851800, or unset it")


def run_guarded(action: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
    """Run an action; errors of files are printed, with status 2."""
    try:
        return action(args)
    except UnusablePlaybookError as fault:
        print_problems(fault, args)
        return 2
    except AcdlError as reason:
        print_error(str(reason))
        return 2
    except UnicodeEncodeError:
        print_error("an argument is not UTF-8")
        return 2


def print_problems(fault: UnusablePlaybookError, args: argparse.Namespace) -> None:
    """Print the problems of a playbook file on standard error."""
    from acdl_mkdocs.foundation.reports import REPORTS, ReportOptions

    options = ReportOptions(color=should_color(getattr(args, "color", "auto"), sys.stderr))
    for problem in fault.problems:
        print(REPORTS["terminal"]([problem], fault.source, options), file=sys.stderr)
    print_error(str(fault))


def playbook_at(path: Path, revision: int | None = None) -> Playbook:
    """Return the current playbook of a file, or an older revision.

    Raises:
        UnusablePlaybookError: The file has errors.
        PlaybookError: The history does not have the revision.
        OSError: A file cannot be read.
    """
    from acdl_mkdocs.playbook.store import load, load_revision
    from acdl_mkdocs.playbook.store.load import get_usable_playbook

    return get_usable_playbook(load(path)) if revision is None else load_revision(path, revision)


def warn_of_policy(playbook: Playbook) -> None:
    """Warn if the policy of a playbook merges lessons that are only similar."""
    least = playbook.policy.merge_similar
    if least is not None:
        from acdl_mkdocs.playbook.similarity.ngrams import warn_of_merging

        print_error(f"warning: {warn_of_merging(playbook.policy.similarity, least)}")


def print_json(data: dict[str, Json]) -> None:
    """Print a result for programs."""
    print(json_text({"schema_version": JSON_VERSION, **data}, 2))
