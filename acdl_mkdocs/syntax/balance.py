"""Make the braces of a token list balance, and say where they did not.

The parser then never meets an open block at the end of the text, so one forgotten brace costs one message and not the
rest of the file. Indentation decides which block was left open.
"""

from collections import Counter

from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.depth import MAX_BLOCK_DEPTH, MAX_EXPRESSION_DEPTH, cut_blocks, cut_brackets
from acdl_mkdocs.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.syntax.tokens import Token

_TITLES = frozenset(("STRING_FRAGMENT", "ROLES_FRAGMENT", "PROMPT"))
_LEFT_OPEN = frozenset(("COLON", "PLUS", "MINUS", "TIMES", "COMPARE", "OR", "AND", "NOT", "ASSIGN"))
"""Signs after which something has to follow."""
_LONGEST_TITLE = 40
"""Tokens after which an open bracket is not that of a title."""
_STATEMENTS = frozenset(("FOREACH", "IF", "SWITCH", "MARK", "NAME", "ENDS_HERE", "ENDS_WHEN"))


@dataclass(frozen=True, slots=True)
class Balanced:
    """Tokens whose braces match, and what was wrong with them."""

    tokens: list[Token]
    diagnostics: list[Diagnostic]


def balance(source: Source, tokens: list[Token]) -> Balanced:  # noqa: C901  # one pass, one short case a kind
    """Close what was left open, drop what closes nothing, cut what is nested too deep."""
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
                inner = 0  # what the lines before left open ends here
            if at and tokens[at - 1].kind in _LEFT_OPEN:
                n_chained += kind == "ROLE"
                empty += [at] if _is_next_statement(source, tokens, at) else []
    tokens = _with_missing(tokens, empty) if empty else tokens
    result = Balanced(tokens, [])
    if not is_balanced or depth:
        result = _mend(source, tokens)
    if 2 * deepest + n_chained > MAX_BLOCK_DEPTH:
        result = Balanced(cut_blocks(result.tokens, result.diagnostics), result.diagnostics)
    if deepest_inner > MAX_EXPRESSION_DEPTH:
        result = Balanced(cut_brackets(result.tokens, result.diagnostics), result.diagnostics)
    return result


def _is_next_statement(source: Source, tokens: list[Token], at: int) -> bool:
    """Whether the first word after `S:` or `a +` and a line break does not belong to that, but begins what follows."""
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
    return begins_statement and _column(source, token) <= _column(source, tokens[head])


def _column(source: Source, token: Token) -> int:
    return token.start - source.line_starts[source.line_index(token.start)]


def _with_missing(tokens: list[Token], places: list[int]) -> list[Token]:
    """The tokens with one for what is missing before those places: `S:` or `a +` on the line before `U: x`."""
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
        self.indents: Counter[int] = Counter()  # of the open blocks
        self.block_word: Token | None = None  # the last one
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.line_head: Token | None = None

    def indent_of(self, token: Token) -> int:
        return _column(self.source, token)

    def opens(self, brace: Token) -> None:
        head = self.line_head or brace
        if head.kind == "RBRACE" and len(self.tokens) > 1:  # `} Else {`: named by what follows the brace
            head = self.block_word or head
        indent = self.indent_of(self.line_head or brace)
        self.open.append(_Open(brace, head, indent, len(self.open)))
        self.indents[indent] += 1

    def pop(self) -> _Open:
        """Leave the innermost block."""
        left = self.open.pop()
        self.indents[left.indent] -= 1
        return left

    def leave_open(self, at: Token) -> None:
        """Close the innermost block before `at`, with a message."""
        left = self.pop()
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

    def opens_twice(self, brace: Token) -> None:
        """Leave out the second brace of `{ {`, in a text with too few closing ones."""
        self.n_missing -= 1
        self.diagnostics.append(
            error(
                "unbalanced-block",
                "`{` stands here twice",
                Label(brace.span, "one is enough"),
                help="delete one of them",
            )
        )

    def is_one_too_many(self, brace: Token) -> bool:
        """Whether a brace, in a text with too many of them, stands further in than the block that it would close.

        It begins a line, or follows the `}` that does: `} }`.
        """
        if self.n_missing >= 0 or len(self.open) not in self.is_indented:
            return False
        head = brace if brace.is_first else self.line_head
        return head is not None and head.kind == "RBRACE" and self.indent_of(head) > self.open[-1].indent

    def close(self, brace: Token) -> None:
        if not self.open:
            self.closes_nothing(brace)
            return
        if self.is_one_too_many(brace):
            self.n_missing += 1
            self.closes_nothing(brace)
            return
        if brace.is_first:
            indent = self.indent_of(brace)
            if self.indents[indent]:
                while self.open[-1].indent > indent:
                    self.leave_open(brace)
        self.is_indented.discard(len(self.open))
        self.pop()
        self.tokens.append(brace)


def _is_doubled(tokens: list[Token], at: int) -> bool:
    """Whether a brace stands right after another one, and begins no JSON object."""
    return at > 0 and tokens[at - 1].kind == "LBRACE" and not tokens[at].is_first and tokens[at + 1].kind != "STRING"


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
            if mender.n_missing > 0 and _is_doubled(tokens, at):
                mender.opens_twice(token)
                continue
            mender.opens(token)
        if token.kind in BLOCK_WORDS:
            mender.block_word = token
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
        last = at + _LONGEST_TITLE
        while at < last and tokens[at].kind not in ("RSQB", "LBRACE", "RBRACE", "$END"):
            at += 1
        at += 1
        return at + 1 < len(tokens) and tokens[at].kind in ("COLON", "LBRACE")
    return tokens[at].kind == "COLON" and tokens[at + 1].kind == "LBRACE"
