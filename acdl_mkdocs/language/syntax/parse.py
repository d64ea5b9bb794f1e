"""`parse()`: text to tree; never fails.

Runs the table that Lark made from the grammar. A statement that is not understood is reported and set aside as a
`Broken` node, and parsing continues with the next one, so a file shows all its problems at once and keeps everything
around them.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.balance import balance
from acdl_mkdocs.language.syntax.build import ACTIONS
from acdl_mkdocs.language.syntax.comments import attach_comments
from acdl_mkdocs.language.syntax.errors.brackets import is_no_block
from acdl_mkdocs.language.syntax.errors.mistakes import Mistake
from acdl_mkdocs.language.syntax.fixed_wording import mark_fixed_wording
from acdl_mkdocs.language.syntax.foreign import other_language
from acdl_mkdocs.language.syntax.keywords import BLOCK_WORDS
from acdl_mkdocs.language.syntax.nodes import (
    Arm,
    Content,
    File,
    ForEach,
    Fragment,
    If,
    Mark,
    Node,
    Path,
    Prompt,
    Symbol,
)
from acdl_mkdocs.language.syntax.nodes import Label as LabelNode
from acdl_mkdocs.language.syntax.pieces import Piece, Pieces, start_of
from acdl_mkdocs.language.syntax.tables import load_tables
from acdl_mkdocs.language.syntax.tokenize import tokenize
from acdl_mkdocs.language.syntax.tokens import Token, Trivia, is_title


def end_of_statement(tokens: list[Token], at: int, *, must_move: bool) -> tuple[int, bool]:
    """Return the index of the first token after the broken statement, and whether that is its block's brace."""
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
    """Return whether a statement begins at the token, even if a bracket is still open before it.

    A bracket around a whole block contains statements, but no title.
    """
    token = tokens[index]
    if not token.is_first:
        return False
    return depth == 0 or (token.kind in BLOCK_WORDS and not is_wrapped) or is_title(tokens, index)


def title_after_bracket(tokens: list[Token], pieces: Pieces, at: int, head: int) -> int | None:
    """Return the index of the title that begins the line, if an open bracket before it causes the error."""
    if head == at or not is_title(tokens, head):
        return None
    for piece in reversed(pieces):
        if isinstance(piece, Token) and piece.kind in ("LBRACE", "LPAR", "LSQB"):
            return head if piece.kind != "LBRACE" and piece.start < tokens[head].start else None
    return None


def _after_block(tokens: list[Token], at: int) -> int:
    """Return the index of the first token after the block whose brace is at `at`."""
    depth = 0
    while True:
        depth += (tokens[at].kind == "LBRACE") - (tokens[at].kind == "RBRACE")
        at += 1
        if depth == 0 or at == len(tokens) - 1:  # a text that is still being typed may end in a block
            return at


_HOLDERS = frozenset((ForEach, Mark, LabelNode, Prompt))
"""Statements whose bodies hold messages."""


def has_stray_words(items: Sequence[Node]) -> bool:
    """Return whether content, or a title after an `If`, is between messages, where a misspelled keyword would be."""
    bodies = [items]
    for body in bodies:  # grows
        before: type[Node] | None = None
        for item in body:
            kind = type(item)
            if kind is Content:
                return True
            if isinstance(item, LabelNode) and before is If and isinstance(item.title, Symbol) and not item.title.parts:
                return True
            if isinstance(item, If):
                bodies += [arm.body for arm in item.arms if isinstance(arm, Arm)]
            elif kind in _HOLDERS or (isinstance(item, Fragment) and item.kind == "roles"):
                bodies.append(item.body)  # type: ignore[attr-defined]  # each of them has one
            before = kind
    return False


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
    refused = _refuse_text(source)
    if refused:
        return Parsed(source, File(span=Span(0, 0), items=()), (refused,))
    cut = tokenize(source.text)
    file, diagnostics = _parse_tokens(source, cut.tokens, cut.comments)
    other = other_language(source, file) if diagnostics else None
    if other:
        diagnostics = [other]
    elif diagnostics or has_stray_words(file.items):
        from acdl_mkdocs.language.syntax.errors.correct import correct
        from acdl_mkdocs.language.syntax.errors.missing_braces import (
            braces_from_indentation,  # most texts need none of this
        )

        tokens, reports = correct(source, cut.tokens)
        if reports:
            file, diagnostics = _parse_tokens(source, tokens, cut.comments)
        tokens, missing = braces_from_indentation(source, tokens) if diagnostics else (tokens, [])
        if missing:
            file, diagnostics = _parse_tokens(source, tokens, cut.comments)
        diagnostics += reports + missing
    file = attach_comments(file, cut.comments)
    if not source.text.isascii():
        mark_fixed_wording(file, cut.tokens)
    return Parsed(source, file, tuple(sorted(diagnostics, key=lambda each: each.label.span.start)))


@dataclass(frozen=True, slots=True)
class PartialParse:
    """The result of parsing an unfinished text."""

    pieces: tuple[Piece, ...]
    """Words and nodes of everything that is still open, the outermost first."""
    expected: frozenset[str]
    """Terminals that can come next."""
    previous: Token | None
    """The word or sign before."""


def parse_partial(text: str) -> PartialParse:
    """Parse the beginning of a text, up to the word that is being typed; never raises.

    If that word begins a line, a statement may begin there even if the lines before are incomplete. In a statement that
    is not understood so far, anything may follow: nothing is expected.
    """
    *tokens, end = tokenize(f"{text}x").tokens  # a word, because what follows makes keywords of some words
    word = tokens.pop() if tokens else end
    if word.end < end.start or word is end:
        return PartialParse((), frozenset(), None)  # in a comment
    run = _PartialParser(Source(text), [*tokens, Token(_HERE, "", word.start, word.end, word.is_first), end], [])
    is_broken = False
    try:
        run.parse()
    except _HereError as reached:
        is_broken = reached.is_broken
    states = run.states
    expected = frozenset() if is_broken else run.expected_terminals(states)
    if word.is_first and "FOREACH" not in expected:
        n_left = next((n for n in range(len(states), 0, -1) if run.would_shift("BROKEN", states[:n])), 0)
        expected |= run.expected_terminals(states[:n_left]) if n_left else frozenset()
    return PartialParse(tuple(run.pieces), frozenset(filter(str.isupper, expected)), tokens[-1] if tokens else None)


def _parse_tokens(source: Source, tokens: list[Token], comments: list[Trivia]) -> tuple[File, list[Diagnostic]]:
    balanced = balance(source, tokens, comments)
    run = _Parser(source, balanced.tokens, balanced.diagnostics)
    file = run.parse()
    if run.is_cut_off:  # one message reports that the text ends too early, not one per block
        run.diagnostics = [each for each in run.diagnostics if each.rule != "unbalanced-block" or each.related]
    return file, run.diagnostics


def _refuse_text(source: Source) -> Diagnostic | None:
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


class _Parser:
    """The stacks of one parse."""

    def __init__(self, source: Source, tokens: list[Token], diagnostics: list[Diagnostic]) -> None:
        self.source = source
        self.tokens = tokens
        self.diagnostics = diagnostics
        self.rows = load_tables().rows
        self.rules = _load_rules()
        self.states = [0]
        self.pieces: Pieces = []
        self.n_errors = 0
        self.is_cut_off = False
        self.line = 0  # index of the first token on the line of the last mistake
        self.n_seen = 0  # tokens among which it was looked for

    def parse(self) -> File:
        rows, rules, states, pieces, tokens = self.rows, self.rules, self.states, self.pieces, self.tokens
        leaps = _unit_reductions()
        at, token = 0, tokens[0]
        while True:
            action = rows[states[-1]].get(token.kind)
            if action is None:
                token, at = self.recover_statement(at)
            elif action >= 0:
                states.append(action)
                pieces.append(token)
                at += 1
                token = tokens[at]
            else:
                name, size, build = rules[-action - 1]
                if build is None:  # the first piece as it is, or an empty list
                    if size == 1:
                        step = (states[-2], states[-1], token.kind)
                        leap = leaps.get(step)
                        if leap is None:
                            leap = leaps[step] = self.follow_unit_reductions(*step)
                        states[-1] = leap
                        continue
                    if size == 0:
                        pieces.append([])
                    else:
                        del pieces[1 - size :]
                else:
                    node = build(*pieces[-size:])
                    del pieces[-size:]
                    pieces.append(node)
                if size:
                    del states[-size:]
                if name == "start":
                    return cast(File, pieces[-1])
                states.append(rows[states[-1]][name])

    def follow_unit_reductions(self, below: int, state: int, kind: str) -> int:
        """Follow a chain of unit reductions and return the state it ends in; most expressions need seven."""
        while True:
            action = self.rows[state].get(kind)
            if action is None or action >= 0:
                return state
            name, size, build = self.rules[-action - 1]
            if build is not None or size != 1:
                return state
            state = self.rows[below][name]

    def recover_statement(self, at: int) -> tuple[Token, int]:
        """Report the token that does not fit and set its statement aside.

        Returns:
            The token that replaces the statement, and the index of the last token that it replaces.
        """
        stop, is_head = end_of_statement(self.tokens, at, must_move=False)
        title = title_after_bracket(self.tokens, self.pieces, at, self.line_of(at))
        if title is not None:
            stop, is_head = title, False
        substitute = "BROKEN_HEAD" if is_head else "BROKEN"
        before = list(self.states)
        unfinished: Pieces = []
        if stop == at and not is_head:  # no part of this line belongs to a `U:` without content
            while self.pieces and isinstance(self.pieces[-1], Token) and self.pieces[-1].kind == "COLON":
                for _ in ("COLON", "ROLE"):
                    self.states.pop()
                    unfinished.append(self.pieces.pop())
        has_name = self.pieces and isinstance(self.pieces[-1], Path)
        if has_name and self.tokens[at].kind == "ASSIGN":  # `a = b = x`
            while isinstance(self.pieces[-1], Path) or getattr(self.pieces[-1], "kind", "") == "ASSIGN":
                self.states.pop()
                unfinished.append(self.pieces.pop())
        while not self.would_shift(substitute, self.states):
            self.states.pop()
            unfinished.append(self.pieces.pop())
        if not unfinished and stop == at and not is_head:
            stop, is_head = end_of_statement(self.tokens, at, must_move=True)
            substitute = "BROKEN_HEAD" if is_head else "BROKEN"
        unfinished.reverse()
        self.report_mistake(at, unfinished, before)
        start = start_of(unfinished[0]) if unfinished else self.tokens[at].start
        end = max(self.tokens[stop - 1].end if stop else 0, start)
        return Token(substitute, self.source.text[start:end], start, end, False), stop - 1

    def line_of(self, at: int) -> int:
        """Return the index of the first token on a token's line; must be called in source order."""
        while self.n_seen <= at:
            if self.tokens[self.n_seen].is_first:
                self.line = self.n_seen
            self.n_seen += 1
        return self.line

    def would_shift(self, kind: str, states: list[int]) -> bool:
        """Return whether the automaton would accept a token of that kind after all possible reductions."""
        n_kept = len(states)
        new_states: list[int] = []  # states on top of those kept
        state = states[-1]
        while True:
            action = self.rows[state].get(kind)
            if action is None or action >= 0:
                return action is not None
            name, size, _ = self.rules[-action - 1]
            if name == "start":
                return True
            n_kept -= max(size - len(new_states), 0)
            del new_states[max(len(new_states) - size, 0) :]
            state = self.rows[new_states[-1] if new_states else states[n_kept - 1]][name]
            new_states.append(state)

    def expected_terminals(self, states: list[int]) -> frozenset[str]:
        """Return the terminals that the automaton would accept."""
        return frozenset(kind for kind in self.rows[states[-1]] if self.would_shift(kind, states))

    def report_mistake(self, at: int, unfinished: Pieces, states: list[int]) -> None:
        self.n_errors += 1
        if self.n_errors <= MAX_SYNTAX_ERRORS:
            expected = self.expected_terminals(states)
            holder = self.pieces[-1] if self.pieces and isinstance(self.pieces[-1], Token) else None
            mistake = Mistake(self.source, self.tokens, at, self.line_of(at), tuple(unfinished), holder, expected)
            from acdl_mkdocs.language.syntax.errors.explain import explain, text_ends  # most texts have none

            self.is_cut_off = self.is_cut_off or text_ends(mistake)
            self.diagnostics.append(explain(mistake))
        elif self.n_errors == MAX_SYNTAX_ERRORS + 1:
            self.diagnostics.append(
                error(
                    "syntax",
                    f"more than {MAX_SYNTAX_ERRORS} statements are not understood",
                    Label(self.tokens[at].span, "those from here on are not listed"),
                    help="mend the first ones; is this ACDL?",
                )
            )


_HERE = "HERE"
"""The kind of the token at the end of an unfinished text. No production has it."""


class _HereError(Exception):
    """The end of an unfinished text was reached, perhaps in a statement that was not understood."""

    def __init__(self, *, is_broken: bool) -> None:
        super().__init__()
        self.is_broken = is_broken


class _PartialParser(_Parser):
    """A parse that stops at the end of an unfinished text."""

    def recover_statement(self, at: int) -> tuple[Token, int]:
        """Set a statement aside that was not understood, unless it continues at the place in question."""
        is_here = self.tokens[at].kind == _HERE
        if is_here or end_of_statement(self.tokens, at, must_move=True)[0] >= len(self.tokens) - 1:
            raise _HereError(is_broken=not is_here)
        return super().recover_statement(at)


@cache
def _unit_reductions() -> dict[tuple[int, int, str], int]:
    """Return the cache of `leap`: (state below, state, kind of the next token) to the resulting state."""
    return {}


@cache
def _load_rules() -> tuple[tuple[str, int, Callable[..., Piece] | None], ...]:
    """Return the rules of the table with the functions that build their nodes; `None` where nothing is built."""
    passing = ("same", "same_items", "no_items")
    return tuple(
        (name, size, None if action in passing else ACTIONS[action]) for name, size, action in load_tables().rules
    )
