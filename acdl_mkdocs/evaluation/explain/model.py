"""What an explanation is made of. Knows no tree and no format."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass

Kind: TypeAlias = Literal["chat", "completion", "string-fragment", "roles-fragment", "snippet"]
ItemKind: TypeAlias = Literal[
    "message", "content", "fragment", "loop", "choice", "arm", "group", "name", "end", "other"
]


@dataclass(frozen=True, slots=True)
class Growth:
    """Something that there is more of as time goes on."""

    loop: str
    """What is gone through: `for each turn t from 1 to the present turn`."""
    what: str
    """What there is more of; empty for what stands in a loop."""
    limit: str
    """What ends the growth; empty if nothing does."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a spec does, and what is in it."""

    kind: ItemKind
    text: str
    """A phrase such as `a User message` or `for each turn t from 1 to the one before the present`."""
    file: str
    line: int
    """Where it stands, from 1."""
    role: str = ""
    """Of a message: `system`, `user`, `assistant`, `tool` or `none`."""
    comment: str = ""
    """What the author says beside it."""
    items: tuple["Item", ...] = ()
    fragment: str = ""
    """The name of the fragment that is used."""
    is_sure: bool = True
    """Whether a piece is there whatever the time is; a list that is made by a loop may be empty."""
    grows: tuple[Growth, ...] = ()

    def walk(self, around: tuple["Item", ...] = ()) -> Iterator[tuple["Item", tuple["Item", ...]]]:
        """It and all that is in it, each with what it stands in, the outermost first."""
        yield self, around
        for each in self.items:
            yield from each.walk((*around, self))


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the spec, which may be sent never, once or often."""

    role: str
    when: str
    """`always`, once; or else the loops and conditions around it."""
    contains: tuple[str, ...]
    """Phrases for what can be in it, in their order."""
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Named:
    """A name that the spec gives to a value."""

    name: str
    stands_for: str
    line: int
    n_uses: int
    """How often the definition that it stands in uses the name."""


@dataclass(frozen=True, slots=True)
class Needed:
    """An entry that a state has to have."""

    path: str
    """Where a state has it: `env.question`, `templates.INSTRUCTIONS`, `functions.search`, `args.agent`."""
    origin: str
    """Who says it."""
    expected: str
    """What the spec does with it."""
    when: str
    """How often it changes; empty where that is not known."""
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """What is sent at one point."""

    at: str
    roles: tuple[str, ...]
    """Of the messages, in their order."""
    undecided: tuple[str, ...]
    """Conditions that nothing decides, which count as false, and what loops run over that nothing says, which counts as
    empty."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A spec or a fragment in words."""

    name: str
    """Empty for a text without a title."""
    title: str
    """As it is written: `Chat[@T]`."""
    kind: Kind
    summary: str
    about: str
    """What the author says above it."""
    file: str
    line: int
    items: tuple[Item, ...]
    messages: tuple[Message, ...]
    growing: tuple[str, ...]
    """What there is more of as time goes on."""
    moments: tuple[Moment, ...]
    """Examples: the first points."""
    names: tuple[Named, ...]
    needed: tuple[Needed, ...]
    fragments: tuple[str, ...]
    """Those that it uses, also through others."""
    unknown: tuple[str, ...]
    """What cannot be explained: text that is not understood, fragments that are not defined."""
