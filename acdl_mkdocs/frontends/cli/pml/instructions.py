"""acdl pml instructions: print instructions for a model to read PML and call tools in LAIC."""

import argparse
from dataclasses import replace

from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.pml.files import add_lenient, write_text
from acdl_mkdocs.frontends.cli.pml.tools import TOOLS_HELP, tools_at
from acdl_mkdocs.prompts.pml.instructions import instructions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.add_argument("tools", nargs="?", metavar="TOOLS", help=f"{TOOLS_HELP} (default: none, with an example)")
    add_lenient(parser, "TOOLS")
    parser.add_argument("--style", choices=("short", "full"), default="short", help="how much to explain")
    parser.add_argument("--triggers", action="store_true", help='also explain `[#W: "..."]` for tools that allow it')


def run(args: argparse.Namespace) -> int:
    """Print the section; return 1 if the tools have errors, 2 if they cannot be read."""
    tools = tools_at(args.tools, args) if args.tools is not None else ()
    if not args.triggers:
        tools = tuple(replace(tool, has_trigger=False) for tool in tools)
    elif not any(tool.has_trigger for tool in tools):
        print_error('no tool is marked with `trigger="1"` in `<tools>`, so that there are no triggers to explain')
    write_text(instructions(tools, args.style), None)
    return 0
