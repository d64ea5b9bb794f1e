"""acdl explain: describe in words what a spec sends, when, how the prompt grows, and what it needs."""

import argparse
from pathlib import Path

from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.frontends.cli.drawing import write_figure
from acdl_mkdocs.frontends.cli.messages import RANGE_HELP, print_error
from acdl_mkdocs.frontends.cli.output_format import add_format

_ABOUT = (
    "For people who see a spec for the first time, and for language models. No questions are asked and no model is "
    "called. "
    "`acdl rules NAME` explains a rule."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = _ABOUT
    parser.add_argument(
        "path", metavar="PATH", help=".acdl file or page; `page.md#Name` is one spec; `-` is standard input"
    )
    parser.add_argument("--spec", metavar="NAME", help="only this spec or fragment (default: all specs)")
    add_format(parser, ("text", "json"), {"text": (".txt", ".md"), "json": (".json",)}, "text")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help=RANGE_HELP.format("a setting in the text takes precedence")
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Print the explanation; return 1 if the text has errors (the rest is explained), 2 if it could not be read."""
    from acdl_mkdocs.evaluation.explain import json_tree, text
    from acdl_mkdocs.frontends.cli.explaining import explain_texts
    from acdl_mkdocs.frontends.cli.findings import print_on_terminal

    try:
        result = explain_texts(args)
    except AcdlError as reason:
        print_error(str(reason))
        return 2
    if result.errors:
        print_on_terminal(result.errors, args)
    output = (json_tree if args.format == "json" else text).write(result.explanations)
    if not write_figure(output, Path(args.output) if args.output not in (None, "-") else None):
        return 2
    return int(bool(result.errors))
