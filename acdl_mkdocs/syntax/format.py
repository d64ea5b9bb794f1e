"""`format_text()`: text to the same text in its normal form.

A definition that holds an error is left exactly as it is; the others are formatted. What is written is read again first
and has to say the same, with the same errors, so nothing that a person wrote is ever lost.
"""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.syntax.host_text import needs_line
from acdl_mkdocs.syntax.kept import Lines, errors_on, is_left_whole, kept_lines, same_errors
from acdl_mkdocs.syntax.nodes import Broken, BrokenBlock, File, HostLine, HostValue, Node, children, walk
from acdl_mkdocs.syntax.parse import Parsed, parse
from acdl_mkdocs.syntax.pragmas import pragmas
from acdl_mkdocs.syntax.printer import Item, end_of, is_apart, print_items
from acdl_mkdocs.syntax.sameness import first_difference
from acdl_mkdocs.syntax.selection import select
from acdl_mkdocs.syntax.words import Notation


@dataclass(frozen=True, slots=True)
class Formatted:
    """A text in its normal form, as far as it has no errors."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    """The errors because of which definitions were left as they are; empty if all of the text was formatted."""


def format_text(
    source: Source,
    lines: tuple[int, int] | None = None,
    mode: RangeMode = "half-open",
    *,
    parsed: Parsed | None = None,
    errors: Sequence[Diagnostic] = (),
) -> Formatted:
    """Bring ACDL text to its normal form; never raises.

    Parameters:
        source: The text.
        lines: First and last line to format, counted from 1 within the text: the smallest group of whole statements
            that holds them. `None` formats everything.
        mode: How `range(a, b)` is read where the text itself does not say it.
        parsed: Its tree, if it was parsed before.
        errors: What the rules report and keeps a definition as it is. The errors of the parser may be among them.
    """
    with system.paused():
        parsed = parsed or parse(source)
        return _Formatting(source, parsed, _all_errors(parsed, errors), mode).run(lines)


class _Formatting:
    """A text, and what is left of it as it is."""

    def __init__(self, source: Source, parsed: Parsed, errors: Sequence[Diagnostic], mode: RangeMode) -> None:
        self.source = source
        self.errors = errors
        self.kept = [] if is_left_whole(errors) else kept_lines(parsed, errors)
        text = source.text.lstrip("\ufeff").replace("\r\n", "\n")
        self.is_same_text = len(text) == len(source.text)
        self.parsed = parsed if self.is_same_text else parse(Source(text, source.name))
        self.closes_ranges = pragmas(parsed.file).get("range", mode) == "inclusive"
        self.notation = Notation(is_drawn=False, closes_ranges=self.closes_ranges)

    def run(self, lines: tuple[int, int] | None) -> Formatted:
        """The text in its normal form."""
        if is_left_whole(self.errors):
            return Formatted(self.source.text, tuple(self.errors))
        made, left = self.printed(lines)
        if made == self.parsed.source.text and left:
            return Formatted(self.source.text, left)
        if self.kept and "\r\n" in self.source.text:
            if self.source.text.count("\n") != self.source.text.count("\r\n"):
                return Formatted(self.source.text, tuple(self.errors))
            made = made.replace("\n", "\r\n")
        if made == self.source.text:
            return Formatted(made, left)
        again = parse(Source(made, self.source.name))
        lost = first_difference(self.parsed.file, again.file, closes_ranges=self.closes_ranges)
        if lost is not None or not same_errors(self.parsed.diagnostics, again.diagnostics):
            reason = _not_formatted(lost if self.is_same_text else None)
            return Formatted(self.source.text, tuple(self.errors) or (reason,))
        return Formatted(made, left)

    def printed(self, lines: tuple[int, int] | None) -> tuple[str, tuple[Diagnostic, ...]]:
        """All of the text, or the statements on some lines, in the normal form; and why some are as they were."""
        source, file = self.parsed.source, self.parsed.file
        if lines is None:
            if len(self.kept) == 1 and _holds_all(self.kept[0], source):
                return source.text, tuple(self.errors)
            made = self.joined(file.items, Lines(0, len(source.line_starts)))
            return "".join(f"{line}\n" for line in made), tuple(self.errors)
        selected = select(source, file, lines[0] - 1, lines[1] - 1)
        if selected is None:
            return source.text, ()
        last = max(selected.span.end - 1, selected.span.start)
        chosen = Lines(source.line_index(selected.span.start), source.line_index(last))
        touched = [each for each in self.kept if each.touches(chosen)]
        left = tuple(found for each in touched for found in errors_on(self.source, each, self.errors))
        if touched and selected.depth:
            return source.text, left
        if selected.depth:
            made = print_items(selected.items, source.text, self.notation, depth=selected.depth)
        else:
            made = self.joined(selected.items, chosen)
        before, after = source.text[: selected.span.start], source.text[selected.span.end :]
        return before + "\n".join(made) + after, left

    def joined(self, items: Sequence[Item], chosen: Lines) -> list[str]:
        """Statements of the top level as lines: as they were or in the normal form.

        Parameters:
            items: The statements.
            chosen: The lines that they have for themselves.
        """
        source = self.parsed.source
        made: list[str] = []
        previous: Item | None = None
        at = 0
        end = source.line_starts[min(chosen.first, len(source.line_starts) - 1)]
        for kept in [*(each for each in self.kept if each.touches(chosen)), None]:
            run: list[Item] = []
            while at < len(items) and (kept is None or source.line_index(items[at].span.start) < kept.first):
                run.append(items[at])
                at += 1
            if run:
                made += [""] if made and self.is_apart(previous, run[0], end, run[0].span.start) else []
                made += print_items(run, source.text, self.notation)
                previous, end = run[-1], end_of(run[-1])
            if kept is None:
                break
            first, last = max(kept.first, chosen.first), min(kept.last, chosen.last)
            inside: list[Item] = []
            while at < len(items) and source.line_index(items[at].span.start) <= last:
                inside.append(items[at])
                at += 1
            start, stop = source.line_starts[first], source.line_starts[last] + len(source.line_text(last))
            made += [""] if made and self.is_apart(previous, inside[0] if inside else None, end, start) else []
            made += source.text[start:stop].split("\n")
            previous, end = inside[-1] if inside else None, stop
        return made

    def is_apart(self, previous: Item | None, item: Item | None, end: int, start: int) -> bool:
        """Whether a blank line belongs between what ends and what begins at some offsets."""
        return is_apart(previous, item, self.parsed.source.text, end, start)


def _all_errors(parsed: Parsed, errors: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """The errors of the parser and of the rules, in the order of the text."""
    found = list(errors)
    known = {(each.rule, each.label.span) for each in found}
    found += [each for each in parsed.diagnostics if (each.rule, each.label.span) not in known]
    found += () if found else _not_understood(parsed.file)
    found += _not_to_move(parsed.file)
    return sorted(found, key=lambda each: each.label.span.start)


def _holds_all(lines: Lines, source: Source) -> bool:
    """Whether nothing but white space is around some lines."""
    starts = source.line_starts
    after = starts[lines.last + 1] if lines.last + 1 < len(starts) else len(source.text)
    return not source.text[: starts[lines.first]].strip() and not source.text[after:].strip()


def _not_understood(file: File) -> Iterator[Diagnostic]:
    """What the rules report and not the parser, such as a block of another notation that never ends."""
    for node in walk(file):
        if isinstance(node, Broken | BrokenBlock):
            yield error(
                "not-formatted",
                "the text holds something that is not understood",
                Label(node.span, "nothing says what this is"),
                help="`acdl check` says what is wrong with it",
            )


def _not_to_move(file: File) -> Iterator[Diagnostic]:
    """Lines of another tool that would not stay where they are."""
    for node in walk(file):
        held = children(node)
        lines = [held[at] for at in range(len(held)) if isinstance(held[at], HostLine) and _is_moved(held, at)]
        for line in lines if not isinstance(node, HostValue) or not needs_line(node.name) else [node]:
            yield error(
                "not-formatted",
                "the normal form would move what another tool looks for",
                Label(line.span, "this has to stay where it is"),
                help="give it a line of its own between two statements",
            )


def _is_moved(held: list[Node], at: int) -> bool:
    """Whether a line of another tool stands inside the head of the statement that follows it in the tree."""
    return at + 1 < len(held) and held[at + 1].span.start < held[at].span.start


def _not_formatted(lost: Node | None) -> Diagnostic:
    """The text has something that can be written in one way only, such as a keyword in the place of a name."""
    return error(
        "not-formatted",
        "the text has no normal form that says the same",
        Label(lost.span if lost is not None else Span(0, 0), "this would be read otherwise"),
        help="does a name look like a keyword? give it another one",
    )
