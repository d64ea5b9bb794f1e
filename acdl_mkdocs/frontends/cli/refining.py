"""Write the spec that `acdl infer --into` refined, with its states and its report, and show what changed."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from acdl_mkdocs.app.infer import Inferred, Refinement
from acdl_mkdocs.app.infer_report import build_report, describe_inferred
from acdl_mkdocs.compare.formats import format_difference
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.frontends.cli.inferring import STANDARD, STATE, explain_existing, write_files
from acdl_mkdocs.frontends.cli.messages import StoppedError, print_error, should_color
from acdl_mkdocs.frontends.cli.writing import format_for_stdout, is_marked, replace_file
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.states import find_states, list_states


def write_refined(inferred: Inferred, refinement: Refinement, args: argparse.Namespace) -> None:
    """Write what a refinement changed, and print the difference and what the spec is worth.

    Raises:
        StoppedError: A file exists already, or cannot be written.
    """
    report = json_text(build_report(inferred, args.into)) + "\n"
    replaced = _list_replaced(inferred, refinement, args)
    files = dict(_list_new_states(inferred, args))
    if args.output not in (None, STANDARD):
        files[Path(args.output)] = inferred.text
    if args.report not in (None, STANDARD):
        files[Path(args.report)] = report
    written: list[str] = []
    if not args.check:
        existing = [str(path) for path in files if os.path.lexists(path)]
        if existing and not args.force:
            raise StoppedError(explain_existing(existing))
        for path, text in replaced.items():
            mark = b"\xef\xbb\xbf" if is_marked(path) else b""
            if not replace_file(path, mark + text.encode("utf-8")):
                raise StoppedError(f"not all was made: {path}")
        written = [*map(str, replaced), *write_files(files, is_forced=args.force)]
    _print_difference(inferred, refinement, report, args)
    for sentence in describe_inferred(inferred, args.into):
        print_error(sentence)
    if written:
        print_error(f"made {', '.join(written)}")


def _print_difference(inferred: Inferred, refinement: Refinement, report: str, args: argparse.Namespace) -> None:
    """Print what changed, or in its place what goes to standard output."""
    if STANDARD in (args.output, args.report):
        sys.stdout.write(format_for_stdout(inferred.text if args.output == STANDARD else report))
    elif refinement.is_changed:
        options = CompareOptions(color=should_color(args.color, sys.stdout))
        shown = format_difference(refinement.difference, "text", options)
        sys.stdout.write(format_for_stdout(shown, has_color=options.color))


def _list_replaced(inferred: Inferred, refinement: Refinement, args: argparse.Namespace) -> Mapping[Path, str]:
    """Return the files of before that change: the spec and its states, unless the spec goes elsewhere."""
    if args.output is not None:
        return {}
    states = {Path(name): text for name, text in refinement.states.items()}
    return {Path(args.into): inferred.text, **states} if refinement.is_changed else states


def _list_new_states(inferred: Inferred, args: argparse.Namespace) -> Iterator[tuple[Path, str]]:
    """Yield the states of new runs: of the longest one where a prompt has no state, of all if they are asked for."""
    if args.output == STANDARD and args.state is None:
        return
    file = Path(args.into if args.output in (None, STANDARD) else args.output)
    names = [each.name for each in inferred.prompts]
    states, taken = find_states(file, names, FolderNames()), set(list_states(file, names, FolderNames()))
    stem = file.name.removesuffix(file.suffix)
    is_first = True
    for prompt in inferred.prompts:
        known = states.find_state_named(prompt.name)
        made = [text for text in prompt.states if text]
        if args.state is not None and is_first and made:
            known = Path(args.state)
            yield known, made.pop(0)
        for text in made if args.all_states else made[: known is None]:
            path = _name_state(file, stem if is_first else f"{stem}.{prompt.name}", taken)
            taken.add(path)
            yield path, text
        is_first = False


def _name_state(file: Path, words: str, taken: set[Path]) -> Path:
    """Return the first name of a state that no file has."""
    names = (f"{words}{STATE}" if number == 1 else f"{words}.take{number}{STATE}" for number in count(1))
    return next(path for path in map(file.with_name, names) if path not in taken)
