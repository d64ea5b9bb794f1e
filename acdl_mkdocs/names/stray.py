"""Content that stands outside messages: what stands together, and what it was meant to be."""

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from acdl_mkdocs.names.places import Place, places
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.source import Source
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.syntax.nodes import BrokenBlock, Comment, Content, Expression, File, RoleMessage, Symbol, Template
from acdl_mkdocs.syntax.tokens import ROLES

_KEYWORDS = ("break", "continue", "PromptEndsHere")
_OTHER_WORDS = {
    **dict.fromkeys(("end", "exit", "halt", "return", "stop"), "PromptEndsHere"),
    **dict.fromkeys(("next", "skip"), "continue"),
}
"""What other languages call a keyword of ours."""


def stray_content(resolved: Resolved) -> list[Place]:
    """Content that certainly stands outside messages and string fragments, in source order.

    Content that a syntax error may have put there is left out.
    """
    found = [place for place in places(resolved.parsed.file) if isinstance(place.node, Content) and _is_stray(place)]
    if not found or not resolved.parsed.diagnostics:
        return found
    source = resolved.source
    lines = {source.line_index(each.label.span.start) for each in resolved.parsed.diagnostics}
    open_at = [each.label.span.start for each in resolved.parsed.diagnostics if each.rule == "unbalanced-block"]
    return [
        place
        for place in found
        if source.line_index(place.node.span.start) not in lines and not any(_holds(place, at) for at in open_at)
    ]


def _is_stray(place: Place) -> bool:
    if place.is_text:
        return False
    if place.is_certain:
        return True
    beside_messages = not isinstance(place.parent, File | BrokenBlock)
    return beside_messages and any(isinstance(each, RoleMessage) for each in place.siblings)


def _holds(place: Place, offset: int) -> bool:
    """Whether an offset lies in the definition of a place."""
    around = place.definition or place.parent
    return around.span.start <= offset <= around.span.end


def neighbours(stray: Sequence[Place]) -> Iterator[list[Place]]:
    """Content in groups, each of one body with nothing but comments between."""
    group: list[Place] = []
    for place in stray:
        if group and (_stands_alone(group[-1], place) or not _is_next(group[-1], place)):
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def meant_keyword(value: Expression) -> str | None:
    """The keyword that a bare word was meant to be."""
    if not isinstance(value, Symbol) or value.parts:
        return None
    word = _OTHER_WORDS.get(value.name.lower()) or closest(value.name, _KEYWORDS)
    return word if word != value.name else None


def is_role(value: Expression) -> TypeGuard[Symbol | Template]:
    """Whether a bare word is spelled like a role whose colon is missing."""
    return isinstance(value, Symbol | Template) and not value.parts and value.name.lower() in ROLES


def _stands_alone(one: Place, other: Place) -> bool:
    """Whether one of two neighbours was meant to be a keyword, or the second a role."""
    values = [place.node.value for place in (one, other) if isinstance(place.node, Content)]
    return any(meant_keyword(value) for value in values) or is_role(values[-1])


def _is_next(one: Place, other: Place) -> bool:
    if one.parent is not other.parent:
        return False
    at = one.index + 1
    while isinstance(one.siblings[at], Comment):
        at += 1
    return one.siblings[at] is other.node


def message_before(place: Place, source: Source) -> RoleMessage | None:
    """The one-line message that the content seems to go on: on its line, or below it and further to the right."""
    before = place.siblings[place.index - 1] if place.index else None
    if not isinstance(before, RoleMessage) or before.is_braced or not isinstance(before.body[0], Content):
        return None
    line, last = (source.place(offset) for offset in (place.node.span.start, before.span.end))
    return before if line.line == last.line or line.column > source.place(before.span.start).column else None
