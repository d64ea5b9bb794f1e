"""Corrections of signs that other notations have: data in braces, drawn marks, arrows of diagrams, tags of HTML."""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.errors.corrections import Correction, CorrectionState, change_kind, make_sign, span_of
from acdl_mkdocs.language.syntax.errors.mistakes import VALUES, role_word
from acdl_mkdocs.language.syntax.tokens import ROLES, Token

_LONGEST_TAG = 20
"""Tokens in which a tag of HTML has to end."""
_TAG_NAME = re.compile(r"\w+|\S")
_END_TAG = re.compile(r"</(\w+|\S)")
_LONGEST_MARKED = 2000
"""Tokens before a drawn mark in which what it marks begins."""
_LONGEST_DATA = 500
"""Tokens in which a value in braces has to end."""
_DATA = "DATA"
"""The replacement for a value in braces."""
_ENDS_VALUE = frozenset(("IDENT", "FIELDS", "TIME", "NUMBER", "STRING", "REFERENCE", "RPAR", "RSQB"))
_ARROWS = ("-->", "->>", "==>", "-.-", "---", "<<-")


def object_value(correction: CorrectionState) -> Correction | None:
    """Correct `docs = { a: 1 }`: a value in braces, as other languages write data."""
    sign, before = correction.token, correction.output[-1:]
    if sign.text not in ("=", ":=") or correction.kind_at(1) != "LBRACE" or not correction.blocks or not before:
        return None
    is_pair = correction.kind_at(2) in ("IDENT", "STRING", "NUMBER", "ROLE") and correction.kind_at(3) == "COLON"
    if before[0].kind not in _ENDS_VALUE or not (is_pair or correction.kind_at(2) == "RBRACE"):
        return None
    if correction.kind_at(2) == "ROLE" and not correction.tokens[correction.at + 2].text.islower():
        return None  # `Chat = { U: X }` is a title
    stop = _end_of_braces(correction.tokens, correction.at + 1)
    if stop is None:
        return None
    opening, closing = correction.tokens[correction.at + 1], correction.tokens[stop]
    span = Span(opening.start, closing.end)
    report = error(
        "syntax",
        "a value in braces is not ACDL",
        Label(span, "ACDL names data, and does not hold it"),
        help=["say where the data comes from, such as `env.x` or `sys.x[@T]`", "for fixed wording, write a TEMPLATE"],
    )
    value = Token("IDENT", _DATA, span.start, span.end, False)
    return Correction(
        stop + 1 - correction.at, (sign if correction.head else change_kind(sign, "ASSIGN"), value), report
    )


def _end_of_braces(tokens: list[Token], opening: int) -> int | None:
    """Return the index of the brace that closes the one at that index, if it is not far."""
    depth = 0
    for at in range(opening, min(opening + _LONGEST_DATA, len(tokens))):
        depth += (tokens[at].kind == "LBRACE") - (tokens[at].kind == "RBRACE")
        if depth == 0:
            return at
    return None


def drawn_mark(correction: CorrectionState) -> Correction | None:
    """Correct `} ]1`: a mark as figures draw it, at the end of its content."""
    token = correction.token
    if token.kind != "RSQB" or not correction.output:
        return None
    is_around = token.is_first or correction.brackets[:1] == correction.output[correction.start : correction.start + 1]
    if correction.brackets and not token.is_first and not (is_around and len(correction.brackets) == 1):
        return None
    n_taken = 1 + (
        correction.kind_at(1) == "NUMBER"
        and bool(correction.blocks)
        and not correction.tokens[correction.at + 1].is_first
    )
    after = correction.tokens[correction.at + n_taken]
    if n_taken == 1 or not (after.is_first or after.kind in ("RBRACE", "$END")):
        return None
    number = correction.tokens[correction.at + 1]
    begin = _begin_of_marked(correction, is_around=is_around)
    if begin is None or (begin + 1 == len(correction.output) and correction.output[begin].kind not in _ENDS_VALUE):
        return None
    first, opening = correction.output[begin], correction.output[begin : begin + 1]
    if first.kind == "LSQB":
        del correction.output[begin]
        role, *rest = correction.output[begin : begin + 2]
        if role.kind == "IDENT" and role.text.lower() in ROLES and rest and rest[0].kind == "COLON":
            correction.output[begin] = change_kind(role, "ROLE")
        edit = TextEdit(first.span, f"Mark {number.text} {{")
    else:
        opening = []
        edit = TextEdit(Span(first.start, first.start), f"Mark {number.text} {{ ")
    _insert_mark(correction, begin, first, number)
    span = Span(token.start, number.end)
    report = error(
        "syntax",
        f"`{correction.quote_tokens([token, number])}` is how a figure draws a mark",
        Label(span, "the end of what is marked"),
        related=[Label(each.span, "what is marked begins here") for each in opening or [first]],
        help=f"write `Mark {number.text} {{` before what is marked, and `}}` here",
        fix=Fix(f"write `Mark {number.text} {{ ... }}`", (edit, TextEdit(span, "}")), is_safe=False),
    )
    return Correction(2, (make_sign("RBRACE", correction.output[-1]),), report)


def _insert_mark(correction: CorrectionState, at: int, first: Token, number: Token) -> None:
    """Insert `Mark n {` before the content; its number is written after it."""
    words = (("MARK", "Mark"), ("NUMBER", number.text), ("LBRACE", "{"))
    marks = [Token(kind, text, first.start, first.start, False) for kind, text in words]
    marks[0].is_first = first.is_first
    correction.output[at:at] = marks
    correction.start = at
    correction.open_block("MARK")


def _begin_of_marked(correction: CorrectionState, *, is_around: bool) -> int | None:
    """Return the index, among the tokens read, of the first token of the statements before the mark."""
    depth = 0
    lowest = max(len(correction.output) - _LONGEST_MARKED, 0)
    for at in range(len(correction.output) - 1, lowest - 1, -1):
        token = correction.output[at]
        depth += (token.kind == "RBRACE") - (token.kind == "LBRACE")
        if depth < 0:
            return at + 1 if not is_around and at + 1 < len(correction.output) else None
        if depth == 0 and token.is_first and token.kind != "RBRACE" and (not is_around or token.kind == "LSQB"):
            return at
    return None


def diagram_arrow(correction: CorrectionState) -> Correction | None:
    """Correct `A --> B`, `A ->> B: text`: a line of a diagram."""
    if not correction.token.is_first or correction.token.kind in ("RBRACE", "LBRACE", "$END"):
        return None
    line = correction.rest_of_line()
    index = next((at for at in range(len(line) - 1) if _is_arrow(line[at], correction.source.text)), None)
    if index is None:
        return None
    end = index + 1
    while end < len(line) - 1 and line[end].end == line[end + 1].start and line[end].kind in ("MINUS", "COMPARE"):
        end += 1
    arrow = correction.source.text[line[index].start : line[index].start + 4]
    sign = "".join(each for each in arrow if each in "-=.<>") or "-->"
    stop = next((at for at, token in enumerate(line) if token.kind in ("LBRACE", "RBRACE")), len(line))
    if stop <= index:
        return None
    words = line[:stop]
    report = (
        None
        if "arrow" in correction.reported
        else _no_arrow(line[index], sign, correction.quote_tokens(words), words[0])
    )
    correction.reported.add("arrow")
    span = span_of(words)
    broken = Token("BROKEN", correction.source.text[span.start : span.end], span.start, span.end, True)
    return Correction(stop, (broken,), report)


def _is_arrow(token: Token, text: str) -> bool:
    """Return whether a token begins an arrow of at least three signs."""
    signs = text[token.start : token.start + 3]
    return token.kind in ("MINUS", "COMPARE") and signs in _ARROWS


def _no_arrow(token: Token, sign: str, line: str, first: Token) -> Diagnostic:
    return error(
        "syntax",
        f"`{sign}` is an arrow of a diagram, not ACDL",
        Label(Span(token.start, token.start + len(sign)), "ACDL has no arrows: lines are read from top to bottom"),
        help=f"to keep the line as a comment, write `// {line}`",
        fix=Fix("make the line a comment", (TextEdit(Span(first.start, first.start), "// "),), is_safe=False),
    )


def html_tag(correction: CorrectionState) -> Correction | None:
    """Correct `<context> ... </context>`: a tag around something."""
    token, text = correction.token, correction.source.text
    if token.text != "<" or text[token.start + 1 : token.start + 2].isspace():
        return None
    is_end = correction.kind_at(1) == "TIMES" and correction.tokens[correction.at + 1].text == "/"
    name = correction.tokens[correction.at + 1 + is_end]
    if name.kind not in ("IDENT", "ROLE", "SKIPPED") or name.is_first:
        return None
    tail = correction.tokens[correction.at : correction.at + _LONGEST_TAG]
    end = next((at for at, each in enumerate(tail) if each.text in (">", "/>") or (at and each.is_first)), 0)
    if not end or tail[end].is_first:
        return None
    word = _TAG_NAME.match(name.text)
    if not is_end and tail[end - 1].text != "/" and (not word or _last_ends(text).get(word[0], 0) < token.end):
        return None
    report = None if "tag" in correction.reported else _no_tag(correction, tail[: end + 1], name)
    correction.reported.add("tag")
    return Correction(end + 1, _replace_tag(correction, name, is_end=is_end), report)


@lru_cache(maxsize=2)
def _last_ends(text: str) -> Mapping[str, int]:
    """Map the name of each closing tag to the offset of the last one; computed once per text."""
    return {match[1]: match.start() for match in _END_TAG.finditer(text)}


def _replace_tag(correction: CorrectionState, name: Token, *, is_end: bool) -> tuple[Token, ...]:
    """Return the tokens that replace a tag: those of a message if it is named after a role, else none."""
    if name.text.lower() not in ROLES or (correction.is_text and not is_end) or len(name.text) < 2:
        return ()
    if is_end:
        return (make_sign("RBRACE", correction.output[-1]),) if correction.block == "ROLE" else ()
    role = Token("ROLE", name.text, name.start, name.end, True)
    return role, make_sign("COLON", name), make_sign("LBRACE", name)


def _no_tag(correction: CorrectionState, tag: list[Token], name: Token) -> Diagnostic:
    written = correction.quote_tokens(tag)
    if name.text.lower() in ROLES and not correction.is_text:
        marker = ROLES[name.text.lower()][0].upper()
        cure = [f"write a message as `{marker}: {{ ... }}`"]
    else:
        cure = ["leave the tags out: the template says what is around it", f'to send the tag, quote it: `"{written}"`']
    message = f"`{written}` is a tag of HTML or XML, not ACDL"
    return error("syntax", message, Label(span_of(tag), "ACDL has no tags"), help=cure)


def missing_opening(correction: CorrectionState) -> Correction | None:
    """Correct a missing opening brace on a line with an extra closing one: `If @T > 1  U: x }`, `U: a b }`."""
    if correction.n_extra < 1 or correction.token.kind not in _HEADS or not correction.begins_statement:
        return None
    line = correction.rest_of_line()
    index = _find_brace_index(line, is_title=not correction.blocks and not correction.follows_role)
    if index is None or correction.n_open_on_line() >= sum(_STEPS.get(token.kind, 0) for token in line[index:]):
        return None
    head, before = line[0], line[index - 1]
    report = error(
        "syntax",
        f"this {role_word(head)} message has no `{{`"
        if head.kind == "ROLE"
        else f"the block of `{head.text}` has no `{{`",
        Label(Span(before.end, before.end), "expected `{` here"),
        help="write `{` here",
        fix=Fix("write `{`", (TextEdit(Span(before.end, before.end), " {"),), is_safe=False),
    )
    correction.n_extra -= 1
    return Correction(index, (*line[:index], make_sign("LBRACE", before)), report)


_STEPS = {"LBRACE": -1, "RBRACE": 1}
_TITLES = ("IDENT", "PROMPT", "STRING_FRAGMENT", "ROLES_FRAGMENT")
_HEADS = frozenset(("ROLE", "IF", "ELSEIF", "ELSE", "SWITCH", "CASE", "DEFAULT", "FOREACH", "MARK", *_TITLES))
_BEGINS_INSIDE = {"SWITCH": ("CASE", "DEFAULT")}
_STATEMENTS = ("ROLE", "FOREACH", "IF", "SWITCH", "MARK", "NAME", "FRAG", "ENDS_HERE", "ENDS_WHEN", "BREAK", "CONTINUE")


def _find_brace_index(line: list[Token], *, is_title: bool) -> int | None:
    """Return the index of the token before which a brace is missing."""
    head = line[0].kind
    if head == "ROLE":
        return 2 if len(line) > 2 and line[1].kind == "COLON" and _holds_several(line[2:]) else None
    if head in _TITLES:
        return _find_index_after_title(line) if is_title or head != "IDENT" else None
    wanted = _BEGINS_INSIDE.get(head, _STATEMENTS)
    depth = 0
    for at, token in enumerate(line[1:], 1):
        if token.kind == "LBRACE":
            return None
        if not depth and (token.kind in wanted or (at == 1 and head in ("ELSE", "DEFAULT") and token.kind != "COLON")):
            return at
        depth += (token.kind in ("LPAR", "LSQB")) - (token.kind in ("RPAR", "RSQB"))
        if depth == 0 and head == "FOREACH" and token.kind == "RPAR" and line[1].kind == "LPAR":
            following = line[at + 1].kind if at + 1 < len(line) else "LBRACE"
            return at + 1 if following not in ("LBRACE", "COLON") else None
    return None


def _find_index_after_title(line: list[Token]) -> int | None:
    """Return the index of the first token after `Name[params]:`, unless that is a brace."""
    depth = 0
    for at, token in enumerate(line):
        depth += (token.kind == "LSQB") - (token.kind == "RSQB")
        if not depth and token.kind in ("LBRACE", "RBRACE"):
            return None
        if not depth and token.kind == "COLON":
            is_brace = at + 1 >= len(line) or line[at + 1].kind == "LBRACE"
            return None if is_brace else at + 1
    return None


def _holds_several(content: list[Token]) -> bool:
    """Return whether the words up to the next brace are several values, which a message needs braces for."""
    depth = 0
    for token, after in pairwise(content):
        if token.kind in _STEPS or after.kind in _STEPS:
            return False
        depth += (token.kind in ("LPAR", "LSQB")) - (token.kind in ("RPAR", "RSQB"))
        if not depth and token.kind in _ENDS_VALUE and after.kind in VALUES and not after.is_first:
            return True
    return False
