"""What a drawing holds: lines with what they mean, nested. Knows neither columns nor ACDL text."""

from collections.abc import Iterator
from dataclasses import field

from acdl_mkdocs.drawn.kinds import Kind
from acdl_mkdocs.drawn.lines import Line
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass

MAX_DEPTH = 100
"""Levels that are told apart."""
CONTROL = frozenset(("foreach", "if", "elseif", "else", "switch", "case", "default", "mark", "label"))
"""Kinds of blocks that may hold messages, and may stand in one."""
HOLDERS = CONTROL | {"role", "title", "figure"}
"""Kinds that other lines stand in."""
NEUTRAL = frozenset(
    ("comment", "name", "ends", "break", "continue", "badge", "bracket", "unread", "skipped", "mark-end")
)
"""Kinds that stand inside of messages and outside."""


@dataclass(slots=True, eq=False)
class Block:
    """A line and the lines in it."""

    line: Line
    kind: Kind | str
    """As in `kinds`, or `title` for the head of a definition and `figure` for what has none."""
    words: str = ""
    name: str = ""
    column: int = 0
    children: list["Block"] = field(default_factory=list)
    has_inline: bool = False
    """Whether something of it stands on its own line."""
    guess: str = ""
    """What was guessed of it."""

    @property
    def is_frag(self) -> bool:
        """Whether it is the use of a fragment, which may hold messages or be part of one."""
        return self.kind == "content" and self.words.lower().startswith("frag ")


def inline_content(block: Block) -> Block | None:
    """The content that stands on the line of a block, or the block if it is content."""
    while block.kind != "content":
        inside = next((child for child in block.children if child.line is block.line), None)
        if inside is None:
            return None
        block = inside
    return block


@dataclass(slots=True)
class Told:
    """What was guessed or given up, at places of the drawing."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def nesting(self, line: Line, message: str, label: str, cure: str) -> None:
        """The nesting does not say what belongs where."""
        self.diagnostics.append(warning("unclear-nesting", message, Label(line.span, label), help=cure))

    def guess(self, line: Line, label: str, cure: str) -> None:
        """A line is read in one of the ways that it can be read."""
        message = "a line of the drawing can be read in more than one way"
        self.diagnostics.append(warning("guessed-line", message, Label(line.span, label), help=cure))


def walk(blocks: list[Block]) -> Iterator[Block]:
    """The blocks and all that is in them, in the order of the drawing."""
    waiting = [*reversed(blocks)]
    while waiting:
        block = waiting.pop()
        yield block
        waiting += reversed(block.children)


def with_roles(blocks: list[Block]) -> set[Block]:
    """The blocks that are a message or hold one."""
    found: set[Block] = set()
    for block in reversed([*walk(blocks)]):
        if block.kind == "role" or any(child in found for child in block.children):
            found.add(block)
    return found


def with_content(blocks: list[Block]) -> set[Block]:
    """The blocks that are content of a message for certain, or hold some that is not in a message of theirs."""
    found: set[Block] = set()
    for block in reversed([*walk(blocks)]):
        has_some = block.kind != "role" and any(child in found for child in block.children)
        if has_some or (block.kind == "content" and not block.is_frag):
            found.add(block)
    return found
