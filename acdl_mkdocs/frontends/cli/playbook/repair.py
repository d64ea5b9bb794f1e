"""acdl playbook repair: make a playbook and its history complete and consistent, without losing anything."""

import argparse

from acdl_mkdocs.foundation.errors import (
    DamagedHistoryError,
    PlaybookError,
    UnusablePlaybookError,
    UnwritablePlaybookError,
)
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, add_time, run_guarded, time_of
from acdl_mkdocs.frontends.cli.writing import print_sentence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument(
        "--from",
        dest="side",
        choices=("history", "file"),
        help="which to trust if they contradict each other (default: changes made by hand become a revision)",
    )
    add_time(parser)


def run(args: argparse.Namespace) -> int:
    """Repair; return 1 if somebody has to choose or to fix the file, 2 if a file cannot be read or written."""
    return run_guarded(_repair_playbook, args)


def _repair_playbook(args: argparse.Namespace) -> int:
    from acdl_mkdocs.playbook.store.repair import repair

    try:
        repaired = repair(args.playbook, args.side, time=time_of(args))
    except (UnusablePlaybookError, UnwritablePlaybookError, DamagedHistoryError):
        raise
    except PlaybookError as reason:
        print_error(str(reason))
        return 1
    for note in repaired.notes:
        print_sentence(note)
    print_sentence(f"{args.playbook}: file and history agree at revision {repaired.playbook.revision}")
    return 0
