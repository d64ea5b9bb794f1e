"""acdl playbook: keep what an agent learned: add, merge, review, undo, verify, publish, learn."""

import argparse
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

ACTIONS: Mapping[str, str] = {
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
    "repair": "acdl_mkdocs.cli.playbook_repair",
    "review": "acdl_mkdocs.cli.playbook_review",
    "show": "acdl_mkdocs.cli.playbook_show",
    "tag": "acdl_mkdocs.cli.playbook_tag",
    "undo": "acdl_mkdocs.cli.playbook_undo",
    "verify": "acdl_mkdocs.cli.playbook_verify",
}
"""The module of each action, with `add_arguments(parser)` and `run(args)` as commands have; imported when it is asked
for, since git calls one of them for every file that it merges."""


class ActionParser(argparse.ArgumentParser):
    """Declares what an action takes when that is first needed."""

    module = ""

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments of the action."""
        self._declare()
        return super().parse_known_args(*args, **kwargs)

    def format_help(self) -> str:
        """The help of the action."""
        self._declare()
        return super().format_help()

    def _declare(self) -> None:
        name, self.module = self.module, ""
        if name:
            module = import_module(name)
            module.add_arguments(self)
            self.set_defaults(act=module.run)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=ActionParser)
    for name, module in ACTIONS.items():
        summary = _summary(module)
        actions.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}").module = module


def run(args: argparse.Namespace) -> int:
    """Do what is asked; 1 if something was refused or is wrong, 2 if something could not be read or written."""
    status: int = args.act(args)
    return status


def _summary(module: str) -> str:
    """What an action does, from the first line of its module."""
    path = Path(__file__).with_name(f"{module.rpartition('.')[2]}.py")
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"').partition(": ")[2]
