"""Print the findings of `acdl check`."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from acdl_mkdocs.foundation.reports import DOCUMENTS, REPORTS, UNREAD, Checked, CheckedFile, ReportOptions, WholeRun
from acdl_mkdocs.frontends.cli.messages import print_outcome, should_color

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.read_block import Finding

FORMATS = tuple(name for name in REPORTS if name != "html")
"""The formats for a terminal; a panel is part of a page, and useless alone."""


def print_findings(findings: "Sequence[Finding]", args: argparse.Namespace) -> None:
    """Print diagnostics in the wanted format as they are found, unless they become part of a document."""
    if args.format in DOCUMENTS:
        return
    stream = _choose_stream(args)
    options = ReportOptions(color=should_color(args.color, stream))
    for diagnostic, source in findings:
        text = REPORTS[args.format]([diagnostic], source, options)
        print(text, end="\n" if args.format == "terminal" else "", file=stream, flush=True)


def print_on_terminal(findings: "Sequence[Finding]", args: argparse.Namespace) -> None:
    """Print diagnostics on standard error, because there is no result."""
    options = ReportOptions(color=should_color(args.color, sys.stderr))
    for diagnostic, source in findings:
        print(REPORTS["terminal"]([diagnostic], source, options), file=sys.stderr)


def print_document(
    files: tuple[CheckedFile, ...], unread: tuple[str, ...], args: argparse.Namespace, command: str = "acdl check"
) -> None:
    """Print everything as one document, if the format is one."""
    if args.format not in DOCUMENTS:
        return
    from acdl_mkdocs.frontends.docs.problems.rule_texts import rule_helps

    broken = {diagnostic.rule for file in files for diagnostic, _ in file.findings}
    rules = rule_helps(broken) if args.format == "sarif" else {}
    run = WholeRun(files, unread, rules, args.strict, command)
    print(DOCUMENTS[args.format](run, None), end="", file=_choose_stream(args))


def print_unread(unread: Sequence[str], args: argparse.Namespace) -> None:
    """Print unreadable files in the formats that programs read line by line."""
    for sentence in unread if args.format in UNREAD else ():
        print(UNREAD[args.format](sentence), end="", file=_choose_stream(args))


def _choose_stream(args: argparse.Namespace) -> TextIO:
    """Return the stream for problems: standard error if fixed text from standard input goes to standard output."""
    return sys.stderr if args.fix and "-" in args.paths else sys.stdout


def print_summary(files: Sequence[CheckedFile], where: str, *, has_all: bool, args: argparse.Namespace) -> Checked:
    """Print on a terminal how many problems there are, and in how many texts; return all of them."""
    checked = Checked(tuple(each for file in files for each in file.findings))
    if args.format == "terminal" and (files or has_all):
        where = f"in {where}" + ("" if has_all else "; others could not be checked")
        print_outcome(f"{checked.summary or 'no problems'} {where}")
    return checked
