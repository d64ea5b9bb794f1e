"""acdl pml: check, write, convert and split prompts in PML, and read tool calls in LAIC."""

import argparse
from collections.abc import Mapping

from acdl_mkdocs.frontends.cli.command_line import add_actions
from acdl_mkdocs.frontends.cli.messages import StoppedError, print_error

PML_ACTIONS: Mapping[str, str] = {
    "calls": "acdl_mkdocs.frontends.cli.pml.calls",
    "check": "acdl_mkdocs.frontends.cli.pml.check",
    "convert": "acdl_mkdocs.frontends.cli.pml.convert",
    "format": "acdl_mkdocs.frontends.cli.pml.format",
    "instructions": "acdl_mkdocs.frontends.cli.pml.instructions",
    "parts": "acdl_mkdocs.frontends.cli.pml.parts",
    "remove": "acdl_mkdocs.frontends.cli.pml.remove",
    "replace": "acdl_mkdocs.frontends.cli.pml.replace",
    "select": "acdl_mkdocs.frontends.cli.pml.select",
}
"""The module of each action, with `add_arguments(parser)` and `run(args)` as commands have."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_actions(parser, PML_ACTIONS)


def run(args: argparse.Namespace) -> int:
    """Run the action; return 1 if a text has problems or something would be lost, 2 if something could not be done."""
    try:
        status: int = args.act(args)
    except StoppedError as reason:
        print_error(str(reason))
        return reason.status
    return status
