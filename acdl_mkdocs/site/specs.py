"""Find out what there is to say about each spec and fragment of a text.

Takes a text that has been analysed; knows no page and no address.
"""

import re
from collections.abc import Iterable, Iterator
from typing import get_args

from acdl_mkdocs.drawing.figure.boxes import Box
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import (
    Comment,
    Comprehension,
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
    TimeIndex,
    walk,
)
from acdl_mkdocs.language.syntax.pragmas import front_words, is_for_tools, pragmas
from acdl_mkdocs.language.syntax.words import WRITTEN, text_of, words_of
from acdl_mkdocs.site.mentions import mentions
from acdl_mkdocs.site.spec import Spec
from acdl_mkdocs.site.spoken_of import spoken_of

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
    """Every definition at the top level of a text, in order; the first of those with the same name."""
    spoken = spoken_of(resolved.parsed.file, resolved.source)
    found: dict[str, Spec] = {}
    for node in spoken.definitions:
        if node.name.name not in found:
            title = front_words(spoken.head).get("title", "")
            description = _prose(spoken.above[node]) or _prose(spoken.head)
            found[node.name.name] = _spec(node, resolved, _Words(spoken.named(node), title, description))
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _Words:
    """What comments say of a definition."""

    named: dict[str, str]
    file_title: str
    description: str


def _prose(comments: Iterable[Comment]) -> str:
    """Comments as paragraphs, without what they say to tools and the lines that only decorate."""
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


def _spec(node: Prompt | Fragment, resolved: Resolved, words: _Words) -> Spec:
    from acdl_mkdocs.drawing.formats.thumbnail import thumbnail

    box = describe(resolved, View(spec=node.name.name)).children[0]
    named = words.named
    inside = list(walk(node))
    return Spec(
        name=node.name.name,
        kind=resolved.definitions[node.name.name][0].kind,
        title=named.get("title", node.name.name),
        file_title=words.file_title,
        description=words.description,
        tags=_listed(named.get("tags", "")),
        origin=named.get("source", ""),
        see=_listed(named.get("see", "")),
        variant_of=named.get("variant-of", ""),
        state=named.get("state", "").partition("\n")[0],
        runs=_listed(named.get("runs", "")),
        parameters=tuple(text_of(words_of(each, WRITTEN)) for each in node.parameters),
        roles=tuple(dict.fromkeys(each.role for each in inside if isinstance(each, RoleMessage))),
        constructs=tuple(_constructs(inside)),
        has_ranges=any(isinstance(each, Range) and not each.includes_stop for each in inside),
        range=_range(resolved),
        mentions=tuple(mentions(node, box)),
        fragments=tuple(dict.fromkeys(each.name.name for each in inside if isinstance(each, FragUse))),
        source=resolved.source,
        span=node.span,
        miniature=thumbnail(Box("figure", children=(box,))),
    )


def _range(resolved: Resolved) -> RangeMode | None:
    said = pragmas(resolved.parsed.file).get("range") if "acdl:" in resolved.source.text else None
    modes: dict[str, RangeMode] = {mode: mode for mode in get_args(RangeMode)}
    return modes[said] if said else None


def _listed(words: str) -> tuple[str, ...]:
    """Words with commas or line ends between them."""
    return tuple(filter(None, (each.strip() for each in re.split(r"[,\n]", words))))


def _constructs(nodes: Iterable[Node]) -> Iterator[str]:
    """What of the language nodes use, each once."""
    seen: set[str] = set()
    for node in nodes:
        name = _CONSTRUCTS.get(type(node), "")
        if isinstance(node, TimeIndex) and any(isinstance(part, Field) for part in node.parts):
            name = "sub-steps"
        if name and name not in seen:
            seen.add(name)
            yield name
