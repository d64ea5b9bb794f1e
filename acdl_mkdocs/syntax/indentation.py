"""Braces where only the indentation says that there is a block.

Used when a text was not understood as it stands: a header such as `ForEach(t: env.xs):` or `Chat[@T]:` whose next line
stands further in gets the braces that it lacks, with one message, so that what is inside is read as if they were there.
"""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.syntax.mistakes import role_word
from acdl_mkdocs.syntax.tokens import Token

_HEADS = frozenset(
    ("FOREACH", "IF", "ELSEIF", "ELSE", "SWITCH", "CASE", "DEFAULT", "MARK", "STRING_FRAGMENT", "ROLES_FRAGMENT")
)
_LONGEST_HEADER = 100
"""Tokens after which an open bracket no longer keeps a header going over line ends."""


@dataclass(frozen=True, slots=True)
class _Virtual:
    """A block that has no opening brace."""

    indent: int
    depth: int
    """Number of written braces open around it."""


class _Reader:
    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.given = tokens
        self.made: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.open: list[_Virtual] = []
        self.depth = 0
        self.n_extra = sum((token.kind == "RBRACE") - (token.kind == "LBRACE") for token in tokens)

    def indent(self, token: Token) -> int:
        return token.start - self.source.line_starts[self.source.line_index(token.start)]

    def end_of_header(self, at: int) -> int:
        """Index of the first token after the header that begins at `at`."""
        depth = 0
        last = at + _LONGEST_HEADER
        at += 1
        while True:
            token = self.given[at]
            if token.kind in ("LBRACE", "RBRACE", "$END") or (token.is_first and (depth <= 0 or at > last)):
                return at
            depth += (token.kind in ("LPAR", "LSQB")) - (token.kind in ("RPAR", "RSQB"))
            at += 1

    def closes(self, at: int) -> bool:
        """Close the blocks that end before this line; whether its brace is the end of the last of them."""
        token = self.given[at]
        indent = self.indent(token)
        while self.open and self.open[-1].indent >= indent and self.open[-1].depth == self.depth:
            last = self.open.pop()
            if token.kind == "RBRACE" and last.indent == indent and self.n_extra > 0:
                self.n_extra -= 1
                self.made.append(token)
                return True
            self.put("RBRACE")
        return False

    def put(self, kind: str) -> None:
        place = self.made[-1].end
        self.made.append(Token(kind, "", place, place, False))

    def is_header(self, at: int, end: int) -> bool:
        token = self.given[at]
        last = self.given[end - 1]
        if token.kind in _HEADS:
            return True
        if token.kind == "ROLE":
            return end - at == 2 and last.kind == "COLON" and self.n_extra > 0
        return token.kind == "IDENT" and last.kind == "COLON" and end - at > 1 and self.depth == 0 and not self.open

    def opens(self, at: int) -> int | None:
        """Index of the first token inside, if the line begins a block that has no braces."""
        end = self.end_of_header(at)
        inside = self.given[end]
        indent = self.indent(self.given[at])
        if inside.kind in ("LBRACE", "RBRACE", "$END") or self.indent(inside) <= indent or not self.is_header(at, end):
            return None
        self.report(at, end)
        self.made.extend(self.given[at:end])
        self.put("LBRACE")
        self.open.append(_Virtual(indent, self.depth))
        return end

    def report(self, at: int, end: int) -> None:
        head, last = self.given[at], self.given[end - 1]
        title = self.source.one_line(head.start, last.end).rstrip(": ")
        what = f"`{head.text}`" if head.kind in _HEADS else f"`{title}`"
        subject = f"this {role_word(head)} message" if head.kind == "ROLE" else f"the block of {what}"
        place = Label(last.span if last.kind == "COLON" else Span(last.end, last.end), "expected `{` here")
        if self.n_extra > 0:
            message, cure = f"{subject} has no `{{`", "write `{` at the end of this line"
        else:
            message = f"{subject} has no braces"
            cure = "write `{` here and `}` after the last line of the block; indentation alone does not make one"
        self.diagnostics.append(error("syntax", message, place, help=cure))

    def read(self) -> None:
        at = 0
        while at < len(self.given):
            token = self.given[at]
            if token.is_first or token.kind == "$END":
                if self.closes(at):
                    at += 1
                    continue
                inside = self.opens(at) if token.kind not in ("RBRACE", "$END") else None
                if inside is not None:
                    at = inside
                    continue
            if token.kind == "LBRACE":
                self.depth += 1
            elif token.kind == "RBRACE":
                while self.open and self.open[-1].depth == self.depth:
                    self.open.pop()
                    self.put("RBRACE")
                self.depth -= 1
            self.made.append(token)
            at += 1


def braces_from_indentation(source: Source, tokens: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens with the braces that the indentation asks for, and a message for each pair."""
    reader = _Reader(source, tokens)
    reader.read()
    return reader.made, reader.diagnostics
