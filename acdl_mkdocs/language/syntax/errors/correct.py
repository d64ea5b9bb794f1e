"""Correct words that can only be a known mistake, so that the rest of a text is read as if they were right.

Used when a text was not understood, or has content outside of messages. Each correction recognises something that no
correct text contains, reports it and returns the intended words.
"""

from collections.abc import Callable
from itertools import pairwise

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import KnownNames, find_closest
from acdl_mkdocs.language.syntax.errors import correct_signs
from acdl_mkdocs.language.syntax.errors.corrections import Correction, CorrectionState, change_kind, make_sign, span_of
from acdl_mkdocs.language.syntax.errors.missing_braces import missing_in_definitions
from acdl_mkdocs.language.syntax.errors.mistakes import PLAIN_TEXT
from acdl_mkdocs.language.syntax.nodes import NAMESPACES
from acdl_mkdocs.language.syntax.tokens import ROLES, Token, is_all_caps

_NEAR_LOOP = KnownNames[None].fromkeys(("ForEach",))
_NEAR_SWITCH = KnownNames[None].fromkeys(("Switch",))
_NEAR_NAME = KnownNames[None].fromkeys(("Name",))
_NEAR_ARM = KnownNames[None].fromkeys(("If", "ElseIf", "Else", "Mark"))
_NEAR_CASE = KnownNames[None].fromkeys(("Case", "Default"))
_NEAR_END = KnownNames[None].fromkeys(("PromptEndsHere",))
_NEAR_FRAGMENT = KnownNames[None].fromkeys(("StrFrag", "RolesFrag"))
_KINDS = {
    "ForEach": "FOREACH",
    "Switch": "SWITCH",
    "Name": "NAME",
    "If": "IF",
    "ElseIf": "ELSEIF",
    "Else": "ELSE",
    "Mark": "MARK",
    "Case": "CASE",
    "Default": "DEFAULT",
    "StrFrag": "STRING_FRAGMENT",
    "RolesFrag": "ROLES_FRAGMENT",
}
_OTHER_ROLES = {
    **dict.fromkeys(("human", "customer", "client", "query", "question", "input", "person"), "U"),
    **dict.fromkeys(("ai", "bot", "agent", "model", "llm", "gpt", "claude", "response", "output", "answer"), "A"),
    **dict.fromkeys(("developer", "dev", "instructions", "instruction", "sys", "context"), "S"),
    **dict.fromkeys(("function", "observation", "result"), "T"),
}
"""Names of our roles in other notations, in lower case."""
_ROLES = "the roles are `S:` (system), `U:` (user), `A:` (assistant), `T:` (tool) and `N:` (none)"
_WORDS = frozenset(("IDENT", "IN", "AND", "OR", "FOR", "NOT"))
_QUOTES = "\"'“”„‘’‚"
_IN_PROSE = _WORDS | {"COLON", "COMMA", "MINUS", "SEPARATOR", "NUMBER"}


def misspelled_keyword(correction: CorrectionState) -> Correction | None:
    """Correct `ForEch(t: range(1, @T)) {`, `Swich x { Case a {`, `Naem x := f(y)`."""
    if correction.token.kind != "IDENT" or not correction.begins_statement:
        return None
    keyword = _suggest_keyword(correction)
    if keyword is None or keyword.lower() == correction.token.text.lower():
        return None
    token = correction.token
    return Correction(1, (change_kind(token, _KINDS[keyword]),), _no_keyword(token, keyword))


def _suggest_keyword(correction: CorrectionState) -> str | None:
    """Return the keyword that the words after a misspelled one imply."""
    word, first, second, third = (
        correction.token.text,
        correction.kind_at(1),
        correction.kind_at(2),
        correction.kind_at(3),
    )
    if first == "LPAR" and second in ("IDENT", "TIME") and third in ("COLON", "IN"):
        return find_closest(word, _NEAR_LOOP)
    if first in ("IDENT", "TIME") and second in ("IN", "COLON") and correction.header_tokens():
        return find_closest(word, _NEAR_LOOP)
    if first in ("IDENT", "REFERENCE", "TIME") and second == "ASSIGN":
        return find_closest(word, _NEAR_NAME)
    if first == "IDENT" and not correction.blocks and second in ("LSQB", "COLON", "LBRACE"):
        return find_closest(word, _NEAR_FRAGMENT)
    header = correction.header_tokens()
    if not header or first in ("LSQB", "COLON"):
        return None
    if correction.block == "SWITCH":
        return find_closest(word, _NEAR_CASE)
    if correction.kind_at(len(header) + 1) in ("CASE", "DEFAULT"):
        return find_closest(word, _NEAR_SWITCH)
    keyword = find_closest(word, _NEAR_ARM) if correction.blocks else None
    follows_block = bool(correction.output) and correction.output[-1].kind == "RBRACE"
    return keyword if (keyword == "Else") == (first == "LBRACE") and (keyword != "Else" or follows_block) else None


def misspelled_end(correction: CorrectionState) -> Correction | None:
    """Correct `PromptEndHere when x`."""
    token = correction.token
    if token.kind != "IDENT" or not token.text.lower().startswith("prompt") or not correction.begins_statement:
        return None
    following = correction.tokens[correction.at + 1]
    if following.kind in ("LBRACE", "LSQB", "COLON") or find_closest(token.text, _NEAR_END) is None:
        return None
    has_when = following.text.lower() in ("when", "if")
    is_alone = not has_when and (following.is_first or following.kind in ("RBRACE", "$END"))
    taken = correction.tokens[correction.at : correction.at + 1 + has_when]
    corrected = Token(
        "ENDS_HERE" if is_alone else "ENDS_WHEN", "PromptEndsHere", token.start, taken[-1].end, token.is_first
    )
    return Correction(len(taken), (corrected,), _no_keyword(token, "PromptEndsHere"))


def _no_keyword(token: Token, keyword: str) -> Diagnostic:
    return error(
        "syntax",
        f"`{token.text}` is not a keyword of ACDL",
        Label(token.span, "not a keyword"),
        help=f"did you mean `{keyword}`?",
        fix=Fix(f"write `{keyword}`", (TextEdit(token.span, keyword),), is_safe=False),
    )


def other_role(correction: CorrectionState) -> Correction | None:
    """Correct `Human: x`, `"user": x`, `X: I`: no role of ACDL before a colon."""
    token, end = correction.token, correction.at + 2
    if token.kind not in ("IDENT", "STRING") or correction.kind_at(1) != "COLON" or not correction.begins_statement:
        return None
    after = correction.tokens[end]
    is_string = token.kind == "STRING"
    if correction.follows_role or correction.block == "SWITCH" or after.kind in ("$END", "RBRACE", "COLON"):
        return None
    name = token.text.strip(_QUOTES)
    has_block = after.kind == "LBRACE" and not (is_string and _role_marker(name))
    if after.is_first or has_block or after.kind in ("LSQB", "LPAR") or _begins_object(correction):
        return None
    if name.lower() == "role" and after.text.strip(_QUOTES).lower() in ROLES:
        return _role_field(correction, after)
    role = _role_marker(name)
    if role is None and correction.header_tokens():
        return None
    if (is_string and role is None) or correction.is_text or name in NAMESPACES:
        return None
    tokens = (Token("ROLE", role or "U", token.start, token.end, token.is_first), correction.tokens[correction.at + 1])
    if not is_string:
        return Correction(2, tokens, _no_role(token, name, role))
    report = None if "json" in correction.reported else _json_role(token, role or "U")
    correction.reported.add("json")
    return Correction(2, tokens, report)


def listed_statement(correction: CorrectionState) -> Correction | None:
    """Correct `- U: x`, `- If x {`: messages and blocks in a list."""
    sign, word = correction.token, correction.tokens[min(correction.at + 1, len(correction.tokens) - 1)]
    if sign.kind not in ("MARKER", "MINUS", "TIMES", "PLUS") or not sign.is_first or word.kind != "IDENT":
        return None
    is_message = word.text.lower() in ROLES and correction.kind_at(2) == "COLON" and not correction.is_text
    kind = "ROLE" if is_message else _KINDS[word.text] if word.text in ("ForEach", "If", "Switch") else None
    if kind is None:
        return None
    statement = Token(kind, word.text, word.start, word.end, True)
    return Correction(2, (statement,), _no_list(sign, word, "a message" if is_message else f"`{word.text}`"))


def _no_list(sign: Token, word: Token, what: str) -> Diagnostic:
    return error(
        "syntax",
        f"`{sign.text}` stands before {what}",
        Label(sign.span, "messages and blocks follow each other without signs"),
        help=f"leave the `{sign.text}` out",
        fix=Fix(f"leave the `{sign.text}` out", (TextEdit(Span(sign.start, word.start), ""),), is_safe=False),
    )


def _begins_object(correction: CorrectionState) -> bool:
    """Return whether the token is the first in braces without a header: `{"role": "user"}`."""
    brace, before = correction.output[-1:], correction.output[-2:-1]
    if not brace or brace[0].kind != "LBRACE":
        return False
    return brace[0].is_first or not before or before[0].kind in ("LSQB", "LPAR", "COMMA", "LBRACE", "RBRACE")


def _role_marker(name: str) -> str | None:
    """Return the marker of the role that a name means."""
    lower = name.lower()
    return ROLES[lower][0].upper() if lower in ROLES else _OTHER_ROLES.get(lower)


def _role_field(correction: CorrectionState, value: Token) -> Correction:
    """Correct `role: user` and, after it, `content: x`."""
    role = ROLES[value.text.strip(_QUOTES).lower()][0].upper()
    n_taken = 3 + (correction.kind_at(3) in ("COMMA", "SEPARATOR"))
    if correction.kind_at(n_taken) in ("IDENT", "STRING") and correction.kind_at(n_taken + 1) == "COLON":
        n_taken += 2
    taken = correction.tokens[correction.at : correction.at + n_taken]
    tokens = (Token("ROLE", role, taken[0].start, taken[2].end, taken[0].is_first), taken[1])
    report = None if "json" in correction.reported else _json_role(taken[0], role)
    correction.reported.add("json")
    return Correction(n_taken, tokens, report)


def _json_role(token: Token, role: str) -> Diagnostic:
    return error(
        "syntax",
        "this is how JSON says who speaks, not ACDL",
        Label(token.span, "expected a role such as `S:`"),
        help=[f"write `{role}:` here, before what the message holds", _ROLES],
    )


def _no_role(token: Token, name: str, role: str | None) -> Diagnostic:
    return error(
        "syntax",
        f"`{name}` is not a role",
        Label(token.span, "expected a role before `:`"),
        help=[f"did you mean `{role}:`?", _ROLES] if role else _ROLES,
        fix=Fix(f"write `{role}:`", (TextEdit(token.span, role),), is_safe=False) if role else None,
    )


def text_with_colon(correction: CorrectionState) -> Correction | None:
    """Correct `S: Be brief: one line`, and `Question: env.query[@T]` inside a message."""
    if correction.token.kind not in ("IDENT", "STRING") or not correction.begins_statement or not correction.is_text:
        return None
    line = correction.rest_of_line()
    colon = next((at for at, token in enumerate(line) if token.kind == "COLON"), 0)
    end = next((at for at, token in enumerate(line) if token.kind not in _IN_PROSE), len(line))
    after = correction.kind_at(colon + 1)
    if colon > 1 and all(token.kind in _WORDS for token in line[:colon]) and _is_balanced(line):
        return Correction(len(line), (_join_tokens(correction, line),), _plain_text(span_of(line)))
    if not colon or after in ("LBRACE", "COLON", "$END"):
        return None
    is_prose = end > colon and end > 3 and (end == len(line) or line[end].kind == "RBRACE")
    if is_prose and any(one.kind == two.kind == "IDENT" for one, two in pairwise(line[:end])):
        words = line[:end]
        return Correction(end, (_join_tokens(correction, words),), _plain_text(span_of(words)))
    if colon > 1 or correction.tokens[correction.at + 2].is_first or correction.token.text in NAMESPACES:
        return None
    return Correction(2, (), _report_heading(correction.token))


def _is_balanced(line: list[Token]) -> bool:
    """Return whether the braces on a line are balanced."""
    depth = 0
    for token in line:
        depth += (token.kind == "LBRACE") - (token.kind == "RBRACE")
        if depth < 0:
            return False
    return not depth


def _join_tokens(correction: CorrectionState, words: list[Token]) -> Token:
    """Return one token in place of text that was not meant as ACDL."""
    span = span_of(words)
    return Token("BROKEN", correction.source.text[span.start : span.end], span.start, span.end, words[0].is_first)


def _plain_text(span: Span) -> Diagnostic:
    return error(
        "syntax",
        "plain text stands where ACDL was expected",
        Label(span, "reads like text for the model"),
        help=PLAIN_TEXT,
    )


def _report_heading(token: Token) -> Diagnostic:
    """Return the diagnostic for a heading before the content that it names."""
    name = token.text.strip(_QUOTES)
    template = name.upper() if not is_all_caps(name) else name
    return error(
        "syntax",
        f"`{name}:` is neither a role nor content",
        Label(token.span, "only a role has a `:` after it in a message"),
        help=[f"for wording, name it: `{template}_LABEL`", f'or put it in quotes: `"{name}:"`'],
    )


_TO = frozenset(("to", "until", "upto", "through", "till"))
_FROM = frozenset(("from", "=", ":=", "in", "over", ":"))
_ENDS_ELEMENT = frozenset(("LPAR", "LSQB", "COMMA", "ASSIGN", "COLON", "IN", "LBRACE", "RBRACE", "SEPARATOR"))
_LONGEST_ELEMENT = 60
"""Tokens between the beginning of a comprehension and its `for`."""


def loop_in_words(correction: CorrectionState) -> Correction | None:
    """Correct `loop t from 1 to T-1 {`, `for t = 1 to T {`, `repeat 3 times {`."""
    if correction.token.kind != "FOREACH" or not correction.begins_statement:
        return None
    header = correction.header_tokens()
    if not header:
        return None
    inner = header[1:]
    if inner and inner[0].kind == "LPAR" and inner[-1].kind == "RPAR":
        inner = inner[1:-1]
    if inner and inner[-1].kind == "COLON":
        inner = inner[:-1]
    bounds = _repeat_bounds(inner) or _count_bounds(inner)
    if bounds is None:
        return _loop_over(correction, header)
    variable, start, stop = bounds
    tokens = (change_kind(header[0], "FOREACH"), variable, make_sign("COLON", variable), *start)
    tokens = (*tokens, make_sign("ELLIPSIS", start[-1]), *stop)
    cure = (
        f"ForEach({variable.text.lstrip('$')}: range({_quote_tokens(correction, start)}, "
        f"{_next_number(_quote_tokens(correction, stop))}))"
    )
    return Correction(len(header), tokens, _no_loop(correction, header, cure, ", where a range stops before its end"))


def _loop_over(correction: CorrectionState, header: list[Token]) -> Correction | None:
    """Correct `loop over t in xs {`."""
    is_filled = len(header) > 4 and header[1].text.lower() in ("over", "for", "through") and header[3].kind == "IN"
    if not is_filled:
        return None
    at = next((at for at, token in enumerate(header) if token.kind == "ELLIPSIS"), 0)
    over = correction.quote_tokens(header[4:])
    if 4 < at < len(header) - 1:
        over = (
            f"range({_quote_tokens(correction, _add_time_sign(header[4:at]))}, "
            f"{_next_number(_quote_tokens(correction, _add_time_sign(header[at + 1 :])))})"
        )
    cure = f"ForEach({header[2].text}: {over})"
    return Correction(len(header), (header[0], *header[2:]), _no_loop(correction, header, cure, ""))


def _no_loop(correction: CorrectionState, header: list[Token], cure: str, why: str) -> Diagnostic:
    span = span_of(header)
    return error(
        "syntax",
        f"`{correction.quote_tokens(header)}` is not a loop of ACDL",
        Label(span, "expected a variable, `:` and what the loop runs over"),
        help=f"write `{cure} {{`{why}",
        fix=Fix(f"write `{cure}`", (TextEdit(span, cure),), is_safe=False),
    )


_Bounds = tuple[Token, list[Token], list[Token]]


def _repeat_bounds(inner: list[Token]) -> _Bounds | None:
    """Read `3 times`."""
    if len(inner) < 2 or inner[-1].text.lower() != "times":
        return None
    before = inner[0]
    variable = Token("IDENT", "i", before.start, before.start, False)
    return variable, [Token("NUMBER", "1", before.start, before.start, False)], _add_time_sign(inner[:-1])


def _count_bounds(inner: list[Token]) -> _Bounds | None:
    """Read `t from 1 to T`; both bounds must be present."""
    if len(inner) < 5 or inner[0].kind not in ("IDENT", "TIME") or inner[1].text.lower() not in _FROM:
        return None
    at = next((at for at, token in enumerate(inner) if token.text.lower() in _TO or token.kind == "ELLIPSIS"), 0)
    if at < 3 or at == len(inner) - 1 or (inner[at].kind == "ELLIPSIS" and inner[1].kind in ("IN", "COLON")):
        return None
    return inner[0], _add_time_sign(inner[2:at]), _add_time_sign(inner[at + 1 :])


def _add_time_sign(tokens: list[Token]) -> list[Token]:
    """Return the tokens with `@` before the turn of the spec."""
    return [
        Token("TIME", f"@{token.text}", token.start, token.end, False)
        if token.kind in ("IDENT", "ROLE") and token.text == "T"
        else token
        for token in tokens
    ]


def _quote_tokens(correction: CorrectionState, tokens: list[Token]) -> str:
    text = ""
    for token, before in zip(tokens, [None, *tokens], strict=False):
        blank = " " if before is not None and before.end < token.start else ""
        text += blank + (token.text or correction.quote_tokens([token]))
    return text


def _next_number(stop: str) -> str:
    """Return the number after an end that is included."""
    if stop.isdecimal():
        return str(int(stop) + 1)
    compact = stop.replace(" ", "")
    return compact.removesuffix("-1") if compact.endswith("-1") else f"{stop}+1"


def bare_comprehension(correction: CorrectionState) -> Correction | None:
    """Correct `f(d) for d in env.docs` without its brackets."""
    token = correction.token
    if token.text.lower() != "for" or correction.kind_at(1) not in ("IDENT", "TIME") or correction.kind_at(2) != "IN":
        return None
    if (
        token.is_first
        or correction.begins_statement
        or (correction.brackets and correction.brackets[-1].kind == "LSQB")
    ):
        return None
    begin = _begin_of_element(correction)
    line = correction.rest_of_line()
    stop = _end_of_comprehension(line)
    if begin is None or (stop < len(line) and line[stop].kind == "LBRACE" and not _in_header(correction)):
        return None
    inner = [change_kind(each, "IF") if each.text.lower() == "if" else each for each in line[1:stop]]
    first, last = correction.output[begin], line[stop - 1]
    correction.output.insert(begin, Token("LSQB", "[", first.start, first.start, first.is_first))
    correction.brackets.append(correction.output[begin])
    text = correction.source.one_line(first.start, last.end)
    edits = (TextEdit(first.span, f"[{correction.source.text[first.start : first.end]}"), _close_list(correction, last))
    report = error(
        "syntax",
        "a comprehension has no brackets",
        Label(span_of([first, last]), "expected `[` before this and `]` after it"),
        help=f"write `[{text}]`",
        fix=Fix("put brackets around it", edits, is_safe=False),
    )
    return Correction(stop, (change_kind(token, "FOR"), *inner, make_sign("RSQB", last)), report)


def _close_list(correction: CorrectionState, last: Token) -> TextEdit:
    return TextEdit(last.span, f"{correction.source.text[last.start : last.end]}]")


def _in_header(correction: CorrectionState) -> bool:
    """Return whether the statement is a loop, so that a brace may follow."""
    return correction.output[correction.start].kind == "FOREACH"


def _begin_of_element(correction: CorrectionState) -> int | None:
    """Return the index, among the tokens read, of the first token of the element before `for`."""
    depth = 0
    first = max(correction.start, len(correction.output) - _LONGEST_ELEMENT)
    for at in range(len(correction.output) - 1, first - 1, -1):
        kind = correction.output[at].kind
        if kind in ("RPAR", "RSQB"):
            depth += 1
        elif depth and kind in ("LPAR", "LSQB"):
            depth -= 1
        elif not depth and kind in _ENDS_ELEMENT:
            return at + 1 if at + 1 < len(correction.output) else None
    return first if first == correction.start and first < len(correction.output) else None


def _end_of_comprehension(line: list[Token]) -> int:
    """Return the index of the first token on the line after the comprehension."""
    depth = 0
    for at, token in enumerate(line):
        if not depth and at > 2 and token.kind in ("RPAR", "RSQB", "COMMA", "LBRACE", "RBRACE", "SEPARATOR", "ROLE"):
            return at
        depth += (token.kind in ("LPAR", "LSQB")) - (token.kind in ("RPAR", "RSQB"))
    return len(line)


_CORRECTIONS: tuple[Callable[[CorrectionState], Correction | None], ...] = (
    correct_signs.missing_opening,
    misspelled_keyword,
    misspelled_end,
    other_role,
    listed_statement,
    text_with_colon,
    loop_in_words,
    bare_comprehension,
    correct_signs.object_value,
    correct_signs.drawn_mark,
    correct_signs.diagram_arrow,
    correct_signs.html_tag,
)


def correct(source: Source, tokens: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """Return the corrected tokens, and a report for each mistake."""
    spot = CorrectionState(source, tokens)
    missing = missing_in_definitions(source, tokens)
    while spot.at < len(tokens):
        spot.n_extra = -missing[spot.at] if spot.at in missing else spot.n_extra
        correction = next(filter(None, (correct_at(spot) for correct_at in _CORRECTIONS)), None)
        if correction is None:
            spot.take_token(spot.token)
            spot.at += 1
            continue
        for token in correction.tokens:
            spot.take_token(token)
        spot.at += correction.n_taken
        if correction.report is not None:
            spot.diagnostics.append(correction.report)
    return spot.output, spot.diagnostics
