"""Token counts of `acdl tokens` as a table for the terminal, as Markdown and as JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports.comment_markdown import format_code
from acdl_mkdocs.foundation.safe_text import json_text, make_visible
from acdl_mkdocs.foundation.text_width import count_columns
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.tokens.compare import OWN_PARTS as PARTS
from acdl_mkdocs.prompts.tokens.compare import Comparison, Costs, PromptWeights
from acdl_mkdocs.prompts.tokens.spellings import BASE

VERSION = 1
"""Incremented when a key of the JSON changes its meaning or is removed."""

Cells = tuple[str, ...]
_NONE = "-"
_BASE = "a compact request of OpenAI Chat"


@dataclass(frozen=True, slots=True)
class CountedPrompt:
    """The counts of one prompt or text."""

    name: str
    weights: Sequence[PromptWeights]
    """The counts in each encoding."""
    compared: Sequence[Comparison] = ()
    left_out: Sequence[str] = field(default=())
    """Parts that the comparisons leave out."""


def _format_terminal(file: str, counted: Sequence[CountedPrompt]) -> str:
    del file
    return "\n".join("".join(f"{line}\n" for line in _format_lines(each)) for each in counted)


def _format_lines(counted: CountedPrompt) -> Iterator[str]:
    yield f"{make_visible(counted.name)}: model tokens"
    yield ""
    yield from _align_rows(_weights_cells(counted.weights))
    for comparison in counted.compared:
        yield ""
        yield f"The same in other spellings, {comparison.encoding}; ratios to {BASE}, {_BASE}:"
        yield ""
        yield from _align_rows(_build_cells(comparison, _format_cost))
        yield ""
        yield from _align_rows(_build_cells(comparison, _format_ratio))
    if counted.compared:
        yield ""
        yield from _list_losses(counted)


def _align_rows(cells: Sequence[Cells]) -> Iterator[str]:
    """Align rows: the first column left, the others right."""
    widths = [max(count_columns(row[at]) for row in cells) for at in range(len(cells[0]))]
    for row in cells:
        rest = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  " + "  ".join([f"{row[0]:<{widths[0]}}", *rest])


def _weights_cells(weights: Sequence[PromptWeights]) -> list[Cells]:
    rows = [
        (part, *(_format_count(each, each.model_tokens[part]) for each in weights))
        for part in PARTS
        if part in weights[0].model_tokens
    ]
    return [
        ("", *(each.encoding for each in weights)),
        *rows,
        ("total", *(_format_count(each, each.total) for each in weights)),
    ]


def _format_count(counts: PromptWeights | Comparison, number: int) -> str:
    """Format a count; it is marked if it may differ from a model's count."""
    return f"{'≈' if counts.is_estimate else ''}{number:,}"


def _build_cells(comparison: Comparison, cell: Callable[[Comparison, Costs, str], str]) -> list[Cells]:
    costs = [each for each in comparison.costs if any(each.model_tokens.values())]
    rows = [(each.spelling, *(cell(comparison, each, part) for part in comparison.parts)) for each in costs]
    return [("", *comparison.parts), *rows]


def _format_cost(comparison: Comparison, costs: Costs, part: str) -> str:
    return _format_count(comparison, costs.model_tokens[part]) if part in costs.model_tokens else _NONE


def _format_ratio(comparison: Comparison, costs: Costs, part: str) -> str:
    ratio = comparison.compute_ratio(costs, part)
    return _NONE if ratio is None else f"{ratio:.2f}"


def _format_cost_and_ratio(comparison: Comparison, costs: Costs, part: str) -> str:
    ratio = comparison.compute_ratio(costs, part)
    return _format_cost(comparison, costs, part) + (
        "" if ratio is None or costs.spelling == BASE else f" ({ratio:.2f})"
    )


def _list_losses(counted: CountedPrompt) -> Iterator[str]:
    """Yield what spellings lose; those that lose nothing are left out."""
    by_loss: dict[tuple[str, ...], list[str]] = {}
    for each in counted.compared[0].costs:
        if each.lost:
            by_loss.setdefault(each.lost, []).append(each.spelling)
    for lost, spellings in by_loss.items():
        yield f"lossy: {', '.join(spellings)}, without {'; '.join(lost)}"
    if counted.left_out:
        yield f"left out of every spelling: {'; '.join(counted.left_out)}"


def _format_markdown(file: str, counted: Sequence[CountedPrompt]) -> str:
    del file
    return "\n".join("".join(f"{line}\n" for line in _markdown_lines(each)) for each in counted)


def _markdown_lines(counted: CountedPrompt) -> Iterator[str]:
    yield f"**{format_code(counted.name)}**, model tokens"
    yield ""
    yield from _format_table(_weights_cells(counted.weights))
    for comparison in counted.compared:
        yield ""
        yield f"The same in other spellings, {comparison.encoding}, with ratios to {BASE}, {_BASE}"
        yield ""
        yield from _format_table(_build_cells(comparison, _format_cost_and_ratio))
    notes = list(_list_losses(counted)) if counted.compared else []
    yield from ([""] if notes else [])
    yield from (f"- {note}" for note in notes)


def _format_table(cells: Sequence[Cells]) -> Iterator[str]:
    rule = ("---", *("--:" for _ in cells[0][1:]))
    yield from (f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:]))


def _format_json(file: str, counted: Sequence[CountedPrompt]) -> str:
    prompts: list[Json] = [_prompt_data(each) for each in counted]
    document: dict[str, Json] = {"schema_version": VERSION, "file": file, "prompts": prompts}
    return json_text(document, 2) + "\n"


def _prompt_data(counted: CountedPrompt) -> Json:
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
                "spellings": [_spelling_data(each, costs) for costs in each.costs],
            }
            for each in counted.compared
        ],
        "left_out": list(counted.left_out) if counted.compared else [],
    }


def _spelling_data(comparison: Comparison, costs: Costs) -> Json:
    ratios = {part: comparison.compute_ratio(costs, part) for part in costs.model_tokens}
    return {
        "spelling": costs.spelling,
        "is_lossless": not costs.lost,
        "lost": list(costs.lost),
        "parts": dict(costs.model_tokens),
        "ratios": {part: round(ratio, 4) for part, ratio in ratios.items() if ratio is not None},
    }


TABLES: Mapping[str, Callable[[str, Sequence[CountedPrompt]], str]] = {
    "terminal": _format_terminal,
    "json": _format_json,
    "markdown": _format_markdown,
}
"""The output formats, as functions of the file and the counts."""
