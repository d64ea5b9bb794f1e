"""Compare two texts as `acdl diff` is asked to: as specs, and by what they send with a state."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from acdl_mkdocs.cli.compared_texts import ComparedText, read_text, say_problems
from acdl_mkdocs.cli.drawing import write
from acdl_mkdocs.cli.messages import StoppedError, clear_bar, complain, show_bar, use_color
from acdl_mkdocs.cli.spec_and_state import state_file_of
from acdl_mkdocs.compare.choose_specs import definition_names, diff_named
from acdl_mkdocs.compare.formats import show
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.sent import SentDifference, Wanted, points_of, senders, sent_difference
from acdl_mkdocs.compare.sent.summary import sent_verdict
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source


def compare(args: argparse.Namespace) -> int:
    """Read both texts, compare them and show the difference; the exit status of the command.

    Raises:
        AcdlError, UnusableInputError, StoppedError: Something is not there or cannot be read.
    """
    old = read_text(args.old, args.spec, args.range, args.new_spec)
    new = read_text(args.new, args.new_spec, args.range, old.spec)
    difference = structural(old, new)
    found = sent(old, new, args, difference) if is_sent_wanted(args) else None
    for each in (old, new):
        say_problems(each)
    is_shown = args.output in (None, "-")
    options = CompareOptions(
        color=is_shown and use_color(args.color, sys.stdout), sent=found, is_side_by_side=args.side_by_side
    )
    if found is not None and args.format == "svg":
        complain(f"a drawing does not show what is sent: {sent_verdict(found)}")
    has_color = options.color and args.format == "text"
    path = None if is_shown else Path(args.output)
    is_written = write(show(difference, args.format, options), path, has_color=has_color)
    return status(difference, found, args.exit) if is_written else 2


def structural(old: ComparedText, new: ComparedText) -> Difference:
    """What changed between the specs.

    Raises:
        UnknownSpecError: A text has no spec of the name that is asked for.
    """
    resolved = old.resolved, new.resolved
    return diff_named(old.parsed, new.parsed, old.spec, new.spec, (old.range, new.range), resolved)


def sent(
    old: ComparedText, new: ComparedText, args: argparse.Namespace, difference: Difference | None = None
) -> SentDifference:
    """What changed between what they send; on a terminal a bar shows how far it is.

    Parameters:
        old: The one text.
        new: The other.
        args: Those of the command.
        difference: Between the specs, if that is known: where there is none, one of them is evaluated.

    Raises:
        StoppedError: There is no state, or it has errors.
        AcdlError: A spec, a state or a point is not there.
    """
    from acdl_mkdocs.prompts.tokens.counter import counter  # loads vocabularies

    old_state = _state(args.state, old, args)
    new_state = old_state if args.new_state is None else _state(args.new_state, new, args)
    wanted = Wanted(old.spec, new.spec, args.range, (old.range, new.range))
    sides = senders(old.resolved, new.resolved, old_state, None if args.new_state is None else new_state, wanted)
    points = _with_bar(points_of(args.at, old_state, new_state))
    is_equal = difference is not None and difference.is_empty and old_state is new_state
    return sent_difference(*sides, points, None if args.tokens == "none" else counter(args.tokens), is_equal=is_equal)


def _with_bar(points: Sequence[Time]) -> Iterator[Time]:
    """Points, one after another, while a bar shows on a terminal how many are done."""
    for number, point in enumerate(points):
        if number:
            show_bar(number, len(points))
        yield point
    clear_bar()


def is_sent_wanted(args: argparse.Namespace) -> bool:
    """Whether anything asks for what is sent."""
    return any(each is not None for each in (args.state, args.new_state, args.at))


def status(difference: Difference, found: SentDifference | None, wanted: str | None) -> int:
    """0 for the same, 1 for a difference, 2 where that could not be told.

    Parameters:
        difference: Between the specs.
        found: Between what they send.
        wanted: `structure` or `sent`; without it what was asked for by giving a state or none.
    """
    if (wanted or ("structure" if found is None else "sent")) == "structure":
        return 0 if difference.is_empty else 1
    if found is None:
        return 0 if difference.is_equal_sent else 1
    if found.first_difference is not None:
        return 1
    is_told = difference.is_equal_sent and found.is_one_state and not found.failed  # whatever is not decided
    return 0 if found.is_same or is_told else 2


def _state(given: str | None, text: ComparedText, args: argparse.Namespace) -> State:
    """A state that was named, or the one beside the text."""
    file = state_file_of(given, text.path, definition_names(text.parsed), text.spec)
    if file is None:
        raise StoppedError(f"there is no state beside {text.path}; name one with `--state FILE`")
    _print(file.problems, file.source, args)
    if file.state is None or file.has_errors:
        raise StoppedError(f"{file.source.name} has errors, so nothing can be said of what is sent")
    return file.state


def _print(problems: Sequence[Diagnostic], source: Source, args: argparse.Namespace) -> None:
    shown = [each for each in problems if each.severity != "note"]
    if shown:
        from acdl_mkdocs.foundation.reports.options import ReportOptions
        from acdl_mkdocs.foundation.reports.terminal import report

        print(report(shown, source, ReportOptions(color=use_color(args.color, sys.stderr))), file=sys.stderr)
