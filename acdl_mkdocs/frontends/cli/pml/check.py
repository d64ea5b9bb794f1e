"""acdl pml check: report problems in PML documents, and content that no provider accepts."""

import argparse

from acdl_mkdocs.foundation.reports import CheckedFile
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.findings import FORMATS, print_document, print_findings, print_summary, print_unread
from acdl_mkdocs.frontends.cli.messages import StoppedError, map_with_progress, print_error
from acdl_mkdocs.frontends.cli.pml.files import add_lenient, document_at
from acdl_mkdocs.prompts.pml.document_problems import list_document_problems


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    parser.add_argument("paths", nargs="+", metavar="FILE", help="PML documents; `-` is standard input")
    add_lenient(parser)
    parser.add_argument("--format", choices=FORMATS, default="terminal", help="output format")
    parser.add_argument("--strict", action="store_true", help="fail on warnings too")
    parser.set_defaults(fix=False)


def run(args: argparse.Namespace) -> int:
    """Check every document; return 1 if there are errors, 2 if one could not be read."""
    checked: list[CheckedFile] = []
    unread: list[str] = []

    def work(path: str) -> CheckedFile | StoppedError:
        try:
            return _check_document(path, is_lenient=args.lenient)
        except StoppedError as reason:
            return reason

    for done in map_with_progress(tuple(dict.fromkeys(args.paths)), work):
        if isinstance(done, StoppedError):
            unread.append(str(done))
            print_error(str(done))
            continue
        checked.append(done)
        print_findings(done.findings, args)
    print_unread(unread, args)
    print_document(tuple(checked), tuple(unread), args, "acdl pml check")
    summary = print_summary(checked, format_count(len(checked), "document"), has_all=not unread, args=args)
    return 2 if unread else int(not summary.is_fine(is_strict=args.strict))


def _check_document(path: str, *, is_lenient: bool) -> CheckedFile:
    """Return a document with all problems, its calls checked against its own tools too."""
    document = document_at(path, is_lenient=is_lenient)
    return CheckedFile(
        document.source.name, tuple((each, document.source) for each in list_document_problems(document))
    )
