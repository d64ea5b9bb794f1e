"""The state of the parser at a mistake, and the words that messages have in common."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS
from acdl_mkdocs.language.syntax.pieces import Piece, start_of
from acdl_mkdocs.language.syntax.tokens import ROLES, Token

EXPRESSION = "`env.x[@T]`, `TEMPLATE`, `f(x)`"
PLAIN_TEXT = "ACDL names what is sent: write a TEMPLATE in capitals, or put the text in quotes"
_LONGEST_EXCERPT = 300
"""Characters of a statement that a message repeats."""
OPERATORS = frozenset(("COMPARE", "OR", "AND", "NOT", "PLUS", "MINUS", "TIMES"))
VALUES = frozenset(("IDENT", "TIME", "NUMBER", "STRING", "REFERENCE", "FRAG"))
"""Kinds of tokens that a value begins with."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """The state of the parser at a token that does not fit."""

    source: Source
    tokens: list[Token]
    at: int
    """Index of the token that does not fit."""
    line: int
    """Index of the first token on its line."""
    unfinished: tuple[Piece, ...]
    """Pieces of the statement that was being read."""
    holder: Token | None
    """The word or sign that the unfinished pieces follow, such as `If` or a `(`, if they follow one."""
    expected: frozenset[str]
    """Terminals that were possible instead."""

    @property
    def token(self) -> Token:
        """The token that does not fit."""
        return self.tokens[self.at]

    @property
    def previous(self) -> Token | None:
        """The token before it."""
        return self.tokens[self.at - 1] if self.at else None

    @property
    def head(self) -> Token | None:
        """The word that began the unfinished statement, if it began with one."""
        first = self.unfinished[0] if self.unfinished else None
        if isinstance(first, Token) and first.kind not in ("LPAR", "LSQB", "COLON"):
            return first
        return self.holder

    @property
    def starts_line(self) -> bool:
        """Whether the token begins a line or ends a block or the text, so the statement before it is incomplete."""
        return self.token.is_first or self.token.kind in ("$END", "RBRACE")

    @property
    def begins_message(self) -> bool:
        """Whether the token is the marker of a message that an open bracket hides: the `A` of `U: f(x A: y`."""
        is_role = self.token.text[:1].isupper() and self.token.text.lower() in ROLES
        return is_role and self.token.kind == "IDENT" and self.tokens[self.at + 1].kind == "COLON"

    @property
    def is_at_end(self) -> bool:
        """Whether only inserted closing braces are between the token and the end of the text."""
        return self.token.kind == "$END" or (
            not self.token.text and not self.source.text[self.token.start :].strip(" \t\r\n")
        )

    def quote_token(self) -> str:
        """Return the token in words."""
        if self.token.kind == "$END":
            return "the end of the text"
        if self.token.kind == "MISSING":
            return "the next definition"
        if self.token.kind in ("DECLARATION", "SKIPPED"):
            return f"this `{self.token.text.split(None, 1)[0]}` block"
        return f"`{self.token.text}`" if self.token.text else "the end of the block"

    def statement_text(self) -> str:
        """Return the unfinished statement as written, on one line."""
        first = self.unfinished[0] if self.unfinished else self.token
        start = start_of(first)
        if isinstance(first, Token) and first.kind == "COLON":
            start = self.source.text.rfind("\n", 0, start) + 1
        return self.source.one_line(start, min(self.token.start, start + _LONGEST_EXCERPT))

    def span_after(self) -> Span:
        """Return an empty span just after the previous token."""
        end = self.previous.end if self.previous else 0
        return Span(end, end)

    def has_kind(self, kind: str) -> bool:
        """Return whether the unfinished statement contains a word or sign of that kind."""
        return any(isinstance(piece, Token) and piece.kind == kind for piece in self.unfinished)

    def open_brackets(self) -> list[Token]:
        """Return the `(` and `[` that are still open, outermost first."""
        brackets: list[Token] = []
        for piece in self.unfinished:
            if not isinstance(piece, Token):
                continue
            if piece.kind in ("LPAR", "LSQB"):
                brackets.append(piece)
            elif piece.kind in ("RPAR", "RSQB") and brackets:
                brackets.pop()
        return brackets


def role_word(marker: Token) -> str:
    """Return `System`, `User`, ... for a role marker in any spelling."""
    return ROLE_WORDS[ROLES[marker.text.split()[-1].lower()]]
