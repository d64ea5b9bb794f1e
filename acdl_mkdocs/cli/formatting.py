"""Format one file for `acdl format`, and put the result in its place."""

import argparse
import codecs
import sys

from acdl_mkdocs.checking.inputs import UnusableInputError, read_named
from acdl_mkdocs.checking.search import Named
from acdl_mkdocs.cli.line_diff import print_diff
from acdl_mkdocs.cli.messages import complain, use_color
from acdl_mkdocs.cli.printing import shown
from acdl_mkdocs.cli.writing import is_marked, replace_file
from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.reports.options import ReportOptions
from acdl_mkdocs.reports.terminal import report
from acdl_mkdocs.site.format_page import format_page
from acdl_mkdocs.site.options import BlockOptions
from acdl_mkdocs.site.read_block import Finding
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.format import format_text


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """What became of a file."""

    named: Named
    before: str = ""
    after: str = ""
    is_marked: bool = False
    """Whether the file begins with a byte order mark."""
    findings: tuple[Finding, ...] = ()
    complaint: str = ""
    """Why the file could not be read."""

    @property
    def is_changed(self) -> bool:
        """Whether something is not in its normal form; in a spec, a byte order mark is not."""
        has_wrong_mark = self.is_marked and not self.named.is_page and not self.findings
        return self.before != self.after or has_wrong_mark


def format_file(named: Named, mode: RangeMode, lines: tuple[int, int] | None) -> FormattedFile:
    """Read a file and bring it to its normal form, as far as it is understood.

    Parameters:
        named: The file.
        mode: How `range(a, b)` is read where the text does not say it.
        lines: First and last line of what is formatted; `None` is all.
    """
    try:
        text, name = read_named(named)
        has_mark = named.path is not None and is_marked(named.path)
    except UnusableInputError as reason:
        return FormattedFile(named, complaint=str(reason))
    if named.is_page:
        page = format_page(text, name, BlockOptions(range=mode), lines)
        return FormattedFile(named, text, page.text, has_mark, page.findings)
    source = Source(text, name)
    formatted = format_text(source, lines, mode)
    findings = tuple((diagnostic, source) for diagnostic in formatted.diagnostics)
    return FormattedFile(named, text, formatted.text, has_mark, findings)


def put(file: FormattedFile, args: argparse.Namespace) -> bool:
    """Print or write what became of a file; whether all of it could be formatted."""
    if file.complaint:
        complain(file.complaint)
        return False
    options = ReportOptions(color=use_color(args.color, sys.stderr))
    for diagnostic, source in file.findings:
        print(report([diagnostic], source, options), file=sys.stderr)
    is_whole = not file.findings
    if args.diff:
        print_diff(file.named.name, file.before, file.after, color=use_color(args.color, sys.stdout))
    elif args.check:
        print(shown(file.named.name) + "\n" if file.is_changed else "", end="")
    elif file.named.path is None:
        print(shown(file.after) if is_whole else "", end="")
    elif file.is_changed:
        mark = codecs.BOM_UTF8 if file.is_marked and file.named.is_page else b""
        return replace_file(file.named.path, mark + file.after.encode()) and is_whole
    return is_whole
