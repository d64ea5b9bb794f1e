"""Something more after a header that could end, as sentences: words of other languages, missing brackets and operators.

Knows nothing of what stands before the header or after its brace.
"""

from itertools import takewhile

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.syntax.header_errors import HEADS
from acdl_mkdocs.syntax.mistakes import VALUES, Mistake
from acdl_mkdocs.syntax.tokens import Token

_LONGEST_CONDITION = 40
"""Tokens of a condition that a message repeats."""


def after_condition(mistake: Mistake) -> Diagnostic | None:
    """Something more on the line of a complete `If`, `Else`, `Switch`, `Case` header."""
    head, token, previous = mistake.head, mistake.token, mistake.previous
    if head is None or head.kind not in HEADS or "LBRACE" not in mistake.expected or mistake.starts_line:
        return None
    if token.kind in ("LBRACE", "COLON", "OTHER", "RPAR", "RSQB") or head.kind in ("FOREACH", "MARK"):
        return None
    if token.kind in ("LPAR", "LSQB") or previous is None or previous.kind == "COLON":
        return None
    if head.kind == "ELSE":
        return error(
            "syntax",
            f"`{head.text}` takes no condition",
            Label(token.span, "expected `{` here"),
            help=f"write `ElseIf {_rest_of_header(mistake)} {{`",
        )
    if head.kind in ("STRING_FRAGMENT", "ROLES_FRAGMENT"):
        return _after_title(mistake, head)
    return _other_word(mistake, head, previous) or error(
        "syntax",
        f"`{token.text}` cannot stand here",
        Label(token.span, "expected `{`, or an operator such as `==` before this"),
        help=f"write `{head.text} {_condition(mistake, head)} == {_rest_of_header(mistake)} {{`"
        if token.kind in VALUES
        else "write `{` here, or delete it",
    )


def _condition(mistake: Mistake, head: Token) -> str:
    """What stands between the keyword and the token that does not fit."""
    return mistake.written().removeprefix(head.text).strip()


def _rest_of_header(mistake: Mistake) -> str:
    """From the token that does not fit to the brace."""
    following = mistake.tokens[mistake.at : mistake.at + _LONGEST_CONDITION]
    rest = list(takewhile(lambda each: each.kind not in ("LBRACE", "$END"), following))
    return mistake.source.one_line(mistake.token.start, rest[-1].end)


def _after_title(mistake: Mistake, head: Token) -> Diagnostic:
    """`StrFrag Doc[d] = {`, `StrFrag Doc d {`."""
    token = mistake.token
    name = mistake.written().removeprefix(head.text).strip()
    if token.kind not in VALUES:
        return error(
            "syntax",
            f"`{token.text}` stands between a title and its block",
            Label(token.span, "expected `:`"),
            help=f"write `{head.text} {name}: {{`",
        )
    rest = _rest_of_header(mistake).rstrip(": ")
    return error(
        "syntax",
        f"the parameters of `{name.partition('[')[0]}` stand without brackets",
        Label(token.span, "expected `[` before this"),
        help=f"write `{head.text} {name}[{rest}]: {{`" if "[" not in name else "write all of them between the brackets",
    )


def _other_word(mistake: Mistake, head: Token, previous: Token) -> Diagnostic | None:
    """A word or sign that other languages have in a condition."""
    token, word, before = mistake.token, mistake.token.text.lower(), previous.text.lower()
    if word in ("then", "do"):
        return error("syntax", f"ACDL has no `{token.text}`", Label(token.span, "expected `{` here"), help="delete it")
    if word == "is":
        is_negated = mistake.tokens[mistake.at + 1].text.lower() == "not"
        cure = "write `!=` for `is not`" if is_negated else "write `==`"
        return error("syntax", f"ACDL has no `{token.text}`", Label(token.span, "not an operator"), help=cure)
    if token.kind == "IN" or before in ("in", "has", "contains"):
        place = token if token.kind == "IN" else previous
        return error(
            "syntax",
            f"`{place.text}` is no operator of a condition",
            Label(place.span, "not an operator of the language"),
            help=f"write a function for it, such as `{head.text} contains(sys.tags, env.tag) {{`",
        )
    if before in ("and", "or", "not"):
        return error(
            "syntax",
            f"nothing stands before `{previous.text}`",
            Label(previous.span, "expected a value before this"),
            help=f"write what it works on, or delete `{previous.text}`",
        )
    if token.kind == "COMMA" and head.kind == "CASE":
        return error(
            "syntax",
            "a `Case` takes one value",
            Label(token.span, "expected `{`"),
            help="write a `Case` for each value",
        )
    if token.kind in VALUES and _condition(mistake, head).isidentifier() and head.kind != "CASE":
        return error(
            "syntax",
            f"`{previous.text}` and `{token.text}` stand side by side",
            Label(token.span, "expected an operator, or `(` before this"),
            help=f"write `{head.text} {previous.text}({_rest_of_header(mistake)}) {{`",
        )
    return None
