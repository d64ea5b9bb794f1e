"""acdl playbook pin: pin a bullet so that it is never pruned, or unpin it."""

import argparse

from acdl_mkdocs.frontends.cli.playbook.curating import NamedDelta, add_curating_arguments, apply_deltas
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, run_guarded
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.operations import Pin


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("id", metavar="ID", help="the bullet")
    parser.add_argument("--off", action="store_true", help="unpin it")
    parser.add_argument("--reason", metavar="TEXT", default="", help="reason, for the history")
    add_curating_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Pin the bullet; return 1 if that is refused, 2 if something could not be read or written."""
    return run_guarded(_pin_bullet, args)


def _pin_bullet(args: argparse.Namespace) -> int:
    operation = Pin(bullet_id=args.id, pinned=not args.off, reason=args.reason)
    return apply_deltas([NamedDelta("pin", make_delta(operation))], args)
