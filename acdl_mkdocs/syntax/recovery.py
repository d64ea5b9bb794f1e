"""How far a statement reaches that was not understood: where the parser goes on.

Looks at words only. Knows nothing of the table that the parser runs, nor of what is said about the statement.
"""

from acdl_mkdocs.syntax.bracket_errors import is_no_block
from acdl_mkdocs.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.syntax.pieces import Pieces
from acdl_mkdocs.syntax.titles import is_title
from acdl_mkdocs.syntax.tokens import Token


def end_of_statement(tokens: list[Token], at: int, *, must_move: bool) -> tuple[int, bool]:
    """Index of the first token after the broken statement, and whether that is the brace of its block."""
    depth = 0
    index = at
    is_wrapped = tokens[at].kind in ("LPAR", "LSQB") and (
        tokens[at + 1].is_first or (at > 0 and tokens[at - 1].kind == "COLON")
    )
    while True:
        token = tokens[index]
        kind = token.kind
        if kind in ("LBRACE", "$END"):
            if not (kind == "LBRACE" and is_no_block(tokens, index)):
                return index, kind == "LBRACE"
            index = _after_block(tokens, index)
            continue
        if (index > at or not must_move) and (
            kind == "RBRACE" or _begins_statement(tokens, index, depth, is_wrapped=is_wrapped)
        ):
            return index, False
        depth += (kind in ("LPAR", "LSQB")) - (kind in ("RPAR", "RSQB") and depth > 0)
        index += 1


def _begins_statement(tokens: list[Token], index: int, depth: int, *, is_wrapped: bool) -> bool:
    """Whether a statement begins at the token, also if a bracket is still open before it.

    One that stands around a whole block holds statements, but no title.
    """
    token = tokens[index]
    if not token.is_first:
        return False
    return depth == 0 or (token.kind in BLOCK_WORDS and not is_wrapped) or is_title(tokens, index)


def title_after_bracket(tokens: list[Token], pieces: Pieces, at: int, head: int) -> int | None:
    """Index of the title that begins the line, if what does not fit there is due to an open bracket before it."""
    if head == at or not is_title(tokens, head):
        return None
    for piece in reversed(pieces):
        if isinstance(piece, Token) and piece.kind in ("LBRACE", "LPAR", "LSQB"):
            return head if piece.kind != "LBRACE" and piece.start < tokens[head].start else None
    return None


def _after_block(tokens: list[Token], at: int) -> int:
    """Index of the first token after the block whose brace stands at `at`."""
    depth = 0
    while True:
        depth += (tokens[at].kind == "LBRACE") - (tokens[at].kind == "RBRACE")
        at += 1
        if depth == 0 or at == len(tokens) - 1:  # a text that is still being typed may end in a block
            return at
