"""Rewrite documents for actions of `acdl pml`, without losing anything silently."""

import argparse
from collections import Counter

from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import add_output, add_style, print_problems, write_text
from acdl_mkdocs.prompts.pml.losses import find_ignored_content
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Prompt

_MOST_LISTED = 3


def add_rewriting(parser: argparse.ArgumentParser, default: str = "standard output") -> None:
    """Declare how a document is rewritten, and where to; `default` describes the destination without a file."""
    add_style(parser)
    parser.add_argument(
        "--allow-loss",
        action="store_true",
        help="drop comments, and anything else that is not part of the prompt",
    )
    add_output(parser, default)


def rewrite_document(document: ReadPml, prompt: Prompt, args: argparse.Namespace) -> str:
    """Rewrite a document with another prompt, or with its own.

    Raises:
        StoppedError: Something of the document would be lost.
    """
    name = document.source.name
    if document.prompt is not None and not _is_kept(document, document.prompt):
        raise StoppedError(f"{name}: nothing is written: it would be read otherwise; solve the errors first", 1)
    if not args.allow_loss and (lost := _explain_loss(document)):
        raise StoppedError(f"{name}: nothing is written: {lost} would be lost; `--allow-loss` writes it anyway", 1)
    return write(prompt, args.style, document.kind)


def _is_kept(document: ReadPml, prompt: Prompt) -> bool:
    """Return whether a rewritten document means the same, problems included."""
    again = read(write(prompt, "min", document.kind))
    rules = [Counter(problem.rule for problem in each.problems) for each in (document, again)]
    del rules[0]["raw-line-end"]  # which is written as a reference
    return again.prompt == prompt and rules[0] == rules[1]


def _explain_loss(document: ReadPml) -> str:
    """Return what a rewritten document would lose; empty if nothing."""
    lost = [(each.span.start, each.what) for each in find_ignored_content(document.source)]
    lost += [(each.span.start, each.lost) for each in document.repairs if each.lost]
    losses: dict[str, list[int]] = {}
    for start, what in sorted(lost):
        losses.setdefault(what, []).append(document.source.find_place(start).line)
    listed = [_format_lines(what, lines) for what, lines in list(losses.items())[:_MOST_LISTED]]
    n_more = len(losses) - _MOST_LISTED
    return ", ".join(listed) + (f" and {format_count(n_more, 'other thing')}" if n_more > 0 else "")


def _format_lines(what: str, lines: list[int]) -> str:
    if len(lines) == 1:
        return f"{what} in line {lines[0]}"
    return f"{len(lines)} times {what}, first in line {lines[0]}"


def write_document(document: ReadPml, prompt: Prompt, args: argparse.Namespace) -> int:
    """Write a document with another prompt, print its problems, and return the exit status.

    Raises:
        StoppedError: Something of the document would be lost.
    """
    text = rewrite_document(document, prompt, args)
    new = read(text, name=args.output if args.output not in (None, "-") else "<result>")
    known = {(problem.rule, problem.message) for problem in document.problems}
    print_problems([each for each in new.problems if (each.rule, each.message) not in known], new.source, args)
    return int(new.has_errors) if write_text(text, args.output) else 2
