"""The cursor in a text that is being typed: the word so far, the enclosing blocks, and what the grammar accepts there.

Works on unfinished text, the usual case, and reads only as much of a long text as matters: it skips what closed blocks
contain. Knows nothing of documents.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.language.syntax.nodes import Identifier
from acdl_mkdocs.language.syntax.parse import PartialParse, parse_partial
from acdl_mkdocs.language.syntax.pieces import Piece
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.language.syntax.tokens import Token

Scope: TypeAlias = Literal["top", "messages", "content", "line", "cases"]
"""What a place may hold: definitions; messages; pieces of a message; the one piece without braces; `Switch` cases."""

_WORD = re.compile(r"(?:[@$]|(?<!\w))\w*\Z")
_TITLE = re.compile(
    r"^(?:(?:StrFrag|RolesFrag|RoleFrag|Prompt)[ \t]+\w+"
    r"|(?!(?:else|default|[SUATN])\b)[^\W\d]\w*+[ \t]*+(?:\[[^\]\n]*\])?[ \t]*+:?[ \t]*+\{)",
    re.MULTILINE | re.IGNORECASE,
)
_BRACE = re.compile(r"""[{}]|//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"\n]*"|'[^'\n]*'""", re.DOTALL)
_MOST_LINES = 60
"""Lines of one block before the cursor that are read; statements are shorter."""
_HEADS = frozenset((*BLOCK_WORDS, "PROMPT", "FOREACH"))


@dataclass(frozen=True, slots=True)
class OpenBlock:
    """A block that is open."""

    kind: str
    """The terminal that begins the block, such as `FOREACH`; `PROMPT` for a title at the top, `LABEL` for another."""
    head: tuple[Piece, ...]


@dataclass(frozen=True)
class CursorPosition:
    """A cursor position in a text."""

    text: str
    offset: int

    @cached_property
    def word(self) -> str:
        """The word so far, with its `@` or `$`; empty between words."""
        match = _WORD.search(self.text, max(0, self.offset - 200), self.offset)
        return match[0] if match else ""

    @property
    def start(self) -> int:
        """The offset where that word begins."""
        return self.offset - len(self.word)

    @cached_property
    def definition_start(self) -> int:
        """The offset where the enclosing definition begins, 0 if there is none."""
        at = self.start
        while at > 0:
            at = self.text.rfind("\n", 0, at)
            if _TITLE.match(self.text, at + 1):
                return at + 1
        return 0

    @cached_property
    def definition_end(self) -> int:
        """The offset where the next definition begins, or the text ends."""
        match = _TITLE.search(self.text, self.offset)
        return match.start() if match else len(self.text)

    @cached_property
    def before(self) -> str:
        """The definition up to the word, without the contents of its closed blocks."""
        return cut_closed_blocks(self.text[self.definition_start : self.start])

    @cached_property
    def comment(self) -> str | None:
        """The comment up to the cursor, if the cursor is in one."""
        line = self.text.rfind("\n", 0, self.offset) + 1
        start = self.text[: self.offset].find("//", line)
        if start < 0:
            return None
        begun = self.text[line : self.offset]
        comments = tokenize(begun).comments
        return begun[comments[-1].span.start :] if comments and comments[-1].span.end >= len(begun.rstrip()) else None

    @cached_property
    def is_in_string(self) -> bool:
        """Whether a quotation mark is open before the cursor on its line."""
        line = self.text.rfind("\n", 0, self.offset) + 1
        return any(
            token.kind == "OTHER" and token.text in "\"'“”„‘’‚"
            for token in tokenize(self.text[line : self.start]).tokens
        )

    @cached_property
    def partial_parse(self) -> PartialParse:
        """The partial parse up to the cursor."""
        return parse_partial(self.before)

    @cached_property
    def blocks(self) -> tuple[OpenBlock, ...]:
        """The open blocks, outermost first."""
        return tuple(_find_open_blocks(self.partial_parse.pieces))

    @cached_property
    def begins_statement(self) -> bool:
        """Whether a statement may begin here."""
        return "FOREACH" in self.partial_parse.expected

    @property
    def is_in_loop(self) -> bool:
        """Whether the cursor is in a loop."""
        return any(block.kind == "FOREACH" for block in self.blocks)

    @cached_property
    def scope(self) -> Scope:
        """What the language allows here, of all that the grammar accepts."""
        ends = [piece.kind if isinstance(piece, Token) else "" for piece in self.partial_parse.pieces]
        last = max((at for at, kind in enumerate(ends) if kind in ("LBRACE", "RBRACE")), default=-1)
        line = ends[last + 1 :]
        if line[-2:] == ["ROLE", "COLON"] or (not self.begins_statement and "ROLE" in line):
            return "line"
        kinds = [block.kind for block in self.blocks]
        if kinds and kinds[-1] == "SWITCH":
            return "cases"
        for kind in reversed(kinds):
            if kind in ("ROLE", "STRING_FRAGMENT"):
                return "content"
            if kind in ("PROMPT", "ROLES_FRAGMENT"):
                return "messages"
        return "top"

    @staticmethod
    def variables_of(block: OpenBlock) -> Iterator[Identifier]:
        """Yield the variables that an open loop binds."""
        yield from (piece for piece in block.head if block.kind == "FOREACH" and isinstance(piece, Identifier))


def cut_closed_blocks(text: str) -> str:
    """Return a text without the contents of its closed blocks, and without the far lines of open ones."""
    levels: list[list[str]] = [[]]
    at = 0
    for match in _BRACE.finditer(text):
        sign = match[0]
        if sign == "{":
            levels[-1].append(text[at : match.end()])
            levels.append([])
            at = match.end()
        elif sign == "}":
            if len(levels) > 1:
                levels.pop()
                levels[-1].append("}")
            else:
                levels[-1].append(text[at : match.end()])
            at = match.end()
    levels[-1].append(text[at:])
    return "".join(_near_end("".join(parts)) for parts in levels)


def _near_end(text: str) -> str:
    """Return the last lines of a text; more of them if one continues a bracket that was opened before."""
    lines = text.split("\n")
    if len(lines) <= _MOST_LINES:
        return text
    return "\n".join(lines[-_MOST_LINES:])


def _find_open_blocks(pieces: Sequence[Piece]) -> Iterator[OpenBlock]:
    """Yield the open blocks among the pieces of a parse."""
    heads: list[list[Piece]] = []
    head: list[Piece] = []
    for piece in pieces:
        kind = piece.kind if isinstance(piece, Token) else ""
        if kind == "LBRACE":
            heads.append(head)
            head = []
        elif kind == "RBRACE":
            head = heads.pop() if heads else []
        else:
            head.append(piece)
    for each in heads:
        words = [piece.kind for piece in each if isinstance(piece, Token)]
        kind = next((word for word in reversed(words) if word in _HEADS), "")
        if "BROKEN_HEAD" in words:
            kind = _kind_of_broken(each) or kind
        yield OpenBlock(kind or ("LABEL" if each is not heads[0] else "PROMPT"), tuple(each))


def _kind_of_broken(head: Sequence[Piece]) -> str:
    """Return the kind of a header that is not understood, by its beginning."""
    text = next(piece.text for piece in head if isinstance(piece, Token) and piece.kind == "BROKEN_HEAD")
    return next((token.kind for token in tokenize(text).tokens[:1] if token.kind in _HEADS), "")
