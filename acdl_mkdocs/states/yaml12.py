"""YAML 1.2 with its core schema, and JSON, as a tree whose every value knows its place.

Reads the events of PyYAML, so nothing is nested too deep for Python, and counts what aliases stand for before anything
is copied. Knows nothing about states.
"""

import re
from bisect import bisect_right
from dataclasses import field
from typing import TYPE_CHECKING

from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.json_text import BEGUN_STRING
from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.states import yaml_errors
from acdl_mkdocs.states.yaml_errors import problem
from acdl_mkdocs.states.yaml_nodes import CORE, Items, Pairs, Scalar, YamlNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import Event

MAX_CHARACTERS = 10_000_000
MAX_NODES = 500_000
"""Values and keys, those that aliases stand for counted at each alias."""
MAX_DEPTH = 64
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_JSON_WORD = re.compile(BEGUN_STRING + r'(?:"|\\?\Z)|\t', re.DOTALL)
"""A text that is never closed goes on to the end, so that none is looked for again from each quote in it."""
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\.", re.DOTALL)
_PAIR_LENGTH, _CHARACTER_LENGTH = 12, 10


@dataclass(frozen=True, slots=True)
class Yaml:
    """A text as a tree."""

    root: YamlNode | None
    """`None` where the text cannot be read, or has nothing in it."""
    problems: tuple[Diagnostic, ...] = ()


def read_yaml(source: Source) -> Yaml:
    """Read one document. Problems are in `Yaml.problems`; never raises."""
    text = source.text
    if len(text) > MAX_CHARACTERS:
        return Yaml(None, (problem(Span(0, 0), f"the file is longer than {MAX_CHARACTERS:,} characters"),))
    unprintable = _UNPRINTABLE.search(text)
    if unprintable:
        return Yaml(None, (yaml_errors.unprintable(unprintable.start(), unprintable[0]),))
    import yaml  # only a state file is worth its import

    text, original = _as_yaml(text)
    tree = _Tree(original)
    try:
        tree.take(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        places = [original.of(mark.index) for mark in (error.problem_mark, error.context_mark) if mark is not None]
        tree.problems.append(yaml_errors.syntax(source, error.problem or "", places or [0]))
        return Yaml(None, tuple(tree.problems))
    except yaml.YAMLError as error:
        return Yaml(None, (problem(Span(0, 0), f"this is not YAML: {str(error).splitlines()[0]}"),))
    except _StoppedError:
        pass  # the first document, if that was the reason, is there
    return Yaml(tree.root, tuple(tree.problems))


@dataclass(frozen=True, slots=True)
class _Offsets:
    """From offsets in the text that PyYAML reads to those of the file."""

    shortened: tuple[int, ...] = ()
    """Where a pair of escapes was written as one, which is shorter."""

    def of(self, offset: int) -> int:
        if not self.shortened:
            return offset
        return offset + (_PAIR_LENGTH - _CHARACTER_LENGTH) * bisect_right(self.shortened, offset - 1)


def _as_yaml(text: str) -> tuple[str, _Offsets]:
    r"""A text that PyYAML reads: of JSON it does not know tabs between values, and `\ud83d\ude00`."""
    if text.lstrip()[:1] not in ("{", "["):
        return text, _Offsets()
    shortened: list[int] = []
    lost = 0

    def character(found: re.Match[str], start: int) -> str:
        nonlocal lost
        if found[1] is None:
            return found[0]
        shortened.append(start + found.start() - lost)
        lost += _PAIR_LENGTH - _CHARACTER_LENGTH
        high, low = int(found[1], 16), int(found[2], 16)
        return f"\\U{0x10000 + ((high - 0xD800) << 10) + low - 0xDC00:08x}"

    def word(found: re.Match[str]) -> str:
        if found[0] == "\t":
            return " "
        return _PAIR.sub(lambda pair: character(pair, found.start()), found[0]) if "\\u" in found[0] else found[0]

    return _JSON_WORD.sub(word, text), _Offsets(tuple(shortened))


class _StoppedError(Exception):
    """The tree is larger than anything that is read."""


@dataclass(slots=True)
class _Open:
    """A list or a map that has not ended."""

    is_map: bool
    start: Span
    anchor: str | None
    children: list[YamlNode] = field(default_factory=list)

    def closed(self, depth: int) -> Items | Pairs:
        size = 1 + sum(child.size for child in self.children)
        if not self.is_map:
            return Items(tuple(self.children), self.start, size, depth)
        pairs = zip(self.children[::2], self.children[1::2], strict=True)
        return Pairs(tuple((key, value) for key, value in pairs if isinstance(key, Scalar)), self.start, size, depth)


class _Tree:
    """A tree that grows while events come."""

    def __init__(self, offsets: _Offsets) -> None:
        self.offsets = offsets
        self.root: YamlNode | None = None
        self.problems: list[Diagnostic] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, YamlNode] = {}
        self.total = 0
        self.documents = 0

    def take(self, events: "Iterator[Event]") -> None:
        from yaml import events as kinds

        for event in events:
            span = self.span(event)
            if isinstance(event, kinds.ScalarEvent):
                tag = event.tag or ""
                self.add(Scalar(event.value, span, event.implicit[0] and not event.style, tag), event.anchor)
            elif isinstance(event, kinds.MappingStartEvent | kinds.SequenceStartEvent):
                self.open(event, span, is_map=isinstance(event, kinds.MappingStartEvent))
            elif isinstance(event, kinds.MappingEndEvent | kinds.SequenceEndEvent):
                ended = self.stack.pop()
                depth = 1 + max((child.depth for child in ended.children), default=0)
                self.total -= sum(child.size for child in ended.children)
                self.add(ended.closed(depth), ended.anchor)
            elif isinstance(event, kinds.AliasEvent):
                self.alias(event.anchor or "", span)
            elif isinstance(event, kinds.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    self.stop(span, "a second document begins here; a state file is one", "remove the line `---`")

    def span(self, event: "Event") -> Span:
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:
            return Span(0, 0)
        return Span(self.offsets.of(start.index), self.offsets.of(end.index))

    def open(self, event: "Event", span: Span, *, is_map: bool) -> None:
        tag = getattr(event, "tag", None)
        if tag not in (None, "!", f"{CORE}map" if is_map else f"{CORE}seq"):
            self.problems.append(problem(span, "a tag means nothing here", "remove it: a state is plain YAML"))
        if len(self.stack) >= MAX_DEPTH:
            self.stop(span, f"maps and lists are nested deeper than {MAX_DEPTH}", "make them flat")
        self.stack.append(_Open(is_map, span, getattr(event, "anchor", None)))

    def alias(self, name: str, span: Span) -> None:
        node = self.anchors.get(name)
        if node is None:
            is_inside = any(each.anchor == name for each in self.stack)
            why = "it stands inside of what it names" if is_inside else f"nothing before it is called `&{name}`"
            self.problems.append(problem(span, f"`*{name}` stands for nothing: {why}", "write the value out"))
            node = Scalar("", span, is_plain=True)
        if len(self.stack) + node.depth > MAX_DEPTH:
            self.stop(span, f"maps and lists are nested deeper than {MAX_DEPTH}", "make them flat")
        self.add(node, None)

    def add(self, node: YamlNode, anchor: str | None) -> None:
        self.total += node.size
        if self.total > MAX_NODES:
            self.stop(node.span, f"the file stands for more than {MAX_NODES:,} values", "use fewer aliases")
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if top.is_map and len(top.children) % 2 == 0 and not isinstance(node, Scalar):
            self.problems.append(problem(node.span, "a key is a word, and this is a list or a map", "write a name"))
        top.children.append(node)

    def stop(self, span: Span, message: str, help: str) -> None:
        self.problems.append(problem(span, message, help))
        raise _StoppedError
