"""Verdicts of recorded runs beside the lines of a figure and of its source. Knows nothing of runs."""

from collections.abc import Mapping
from dataclasses import replace

from acdl_mkdocs.drawing.figure.boxes import SIGNS, Box
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.run_findings import Mark, RunFindings


def signed(box: Box, source: Source, found: RunFindings) -> Box:
    """A figure with the verdict of each line at the first box of that line."""
    marks = {each.line: each for each in found.marks if each.file == source.name}
    return _signed(box, source, marks) if marks else box


def _signed(box: Box, source: Source, left: dict[int, Mark]) -> Box:
    mark = None if box.span is None or box.kind in ("figure", "comment") else left.pop(_line(box, source), None)
    children = tuple(_signed(each, source, left) for each in box.children)
    if mark is None:
        return replace(box, children=children)
    return replace(box, children=children, sign=mark.verdict)


def _line(box: Box, source: Source) -> int:
    return source.place(box.span.start).line if box.span is not None else 0


def margin(shown: str, source: Source, found: RunFindings) -> str:
    """A sign for each line of a text that is shown, below each other; empty where nothing is known of any.

    Parameters:
        shown: Lines of the source that follow each other.
        source: The whole text.
        found: What is known of its lines.
    """
    marks: Mapping[int, Mark] = {each.line: each for each in found.marks if each.file == source.name}
    text = shown.strip("\n")
    at = source.text.find(text)
    if not marks or at < 0:
        return ""
    first = source.place(at).line
    lines = range(first, first + text.count("\n") + 1)
    return "\n".join(SIGNS[marks[line].verdict] if line in marks else " " for line in lines)
