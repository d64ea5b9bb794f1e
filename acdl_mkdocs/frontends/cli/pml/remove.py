"""acdl pml remove: write a PML document without some of its parts; a call is removed with its result."""

import argparse

from acdl_mkdocs.foundation.errors import SegmentError
from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import add_document, read_usable
from acdl_mkdocs.frontends.cli.pml.rewriting import add_rewriting, write_document
from acdl_mkdocs.prompts.pml.segments import remove


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_document(parser)
    parser.add_argument(
        "wheres",
        nargs="+",
        metavar="PATH",
        help="paths and `#id`s in the original document; `acdl pml parts` lists them",
    )
    add_rewriting(parser)


def run(args: argparse.Namespace) -> int:
    """Write the rest; return 1 if it has errors or something would be lost, 2 if there is no such part."""
    document, prompt = read_usable(args)
    try:
        rest = remove(prompt, *args.wheres)
    except SegmentError as reason:
        raise StoppedError(str(reason)) from None
    return write_document(document, rest, args)
