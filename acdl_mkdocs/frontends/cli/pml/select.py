"""acdl pml select: print parts of a PML document unchanged, or only their text."""

import argparse

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import add_document, add_output, read_usable, write_text
from acdl_mkdocs.frontends.cli.pml.segments import element_of, segments_at, words_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_document(parser)
    parser.add_argument(
        "where", metavar="PATH", help="`turn[2]/user/attachment[1]`, or `#id`; `acdl pml parts` lists them"
    )
    parser.add_argument("--text", action="store_true", help="print only the exact text of the part")
    add_output(parser)


def run(args: argparse.Namespace) -> int:
    """Print the selected parts; return 1 if the document has errors, 2 if there is no such part."""
    document, prompt = read_usable(args)
    segments = segments_at(prompt, args.where)
    if args.text:
        if len(segments) > 1:
            paths = " ".join(f"`{each.path}`" for each in segments)
            raise StoppedError(f"`{args.where}` means {len(segments)} parts, --text needs one: {paths}")
        words = words_of(segments[0].value)
        if words is None:
            raise StoppedError(f"`{segments[0].path}` has no text of its own; name a part of it")
        is_put = write_text(words, args.output)
    else:
        elements = [_element_text(document.source.text, element_of(document, each)) for each in segments]
        is_put = write_text("".join(elements), args.output)
    return int(document.has_errors) if is_put else 2


def _element_text(text: str, span: Span) -> str:
    """Return an element as in the source, with the blanks before it if it begins a line."""
    line = text.rfind("\n", 0, span.start) + 1
    start = span.start if text[line : span.start].strip() else line
    return f"{text[start : span.end]}\n"
