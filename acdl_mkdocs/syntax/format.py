"""`format_text()`: text to the same text in its normal form.

A text that is not understood as a whole is left exactly as it is. What is written is read again first and has to say
the same, so nothing that a person wrote is ever lost.
"""

from collections.abc import Iterator

from acdl_mkdocs import collector
from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.syntax.host_text import needs_line
from acdl_mkdocs.syntax.nodes import Broken, BrokenBlock, File, HostLine, HostValue, Node, children, walk
from acdl_mkdocs.syntax.parse import parse
from acdl_mkdocs.syntax.pragmas import pragmas
from acdl_mkdocs.syntax.printer import print_items
from acdl_mkdocs.syntax.sameness import first_difference
from acdl_mkdocs.syntax.selection import select
from acdl_mkdocs.syntax.words import Notation


@dataclass(frozen=True, slots=True)
class Formatted:
    """A text in its normal form, or the reasons why it is as it was."""

    text: str
    diagnostics: tuple[Diagnostic, ...]
    """Why nothing was changed; empty if all is well."""


def format_text(source: Source, lines: tuple[int, int] | None = None, mode: RangeMode = "half-open") -> Formatted:
    """Bring ACDL text to its normal form; never raises.

    Parameters:
        source: The text.
        lines: First and last line to format, counted from 1 within the text: the smallest group of whole statements
            that holds them. `None` formats everything.
        mode: How `range(a, b)` is read where the text itself does not say it.
    """
    with collector.paused():
        parsed = parse(source)
        problems = parsed.diagnostics or tuple(_not_understood(parsed.file))
        if problems:
            return Formatted(source.text, problems)
        text = source.text.lstrip("\ufeff").replace("\r\n", "\n")
        if len(text) != len(source.text):
            parsed = parse(Source(text, source.name))
        closes_ranges = pragmas(parsed.file).get("range", mode) == "inclusive"
        notation = Notation(is_drawn=False, closes_ranges=closes_ranges)
        made = _printed(parsed.source, parsed.file, lines, notation)
        if made == source.text:
            return Formatted(made, ())
        again = parse(Source(made, source.name))
        lost = first_difference(parsed.file, again.file, closes_ranges=closes_ranges)
    if lost is not None or again.diagnostics:
        is_same_text = len(text) == len(source.text)
        return Formatted(source.text, (_not_formatted(lost if is_same_text else None),))
    return Formatted(made, ())


def _printed(source: Source, file: File, lines: tuple[int, int] | None, notation: Notation) -> str:
    """The text, all of it or the statements on some lines in their normal form."""
    if lines is None:
        return "".join(f"{line}\n" for line in print_items(file.items, source.text, notation))
    selected = select(source, file, lines[0] - 1, lines[1] - 1)
    if selected is None:
        return source.text
    made = "\n".join(print_items(selected.items, source.text, notation, depth=selected.depth))
    return source.text[: selected.span.start] + made + source.text[selected.span.end :]


def _not_understood(file: File) -> Iterator[Diagnostic]:
    """What the rules report and not the parser, and lines of another tool that would not stay where they are."""
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
        if isinstance(node, Broken | BrokenBlock):
            yield error(
                "not-formatted",
                "the text holds something that is not understood",
                Label(node.span, "nothing says what this is"),
                help="`acdl check` says what is wrong with it",
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
