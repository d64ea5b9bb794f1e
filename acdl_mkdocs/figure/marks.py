"""The numbers of marks that have none: counted in source order, in every spec and fragment for itself.

Knows nothing of how a mark is drawn.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

from acdl_mkdocs.language.names.outline import places
from acdl_mkdocs.language.syntax.nodes import File, Mark, Node, Number


@lru_cache(maxsize=1)
def given_numbers(file: File) -> dict[Mark, int]:
    """For every `Mark` without a number the next one that no mark of its spec, fragment or snippet is written with.

    Those of the last text are remembered: its marks are drawn one after the other.
    """
    marks: dict[Node | None, list[Mark]] = {}
    for place in places(file):
        if isinstance(place.node, Mark):
            marks.setdefault(place.definition, []).append(place.node)
    given: dict[Mark, int] = {}
    for found in marks.values():
        free = _free(found)
        given |= {mark: next(free) for mark in found if mark.number is None}
    return given


def _free(marks: list[Mark]) -> Iterator[int]:
    numbers = [mark.number for mark in marks]
    written = {int(each.text) for each in numbers if isinstance(each, Number) and each.text.isdecimal()}
    return (number for number in count(1) if number not in written)
