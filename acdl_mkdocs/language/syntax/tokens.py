"""The words of a text, and its comments, as values.

Knows nothing about scanning, nor about productions.
"""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.nodes import RoleName


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
        """Whether only white space and comments are before it on its line."""

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.start})"

    @property
    def span(self) -> Span:
        """The place of the token."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Trivia:
    """A comment, or text of another tool, before anyone knows what it belongs to."""

    span: Span
    text: str
    """Without the comment sign and the spaces around."""
    follows: Token | None
    """The token before it, on whatever line."""
    is_beside: bool
    """Whether that token is on the same line."""
    is_host_text: bool = False
    """Whether it is not a comment but host text, which is then `text`."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text cut into words."""

    tokens: list[Token]
    comments: list[Trivia]


N_WORDS_OF_TEXT = 3
"""This many bare words in a row on one line are text for the model; two may be two names that are missing something."""
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
    """Return whether a word is spelled like a template: at least two characters, no lower-case letters."""
    return len(word) > 1 and word.isupper()


EXPECTS_OPERAND = frozenset(
    (
        *("COMPARE", "OR", "AND", "NOT", "PLUS", "MINUS", "TIMES", "ELLIPSIS", "ASSIGN", "LPAR", "LSQB", "MARKER"),
        *("IF", "ELSEIF", "SWITCH", "CASE", "FOREACH", "MARK", "NAME", "PROMPT", "STRING_FRAGMENT", "ROLES_FRAGMENT"),
        *("ENDS_WHEN", "FRAG", "EVERY", "IN", "FOR"),
    )
)
"""After these an operand must follow, so a word is never a keyword that begins a statement."""
_TARGETS = frozenset(("IDENT", "REFERENCE", "TIME"))
_OPENING, _CLOSING = frozenset(("LPAR", "LSQB")), frozenset(("RPAR", "RSQB"))
_NEVER_IN_TARGET = frozenset(("LBRACE", "RBRACE", "ASSIGN", "COMPARE"))


def ends_in_target(tokens: list[Token]) -> bool:
    """Return whether the last tokens are a name, with its fields and indices, that begins a statement.

    After an assignment without `Name`, the name of a second one counts too: `a = b = c` is not a comparison.
    """
    n_open = 0
    for at in range(len(tokens) - 1, -1, -1):
        kind = tokens[at].kind
        if kind in _CLOSING:
            n_open += 1
        elif kind in _OPENING:
            n_open -= 1
        if n_open < 0 or kind in _NEVER_IN_TARGET:
            return False
        if not n_open and kind != "FIELDS" and kind not in _OPENING:
            before = tokens[at - 1].kind if at else ""
            return kind in _TARGETS and (before not in EXPECTS_OPERAND or _is_bare_assignment(tokens, at - 1))
    return False


def _is_bare_assignment(tokens: list[Token], at: int) -> bool:
    """Return whether a token is the `=` after a name without `Name`."""
    return tokens[at].kind == "ASSIGN" and tokens[at].text == "=" and (at < 2 or tokens[at - 2].kind != "NAME")


_TITLES = frozenset(("STRING_FRAGMENT", "ROLES_FRAGMENT", "PROMPT"))
_LONGEST_TITLE = 40
"""Tokens after which an open bracket is not that of a title."""


def column_of(source: Source, token: Token) -> int:
    """Return the number of characters before a token on its line."""
    return token.start - source.line_starts[source.line_index(token.start)]


def is_title(tokens: list[Token], at: int) -> bool:
    """Return whether a definition begins here: `StrFrag ...`, `Name[params]: {`."""
    if tokens[at].kind in _TITLES:
        return True
    if tokens[at].kind != "IDENT":
        return False
    at += 1
    if tokens[at].kind == "LSQB":
        last = at + _LONGEST_TITLE
        while at < last and tokens[at].kind not in ("RSQB", "LBRACE", "RBRACE", "$END"):
            at += 1
        at += 1
        return at + 1 < len(tokens) and tokens[at].kind in ("COLON", "LBRACE")
    return tokens[at].kind == "COLON" and tokens[at + 1].kind == "LBRACE"
