"""Content outside of messages: which of it belongs together, and what it was meant to be."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.namespaces import find_split_namespaces
from acdl_mkdocs.language.names.outline import InheritedFact, NodePosition, Outline, build_outline, find_positions
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    BrokenBlock,
    Call,
    Comment,
    Content,
    ContextVar,
    Expression,
    File,
    FragUse,
    HostValue,
    Label,
    Node,
    Operation,
    Prompt,
    RoleMessage,
    String,
    Symbol,
    Template,
)
from acdl_mkdocs.language.syntax.tokens import ROLES

_KEYWORDS = ("break", "continue", "PromptEndsHere")
_OTHER_WORDS = {
    **dict.fromkeys(("end", "exit", "halt", "return", "stop"), "PromptEndsHere"),
    **dict.fromkeys(("next", "skip"), "continue"),
}
"""Keywords of other languages that correspond to one of ours."""
_SECTIONS = frozenset(("systemprompt", "messages", "tools", "functions"))
"""Parts of a request to a chat interface, in lower case without `_`."""


def content_outside_messages(resolved: Resolved) -> list[NodePosition]:
    """Return content that is certainly outside of messages and string fragments, in source order.

    Content that a syntax error may have put there is left out, and `env query[@T]`, which lacks its dot.
    """
    places = [
        position
        for position in find_positions(resolved.parsed.file)
        if isinstance(position.node, Content) and _is_outside_messages(position)
    ]
    if not places:
        return places
    apart = {word for pair in find_split_namespaces(resolved) for word in (pair.namespace, pair.rest)}
    places = [
        position for position in places if not (isinstance(position.node, Content) and position.node.value in apart)
    ]
    if not resolved.parsed.diagnostics:
        return places
    source = resolved.source
    lines = {source.line_index(each.label.span.start) for each in resolved.parsed.diagnostics}
    open_at = [each.label.span.start for each in resolved.parsed.diagnostics if each.rule == "unbalanced-block"]
    return [
        position
        for position in places
        if source.line_index(position.node.span.start) not in lines
        and not any(_contains_offset(position, at) for at in open_at)
    ]


def _is_outside_messages(position: NodePosition) -> bool:
    if position.is_text or (isinstance(position.node, Content) and isinstance(position.node.value, HostValue)):
        return False  # text inserted by another tool may be messages
    if position.is_certain:
        return True
    beside_messages = not isinstance(position.parent, (File, BrokenBlock))
    return beside_messages and any(isinstance(each, RoleMessage) for each in position.siblings)


def _is_keyword_or_definition(position: NodePosition, resolved: Resolved) -> bool:
    """Return whether content is a fragment, the name of a definition, or the unknown keyword of the block after it."""
    value = position.node.value if isinstance(position.node, Content) else None
    is_defined = isinstance(value, (Symbol, Call, Template)) and (
        value.name in resolved.definitions or resolved.find_fragment(value.name) is not None
    )
    following = position.following[0] if position.following else None
    is_keyword = (
        isinstance(following, (Label, Prompt))
        and "\n" not in resolved.source.text[position.node.span.end : following.span.start]
    )
    return is_keyword or isinstance(value, FragUse) or is_defined


def _contains_offset(position: NodePosition, offset: int) -> bool:
    """Return whether an offset is in the definition around a position."""
    around = position.definition or position.parent
    return around.span.start <= offset <= around.span.end


def groups_outside_messages(resolved: Resolved) -> Iterator[list[NodePosition]]:
    """Yield content outside of messages and sections that has no other explanation, grouped by neighbours."""
    group: list[NodePosition] = []
    places = content_outside_messages(resolved)
    in_section = _in_sections(build_outline(resolved.parsed.file)) if places else None
    for position in places:
        if _is_keyword_or_definition(position, resolved) or (
            in_section is not None and in_section.fact_of(position.node)
        ):
            continue
        if group and (_is_separate(group[-1], position) or not _is_next(group[-1], position)):
            yield group
            group = []
        group.append(position)
    if group:
        yield group


def section_of(block: Label) -> str:
    """Return the part of a request that the title of a block names, as in `Tools: { ... }`; empty if it names none."""
    if not isinstance(block.title, (Symbol, Template)) or block.title.parts:
        return ""
    name = block.title.name.casefold().replace("_", "")
    return name if name in _SECTIONS else ""


def has_messages(block: Label, outline: Outline) -> bool:
    """Return whether a block contains messages."""
    return block in _around_messages(outline)


@lru_cache(maxsize=1)
def _around_messages(outline: Outline) -> set[Node]:
    """Return all nodes that contain a message."""
    outer_nodes: set[Node] = set()
    for message in outline.nodes_of(RoleMessage):
        around = outline.parents.get(message)
        while around is not None and around not in outer_nodes:
            outer_nodes.add(around)
            around = outline.parents.get(around)
    return outer_nodes


def _in_sections(outline: Outline) -> InheritedFact[bool] | None:
    """Return which nodes are in a block such as `Tools: { ... }` without messages, which was meant as a message."""
    sections: dict[Node, bool] = {
        block: not has_messages(block, outline) for block in outline.nodes_of(Label) if section_of(block)
    }
    return InheritedFact(outline.parents, lambda _, outer: sections.get(outer), default=False) if sections else None


def content_values(statements: Sequence[Node]) -> list[Expression]:
    """Return the values of the statements that are content."""
    return [each.value for each in statements if isinstance(each, Content)]


def choose_marker(values: Sequence[Expression]) -> str:
    """Return the best marker for a message: for model answers, instructions, or anything else."""
    if all(isinstance(value, ContextVar) and value.namespace == "resp" for value in values):
        return "A"
    return "S" if isinstance(values[0], (Template, String)) else "U"


def suggest_keyword(value: Expression) -> str | None:
    """Return the keyword that a bare word probably means."""
    if not isinstance(value, Symbol) or value.parts:
        return None
    word = _OTHER_WORDS.get(value.name.lower()) or find_closest(value.name, _KEYWORDS)
    return word if word != value.name else None


def suggest_message(values: Sequence[Expression]) -> tuple[str, Expression, Span] | None:
    """Return marker and content of a message without its colon, and the place of what is not that content.

    That is `User env.query[@T]`, or `User - env.query[@T]`.
    """
    marker, *rest = values
    if not rest and isinstance(marker, Operation) and marker.operators == ("-",):
        marker, *rest = marker.operands
        if isinstance(marker, Symbol) and len(marker.name) == 1:
            return None  # `t - 1` is arithmetic
    role = suggest_marker(marker)
    is_row = bool(rest) and suggest_marker(rest[0]) is not None  # `S U A T N` is not a message
    return (role, rest[0], Span(marker.span.start, rest[0].span.start)) if role and rest and not is_row else None


def suggest_marker(value: Expression) -> str | None:
    """Return the marker of the role that a bare word without colon resembles."""
    name = value.name.lower() if isinstance(value, (Symbol, Template)) and not value.parts else ""
    return ROLES[name][0].upper() if name in ROLES else None


def _is_separate(one: NodePosition, other: NodePosition) -> bool:
    """Return whether one of two neighbours was probably meant as a keyword, or the second as a role."""
    values = content_values([one.node, other.node])
    are_markers = all(suggest_marker(value) for value in values)
    return any(suggest_keyword(value) for value in values) or (
        suggest_marker(values[-1]) is not None and not are_markers
    )


def _is_next(one: NodePosition, other: NodePosition) -> bool:
    if one.parent is not other.parent:
        return False
    at = one.index + 1
    while isinstance(one.siblings[at], Comment):
        at += 1
    return one.siblings[at] is other.node


def message_before(position: NodePosition, source: Source) -> RoleMessage | None:
    """Return the one-line message that the content seems to continue: on its line, or below and further right."""
    before = position.siblings[position.index - 1] if position.index else None
    if not isinstance(before, RoleMessage) or before.is_braced or not isinstance(before.body[0], Content):
        return None
    line, last = (source.find_place(offset) for offset in (position.node.span.start, before.span.end))
    return before if line.line == last.line or line.column > source.find_place(before.span.start).column else None
