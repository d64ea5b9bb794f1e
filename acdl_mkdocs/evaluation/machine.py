"""A stack of blocks of statements, and the messages that they produce.

There is no recursion, so no nesting is too deep. Knows nothing about what statements mean.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.context import EvaluationContext
from acdl_mkdocs.evaluation.scope import Here
from acdl_mkdocs.evaluation.state.sample_state import EmptyMode
from acdl_mkdocs.evaluation.transcript import Origin, Piece, SentMessage
from acdl_mkdocs.evaluation.values import Value
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS, ForEach, Identifier, Node, RoleMessage, Statement


@dataclass(slots=True)
class OpenMessage:
    """A message under construction, or the text of a fragment in an expression."""

    node: RoleMessage | None
    here: Here
    pieces: list[Piece] = field(default_factory=list)
    empty: Piece | None = None
    """Content without words: an empty text, or the empty answer of a tool."""
    empty_at: int = 0
    """Number of pieces before it."""


@dataclass(slots=True)
class Rounds:
    """The remaining rounds of a loop."""

    node: ForEach
    variable: Identifier
    elements: Iterator[Value]
    outside: Here
    """The place of the loop."""
    is_over_substeps: bool


@dataclass(slots=True)
class Block:
    """A block of statements that is being executed."""

    statements: Sequence[Statement]
    here: Here
    node: Node
    """The node whose body they are."""
    message: OpenMessage | None = None
    """The message around them."""
    rounds: Rounds | None = None
    """Of a loop."""
    at: int = 0
    """Index of the next statement."""


class Machine:
    """Executes blocks."""

    def __init__(
        self,
        context: EvaluationContext,
        empty: EmptyMode,
        joiner: str,
        step: Callable[[Statement, Block], None],
        again: Callable[[Block, Rounds], bool],
    ) -> None:
        """Prepare an empty stack.

        Parameters:
            context: The context of the evaluation.
            empty: How to treat a message without any piece.
            joiner: The text between the pieces of a message.
            step: Executes a statement.
            again: Begins the next round of a loop; returns false after the last one.
        """
        self.context = context
        self.empty = empty
        self.joiner = joiner
        self.step = step
        self.again = again
        self.blocks: list[Block] = []
        self.messages: list[SentMessage] = []
        self.counts: dict[Node, int] = {}
        self.ended: Origin | None = None

    def run_blocks(self, first: Block) -> None:
        """Execute a block and everything inside it, until the prompt ends."""
        base = len(self.blocks)
        self.blocks.append(first)
        try:
            while len(self.blocks) > base and self.ended is None:
                block = self.blocks[-1]
                if block.at < len(block.statements):
                    statement = block.statements[block.at]
                    block.at += 1
                    self.context.budget.take_statement(block.here.source, statement.span)
                    self.step(statement, block)
                elif block.rounds is None or not self.again(block, block.rounds):
                    self.leave_block()
            self.close_open_messages(base)
        finally:
            del self.blocks[base:]

    def enter_block(self, node: Node, statements: Sequence[Statement], here: Here, message: OpenMessage | None) -> None:
        """Begin a block inside the current one."""
        self.blocks.append(Block(statements, here, node, message))

    def leave_block(self) -> None:
        """Leave the innermost block."""
        block = self.blocks.pop()
        if isinstance(block.node, RoleMessage) and block.message is not None:
            self.close_message(block.message, block.node)

    def close_open_messages(self, base: int) -> None:
        """Send the pieces collected so far if the prompt ends inside a message."""
        for block in self.blocks[base:]:
            message = block.message
            if isinstance(block.node, RoleMessage) and message is not None and list_content(message, block.node):
                self.close_message(message, block.node)

    def close_message(self, message: OpenMessage, node: RoleMessage) -> None:
        """Add a complete message."""
        here, pieces = message.here, list_content(message, node)
        if not pieces and self.empty == "drop":
            self.context.findings.report_once(
                here, "no-message", node.marker, lambda: problems.no_message(node.marker, ROLE_WORDS[node.role])
            )
            return
        self.context.budget.take_message(here.source, node.marker)
        origin = here.locate_span(node.span)
        self.messages.append(SentMessage(node.role, origin, here.stack, pieces, self.joiner))

    def count_statement(self, node: Node, by: int = 1) -> None:
        """Count a statement that was reached, a round, or an alternative that was taken."""
        self.counts[node] = self.counts.get(node, 0) + by


def list_content(message: OpenMessage, node: RoleMessage) -> tuple[Piece, ...]:
    """Return the pieces that a message sends; an empty text counts as content if there are no other words."""
    pieces, empty = message.pieces, message.empty
    if empty is None or any(not piece.parts for piece in pieces) or (pieces and node.role == "tool"):
        return tuple(pieces)
    return (*pieces[: message.empty_at], empty, *pieces[message.empty_at :])
