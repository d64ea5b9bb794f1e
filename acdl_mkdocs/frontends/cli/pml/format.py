"""acdl pml format: write PML documents in their normal form, without losing anything."""

import argparse
import sys

from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.line_diff import print_diff
from acdl_mkdocs.frontends.cli.messages import StoppedError, print_error, print_outcome, should_color
from acdl_mkdocs.frontends.cli.pml.files import add_lenient, read_usable, write_text
from acdl_mkdocs.frontends.cli.pml.rewriting import add_rewriting, rewrite_document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="PML documents; `-` is standard input, and output then"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; name the files that would change")
    parser.add_argument("--diff", action="store_true", help="write nothing; print what would change")
    add_lenient(parser)
    add_rewriting(parser, "FILE itself")


def run(args: argparse.Namespace) -> int:
    """Format every document; return 1 if one would change, has errors or would lose text, 2 if one is unreadable."""
    if args.output and (len(args.files) != 1 or args.check or args.diff):
        print_error("-o needs one FILE, and neither --check nor --diff")
        return 2
    statuses = [0]
    n_changed = n_same = 0
    for path in dict.fromkeys(args.files):
        try:
            is_changed = _format_document(path, args)
        except StoppedError as reason:
            print_error(str(reason))
            statuses.append(reason.status)
            continue
        n_changed += is_changed
        n_same += not is_changed
    is_dry = args.check or args.diff
    if args.files != ["-"] and not args.output:
        n_failed = len(statuses) - 1
        parts = [f"{format_count(n_changed, 'file')} {'would be formatted' if is_dry else 'formatted'}"]
        parts += [f"{n_same} unchanged", *([f"{n_failed} not formatted"] if n_failed else [])]
        print_outcome(", ".join(parts))
    return max(*statuses, int(is_dry and n_changed > 0))


def _format_document(path: str, args: argparse.Namespace) -> bool:
    """Format a document, or print the difference; return True if there is one."""
    args.file = path
    document, prompt = read_usable(args)
    before, after = document.source.text, rewrite_document(document, prompt, args)
    is_changed = before != after
    if args.diff:
        print_diff(mask_controls(document.source.name), before, after, color=should_color(args.color, sys.stdout))
    elif args.check:
        print(f"{mask_controls(document.source.name)}\n" if is_changed else "", end="")
    elif path == "-" or args.output:
        if not write_text(after, args.output):
            raise StoppedError(f"{path}: not formatted")
    elif is_changed and not write_text(after, path):
        raise StoppedError(f"{path}: not formatted")
    return is_changed
