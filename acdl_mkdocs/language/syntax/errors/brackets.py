"""Mistakes of brackets and braces, as sentences: not closed, closed twice, empty, around something that is not a block.

Each function explains one situation, or returns `None` in any other.
"""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.errors.mistakes import EXPRESSION, OPERATORS, Mistake
from acdl_mkdocs.language.syntax.tokens import Token

_LONGEST_HEADER = 40
"""Tokens in which the header of a loop, or a value in braces, has to end."""


def open_bracket(mistake: Mistake) -> Diagnostic | None:
    """Explain a `(` or `[` that is still open where the statement must end."""
    still_open = mistake.open_brackets()
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
    if not (mistake.starts_line or mistake.begins_message) and token.kind not in ("LBRACE", "COLON", "ROLE", "ASSIGN"):
        return None
    return error(
        "syntax",
        f"this `{opening.text}` is never closed",
        Label(opening.span, "opened here"),
        related=[Label(token.span, f"expected `{closing}` before this")] if token.kind != "$END" else [],
        help=f"add `{closing}`",
    )


def nothing_in_brackets(mistake: Mistake) -> Diagnostic | None:
    """Explain `If ()`, `f(, a)`."""
    token, previous = mistake.token, mistake.previous
    if previous is None or "NUMBER" not in mistake.expected:
        return None
    if previous.kind in ("LPAR", "LSQB") and token.kind in ("RPAR", "RSQB"):
        return error(
            "syntax",
            f"nothing stands between `{previous.text}` and `{token.text}`",
            Label(Span(previous.start, token.end), "expected a value inside"),
            help=f"write what belongs there, such as {EXPRESSION}",
        )
    if token.kind == "COMMA" and previous.kind in ("COMMA", "LPAR", "LSQB"):
        return error(
            "syntax",
            "nothing stands before this comma",
            Label(token.span, "expected a value before this"),
            help="delete the comma, or write the value that is missing",
        )
    return None


def list_after_content(mistake: Mistake) -> Diagnostic | None:
    """Explain `env.query[@T]` and `[d.title for d in env.docs]` on the next line, which is read as an index."""
    opening = mistake.open_brackets()[-1:]
    if mistake.token.text.lower() != "for" or not opening or opening[0].kind != "LSQB":
        return None
    return error(
        "syntax",
        "a list begins right after a content, so it is read as its index",
        Label(opening[0].span, "continues what is before it, also on a new line"),
        help="write `;` before it",
    )


def stray_closing(mistake: Mistake) -> Diagnostic | None:
    """Explain an extra `)` or `]`."""
    token, previous = mistake.token, mistake.previous
    if token.kind not in ("RPAR", "RSQB") or mistake.open_brackets():
        return None
    if previous is not None and previous.kind in OPERATORS:
        return None
    opening = "(" if token.kind == "RPAR" else "["
    return error(
        "syntax",
        f"`{token.text}` closes nothing",
        Label(token.span, f"no `{opening}` is open here"),
        help=f"delete it, or add the `{opening}` that it should close",
    )


def json_object(mistake: Mistake) -> Diagnostic | None:
    """Explain `{"role": ...}` between messages."""
    if not _is_object(mistake.tokens, mistake.at):
        return None
    return error(
        "syntax",
        "this is JSON, not ACDL",
        Label(Span(mistake.token.start, mistake.tokens[mistake.at + 1].end), "a JSON object begins here"),
        help="write a message as its role and what it holds, such as `U: env.query[@T]`",
    )


def braces_in_brackets(mistake: Mistake) -> Diagnostic | None:
    """Explain `f({x})`."""
    token, previous = mistake.token, mistake.previous
    if token.kind != "LBRACE" or token.is_first or previous is None or previous.kind not in ("LPAR", "LSQB"):
        return None
    closing = ")" if previous.kind == "LPAR" else "]"
    inside = text_in_braces(mistake)
    return error(
        "syntax",
        f"braces cannot stand inside `{previous.text} {closing}`",
        Label(token.span, "braces make a block"),
        help=f"leave the braces out: `{inside}`" if inside else "leave the braces out, such as `f(env.query[@T])`",
    )


def text_in_braces(mistake: Mistake) -> str:
    """Return the text from the brace that does not fit to its end, in one line; empty if the end is far away."""
    following = mistake.tokens[mistake.at + 1 : mistake.at + _LONGEST_HEADER]
    end = next((token for token in following if token.kind in ("LBRACE", "RBRACE")), None)
    if end is None or end.kind == "LBRACE":
        return ""
    return mistake.source.one_line(mistake.token.end, end.start)


def block_of_statement(mistake: Mistake) -> Diagnostic | None:
    """Explain `break {`."""
    token, previous = mistake.token, mistake.previous
    if token.kind != "LBRACE" or token.is_first or previous is None:
        return None
    if previous.kind not in ("BREAK", "CONTINUE", "ENDS_HERE", "ENDS_WHEN"):
        return None
    word = " ".join(previous.text.split())
    if previous.kind == "ENDS_WHEN" and word.lower() != "promptendshere":
        return None
    return error(
        "syntax",
        f"`{word}` has no block",
        Label(token.span, "expected the end of the statement before this"),
        help=f"write `{word}` alone, with the condition around it: `If @T > 1 {{ {word} }}`",
    )


def bare_brace(mistake: Mistake) -> Diagnostic | None:
    """Explain a block without a header."""
    previous = mistake.previous
    if mistake.token.kind != "LBRACE" or mistake.unfinished:
        return None
    if previous is not None and previous.kind not in ("LBRACE", "RBRACE", "COLON") and not mistake.token.is_first:
        return None
    return error(
        "syntax",
        "this `{` belongs to nothing",
        Label(mistake.token.span, "expected a message, a title or a keyword before this"),
        help="delete it and its `}`, or write what it belongs to, such as `U: {` or `Name[@T]: {`",
    )


def is_no_block(tokens: list[Token], at: int) -> bool:
    """Return whether the brace begins no block but a JSON object, a `${...}` or something in brackets."""
    before = tokens[at - 1] if at else None
    if before is None:
        return _is_object(tokens, at)
    is_reference = before.text == "$" and before.end == tokens[at].start
    is_inside = before.kind in ("LPAR", "LSQB") and not tokens[at].is_first
    return is_reference or is_inside or is_loop_header(tokens, at) or _is_object(tokens, at)


def is_loop_header(tokens: list[Token], at: int) -> bool:
    """Return whether the brace begins a header: `ForEach {t: env.documents} {`."""
    if not at or tokens[at - 1].kind != "FOREACH":
        return False
    following = [token.kind for token in tokens[at + 1 : at + _LONGEST_HEADER]]
    end = following.index("RBRACE") if "RBRACE" in following else len(following)
    return "LBRACE" not in following[:end] and following[end + 1 : end + 2] == ["LBRACE"]


def _is_object(tokens: list[Token], at: int) -> bool:
    return [token.kind for token in tokens[at : at + 3]] == ["LBRACE", "STRING", "COLON"]
