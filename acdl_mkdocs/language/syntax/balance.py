"""Balance the braces of a token list, and report where they were not balanced.

The parser then never meets an open block at the end of the text, so one forgotten brace costs one message and not the
rest of the file. Indentation decides which block was left open.
"""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.language.syntax.tokens import Token, Trivia, column_of, is_title

MAX_BLOCK_DEPTH = 300
"""Blocks and messages nested deeper than this are left out with a message."""
MAX_EXPRESSION_DEPTH = 60
"""Parentheses and brackets nested deeper than this are left out with a message."""


class _Levels:
    """The nesting depth of a token: a `{ ... }` is a level, and so is each `U:` of `U: U: A` and `U: If x { ... }`."""

    def __init__(self) -> None:
        self.depth = 0
        self.pending = 0  # messages without braces around the statement being read
        self.opened: list[int] = []  # for every open brace the levels that it added
        self.closed = 0  # the levels of the block that was closed last
        self.before = ""
        self.two_before = ""

    def enter_token(self, token: Token) -> None:
        """Process the next token."""
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
        """Return whether the next token is the content of a message without braces."""
        return self.before == "COLON" and self.two_before == "ROLE"


def cut_blocks(tokens: list[Token], diagnostics: list[Diagnostic]) -> list[Token]:
    """Return the tokens, with everything in too deep a block or message replaced by one token."""
    output: list[Token] = []
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
            output.append(Token("BROKEN", "…", left_out.start, token.start, False))
            left_out = None
        is_statement = token.kind == "ROLE" and levels.follows_role()
        depth = levels.depth + (levels.pending if is_statement else 0)
        if depth > MAX_BLOCK_DEPTH and token.kind != "RBRACE":
            left_out, n_open = token, int(token.kind == "LBRACE")
            diagnostics.append(_too_deep("blocks", MAX_BLOCK_DEPTH, token))
            continue
        levels.enter_token(token)
        output.append(token)
    return output


def cut_brackets(tokens: list[Token], diagnostics: list[Diagnostic]) -> list[Token]:
    """Return the tokens, with everything in too deep parentheses or brackets replaced by a name."""
    output: list[Token] = []
    depth = 0
    left_out: Token | None = None
    last = tokens[0]
    for token in tokens:
        if _ends_expression(token):
            if left_out is not None:
                output.append(Token("IDENT", "…", left_out.start, max(left_out.end, last.end), False))
                left_out = None
            depth = 0
        if token.kind in ("RPAR", "RSQB"):
            depth = max(depth - 1, 0)
            if depth == MAX_EXPRESSION_DEPTH and left_out is not None:
                output.append(Token("IDENT", "…", left_out.start, token.start, False))
                left_out = None
        if left_out is None:
            if depth <= MAX_EXPRESSION_DEPTH:
                output.append(token)
            else:
                left_out = token
                diagnostics.append(_too_deep("parentheses", MAX_EXPRESSION_DEPTH, token))
        depth += token.kind in ("LPAR", "LSQB")
        last = token
    return output


def _ends_expression(token: Token) -> bool:
    return token.kind in ("LBRACE", "RBRACE", "$END") or (token.is_first and token.kind in BLOCK_WORDS)


def _too_deep(what: str, limit: int, token: Token) -> Diagnostic:
    return error(
        "too-deep",
        f"{what} are nested more than {limit} deep",
        Label(token.span, "left out from here to the end of this block"),
        help="move the inner part into a fragment or a `Name`",
    )


_LEFT_OPEN = frozenset(("COLON", "PLUS", "MINUS", "TIMES", "COMPARE", "OR", "AND", "NOT", "ASSIGN"))
"""Signs after which something has to follow."""
_STATEMENTS = frozenset(("FOREACH", "IF", "SWITCH", "MARK", "NAME", "ENDS_HERE", "ENDS_WHEN"))


@dataclass(frozen=True, slots=True)
class Balanced:
    """Tokens whose braces match, and what was wrong with them."""

    tokens: list[Token]
    diagnostics: list[Diagnostic]


def balance(source: Source, tokens: list[Token], comments: list[Trivia]) -> Balanced:  # noqa: C901  # one pass, one short case a kind
    """Close blocks that were left open, drop stray braces, and cut what is nested too deep."""
    depth = deepest = inner = deepest_inner = n_chained = 0
    is_balanced = True
    empty: list[int] = []
    for at, token in enumerate(tokens):
        kind = token.kind
        if kind == "LBRACE":
            depth += 1
            deepest = max(deepest, depth)
            inner = 0
        elif kind == "RBRACE":
            depth -= 1
            is_balanced = is_balanced and depth >= 0
            inner = 0
        elif kind in ("LPAR", "LSQB"):
            inner += 1
            deepest_inner = max(deepest_inner, inner)
        elif kind in ("RPAR", "RSQB"):
            inner -= 1
        elif kind == "ROLE" and not token.is_first:
            n_chained += tokens[at - 1].kind == "COLON"
        elif token.is_first:
            if kind in BLOCK_WORDS:
                inner = 0  # what earlier lines left open ends here
            if at and tokens[at - 1].kind in _LEFT_OPEN:
                n_chained += kind == "ROLE"
                empty += [at] if _is_next_statement(source, tokens, at) else []
    tokens = _add_missing(tokens, empty) if empty else tokens
    result = Balanced(tokens, [])
    if not is_balanced or depth:
        from acdl_mkdocs.language.syntax.errors.missing_braces import close_open_blocks  # most texts are balanced

        result = Balanced(*close_open_blocks(source, tokens, comments))
    if 2 * deepest + n_chained > MAX_BLOCK_DEPTH:
        result = Balanced(cut_blocks(result.tokens, result.diagnostics), result.diagnostics)
    if deepest_inner > MAX_EXPRESSION_DEPTH:
        result = Balanced(cut_brackets(result.tokens, result.diagnostics), result.diagnostics)
    return result


def _is_next_statement(source: Source, tokens: list[Token], at: int) -> bool:
    """Return whether the first word on the line after `S:` or `a +` begins the next statement."""
    token, head = tokens[at], at - 2
    if tokens[at - 1].kind == "COLON":
        if tokens[head].kind != "ROLE":
            return False
        if token.kind == "ROLE":
            return True
        begins_statement = token.kind in _STATEMENTS or is_title(tokens, at)
    else:
        begins_statement = is_title(tokens, at)
        while begins_statement and head > 0 and not tokens[head + 1].is_first:
            head -= 1
        head += 1
    return begins_statement and column_of(source, token) <= column_of(source, tokens[head])


def _add_missing(tokens: list[Token], places: list[int]) -> list[Token]:
    """Insert tokens for what is missing at those places: `S:` or `a +` on the line before `U: x`."""
    output: list[Token] = []
    done = 0
    for at in places:
        end = tokens[at - 1].end
        output += [*tokens[done:at], Token("MISSING", "", end, end, False)]
        done = at
    return output + tokens[done:]
