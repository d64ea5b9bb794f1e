"""acdl playbook undo: revert a revision with a new one."""

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
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "revision", nargs="?", type=int, metavar="REVISION", help="revision to revert (default: the last)"
    )
    which.add_argument("--to", type=int, metavar="REVISION", help="revert everything after this one")
    add_time(parser)


def run(args: argparse.Namespace) -> int:
    """Undo the revision; return 1 if later revisions changed the same, 2 if a file cannot be read or written."""
    return run_guarded(_undo_revisions, args)


def _undo_revisions(args: argparse.Namespace) -> int:
    from acdl_mkdocs.playbook.store.undo import return_to, undo

    try:
        if args.to is None:
            undone = undo(args.playbook, args.revision, time=time_of(args), warn=print_error)
        else:
            undone = return_to(args.playbook, args.to, time=time_of(args), warn=print_error)
    except (UnusablePlaybookError, UnwritablePlaybookError, DamagedHistoryError):
        raise
    except PlaybookError as reason:
        print_error(str(reason))
        return 1
    for each in undone.changes:
        what = "is gone" if each.after is None else "is back" if each.before is None else "is as before"
        print_sentence(f"{each.kind} {each.id} {what}".replace("  ", " "))
    if args.to is None:
        print_sentence(f"{args.playbook}: revision {undone.playbook.revision} takes back revision {undone.revision}")
    elif not undone.changes:
        print_sentence(f"{args.playbook}: is as at revision {args.to}; nothing is to be taken back")
    else:
        print_sentence(f"{args.playbook}: revision {undone.playbook.revision} is as revision {args.to} was")
    return 0
