"""Assignments without their keyword, `docs = find(x)`: the tree has them as `Name docs := find(x)`.

The companion of `spellings.py` for what only the tree shows.
"""

import re
from collections.abc import Iterable, Iterator

from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.syntax.nodes import NameDef, Path, TimeIndex
from acdl_mkdocs.syntax.spellings import Spelling

_SIGN = re.compile(r"\s*(:?=)")
_NAME_BEFORE = re.compile(r"(?:^|[\s{:;,])([@$]?[^\W\dA-Z]\w*)[ \t]*,\s*$")
_LONGEST_VALUE = 60
_N_BEFORE = 200
"""So many characters before an assignment are searched for another name."""


def assignment_spellings(source: Source, definitions: Iterable[NameDef]) -> Iterator[Spelling]:
    """The assignments of one plain name that have no `Name`."""
    for node in definitions:
        (target, *others), name = node.targets, plain_name(node)
        if has_keyword(node) or others or not name or name_before(source, node):
            continue
        sign = _SIGN.match(source.text, target.span.end)
        place = Span(node.span.start, sign.end() if sign else target.span.end)
        documented = f"Name {name} :="
        edits = (TextEdit(place, documented),) if sign else ()
        value = source.one_line(node.value.span.start, node.value.span.end)
        cure = f"write `{documented} {value if len(value) <= _LONGEST_VALUE else '...'}`"
        reason = (f"`{name}` gets a value without `Name`", "read as a `Name`", cure)
        yield Spelling(place, source.one_line(place.start, place.end), documented, edits, reason=reason)


def has_keyword(node: NameDef) -> bool:
    """Whether the definition begins with `Name`."""
    return node.span.start != node.targets[0].span.start


def plain_name(node: NameDef) -> str:
    """What a definition of one whole value defines; empty if it defines an element, or something that has no name."""
    target = node.targets[0]
    return target.name if isinstance(target, Path | TimeIndex) and not target.parts else ""


def name_before(source: Source, node: NameDef) -> Span | None:
    """The name before a comma that an assignment without `Name` shares its value with: `docs, scores = find(x)`."""
    if has_keyword(node):
        return None
    first = max(node.span.start - _N_BEFORE, 0)
    found = _NAME_BEFORE.search(source.text[first : node.span.start])
    return Span(first + found.start(1), first + found.end(1)) if found else None
