"""Apply machine fixes to files and to standard input, for `acdl check --fix`."""

import argparse
import codecs
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from acdl_mkdocs.app.check import check_all, fix
from acdl_mkdocs.foundation.diagnostics import MAX_ROUNDS, Fixed
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error, print_outcome
from acdl_mkdocs.frontends.cli.writing import is_marked, replace_found
from acdl_mkdocs.workspace.inputs import GatheredTexts, Input, UnusableInputError, gather_texts, read_inputs, read_named
from acdl_mkdocs.workspace.read_block import Finding
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import Settings


def fix_files(
    files: Sequence[NamedFile], settings_of: Callable[[Path], Settings], args: argparse.Namespace
) -> tuple[list[NamedFile], list[str], bool]:
    """Fix specs and the blocks of pages in place, print fixed standard input, and summarize the fixes.

    A file that cannot be read is left to the check that follows, which reports it.

    Returns:
        The files to check next, standard input with its text; why others could not be read or written; and whether
        nothing fixable is left.
    """
    run = _FileFixer(settings_of, args)
    files = run.with_text(files)
    is_done = False
    for _ in range(MAX_ROUNDS):  # a fix in one file may reveal a problem of another
        gathered = gather_texts(files, settings_of, args.range, is_snippet=args.snippet)
        is_done = not run.fix_all(gathered)
        if is_done:
            break
        files = [run.texts.get(named.name, named) if named.path is None else named for named in files]
    for named in files:
        if named.path is None:
            print(named.text, end="")
    n_fixed = sum(run.n_fixed.values())
    where = f" in {format_count(len(run.n_fixed), 'file')}" if n_fixed else ""
    print_outcome(f"fixed {format_count(n_fixed, 'problem')}{where}")
    if not is_done:
        print_error(
            f"stopped after {MAX_ROUNDS} rounds of fixes, of which each made others possible; run the command again"
        )
    return list(files), list(run.problems.values()), is_done


class _FileFixer:
    """The fixes of files so far."""

    def __init__(self, settings_of: Callable[[Path], Settings], args: argparse.Namespace) -> None:
        self.settings_of = settings_of
        self.args = args
        self.n_fixed: dict[str, int] = {}
        """Name and number of fixes of each file that was changed."""
        self.texts: dict[str, NamedFile] = {}
        """The current text of standard input."""
        self.problems: dict[str, str] = {}
        """Name of each file that cannot be read or written, and the reason."""

    def with_text(self, files: Sequence[NamedFile]) -> Sequence[NamedFile]:
        """Return the files, standard input with its text, as it can be read only once; without it if unreadable."""
        named_files: list[NamedFile] = []
        for named in files:
            try:
                named_files.append(named if named.path else replace(named, text=read_named(named)[0]))
            except UnusableInputError as reason:
                self.problems[named.name] = str(reason)
                print_error(str(reason))
        return named_files

    def fix_all(self, gathered: GatheredTexts) -> bool:
        """Fix each file that has fixes; return True if any was changed."""
        results = check_all([each for _, inputs in gathered.files for each in inputs])
        findings_by_file = [tuple(chain.from_iterable(islice(results, len(inputs)))) for _, inputs in gathered.files]
        results.close()
        is_changed = [
            self._fix_file(named, inputs, gathered)
            for (named, inputs), findings in zip(gathered.files, findings_by_file, strict=True)
            if self._has_fix(named, findings)
        ]
        return any(is_changed)

    def _has_fix(self, named: NamedFile, findings: Sequence[Finding]) -> bool:
        fixes = (diagnostic.fix for diagnostic, _ in findings if diagnostic.fix)
        return named.name not in self.problems and any(self.args.unsafe or fix.is_safe for fix in fixes)

    def _fix_file(self, named: NamedFile, own: Sequence[Input], gathered: GatheredTexts) -> bool:
        """Fix a file: all that can be fixed, or nothing if it cannot be written; return True if it was changed."""
        text, name = read_named(named)
        fixed = self._fix_text(text, named, own, gathered)
        if fixed.text == text:
            return False
        if named.path is None:
            self.texts[name] = replace(named, text=fixed.text)
        elif not _write_file(named, named.path, fixed.text):
            self.problems[name] = f"{name}: cannot be written"
            return False
        self.n_fixed[name] = self.n_fixed.get(name, 0) + fixed.n_fixed
        return True

    def _fix_text(self, text: str, named: NamedFile, own: Sequence[Input], gathered: GatheredTexts) -> Fixed:
        # The texts of the file would count as users of themselves.
        site = gathered.site.without_texts(each.text.source.text for each in own)
        config = replace(self.settings_of(named.folder).config, snippet=self.args.snippet)

        def read(current: str) -> list[Input]:
            changed, used = replace(named, text=current), gathered.used_files
            return read_inputs(changed, config, range_mode=self.args.range, site=site, used_files=used)

        return fix(text, read, unsafe=self.args.unsafe, page_kind=named.kind if named.is_page else None)


def _write_file(named: NamedFile, path: Path, text: str) -> bool:
    """Write a file, with a byte order mark if it has one; return True on success."""
    mark = codecs.BOM_UTF8 if is_marked(path) else b""
    return replace_found(named, mark + text.encode("utf-8"))
