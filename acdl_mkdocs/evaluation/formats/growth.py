"""How a prompt grows from point to point: a table, and whether a cache of prompts can use what was sent before."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.formats import Shown, ShowOptions
from acdl_mkdocs.evaluation.transcript import SentMessage, Transcript
from acdl_mkdocs.evaluation.weights import weigh
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import visible

Change: TypeAlias = Literal["kept", "changed", "new"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A prompt beside an earlier one."""

    changes: tuple[Change, ...]
    """What became of each message of the later prompt."""
    gone: int
    """How many messages of the earlier prompt the later one has neither as they were nor changed."""
    same: int
    """How many messages the two prompts have in common from the beginning: what a cache of prompts can use."""
    is_prefix: bool
    """Whether all of the earlier prompt stands at the beginning of the later one."""

    def count(self, change: Change) -> int:
        """How many messages of the later prompt are so."""
        return self.changes.count(change)


def compare(earlier: Transcript, later: Transcript) -> Comparison:
    """The messages of a prompt beside those of an earlier one."""
    old, new = [_content(each) for each in earlier.messages], [_content(each) for each in later.messages]
    same = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    unmatched = Counter(old)
    changes: list[Change] = []
    for content in new:
        is_kept = unmatched[content] > 0
        unmatched[content] -= is_kept
        changes.append("kept" if is_kept else "new")
    places = Counter[str]()
    for message, content in zip(reversed(earlier.messages), reversed(old), strict=True):
        if unmatched[content] > 0:
            unmatched[content] -= 1
            places[_place(message)] += 1
    for at, message in enumerate(later.messages):
        place = _place(message) if changes[at] == "new" else ""
        if place and places[place] > 0:
            places[place] -= 1
            changes[at] = "changed"
    return Comparison(tuple(changes), places.total(), same, same == len(old))


def _content(message: SentMessage) -> tuple[str, str, str]:
    parts = [piece.parts for piece in message.pieces if piece.parts]
    return message.role, message.text, repr(parts) if parts else ""


def _place(message: SentMessage) -> str:
    rounds = [(each.kind, each.name, each.value) for each in message.stack]
    return f"{message.origin.source.name} {message.origin.span} {rounds}"


_HEADS = ("at", "messages", "new", "changed", "gone")


def show(transcripts: Sequence[Transcript], options: ShowOptions) -> Shown:
    """One row a point."""
    compared = [None, *(compare(*pair) for pair in pairwise(transcripts))]
    weights = [weigh(each, options.counter) if options.counter else None for each in transcripts]
    heads = [*_HEADS, *(("model tokens", "more") if options.counter else ()), "begins with"]
    rows = [heads]
    for number, (transcript, comparison, weight) in enumerate(zip(transcripts, compared, weights, strict=True)):
        row = [f"@{transcript.at}", f"{len(transcript.messages):,}", *_changes(comparison)]
        if weight:
            before = weights[number - 1] if number else None
            row += [weight.shown(weight.total), f"{weight.total - before.total:+,}" if before else ""]
        rows.append([*row, _kept(comparison, transcripts[number - 1]) if comparison else ""])
    first = transcripts[0]
    encoding = f", model tokens in {options.counter.encoding}" if options.counter else ""
    title = f"{visible(first.spec) or 'The text'}, {first.range} ranges ({visible(first.source.name)}){encoding}"
    return Shown("\n".join([title, "", *_table(rows)]) + "\n")


def _changes(comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return ["", "", ""]
    return [str(comparison.count("new")), str(comparison.count("changed")), str(comparison.gone)]


def _kept(comparison: Comparison, earlier: Transcript) -> str:
    """How much of the earlier prompt stands at the beginning."""
    if comparison.is_prefix:
        return f"all of @{earlier.at}"
    return f"{comparison.same} of {len(earlier.messages)} messages of @{earlier.at}"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of equal width, numbers at the right of theirs; the first and the last are words."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if at in (0, len(row) - 1) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
