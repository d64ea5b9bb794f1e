"""acdl check: say what is wrong in specs and in the fences of Markdown files."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from acdl_mkdocs.cli.fixing import fix_file
from acdl_mkdocs.cli.inputs import Input, Named, UnusableInputError, find_files, read_inputs
from acdl_mkdocs.cli.messages import complain, counted, progress, use_color
from acdl_mkdocs.config import Config
from acdl_mkdocs.reports import DOCUMENTS, REPORTS, CheckedFile, ReportOptions, WholeRun
from acdl_mkdocs.site.read_block import Finding

_FORMATS = tuple(name for name in REPORTS if name != "html")
"""A panel is part of a page, and nothing alone."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders; `-` is standard input")
    parser.add_argument("--format", choices=_FORMATS, default="terminal", help="how problems are shown")
    parser.add_argument("--strict", action="store_true", help="warnings make the command fail too")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )
    parser.add_argument("--snippet", action="store_true", help="accept files without a title, as fences are")
    parser.add_argument("--fix", action="store_true", help="first mend .acdl files where that keeps their meaning")
    parser.add_argument("--unsafe", action="store_true", help="with --fix: mend too what may change the meaning")


def run(args: argparse.Namespace) -> int:
    """Check everything and print the problems; 1 if there are errors, 2 if something could not be read."""
    files, problems = find_files(args.paths)
    for problem in problems:
        complain(problem)
    if args.fix:
        problems += _fix(files, args)
    n_texts = 0
    checked: list[CheckedFile] = []

    def work(named: Named) -> list[tuple[Finding, ...]] | UnusableInputError:
        try:
            texts = read_inputs(named, is_snippet=args.snippet, range_mode=args.range)
            return [findings_of(each) for each in texts]
        except UnusableInputError as reason:
            return reason

    for named, result in zip(files, progress(files, work), strict=True):
        if isinstance(result, UnusableInputError):
            complain(str(result))
            problems.append(str(result))
            continue
        n_texts += len(result)
        checked.append(CheckedFile(str(named.path or "<stdin>"), tuple(chain.from_iterable(result))))
        _print(checked[-1].findings, args)
    found: Counter[str] = Counter(diagnostic.severity for file in checked for diagnostic, _ in file.findings)
    if args.format in DOCUMENTS:
        print(_document(tuple(checked), tuple(problems), args), end="")
    if args.format == "terminal" and (checked or not problems):
        print(_summary(found, n_texts, len(problems)), file=sys.stderr)
    if problems:
        return 2
    return 1 if found["error"] or (args.strict and found["warning"]) else 0


def _fix(files: Sequence[Named], args: argparse.Namespace) -> list[str]:
    """Mend what can be mended, say how much, and give what could not be written."""
    config = Config(range=args.range or "half-open", snippet=args.snippet)
    n_fixed, problems = 0, []
    for named in files:
        try:
            n_fixed += fix_file(named.path, config, unsafe=args.unsafe) if named.path is not None else 0
        except OSError as reason:
            problems.append(f"{named.path}: cannot be written: {(reason.strerror or str(reason)).lower()}")
            complain(problems[-1])
    print(f"mended {counted(n_fixed, 'problem')}", file=sys.stderr)
    return problems


def findings_of(given: Input) -> tuple[Finding, ...]:
    """Everything that is wrong with a text: its header, its fence, then the text itself."""
    has_text = bool(given.text.source.text.strip()) and not given.text.is_cut
    return given.all_findings(given.examined() if has_text else None)


def _print(findings: Sequence[Finding], args: argparse.Namespace) -> None:
    """Print diagnostics in the wanted form as they are found, unless they become part of a document."""
    if args.format in DOCUMENTS:
        return
    options = ReportOptions(color=use_color(args.color, sys.stdout))
    for diagnostic, source in findings:
        text = REPORTS[args.format]([diagnostic], source, options)
        print(text, end="\n" if args.format == "terminal" else "", flush=True)


def _document(files: tuple[CheckedFile, ...], unread: tuple[str, ...], args: argparse.Namespace) -> str:
    from acdl_mkdocs.site.rule_help import rule_helps

    broken = {diagnostic.rule for file in files for diagnostic, _ in file.findings}
    rules = rule_helps(broken) if args.format == "sarif" else {}
    return DOCUMENTS[args.format](WholeRun(files, unread, rules, args.strict), None)


def _summary(found: Counter[str], n_texts: int, n_unread: int) -> str:
    where = f"in {counted(n_texts, 'spec')}" + (f", {n_unread} could not be read" if n_unread else "")
    listed = [counted(found[severity], severity) for severity in ("error", "warning", "note") if found[severity]]
    return f"{', '.join(listed) or 'no problems'} {where}"
