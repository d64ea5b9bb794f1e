"""acdl playbook init: create an empty playbook, and beside it the schema that gives editors completion."""

import argparse

from acdl_mkdocs.frontends.cli.playbook.files import add_playbook, add_time, run_guarded, time_of
from acdl_mkdocs.frontends.cli.writing import print_sentence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_playbook(parser)
    parser.add_argument("--name", metavar="NAME", help="name of the playbook (default: the name of its folder or file)")
    parser.add_argument(
        "--budget", metavar="N", type=_parse_count, help="maximum number of model tokens of its prompt form"
    )
    add_time(parser)


def run(args: argparse.Namespace) -> int:
    """Make the files; return 2 if they exist already or cannot be written."""
    return run_guarded(_init_playbook, args)


def _init_playbook(args: argparse.Namespace) -> int:
    from acdl_mkdocs.frontends.cli.playbook.git import cover_playbook
    from acdl_mkdocs.playbook.model.bullets import Playbook, Policy
    from acdl_mkdocs.playbook.store import create

    path = args.playbook
    name = args.name or (path.resolve().parent.name if path.stem == "playbook" else path.stem) or "playbook"
    create(path, Playbook(name, policy=Policy(budget_model_tokens=args.budget)), time=time_of(args))
    cover_playbook(path)
    print_sentence(f"{path}: an empty playbook `{name}`")
    return 0


def _parse_count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of model tokens; write one such as 4000")
    return int(text)
