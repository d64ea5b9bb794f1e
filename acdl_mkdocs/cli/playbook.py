"""acdl playbook: keep what an agent learned: add, merge, review, undo, verify, publish, learn."""

import argparse
from collections.abc import Mapping
from contextlib import nullcontext

from acdl_mkdocs.cli.actions import add_actions
from acdl_mkdocs.cli.messages import say_if_slow

ACTIONS: Mapping[str, str] = {
    "approve": "acdl_mkdocs.cli.playbook_approve",
    "blame": "acdl_mkdocs.cli.playbook_blame",
    "curate": "acdl_mkdocs.cli.playbook_curate",
    "diff": "acdl_mkdocs.cli.playbook_diff",
    "evaluate": "acdl_mkdocs.cli.playbook_evaluate",
    "export": "acdl_mkdocs.cli.playbook_export",
    "import": "acdl_mkdocs.cli.playbook_import",
    "init": "acdl_mkdocs.cli.playbook_init",
    "learn": "acdl_mkdocs.cli.playbook_learn",
    "log": "acdl_mkdocs.cli.playbook_log",
    "merge": "acdl_mkdocs.cli.playbook_merge",
    "pin": "acdl_mkdocs.cli.playbook_pin",
    "refine": "acdl_mkdocs.cli.playbook_refine",
    "repair": "acdl_mkdocs.cli.playbook_repair",
    "review": "acdl_mkdocs.cli.playbook_review",
    "show": "acdl_mkdocs.cli.playbook_show",
    "tag": "acdl_mkdocs.cli.playbook_tag",
    "undo": "acdl_mkdocs.cli.playbook_undo",
    "verify": "acdl_mkdocs.cli.playbook_verify",
}
"""The module of each action, with `add_arguments(parser)` and `run(args)` as commands have; imported when it is asked
for, since git calls one of them for every file that it merges."""


_TALKING = tuple(ACTIONS[name] for name in ("approve", "evaluate", "learn", "refine", "review"))
"""Those that ask people, or show how far they are."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_actions(parser, ACTIONS)


def run(args: argparse.Namespace) -> int:
    """Do what is asked; 1 if something was refused or is wrong, 2 if something could not be read or written."""
    is_talking = args.act.__module__ in _TALKING
    with nullcontext() if is_talking else say_if_slow(f"working on {getattr(args, 'playbook', 'the playbook')}"):
        status: int = args.act(args)
    return status
