"""acdl format: write specs and the fences of Markdown files in their normal form.

Nothing is written of a text that has syntax errors.
"""

import argparse
import codecs
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from pathlib import Path

from acdl_mkdocs.cli.inputs import Named, find_files
from acdl_mkdocs.cli.messages import complain, counted, progress, use_color
from acdl_mkdocs.cli.writing import replace_file
from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.errors import SettingsError
from acdl_mkdocs.reports.options import ReportOptions
from acdl_mkdocs.reports.terminal import report
from acdl_mkdocs.settings import load_settings
from acdl_mkdocs.site.files import UnreadableFileError, decode
from acdl_mkdocs.site.format_page import format_page
from acdl_mkdocs.site.options import BlockOptions
from acdl_mkdocs.site.read_block import Finding
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.format import format_text

_MARKDOWN = (".md", ".markdown")
_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class _Result:
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
    def name(self) -> str:
        """What a person calls the file."""
        return "<stdin>" if self.named.path is None else str(self.named.path)

    @property
    def is_page(self) -> bool:
        """Whether the file is a Markdown page."""
        return _is_page(self.named)

    @property
    def is_changed(self) -> bool:
        """Whether something is not in its normal form; in a spec, a byte order mark is not."""
        return self.before != self.after or (self.is_marked and not self.is_page and not self.findings)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="files and folders; `-` is standard input, and output then"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; name the files that would change")
    parser.add_argument("--diff", action="store_true", help="write nothing; print what would change")
    parser.add_argument("--range-lines", type=_lines, metavar="A:B", help="format only the statements on these lines")
    parser.add_argument(
        "--range", choices=("half-open", "inclusive"), help="whether range(a, b) stops before b or at it"
    )


def run(args: argparse.Namespace) -> int:
    """Format everything; 1 if something would change and is not written, 2 if something could not be formatted."""
    files, problems = find_files(args.paths)
    if args.range_lines and (len(files) != 1 or not files[0].is_argument):
        problems, files = ["--range-lines needs one file"], []
    for problem in problems:
        complain(problem)
    n_changed = n_same = n_failed = 0
    mode_of = cache(_mode_of)
    for result in progress(files, lambda named: _format(named, args, mode_of)):
        is_failure = _show(result, args)
        n_failed += is_failure
        n_changed += result.is_changed
        n_same += not is_failure and not result.is_changed
    is_dry = args.check or args.diff
    if [named.path for named in files] != [None]:
        verb = "would be formatted" if is_dry else "formatted"
        parts = [f"{counted(n_changed, 'file')} {verb}", f"{n_same} unchanged"]
        parts += [f"{n_failed} not formatted"] if n_failed else []
        print(", ".join(parts), file=sys.stderr)
    if problems or n_failed:
        return 2
    return int(is_dry and n_changed > 0)


def _lines(value: str) -> tuple[int, int]:
    """The value of `--range-lines`: two lines, or one."""
    found = re.fullmatch(r"(\d+)(?::(\d+))?", value)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= first <= last:
        raise argparse.ArgumentTypeError(f"expected the first and the last line, as 3:7, not {value}")
    return first, last


def _is_page(named: Named) -> bool:
    return named.path is not None and named.path.suffix.lower() in _MARKDOWN


def _format(named: Named, args: argparse.Namespace, mode_of: Callable[[Path], RangeMode]) -> _Result:
    """Read and format a file."""
    name = "standard input" if named.path is None else str(named.path)
    try:
        data = sys.stdin.buffer.read() if named.path is None else named.path.read_bytes()
        text = decode(data)
        mode = args.range or mode_of(Path() if named.path is None else named.path.parent)
    except UnreadableFileError as reason:
        return _Result(named, complaint=f"{name}: {reason}")
    except SettingsError as reason:
        return _Result(named, complaint=str(reason))
    except OSError as reason:
        return _Result(named, complaint=f"{name}: cannot be read: {(reason.strerror or str(reason)).lower()}")
    is_marked = data.startswith(codecs.BOM_UTF8)
    if _is_page(named):
        page = format_page(text, name, BlockOptions(range=mode), args.range_lines)
        return _Result(named, text, page.text, is_marked, page.findings)
    source = Source(text, "<stdin>" if named.path is None else name)
    formatted = format_text(source, args.range_lines, mode)
    findings = tuple((diagnostic, source) for diagnostic in formatted.diagnostics)
    return _Result(named, text, formatted.text, is_marked, findings)


def _mode_of(folder: Path) -> RangeMode:
    """How the project of a folder reads `range(a, b)`."""
    return load_settings(folder).config.range


def _show(result: _Result, args: argparse.Namespace) -> bool:
    """Print or write what became of a file; whether something of it could not be formatted."""
    if result.complaint:
        complain(result.complaint)
        return True
    options = ReportOptions(color=use_color(args.color, sys.stderr))
    for diagnostic, source in result.findings:
        print(report([diagnostic], source, options), file=sys.stderr)
    if args.diff:
        _print_diff(result, use_color(args.color, sys.stdout))
    elif args.check:
        if result.is_changed:
            print(result.name)
    elif result.named.path is None:
        print("" if result.findings else result.after, end="")
    elif result.is_changed:
        mark = codecs.BOM_UTF8 if result.is_marked and result.is_page else b""
        return not replace_file(result.named.path, mark + result.after.encode()) or bool(result.findings)
    return bool(result.findings)


def _print_diff(result: _Result, is_colored: bool) -> None:
    """Print the lines that differ, as `diff -u` does."""
    old, new = (_numbered(text) for text in (result.before, result.after))
    for line in unified_diff(old, new, result.name, result.name, "before", "after", lineterm=""):
        color = _COLORS.get(line[:1], "") if is_colored else ""
        print(f"{color}{line}{_RESET}" if color else line)


def _numbered(text: str) -> list[str]:
    """The lines of a text; the last one says so if no line end follows it."""
    lines = text.split("\n")
    if lines[-1]:
        return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file"]
    return lines[:-1]
