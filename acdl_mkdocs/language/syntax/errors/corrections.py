"""The position at which a known mistake may be, and the replacement for its tokens.

Knows no mistake: those are in `correct.py` and `correct_signs.py`.
"""

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.language.syntax.tokens import Token

_LONGEST = 60
"""Limit of tokens of a statement to look at."""
_TEXT_BLOCKS = frozenset(("ROLE", "STRING_FRAGMENT"))
_CLOSING = {"RPAR": "LPAR", "RSQB": "LSQB"}


@dataclass(frozen=True, slots=True)
class Correction:
    """The replacement for some tokens."""

    n_taken: int
    tokens: tuple[Token, ...]
    report: Diagnostic | None = None
    """`None` if an earlier report covers it."""


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    """Kind of the keyword that the block belongs to, empty if it has none."""
    is_text: bool
    """Whether its content is part of a message."""


class CorrectionState:
    """The current position while tokens are corrected, and the tokens before it."""

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.at = 0
        self.output: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.blocks: list[_Block] = []
        self.brackets: list[Token] = []
        self.head = ""  # kind of the last keyword of a block, without a brace since
        self.start = 0  # index in `output` of the first token of the statement
        self.reported: set[str] = set()  # mistakes that are reported once
        self.n_extra = 0  # closing braces too many in this definition, as far as not yet explained

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def kind_at(self, offset: int) -> str:
        """Return the kind of the token at a relative position."""
        at = self.at + offset
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else "$END"

    @property
    def begins_statement(self) -> bool:
        """Whether a statement begins at the next token."""
        if self.brackets and not self.token.is_first:
            return False
        before = self.output[-1].kind if self.output else "LBRACE"
        return self.token.is_first or before in ("LBRACE", "RBRACE", "SEPARATOR") or self.follows_role

    @property
    def follows_role(self) -> bool:
        """Whether the next token begins the content of a message without braces."""
        return len(self.output) > 1 and self.output[-1].kind == "COLON" and self.output[-2].kind == "ROLE"

    @property
    def is_text(self) -> bool:
        """Whether the next token is in a message or a string fragment."""
        return self.follows_role or (bool(self.blocks) and self.blocks[-1].is_text)

    @property
    def block(self) -> str:
        """The kind of the keyword of the innermost block."""
        return self.blocks[-1].kind if self.blocks else ""

    def rest_of_line(self) -> list[Token]:
        """Return the next token and the rest of its line."""
        end = self.at + 1
        last = min(self.at + _LONGEST, len(self.tokens) - 1)
        while end < last and not self.tokens[end].is_first:
            end += 1
        return self.tokens[self.at : end]

    def header_tokens(self) -> list[Token]:
        """Return the next tokens up to a brace; empty if none follows on the line."""
        line = self.rest_of_line()
        at = next((at for at, token in enumerate(line) if token.kind in ("LBRACE", "RBRACE")), len(line))
        if at == len(line) and self.kind_at(at) != "LBRACE":
            return []
        return line[:at] if self.kind_at(at) == "LBRACE" else []

    def n_open_on_line(self) -> int:
        """Return how many open blocks begin on the line of the next token."""
        n_open = 0
        for token in reversed(self.output[-_LONGEST:]):
            n_open += (token.kind == "LBRACE") - (token.kind == "RBRACE")
            if token.is_first:
                break
        return n_open if not self.token.is_first else 0

    def quote_tokens(self, tokens: list[Token]) -> str:
        """Return tokens as written, on one line."""
        return self.source.one_line(tokens[0].start, tokens[-1].end) if tokens else ""

    def take_token(self, token: Token) -> None:
        """Read one more token."""
        kind = token.kind
        if self.begins_statement:
            self.start = len(self.output)
        if token.is_first or kind in ("LBRACE", "RBRACE"):
            self.brackets = []
        if kind == "LBRACE":
            self.open_block(self.head)
            self.head = ""
        elif kind == "RBRACE":
            del self.blocks[-1:]
            self.head = ""
        elif kind in ("LPAR", "LSQB"):
            self.brackets.append(token)
        elif kind in _CLOSING:
            del self.brackets[-1:]
        elif kind in BLOCK_WORDS:
            self.head = kind
        elif token.is_first:
            self.head = ""
        self.output.append(token)

    def open_block(self, kind: str) -> None:
        """Enter the block of that keyword."""
        is_text = kind in _TEXT_BLOCKS or (bool(self.blocks) and self.blocks[-1].is_text)
        self.blocks.append(_Block(kind, is_text))


def change_kind(token: Token, kind: str) -> Token:
    """Return the same word with another kind."""
    return Token(kind, token.text, token.start, token.end, token.is_first)


def make_sign(kind: str, before: Token) -> Token:
    """Return a sign to insert after a token."""
    return Token(kind, "", before.end, before.end, False)


def span_of(tokens: list[Token]) -> Span:
    """Return the span of some tokens."""
    return Span(tokens[0].start, tokens[-1].end)
