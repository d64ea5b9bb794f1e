"""The words of a text, and its comments, as values.

Knows nothing of how they are found in the text, nor of productions.
"""

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.source import Span
from acdl_mkdocs.syntax.nodes import RoleName


class Token:
    """One word of the text. Not a dataclass: there are very many of them."""

    __slots__ = ("end", "is_first", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int, is_first: bool) -> None:
        self.kind = kind
        """A terminal of `grammar.lark`, or `OTHER`."""
        self.text = text
        self.start = start
        self.end = end
        self.is_first = is_first
        """Whether nothing but white space and comments stands before it on its line."""

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.start})"

    @property
    def span(self) -> Span:
        """The place of the token."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Trivia:
    """A comment before anyone knows what it belongs to."""

    span: Span
    text: str
    """Without the comment sign and the spaces around."""
    follows: Token | None
    """The token before it, on whatever line."""
    is_beside: bool
    """Whether that token stands on the same line."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text cut into words."""

    tokens: list[Token]
    comments: list[Trivia]


N_WORDS_OF_TEXT = 3
"""So many bare words in a row on one line are text for the model; two may be two forgotten names."""
ROLES: dict[str, RoleName] = {
    "s": "system",
    "u": "user",
    "a": "assistant",
    "t": "tool",
    "n": "none",
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "none": "none",
}
"""Every spelling of a role marker, in lower case."""


def is_all_caps(word: str) -> bool:
    """Whether a word is spelled like a template: at least two characters, letters, none of them lower case."""
    return len(word) > 1 and word.isupper()
