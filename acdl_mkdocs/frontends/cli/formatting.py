"""Format one file for `acdl format`, and write the result."""

import argparse
import codecs
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from acdl_mkdocs.app.check import analyse_input
from acdl_mkdocs.app.format import Formatted
from acdl_mkdocs.app.format import format_file as format_text
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports.options import ReportOptions
from acdl_mkdocs.foundation.reports.terminal import report
from acdl_mkdocs.foundation.safe_text import mask_controls
from acdl_mkdocs.frontends.cli.line_diff import print_diff
from acdl_mkdocs.frontends.cli.messages import print_error, should_color
from acdl_mkdocs.frontends.cli.writing import format_for_stdout, is_marked, replace_found
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, gather_texts, read_named
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import Settings


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """The result for a file."""

    source_file: NamedFile
    result: Formatted = field(default_factory=lambda: Formatted("", ""))
    is_marked: bool = False
    """Whether the file begins with a byte order mark."""
    complaint: str = ""
    """Why the file could not be read."""

    @property
    def is_changed(self) -> bool:
        """Whether something is not in its normal form; in a spec, a byte order mark is not."""
        has_wrong_mark = self.is_marked and not self.source_file.is_page and not self.result.errors
        return self.result.is_changed or has_wrong_mark


def texts_of(
    files: Sequence[NamedFile], settings_of: Callable[[Path], Settings], mode: RangeMode | None
) -> tuple[list[NamedFile], dict[str, list[Input]]]:
    """Return the files, standard input with its text, and the texts of each by its name.

    They are resolved together as in `acdl check`. Files that cannot be read have no texts. Standard input may be a
    piece of a spec, since editors send what is selected.
    """
    named_files: list[NamedFile] = []
    for named in files:
        with suppress(UnusableInputError):
            named = named if named.path else replace(named, text=read_named(named)[0])
        named_files.append(named)
    texts = {
        named.name: inputs for named, inputs in gather_texts(named_files, settings_of, mode, is_snippet=False).files
    }
    for named in named_files:
        if named.path is None and named.name in texts:
            texts[named.name] = [replace(each, config=replace(each.config, snippet=True)) for each in texts[named.name]]
    return named_files, texts


def format_file(
    named: NamedFile, inputs: Sequence[Input], mode: RangeMode, lines: tuple[int, int] | None
) -> FormattedFile:
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
    kind = named.kind if named.is_page else None
    formatted = format_text(text, name, lambda number: analyse_input(inputs[number]), mode, lines, kind)
    return FormattedFile(named, formatted, has_mark)


def write_formatted(file: FormattedFile, args: argparse.Namespace) -> bool:
    """Print or write a formatted file; return True if all of it could be formatted.

    If nothing of standard input could be formatted, there is no output.
    """
    if file.complaint:
        print_error(file.complaint)
        return False
    options = ReportOptions(color=should_color(args.color, sys.stderr))
    formatted = file.result
    for diagnostic, source in formatted.errors:
        print(report([diagnostic], source, options), file=sys.stderr)
    is_whole = not formatted.errors
    if args.diff:
        print_diff(file.source_file.name, formatted.before, formatted.text, color=should_color(args.color, sys.stdout))
    elif args.check:
        print(f"{mask_controls(file.source_file.name)}\n" if file.is_changed else "", end="")
    elif file.source_file.path is None:
        print("" if formatted.is_refused else format_for_stdout(formatted.text), end="")
    elif file.is_changed:
        mark = codecs.BOM_UTF8 if file.is_marked and file.source_file.is_page else b""
        return replace_found(file.source_file, mark + formatted.text.encode()) and is_whole
    return is_whole
