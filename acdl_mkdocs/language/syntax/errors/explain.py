"""An explanation, for a person to act on, of a token that does not fit.

One function a situation, tried in order; the last one always applies. Situations of single signs are in `signs.py`,
those of brackets and braces in `brackets.py`, those of headers in `headers.py`; the others are here.
"""

from collections.abc import Callable

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.syntax.errors import brackets, headers, signs
from acdl_mkdocs.language.syntax.errors.mistakes import EXPRESSION, Mistake, role_word
from acdl_mkdocs.language.syntax.keywords import KEYWORDS

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


def explain(mistake: Mistake) -> Diagnostic:
    """Explain the problem at a token that does not fit, and what to type instead."""
    for situation in _SITUATIONS:
        diagnostic = situation(mistake)
        if diagnostic is not None:
            return diagnostic
    return _unexpected_token(mistake)


def text_ends(mistake: Mistake) -> bool:
    """Return whether the statement is incomplete because the text ends."""
    return mistake.is_at_end and bool(mistake.unfinished or mistake.holder)


def _cut_off(mistake: Mistake) -> Diagnostic | None:
    previous = mistake.previous
    if not text_ends(mistake) or previous is None or previous.kind in ("COLON", "RBRACE"):
        return None
    if not mistake.open_brackets() and "NUMBER" not in mistake.expected:
        return None
    return error(
        "syntax",
        "the text ends in the middle of a statement",
        Label(previous.span, "nothing follows this"),
        related=[Label(opening.span, "still open") for opening in mistake.open_brackets()[-1:]],
        help="write the rest of the statement, and close what is still open",
    )


def _role_without_colon(mistake: Mistake) -> Diagnostic | None:
    previous = mistake.previous
    if previous is None or previous.kind != "ROLE" or mistake.token.kind in ("COLON", "LBRACE"):
        return None
    return error(
        "syntax",
        f"this {role_word(previous)} message has no `:`",
        Label(previous.span, "expected `:` after this"),
        help=f"write `{previous.text}:`",
    )


def _open_foreign(mistake: Mistake) -> Diagnostic | None:
    """Explain `Flow x {` without its end."""
    previous = mistake.previous
    if mistake.token.kind != "MISSING" or previous is None or previous.kind not in ("DECLARATION", "SKIPPED"):
        return None
    word = previous.text.split(None, 1)[0]
    return error(
        "unbalanced-block",
        f"this `{word}` block is never closed",
        Label(Span(previous.start, previous.start + len(word)), "begins here"),
        help="add the missing `}`",
    )


def _empty_message(mistake: Mistake) -> Diagnostic | None:
    head = mistake.head
    if mistake.token.kind == "MISSING" and mistake.previous and mistake.previous.kind == "COLON":
        head = mistake.tokens[mistake.at - 2]
    elif head is None or head.kind != "ROLE" or not mistake.starts_line or len(mistake.unfinished) > 2:
        return None
    return error(
        "syntax",
        f"this {role_word(head)} message has no content",
        Label(head.span, "the message starts here"),
        help=f"write what it holds, such as `{head.text}: INSTRUCTIONS` or `{head.text}: {{ ... }}`",
    )


def _second_colon(mistake: Mistake) -> Diagnostic | None:
    if mistake.token.kind != "COLON" or mistake.previous is None or mistake.previous.kind != "COLON":
        return None
    return error(
        "syntax",
        "`:` stands here twice",
        Label(mistake.token.span, "one is enough"),
        help="delete one of them",
    )


def _misspelled_block(mistake: Mistake) -> Diagnostic | None:
    """Explain `ForEech(t: ...`, `Whlie x {`."""
    first = mistake.tokens[mistake.line]
    if first.kind != "IDENT" or mistake.line >= mistake.at or mistake.token.kind == "OTHER":
        return None
    near = find_closest(first.text, KEYWORDS)
    if near is None or near.lower() == first.text.lower():
        return None
    return error(
        "syntax",
        f"`{first.text}` is not a keyword of ACDL",
        Label(first.span, "not a keyword"),
        help=f"did you mean `{near}`?",
    )


def _stray_arm(mistake: Mistake) -> Diagnostic | None:
    token = mistake.token
    owner = {"ELSE": "If", "ELSEIF": "If", "CASE": "Switch", "DEFAULT": "Switch"}.get(token.kind)
    if owner is None or mistake.unfinished or "CASE" in mistake.expected:
        return None
    where = "right after the `}` of an `If`" if owner == "If" else "inside `Switch ... { }`"
    return error(
        "syntax",
        f"`{token.text}` without its `{owner}`",
        Label(token.span, f"it has to stand {where}"),
        help=f"move it there, or write an `{owner}` before it" if owner == "If" else "move it there",
    )


def _not_a_case(mistake: Mistake) -> Diagnostic | None:
    if "CASE" not in mistake.expected or "DEFAULT" not in mistake.expected:
        return None
    return error(
        "syntax",
        "only `Case` and `Default` can stand directly inside a `Switch`",
        Label(mistake.token.span, "this belongs to no case"),
        help=_case_meant(mistake),
    )


def _case_meant(mistake: Mistake) -> str:
    token = mistake.token
    if token.kind == "ELSE" or token.text.lower() == "default":
        return "write `Default { ... }`"
    if token.kind in ("IDENT", "STRING", "NUMBER") and mistake.tokens[mistake.at + 1].kind in ("LBRACE", "COLON"):
        return f"write `Case {token.text} {{ ... }}`"
    return "put it inside a `Case value { ... }` or `Default { ... }`"


def _unexpected_token(mistake: Mistake) -> Diagnostic:
    expected = [words for kind, words in _READABLE.items() if kind in mistake.expected]
    if "NUMBER" in mistake.expected:
        expected = [f"a value such as {EXPRESSION}"]
    *most, last = expected[:3] or ["the end of the statement"]
    either = f"{', '.join(most)} or {last}" if most else last
    return error(
        "syntax",
        f"{mistake.quote_token()} cannot stand here",
        Label(mistake.token.span, f"expected {either} before this"),
        help="write what is missing before it, or delete it",
    )


_SITUATIONS: tuple[Callable[[Mistake], Diagnostic | None], ...] = (
    signs.conflict_marker,
    _open_foreign,
    _role_without_colon,
    signs.omitted_part,
    signs.plain_text,
    signs.lone_dollar,
    signs.unknown_sign,
    brackets.json_object,
    brackets.braces_in_brackets,
    brackets.block_of_statement,
    _cut_off,
    _stray_arm,
    _not_a_case,
    _misspelled_block,
    brackets.bare_brace,
    _second_colon,
    signs.lone_at,
    signs.two_dots,
    signs.wrong_separator,
    signs.loop_condition,
    signs.loop_of_another_language,
    signs.value_without_name,
    headers.broken_comprehension,
    brackets.list_after_content,
    headers.loop_header,
    brackets.nothing_in_brackets,
    brackets.open_bracket,
    brackets.stray_closing,
    _empty_message,
    headers.title_sign,
    signs.unknown_operator,
    signs.angle_placeholder,
    signs.comment_sign,
    signs.step_of_range,
    signs.missing_comma,
    signs.missing_operand,
    headers.needs_value,
    headers.fragment_name,
    headers.after_condition,
    headers.missing_block,
    headers.name_without_value,
)
