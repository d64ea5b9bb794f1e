"""Where comments go: one column for all that stand beside an element, and lines no longer than the room there is."""

from collections.abc import Sequence

from acdl_mkdocs.figure.theme import Theme
from acdl_mkdocs.foundation.text_width import advances, columns


def choose_column(sizes: Sequence[tuple[float, float, float]], theme: Theme) -> float:
    """The x at which comments begin, so that few lines are needed.

    Parameters:
        sizes: For each comment the least x it can begin at, its natural width, and the right limit.
        theme: Holds the narrowest column, and how many candidates are compared.

    Returns:
        One of the least x, or 0 if nothing stands beside anything.
    """
    starts = sorted({start for start, width, limit in sizes if start + min(width, theme.comment_min) <= limit})
    step = max(1, len(starts) // theme.column_candidates)
    candidates = starts[::-1][::step]
    best, best_cost = 0.0, float("inf")
    for column in candidates:
        cost = sum([_extra_lines(column, start, width, limit, theme) for start, width, limit in sizes])
        if cost < best_cost:
            best, best_cost = column, cost
    return best


def _extra_lines(column: float, start: float, width: float, limit: float, theme: Theme) -> float:
    """Lines that a comment adds to its statement if the column stands there."""
    if start <= column and column + min(width, theme.comment_min) <= limit:
        return (width - 1) // (limit - column)
    if start + width <= limit:
        return 1  # beside its element, but out of line with the others
    return 1 + width // max(limit, theme.flow_min)


def wrap(text: str, n_columns: int) -> list[str]:
    """The text in lines; a blank that a line was broken at stays at its end, a word longer than a line is cut."""
    lines = [""]
    room = n_columns
    for word in text.split(" "):
        need = columns(word)
        if need > n_columns:
            begun, *more = _cut(word, room, n_columns)
            lines[-1] += begun
            lines += more
            room, need = n_columns, columns(more[-1])
        else:
            if need > room and lines[-1]:
                lines.append("")
                room = n_columns
            lines[-1] += word
        lines[-1] += " "
        room -= need + 1
    lines[-1] = lines[-1].removesuffix(" ")
    return lines


def _cut(word: str, room: int, n_columns: int) -> list[str]:
    """A word longer than a line in parts: one for the rest of a line, perhaps nothing, and at least one more."""
    parts: list[str] = []
    begin = 0
    for at, width in enumerate(advances(word)):
        if width > room and (at > begin or not parts):
            parts.append(word[begin:at])
            begin, room = at, n_columns
        room -= width
    return [*parts, word[begin:]]
