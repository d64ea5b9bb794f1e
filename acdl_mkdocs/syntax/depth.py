"""Cut what is nested too deep, so that every later stage may recurse once a level."""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.syntax.tokens import Token

MAX_BLOCK_DEPTH = 300
"""Blocks and messages nested deeper than this are left out with a message."""
MAX_EXPRESSION_DEPTH = 60
"""Parentheses and brackets nested deeper than this are left out with a message."""


class _Levels:
    """How deep a token is nested: a `{ ... }` is a level, and so is each `U:` of `U: U: A` and of `U: If x { ... }`."""

    def __init__(self) -> None:
        self.depth = 0
        self.pending = 0  # messages without braces that the statement being read stands in
        self.opened: list[int] = []  # for every open brace the levels that it added
        self.closed = 0  # the levels of the block that was closed last
        self.before = ""
        self.two_before = ""

    def enter(self, token: Token) -> None:
        """Take in the next token."""
        kind = token.kind
        if kind == "LBRACE":
            is_message = "ROLE" in (self.before, self.two_before if self.before == "COLON" else "")
            self.opened.append(max(self.pending, 1) if is_message else self.pending + 1)
            self.depth += self.opened[-1]
            self.pending = 0
        elif kind == "RBRACE":
            self.closed = self.opened.pop() if self.opened else 0
            self.depth -= self.closed
            self.pending = 0
        elif kind == "ROLE":
            self.pending = self.pending + 1 if self.follows_role() else 1
        elif kind in ("ELSE", "ELSEIF") and self.before == "RBRACE":
            self.pending = self.closed - 1
        elif self.before != "COLON" and (token.is_first or kind in BLOCK_WORDS):
            self.pending = 0
        self.two_before, self.before = self.before, kind

    def follows_role(self) -> bool:
        """Whether the next token is the content of a message without braces."""
        return self.before == "COLON" and self.two_before == "ROLE"


def cut_blocks(tokens: list[Token], diagnostics: list[Diagnostic]) -> list[Token]:
    """The tokens, with one that stands for everything in a block or message that is too deep."""
    kept: list[Token] = []
    levels = _Levels()
    left_out: Token | None = None
    n_open = 0  # braces within what is left out
    is_statement = False  # only one statement is left out, not the rest of a block
    for token in tokens:
        if left_out is not None:
            n_open += (token.kind == "LBRACE") - (token.kind == "RBRACE")
            is_next = is_statement and n_open == 0 and token.is_first and levels.before != "COLON"
            if n_open >= 0 and token.kind != "$END" and not is_next:
                levels.before = token.kind
                continue
            kept.append(Token("BROKEN", "…", left_out.start, token.start, False))
            left_out = None
        is_statement = token.kind == "ROLE" and levels.follows_role()
        depth = levels.depth + (levels.pending if is_statement else 0)
        if depth > MAX_BLOCK_DEPTH and token.kind != "RBRACE":
            left_out, n_open = token, int(token.kind == "LBRACE")
            diagnostics.append(_too_deep("blocks", MAX_BLOCK_DEPTH, token))
            continue
        levels.enter(token)
        kept.append(token)
    return kept


def cut_brackets(tokens: list[Token], diagnostics: list[Diagnostic]) -> list[Token]:
    """The tokens, with a name that stands for everything in parentheses or brackets that are too deep."""
    kept: list[Token] = []
    depth = 0
    left_out: Token | None = None
    last = tokens[0]
    for token in tokens:
        if _ends_expression(token):
            if left_out is not None:
                kept.append(Token("IDENT", "…", left_out.start, max(left_out.end, last.end), False))
                left_out = None
            depth = 0
        if token.kind in ("RPAR", "RSQB"):
            depth = max(depth - 1, 0)
            if depth == MAX_EXPRESSION_DEPTH and left_out is not None:
                kept.append(Token("IDENT", "…", left_out.start, token.start, False))
                left_out = None
        if left_out is None:
            if depth <= MAX_EXPRESSION_DEPTH:
                kept.append(token)
            else:
                left_out = token
                diagnostics.append(_too_deep("parentheses", MAX_EXPRESSION_DEPTH, token))
        depth += token.kind in ("LPAR", "LSQB")
        last = token
    return kept


def _ends_expression(token: Token) -> bool:
    return token.kind in ("LBRACE", "RBRACE", "$END") or (token.is_first and token.kind in BLOCK_WORDS)


def _too_deep(what: str, limit: int, token: Token) -> Diagnostic:
    return error(
        "too-deep",
        f"{what} are nested more than {limit} deep",
        Label(token.span, "left out from here to the end of this block"),
        help="move the inner part into a fragment or a `Name`",
    )
