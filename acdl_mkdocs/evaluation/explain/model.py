"""The parts of an explanation. Knows no tree and no format."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span

Kind: TypeAlias = Literal["chat", "completion", "string-fragment", "roles-fragment", "snippet"]
ItemKind: TypeAlias = Literal[
    "message", "content", "fragment", "loop", "choice", "arm", "group", "name", "end", "other"
]


@dataclass(frozen=True, slots=True)
class Growth:
    """Something that grows as time goes by."""

    loop: str
    """The loop in words: `for each turn t from 1 to the current turn`."""
    what: str
    """The growing content; empty if it is the content of a loop."""
    limit: str
    """The limit of the growth in words; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Item:
    """A statement of a spec in words, with the items inside it."""

    kind: ItemKind
    """`message`, `content`, `fragment` (a use of one), `loop`, `choice` (an `If` or `Switch`), `arm` (one of its
    branches), `group` (statements under a mark or a title), `name`, `end` or `other`."""
    text: str
    """A phrase such as `a User message` or `for each turn t from 1 to the one before the present`."""
    file: str
    """Name of the file that it is in: that of the spec, or that of a fragment."""
    line: int
    """Line of the file, from 1."""
    role: str = ""
    """Of a message: `system`, `user`, `assistant`, `tool` or `none`."""
    comment: str = ""
    """The comment of the author beside the statement; empty if there is none."""
    items: tuple["Item", ...] = ()
    """The statements inside it, in order."""
    fragment: str = ""
    """Name of the fragment that it uses; empty for other kinds."""
    is_sure: bool = True
    """Whether it has a piece at all times; a list made by a loop may be empty."""
    grows: tuple[Growth, ...] = ()
    """What grows in it as time goes by."""
    span: Span | None = None
    """The statement in its file, one of the parts of a figure; `None` for an `If` with several arms, which are
    drawn one after the other."""

    def walk_items(self, around: tuple["Item", ...] = ()) -> Iterator[tuple["Item", tuple["Item", ...]]]:
        """Yield the item and all items inside it, each with the items around it, the outermost first.

        Parameters:
            around: The items around this one, if any.
        """
        yield self, around
        for each in self.items:
            yield from each.walk_items((*around, self))


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the spec, which may be sent any number of times."""

    role: str
    """`system`, `user`, `assistant`, `tool` or `none`."""
    when: str
    """`always` if it is sent once at every point; otherwise the loops and conditions around it, in words."""
    contains: tuple[str, ...]
    """Phrases for what it can contain, in order."""
    file: str
    """Name of the file that it is in: that of the spec, or that of a fragment."""
    line: int
    """Line of the file, from 1."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name that the spec gives to a value."""

    name: str
    """The name, without `$`."""
    stands_for: str
    """The value in words."""
    file: str
    """Name of the file that it is in: that of the spec, or that of a fragment."""
    line: int
    """Line of its definition, from 1."""
    n_uses: int
    """How often the definition around it uses the name."""


@dataclass(frozen=True, slots=True)
class RequiredEntry:
    """An entry that a state needs."""

    path: str
    """Its path in a state: `env.question`, `templates.INSTRUCTIONS`, `functions.search`, `args.agent`."""
    origin: str
    """Who provides the value, in words: `a function of the program`."""
    expected: str
    """How the spec uses it."""
    when: str
    """How often it changes, in words: `one for each turn`; empty if that is not known."""
    comments: tuple[str, ...] = ()
    """Comments of the author where the spec uses it."""


@dataclass(frozen=True, slots=True)
class ExamplePoint:
    """The messages sent at one point."""

    at: str
    """The point in time: `1` or `1.2`."""
    roles: tuple[str, ...]
    """The role of each message, in order."""
    undecided: tuple[str, ...]
    """Undecided conditions, which count as false, and unknown lists of loops, which count as empty."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A spec or a fragment in words."""

    name: str
    """Name of the spec or fragment; empty for a text without a title."""
    title: str
    """As written: `Chat[@T]`."""
    kind: Kind
    """`chat` for messages with roles, `completion` for text without roles, `string-fragment`, `roles-fragment`, or
    `snippet` for a text without a title."""
    summary: str
    """The whole in a sentence or two."""
    about: str
    """The comment of the author above it; empty if there is none."""
    file: str
    """Name of its file; `<text>` for text passed directly."""
    line: int
    """Line of its title in the file, from 1."""
    items: tuple[Item, ...]
    """Its statements in words, in order; blocks have theirs inside."""
    messages: tuple[Message, ...]
    """The messages that it can send, each with its condition."""
    growing: tuple[str, ...]
    """Phrases for content that grows as time goes by."""
    moments: tuple[ExamplePoint, ...]
    """Which messages are sent at each of the first points."""
    names: tuple[NamedValue, ...]
    """The names that it gives to values."""
    needed: tuple[RequiredEntry, ...]
    """What a state has to contain."""
    fragments: tuple[str, ...]
    """Fragments that it uses, directly or through others."""
    unknown: tuple[str, ...]
    """Parts that cannot be explained: invalid text, undefined fragments."""


def format_place(file: str, line: int, own: str) -> str:
    """Return `line 3` for a line of the spec's own file, `fragments.acdl:3` for one of another."""
    return f"line {line}" if file == own else f"{file}:{line}"
