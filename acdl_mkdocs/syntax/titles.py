"""Where a definition begins, seen in its words alone."""

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.syntax.tokens import Token

_TITLES = frozenset(("STRING_FRAGMENT", "ROLES_FRAGMENT", "PROMPT"))
_LONGEST_TITLE = 40
"""Tokens after which an open bracket is not that of a title."""


def column_of(source: Source, token: Token) -> int:
    """How many characters come before a token on its line."""
    return token.start - source.line_starts[source.line_index(token.start)]


def is_title(tokens: list[Token], at: int) -> bool:
    """Whether a definition begins here: `StrFrag ...`, `Name[params]: {`."""
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
