"""Mistakes in the headers of statements, as sentences: loops, conditions, titles, names, missing blocks.

Each function explains one situation, or returns `None` in any other.
"""

from itertools import takewhile

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.errors.brackets import is_loop_header, text_in_braces
from acdl_mkdocs.language.syntax.errors.mistakes import VALUES, Mistake
from acdl_mkdocs.language.syntax.tokens import Token

_LOOP = "write `ForEach(t: range(1, @T)) { ... }`"
_NAME_EXAMPLE = "Name docs := k_relevant_docs(env.query[@T])"
_NAME = f"write `{_NAME_EXAMPLE}`"
_CLOSING = {"LSQB": "]", "LBRACE": "}"}
_LONGEST_STATEMENT = 40
"""Limit of tokens before a mistake to look at."""
HEADS = frozenset(("IF", "ELSEIF", "ELSE", "SWITCH", "CASE", "FOREACH", "MARK", "STRING_FRAGMENT", "ROLES_FRAGMENT"))
"""Words whose header ends before a block."""


def loop_header(mistake: Mistake) -> Diagnostic | None:
    """Explain a loop without its variable, its `:` or its collection."""
    token, previous = mistake.token, mistake.previous
    if previous is None or "FOREACH" not in [each.kind for each in (mistake.head, mistake.holder) if each is not None]:
        return None
    is_wrong = token.kind == "LSQB" or (token.kind == "LBRACE" and is_loop_header(mistake.tokens, mistake.at))
    if previous.kind == "FOREACH" and is_wrong:
        header = text_in_braces(mistake) if token.kind == "LBRACE" else ""
        return error(
            "syntax",
            f"the header of a loop stands in `( )`, not in `{token.text} {_CLOSING[token.kind]}`",
            Label(token.span, "expected `(`"),
            help=f"write `{previous.text}({header}) {{`" if header else _LOOP,
        )
    if previous.kind in ("FOREACH", "LPAR") and "TIME" in mistake.expected and "NUMBER" not in mistake.expected:
        return _no_variable(token.span) if token.kind != "REFERENCE" else _variable_with_sign(token)
    if "IN" in mistake.expected and "COLON" in mistake.expected:
        if token.kind == "LPAR":
            return _no_variable(previous.span)
        other = _loop_of_other_words(mistake, previous)
        if other is not None:
            return other
        if token.kind not in ("COMMA", "IDENT", "TIME", "REFERENCE", "NUMBER", "LSQB"):
            return _no_iterable(token.span, mistake)
        return error(
            "syntax",
            "the loop has no `:` after its variable",
            Label(token.span, "expected `:`" if token.kind == "COMMA" else "expected `:` before this"),
            help=f"write `{previous.text}:`",
        )
    if previous.kind in ("COLON", "IN") and "LBRACE" not in mistake.expected:
        return _no_iterable(token.span, mistake)
    return None


_DECLARES = frozenset(("const", "let", "var", "int", "auto", "each"))
"""Words that other languages write before the variable of a loop."""


def _loop_of_other_words(mistake: Mistake, previous: Token) -> Diagnostic | None:
    """Explain `for (const d of env.docs) {`, `ForEach(i, d: env.docs) {`, `ForEach(d = env.docs) {`."""
    token, following = mistake.token, mistake.tokens[mistake.at + 1 : mistake.at + 3]
    if token.kind == "COMMA" and [each.kind for each in following] in (["IDENT", "COLON"], ["IDENT", "IN"]):
        name = following[0]
        span = Span(previous.start, name.end)
        return error(
            "syntax", "a loop has one variable", Label(span, "these are two"), help=f"write one of them: `{name.text}:`"
        )
    if token.text in ("of", "=", ":=") and not _is_counted(mistake):
        written = mistake.source.one_line(previous.start, token.end)
        return error(
            "syntax",
            f"`{token.text}` cannot stand after the variable of a loop",
            Label(token.span, "expected `:`"),
            help=f"write `{previous.text}:` for `{written}`",
        )
    if token.kind == "IDENT" and previous.text.lower() in _DECLARES:
        return error(
            "syntax",
            f"ACDL has no `{previous.text}`",
            Label(previous.span, "expected the variable of the loop"),
            help="delete it",
        )
    return None


def _is_counted(mistake: Mistake) -> bool:
    """Return whether the loop is `for (i = 0; i < 10; i++) {`."""
    following = mistake.tokens[mistake.at : mistake.at + _LONGEST_STATEMENT]
    return any(each.kind == "SEPARATOR" for each in takewhile(lambda each: each.kind != "LBRACE", following))


def _variable_with_sign(token: Token) -> Diagnostic:
    return error(
        "syntax",
        "the variable of a loop has no `$`",
        Label(token.span, "`$` refers to a `Name`"),
        help=f"write `{token.text[1:]}`",
    )


def _no_variable(span: Span) -> Diagnostic:
    return error("syntax", "the loop has no variable", Label(span, "expected a name and `:` before this"), help=_LOOP)


def _no_iterable(span: Span, mistake: Mistake) -> Diagnostic:
    return error(
        "syntax",
        "the loop does not say what it runs over",
        Label(span, f"expected a collection or `range(a, b)`, found {mistake.quote_token()}"),
        help=_LOOP,
    )


def broken_comprehension(mistake: Mistake) -> Diagnostic | None:
    """Explain `[f(t) for t range(1, 3)]`."""
    has_for = mistake.has_kind("FOR")
    if not has_for or not {"IN", "COLON"} & mistake.expected or mistake.starts_line:
        return None
    return error(
        "syntax",
        "the comprehension has no `in` after its variable",
        Label(mistake.token.span, "expected `in` before this"),
        help="write `[sys.summary[@t] for t in range(1, @T)]`",
    )


def needs_value(mistake: Mistake) -> Diagnostic | None:
    """Explain `If {`, `Switch {`, `PromptEndsHere when }`."""
    previous = mistake.previous
    if previous is None or "NUMBER" not in mistake.expected:
        return None
    if previous.kind not in ("IF", "ELSEIF", "SWITCH", "CASE", "ENDS_WHEN"):
        return None
    what = "a condition" if previous.kind not in ("SWITCH", "CASE") else "a value"
    if mistake.token.kind == "COLON" and previous.text.lower() == "promptendshere":
        return error(
            "syntax",
            f"`{previous.text}` takes no `:`",
            Label(mistake.token.span, "expected `when`"),
            help=f"write `{previous.text} when @T > 1`",
        )
    example = "@T > 1" if what == "a condition" else "sys.mode[@T]" if previous.kind == "SWITCH" else "search"
    return error(
        "syntax",
        f"`{previous.text}` has no {what.split()[1]}",
        Label(previous.span, f"expected {what} after this, found {mistake.quote_token()}"),
        help=f"write {what}, such as `{previous.text} {example}`",
    )


def title_sign(mistake: Mistake) -> Diagnostic | None:
    """Explain `Chat[@T] = {`, `Chat[@T] -> {`."""
    previous = mistake.previous
    head = mistake.tokens[mistake.line]
    if previous is None or head.kind != "IDENT" or previous.kind not in ("COMPARE", "MINUS", "ASSIGN"):
        return None
    following = mistake.tokens[mistake.at : mistake.at + 2]
    if not any(token.kind == "LBRACE" for token in following):
        return None
    sign = Span(previous.start, following[0].end if following[0].kind != "LBRACE" else previous.end)
    written = mistake.source.one_line(head.start, previous.start)
    return error(
        "syntax",
        f"`{mistake.source.text[sign.start : sign.end]}` stands between a title and its block",
        Label(sign, "expected `:`"),
        help=f"write `{written}: {{`",
    )


def fragment_name(mistake: Mistake) -> Diagnostic | None:
    """Explain `StrFrag [x]: {` and `Frag` without a name."""
    previous = mistake.previous
    if previous is None or previous.kind not in ("STRING_FRAGMENT", "ROLES_FRAGMENT", "FRAG"):
        return None
    example = f"{previous.text} Document[doc]" + ("" if previous.kind == "FRAG" else ": { ... }")
    return error(
        "syntax",
        f"`{previous.text}` has no name",
        Label(previous.span, "expected the name of a fragment after this"),
        help=f"write `{example}`",
    )


def missing_block(mistake: Mistake) -> Diagnostic | None:
    """Explain a block header without its braces."""
    head, token = mistake.head, mistake.token
    if "LBRACE" not in mistake.expected or token.kind == "LBRACE":
        return None
    name = head.text if head is not None and head.kind in HEADS else mistake.statement_text().rstrip(": ")
    if not name:  # a line that begins with what continues an expression has no header
        return None
    what = f"`{name}`"
    previous_is_colon = mistake.previous is not None and mistake.previous.kind == "COLON"
    is_wrapped = token.kind in ("LPAR", "LSQB") and (previous_is_colon or mistake.tokens[mistake.at + 1].is_first)
    if is_wrapped:
        return error(
            "syntax",
            f"the block of {what} begins with `{token.text}`",
            Label(token.span, "expected `{`"),
            help="a block stands between `{` and `}`",
        )
    if token.kind == "COLON" or previous_is_colon:
        return error(
            "syntax",
            f"the block of {what} has no braces",
            Label(mistake.span_after() if token.kind != "COLON" else token.span, "expected `{` here"),
            help="write `{` here and `}` after the last line of the block; indentation alone does not make one",
        )
    if not mistake.starts_line:
        return None
    return error(
        "syntax",
        f"the block of {what} is missing",
        Label(mistake.span_after(), "expected `{` here"),
        help="write what belongs to it between `{` and `}`",
    )


def name_without_value(mistake: Mistake) -> Diagnostic | None:
    """Explain `Name docs` and `Name := x`."""
    head, token = mistake.head, mistake.token
    if head is None or head.kind != "NAME" or mistake.has_kind("ASSIGN"):
        return None
    if token.kind == "ASSIGN" or len(mistake.unfinished) < 2:
        return error("syntax", "this `Name` has no name", Label(head.span, "expected a name after this"), help=_NAME)
    written = mistake.statement_text()
    before = reversed(mistake.tokens[max(mistake.at - _LONGEST_STATEMENT, 0) : mistake.at])
    sign = next((each for each in takewhile(lambda each: each is not head, before) if each.kind == "COMPARE"), token)
    if sign.kind in ("COMPARE", "COLON") and not sign.is_first:
        return error(
            "syntax",
            f"`{sign.text}` gives a `Name` no value",
            Label(sign.span, "expected `:=`"),
            help=f"write `{mistake.source.text[head.start : sign.start].rstrip()} := ...`",
        )
    if token.kind == "IDENT" and not token.is_first and mistake.tokens[mistake.at + 1].text in (":=", "="):
        return error(
            "syntax",
            "the name of a `Name` is one word",
            Label(token.span, "a second word"),
            help=f"write `{written}_{token.text} := ...`",
        )
    return error(
        "syntax",
        "this `Name` has no value",
        Label(mistake.span_after(), "expected `:=` and a value here"),
        help=f"write `{written} := ...`, such as `{_NAME_EXAMPLE}`",
    )


_LONGEST_CONDITION = 40
"""Tokens of a condition that a message repeats."""


def after_condition(mistake: Mistake) -> Diagnostic | None:
    """Explain extra text on the line of a complete `If`, `Else`, `Switch` or `Case` header."""
    head, token, previous = mistake.head, mistake.token, mistake.previous
    if head is None or head.kind not in HEADS or "LBRACE" not in mistake.expected or mistake.starts_line:
        return None
    if token.kind in ("LBRACE", "COLON", "OTHER", "RPAR", "RSQB"):
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
    other = _other_word(mistake, head, previous)
    if other is not None:
        return other
    has_condition = head.kind in ("IF", "ELSEIF")
    return error(
        "syntax",
        f"{mistake.quote_token()} cannot stand here",
        Label(token.span, f"expected `{{`{', or an operator such as `==`' * has_condition} before this"),
        help=f"write `{head.text} {_condition_text(mistake, head)} == {_rest_of_header(mistake)} {{`"
        if token.kind in VALUES and has_condition
        else _SIGNS_MEANT.get(token.kind, "write `{` here, or delete it"),
    )


_SIGNS_MEANT = {
    "COMMA": "write `&` if both have to hold, `|` if one of them is enough",
    "ASSIGN": "to compare, write `==`",
    "SEPARATOR": "delete it",
}
"""What to write instead of a sign after a condition."""


def _condition_text(mistake: Mistake, head: Token) -> str:
    """Return the text between the keyword and the token that does not fit."""
    return mistake.statement_text().removeprefix(head.text).strip()


def _rest_of_header(mistake: Mistake) -> str:
    """Return the text from the token that does not fit to the brace."""
    following = mistake.tokens[mistake.at : mistake.at + _LONGEST_CONDITION]
    rest = list(takewhile(lambda each: each.kind not in ("LBRACE", "$END"), following))
    return mistake.source.one_line(mistake.token.start, rest[-1].end)


def _after_title(mistake: Mistake, head: Token) -> Diagnostic:
    """Explain `StrFrag Doc[d] = {`, `StrFrag Doc d {`."""
    token = mistake.token
    name = mistake.statement_text().removeprefix(head.text).strip()
    if token.kind not in VALUES:
        return error(
            "syntax",
            f"{mistake.quote_token()} stands between a title and its block",
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
    """Explain a word or sign that other languages have in a condition."""
    token, word, before = mistake.token, mistake.token.text.lower(), previous.text.lower()
    if word in ("then", "do"):
        return error("syntax", f"ACDL has no `{token.text}`", Label(token.span, "expected `{` here"), help="delete it")
    if word == "is":
        is_negated = mistake.tokens[mistake.at + 1].text.lower() == "not"
        cure = "write `!=` for `is not`" if is_negated else "write `==`"
        return error("syntax", f"ACDL has no `{token.text}`", Label(token.span, "not an operator"), help=cure)
    following = mistake.tokens[mistake.at + 1]
    is_operator = token.kind == "IDENT" and following.kind in _AFTER_OPERATOR and head.kind in ("IF", "ELSEIF")
    is_not_in = word == "not" and following.text.lower() == "in"
    if token.kind == "IN" or before in ("in", "has", "contains") or is_not_in:
        operator = token if token.kind in ("IN", "NOT") else previous
        return _no_operator(operator, head)
    if is_operator:
        return _no_operator(token, head)
    if head.kind == "CASE":
        return _second_value(mistake, head)
    if before in ("and", "or", "not"):
        return error(
            "syntax",
            f"nothing stands before `{previous.text}`",
            Label(previous.span, "expected a value before this"),
            help=f"write what it works on, or delete `{previous.text}`",
        )
    if token.kind in VALUES and _condition_text(mistake, head).isidentifier():
        return error(
            "syntax",
            f"`{previous.text}` and `{token.text}` stand side by side",
            Label(token.span, "expected an operator, or `(` before this"),
            help=f"write `{head.text} {previous.text}({_rest_of_header(mistake)}) {{`",
        )
    return None


def _second_value(mistake: Mistake, head: Token) -> Diagnostic | None:
    """Explain `Case a, b {`, `Case 1..3 {`, `Case very late {`."""
    token = mistake.token
    if token.kind not in VALUES | {"COMMA", "ELLIPSIS"}:
        return None
    value = f"{_condition_text(mistake, head)} {_rest_of_header(mistake)}".replace('"', "")
    return error(
        "syntax",
        "a `Case` takes one value",
        Label(token.span, "expected `{`"),
        help="write a `Case` for each value"
        if token.kind in ("COMMA", "ELLIPSIS")
        else f'put the words in quotes: `{head.text} "{value}" {{`',
    )


_AFTER_OPERATOR = VALUES | {"LPAR", "TIMES"}
"""Kinds of tokens after a word such as `contains`."""


def _no_operator(word: Token, head: Token) -> Diagnostic:
    return error(
        "syntax",
        f"`{word.text}` is not an operator of a condition",
        Label(word.span, "not an operator of the language"),
        help=f"write a function for it, such as `{head.text} contains(sys.tags, env.tag) {{`",
    )
