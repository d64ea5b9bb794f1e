"""Collect the facts about each spec and fragment of a text.

Takes a text that has been analysed; knows no page and no address.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import get_args

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Call,
    Comment,
    Comprehension,
    ContextVar,
    EndsHere,
    Field,
    ForEach,
    Fragment,
    FragUse,
    If,
    Mark,
    NameDef,
    Node,
    Prompt,
    Range,
    RoleMessage,
    Switch,
    Template,
    TimeIndex,
    children,
    walk,
)
from acdl_mkdocs.language.syntax.pragmas import front_words, is_for_tools, read_settings
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of
from acdl_mkdocs.workspace.front_comments import find_definition_comments
from acdl_mkdocs.workspace.spec import Mention, MentionKind, Spec


def find_mentions(root: Node, box: Box) -> Iterator[Mention]:
    """Yield all mentions of a definition: variables by name, then templates and functions.

    Parameters:
        root: The definition.
        box: Its figure.
    """
    anchors = _Anchors(box)
    mentions: dict[tuple[MentionKind, str], list[tuple[Node, str]]] = {}
    for node, comment in _with_comments(root):
        key = _find_mention(node)
        if key:
            mentions.setdefault(key, []).append((node, comment))
    order: tuple[MentionKind, ...] = ("variable", "template", "function")
    for (kind, name), uses in sorted(mentions.items(), key=lambda each: (order.index(each[0][0]), each[0][1])):
        yield Mention(
            name,
            kind,
            _drop_repeated(
                text_of(words_of(node, WRITTEN)) for node, _ in uses if isinstance(node, (ContextVar, Template, Call))
            ),
            _drop_repeated(anchors.find_anchor(node.span) for node, _ in uses),
            _drop_repeated(comment for _, comment in uses),
        )


def _find_mention(node: Node) -> tuple[MentionKind, str] | None:
    """Return the name that a node mentions."""
    if isinstance(node, ContextVar):
        fields = [part.name for part in node.parts if isinstance(part, Field)]
        return "variable", ".".join([node.namespace, *fields])
    if isinstance(node, Template):
        return "template", node.name
    return ("function", node.name) if isinstance(node, Call) else None


def _with_comments(root: Node) -> Iterator[tuple[Node, str]]:
    """Yield every node with the comment beside its statement, in source order."""
    stack: list[tuple[Node, str]] = [(root, "")]
    while stack:
        node, comment = stack.pop()
        yield node, comment
        own = getattr(node, "comment", None)
        has_body = hasattr(node, "body") or hasattr(node, "arms")
        beside = own.text.strip() if isinstance(own, Comment) and not has_body else comment if not has_body else ""
        stack.extend((child, beside) for child in reversed(children(node)) if not isinstance(child, Comment))


def _drop_repeated(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, words)))


class _Anchors:
    """The addressable parts of a figure, by their span in the text."""

    def __init__(self, box: Box) -> None:
        self._starts: list[int] = []
        self._parts: list[tuple[int, str, int]] = []  # end, anchor, index of the part around it
        stack = [(box, -1)]
        while stack:
            each, outer = stack.pop()
            if each.anchor and each.span:
                self._starts.append(each.span.start)
                self._parts.append((each.span.end, each.anchor, outer))
                outer = len(self._parts) - 1
            stack.extend((child, outer) for child in reversed(each.children))

    def find_anchor(self, span: Span) -> str:
        """Return the smallest part that contains a span."""
        at = bisect_right(self._starts, span.start) - 1
        while at >= 0:
            end, anchor, outer = self._parts[at]
            if span.end <= end:
                return anchor
            at = outer
        return ""


_CONSTRUCTS: dict[type[Node], str] = {
    ForEach: "ForEach",
    If: "If",
    Switch: "Switch",
    NameDef: "Name",
    Mark: "Mark",
    EndsHere: "PromptEndsHere",
    FragUse: "Frag",
    Comprehension: "comprehension",
}
_DECORATION = re.compile(r"[-=*~#_ ]*")


def specs_of(resolved: Resolved) -> tuple[Spec, ...]:
    """Return all definitions at the top level of a text, in order; the first of those with the same name."""
    spoken = find_definition_comments(resolved.parsed.file, resolved.source)
    specs: dict[str, Spec] = {}
    for node in spoken.definitions:
        if node.name.name not in specs:
            title = front_words(spoken.head).get("title", "")
            description = _prose(spoken.above[node]) or _prose(spoken.head)
            specs[node.name.name] = _spec(node, resolved, _CommentWords(spoken.find_fields(node), title, description))
    return tuple(specs.values())


@dataclass(frozen=True, slots=True)
class _CommentWords:
    """The contents of the comments of a definition."""

    fields: dict[str, str]
    file_title: str
    description: str


def _prose(comments: Iterable[Comment]) -> str:
    """Return comments as paragraphs, without directives for tools and decorative lines."""
    paragraphs: list[list[str]] = [[]]
    for comment in comments:
        if is_for_tools(comment) or front_words([comment]):
            continue
        for line in comment.text.split("\n"):
            words = line.strip().removeprefix("*").strip()
            if _DECORATION.fullmatch(words):
                paragraphs.append([])
            else:
                paragraphs[-1].append(words)
    return "\n\n".join(" ".join(each) for each in paragraphs if each)


def _spec(node: Prompt | Fragment, resolved: Resolved, words: _CommentWords) -> Spec:
    from acdl_mkdocs.drawing.formats.thumbnail import draw_thumbnail

    box = describe(resolved, View(spec=node.name.name)).children[0]
    named = words.fields
    inside = list(walk(node))
    return Spec(
        name=node.name.name,
        kind=resolved.definitions[node.name.name][0].kind,
        title=named.get("title", node.name.name),
        file_title=words.file_title,
        description=words.description,
        tags=_split_words(named.get("tags", "")),
        origin=named.get("source", ""),
        see=_split_words(named.get("see", "")),
        variant_of=named.get("variant-of", ""),
        state=named.get("state", "").partition("\n")[0],
        runs=_split_words(named.get("runs", "")),
        requests=named.get("requests", ""),
        parameters=tuple(text_of(words_of(each, WRITTEN)) for each in node.parameters),
        roles=tuple(dict.fromkeys(each.role for each in inside if isinstance(each, RoleMessage))),
        constructs=tuple(_find_constructs(inside)),
        has_ranges=any(isinstance(each, Range) and not each.includes_stop for each in inside),
        range=_range(resolved),
        mentions=tuple(find_mentions(node, box)),
        fragments=tuple(dict.fromkeys(each.name.name for each in inside if isinstance(each, FragUse))),
        source=resolved.source,
        span=node.span,
        miniature=draw_thumbnail(Box("figure", children=(box,))),
    )


def _range(resolved: Resolved) -> RangeMode | None:
    setting = read_settings(resolved.parsed.file).get("range") if "acdl:" in resolved.source.text else None
    modes: dict[str, RangeMode] = {mode: mode for mode in get_args(RangeMode)}
    return modes[setting] if setting else None


def _split_words(words: str) -> tuple[str, ...]:
    """Split words at commas and line ends."""
    return tuple(filter(None, (each.strip() for each in re.split(r"[,\n]", words))))


def _find_constructs(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the language constructs that nodes use, each once."""
    seen: set[str] = set()
    for node in nodes:
        name = _CONSTRUCTS.get(type(node), "")
        if isinstance(node, TimeIndex) and any(isinstance(part, Field) for part in node.parts):
            name = "sub-steps"
        if name and name not in seen:
            seen.add(name)
            yield name
