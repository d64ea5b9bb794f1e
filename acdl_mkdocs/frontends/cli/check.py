"""acdl check: report problems in specs and in the blocks of pages."""

import argparse
from collections.abc import Iterable
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.reports import CheckedFile
from acdl_mkdocs.frontends.cli.findings import FORMATS, print_document, print_findings, print_summary, print_unread
from acdl_mkdocs.frontends.cli.messages import RANGE_HELP, map_with_progress, print_error, print_outcome
from acdl_mkdocs.frontends.cli.watching import RunResult, add_watch, run_or_watch
from acdl_mkdocs.workspace.settings import load_settings

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.page_checks import PageChecks
    from acdl_mkdocs.workspace.inputs import GatheredTexts, Input
    from acdl_mkdocs.workspace.search import NamedFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="files and folders (default: the working folder); `-` is standard input",
    )
    parser.add_argument("--format", choices=FORMATS, default="terminal", help="output format")
    parser.add_argument("--strict", action="store_true", help="fail on warnings too")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help=RANGE_HELP.format("a setting in the text takes precedence")
    )
    parser.add_argument("--snippet", action="store_true", help="accept files without a title, like blocks")
    parser.add_argument(
        "--fix", action="store_true", help="first fix problems in specs and blocks, if the meaning stays the same"
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="with --fix: also apply fixes that may change the meaning"
    )
    add_watch(parser)


def run(args: argparse.Namespace) -> int:
    """Check everything and print the problems; return 1 if there are errors, 2 if a file cannot be read or written."""
    if args.unsafe and not args.fix:
        print_error("--unsafe needs --fix: alone it changes nothing")
        return 2
    if args.watch and args.fix:
        print_error("--watch goes without --fix: it would change files that are being edited")
        return 2
    return run_or_watch(args, lambda: _check_once(args))


def _check_once(args: argparse.Namespace) -> RunResult:
    """Check everything and print the problems."""
    from acdl_mkdocs.app.check import forget_parsed
    from acdl_mkdocs.frontends.cli.fixing import fix_files
    from acdl_mkdocs.frontends.docs.page_checks import PageChecks
    from acdl_mkdocs.workspace.counts import describe_counts
    from acdl_mkdocs.workspace.inputs import gather_texts
    from acdl_mkdocs.workspace.search import find_files

    forget_parsed()
    settings_of = cache(load_settings)
    documents: list[Path] = []
    files, problems = find_files(args.paths, settings_of, documents)
    for problem in problems:
        print_error(problem)
    is_fixed = True
    if args.fix:
        files, unfixed, is_fixed = fix_files(files, settings_of, args)
        problems += unfixed
    gathered = gather_texts(files, settings_of, args.range, is_snippet=args.snippet)
    unread = [problem for problem in dict.fromkeys(gathered.problems) if problem not in problems]
    for problem in unread:
        print_error(problem)
    problems += unread
    pages = PageChecks(gathered, settings_of)

    checked = _check_files(gathered, pages, args)
    print_unread(problems, args)
    print_document(tuple(checked), tuple(problems), args)
    _report_unread(documents, args)
    texts = [each.text for _, inputs in gathered.files for each in inputs]
    summary = print_summary(checked, describe_counts(texts, pages.n_blocks), has_all=not problems, args=args)
    is_fine = summary.is_fine(is_strict=args.strict) and is_fixed
    used = pages.others.union(path for text in texts for path in text.files)
    return RunResult(2 if problems else int(not is_fine), used)


def _check_files(gathered: "GatheredTexts", pages: "PageChecks", args: argparse.Namespace) -> list[CheckedFile]:
    """Check each file and print its problems as soon as they are known."""
    from acdl_mkdocs.app.check import check_all

    results = check_all([each for _, inputs in gathered.files for each in inputs])

    def work(read: "tuple[NamedFile, list[Input]]") -> CheckedFile:
        named, inputs = read
        findings = tuple(chain.from_iterable(islice(results, len(inputs))))
        return CheckedFile(named.name, findings + pages.check_file(named))

    checked: list[CheckedFile] = []
    for file in map_with_progress(gathered.files, work):
        checked.append(file)
        print_findings(file.findings, args)
    results.close()
    return checked


def _report_unread(documents: Iterable[Path], args: argparse.Namespace) -> None:
    """List once the documents that may have blocks which were not read."""
    from acdl_mkdocs.workspace.page_kinds import PAGE_KINDS
    from acdl_mkdocs.workspace.search import seems_to_have_blocks

    wanted = dict.fromkeys(documents) if args.format == "terminal" else ()
    names = [str(path) for path in wanted if seems_to_have_blocks(path)]
    if names:
        rest = f" and {len(names) - 1} more" if len(names) > 1 else ""
        print_outcome(
            f"not read, though it seems to have acdl blocks: {names[0]}{rest}; {', '.join(PAGE_KINDS)} are read"
        )
