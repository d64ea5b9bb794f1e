"""The whole statements that some lines of a text hold, so that they can be replaced without touching the others."""

from collections.abc import Iterator, Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.syntax.nodes import Arm, Comment, File, If, RoleMessage, Switch
from acdl_mkdocs.syntax.printer import Item, end_of

_BLANK = " \t\r;,"


@dataclass(frozen=True, slots=True)
class Selection:
    """Statements that follow each other and have their lines for themselves."""

    items: Sequence[Item]
    depth: int
    """How many blocks they stand in."""
    span: Span
    """Their lines, without the last line end."""


def select(source: Source, file: File, first: int, last: int) -> Selection | None:
    """The smallest group of whole statements that stands on lines; `None` if nothing stands there.

    Parameters:
        source: The text.
        file: Its tree.
        first: 0-based index of the first line.
        last: 0-based index of the last line.
    """
    found: Selection | None = None
    bodies: list[tuple[Sequence[Item], int]] = [(file.items, 0)]
    while bodies:
        items, depth = bodies.pop()
        if not any(_is_on(source, item, first, last) for item in items):
            return None
        found = _touched(source, items, depth, first, last) or found
        bodies += [(body, depth + 1) for body in _around(source, items, first, last)]
    return found or Selection(file.items, 0, Span(0, len(source.text.rstrip("\n"))))


def _touched(source: Source, items: Sequence[Item], depth: int, first: int, last: int) -> Selection | None:
    """The statements of a body that stand on the lines, if none of another body shares a line with them."""
    chosen = [at for at, item in enumerate(items) if _is_on(source, item, first, last)]
    if not chosen:
        return None
    begin, end = chosen[0], chosen[-1] + 1
    top = min(source.line_index(item.span.start) for item in items[begin:end])
    while begin and _last_line(source, items[begin - 1]) >= top:
        begin -= 1
        top = min(top, source.line_index(items[begin].span.start))
    while end < len(items) and source.line_index(items[end].span.start) <= _last_line(source, items[end - 1]):
        end += 1
    run = items[begin:end]
    start, stop = min(item.span.start for item in run), max(map(end_of, run))
    line_start = source.line_starts[source.line_index(start)]
    last_line = source.line_index(max(stop - 1, start))
    line_end = source.line_starts[last_line] + len(source.line_text(last_line))
    if source.text[line_start:start].strip(_BLANK) or source.text[stop:line_end].strip(_BLANK):
        return None
    return Selection(run, depth, Span(line_start, line_end))


def _is_on(source: Source, item: Item, first: int, last: int) -> bool:
    return source.line_index(item.span.start) <= last and _last_line(source, item) >= first


def _last_line(source: Source, item: Item) -> int:
    return source.line_index(max(end_of(item) - 1, 0))


def _around(source: Source, items: Sequence[Item], first: int, last: int) -> Iterator[Sequence[Item]]:
    """The body that holds all of the lines between its braces, if there is one right inside these statements."""
    for item in items:
        for body, span in _bodies(item):
            begins = source.line_index(body[0].span.start) if body else last + 1
            if begins <= first and last < source.line_index(span.end - 1):
                yield body


def _bodies(item: Item) -> Iterator[tuple[Sequence[Item], Span]]:
    """The bodies right inside a statement."""
    if isinstance(item, If):
        yield from ((arm.body, arm.span) for arm in item.arms if isinstance(arm, Arm))
    elif isinstance(item, Switch):
        yield item.arms, item.span
    elif not isinstance(item, Comment) and not (isinstance(item, RoleMessage) and not item.is_braced):
        yield getattr(item, "body", ()), item.span
