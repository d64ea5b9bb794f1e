"""YAML 1.2 with its core schema, and JSON, as a tree in which every value has its place.

Reads the events of PyYAML, so nothing is nested too deep for Python, and counts the values of aliases before anything
is copied. Knows nothing about states.
"""

import re
from bisect import bisect_right
from dataclasses import field
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.yaml.nodes import CORE, Items, Pairs, Scalar, YamlNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.events import Event

RULE = "state-file"
"""Name of every problem of a state file."""

_LONGEST_KEY = 1000
"""Characters as written; YAML allows a little more."""
_SENTENCES = (
    (
        ("mapping values are not allowed",),
        "a key cannot stand here: there is a second `: ` on the line, or the line is indented too far",
        'put a value that has `: ` in it in quotes: `text: "one: two"`',
    ),
    (("expected ',' or ']'",), "the `[` is not closed, or a comma is missing", "close it with `]`"),
    (("expected ',' or '}'",), "the `{` is not closed, or a comma is missing", "close it with `}`"),
    (("expected the node content", "expected node content"), "a value is missing here", "write one, or `null`"),
    (("unexpected end of stream",), "the quotes that open here are never closed", "close them"),
    (
        ("unknown escape", "invalid Unicode", "expected escape", "did not find expected hexdecimal"),
        "`\\` begins something that does not exist",
        "write `\\\\` for the sign itself, or use single quotes",
    ),
    (
        ("expected key", "<block end>", "expected '-' indicator", "could not find expected ':'"),
        "this does not continue what stands above: the indentation, a `-` or a `:` is not as there",
        "indent the lines of one map or list alike, and write `name: value`",
    ),
    (("duplicate anchor",), "an anchor is defined again", "give it another name"),
)


def problem(span: Span, message: str, help: str = "", label: str = "here") -> Diagnostic:
    """Create an error about a state file."""
    return error(RULE, message, Label(span, label), help=help or ())


def unprintable_problem(offset: int, character: str) -> Diagnostic:
    """Report a control character."""
    return problem(
        Span(offset, offset + 1),
        f"the character U+{ord(character):04X} cannot stand in a text file",
        f'write it in double quotes as `"\\u{ord(character):04x}"`',
    )


def syntax_problem(source: Source, said: str, places: list[int]) -> Diagnostic:
    """Report the place where the text stops being YAML.

    Parameters:
        source: The text.
        said: The message of PyYAML.
        places: The offset of the error, then that of the construct that it is about.
    """
    text = source.text
    at = min(places[0], len(text))
    sign = text[at : at + 1]
    span = Span(at, min(at + 1, len(text)))
    line = source.line_text(source.line_index(at))
    if sign == "\t" or "tab" in said or "\t" in line[: len(line) - len(line.lstrip())]:
        return problem(span, "a tab stands where YAML wants blanks", "indent with blanks")
    if text[at - 1 : at + 1] == '":' and at - text.rfind('"', 0, at - 1) > _LONGEST_KEY:
        return problem(span, "a key ends here that is longer than any key of YAML", "shorten it, or make it a value")
    if "cannot start any token" in said:
        return problem(span, f"a value cannot begin with `{sign}`", "put it in quotes")
    for words, message, cure in _SENTENCES:
        if any(word in said for word in words):
            if "quotes" in message and len(places) > 1:
                span = Span(places[1], places[1] + 1)
            return problem(span, message, cure)
    return problem(span, f"this is not YAML: {said or 'it cannot be read'}", "compare with a file of `acdl state new`")


MAX_CHARACTERS = 10_000_000
MAX_NODES = 500_000
"""Values and keys, including those of aliases, counted at each alias."""
MAX_DEPTH = 64
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_JSON_WORD = re.compile(BEGUN_STRING + r'(?:"|\\?\Z)|\t', re.DOTALL)
"""An unclosed text extends to the end, so that it is not searched again from each quote in it."""
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
        return Yaml(None, (unprintable_problem(unprintable.start(), unprintable[0]),))
    import yaml  # only a state file is worth its import

    text, original = _as_yaml(text)
    tree = _Tree(original)
    try:
        tree.take(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        places = [original.of(mark.index) for mark in (error.problem_mark, error.context_mark) if mark is not None]
        tree.problems.append(syntax_problem(source, error.problem or "", places or [0]))
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
    """The offsets at which a pair of escapes was replaced by a shorter one."""

    def of(self, offset: int) -> int:
        if not self.shortened:
            return offset
        return offset + (_PAIR_LENGTH - _CHARACTER_LENGTH) * bisect_right(self.shortened, offset - 1)


def _as_yaml(text: str) -> tuple[str, _Offsets]:
    r"""Return text that PyYAML can read: tabs between JSON values and escaped surrogate pairs are replaced."""
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
    """A tree that grows with each event."""

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
