"""Close the blocks that were left open, and report them; drop braces that close nothing.

Indentation, the next title and the next message show where a block ends. Runs only where braces do not balance.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.errors.mistakes import role_word
from acdl_mkdocs.language.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.language.syntax.tokens import Token, Trivia, column_of, is_title

_DEFINITIONS = ("spec", "fragment")
_IFS = (BLOCK_WORDS["IF"], BLOCK_WORDS["ELSEIF"])
_CASES = (BLOCK_WORDS["CASE"], BLOCK_WORDS["DEFAULT"])
_ENDS = {
    "ROLE": ((BLOCK_WORDS["ROLE"],), ""),
    "ELSE": (_IFS, ""),
    "ELSEIF": (_IFS, ""),
    "CASE": (_CASES, BLOCK_WORDS["SWITCH"]),
    "DEFAULT": (_CASES, BLOCK_WORDS["SWITCH"]),
}
"""For each word, the blocks that it ends, and the block in which it is allowed."""


@dataclass(frozen=True, slots=True)
class _OpenBlock:
    """An open brace and the line it is on."""

    brace: Token
    what: str
    """The block in words."""
    indent: int
    """Of the line."""
    is_one_line: bool
    """Whether the content of the block begins on the same line."""


@dataclass(frozen=True, slots=True)
class _UnclosedBlock:
    """A block that was closed because its end is missing."""

    block: _OpenBlock
    at: Token
    """The token before which it was closed."""
    comment: Trivia | None
    """The comment before that token with a brace that was meant to close the block."""

    @property
    def group_key(self) -> tuple[int, int]:
        """A key that is equal for blocks that are reported together."""
        return self.at.start, self.block.indent if self.block.is_one_line else -self.block.brace.start


class _Closer:
    """The braces open at this point."""

    def __init__(self, source: Source, comments: list[Trivia]) -> None:
        self.source = source
        self.comments = comments
        self.n_comments = 0  # of those before this point
        self.n_missing = 0  # closing braces in this definition, as far as not yet explained
        self.is_indented: set[int] = set()  # depths at which the first line of the block is indented
        self.open: list[_OpenBlock] = []
        self.indents: Counter[int] = Counter()  # of the open blocks
        self.closed = ""  # the last block that was closed, in words
        self.block_word: Token | None = None  # the last one on this line, without a brace since
        self.tokens: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.left_open: list[_UnclosedBlock] = []
        self.line_head: Token | None = None
        self.hidden: list[Trivia] = []  # comments right before this token, once for each `}` too many in them

    def enter_token(self, token: Token) -> None:
        """Collect the comments before a token, and close the blocks that it shows to have ended."""
        self.hidden = []
        while self.n_comments < len(self.comments) and self.comments[self.n_comments].span.start < token.start:
            comment = self.comments[self.n_comments]
            self.n_comments += 1
            self.hidden += [comment] * len(_closing_braces(comment, self.source.text))
        if token.is_first:
            self.block_word = None
            self.begins_line(token)
            self.line_head = token
        if token.kind in _ENDS:
            self.begins_part(token)

    def begins_line(self, token: Token) -> None:
        """Close the blocks that ended before this line, as far as braces are missing.

        That is a block on one line whose brace is in the comment after it, and any block that is indented more.
        """
        if token.kind == "$END":
            return
        indent = column_of(self.source, token)
        if self.open and self.tokens[-1] is self.open[-1].brace and indent > self.open[-1].indent:
            self.is_indented.add(len(self.open))
            return
        while self.n_missing > 0 and self.open and self.hidden and self.is_on_line_of(self.hidden[0]):
            self.leave_open(token)
        if token.kind == "RBRACE":
            return
        while self.n_missing > 0 and self.open and indent <= self.open[-1].indent and self.may_have_ended():
            self.leave_open(token)

    def is_on_line_of(self, comment: Trivia) -> bool:
        """Return whether the innermost block begins on the line of a comment that follows its content."""
        block = self.open[-1]
        lines = [self.source.line_index(offset) for offset in (block.brace.start, comment.span.start)]
        return block.is_one_line and lines[0] == lines[1]

    def may_have_ended(self) -> bool:
        """Return whether the next line may be after the innermost block although no brace closes it."""
        block = self.open[-1]
        return len(self.open) in self.is_indented or (block.is_one_line and block.what not in _DEFINITIONS)

    def begins_part(self, token: Token) -> None:
        """Close blocks that must end where a message, an `Else` or a `Case` begins, as far as braces are missing."""
        ends, keeps = _ENDS[token.kind]
        before = self.tokens[-1] if self.tokens else None
        if ends is _IFS and before is not None and before.kind == "RBRACE" and self.closed in _IFS:
            return
        n_inside = next((n for n, block in enumerate(reversed(self.open)) if block.what in (*ends, keeps)), -1)
        block = self.open[-1 - n_inside] if 0 <= n_inside < self.n_missing else None
        if block is not None and block.what != keeps and (block.is_one_line or not token.is_first):
            for _ in range(n_inside + 1):
                self.leave_open(token)

    def open_block(self, brace: Token, following: Token) -> None:
        """Enter a block."""
        head = self.line_head or brace
        word = self.block_word or (head if head.kind in BLOCK_WORDS and head is not brace else None)
        what = BLOCK_WORDS[word.kind] if word else "block" if self.open else "spec"
        indent = column_of(self.source, head)
        self.open.append(_OpenBlock(brace, what, indent, not following.is_first))
        self.indents[indent] += 1

    def leave_block(self) -> _OpenBlock:
        """Leave the innermost block."""
        left = self.open.pop()
        self.closed = left.what
        self.indents[left.indent] -= 1
        self.is_indented.discard(len(self.open) + 1)
        return left

    def leave_open(self, at: Token) -> None:
        """Close the innermost block before `at`, and note that its brace is missing."""
        comment = self.hidden.pop(0) if self.hidden else None
        self.left_open.append(_UnclosedBlock(self.leave_block(), at, comment))
        self.n_missing -= 1
        offset = self.tokens[-1].end
        self.tokens.append(Token("RBRACE", "", offset, offset, False))

    def report_stray_brace(self, brace: Token, why: str = "no block is open here") -> None:
        """Report a brace too many."""
        self.diagnostics.append(
            error(
                "unbalanced-block",
                "`}` closes nothing",
                Label(brace.span, why),
                help="delete it, or add the `{` that it should close",
            )
        )

    def drop_second_brace(self, brace: Token) -> None:
        """Drop the second brace of `{ {`, in a text with too few closing ones."""
        self.n_missing -= 1
        label = Label(brace.span, "one is enough")
        self.diagnostics.append(error("unbalanced-block", "`{` stands here twice", label, help="delete one of them"))

    def is_one_too_many(self, brace: Token, following: Token) -> bool:
        """Return whether an extra closing brace comes before the end of the block that it would close.

        It is indented more than that block, alone or after others (`} }`), or what follows on the line or below still
        belongs to the block.
        """
        if self.n_missing >= 0 or len(self.open) not in self.is_indented:
            return False
        head, indent = self.line_head or brace, self.open[-1].indent
        if brace.is_first or head.kind == "RBRACE":
            return column_of(self.source, brace if brace.is_first else head) > indent
        column = column_of(self.source, following)
        if following.kind in ("RBRACE", "$END"):
            return following.is_first and following.kind == "RBRACE" and column == indent
        return column > indent

    def close_block(self, brace: Token, following: Token) -> None:
        """Close the innermost block, or the one with the indentation of the brace and the blocks inside it."""
        if not self.open:
            self.report_stray_brace(brace)
            return
        if self.is_one_too_many(brace, following):
            self.n_missing += 1
            self.report_stray_brace(brace, "the block around this goes on")
            return
        if brace.is_first:
            indent = column_of(self.source, brace)
            if self.indents[indent]:
                while self.open[-1].indent > indent:
                    self.leave_open(brace)
        self.leave_block()
        self.tokens.append(brace)

    def report_all(self) -> Iterator[Diagnostic]:
        """Yield all reports, with one message for the blocks that one line left open."""
        yield from self.diagnostics
        for _, group in groupby(self.left_open, key=lambda each: each.group_key):
            left = list(group)
            comment = next((each.comment for each in left if each.comment), None)
            yield _report_brace_in_comment(left, comment, self.source.text) if comment else _never_closed(left)


def close_open_blocks(
    source: Source, tokens: list[Token], comments: list[Trivia]
) -> tuple[list[Token], list[Diagnostic]]:
    """Return the tokens with balanced braces, and what was wrong with them."""
    closer = _Closer(source, comments)
    missing = missing_in_definitions(source, tokens)
    for at, token in enumerate(tokens):
        closer.enter_token(token)
        if token.kind == "$END" or (closer.open and token.is_first and is_title(tokens, at)):
            outermost = closer.open[0].indent if closer.open else 0
            while closer.open and (token.kind == "$END" or column_of(source, token) <= outermost):
                closer.leave_open(token)
        closer.n_missing = missing.get(at, closer.n_missing)
        if token.kind == "RBRACE":
            closer.close_block(token, tokens[at + 1])
            closer.block_word = None
            continue
        if token.kind == "LBRACE":
            if closer.n_missing > 0 and _is_doubled(tokens, at):
                closer.drop_second_brace(token)
                continue
            closer.open_block(token, tokens[at + 1])
            closer.block_word = None
        elif token.kind in BLOCK_WORDS:
            closer.block_word = token
        closer.tokens.append(token)
    return closer.tokens, list(closer.report_all())


def missing_in_definitions(source: Source, tokens: list[Token]) -> dict[int, int]:
    """Return how many closing braces each definition lacks, by the index of its first token."""
    start, outermost = 0, -1
    missing = {0: 0}
    for at, token in enumerate(tokens):
        if token.is_first and is_title(tokens, at) and (outermost < 0 or column_of(source, token) <= outermost):
            outermost = column_of(source, token)
            start = at
            missing[at] = 0
        missing[start] += (token.kind == "LBRACE") - (token.kind == "RBRACE")
    return missing


def _is_doubled(tokens: list[Token], at: int) -> bool:
    """Return whether a brace directly follows another one, and begins no JSON object."""
    return at > 0 and tokens[at - 1].kind == "LBRACE" and not tokens[at].is_first and tokens[at + 1].kind != "STRING"


def _closing_braces(comment: Trivia, text: str) -> list[int]:
    """Return the offsets of `}` in a comment that close no `{` in it."""
    offsets: list[int] = []
    n_open = 0
    if "}" in comment.text:
        for at in range(comment.span.start, comment.span.end):
            if text[at] == "{":
                n_open += 1
            elif text[at] == "}" and n_open:
                n_open -= 1
            elif text[at] == "}":
                offsets.append(at)
    return offsets


def _never_closed(left: list[_UnclosedBlock]) -> Diagnostic:
    outermost = left[-1]
    is_one = len(left) == 1
    ends = [] if outermost.at.kind == "$END" else [outermost.at]
    why = "the indentation says that it ends before this" if outermost.at.is_first else "it has to end before this"
    return error(
        "unbalanced-block",
        f"this {outermost.block.what} is never closed" if is_one else f"these {len(left)} blocks are never closed",
        Label(outermost.block.brace.span, "opened here" if is_one else "the first one is opened here"),
        related=[Label(each.span, why) for each in ends],
        help=f"add the missing `{' '.join('}' * len(left))}`",
    )


def _report_brace_in_comment(left: list[_UnclosedBlock], comment: Trivia, text: str) -> Diagnostic:
    """Return the diagnostic for a brace that was meant to close a block but is part of a comment."""
    n_meant = sum(each.comment is comment for each in left)
    offsets = _closing_braces(comment, text)[:n_meant]
    braces = " ".join("}" * len(left))
    edit = TextEdit(comment.span, f"{braces}{_remove_braces(comment, offsets, text)}")
    is_beside = comment.is_beside and left[0].block.is_one_line
    return error(
        "unbalanced-block",
        "this `}` is part of the comment" if n_meant == 1 else "these `}` are part of the comment",
        Label(Span(offsets[0], offsets[-1] + 1), "nothing in a comment closes a block"),
        related=[Label(each.block.brace.span, f"this {each.block.what} is never closed") for each in left],
        help=f"put `{braces}` before the comment",
        fix=Fix(f"put `{braces}` before the comment", (edit,), is_safe=is_beside),
    )


def _remove_braces(comment: Trivia, offsets: list[int], text: str) -> str:
    """Return a comment without some of its braces, for use at the end of a line with other words."""
    comment_text = text[comment.span.start : comment.span.end]
    rest = "".join(sign for at, sign in enumerate(comment_text, comment.span.start) if at not in offsets)
    if rest.startswith("/*"):
        return f" {rest}"
    sign = "#" if rest.startswith("#") else "//"
    words = rest.lstrip("-").lstrip() if rest.startswith("-") else rest.removeprefix(sign).lstrip()
    blank = comment_text[len(comment_text.rstrip()) :]
    return f" {sign} {words.rstrip()}{blank}" if words.strip() else blank


_HEADS = frozenset(
    ("FOREACH", "IF", "ELSEIF", "ELSE", "SWITCH", "CASE", "DEFAULT", "MARK", "STRING_FRAGMENT", "ROLES_FRAGMENT")
)
_LONGEST_HEADER = 100
"""Tokens after which an open bracket no longer keeps a header going over line ends."""


@dataclass(frozen=True, slots=True)
class _ImpliedBlock:
    """A block that has no opening brace."""

    indent: int
    depth: int
    """Number of written braces open around it."""


class _IndentationReader:
    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.output: list[Token] = []
        self.diagnostics: list[Diagnostic] = []
        self.open: list[_ImpliedBlock] = []
        self.depth = 0
        self.n_extra = sum((token.kind == "RBRACE") - (token.kind == "LBRACE") for token in tokens)

    def indent_of(self, token: Token) -> int:
        return token.start - self.source.line_starts[self.source.line_index(token.start)]

    def end_of_header(self, at: int) -> int:
        """Return the index of the first token after the header that begins at `at`."""
        depth = 0
        last = at + _LONGEST_HEADER
        at += 1
        while True:
            token = self.tokens[at]
            if token.kind in ("LBRACE", "RBRACE", "$END") or (token.is_first and (depth <= 0 or at > last)):
                return at
            depth += (token.kind in ("LPAR", "LSQB")) - (token.kind in ("RPAR", "RSQB"))
            at += 1

    def close_blocks(self, at: int) -> bool:
        """Close the blocks that end before this line; return whether its brace ends the last of them."""
        token = self.tokens[at]
        indent = self.indent_of(token)
        while self.open and self.open[-1].indent >= indent and self.open[-1].depth == self.depth:
            last = self.open.pop()
            if token.kind == "RBRACE" and last.indent == indent and self.n_extra > 0:
                self.n_extra -= 1
                self.output.append(token)
                return True
            self.add_brace("RBRACE")
        return False

    def add_brace(self, kind: str) -> None:
        offset = self.output[-1].end
        self.output.append(Token(kind, "", offset, offset, False))

    def is_header(self, at: int, end: int) -> bool:
        token = self.tokens[at]
        last = self.tokens[end - 1]
        if token.kind in _HEADS:
            return True
        if token.kind == "ROLE":
            return end - at == 2 and last.kind == "COLON" and self.n_extra > 0
        return token.kind == "IDENT" and last.kind == "COLON" and end - at > 1 and self.depth == 0 and not self.open

    def open_block(self, at: int) -> int | None:
        """Begin a block without braces if the line is its header; return the index of its first token, or `None`."""
        end = self.end_of_header(at)
        inside = self.tokens[end]
        indent = self.indent_of(self.tokens[at])
        if (
            inside.kind in ("LBRACE", "RBRACE", "$END")
            or self.indent_of(inside) <= indent
            or not self.is_header(at, end)
        ):
            return None
        self.report_missing(at, end)
        self.output.extend(self.tokens[at:end])
        self.add_brace("LBRACE")
        self.open.append(_ImpliedBlock(indent, self.depth))
        return end

    def report_missing(self, at: int, end: int) -> None:
        head, last = self.tokens[at], self.tokens[end - 1]
        title = self.source.one_line(head.start, last.end).rstrip(": ")
        what = f"`{head.text}`" if head.kind in _HEADS else f"`{title}`"
        subject = f"this {role_word(head)} message" if head.kind == "ROLE" else f"the block of {what}"
        label = Label(last.span if last.kind == "COLON" else Span(last.end, last.end), "expected `{` here")
        if self.n_extra > 0:
            message, cure = f"{subject} has no `{{`", "write `{` at the end of this line"
        else:
            message = f"{subject} has no braces"
            cure = "write `{` here and `}` after the last line of the block; indentation alone does not make one"
        self.diagnostics.append(error("syntax", message, label, help=cure))

    def read_lines(self) -> None:
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.is_first or token.kind == "$END":
                if self.close_blocks(at):
                    at += 1
                    continue
                inside = self.open_block(at) if token.kind not in ("RBRACE", "$END") else None
                if inside is not None:
                    at = inside
                    continue
            if token.kind == "LBRACE":
                self.depth += 1
            elif token.kind == "RBRACE":
                while self.open and self.open[-1].depth == self.depth:
                    self.open.pop()
                    self.add_brace("RBRACE")
                self.depth -= 1
            self.output.append(token)
            at += 1


def braces_from_indentation(source: Source, tokens: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """Add the braces that the indentation implies, and report each pair."""
    reader = _IndentationReader(source, tokens)
    reader.read_lines()
    return reader.output, reader.diagnostics
