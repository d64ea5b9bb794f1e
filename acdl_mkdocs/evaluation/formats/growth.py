"""The growth of a prompt from point to point as a table, and whether a prompt cache can reuse the earlier prompt."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from acdl_mkdocs.evaluation.formats import TranscriptOptions, TranscriptOutput
from acdl_mkdocs.evaluation.transcript import SentMessage, Transcript
from acdl_mkdocs.evaluation.weights import weigh_transcript
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible

Change: TypeAlias = Literal["kept", "changed", "new"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A prompt beside an earlier one."""

    changes: tuple[Change, ...]
    """The change of each message of the later prompt."""
    n_removed: int
    """Number of messages of the earlier prompt that the later one lacks, even in a changed form."""
    same: int
    """Number of messages that the prompts have in common from the beginning, which a prompt cache can reuse."""
    is_prefix: bool
    """Whether the earlier prompt is a prefix of the later one."""

    def count_messages(self, change: Change) -> int:
        """Count the messages of the later prompt with that change."""
        return self.changes.count(change)


def compare_transcripts(earlier: Transcript, later: Transcript) -> Comparison:
    """Compare the messages of a prompt with those of an earlier one."""
    old, new = [_get_content(each) for each in earlier.messages], [_get_content(each) for each in later.messages]
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
            places[_get_position(message)] += 1
    for at, message in enumerate(later.messages):
        position = _get_position(message) if changes[at] == "new" else ""
        if position and places[position] > 0:
            places[position] -= 1
            changes[at] = "changed"
    return Comparison(tuple(changes), places.total(), same, same == len(old))


def _get_content(message: SentMessage) -> tuple[str, str, str]:
    parts = [piece.parts for piece in message.pieces if piece.parts]
    return message.role, message.text, repr(parts) if parts else ""


def _get_position(message: SentMessage) -> str:
    rounds = [(each.kind, each.name, each.value) for each in message.stack]
    return f"{message.origin.source.name} {message.origin.span} {rounds}"


_HEADS = ("at", "messages", "new", "changed", "gone")


def write(transcripts: Sequence[Transcript], options: TranscriptOptions) -> TranscriptOutput:
    """Return a table with one row for each point."""
    compared = [None, *(compare_transcripts(*pair) for pair in pairwise(transcripts))]
    weights = [weigh_transcript(each, options.counter) if options.counter else None for each in transcripts]
    heads = [*_HEADS, *(("model tokens", "more") if options.counter else ()), "begins with"]
    rows = [heads]
    for number, (transcript, comparison, weight) in enumerate(zip(transcripts, compared, weights, strict=True)):
        row = [f"@{transcript.at}", f"{len(transcript.messages):,}", *_format_changes(comparison)]
        if weight:
            before = weights[number - 1] if number else None
            row += [weight.format_count(weight.total), f"{weight.total - before.total:+,}" if before else ""]
        rows.append([*row, _format_kept(comparison, transcripts[number - 1]) if comparison else ""])
    first = transcripts[0]
    encoding = f", model tokens in {options.counter.encoding}" if options.counter else ""
    title = (
        f"{make_visible(first.spec) or 'The text'}, {first.range} ranges ({make_visible(first.source.name)}){encoding}"
    )
    return TranscriptOutput("\n".join([title, "", *_format_table(rows)]) + "\n")


def _format_changes(comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return ["", "", ""]
    return [str(comparison.count_messages("new")), str(comparison.count_messages("changed")), str(comparison.n_removed)]


def _format_kept(comparison: Comparison, earlier: Transcript) -> str:
    """Describe how much of the earlier prompt is a prefix of this one."""
    if comparison.is_prefix:
        return f"all of @{earlier.at}"
    return f"{comparison.same} of {len(earlier.messages)} messages of @{earlier.at}"


def _format_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align columns: numbers to the right, the first and the last column to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if at in (0, len(row) - 1) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
