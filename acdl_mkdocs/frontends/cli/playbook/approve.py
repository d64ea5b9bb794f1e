"""acdl playbook approve: list lessons that agents proposed, and approve or reject them."""

import argparse

from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.playbook.curating import NamedDelta, add_curating_arguments, apply_deltas
from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, playbook_at, print_json, run_guarded
from acdl_mkdocs.frontends.cli.playbook.refining import ChosenJudge, refine_if_due
from acdl_mkdocs.playbook.model.delta import make_delta
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import Approve, Remove
from acdl_mkdocs.playbook.model.plain import bullet_data
from acdl_mkdocs.playbook.model.prompt_text import bullet_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("ids", metavar="ID", nargs="*", help="proposals (default: list them)")
    parser.add_argument("--every", action="store_true", help="all proposals")
    parser.add_argument("--reject", action="store_true", help="reject them instead; requires --reason")
    parser.add_argument("--section", metavar="ID", help="approve them into this section")
    parser.add_argument("--reason", metavar="TEXT", default="", help="reason, for the history")
    add_curating_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """List or decide; return 1 if something is refused, 2 if something could not be read or written."""
    return run_guarded(_approve_bullets, args)


def _approve_bullets(args: argparse.Namespace) -> int:
    wrong = _check_arguments(args)
    if wrong:
        print_error(wrong)
        return 2
    playbook = playbook_at(args.playbook)
    proposed = [each for each in playbook.bullets if each.status == "proposed"]
    ids = [each.id for each in proposed] if args.every else args.ids
    if ids:
        decided = NamedDelta("approve", make_delta(*(_build_operation(each, args) for each in ids)))
        return apply_deltas([decided], args, lambda before, after: refine_if_due(before, after, ChosenJudge(), args))
    if args.format == "json":
        print_json({"playbook": str(args.playbook), "proposed": [bullet_data(each) for each in proposed]})
        return 0
    for each in proposed:
        by = ", ".join(source.by for source in each.source if source.by)
        about = "; ".join(part for part in (f"section {each.section}", f"by {by}" if by else "", each.reason) if part)
        print(f"{make_visible(bullet_text(each))}\n  {make_visible(about)}")
    print(make_visible(f"{args.playbook}: {format_count(len(proposed), 'proposal')} to decide about"))
    if proposed:
        print(make_visible(f"decide with: acdl playbook approve {args.playbook} {proposed[0].id}"))
    return 0


def _check_arguments(args: argparse.Namespace) -> str | None:
    """Explain what is wrong with the arguments."""
    if args.ids and args.every:
        return "--every is about all proposals: leave out the ids, or --every"
    if args.reject and not args.reason.strip():
        return "--reject needs a reason, so that the lesson is not learned again: `--reason TEXT`"
    if args.reject and args.section is not None:
        return "--section is for proposals that are approved: leave it out"
    if (args.reject or args.section is not None) and not (args.ids or args.every):
        return "which proposals? name their ids, or `--every`"
    return None


def _build_operation(name: str, args: argparse.Namespace) -> Operation:
    if args.reject:
        return Remove(bullet_id=name, reason=args.reason)
    return Approve(bullet_id=name, section=args.section, reason=args.reason)
