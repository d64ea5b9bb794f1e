"""Commands that have actions, such as `acdl playbook show`: each action is a module, imported when it is asked for."""

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from acdl_mkdocs.cli.command_line import Parser, summary_of


class ActionParser(Parser):
    """Declares what an action takes when that is first needed."""

    module = ""

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments of the action."""
        self.declare()
        return super().parse_known_args(*args, **kwargs)

    def format_help(self) -> str:
        """The help of the action."""
        self.declare()
        return super().format_help()

    def declare(self) -> None:
        """Import the module of the action and declare what it takes, unless that is done."""
        name, self.module = self.module, ""
        if name:
            module = import_module(name)
            module.add_arguments(self)
            self.set_defaults(act=module.run, parser=self)


def add_actions(parser: argparse.ArgumentParser, modules: Mapping[str, str]) -> None:
    """Declare the actions of a command, each with the name of its module."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=ActionParser)
    for name, module in modules.items():
        summary = summary_of(module)
        actions.add_parser(name, help=summary, description=f"{summary[:1].upper()}{summary[1:]}").module = module


def declare_actions(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Declare what the actions take that are among the words of a command line; others stay undeclared."""
    if isinstance(parser, ActionParser):
        parser.declare()
    for action in parser._actions:  # the standard library shows them in no other way
        if isinstance(action, argparse._SubParsersAction):
            for word in words:
                if word in action._name_parser_map:
                    declare_actions(action._name_parser_map[word], words)
