"""How a prompt grows from point to point: a table, and whether a cache of prompts can use what was sent before."""

from collections.abc import Sequence
from itertools import pairwise

from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.transcripts.compare import Comparison, compare
from acdl_mkdocs.transcripts.options import Shown, ShowOptions
from acdl_mkdocs.transcripts.weights import weigh

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
