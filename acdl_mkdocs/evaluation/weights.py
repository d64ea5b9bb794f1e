"""Model tokens of a transcript: of each message and each piece, and their sums by role, by expression and by line.

The words of a message are counted together, as they are sent; pieces are counted one by one. So pieces do not
quite add up to their message: a token can lie across the joint of two pieces. Images, and what a provider adds around
messages, are not counted.
"""

from collections import Counter as Sums
from collections.abc import Iterable, Mapping

from acdl_mkdocs.evaluation.transcript import Origin, Piece, Transcript
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts import prompt
from acdl_mkdocs.prompts.prompt import get_text
from acdl_mkdocs.prompts.tokens.counter import Counter


@dataclass(frozen=True, slots=True)
class Weights:
    """Model tokens of one transcript."""

    encoding: str
    is_estimate: bool
    messages: tuple[int, ...]
    pieces: tuple[tuple[int, ...], ...]
    """Of each piece of each message."""
    by_role: Mapping[str, int]
    by_expression: Mapping[str, int]
    by_line: Mapping[str, int]
    """By line of the spec, `12`, or of another file with a fragment, `tools.acdl:3`."""

    @property
    def total(self) -> int:
        """The tokens of all messages."""
        return sum(self.messages)

    def format_count(self, count: int) -> str:
        """Format a count; one that may differ from the count of the model is marked."""
        return f"{'≈' if self.is_estimate else ''}{count:,}"

    def describe_count(self, count: int, noun: str = "token") -> str:
        """Format a count with its noun."""
        return f"{self.format_count(count)} {noun}{'' if count == 1 else 's'}"


def weigh_transcript(transcript: Transcript, counter: Counter) -> Weights:
    """Count the tokens of a transcript."""
    messages: list[int] = []
    pieces: list[tuple[int, ...]] = []
    by_role, by_expression, by_line = Sums[str](), Sums[str](), Sums[str]()
    for message in transcript.messages:
        messages.append(_count_tokens(message.parts, counter))
        pieces.append(tuple(_count_tokens(list_parts(piece), counter) for piece in message.pieces))
        by_role[message.role] += messages[-1]
        for piece, weight in zip(message.pieces, pieces[-1], strict=True):
            by_expression[piece.expression] += weight
            by_line[format_line(piece.origin, transcript)] += weight
    return Weights(
        counter.encoding, counter.is_estimate, tuple(messages), tuple(pieces), by_role, by_expression, by_line
    )


def format_line(origin: Origin, transcript: Transcript) -> str:
    """Return the line of an origin, with the name of its file if it is not the file of the spec."""
    is_own = origin.source.name == transcript.source.name
    return str(origin.line) if is_own else f"{origin.source.name}:{origin.line}"


def list_parts(piece: Piece) -> tuple[prompt.Part, ...]:
    """Return the parts that a piece sends."""
    return piece.parts or (prompt.Text(piece.text),)


def _count_tokens(parts: Iterable[prompt.Part], counter: Counter) -> int:
    return sum(counter.count(words) for part in parts if (words := get_text(part)))
