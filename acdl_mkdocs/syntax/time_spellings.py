"""Times in brackets, `@(T-1)`: the tree has them as `@T-1`."""

import re
from collections.abc import Iterable, Iterator

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.syntax.edits import written
from acdl_mkdocs.syntax.nodes import Expression, Group, Operation, TimeIndex
from acdl_mkdocs.syntax.spellings import Spelling

IN_BRACKETS: re.Pattern[str] = compile_later(r"@\s*[(\[]")
"""How such a time begins."""


def time_spellings(source: Source, values: Iterable[TimeIndex | Operation | Group]) -> Iterator[Spelling]:
    """The times in brackets among some expressions, with the documented spelling."""
    grouped = {each.value.span.start for each in values if isinstance(each, Group) and each.span == each.value.span}
    for value in values:
        if isinstance(value, TimeIndex | Operation) and _is_in_brackets(value, source):
            shown = written(value)
            documented = f"({shown})" if value.span.start in grouped else shown
            place, said = value.span, source.one_line(value.span.start, value.span.end)
            yield Spelling(place, said, documented, (TextEdit(place, documented),))


def _is_in_brackets(value: Expression, source: Source) -> bool:
    if isinstance(value, Operation) and value.operands[0].span.start == value.span.start:
        return False
    is_time = not isinstance(value, TimeIndex) or bool(value.name)
    return is_time and IN_BRACKETS.match(source.text, value.span.start) is not None
