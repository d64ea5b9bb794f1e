"""acdl check: say what is wrong in specs and in the fences of Markdown files."""

import argparse
import sys
from collections import Counter

from acdl_mkdocs.cli.inputs import Input, UnusableInputError, find_files, read_inputs
from acdl_mkdocs.cli.messages import complain, counted, use_color
from acdl_mkdocs.reports import REPORTS, ReportOptions
from acdl_mkdocs.site.read_block import Finding, examine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders; `-` is standard input")
    parser.add_argument("--format", choices=tuple(REPORTS), default="terminal", help="how problems are shown")
    parser.add_argument("--strict", action="store_true", help="warnings make the command fail too")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )
    parser.add_argument("--snippet", action="store_true", help="accept files without a title, as fences are")


def run(args: argparse.Namespace) -> int:
    """Check everything and print the problems; 1 if there are errors, 2 if something could not be read."""
    files, problems = find_files(args.paths)
    for problem in problems:
        complain(problem)
    found: Counter[str] = Counter()
    n_texts = 0
    for named in files:
        try:
            for each in read_inputs(named, is_snippet=args.snippet, range_mode=args.range):
                n_texts += 1
                found.update(_print(findings_of(each), args))
        except UnusableInputError as reason:
            complain(str(reason))
            problems.append(str(reason))
    if args.format == "terminal":
        print(_summary(found, n_texts), file=sys.stderr)
    if problems:
        return 2
    return 1 if found["error"] or (args.strict and found["warning"]) else 0


def findings_of(given: Input) -> list[Finding]:
    """Everything that is wrong with a text: its header, its fence, then the text itself."""
    text = given.text
    findings = list(text.findings)
    if text.source.text.strip() and not text.is_cut:
        findings += examine(text.source, text.options, is_snippet=given.is_snippet).findings
    return findings


def _print(findings: list[Finding], args: argparse.Namespace) -> list[str]:
    """Print diagnostics in the wanted form; returns their severities."""
    options = ReportOptions(color=use_color(args.color, sys.stdout))
    for diagnostic, source in findings:
        print(REPORTS[args.format]([diagnostic], source, options), end="\n" if args.format == "terminal" else "")
    return [diagnostic.severity for diagnostic, _ in findings]


def _summary(found: Counter[str], n_texts: int) -> str:
    where = f"in {counted(n_texts, 'spec')}"
    listed = [counted(found[severity], severity) for severity in ("error", "warning", "note") if found[severity]]
    return f"{', '.join(listed) or 'no problems'} {where}"
