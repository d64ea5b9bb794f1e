"""Make the braces of a token list balance, and say where they did not.

The parser then never meets an open block at the end of the text, so one forgotten brace costs one message and not the
rest of the file. Indentation decides which block was left open.
"""

from dataclasses import dataclass

from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.tokens import Token

MAX_BLOCK_DEPTH = 300
"""Blocks nested deeper than this are left out with a message: every later stage may recurse once a level."""
MAX_EXPRESSION_DEPTH = 60
"""Parentheses and brackets nested deeper than this are left out with a message."""

_TITLES = frozenset(("STRING_FRAGMENT", "ROLES_FRAGMENT", "PROMPT"))
_STATEMENTS = frozenset(("FOREACH", "IF", "SWITCH", "MARK", "NAME", "ENDS_HERE", "ENDS_WHEN"))
BLOCK_WORDS = {
    "ROLE": "message",
    "FOREACH": "`ForEach` block",
    "IF": "`If` block",
    "ELSEIF": "`ElseIf` block",
    "ELSE": "`Else` block",
    "SWITCH": "`Switch` block",
    "CASE": "`Case` block",
    "DEFAULT": "`Default` block",
    "MARK": "`Mark` block",
    "STRING_FRAGMENT": "fragment",
    "ROLES_FRAGMENT": "fragment",
}


@dataclass(frozen=True, slots=True)
class Balanced:
    """Tokens whose braces match, and what was wrong with them."""

    tokens: list[Token]
    diagnostics: list[Diagnostic]


def balance(source: Source, tokens: list[Token]) -> Balanced:  # noqa: C901  # one pass, one short case a kind
    """Close what was left open, drop what closes nothing, cut what is nested too deep."""
    depth = deepest = inner = deepest_inner = 0
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
        elif token.is_first:
            if kind in BLOCK_WORDS:
                inner = 0  # what the lines before left open ends here
            if at > 1 and tokens[at - 1].kind == "COLON" and tokens[at - 2].kind == "ROLE":
                empty += [at] if _is_next_statement(source, tokens[at - 2], token) else []
    tokens = _with_missing(tokens, empty) if empty else tokens
    result = Balanced(tokens, [])
    if not is_balanced or depth:
        result = _mend(source, tokens)
    if deepest > MAX_BLOCK_DEPTH:
        result = _cut(result, ("LBRACE",), ("RBRACE",), MAX_BLOCK_DEPTH, "blocks", "BROKEN")
    if deepest_inner > MAX_EXPRESSION_DEPTH:
        result = _cut(result, ("LPAR", "LSQB"), ("RPAR", "RSQB"), MAX_EXPRESSION_DEPTH, "parentheses", "IDENT")
    return result


def _is_next_statement(source: Source, role: Token, token: Token) -> bool:
    """Whether the first word after `S:` and a line break is no content of that message."""
    if token.kind == "ROLE":
        return True
    return token.kind in _STATEMENTS and _column(source, token) <= _column(source, role)


def _column(source: Source, token: Token) -> int:
    return token.start - source.line_starts[source.line_index(token.start)]


def _with_missing(tokens: list[Token], places: list[int]) -> list[Token]:
    """The tokens with one for the content that is missing before those places: `S:` on the line before `U: x`."""
    made: list[Token] = []
    done = 0
    for at in places:
        end = tokens[at - 1].end
        made += [*tokens[done:at], Token("MISSING", "", end, end, False)]
        done = at
    return made + tokens[done:]


@dataclass(frozen=True, slots=True)
class _Open:
    """An open brace and the line it stands on."""

    brace: Token
    head: Token
    """First token of the statement that the brace belongs to."""
    indent: int
    depth: int
    """Number of blocks around it."""


class _Mender:
    """The braces open at this point."""

    def __init__(self, source: Source, n_missing: int) -> None:
        self.source = source
        self.n_missing = n_missing  # closing braces, as far as not yet explained
        self.is_indented: set[int] = set()  # depths at which the first line of the block stood further in
        self.open: list[_Open] = []
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.line_head: Token | None = None

    def indent_of(self, token: Token) -> int:
        return _column(self.source, token)

    def opens(self, brace: Token) -> None:
        head = self.line_head or brace
        if head.kind == "RBRACE" and len(self.tokens) > 1:  # `} Else {`: named by what follows the brace
            head = next((token for token in reversed(self.tokens) if token.kind in BLOCK_WORDS), head)
        indent = self.indent_of(self.line_head or brace)
        self.open.append(_Open(brace, head, indent, len(self.open)))

    def leave_open(self, at: Token) -> None:
        """Close the innermost block before `at`, with a message."""
        left = self.open.pop()
        self.is_indented.discard(len(self.open) + 1)
        self.n_missing -= 1
        what = BLOCK_WORDS.get(left.head.kind, "block" if left.depth else "spec")
        related = [] if at.kind == "$END" else [Label(at.span, "the indentation says that it ends before this")]
        self.diagnostics.append(
            error(
                "unbalanced-block",
                f"this {what} is never closed",
                Label(left.brace.span, "opened here"),
                related=related,
                help="add the missing `}`",
            )
        )
        place = self.tokens[-1].end
        self.tokens.append(Token("RBRACE", "", place, place, False))

    def begins_line(self, token: Token) -> None:
        """A line that stands no further in than an open block began: as far as braces are missing, it ended."""
        indent = self.indent_of(token)
        if self.open and self.tokens[-1] is self.open[-1].brace and indent > self.open[-1].indent:
            self.is_indented.add(len(self.open))
            return
        if token.kind == "RBRACE":
            return
        while (
            self.n_missing > 0 and self.open and indent <= self.open[-1].indent and len(self.open) in self.is_indented
        ):
            self.leave_open(token)

    def closes_nothing(self, brace: Token) -> None:
        self.diagnostics.append(
            error(
                "unbalanced-block",
                "`}` closes nothing",
                Label(brace.span, "no block is open here"),
                help="delete it, or add the `{` that it should close",
            )
        )

    def close(self, brace: Token) -> None:
        if not self.open:
            self.closes_nothing(brace)
            return
        if brace.is_first:
            indent = self.indent_of(brace)
            if self.n_missing < 0 and indent > self.open[-1].indent and len(self.open) in self.is_indented:
                self.n_missing += 1
                self.closes_nothing(brace)
                return
            if any(each.indent == indent for each in self.open):
                while self.open[-1].indent > indent:
                    self.leave_open(brace)
        self.is_indented.discard(len(self.open))
        self.open.pop()
        self.tokens.append(brace)


def _mend(source: Source, tokens: list[Token]) -> Balanced:
    n_open = sum((token.kind == "LBRACE") - (token.kind == "RBRACE") for token in tokens)
    mender = _Mender(source, n_open)
    for at, token in enumerate(tokens):
        if token.is_first:
            mender.line_head = token
            if token.kind != "$END":
                mender.begins_line(token)
        if token.kind == "$END" or (mender.open and token.is_first and is_title(tokens, at)):
            outermost = mender.open[0].indent if mender.open else 0
            while mender.open and (token.kind == "$END" or mender.indent_of(token) <= outermost):
                mender.leave_open(token)
        if token.kind == "RBRACE":
            mender.close(token)
            continue
        if token.kind == "LBRACE":
            mender.opens(token)
        mender.tokens.append(token)
    return Balanced(mender.tokens, mender.diagnostics)


def is_title(tokens: list[Token], at: int) -> bool:
    """Whether a definition begins here: `StrFrag ...`, `Name[params]: {`."""
    if tokens[at].kind in _TITLES:
        return True
    if tokens[at].kind != "IDENT":
        return False
    at += 1
    if tokens[at].kind == "LSQB":
        while tokens[at].kind not in ("RSQB", "LBRACE", "RBRACE", "$END"):
            at += 1
        at += 1
        return at + 1 < len(tokens) and tokens[at].kind in ("COLON", "LBRACE")
    return tokens[at].kind == "COLON" and tokens[at + 1].kind == "LBRACE"


def _ends_expression(token: Token) -> bool:
    return token.kind in ("LBRACE", "RBRACE", "$END") or (token.is_first and token.kind in BLOCK_WORDS)


def _cut(
    balanced: Balanced, opening: tuple[str, ...], closing: tuple[str, ...], limit: int, what: str, instead: str
) -> Balanced:
    """Replace what is nested deeper than the limit by one token of kind `instead`."""
    kept: list[Token] = []
    diagnostics = list(balanced.diagnostics)
    depth = 0
    left_out: Token | None = None
    last = balanced.tokens[0]
    for token in balanced.tokens:
        if instead == "IDENT" and _ends_expression(token):
            if left_out is not None:
                kept.append(Token(instead, "…", left_out.start, max(left_out.end, last.end), False))
                left_out = None
            depth = 0
        if token.kind in closing:
            depth = max(depth - 1, 0)
            if depth == limit and left_out is not None:
                kept.append(Token(instead, "…", left_out.start, token.start, False))
                left_out = None
        if depth <= limit and left_out is None:
            kept.append(token)
        elif left_out is None:
            left_out = token
            diagnostics.append(
                error(
                    "too-deep",
                    f"{what} are nested more than {limit} deep",
                    Label(token.span, "left out from here to the end of this block"),
                    help="move the inner part into a fragment or a `Name`",
                )
            )
        if token.kind in opening:
            depth += 1
        last = token
    return Balanced(kept, diagnostics)
