"""YAML 1.2 with its core schema, and JSON, as a tree in which every value has its place.

Reads the events of PyYAML, so that no nesting is too deep for Python, and counts the values of aliases before anything
is copied. A `FileKind` defines what a kind of file allows, and the names of its problems.
"""

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import BEGUN_STRING
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.yaml.nodes import CORE, Scalar, YamlList, YamlMap, YamlNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from yaml.events import AliasEvent, Event, MappingStartEvent, ScalarEvent, SequenceStartEvent

RULE = "state-file"
"""Name of every problem of a state file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """What files of one kind may contain, and the messages about anything else."""

    rule: str
    """Name of every problem."""
    writer: str
    """The command that writes a valid file, for comparison."""
    max_characters: int
    max_values: int
    """Limit of values, lists and maps; the value of an alias is counted at each alias."""
    max_depth: int
    too_many: tuple[str, str]
    """The message about too many values, with a slot for the limit, and the help."""
    too_deep: str
    """The help."""
    second_document: tuple[str, str]
    """The message about it, and the help."""
    has_marks: bool = True
    """Whether there may be anchors and aliases, and tags of the core schema."""
    mark_cure: str
    """The help for a forbidden tag, anchor or alias."""

    def make_problem(self, start: int, end: int, message: str, help: str = "", label: str = "here") -> Diagnostic:
        """Return an error of such a file."""
        return error(self.rule, message, Label(Span(start, end), label), help=help or ())


STATE_FILE = FileKind(
    rule=RULE,
    writer="acdl state new",
    max_characters=10_000_000,
    max_values=500_000,
    max_depth=64,
    too_many=("the file stands for more than {:,} values", "use fewer aliases"),
    too_deep="make them flat",
    second_document=("a second document begins here; a state file is one", "remove the line `---`"),
    mark_cure="remove it: a state is plain YAML",
)
"""A state, and other files that people write for the tools: scripts of replies, variants, deltas."""

_LONGEST_KEY = 1000
"""Characters as written; YAML allows a little more."""
_SECOND_KEY = ("mapping values are not allowed",)
_NO_CONTINUATION = ("expected key", "<block end>", "expected '-' indicator", "could not find expected ':'")
_SENTENCES = (
    (
        _SECOND_KEY,
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
        _NO_CONTINUATION,
        "this does not continue what stands above: the indentation, a `-` or a `:` is not as there",
        "indent the lines of one map or list alike, and write `name: value`",
    ),
    (("duplicate anchor",), "an anchor is defined again", "give it another name"),
)
_BAD_BEGINNING = (
    "cannot start any token",
    "alphabetic or numeric",  # the name of an anchor or alias
    "comment or",  # after the `|` or `>` of a block
    "entries are not allowed",
    "keys are not allowed",
    "expected tag",
)
_VALUE = re.compile(r"[ ]*+(?>(?:-[ ]++)*)(?>(?:[\w.-]++[ ]*+:[ ]++)?)(?P<sign>[^\w\s?-]|[?-](?=[ ]))")
"""The first value of a line that begins with a sign, after the dashes and the key before it."""
_CLOSING = {'"': '"', "'": "'", "[": "]", "{": "}"}
_FIRST_KEY = re.compile(r"[ ]++[\w.-]++")
_ODD_BLANK = re.compile(
    r"^[ ]*+(?>(?:-[ ]++)*)(?:(?:-|[\w.-]++:)(?=[^\S \t\r\n])|(?=[^\S\r\n]++(?:- |[\w.-]++:\s)))"
    r"(?P<blank>[^\S \t\r\n])",
    re.MULTILINE,
)
"""A blank that YAML takes for a letter, such as one copied from a page, after a dash or a key or before them."""


def _syntax_problem(source: Source, parser_message: str, places: list[int], kind: FileKind) -> Diagnostic:
    """Return a sentence about the place where the text stops being YAML.

    Parameters:
        source: The text.
        parser_message: The message of PyYAML.
        places: Its position, then the start of the construct that it is about.
        kind: The kind of the file.
    """
    text = source.text
    at = min(places[0], len(text))
    sign = text[at : at + 1]
    end = min(at + 1, len(text))
    line = source.line_text(source.line_index(at))
    if sign == "\t" or "tab" in parser_message or "\t" in line[: len(line) - len(line.lstrip())]:
        return kind.make_problem(at, end, "a tab stands where YAML wants blanks", "indent with blanks")
    if text[at - 1 : at + 1] == '":' and at - text.rfind('"', 0, at - 1) > _LONGEST_KEY:
        cure = "shorten it, or make it a value"
        return kind.make_problem(at, end, "a key ends here that is longer than any key of YAML", cure)
    line_start = text.rfind("\n", 0, at) + 1
    value = _VALUE.match(text, line_start)
    begun = value["sign"] if value and value.start("sign") <= at else ""
    if any(word in parser_message for word in _BAD_BEGINNING):
        at = value.start("sign") if value and begun else at
        return kind.make_problem(at, at + 1, f"a value cannot begin with `{begun or sign}`", "put it in quotes")
    for words, message, cure in _SENTENCES:
        if any(word in parser_message for word in words):
            if words in (_SECOND_KEY, _NO_CONTINUATION):
                return _structure_problem(text, at, begun, (message, cure), kind)
            if "quotes" in message and len(places) > 1:
                at, end = places[1], places[1] + 1
            return kind.make_problem(at, end, message, cure)
    cure = f"compare with a file of `{kind.writer}`"
    return kind.make_problem(at, end, f"this is not YAML: {parser_message or 'it cannot be read'}", cure)


def _structure_problem(text: str, at: int, begun: str, sentence: tuple[str, str], kind: FileKind) -> Diagnostic:
    """Return a sentence about a key or value where none can be, for the most frequent reasons another one.

    Parameters:
        text: The text.
        at: Where the text stops being YAML.
        begun: The sign that the first value of this line begins with.
        sentence: The message and the help for all other reasons.
        kind: The kind of the file.
    """
    line_start = text.rfind("\n", 0, at) + 1
    odd = _ODD_BLANK.search(text, text.rfind("\n", 0, max(line_start - 1, 0)) + 1, at + 1)
    if odd:
        blank, code = odd.start("blank"), ord(odd["blank"])
        message = f"the character U+{code:04X} stands where YAML wants blanks, and looks like one"
        return kind.make_problem(blank, blank + 1, message, "replace it with a blank")
    message, cure = sentence
    if _FIRST_KEY.fullmatch(text, line_start, at):
        cure = "indent it like the key above that it belongs with"
    elif begun in _CLOSING and "key cannot" not in message:
        message = f"the value has ended with `{_CLOSING[begun]}`, and this follows it"
        cure = "put all of the value in quotes, and write `''` for each `'` in single quotes"
    return kind.make_problem(at, min(at + 1, len(text)), message, cure)


_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_JSON_WORD = re.compile(BEGUN_STRING + r'(?:"|\\?\Z)|\t', re.DOTALL)
"""A text in quotes; an unclosed one extends to the end, so that it is not searched again from each quote in it."""
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\.", re.DOTALL)
_PAIR_LENGTH, _CHARACTER_LENGTH = 12, 10


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A text as a tree."""

    root: YamlNode | None
    """`None` if the text cannot be read, or is empty."""
    problems: tuple[Diagnostic, ...] = ()
    scalars: "Sequence[Scalar]" = ()
    """All scalars, in the order of the text."""


def read_yaml(source: Source, kind: FileKind = STATE_FILE) -> YamlDocument:
    """Read one document. Problems are in `YamlDocument.problems`; never raises."""
    text = source.text
    if len(text) > kind.max_characters:
        return YamlDocument(
            None, (kind.make_problem(0, 0, f"the file is longer than {kind.max_characters:,} characters"),)
        )
    unprintable = _UNPRINTABLE.search(text)
    if unprintable:
        at, code = unprintable.start(), ord(unprintable[0])
        cure = f'write it in double quotes as `"\\u{code:04x}"`'
        return YamlDocument(
            None, (kind.make_problem(at, at + 1, f"the character U+{code:04X} cannot stand in a text file", cure),)
        )
    import yaml  # imported only if there is a file to read

    plain, original = _adapt_to_pyyaml(text)
    tree = _Tree(kind, text, original)
    try:
        tree.read_events(yaml.parse(plain, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        places = [
            original.map_offset(mark.index) for mark in (error.problem_mark, error.context_mark) if mark is not None
        ]
        tree.problems.append(_syntax_problem(source, error.problem or "", places or [0], kind))
        return YamlDocument(None, tuple(tree.problems))
    except yaml.YAMLError as error:
        return YamlDocument(None, (kind.make_problem(0, 0, f"this is not YAML: {str(error).splitlines()[0]}"),))
    except _TooLargeError:
        pass  # if more documents were the reason, the first one is complete
    return YamlDocument(tree.top[0] if tree.top else None, tuple(tree.problems), tree.scalars)


@dataclass(frozen=True, slots=True)
class _Offsets:
    """Maps offsets in the text that PyYAML reads to those of the file."""

    shortened: tuple[int, ...] = ()
    """The offsets at which a pair of escapes was replaced by a shorter one."""

    def map_offset(self, offset: int) -> int:
        if not self.shortened:
            return offset
        return offset + (_PAIR_LENGTH - _CHARACTER_LENGTH) * bisect_right(self.shortened, offset - 1)


def _adapt_to_pyyaml(text: str) -> tuple[str, _Offsets]:
    r"""A text that PyYAML reads: of JSON it does not know tabs between values, and `\ud83d\ude00`."""
    if text.lstrip()[:1] not in ("{", "[") or not ("\t" in text or "\\u" in text):
        return text, _Offsets()
    shortened: list[int] = []
    lost = 0

    def character(match: re.Match[str], start: int) -> str:
        nonlocal lost
        if match[1] is None:
            return match[0]
        shortened.append(start + match.start() - lost)
        lost += _PAIR_LENGTH - _CHARACTER_LENGTH
        high, low = int(match[1], 16), int(match[2], 16)
        return f"\\U{0x10000 + ((high - 0xD800) << 10) + low - 0xDC00:08x}"

    def word(match: re.Match[str]) -> str:
        if match[0] == "\t":
            return " "
        return _PAIR.sub(lambda pair: character(pair, match.start()), match[0]) if "\\u" in match[0] else match[0]

    return _JSON_WORD.sub(word, text), _Offsets(tuple(shortened))


class _TooLargeError(Exception):
    """The tree exceeds a limit."""


@dataclass(slots=True)
class _OpenNode:
    """A list or a map that has not ended."""

    is_map: bool
    start: int
    end: int
    anchor: str | None
    n_before: int
    """Values before it."""
    siblings: list[YamlNode]
    """The part of the enclosing node read so far."""
    depth: int = 1
    """Its levels so far."""


@dataclass(frozen=True, slots=True)
class _Anchored:
    """The target of an alias."""

    node: YamlNode
    n_values: int
    depth: int


class _Tree:
    """A tree that grows with each event."""

    def __init__(self, kind: FileKind, text: str, offsets: _Offsets) -> None:
        self.kind = kind
        self.text = text
        self.offsets = offsets
        self.problems: list[Diagnostic] = []
        self.scalars: list[Scalar] = []
        self.top: list[YamlNode] = []
        self.children = self.top
        """The part of the innermost open list or map read so far."""
        self.stack: list[_OpenNode] = []
        self.anchors: dict[str, _Anchored] = {}
        self.total = 0
        self.has_begun = False

    def read_events(self, events: "Iterator[Event]") -> None:
        """Build the tree."""
        from yaml import events as kinds

        scalar_event, append, shortened = kinds.ScalarEvent, self.scalars.append, self.offsets.shortened
        for event in events:
            if type(event) is scalar_event:  # the most frequent case, so unnecessary calls are avoided
                if shortened or event.tag is not None or event.anchor is not None:
                    self.scalar(event)
                    continue
                start, end = event.start_mark.index, event.end_mark.index  # type: ignore[union-attr]  # they are there
                node = Scalar(event.value, start, end, event.implicit[0] and not event.style)
                append(node)
                self.total += 1
                if self.total > self.kind.max_values:
                    self.stop_at_values(node)
                self.children.append(node)
            elif isinstance(event, (kinds.MappingStartEvent, kinds.SequenceStartEvent)):
                self.open_node(event, is_map=isinstance(event, kinds.MappingStartEvent))
            elif isinstance(event, kinds.CollectionEndEvent):
                self.close()
            elif isinstance(event, kinds.AliasEvent):
                self.add_alias(event)
            elif isinstance(event, kinds.DocumentStartEvent):
                if self.has_begun:
                    start, end = self.locate_event(event)
                    self.stop_reading(start, end, *self.kind.second_document)
                self.has_begun = True

    def locate_event(self, event: "Event") -> tuple[int, int]:
        """Return where an event begins and ends in the file."""
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:
            return 0, 0
        if not self.offsets.shortened:
            return start.index, end.index
        return self.offsets.map_offset(start.index), self.offsets.map_offset(end.index)

    def scalar(self, event: "ScalarEvent") -> None:
        """Add a word, number or text."""
        start, end = self.locate_event(event)
        tag, anchor = event.tag, event.anchor
        if not self.kind.has_marks and (tag is not None or anchor is not None):
            self.report_mark(start)
            tag = anchor = None
        node = Scalar(event.value, start, end, event.implicit[0] and not event.style, tag or "")
        self.scalars.append(node)
        self.add_node(node)
        if anchor is not None:
            self.anchors[anchor] = _Anchored(node, 1, 0)

    def open_node(self, event: "MappingStartEvent | SequenceStartEvent", *, is_map: bool) -> None:
        """Begin a list or a map."""
        start, end = self.locate_event(event)
        tag, anchor = event.tag, event.anchor
        if not self.kind.has_marks:
            if tag is not None or anchor is not None:
                self.report_mark(start)
        elif tag not in (None, "!", f"{CORE}map" if is_map else f"{CORE}seq"):
            self.problems.append(self.kind.make_problem(start, end, "a tag means nothing here", self.kind.mark_cure))
        self.check_depth(len(self.stack) + 1, start, end)
        self.stack.append(_OpenNode(is_map, start, end, anchor, self.total, self.children))
        self.children = []

    def close(self) -> None:
        """End the list or map that began last."""
        ended, children = self.stack.pop(), self.children
        self.children = ended.siblings
        node: YamlNode = YamlList(children, ended.start, ended.end)
        if ended.is_map:
            pairs = zip(children[::2], children[1::2], strict=True)
            named = [(key, value) for key, value in pairs if isinstance(key, Scalar)]
            node = YamlMap(named, ended.start, ended.end)
        self.add_node(node, 1, ended.depth)
        if ended.anchor is not None:
            self.anchors[ended.anchor] = _Anchored(node, self.total - ended.n_before, ended.depth)

    def add_alias(self, event: "AliasEvent") -> None:
        """Add the target of an alias."""
        (start, end), name = self.locate_event(event), event.anchor or ""
        if not self.kind.has_marks:
            self.report_mark(start)
            self.add_node(Scalar("", start, start))
            return
        anchored = self.anchors.get(name)
        if anchored is None:
            is_inside = any(each.anchor == name for each in self.stack)
            why = "it stands inside of what it names" if is_inside else f"nothing before it is called `&{name}`"
            message = f"`*{name}` stands for nothing: {why}"
            self.problems.append(self.kind.make_problem(start, end, message, "write the value out"))
            anchored = _Anchored(Scalar("", start, end, is_plain=True), 1, 0)
        self.check_depth(len(self.stack) + anchored.depth, start, end)
        self.add_node(anchored.node, anchored.n_values, anchored.depth)

    def report_mark(self, at: int) -> None:
        """Report a tag, an anchor or an alias in a file that may have none."""
        what = {"&": "an anchor", "*": "an alias"}.get(self.text[at : at + 1], "a tag")
        self.problems.append(self.kind.make_problem(at, at + 1, f"{what} means nothing here", self.kind.mark_cure))

    def add_node(self, node: YamlNode, n_values: int = 1, depth: int = 0) -> None:
        """Add a node to its parent, and count its values and levels."""
        self.total += n_values
        if self.total > self.kind.max_values:
            self.stop_at_values(node)
        if self.stack:
            top = self.stack[-1]
            if depth >= top.depth:
                top.depth = depth + 1
            if top.is_map and not isinstance(node, Scalar) and len(self.children) % 2 == 0:
                message = "a key is a word, and this is a list or a map"
                self.problems.append(self.kind.make_problem(node.start, node.end, message, "write a name"))
        self.children.append(node)

    def stop_at_values(self, node: YamlNode) -> None:
        """Report that the file has too many values."""
        message, cure = self.kind.too_many
        self.stop_reading(node.start, node.end, message.format(self.kind.max_values), cure)

    def check_depth(self, depth: int, start: int, end: int) -> None:
        """Stop if there are too many levels."""
        if depth > self.kind.max_depth:
            message = f"maps and lists are nested deeper than {self.kind.max_depth}"
            self.stop_reading(start, end, message, self.kind.too_deep)

    def stop_reading(self, start: int, end: int, message: str, help: str) -> None:
        """Report the problem that ends the reading."""
        self.problems.append(self.kind.make_problem(start, max(end, start + 1), message, help))
        raise _TooLargeError
