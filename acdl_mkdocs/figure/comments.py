"""Where comments go: one column for all that stand beside an element, and lines no longer than the room there is."""

from collections.abc import Sequence

from acdl_mkdocs.figure.metrics import columns
from acdl_mkdocs.figure.theme import Theme


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
        if need > room and need <= n_columns and lines[-1]:
            lines.append("")
            room = n_columns
        while need > n_columns:
            cut = _fitting(word, room)
            lines[-1] += word[:cut]
            lines.append("")
            word, room = word[cut:], n_columns
            need = columns(word)
        lines[-1] += word + " "
        room -= need + 1
    lines[-1] = lines[-1].removesuffix(" ")
    return lines


def _fitting(word: str, room: int) -> int:
    """How many characters of a word fit; at least one if there is room at all."""
    if word.isascii():
        return max(room, 0)
    cut = taken = 0
    for character in word:
        taken += columns(character)
        if taken > room:
            break
        cut += 1
    return cut
