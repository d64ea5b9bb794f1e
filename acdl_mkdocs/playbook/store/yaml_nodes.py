"""YAML as a light tree with positions, and the comments that people wrote in it."""

import gc
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.yaml import read
from acdl_mkdocs.foundation.yaml.nodes import Plain, plain_value
from acdl_mkdocs.foundation.yaml.nodes import Scalar as CoreScalar

if TYPE_CHECKING:
    from yaml.events import Event

RULE = "playbook-file"
"""The name of all problems of a playbook file."""
MAX_CHARACTERS = 50_000_000
MAX_VALUES = 3_000_000
MAX_DEPTH = 8
"""A playbook is at most a list in a map in a list in a map."""
_SHORT = 16
"""Digits of a number that is the same in any schema; leading zeros are fine in YAML 1.2."""
_MAY_BE_OTHER = frozenset("+-.0123456789~nNtTfF")
"""First characters of numbers, truth values and null."""


@dataclass(slots=True, eq=False)
class Scalar:
    """A word, number or text."""

    text: str
    start: int
    end: int
    is_plain: bool


@dataclass(slots=True, eq=False)
class Items:
    """A list."""

    items: "list[YamlNode]"
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Pairs:
    """A map, which may repeat a key."""

    keys: "list[YamlNode]"
    values: "list[YamlNode]"
    start: int
    end: int


YamlNode: TypeAlias = Scalar | Items | Pairs


@dataclass(slots=True)
class Tree:
    """A text as a tree."""

    n_characters: int
    """Length of the text."""
    root: YamlNode | None = None
    """`None` if the text is empty, or cannot be read."""
    problems: list[Diagnostic] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    """All of them in the order of the text."""


def problem(start: int, end: int, message: str, help: str = "", label: str = "here") -> Diagnostic:
    """Make an error of a playbook file."""
    return error(RULE, message, Label(Span(start, end), label), help=help or ())


def value_of(scalar: Scalar) -> Plain:
    """Return the value of a scalar in the core schema of YAML 1.2: `no` and dates are text.

    Raises:
        ValueError: It has none; the message is a clause about it.
    """
    text = scalar.text
    if not scalar.is_plain:
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise ValueError("has half of a character: `\\ud83d` needs its second half")
        return text
    if text and text[0] not in _MAY_BE_OTHER:
        return text
    if len(text) < _SHORT and text.isdigit() and text.isascii():
        return int(text)
    return plain_value(CoreScalar(text, Span(scalar.start, scalar.end), is_plain=True))


def read_tree(source: Source) -> Tree:
    """Read one document. Problems are in `Tree.problems`; never raises."""
    import yaml

    tree = Tree(len(source.text))
    if len(source.text) > MAX_CHARACTERS:
        tree.problems.append(problem(0, 0, f"the file is longer than {MAX_CHARACTERS:,} characters"))
        return tree
    try:
        events = yaml.parse(source.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        _Builder(tree, source.text).take(events)
    except yaml.MarkedYAMLError as fault:
        places = [mark.index for mark in (fault.problem_mark, fault.context_mark) if mark is not None]
        said = read.syntax_problem(source, fault.problem or "", places or [0])
        tree.problems.append(_of_playbook(said))
        tree.root = None
    except (yaml.YAMLError, UnicodeEncodeError) as fault:
        tree.problems.append(_unreadable(source.text, str(fault)))
        tree.root = None
    except _StoppedError:
        tree.root = None
    return tree


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause garbage collection while half a million values are created: a tree has no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _StoppedError(Exception):
    """The rest is not read."""


def _of_playbook(said: Diagnostic) -> Diagnostic:
    cures = tuple(each for each in said.help if "state" not in each)
    return replace(said, rule=RULE, help=cures or ("compare with a file of `acdl playbook init`",))


def _unreadable(text: str, said: str) -> Diagnostic:
    for offset, character in enumerate(text):
        is_fine = character in "\t\n\r\x85" or " " <= character <= "~" or character >= "\xa0"
        if not is_fine or "\ud800" <= character <= "\udfff" or character in "\ufffe\uffff":
            return replace(read.unprintable_problem(offset, character), rule=RULE)
    return problem(0, 0, f"this is not YAML: {said.splitlines()[0]}", "compare with a file of `acdl playbook init`")


class _Builder:
    """A tree that is built while PyYAML reads."""

    def __init__(self, tree: Tree, text: str) -> None:
        self.tree = tree
        self.text = text
        self.stack: list[tuple[Items | Pairs, list[YamlNode]]] = []
        self.children: list[YamlNode] = []
        self.top = self.children

    def take(self, events: "Iterator[Event]") -> None:
        from yaml import events as kinds

        scalar_event, scalars = kinds.ScalarEvent, self.tree.scalars
        for event in events:
            if type(event) is scalar_event:
                is_plain = event.implicit[0] and not event.style
                scalar = Scalar(event.value, event.start_mark.index, event.end_mark.index, is_plain)  # type: ignore[union-attr]
                scalars.append(scalar)
                self.children.append(scalar)
                if event.anchor is not None or event.tag is not None:
                    self._mark(event)
            elif isinstance(event, kinds.CollectionStartEvent):
                self._open(event, is_map=isinstance(event, kinds.MappingStartEvent))
            elif isinstance(event, kinds.CollectionEndEvent):
                self._close(event)
            elif isinstance(event, kinds.AliasEvent):
                self._mark(event)
                self.children.append(Scalar("", _start(event), _start(event), is_plain=False))
            elif isinstance(event, kinds.DocumentStartEvent) and self.top:
                self._stop(event, "a second document begins here, and a playbook is one", "remove `---`")
        self.tree.root = self.top[0] if self.top else None

    def _open(self, event: "Event", *, is_map: bool) -> None:
        if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
            self._mark(event)
        if len(self.stack) >= MAX_DEPTH:
            self._stop(event, f"maps and lists are nested deeper than {MAX_DEPTH}", "write bullets as flat maps")
        if len(self.tree.scalars) > MAX_VALUES:
            self._stop(event, f"the file has more than {MAX_VALUES:,} values", "split it into several playbooks")
        at = _start(event)
        node: Items | Pairs = Pairs([], [], at, at) if is_map else Items([], at, at)
        self.children.append(node)
        self.stack.append((node, self.children))
        self.children = []

    def _close(self, event: "Event") -> None:
        node, parents = self.stack.pop()
        node.end = _start(event)
        if isinstance(node, Pairs):
            node.keys, node.values = self.children[::2], self.children[1::2]
        else:
            node.items = self.children
        self.children = parents

    def _stop(self, event: "Event", message: str, cure: str) -> None:
        self.tree.problems.append(problem(_start(event), _start(event) + 1, message, cure))
        raise _StoppedError

    def _mark(self, event: "Event") -> None:
        """Report a tag, an anchor or an alias."""
        at = _start(event)
        what = {"&": "an anchor", "*": "an alias"}.get(self.text[at : at + 1], "a tag")
        cure = "a playbook is plain YAML: write the value out"
        self.tree.problems.append(problem(at, at + 1, f"{what} means nothing here", cure))


def _start(event: "Event") -> int:
    return event.start_mark.index if event.start_mark is not None else 0


Owner: TypeAlias = tuple[str, str]
"""The part that a comment is above: `("key", "bullets")`, `("bullets", ID)`, `("sections", ID)`, `("pairs", "A B")`."""
END: Owner = ("end", "")
_MARK = re.compile(r"(?:^|(?<=[ \t\r\n\]}\"',]))#")


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of a file."""

    above: Mapping[Owner, tuple[str, ...]] = field(default_factory=dict)
    """Lines that begin with `#`, by the part that follows them."""
    stray: int | None = None
    """Offset of the first comment anywhere else."""


NO_COMMENTS = Comments()


def read_comments(text: str, tree: Tree) -> Comments:
    """Read the comments of a text: what begins with `#` outside of all scalars."""
    found = [mark.start() for mark in _MARK.finditer(text)]
    if not found:
        return NO_COMMENTS
    starts = [scalar.start for scalar in tree.scalars]
    offsets = [offset for offset in found if _is_outside(offset, text, tree.scalars, starts)]
    if not offsets or not starts:
        return NO_COMMENTS
    owners = _owners(text, tree, is_head_only=offsets[-1] < starts[0])
    above: dict[Owner, tuple[str, ...]] = {}
    stray = None
    last_end = -1
    for offset in offsets:
        if offset < last_end:
            continue  # a second `#` of the same comment
        line_end = text.find("\n", offset)
        last_end = line_end if line_end >= 0 else len(text)
        is_alone = not text[text.rfind("\n", 0, offset) + 1 : offset].strip()
        at = bisect_right(starts, offset)
        place = text.rfind("\n", 0, starts[at]) + 1 if at < len(starts) else None
        owner = END if place is None else owners.get(place)
        if not is_alone or owner is None:
            stray = offset if stray is None else stray
        else:
            above[owner] = (*above.get(owner, ()), text[offset:last_end].rstrip())
    return Comments(above, stray)


def _is_outside(offset: int, text: str, scalars: list[Scalar], starts: list[int]) -> bool:
    at = bisect_right(starts, offset) - 1
    if at < 0 or offset >= scalars[at].end:
        return True
    start = starts[at]
    return text[start] in "|>" and offset < (text + "\n").find("\n", start) and not scalars[at].is_plain


def _owners(text: str, tree: Tree, *, is_head_only: bool) -> dict[int, Owner]:
    """Map the offset of each line to the part that begins there; only the first key for the head."""
    owners: dict[int, Owner] = {}
    if not isinstance(tree.root, Pairs):
        return owners
    for key, value in zip(tree.root.keys, tree.root.values, strict=False):
        if not isinstance(key, Scalar):
            continue
        owners[text.rfind("\n", 0, key.start) + 1] = ("key", key.text)
        if is_head_only:
            break
        for element in value.items if isinstance(value, Items) and key.text in ("sections", "bullets", "pairs") else ():
            name = _name(element)
            if name:
                owners.setdefault(text.rfind("\n", 0, element.start) + 1, (key.text, name))
    return owners


def _name(element: object) -> str:
    if not isinstance(element, Pairs):
        return ""
    words = {
        key.text: value.text
        for key, value in zip(element.keys, element.values, strict=False)
        if isinstance(key, Scalar) and isinstance(value, Scalar)
    }
    return words.get("id") or " ".join(words[each] for each in ("a", "b") if each in words)
