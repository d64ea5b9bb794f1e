"""`nested()`: the lines of a definition to blocks, by their columns.

A line that stands at no level goes to the nearest one, and that is told.
Knows nothing of messages: `messages.py` sets right what columns cannot say.
"""

from acdl_mkdocs.drawn.blocks import HOLDERS, MAX_DEPTH, Block, Told
from acdl_mkdocs.drawn.kinds import LETTERS, Meaning, is_repetition, kind_of, role_named
from acdl_mkdocs.drawn.lines import Line
from acdl_mkdocs.drawn.titles import is_name


def nested(root: Block, lines: list[Line], told: Told, unread: frozenset[int] = frozenset()) -> None:
    """Put the lines of a definition into its block.

    Parameters:
        root: The block.
        lines: The lines.
        told: Takes what is guessed.
        unread: Offsets of lines that are known not to be understood; what stands in them stands in their place.
    """
    run = _Nesting(root, told, unread)
    for line in lines:
        for block in _blocks_of(line):
            if block.kind == "comment":
                run.comments.append(block)
            else:
                run.place_comments(block.column)
                run.place(block)
    run.place_comments(-1)


_MOST_HEADS = 3
"""Heads of blocks that may share a line: `If a: For each d in b: User: d.text`."""
_ARMS = frozenset(("else", "elseif", "case", "default", "switch", "mark"))
"""Blocks that begin a line."""


def _blocks_of(line: Line) -> list[Block]:
    """A line as a block; more, if the head of a block shares the line with the head of one in it."""
    meaning = kind_of(line.code)
    block = Block(line, meaning.kind, meaning.words, meaning.name, line.column, guess=meaning.guess)
    if meaning.kind == "mark-end" and meaning.words:  # a bracket beside one line
        inner = kind_of(meaning.words)
        inside = Block(line, inner.kind, inner.words, inner.name, line.column)
        if inner.kind in HOLDERS or inner.inline:
            return [Block(line, "mark-end", "", meaning.name, line.column), inside]
        return [
            Block(line, "mark", meaning.name, "", line.column, [inside], has_inline=True, guess=meaning.guess),
        ]
    return _with_inline(block, meaning)


def _with_inline(block: Block, meaning: Meaning) -> list[Block]:
    """The head of a block, with what shares the line; a message or a block in it takes what stands further in."""
    line, heads = block.line, [block]
    while meaning.inline:
        is_odd = meaning.is_odd
        meaning = kind_of(meaning.inline)
        kind = "unread" if is_odd else meaning.kind
        column = line.column + len(heads)
        inner = Block(line, kind, meaning.words, meaning.name, column, guess=meaning.guess)
        if len(heads) == _MOST_HEADS or kind in ("label", "mark-end") or (kind in _ARMS and len(heads) > 0):
            return [Block(line, "unread", line.code, "", line.column)]
        heads[-1].has_inline = True
        if kind not in HOLDERS:
            inner.column = line.column
            heads[-1].children.append(inner)
            return heads
        heads.append(inner)
    return heads


class _Nesting:
    """The blocks that are open, outermost first."""

    def __init__(self, root: Block, told: Told, unread: frozenset[int]) -> None:
        self.open = [root]
        self.told = told
        self.unread = unread
        self.comments: list[Block] = []
        """Comments whose level the next line decides with their column."""
        self.was_uneven = False

    def place_comments(self, column: int) -> None:
        """Put the comments that wait where they stand, or before the next line if that is further in."""
        for comment in self.comments:
            stack = self.open
            at = len(stack) - 1
            wanted = max(comment.column, column)
            while at and stack[at].column >= wanted:
                at -= 1
            while at and stack[at].kind not in HOLDERS:
                at -= 1
            if comment.column >= column:
                del stack[at + 1 :]
            stack[at].children.append(comment)
        self.comments.clear()

    def place(self, block: Block) -> None:
        """Put a line below the nearest line that stands further out."""
        stack = self.open
        closed: Block | None = None
        while len(stack) > 1 and stack[-1].column >= block.column:
            closed = stack.pop()
        parent = stack[-1]
        if parent.kind == "content" and parent.line.start not in self.unread:
            self.turn_into_holder(parent)
        is_unread = parent.kind == "unread" or parent.line.start in self.unread
        if not (parent.kind in HOLDERS or is_unread) or len(stack) > MAX_DEPTH:
            self.uneven(block, "further in than the line above, which nothing can stand in")
            block.column = parent.column
            stack.pop()
        elif closed is not None and closed.column > block.column:
            self.between(block, closed, parent)
        else:
            self.was_uneven = False
        stack[-1].children.append(block)
        stack.append(block)

    def between(self, block: Block, closed: Block, parent: Block) -> None:
        """A line that goes back to a column where no line stands: the nearer level is meant."""
        if block.column - parent.column < closed.column - block.column and len(self.open) > 1:
            self.open.pop()
            block.column = parent.column
        else:
            block.column = closed.column
        self.uneven(block, "between two levels: read as the nearer one")

    def uneven(self, block: Block, label: str) -> None:
        """Tell it once for lines that follow each other."""
        if not self.was_uneven:
            self.told.nesting(
                block.line,
                "a line stands at no level of the drawing",
                label,
                "begin it in the column of the line that it belongs beside",
            )
        self.was_uneven = True

    def turn_into_holder(self, block: Block) -> None:
        """What other lines stand in is no content: a message by the word alone, or the title of a group."""
        role = role_named(block.words)
        if is_repetition(block.words):
            block.kind = "unread"
        elif role is not None:
            block.kind, block.words = "role", {"none": "N", "tool": "T"}.get(role, role[0].upper())
        elif block.words in LETTERS.values():
            block.kind = "role"
        elif is_name(block.words):
            block.kind = "label"
