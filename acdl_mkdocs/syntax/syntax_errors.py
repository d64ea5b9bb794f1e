"""A token that does not fit, as a sentence a person can act on.

One function a situation, tried in order; the last one always has something to say.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.syntax.tokens import ROLES, Token


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where the parser was when nothing fitted."""

    source: Source
    tokens: list[Token]
    at: int
    """Index of the token that does not fit."""
    unfinished: tuple[Any, ...]
    """Pieces of the statement that was being read: tokens, nodes and lists of nodes."""
    expected: frozenset[str]
    """Terminals that could have come instead."""

    @property
    def token(self) -> Token:
        """The token that does not fit."""
        return self.tokens[self.at]

    @property
    def previous(self) -> Token | None:
        """The token before it."""
        return self.tokens[self.at - 1] if self.at else None

    @property
    def head(self) -> Token | None:
        """The word that began the unfinished statement, if it began with one."""
        first = self.unfinished[0] if self.unfinished else None
        return first if isinstance(first, Token) else None

    @property
    def starts_line(self) -> bool:
        """Whether the token begins a line, a block's end or nothing: the statement before it is incomplete."""
        return self.token.is_first or self.token.kind in ("$END", "RBRACE")

    def line_before(self, token: Token) -> str:
        """The text of the token's line before it."""
        start = self.source.text.rfind("\n", 0, token.start) + 1
        return self.source.text[start : token.start].strip()

    def quoted(self) -> str:
        """The token in words."""
        if self.token.kind == "$END":
            return "the end of the text"
        return f"`{self.token.text}`" if self.token.text else "the end of the block"

    def after(self) -> Span:
        """An empty place just after the previous token."""
        end = self.previous.end if self.previous else 0
        return Span(end, end)


ROLE_WORDS = {"system": "System", "user": "User", "assistant": "Assistant", "tool": "Tool", "none": "None"}
_EXPRESSION = "`env.x[@T]`, `TEMPLATE`, `f(x)`"
_READABLE = {
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "COLON": "`:`",
    "COMMA": "`,`",
    "ASSIGN": "`:=`",
    "IN": "`in`",
    "FOR": "`for`",
    "CASE": "`Case`",
    "DEFAULT": "`Default`",
    "IDENT": "a name",
    "TIME": "a time such as `@t`",
}
_OPERATORS = frozenset(("COMPARE", "OR", "AND", "NOT", "PLUS", "MINUS", "TIMES"))


def explain(mistake: Mistake) -> Diagnostic:
    """Say what is wrong at a token that does not fit, and what to type instead."""
    for situation in _SITUATIONS:
        found = situation(mistake)
        if found is not None:
            return found
    return _anything(mistake)


def _unknown_sign(mistake: Mistake) -> Diagnostic | None:
    token = mistake.token
    if token.kind != "OTHER":
        return None
    if token.text in "\"'“”„‘’‚":
        line_end = mistake.source.text.find("\n", token.start)
        end = line_end if line_end >= 0 else len(mistake.source.text)
        return error(
            "syntax",
            "this string is never closed",
            Label(Span(token.start, end), "it has to end on its line"),
            help=f"add `{_closing_quote(token.text)}` where the string ends",
        )
    if mistake.source.text.startswith("/*", token.start):
        return error(
            "syntax",
            "this comment is never closed",
            Label(Span(token.start, token.start + 2), "opened here"),
            help="end it with `*/`, or write `//` at the start of each line",
        )
    return error("syntax", f"`{token.text}` has no meaning in ACDL", Label(token.span, "not a sign of the language"))


def _closing_quote(quote: str) -> str:
    return {"“": "”", "„": "”", "‘": "’", "‚": "’"}.get(quote, quote)


def _open_bracket(mistake: Mistake) -> Diagnostic | None:
    """A `(` or `[` that is still open where the statement must be over."""
    brackets = [piece for piece in mistake.unfinished if isinstance(piece, Token)]
    still_open: list[Token] = []
    for piece in brackets:
        if piece.kind in ("LPAR", "LSQB"):
            still_open.append(piece)
        elif piece.kind in ("RPAR", "RSQB") and still_open:
            still_open.pop()
    if not still_open:
        return None
    token, opening = mistake.token, still_open[-1]
    closing = ")" if opening.kind == "LPAR" else "]"
    if token.kind in ("RPAR", "RSQB") and {"RPAR", "RSQB"} & mistake.expected:
        return error(
            "syntax",
            f"`{opening.text}` is closed by `{token.text}`",
            Label(token.span, f"expected `{closing}`"),
            related=[Label(opening.span, "opened here")],
            help=f"write `{closing}` here",
        )
    if not mistake.starts_line and token.kind not in ("LBRACE", "COLON", "ROLE", "ASSIGN"):
        return None
    return error(
        "syntax",
        f"this `{opening.text}` is never closed",
        Label(opening.span, "opened here"),
        related=[Label(token.span, f"expected `{closing}` before this")] if token.kind != "$END" else [],
        help=f"add `{closing}`",
    )


def _stray_closing(mistake: Mistake) -> Diagnostic | None:
    token = mistake.token
    if token.kind not in ("RPAR", "RSQB") or {"RPAR", "RSQB"} & mistake.expected:
        return None
    previous = mistake.previous
    if previous is not None and previous.kind in _OPERATORS:
        return None
    opening = "(" if token.kind == "RPAR" else "["
    return error(
        "syntax",
        f"`{token.text}` closes nothing",
        Label(token.span, f"no `{opening}` is open here"),
        help=f"delete it, or add the `{opening}` that it should close",
    )


def _missing_operand(mistake: Mistake) -> Diagnostic | None:
    previous = mistake.previous
    if previous is None or "NUMBER" not in mistake.expected:
        return None
    if previous.kind in _OPERATORS or previous.kind in ("ASSIGN", "ELLIPSIS"):
        return error(
            "syntax",
            f"nothing stands after `{previous.text}`",
            Label(previous.span, f"a value has to follow, not {mistake.quoted()}"),
            help=f"write what it works on, such as {_EXPRESSION}",
        )
    if previous.kind == "COMMA" and mistake.token.kind == "COMMA":
        return error(
            "syntax", "nothing stands between two commas", Label(mistake.token.span, "expected a value before this")
        )
    return None


def _operator_first(mistake: Mistake) -> Diagnostic | None:
    """`If ) = = (`: an operator where a value must stand."""
    token = mistake.token
    if token.kind not in _OPERATORS or "NUMBER" not in mistake.expected:
        return None
    return error(
        "syntax",
        f"nothing stands before `{token.text}`",
        Label(token.span, "expected a value here"),
        help=f"write what it works on, such as {_EXPRESSION}",
    )


def _empty_message(mistake: Mistake) -> Diagnostic | None:
    head = mistake.head
    if head is None or head.kind != "ROLE" or not mistake.starts_line or len(mistake.unfinished) > 2:
        return None
    role = ROLE_WORDS[ROLES[head.text.split()[-1].lower()]]
    return error(
        "syntax",
        f"this {role} message has no content",
        Label(head.span, "the message starts here"),
        help=f"write what it holds, such as `{head.text}: INSTRUCTIONS` or `{head.text}: {{ ... }}`",
    )


def _missing_block(mistake: Mistake) -> Diagnostic | None:
    """A block header without its braces."""
    if "LBRACE" not in mistake.expected or mistake.token.kind == "LBRACE":
        return None
    head = mistake.head
    what = f"`{head.text}`" if head is not None else "this title"
    if head is not None and head.kind == "COLON":
        what = f"`{mistake.line_before(head)}`"
    if mistake.token.kind == "COLON" or (mistake.previous is not None and mistake.previous.kind == "COLON"):
        return error(
            "syntax",
            f"the block of {what} has no braces",
            Label(mistake.after() if mistake.token.kind != "COLON" else mistake.token.span, "expected `{` here"),
            help="blocks are written `{ ... }`; indentation alone does not make one",
        )
    if not mistake.starts_line:
        return None
    return error(
        "syntax",
        f"the block of {what} is missing",
        Label(mistake.after(), "expected `{` here"),
        help="write what belongs to it between `{` and `}`",
    )


def _stray_arm(mistake: Mistake) -> Diagnostic | None:
    token = mistake.token
    owner = {"ELSE": "If", "ELSEIF": "If", "CASE": "Switch", "DEFAULT": "Switch"}.get(token.kind)
    if owner is None or mistake.unfinished:
        return None
    where = "right after the `}` of an `If`" if owner == "If" else "inside `Switch ... { }`"
    return error(
        "syntax",
        f"`{token.text}` without its `{owner}`",
        Label(token.span, f"it has to stand {where}"),
        help=f"move it there, or write `{'If' if owner == 'If' else 'Switch'}` before it",
    )


def _not_a_case(mistake: Mistake) -> Diagnostic | None:
    if "CASE" not in mistake.expected or "DEFAULT" not in mistake.expected:
        return None
    return error(
        "syntax",
        "only `Case` and `Default` can stand directly inside a `Switch`",
        Label(mistake.token.span, "this belongs to no case"),
        help="put it inside a `Case value { ... }` or `Default { ... }`",
    )


def _loop_header(mistake: Mistake) -> Diagnostic | None:
    head = mistake.head
    if head is None or head.kind != "FOREACH":
        return None
    if "IN" in mistake.expected and "COLON" in mistake.expected:
        return error(
            "syntax",
            "the loop does not say what it runs over",
            Label(mistake.token.span, "expected `:` and a collection or `range(a, b)` before this"),
            help="write `ForEach(t: range(1, @T)) { ... }`",
        )
    if mistake.expected <= {"IDENT", "TIME", "LPAR", "BROKEN_HEAD"}:
        return error(
            "syntax",
            "the loop has no variable",
            Label(mistake.token.span, f"expected a name, not {mistake.quoted()}"),
            help="write `ForEach(t: range(1, @T)) { ... }`",
        )
    return None


def _name_without_value(mistake: Mistake) -> Diagnostic | None:
    head = mistake.head
    if head is None or head.kind != "NAME":
        return None
    return error(
        "syntax",
        "this `Name` is not understood",
        Label(mistake.token.span, f"expected `name := value`, found {mistake.quoted()}"),
        help="write `Name docs := k_relevant_docs(env.query[@T])`",
    )


def _needs_value(mistake: Mistake) -> Diagnostic | None:
    """`If {`, `Switch {`, `PromptEndsHere when }`."""
    previous = mistake.previous
    if previous is None or "NUMBER" not in mistake.expected:
        return None
    if previous.kind in ("IF", "ELSEIF", "SWITCH", "CASE", "ENDS_WHEN"):
        what = "a condition" if previous.kind != "SWITCH" and previous.kind != "CASE" else "a value"
        return error(
            "syntax",
            f"`{previous.text}` needs {what}",
            Label(mistake.token.span, f"expected {what}, found {mistake.quoted()}"),
            related=[Label(previous.span, "for this")],
        )
    return None


def _anything(mistake: Mistake) -> Diagnostic:
    wanted = [words for kind, words in _READABLE.items() if kind in mistake.expected]
    if "NUMBER" in mistake.expected:
        wanted = [f"a value such as {_EXPRESSION}"]
    elif not wanted or len(wanted) > 3:
        wanted = ["something else"]
    *most, last = wanted
    either = f"{', '.join(most)} or {last}" if most else last
    token = mistake.token
    return error(
        "syntax",
        f"{mistake.quoted()} cannot stand here",
        Label(
            token.span, f"expected {either}" if either != "something else" else "not understood after what precedes it"
        ),
    )


_SITUATIONS: tuple[Callable[[Mistake], Diagnostic | None], ...] = (
    _unknown_sign,
    _stray_arm,
    _not_a_case,
    _open_bracket,
    _stray_closing,
    _empty_message,
    _missing_operand,
    _operator_first,
    _needs_value,
    _loop_header,
    _missing_block,
    _name_without_value,
)
