"""Compare two texts for `acdl diff`: as specs, and by their messages with a state."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.app.compare import Side, SideState, compare_sent
from acdl_mkdocs.app.compare import compare as compare_sides
from acdl_mkdocs.app.understood import ResolvedText
from acdl_mkdocs.compare.choose_specs import definition_names
from acdl_mkdocs.compare.formats import format_difference
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.revisions import commit_of, read_revision, split_revision
from acdl_mkdocs.compare.sent.sent import SentDifference
from acdl_mkdocs.compare.sent.summary import sent_verdict
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.drawing import write_figure
from acdl_mkdocs.frontends.cli.messages import StoppedError, clear_bar, print_error, should_color, show_bar
from acdl_mkdocs.frontends.cli.spec_and_state import choose_input, inputs_of, state_file_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.workspace.files import UnreadableFileError, decode_text
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, read_inputs
from acdl_mkdocs.workspace.project import project_of
from acdl_mkdocs.workspace.revision_uses import files_of_revision
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import load_settings


@dataclass(frozen=True, slots=True)
class ComparedText:
    """One of the two texts."""

    input: Input
    resolved: Resolved
    path: str
    """The path of its file, also for a revision of the file."""
    spec: str | None
    """The definition that is compared; by default the whole text."""
    range: RangeMode
    """How ranges are read if the text does not specify it."""

    @property
    def side(self) -> Side:
        """The text for `app`."""
        config = replace(self.input.config, range=self.range)
        return Side(ResolvedText(self.resolved, config, self.input.text.findings), self.spec)

    @property
    def parsed(self) -> Parsed:
        """The tree of the text."""
        return self.resolved.parsed


def read_text(
    name: str, spec: str | None = None, range_mode: RangeMode | None = None, other: str | None = None
) -> ComparedText:
    """Read a text named as `a.acdl`, `a.acdl#Name`, `HEAD~1:a.acdl`, `page.md#Name` or `-`.

    Parameters:
        name: The text.
        spec: The definition that is compared; by default the whole text.
        range_mode: How ranges are read, overriding the text.
        other: The definition of the other text: of a page with several, the block of that name is taken.

    Raises:
        UnusableInputError: It cannot be read.
        AcdlError: It does not exist.
    """
    path, behind = _split_name(name)
    spec = spec or behind
    revised = split_revision(path)
    inputs = inputs_of(path) if revised is None else _read_revision(*revised, path)
    spec_input = choose_input(inputs, spec or other, path)
    mode = range_mode or spec_input.text.options.range
    return ComparedText(spec_input, spec_input.examine_names().resolved, revised[1] if revised else path, spec, mode)


def texts_of(name: str, path: str, data: bytes, range_mode: RangeMode | None = None) -> dict[str, ComparedText]:
    """Return the texts of file contents: the whole under an empty name, or each block of a page by its spec.

    Parameters:
        name: The display name of the file: `main:docs/page.md`.
        path: Its path below the compared folder, whose suffix determines its kind.
        data: Its contents.
        range_mode: How ranges are read, overriding the file.

    Raises:
        UnusableInputError: It is not text.
    """
    texts: dict[str, ComparedText] = {}
    revised = split_revision(name)
    file_name = revised[1] if revised else name
    for number, each in enumerate(_inputs_of(data, name), 1):
        resolved = each.examine_names().resolved
        named = definition_names(resolved.parsed)
        key = "" if not path.lower().endswith((".md", ".markdown")) else named[0] if named else f"block-{number}"
        text = ComparedText(each, resolved, file_name, None, range_mode or each.text.options.range)
        texts.setdefault(key if key not in texts else f"{key}-{number}", text)
    return texts


def print_text_problems(text: ComparedText) -> None:
    """Print syntax errors of a text, and files that it uses from another revision."""
    name = text.parsed.source.name
    if text.parsed.diagnostics:
        n_errors = format_count(len(text.parsed.diagnostics), "syntax error")
        print_error(f"{name} has {n_errors}, and what is not understood is compared as text")
    for problem, source in text.input.text.findings:
        if problem.severity == "error":
            print_error(f"{name}:{source.find_place(problem.label.span.start).line}: {problem.message}")


def _split_name(name: str) -> tuple[str, str | None]:
    """Return a path, and the name of a definition after `#` if there is no file of the whole name."""
    path, sign, behind = name.rpartition("#")
    if not sign or not path or os.path.exists(name):
        return name, None
    return path, behind or None


def _read_revision(revision: str, path: str, name: str) -> list[Input]:
    """Return the texts of a file in a revision."""
    inputs = _inputs_of(read_revision(revision, path), name)
    if not inputs:
        raise UnusableInputError(f"{name}: has no acdl blocks")
    return inputs


def _inputs_of(data: bytes, name: str) -> list[Input]:
    """Return the texts of given file contents under another name than its path.

    Files that they use are read from the same place: the revision in the name, or the working files.
    """
    try:
        text = make_printable(decode_text(data))
    except UnreadableFileError as reason:
        raise UnusableInputError(f"{name} {reason}") from None
    revised = split_revision(name)
    named = NamedFile(Path(revised[1] if revised else name), Path("spec"), text=text)
    used = files_of_revision(commit_of(revised[0]), revised[0], project_of(Path(revised[1]))) if revised else None
    config = Config(range=load_settings(named.folder).config.range, snippet=True)
    inputs = read_inputs(named, config, used_files=used)
    return [replace(each, text=replace(each.text, source=replace(each.text.source, name=name))) for each in inputs]


def compare_texts(args: argparse.Namespace) -> int:
    """Read both texts, compare them and show the difference; return the exit status of the command.

    Raises:
        AcdlError, UnusableInputError, StoppedError: Something does not exist or cannot be read.
    """
    old = read_text(args.old, args.spec, args.range, args.new_spec)
    new = read_text(args.new, args.new_spec, args.range, old.spec)
    difference = compare_structure(old, new)
    sent_difference = compare_messages(old, new, args, difference) if is_sent_wanted(args) else None
    for each in (old, new):
        print_text_problems(each)
    is_shown = args.output in (None, "-")
    options = CompareOptions(
        color=is_shown and should_color(args.color, sys.stdout), sent=sent_difference, is_side_by_side=args.side_by_side
    )
    if sent_difference is not None and args.format == "svg":
        print_error(f"a figure does not show the messages: {sent_verdict(sent_difference)}")
    has_color = options.color and args.format == "text"
    path = None if is_shown else Path(args.output)
    is_written = write_figure(format_difference(difference, args.format, options), path, has_color=has_color)
    return status_of(difference, sent_difference, args.exit) if is_written else 2


def compare_structure(old: ComparedText, new: ComparedText) -> Difference:
    """Compare the specs.

    Raises:
        UnknownSpecError: A text has no spec of the requested name.
    """
    return compare_sides(old.side, new.side)


def compare_messages(
    old: ComparedText, new: ComparedText, args: argparse.Namespace, difference: Difference | None = None
) -> SentDifference:
    """Compare the messages of both; on a terminal a progress bar is shown.

    Parameters:
        old: The one text.
        new: The other.
        args: The arguments of the command.
        difference: Between the specs, if known: if they are equal, only one is evaluated.

    Raises:
        StoppedError: There is no state, or it has errors.
        AcdlError: A spec, a state or a point does not exist.
    """
    from acdl_mkdocs.prompts.tokens.counter import counter  # loads vocabularies

    state = SideState(_choose_state(args.state, old, args))
    new_state = None if args.new_state is None else SideState(_choose_state(args.new_state, new, args))
    return compare_sent(
        (old.side, new.side),
        (state, new_state),
        args.at,
        args.range,
        counter=None if args.tokens == "none" else counter(args.tokens),
        difference=difference,
        track=_with_bar,
    )


def _with_bar(points: Sequence[Time]) -> Iterator[Time]:
    """Yield points one after another while a progress bar is shown on a terminal."""
    for number, point in enumerate(points):
        if number:
            show_bar(number, len(points))
        yield point
    clear_bar()


def is_sent_wanted(args: argparse.Namespace) -> bool:
    """Return whether any option asks for a comparison of messages."""
    return any(each is not None for each in (args.state, args.new_state, args.at))


def status_of(difference: Difference, sent_difference: SentDifference | None, wanted: str | None) -> int:
    """Return 0 for equal, 1 for different, 2 if that could not be decided.

    Parameters:
        difference: Between the specs.
        sent_difference: Between their messages.
        wanted: `structure` or `sent`; by default it depends on whether a state was given.
    """
    if (wanted or ("structure" if sent_difference is None else "sent")) == "structure":
        return 0 if difference.is_empty else 1
    if sent_difference is None:
        return 0 if difference.is_equal_sent else 1
    if sent_difference.first_difference is not None:
        return 1
    # even if some points are undecided
    is_equal = difference.is_equal_sent and sent_difference.is_one_state and not sent_difference.failed
    return 0 if sent_difference.is_same or is_equal else 2


def _choose_state(state_path: str | None, text: ComparedText, args: argparse.Namespace) -> State:
    """Return the named state, or the one beside the text."""
    file = state_file_of(state_path, text.path, definition_names(text.parsed), text.spec)
    if file is None:
        raise StoppedError(f"there is no state beside {text.path}; name one with `--state FILE`")
    _print_problems(file.problems, file.source, args)
    if file.state is None or file.has_errors:
        raise StoppedError(f"{file.source.name} has errors, so its messages cannot be compared")
    return file.state


def _print_problems(problems: Sequence[Diagnostic], source: Source, args: argparse.Namespace) -> None:
    serious = [each for each in problems if each.severity != "note"]
    if serious:
        from acdl_mkdocs.foundation.reports.options import ReportOptions
        from acdl_mkdocs.foundation.reports.terminal import report

        print(report(serious, source, ReportOptions(color=should_color(args.color, sys.stderr))), file=sys.stderr)
