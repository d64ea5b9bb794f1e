"""Mistakes between values, as sentences: missing commas, signs that separate elsewhere, words of other languages.

Each function explains one situation, or returns `None` where the situation is another one.
"""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.syntax.mistakes import VALUES, Mistake
from acdl_mkdocs.syntax.tokens import Token

_CLOSING = {"LPAR": "RPAR", "LSQB": "RSQB"}
_LONGEST_SLICE = 10
"""Tokens after a `:` in which the bracket around it has to end."""


def missing_comma(mistake: Mistake) -> Diagnostic | None:
    """`f(a b)`, `range(1 @T)`, `1 to @T`."""
    token, previous = mistake.token, mistake.previous
    if previous is None or not mistake.open_brackets() or "COMMA" not in mistake.expected:
        return None
    if token.kind not in VALUES or token.is_first:
        return None
    if token.text.lower() in ("to", "until", "upto") and "ELLIPSIS" in mistake.expected:
        return error("syntax", f"ACDL has no `{token.text}`", Label(token.span, "expected `...`"), help="write `...`")
    if "FOR" in mistake.expected and mistake.tokens[mistake.at + 1].kind == "IN":
        return error(
            "syntax",
            "the comprehension has no `for` before its variable",
            Label(token.span, "expected `for` before this"),
            help=f"write `for {token.text} in`",
        )
    if token.text == "@" and previous.end == token.start:
        return error(
            "syntax",
            "`@` stands behind its name",
            Label(Span(previous.start, token.end), "the sign comes first"),
            help=f"write `@{previous.text}`",
        )
    return error(
        "syntax",
        "nothing separates these two values",
        Label(token.span, "expected `,` before this"),
        help=f"write `{previous.text}, {token.text}`" if previous.kind in VALUES else "write `,` between them",
    )


def wrong_separator(mistake: Mistake) -> Diagnostic | None:
    """`f(a; b)`, `env.q[1:2]`, `env:query`."""
    token, previous = mistake.token, mistake.previous
    brackets = mistake.open_brackets()
    if token.kind == "SEPARATOR" and brackets and "COMMA" in mistake.expected:
        return error("syntax", "`;` separates no values", Label(token.span, "expected `,`"), help="write `,`")
    if token.kind == "COLON" and brackets and _is_slice(mistake, brackets[-1]):
        return error(
            "syntax",
            f"`:` cannot stand between `{brackets[-1].text}` and its end",
            Label(token.span, "ACDL has no slices"),
            help="for several elements, write a loop such as `ForEach(t: range(1, @T)) { ... }`",
        )
    if previous is None or previous.kind != "COLON" or token.kind != "IDENT" or token.start != previous.end:
        return None
    name = mistake.tokens[mistake.at - 2]
    if name.kind != "IDENT" or name.end != previous.start:
        return None
    return error(
        "syntax",
        "`:` stands inside a name",
        Label(previous.span, "expected a dot"),
        help=f"write `{name.text}.{token.text}`",
    )


def _is_slice(mistake: Mistake, opening: Token) -> bool:
    for token in mistake.tokens[mistake.at : mistake.at + _LONGEST_SLICE]:
        if token.kind == _CLOSING[opening.kind]:
            return True
        if token.is_first or token.kind in ("LBRACE", "$END"):
            return False
    return False


def loop_condition(mistake: Mistake) -> Diagnostic | None:
    """`ForEach(t: range(1, @T) if t > 2) {`."""
    head, token = mistake.head, mistake.token
    if head is None or head.kind != "FOREACH" or token.text.lower() not in ("if", "where", "when"):
        return None
    if "RPAR" not in mistake.expected and "LBRACE" not in mistake.expected:
        return None
    return error(
        "syntax",
        "a loop takes no condition",
        Label(token.span, "expected the end of its header before this"),
        help="write an `If` inside the block of the loop",
    )


def loop_of_another_language(mistake: Mistake) -> Diagnostic | None:
    """`for t, d in enumerate(xs) {`."""
    first, token = mistake.tokens[mistake.line], mistake.token
    if token.kind != "IN" or first.text.lower() != "for" or mistake.open_brackets():
        return None
    return error(
        "syntax",
        "this is no loop of ACDL",
        Label(Span(first.start, token.end), "a loop has one variable"),
        help="write `ForEach(doc: env.documents) { ... }`",
    )


def value_without_name(mistake: Mistake) -> Diagnostic | None:
    """`Name docs := x := f(x)`, `a = b = f(x)`."""
    token, first = mistake.token, mistake.tokens[mistake.line]
    if token.kind != "ASSIGN" or first.kind not in ("IDENT", "REFERENCE", "TIME") or mistake.open_brackets():
        return None
    if token.text == "=":
        return error(
            "syntax",
            "one value is given to several names",
            Label(token.span, "a `Name` defines one name"),
            help="write one `Name` for each of them; to compare two values, write `==`",
        )
    written = mistake.source.one_line(first.start, token.start)
    name = written.split()[-1].lstrip("$@")
    return error(
        "syntax",
        "`:=` stands here without `Name`",
        Label(token.span, "only `Name` gives something a name"),
        help=f"write `Name {name} := ...`",
    )


def lone_dollar(mistake: Mistake) -> Diagnostic | None:
    """`$ x`, `${x}`, `$$x`."""
    token = mistake.token
    if token.text != "$":
        return None
    following = mistake.tokens[mistake.at + 1 : mistake.at + 4]
    if following and following[0].kind == "REFERENCE":
        end, name = following[0], following[0].text[1:]
    elif following and following[0].kind == "IDENT" and not following[0].is_first:
        end, name = following[0], following[0].text
    elif [each.kind for each in following] == ["LBRACE", "IDENT", "RBRACE"]:
        end, name = following[2], following[1].text
    else:
        return None
    is_template = len(name) > 1 and name.isupper()
    written = mistake.source.one_line(token.start, end.end)
    return error(
        "syntax",
        f"`{written}` is no reference",
        Label(Span(token.start, end.end), "a template stands alone" if is_template else "expected `$` and a name"),
        help=f"write `{name}`" if is_template else f"write `${name}`",
    )


def placeholder(mistake: Mistake) -> Diagnostic | None:
    """`<TASK>`."""
    following = mistake.tokens[mistake.at : mistake.at + 3]
    if [each.text for each in following][::2] != ["<", ">"] or following[1].kind != "IDENT" or following[1].is_first:
        return None
    if "NUMBER" not in mistake.expected:
        return None
    name = following[1].text
    return error(
        "syntax",
        f"`<{name}>` is no template",
        Label(Span(following[0].start, following[2].end), "a template stands without signs around it"),
        help=f"write `{name.upper()}`",
    )
