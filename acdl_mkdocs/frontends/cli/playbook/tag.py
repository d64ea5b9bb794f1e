"""acdl playbook tag: record that a bullet helped, did harm, or neither."""

import argparse
from typing import get_args

from acdl_mkdocs.frontends.cli.playbook.curating import NamedDelta, add_curating_arguments, apply_deltas
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, run_guarded
from acdl_mkdocs.playbook.model.bullets import TagName
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.operations import TagBullet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("id", metavar="ID", help="the bullet")
    parser.add_argument("tag", choices=get_args(TagName), help="what it did")
    parser.add_argument("--reason", metavar="TEXT", default="", help="evidence, for the history")
    add_curating_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Count the tag; return 1 if there is no such bullet, 2 if something could not be read or written."""
    return run_guarded(_tag_bullet, args)


def _tag_bullet(args: argparse.Namespace) -> int:
    operation = TagBullet(bullet_id=args.id, tag=args.tag, reason=args.reason)
    return apply_deltas([NamedDelta("tag", make_delta(operation))], args)
