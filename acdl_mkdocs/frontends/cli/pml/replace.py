"""acdl pml replace: write a PML document with the text of a part, or the data of an attachment, replaced by a file."""

import argparse

from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import add_document, read_usable
from acdl_mkdocs.frontends.cli.pml.rewriting import add_rewriting, write_document
from acdl_mkdocs.frontends.cli.pml.segments import replace_segment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_document(parser)
    parser.add_argument(
        "where", metavar="PATH", help="`turn[2]/user/attachment[1]`, or `#id`; `acdl pml parts` lists them"
    )
    parser.add_argument(
        "--with", dest="content", required=True, metavar="FILE", help="file with the new content; `-` is standard input"
    )
    add_rewriting(parser)


def run(args: argparse.Namespace) -> int:
    """Write the document; return 1 if it has errors or something would be lost, 2 if something cannot be read."""
    if args.file == args.content == "-":
        raise StoppedError("standard input cannot be both the document and what is put into it")
    document, prompt = read_usable(args)
    return write_document(document, replace_segment(prompt, args.where, args.content), args)
