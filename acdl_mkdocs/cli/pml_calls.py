"""acdl pml calls: read the calls at the end of what a model has just written, and say which cannot be made."""

import argparse

from acdl_mkdocs.cli.messages import StoppedError
from acdl_mkdocs.cli.pml_calling import answer_json, answer_lines, answer_problems, answered
from acdl_mkdocs.cli.pml_files import add_lenient, print_json, tell, text_at
from acdl_mkdocs.cli.pml_tools import TOOLS_HELP, tools_at
from acdl_mkdocs.foundation.source import Source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the action takes."""
    parser.add_argument("file", metavar="FILE", help="fresh text of a model and nothing else; `-` is standard input")
    parser.add_argument("--tools", required=True, metavar="TOOLS", help=TOOLS_HELP)
    add_lenient(parser, "TOOLS")
    parser.add_argument("--repair", action="store_true", help="mend calls that can be read in one way only")
    parser.add_argument("--format", choices=("json", "terminal"), default="json", help="how the calls are shown")


def run(args: argparse.Namespace) -> int:
    """Print the calls; 1 if one cannot be read or made, 2 if a file cannot be read."""
    if args.file == args.tools == "-":
        raise StoppedError("standard input cannot be both the answer and the tools")
    tools = tools_at(args.tools, args)
    text = text_at(args.file)
    answer = answered(text, tools, is_repaired=args.repair)
    source = Source(text, "<stdin>" if args.file == "-" else args.file)
    tell(answer_problems(answer), source, args)
    if args.format == "json":
        print_json(answer_json(answer))
    else:
        for line in answer_lines(answer):
            print(line)
    return int(answer.has_faults)
