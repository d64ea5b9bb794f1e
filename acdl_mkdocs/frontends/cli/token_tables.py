"""Token counts of `acdl tokens` as a table for the terminal, as Markdown and as JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports.comment_markdown import code
from acdl_mkdocs.foundation.safe_text import json_text, visible
from acdl_mkdocs.foundation.text_width import columns
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.tokens.compare import OWN_PARTS as PARTS
from acdl_mkdocs.prompts.tokens.compare import Comparison, Costs, PromptWeights
from acdl_mkdocs.prompts.tokens.spellings import BASE

VERSION = 1
"""Incremented when a key of the JSON changes its meaning or disappears."""

Cells = tuple[str, ...]
_NONE = "-"
_BASE = "a compact request of OpenAI Chat"


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of one prompt or text."""

    name: str
    weights: Sequence[PromptWeights]
    """The counts in each encoding."""
    compared: Sequence[Comparison] = ()
    left_out: Sequence[str] = field(default=())
    """Parts that the comparisons leave out."""


def _terminal(file: str, counted: Sequence[Counted]) -> str:
    del file
    return "\n".join("".join(f"{line}\n" for line in _lines(each)) for each in counted)


def _lines(counted: Counted) -> Iterator[str]:
    yield f"{visible(counted.name)}: model tokens"
    yield ""
    yield from _aligned(_weights_cells(counted.weights))
    for comparison in counted.compared:
        yield ""
        yield f"The same in other spellings, {comparison.encoding}; ratios to {BASE}, {_BASE}:"
        yield ""
        yield from _aligned(_cells(comparison, _count))
        yield ""
        yield from _aligned(_cells(comparison, _ratio))
    if counted.compared:
        yield ""
        yield from _notes(counted)


def _aligned(cells: Sequence[Cells]) -> Iterator[str]:
    """Align rows: the first column left, the others right."""
    widths = [max(columns(row[at]) for row in cells) for at in range(len(cells[0]))]
    for row in cells:
        rest = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  " + "  ".join([f"{row[0]:<{widths[0]}}", *rest])


def _weights_cells(found: Sequence[PromptWeights]) -> list[Cells]:
    rows = [
        (part, *(_shown(each, each.model_tokens[part]) for each in found))
        for part in PARTS
        if part in found[0].model_tokens
    ]
    return [("", *(each.encoding for each in found)), *rows, ("total", *(_shown(each, each.total) for each in found))]


def _shown(found: PromptWeights | Comparison, number: int) -> str:
    """Format a count; it is marked if it may differ from a model's count."""
    return f"{'≈' if found.is_estimate else ''}{number:,}"


def _cells(comparison: Comparison, cell: Callable[[Comparison, Costs, str], str]) -> list[Cells]:
    shown = [each for each in comparison.costs if any(each.model_tokens.values())]
    rows = [(each.spelling, *(cell(comparison, each, part) for part in comparison.parts)) for each in shown]
    return [("", *comparison.parts), *rows]


def _count(comparison: Comparison, costs: Costs, part: str) -> str:
    return _shown(comparison, costs.model_tokens[part]) if part in costs.model_tokens else _NONE


def _ratio(comparison: Comparison, costs: Costs, part: str) -> str:
    ratio = comparison.ratio(costs, part)
    return _NONE if ratio is None else f"{ratio:.2f}"


def _both(comparison: Comparison, costs: Costs, part: str) -> str:
    ratio = comparison.ratio(costs, part)
    return _count(comparison, costs, part) + ("" if ratio is None or costs.spelling == BASE else f" ({ratio:.2f})")


def _notes(counted: Counted) -> Iterator[str]:
    """Yield what spellings lose; those that lose nothing are left out."""
    by_loss: dict[tuple[str, ...], list[str]] = {}
    for each in counted.compared[0].costs:
        if each.lost:
            by_loss.setdefault(each.lost, []).append(each.spelling)
    for lost, spellings in by_loss.items():
        yield f"lossy: {', '.join(spellings)}, without {'; '.join(lost)}"
    if counted.left_out:
        yield f"left out of every spelling: {'; '.join(counted.left_out)}"


def _markdown(file: str, counted: Sequence[Counted]) -> str:
    del file
    return "\n".join("".join(f"{line}\n" for line in _markdown_lines(each)) for each in counted)


def _markdown_lines(counted: Counted) -> Iterator[str]:
    yield f"**{code(counted.name)}**, model tokens"
    yield ""
    yield from _table(_weights_cells(counted.weights))
    for comparison in counted.compared:
        yield ""
        yield f"The same in other spellings, {comparison.encoding}, with ratios to {BASE}, {_BASE}"
        yield ""
        yield from _table(_cells(comparison, _both))
    notes = list(_notes(counted)) if counted.compared else []
    yield from ([""] if notes else [])
    yield from (f"- {_plain(note)}" for note in notes)


def _table(cells: Sequence[Cells]) -> Iterator[str]:
    rule = ("---", *("--:" for _ in cells[0][1:]))
    yield from (f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:]))


def _plain(text: str) -> str:
    """Escape text that Markdown would interpret."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>|#" else each for each in text)


def _json(file: str, counted: Sequence[Counted]) -> str:
    prompts: list[Json] = [_object(each) for each in counted]
    whole: dict[str, Json] = {"schema_version": VERSION, "file": file, "prompts": prompts}
    return json_text(whole, 2) + "\n"


def _object(counted: Counted) -> Json:
    return {
        "name": counted.name,
        "counts": [
            {
                "encoding": each.encoding,
                "is_estimate": each.is_estimate,
                "total": each.total,
                "parts": dict(each.model_tokens),
            }
            for each in counted.weights
        ],
        "comparisons": [
            {
                "encoding": each.encoding,
                "is_estimate": each.is_estimate,
                "spellings": [_spelling(each, costs) for costs in each.costs],
            }
            for each in counted.compared
        ],
        "left_out": list(counted.left_out) if counted.compared else [],
    }


def _spelling(comparison: Comparison, costs: Costs) -> Json:
    ratios = {part: comparison.ratio(costs, part) for part in costs.model_tokens}
    return {
        "spelling": costs.spelling,
        "is_lossless": not costs.lost,
        "lost": list(costs.lost),
        "parts": dict(costs.model_tokens),
        "ratios": {part: round(ratio, 4) for part, ratio in ratios.items() if ratio is not None},
    }


TABLES: Mapping[str, Callable[[str, Sequence[Counted]], str]] = {
    "terminal": _terminal,
    "json": _json,
    "markdown": _markdown,
}
"""The output formats, as functions of the file and the counts."""
