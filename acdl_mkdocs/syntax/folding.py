"""Declarations and blocks that are not ACDL, each as one token, so that nothing inside them is read."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.syntax.tokens import Token, Tokens, Trivia

_FOREIGN = frozenset(("DECLARATION", "SKIPPED"))


def fold_foreign(text: str, cut: Tokens) -> Tokens:
    """Make one token of every declaration and of every block that is not ACDL, and mark those that never end."""
    tokens: list[Token] = []
    folded: list[Span] = []
    ends = _ends_of_foreign(cut.tokens)
    at = 0
    while at < len(cut.tokens):
        token = cut.tokens[at]
        at += 1
        if token.kind not in _FOREIGN:
            tokens.append(token)
            continue
        last = ends.get(at - 1)
        at = last + 1 if last is not None else _end_of_indented(text, cut.tokens, at)
        end = cut.tokens[at - 1].end
        tokens.append(Token(token.kind, text[token.start : end], token.start, end, token.is_first))
        if last is None:
            tokens.append(Token("MISSING", "", end, end, False))
        folded.append(Span(token.start, end))
    return Tokens(tokens, list(_outside(cut.comments, folded)))


def _ends_of_foreign(tokens: list[Token]) -> dict[int, int]:
    """For the index of every foreign word whose braces are closed, the index of the brace that closes them."""
    ends: dict[int, int] = {}
    closing: list[int] = []  # braces to the right that are not yet matched, the nearest last
    nearest: int | None = None  # where the next brace to the right is closed; one that closes, closes itself
    for at in range(len(tokens) - 1, -1, -1):
        kind = tokens[at].kind
        if kind == "RBRACE":
            closing.append(at)
            nearest = at
        elif kind == "LBRACE":
            nearest = closing.pop() if closing else None
        elif kind in _FOREIGN and nearest is not None:
            ends[at] = nearest
    return ends


def _end_of_indented(text: str, tokens: list[Token], at: int) -> int:
    """Index of the first token of the next line that is not indented: there a block without its `}` ends."""
    while tokens[at].kind != "$END":
        is_new_line = tokens[at].is_first and (tokens[at].start == 0 or text[tokens[at].start - 1] == "\n")
        if is_new_line and tokens[at].kind != "RBRACE":
            return at
        at += 1
    return at


def _outside(comments: list[Trivia], folded: list[Span]) -> Iterator[Trivia]:
    """The comments that stand in none of the spans; both in source order."""
    at = 0
    for comment in comments:
        while at < len(folded) and folded[at].end <= comment.span.start:
            at += 1
        if at == len(folded) or comment.span.start < folded[at].start:
            yield comment
