"""`parse()`: text to tree; never fails.

Runs the table that Lark made of the grammar. Where a statement cannot be understood it is reported, set aside as a
`Broken` node, and parsing goes on with the next one, so a file shows all its problems at once and keeps everything
around them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import cast

from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.syntax.balance import balance
from acdl_mkdocs.syntax.build import ACTIONS, Pieces
from acdl_mkdocs.syntax.comments import attach
from acdl_mkdocs.syntax.nodes import File, Node
from acdl_mkdocs.syntax.syntax_errors import Mistake, explain
from acdl_mkdocs.syntax.tables import load_tables
from acdl_mkdocs.syntax.tokens import Token, tokenize

MAX_CHARACTERS = 4_000_000
"""A longer text is refused with a message: specs of 100,000 lines fit."""
MAX_SYNTAX_ERRORS = 100
"""More syntax errors than this in one text are counted but not listed."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tree and what was wrong with its text."""

    source: Source
    file: File
    diagnostics: tuple[Diagnostic, ...]


def parse(source: Source) -> Parsed:
    """Parse ACDL text. Problems are in `Parsed.diagnostics`; never raises."""
    refused = _refuse(source)
    if refused:
        return Parsed(source, File(span=Span(0, 0), items=()), (refused,))
    cut = tokenize(source.text)
    balanced = balance(source, cut.tokens)
    run = _Run(source, balanced.tokens, balanced.diagnostics)
    file = attach(run.parse(), cut.comments)
    return Parsed(source, file, tuple(sorted(run.diagnostics, key=lambda each: each.label.span.start)))


def _refuse(source: Source) -> Diagnostic | None:
    if len(source.text) > MAX_CHARACTERS:
        return error(
            "too-large",
            f"the text is longer than {MAX_CHARACTERS:,} characters",
            Label(Span(0, 0), "nothing of it was read"),
            help="split it into several files",
        )
    binary = source.text.find("\0")
    if binary >= 0:
        return error(
            "not-text",
            "this is not text",
            Label(Span(binary, binary + 1), "a NUL character"),
            help="save the file as UTF-8 text",
        )
    return None


class _Run:
    """The stacks of one parse."""

    def __init__(self, source: Source, tokens: list[Token], diagnostics: list[Diagnostic]) -> None:
        self.source = source
        self.tokens = tokens
        self.diagnostics = diagnostics
        self.rows = load_tables().rows
        self.rules = _rules()
        self.states = [0]
        self.pieces: Pieces = []
        self.n_errors = 0

    def parse(self) -> File:
        rows, rules, states, pieces, tokens = self.rows, self.rules, self.states, self.pieces, self.tokens
        at = 0
        token = tokens[0]
        while True:
            action = rows[states[-1]].get(token.kind)
            if action is None:
                token, at = self.recover(at)
            elif action >= 0:
                states.append(action)
                pieces.append(token)
                at += 1
                token = tokens[at]
            else:
                name, size, build = rules[-action - 1]
                if build is None:  # the first piece as it is, or an empty list
                    if size == 0:
                        pieces.append([])
                    elif size > 1:
                        del pieces[1 - size :]
                else:
                    made = build(pieces[-size:])
                    del pieces[-size:]
                    pieces.append(made)
                if size:
                    del states[-size:]
                if name == "start":
                    return cast(File, pieces[-1])
                states.append(rows[states[-1]][name])

    def recover(self, at: int) -> tuple[Token, int]:
        """Report the token that does not fit and set its statement aside.

        Returns:
            The token that stands for the statement, and the index of the last token that it replaces.
        """
        stop, is_head = self.end_of_statement(at, must_move=False)
        substitute = "BROKEN_HEAD" if is_head else "BROKEN"
        before = list(self.states)
        unfinished: Pieces = []
        while not self.would_shift(substitute, self.states):
            self.states.pop()
            unfinished.append(self.pieces.pop())
        if not unfinished and stop == at and not is_head:
            stop, is_head = self.end_of_statement(at, must_move=True)
            substitute = "BROKEN_HEAD" if is_head else "BROKEN"
        unfinished.reverse()
        self.report(at, unfinished, before)
        start = _start(unfinished[0]) if unfinished else self.tokens[at].start
        end = max(self.tokens[stop - 1].end if stop else 0, start)
        return Token(substitute, self.source.text[start:end], start, end, False), stop - 1

    def end_of_statement(self, at: int, *, must_move: bool) -> tuple[int, bool]:
        """Index of the first token after the broken statement, and whether that is the brace of its block."""
        depth = 0
        index = at
        while True:
            token = self.tokens[index]
            kind = token.kind
            if kind in ("LBRACE", "$END"):
                return index, kind == "LBRACE"
            if (index > at or not must_move) and (kind == "RBRACE" or (token.is_first and depth == 0)):
                return index, False
            depth += (kind in ("LPAR", "LSQB")) - (kind in ("RPAR", "RSQB") and depth > 0)
            index += 1

    def would_shift(self, kind: str, states: list[int]) -> bool:
        """Whether the automaton would take in a token of that kind, once everything complete is reduced."""
        stack = list(states)
        while True:
            action = self.rows[stack[-1]].get(kind)
            if action is None or action >= 0:
                return action is not None
            name, size, _ = self.rules[-action - 1]
            if size:
                del stack[-size:]
            if name == "start":
                return True
            stack.append(self.rows[stack[-1]][name])

    def report(self, at: int, unfinished: Pieces, states: list[int]) -> None:
        self.n_errors += 1
        if self.n_errors <= MAX_SYNTAX_ERRORS:
            expected = frozenset(kind for kind in self.rows[states[-1]] if self.would_shift(kind, states))
            self.diagnostics.append(explain(Mistake(self.source, self.tokens, at, tuple(unfinished), expected)))
        elif self.n_errors == MAX_SYNTAX_ERRORS + 1:
            self.diagnostics.append(
                error(
                    "syntax",
                    f"more than {MAX_SYNTAX_ERRORS} statements are not understood",
                    Label(self.tokens[at].span, "those from here on are not listed"),
                    help="mend the first ones; is this ACDL?",
                )
            )


def _start(piece: Token | Node) -> int:
    return piece.start if isinstance(piece, Token) else piece.span.start


@cache
def _rules() -> tuple[tuple[str, int, Callable[[Pieces], object] | None], ...]:
    """The rules of the table with the functions that make their nodes; `None` where there is nothing to make."""
    passing = ("same", "same_items", "no_items")
    return tuple(
        (name, size, None if action in passing else ACTIONS[action]) for name, size, action in load_tables().rules
    )
