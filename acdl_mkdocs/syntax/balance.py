"""Make the braces of a token list balance, and say where they did not.

The parser then never meets an open block at the end of the text, so one forgotten brace costs one message and not the
rest of the file. Indentation decides which block was left open.
"""

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.syntax.depth import MAX_BLOCK_DEPTH, MAX_EXPRESSION_DEPTH, cut_blocks, cut_brackets
from acdl_mkdocs.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.syntax.titles import column_of, is_title
from acdl_mkdocs.syntax.tokens import Token, Trivia

_LEFT_OPEN = frozenset(("COLON", "PLUS", "MINUS", "TIMES", "COMPARE", "OR", "AND", "NOT", "ASSIGN"))
"""Signs after which something has to follow."""
_STATEMENTS = frozenset(("FOREACH", "IF", "SWITCH", "MARK", "NAME", "ENDS_HERE", "ENDS_WHEN"))


@dataclass(frozen=True, slots=True)
class Balanced:
    """Tokens whose braces match, and what was wrong with them."""

    tokens: list[Token]
    diagnostics: list[Diagnostic]


def balance(source: Source, tokens: list[Token], comments: list[Trivia]) -> Balanced:  # noqa: C901  # one pass, one short case a kind
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
        from acdl_mkdocs.syntax.missing_braces import close_open_blocks  # most texts are balanced

        result = Balanced(*close_open_blocks(source, tokens, comments))
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
    return begins_statement and column_of(source, token) <= column_of(source, tokens[head])


def _with_missing(tokens: list[Token], places: list[int]) -> list[Token]:
    """The tokens with one for what is missing before those places: `S:` or `a +` on the line before `U: x`."""
    made: list[Token] = []
    done = 0
    for at in places:
        end = tokens[at - 1].end
        made += [*tokens[done:at], Token("MISSING", "", end, end, False)]
        done = at
    return made + tokens[done:]
