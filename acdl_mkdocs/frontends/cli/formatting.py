"""Format one file for `acdl format`, and write the result."""

import argparse
import codecs
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports.options import ReportOptions
from acdl_mkdocs.foundation.reports.terminal import report
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.frontends.cli.line_diff import print_diff
from acdl_mkdocs.frontends.cli.messages import complain, use_color
from acdl_mkdocs.frontends.cli.writing import is_marked, replace_found, shown
from acdl_mkdocs.language.analyse import Analysis, format_analysed
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.workspace.check import analysed, gather
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, read_named
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_edits import format_page
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.search import Named
from acdl_mkdocs.workspace.settings import Settings


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """The result for a file."""

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
        """Whether something is not in normal form; in a spec, a byte order mark is not."""
        has_wrong_mark = self.is_marked and not self.named.is_page and not self.findings
        return self.before != self.after or has_wrong_mark


def texts_of(
    files: Sequence[Named], settings_of: Callable[[Path], Settings], mode: RangeMode | None
) -> tuple[list[Named], dict[str, list[Input]]]:
    """Return the files, standard input with its text, and the texts of each by its name.

    They are resolved together as in `acdl check`. Files that cannot be read have no texts. Standard input may be a
    piece of a spec, since editors send what is selected.
    """
    found: list[Named] = []
    for named in files:
        with suppress(UnusableInputError):
            named = named if named.path else replace(named, text=read_named(named)[0])
        found.append(named)
    texts = {named.name: inputs for named, inputs in gather(found, settings_of, mode, is_snippet=False).files}
    for named in found:
        if named.path is None and named.name in texts:
            texts[named.name] = [replace(each, config=replace(each.config, snippet=True)) for each in texts[named.name]]
    return found, texts


def format_file(named: Named, inputs: Sequence[Input], mode: RangeMode, lines: tuple[int, int] | None) -> FormattedFile:
    """Read a file and bring it to its normal form, except the definitions that have an error.

    Parameters:
        named: The file.
        inputs: Its texts, among those of all files that are formatted.
        mode: How `range(a, b)` is read where the text does not say it.
        lines: First and last line to format; `None` for all.
    """
    try:
        text, name = read_named(named)
        has_mark = named.path is not None and is_marked(named.path)
    except UnusableInputError as reason:
        return FormattedFile(named, complaint=str(reason))
    if named.is_page:
        options = BlockOptions(range=mode)
        page = format_page(text, name, options, lines, lambda number: analysed(inputs[number]), named.kind)
        return FormattedFile(named, text, page.text, has_mark, page.findings)
    if not text.strip():
        return FormattedFile(named, text, "", has_mark)
    analysis = analysed(inputs[0])
    if analysis.source.text != text:  # code points that cannot be shown stay in the file
        source = replace(analysis.source, text=text)
        analysis = Analysis(source, replace(analysis.resolved, parsed=parse(source)), analysis.diagnostics)
    formatted = format_analysed(analysis, lines, mode)
    findings = tuple((diagnostic, analysis.source) for diagnostic in formatted.diagnostics)
    return FormattedFile(named, text, formatted.text, has_mark, findings)


def put(file: FormattedFile, args: argparse.Namespace) -> bool:
    """Print or write a formatted file; return True if all of it could be formatted.

    Standard input of which nothing could be formatted gives no output.
    """
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
        print(f"{mask_controls(file.named.name)}\n" if file.is_changed else "", end="")
    elif file.named.path is None:
        print(shown(file.after) if is_whole or file.is_changed else "", end="")
    elif file.is_changed:
        mark = codecs.BOM_UTF8 if file.is_marked and file.named.is_page else b""
        return replace_found(file.named, mark + file.after.encode()) and is_whole
    return is_whole
