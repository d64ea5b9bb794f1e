"""acdl playbook review: the bullets that are near each other, and what to do about them: keep both, or merge them."""

import argparse

from acdl_mkdocs.cli.messages import complain
from acdl_mkdocs.cli.playbook_curating import Named, add_curating_arguments, apply_deltas
from acdl_mkdocs.cli.playbook_files import add_playbook, guarded
from acdl_mkdocs.cli.playbook_queue import print_queue
from acdl_mkdocs.playbook.delta import delta
from acdl_mkdocs.playbook.pair_operations import Keep, Merge


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the action takes."""
    add_playbook(parser)
    parser.add_argument("verdict", choices=("keep", "merge"), nargs="?", help="what to do (default: list the pairs)")
    parser.add_argument("ids", metavar="ID", nargs="*", help="the bullets, the one whose words stay first")
    parser.add_argument("--content", metavar="TEXT", help="other words for what was merged")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why, for the history")
    add_curating_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """List the pairs or decide about one; 1 if that is refused, 2 if something could not be read or written."""
    return guarded(_review, args)


def _review(args: argparse.Namespace) -> int:
    if args.verdict is None:
        return print_queue(args)
    if len(args.ids) < 2 or (args.verdict == "keep" and len(args.ids) > 2):
        complain(f"`{args.verdict}` is about two bullets: acdl playbook review {args.playbook} {args.verdict} ID ID")
        return 2
    if args.verdict == "keep" and args.content is not None:
        complain("`--content` is for `merge`: bullets that are kept stay as they are")
        return 2
    first, *others = args.ids
    operation = (
        Keep(bullet_id=first, other=others[0], reason=args.reason)
        if args.verdict == "keep"
        else Merge(bullet_id=first, others=tuple(others), content=args.content, reason=args.reason)
    )
    return apply_deltas([Named("review", delta(operation))], args)
