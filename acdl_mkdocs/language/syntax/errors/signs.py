"""Mistakes of single signs, as sentences: unknown signs, strings, comments, operators, dots.

Each function explains one situation, or returns `None` in any other.
"""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.errors.mistakes import EXPRESSION, OPERATORS, PLAIN_TEXT, VALUES, Mistake
from acdl_mkdocs.language.syntax.tokens import Token

_QUOTES = "\"'“”„‘’‚"
_COMMENTS = {"/*": "*/", "<!--": "-->"}
_N_WORDS = 3
"""From this many words in a row on, they are text; one more is needed if some are keywords, such as `in`."""
_LONGEST_LINE = 100
"""Limit of tokens of a line to look at."""
_WORD_KINDS = frozenset(("IDENT", "IN", "AND", "OR", "FOR"))
_OPERATOR_MEANT = {"===": "==", "!==": "!=", "=>": ">=", "=<": "<=", "=!": "!=", "**": "*", "<>": "!="}


def plain_text(mistake: Mistake) -> Diagnostic | None:
    """Explain a sign in the middle of plain text."""
    line = _line_tokens(mistake)
    if not line or line[0].kind not in _WORD_KINDS or mistake.token.kind in ("LBRACE", "COLON", "RPAR", "RSQB"):
        return None
    longest = run = n_plain = 0
    for token in line:
        run = run + 1 if token.kind in _WORD_KINDS else 0
        n_plain += token.kind == "IDENT"
        longest = max(longest, run)
    if longest < (_N_WORDS if n_plain >= longest else _N_WORDS + 1) or any(token.text in "()[]{}@" for token in line):
        return None
    return error(
        "syntax",
        "plain text stands where ACDL was expected",
        Label(Span(line[0].start, line[-1].end), "reads like text for the model"),
        help=PLAIN_TEXT,
    )


def _line_tokens(mistake: Mistake) -> list[Token]:
    """Return the tokens on the line of the mistake, or of the previous line, without their role."""
    first = mistake.line
    if mistake.token.is_first and first:
        first -= 1
        while first and not mistake.tokens[first].is_first:
            first -= 1
    last = first + 1
    end = min(first + _LONGEST_LINE, len(mistake.tokens))
    while last < end and not mistake.tokens[last].is_first and mistake.tokens[last].text:
        last += 1
    line = mistake.tokens[first:last]
    while line and line[0].kind in ("ROLE", "COLON"):
        line = line[1:]
    return line


def unknown_sign(mistake: Mistake) -> Diagnostic | None:
    """Explain a sign without a meaning, or a string or comment without an end."""
    token = mistake.token
    text = mistake.source.text
    for start in (token.start, mistake.previous.start if mistake.previous else token.start):
        sign = next((sign for sign in _COMMENTS if text.startswith(sign, start)), None)
        if sign is not None:
            return error(
                "syntax",
                "this comment is never closed",
                Label(Span(start, start + len(sign)), "opened here"),
                help=f"end it with `{_COMMENTS[sign]}`, or write `//` at the start of each line",
            )
    if token.kind != "OTHER":
        return None
    if token.text in _QUOTES:
        return _open_string(mistake)
    if token.text == ".":
        return _trailing_dot(mistake)
    if token.text == "#":
        return _numbered_mark(mistake)
    name = {"`": "a backtick", "\\": "a backslash"}.get(token.text, f"`{token.text}`")
    return error(
        "syntax",
        f"{name} has no meaning in ACDL",
        Label(token.span, "not a sign of the language"),
        help="delete it; text for the model stands in quotes or behind a TEMPLATE name",
    )


def _numbered_mark(mistake: Mistake) -> Diagnostic:
    """Explain `Mark #1 {`."""
    token = mistake.token
    return error(
        "syntax",
        f"`{token.text}` cannot stand before the number of a `Mark`",
        Label(token.span, "expected a number"),
        help=f"write `Mark {mistake.tokens[mistake.at + 1].text} {{`",
    )


def _open_string(mistake: Mistake) -> Diagnostic:
    token, text = mistake.token, mistake.source.text
    line_end = text.find("\n", token.start)
    end = len(text[: line_end if line_end >= 0 else len(text)].rstrip())
    before = mistake.previous
    if before is not None and before.kind == "IDENT" and before.end == token.start and text[token.end : end].strip():
        word = Span(before.start, token.end)
        return error(
            "syntax",
            "a quote stands in the middle of a word",
            Label(word, "a string has to begin and end with a quote"),
            help='put the whole text in quotes: `"..."`',
        )
    closing = {"“": "”", "„": "”", "‘": "’", "‚": "’"}.get(token.text, token.text)
    return error(
        "syntax",
        "this string is never closed",
        Label(Span(token.start, end), "it has to end on its line"),
        help=f"add `{closing}` where the string ends",
    )


def _trailing_dot(mistake: Mistake) -> Diagnostic:
    return error(
        "syntax",
        "nothing stands after `.`",
        Label(mistake.token.span, "the name of a field has to follow"),
        help="write the field, such as `env.query.text`, or delete the dot",
    )


def omitted_part(mistake: Mistake) -> Diagnostic | None:
    """Explain `...` in place of omitted text."""
    token, previous = mistake.token, mistake.previous
    if token.kind != "ELLIPSIS":
        previous = mistake.tokens[mistake.at - 2] if mistake.at > 1 else None
        token = mistake.tokens[mistake.at - 1] if mistake.at else token
        if token.kind != "ELLIPSIS" or not mistake.open_brackets() or (mistake.head and mistake.head.kind == "FOREACH"):
            return None
    elif previous is not None and (
        (previous.end == token.start and previous.kind in ("IDENT", "FIELDS", "RSQB"))
        or (mistake.head is not None and mistake.head.kind == "CASE" and previous != mistake.head)
    ):
        return None
    return error(
        "syntax",
        f"`{token.text}` leaves something out, and ACDL has no placeholder",
        Label(token.span, "something is missing here"),
        help=_suggest_for_omitted(mistake, previous.kind if previous else ""),
    )


def _suggest_for_omitted(mistake: Mistake, before: str) -> list[str]:
    """Suggest what to write in place of `...`, depending on its meaning."""
    head = mistake.head.kind if mistake.head else ""
    brackets = mistake.open_brackets()
    if head == "FOREACH":
        return ["write what the loop runs over, such as `ForEach(t: range(1, @T))`"]
    if head in ("IF", "ELSEIF", "ENDS_WHEN"):
        return ["write the condition, such as `@T > 1`"]
    if head in ("SWITCH", "CASE"):
        return [f"write the value, such as `{'sys.mode[@T]' if head == 'SWITCH' else 'search'}`"]
    if brackets and brackets[-1].kind == "LSQB" and not _is_index(mistake, brackets[-1]):
        return ["write the values of the list, or leave it out"]
    if brackets and brackets[-1].kind == "LSQB":
        return ["write the index, such as `[@T]`, or leave the brackets out"]
    if brackets:
        return ["leave it out", "to show that more goes in, name it: `MORE`"]
    if head == "NAME" or before == "ASSIGN":
        return ["write the value, such as `k_relevant_docs(env.query[@T])`"]
    if "CASE" in mistake.expected:
        return ["leave it out", "for all other values, write `Default { ... }`"]
    return ["leave it out", "for wording that is not shown, name it with a template: `MORE_INSTRUCTIONS`"]


def _is_index(mistake: Mistake, bracket: Token) -> bool:
    before = mistake.source.text[max(bracket.start - 1, 0) : bracket.start]
    return before.isalnum() or before in ("]", ")", "_")


def two_dots(mistake: Mistake) -> Diagnostic | None:
    """Explain `env..query`."""
    token, previous = mistake.token, mistake.previous
    if token.kind != "ELLIPSIS" or previous is None or previous.end != token.start or previous.kind == "NUMBER":
        return None
    return error(
        "syntax",
        f"`{token.text}` stands inside a name",
        Label(token.span, "expected one dot"),
        help="write one dot between a name and its field, such as `env.query`",
    )


def conflict_marker(mistake: Mistake) -> Diagnostic | None:
    """Explain the conflict markers of a version control system."""
    token, text = mistake.token, mistake.source.text
    start = text.rfind("\n", 0, token.start) + 1
    marker = text[start : start + 7]
    if marker not in ("<" * 7, "=" * 7, ">" * 7):
        return None
    return error(
        "syntax",
        "a merge conflict is not resolved",
        Label(Span(start, start + 7), "a conflict marker"),
        help="keep one of the two versions, and delete the marker lines",
    )


def unknown_operator(mistake: Mistake) -> Diagnostic | None:
    """Explain `===`, `->`, `=>`."""
    token, previous = mistake.token, mistake.previous
    if previous is None or previous.end != token.start or previous.kind not in OPERATORS or token.kind not in OPERATORS:
        return None
    sign = previous.text + token.text
    operator = _OPERATOR_MEANT.get(sign)
    if sign == "->" and mistake.tokens[mistake.at - 2].end == previous.start:
        operator = "."
    return error(
        "syntax",
        f"`{sign}` is not an operator of ACDL",
        Label(Span(previous.start, token.end), "not an operator of the language"),
        help=f"write `{operator}`" if operator else "the operators are `== != < > <= >= & | ! + - * / %`",
    )


def missing_operand(mistake: Mistake) -> Diagnostic | None:
    """Explain an operator at the beginning or end of an expression."""
    token, previous = mistake.token, mistake.previous
    if "NUMBER" not in mistake.expected:
        return None
    cure = f"write what it works on, such as {EXPRESSION}"
    if previous is not None and (previous.kind in OPERATORS or previous.kind in ("ASSIGN", "ELLIPSIS")):
        return error(
            "syntax",
            f"nothing stands after `{previous.text}`",
            Label(previous.span, f"a value has to follow, not {mistake.quote_token()}"),
            help=cure if previous.kind != "ASSIGN" else "write the value, such as `k_relevant_docs(env.query[@T])`",
        )
    if token.kind in OPERATORS:
        return error(
            "syntax", f"nothing stands before `{token.text}`", Label(token.span, "expected a value here"), help=cure
        )
    return None


def lone_at(mistake: Mistake) -> Diagnostic | None:
    """Explain `@ T`."""
    token, previous = mistake.token, mistake.previous
    if previous is None or previous.text != "@" or token.kind not in ("IDENT", "NUMBER"):
        return None
    return error(
        "syntax",
        "`@` stands apart from its name",
        Label(Span(previous.start, token.end), "one word"),
        help=f"write `@{token.text}`",
    )


def comment_sign(mistake: Mistake) -> Diagnostic | None:
    """Explain `% note`, `/ note`."""
    token = mistake.token
    if not token.is_first or token.text not in ("/", "%", "*") or mistake.unfinished:
        return None
    return error(
        "syntax",
        f"`{token.text}` does not begin a comment",
        Label(token.span, "comments begin with `//`"),
        help="write `//`",
    )


_CLOSING = {"LPAR": "RPAR", "LSQB": "RSQB"}
_LONGEST_SLICE = 10
"""Tokens after a `:` in which the bracket around it has to end."""


def missing_comma(mistake: Mistake) -> Diagnostic | None:
    """Explain `f(a b)`, `range(1 @T)`, `1 to @T`."""
    token, previous = mistake.token, mistake.previous
    if previous is None or not mistake.open_brackets() or "COMMA" not in mistake.expected:
        return None
    if token.kind not in VALUES or token.is_first or mistake.begins_message:
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


def step_of_range(mistake: Mistake) -> Diagnostic | None:
    """Explain `1 ... @T step 2`, `range(1, @T) by 2`."""
    token = mistake.token
    if token.text.lower() not in ("step", "by") or not {"COMMA", "RPAR", "RSQB"} & mistake.expected:
        return None
    return error(
        "syntax",
        f"ACDL has no `{token.text}`",
        Label(token.span, "expected the end of the range before this"),
        help="write the step as the third argument: `range(1, @T, 2)`",
    )


def wrong_separator(mistake: Mistake) -> Diagnostic | None:
    """Explain `f(a; b)`, `f(lang: "en")`, `env.q[1:2]`, `env:query`."""
    token, previous = mistake.token, mistake.previous
    brackets = mistake.open_brackets()
    if token.kind == "SEPARATOR" and brackets and "COMMA" in mistake.expected:
        return error("syntax", "`;` separates no values", Label(token.span, "expected `,`"), help="write `,`")
    if token.kind in ("COLON", "ASSIGN") and brackets and _names_argument(mistake, brackets[-1]):
        name = mistake.tokens[mistake.at - 1]
        return error(
            "syntax",
            f"`{token.text}` gives an argument a name",
            Label(Span(name.start, token.end), "arguments have no names"),
            help=f"leave the name out: delete `{mistake.source.one_line(name.start, token.end)}`",
        )
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


def _names_argument(mistake: Mistake, opening: Token) -> bool:
    """Return whether only a word is between the sign and the bracket or comma before it: `f(lang: "en")`."""
    name, before = mistake.tokens[mistake.at - 1], mistake.tokens[mistake.at - 2]
    is_alone = name.kind in ("IDENT", "STRING") and before.kind in ("LPAR", "LSQB", "COMMA")
    is_call = opening.kind == "LPAR" or (before is opening and mistake.tokens[mistake.at - 4].kind == "FRAG")
    return is_alone and is_call and "COMMA" in mistake.expected and _is_slice(mistake, opening)


def _is_slice(mistake: Mistake, opening: Token) -> bool:
    for token in mistake.tokens[mistake.at : mistake.at + _LONGEST_SLICE]:
        if token.kind == _CLOSING[opening.kind]:
            return True
        if token.is_first or token.kind in ("LBRACE", "$END"):
            return False
    return False


def loop_condition(mistake: Mistake) -> Diagnostic | None:
    """Explain `ForEach(t: range(1, @T) if t > 2) {`."""
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
    """Explain `for t, d in enumerate(xs) {`."""
    first, token = mistake.tokens[mistake.line], mistake.token
    if token.kind != "IN" or first.text.lower() != "for" or mistake.open_brackets():
        return None
    return error(
        "syntax",
        "this is not a loop of ACDL",
        Label(Span(first.start, token.end), "a loop has one variable"),
        help="write `ForEach(doc: env.documents) { ... }`",
    )


def value_without_name(mistake: Mistake) -> Diagnostic | None:
    """Explain `Name docs := x := f(x)`, `a = b = f(x)`."""
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
    if mistake.previous is not None and mistake.previous.text == "Name":
        return error(
            "syntax",
            "this `Name` has no name",
            Label(mistake.previous.span, "expected a name after this"),
            help="write a name, such as `Name docs := ...`",
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
    """Explain `$ x`, `${x}`, `$$x`."""
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
        f"`{written}` is not a reference",
        Label(Span(token.start, end.end), "a template stands alone" if is_template else "expected `$` and a name"),
        help=f"write `{name}`" if is_template else f"write `${name}`",
    )


def angle_placeholder(mistake: Mistake) -> Diagnostic | None:
    """Explain `<TASK>`."""
    following = mistake.tokens[mistake.at : mistake.at + 3]
    if [each.text for each in following][::2] != ["<", ">"] or following[1].kind != "IDENT" or following[1].is_first:
        return None
    if "NUMBER" not in mistake.expected:
        return None
    name = following[1].text
    return error(
        "syntax",
        f"`<{name}>` is not a template",
        Label(Span(following[0].start, following[2].end), "a template stands without signs around it"),
        help=f"write `{name.upper()}`",
    )
