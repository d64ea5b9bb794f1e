"""acdl playbook: manage the lessons that an agent learned: add, merge, review, undo, verify, publish, learn."""

import argparse
from collections.abc import Mapping
from contextlib import nullcontext

from acdl_mkdocs.frontends.cli.command_line import add_actions
from acdl_mkdocs.frontends.cli.messages import report_if_slow

ACTIONS: Mapping[str, str] = {
    "approve": "acdl_mkdocs.frontends.cli.playbook.approve",
    "blame": "acdl_mkdocs.frontends.cli.playbook.blame",
    "curate": "acdl_mkdocs.frontends.cli.playbook.curate",
    "diff": "acdl_mkdocs.frontends.cli.playbook.diff",
    "evaluate": "acdl_mkdocs.frontends.cli.playbook.evaluate",
    "export": "acdl_mkdocs.frontends.cli.playbook.export",
    "import": "acdl_mkdocs.frontends.cli.playbook.import_lessons",
    "init": "acdl_mkdocs.frontends.cli.playbook.init",
    "learn": "acdl_mkdocs.frontends.cli.playbook.learn",
    "log": "acdl_mkdocs.frontends.cli.playbook.log",
    "merge": "acdl_mkdocs.frontends.cli.playbook.merge",
    "pin": "acdl_mkdocs.frontends.cli.playbook.pin",
    "refine": "acdl_mkdocs.frontends.cli.playbook.refine",
    "repair": "acdl_mkdocs.frontends.cli.playbook.repair",
    "review": "acdl_mkdocs.frontends.cli.playbook.review",
    "show": "acdl_mkdocs.frontends.cli.playbook.show",
    "tag": "acdl_mkdocs.frontends.cli.playbook.tag",
    "undo": "acdl_mkdocs.frontends.cli.playbook.undo",
    "verify": "acdl_mkdocs.frontends.cli.playbook.verify",
}
"""The module of each action, with `add_arguments(parser)` and `run(args)` as commands have; imported when it is used,
since git calls one of them for every file that it merges."""


_INTERACTIVE = tuple(ACTIONS[name] for name in ("approve", "evaluate", "learn", "refine", "review"))
"""Actions that ask the user, or show progress."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_actions(parser, ACTIONS)


def run(args: argparse.Namespace) -> int:
    """Run the action; return 1 if something was refused or is wrong, 2 if something could not be read or written."""
    is_talking = args.act.__module__ in _INTERACTIVE
    with nullcontext() if is_talking else report_if_slow(f"working on {getattr(args, 'playbook', 'the playbook')}"):
        status: int = args.act(args)
    return status
