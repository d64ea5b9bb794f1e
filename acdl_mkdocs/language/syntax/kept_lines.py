"""The lines of a text that the formatter leaves unchanged: the definitions that contain an error.

A definition is a spec, a fragment, or the statements between two of them. If the braces of one are not balanced, its
end is unknown: the statements after it may belong to it, and those before it to the definition above them.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import (
    Broken,
    BrokenBlock,
    Comment,
    File,
    Fragment,
    HostLine,
    Prompt,
    Statement,
    walk,
)
from acdl_mkdocs.language.syntax.parse import MAX_SYNTAX_ERRORS, Parsed
from acdl_mkdocs.language.syntax.printer import end_of

WHOLE_TEXT_PROBLEMS = frozenset(("drawn-form", "not-acdl", "not-text", "too-deep", "too-large"))
"""Problems of a text of which nothing is understood for sure."""
_SPREAD_PROBLEMS = frozenset(("syntax", "unbalanced-block", "unknown-block"))
"""Problems whose other places belong to what is not understood, rather than explain it."""
_BLANK = " \t\r\n;,\ufeff"


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines that follow each other, by their 0-based indices."""

    first: int
    last: int

    def has_common_line(self, other: "LineRange") -> bool:
        """Return whether the ranges have a line in common."""
        return self.first <= other.last and other.first <= self.last


def is_left_whole(errors: Sequence[Diagnostic]) -> bool:
    """Return whether the errors leave nothing in a text to format."""
    return len(errors) > MAX_SYNTAX_ERRORS or any(each.rule in WHOLE_TEXT_PROBLEMS for each in errors)


def kept_lines(parsed: Parsed, errors: Sequence[Diagnostic]) -> list[LineRange]:
    """Return the lines to leave unchanged, in order; no two ranges are adjacent.

    Parameters:
        parsed: The text.
        errors: Its errors, those of the parser among them.
    """
    source, units = parsed.source, _DefinitionLines(parsed)
    syntax = {(each.rule, each.label.span) for each in parsed.diagnostics}
    ranges: list[LineRange] = []
    for each in errors:
        is_uncertain = (each.rule, each.label.span) in syntax
        for span in _problem_spans(each):
            ranges += units.lines_around(_lines_of(source, span), is_uncertain=is_uncertain)
    if parsed.diagnostics:
        broken = (node.span for node in walk(parsed.file) if isinstance(node, (Broken, BrokenBlock)))
        for span in (*broken, *_find_unparsed_text(source, parsed.file)):
            ranges += units.lines_around(_lines_of(source, span), is_uncertain=True)
    return _merge_ranges(ranges, [_lines_of(source, _full_span(item)) for item in parsed.file.items]) if ranges else []


def is_on_kept_lines(ranges: Sequence[LineRange], source: Source, diagnostic: Diagnostic) -> bool:
    """Return whether a problem, or an edit of its fix, is on lines that are left unchanged."""
    edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
    places = [_lines_of(source, span) for span in (diagnostic.label.span, *(edit.span for edit in edits))]
    return any(_is_in(ranges, line_range) for line_range in places)


def _is_in(ranges: Sequence[LineRange], line_range: LineRange) -> bool:
    at = bisect_left(ranges, line_range.first, key=lambda each: each.last)
    return at < len(ranges) and ranges[at].has_common_line(line_range)


def errors_on(source: Source, lines: LineRange, errors: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the errors on the lines."""
    return [
        each for each in errors if any(_lines_of(source, span).has_common_line(lines) for span in _problem_spans(each))
    ]


def same_errors(one: Iterable[Diagnostic], other: Iterable[Diagnostic]) -> bool:
    """Return whether two texts have the same errors, regardless of places."""
    return Counter((each.rule, each.message) for each in one) == Counter((each.rule, each.message) for each in other)


def _problem_spans(diagnostic: Diagnostic) -> Iterator[Span]:
    yield diagnostic.label.span
    if diagnostic.rule in _SPREAD_PROBLEMS:
        yield from (each.span for each in diagnostic.related)


class _DefinitionLines:
    """Definitions, and all statements between two of them as one, in the order of the text."""

    def __init__(self, parsed: Parsed) -> None:
        self.source = parsed.source
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.are_definitions: list[bool] = []
        for item in parsed.file.items:
            is_definition = isinstance(item, (Prompt, Fragment))
            lines = _lines_of(self.source, _full_span(item))
            if isinstance(item, (Comment, HostLine)):
                continue
            if is_definition or not self.are_definitions or self.are_definitions[-1]:
                self.firsts.append(lines.first)
                self.lasts.append(lines.last)
                self.are_definitions.append(is_definition)
            self.lasts[-1] = lines.last

    def lines_around(self, lines: LineRange, *, is_uncertain: bool) -> Iterator[LineRange]:
        """Yield the lines of an error, of the definition that contains it, and of what may belong to that."""
        yield lines
        first, end = bisect_left(self.lasts, lines.first), bisect_right(self.firsts, lines.last)
        if is_uncertain:
            if first == end:
                first = max(first - 1, 0)
            if first and not self.are_definitions[first]:
                first -= 1
            if end < len(self.firsts) and not self.are_definitions[end]:
                end += 1
        yield from (LineRange(self.firsts[at], self.lasts[at]) for at in range(first, end))


def _find_unparsed_text(source: Source, file: File) -> Iterator[Span]:
    """Yield text between statements that no statement contains, such as an extra brace."""
    places = [Span(0, 0), *map(_full_span, file.items), Span(len(source.text), len(source.text))]
    for one, other in pairwise(places):
        between = source.text[one.end : other.start]
        if between.strip(_BLANK):
            start = one.end + len(between) - len(between.lstrip(_BLANK))
            yield Span(start, other.start - len(between) + len(between.rstrip(_BLANK)))


def _full_span(item: Statement) -> Span:
    return Span(item.span.start, end_of(item))


def _lines_of(source: Source, span: Span) -> LineRange:
    """Return the lines of a span; the end of the text counts as its last line that is not blank."""
    if span.start and span.start == len(source.text):
        end = len(source.text.rstrip())
        span = Span(end, end)
    first = source.line_index(span.start)
    return LineRange(first, max(source.line_index(max(span.end - 1, 0)), first))


def _merge_ranges(ranges: Sequence[LineRange], items: Sequence[LineRange]) -> list[LineRange]:
    """Return lines merged with all items that share a line with them, in order."""
    joined: list[tuple[LineRange, bool]] = []
    flagged = [*((each, True) for each in ranges), *((each, False) for each in items)]
    for lines, is_kept in sorted(flagged, key=lambda each: each[0].first):
        if joined and lines.first <= joined[-1][0].last:
            last, was_kept = joined.pop()
            joined.append((LineRange(last.first, max(last.last, lines.last)), is_kept or was_kept))
        else:
            joined.append((lines, is_kept))
    merged: list[LineRange] = []
    is_open = False
    for lines, is_kept in joined:
        if is_kept and is_open:
            merged[-1] = LineRange(merged[-1].first, lines.last)
        elif is_kept:
            merged.append(lines)
        is_open = is_kept
    return merged
