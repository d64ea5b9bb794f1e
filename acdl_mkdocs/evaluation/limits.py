"""How much an evaluation may do before it is stopped: a clear error, never a hang."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one prompt may take."""

    iterations: int = 100_000
    """Rounds of all loops and uses of fragments together."""
    statements: int = 1_000_000
    """Statements that are reached, as often as they are."""
    messages: int = 10_000
    characters: int = 50_000_000
    """Of all messages together, and as many again of what is only calculated with."""
    depth: int = 64
    """Fragments inside fragments."""


class LimitError(Exception):
    """The evaluation has to stop."""

    def __init__(self, source: Source, span: Span, message: str, cure: str) -> None:
        super().__init__(message)
        self.source = source
        self.span = span
        self.message = message
        self.cure = cure


class Budget:
    """What is left."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.iterations = limits.iterations
        self.statements = limits.statements
        self.messages = limits.messages
        self.characters = limits.characters
        self.built = limits.characters

    def turns(self, source: Source, span: Span, count: int = 1) -> None:
        """So many more rounds of a loop.

        Raises:
            LimitError: There are none left.
        """
        self.iterations -= count
        if self.iterations < 0:
            message = f"the loops make more than {self.limits.iterations:,} rounds"
            raise LimitError(source, span, message, "look at the bounds of this loop")

    def use(self, source: Source, span: Span) -> None:
        """One more use of a fragment; it counts as a round of a loop.

        Raises:
            LimitError: There is none left.
        """
        self.iterations -= 1
        if self.iterations < 0:
            message = f"more than {self.limits.iterations:,} rounds of loops and uses of fragments"
            raise LimitError(source, span, message, "does a fragment use others twice, and they again?")

    def statement(self, source: Source, span: Span) -> None:
        """One more statement.

        Raises:
            LimitError: There is none left.
        """
        self.statements -= 1
        if self.statements < 0:
            message = f"more than {self.limits.statements:,} statements are gone through"
            raise LimitError(source, span, message, "look at the loops and fragments around this")

    def message(self, source: Source, span: Span) -> None:
        """One more message.

        Raises:
            LimitError: There is none left.
        """
        self.messages -= 1
        if self.messages < 0:
            message = f"the prompt has more than {self.limits.messages:,} messages"
            raise LimitError(source, span, message, "no provider takes that many")

    def text(self, source: Source, span: Span, length: int) -> None:
        """So many more characters that are sent.

        Raises:
            LimitError: There are none left.
        """
        self.characters -= length
        if self.characters < 0:
            message = f"the prompt has more than {self.limits.characters:,} characters"
            raise LimitError(source, span, message, "no model takes that much")

    def build(self, source: Source, span: Span, length: int) -> None:
        """So many more characters that are put together: by `+`, in a template, as arguments of a function.

        Raises:
            LimitError: There are none left.
        """
        self.built -= length
        if self.built < 0:
            message = f"texts of more than {self.limits.characters:,} characters are put together"
            raise LimitError(source, span, message, "look at what is put together here, and how often")
