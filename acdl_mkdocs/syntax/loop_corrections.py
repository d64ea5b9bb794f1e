"""Corrections of loops and comprehensions that are written as in other languages."""

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error
from acdl_mkdocs.syntax.corrections import Corrected, Spot, between, renamed, span_of
from acdl_mkdocs.syntax.tokens import Token

_TO = frozenset(("to", "until", "upto", "through", "till"))
_FROM = frozenset(("from", "=", ":=", "in", "over", ":"))
_ENDS_ELEMENT = frozenset(("LPAR", "LSQB", "COMMA", "ASSIGN", "COLON", "IN", "LBRACE", "RBRACE", "SEPARATOR"))
_LONGEST_ELEMENT = 60
"""Tokens between the beginning of a comprehension and its `for`."""


def loop_in_words(spot: Spot) -> Corrected | None:
    """`loop t from 1 to T-1 {`, `for t = 1 to T {`, `repeat 3 times {`."""
    if spot.token.kind != "FOREACH" or not spot.begins_statement:
        return None
    header = spot.header()
    if not header:
        return None
    inner = header[1:]
    if inner and inner[0].kind == "LPAR" and inner[-1].kind == "RPAR":
        inner = inner[1:-1]
    if inner and inner[-1].kind == "COLON":
        inner = inner[:-1]
    meant = _repeated(inner) or _counted(inner)
    if meant is None:
        return _filled(spot, header)
    variable, start, stop = meant
    made = (renamed(header[0], "FOREACH"), variable, between("COLON", variable), *start)
    made = (*made, between("ELLIPSIS", start[-1]), *stop)
    cure = f"ForEach({variable.text.lstrip('$')}: range({_shown(spot, start)}, {_after(_shown(spot, stop))}))"
    return Corrected(len(header), made, _no_loop(spot, header, cure, ", where a range stops before its end"))


def _filled(spot: Spot, header: list[Token]) -> Corrected | None:
    """`loop over t in xs {`."""
    is_filled = len(header) > 4 and header[1].text.lower() in ("over", "for", "through") and header[3].kind == "IN"
    if not is_filled:
        return None
    at = next((at for at, token in enumerate(header) if token.kind == "ELLIPSIS"), 0)
    over = spot.written(header[4:])
    if 4 < at < len(header) - 1:
        over = f"range({_shown(spot, _times(header[4:at]))}, {_after(_shown(spot, _times(header[at + 1 :])))})"
    cure = f"ForEach({header[2].text}: {over})"
    return Corrected(len(header), (header[0], *header[2:]), _no_loop(spot, header, cure, ""))


def _no_loop(spot: Spot, header: list[Token], cure: str, why: str) -> Diagnostic:
    span = span_of(header)
    return error(
        "syntax",
        f"`{spot.written(header)}` is no loop of ACDL",
        Label(span, "expected a variable, `:` and what the loop runs over"),
        help=f"write `{cure} {{`{why}",
        fix=Fix(f"write `{cure}`", (TextEdit(span, cure),), is_safe=False),
    )


_Bounds = tuple[Token, list[Token], list[Token]]


def _repeated(inner: list[Token]) -> _Bounds | None:
    """`3 times`."""
    if len(inner) < 2 or inner[-1].text.lower() != "times":
        return None
    before = inner[0]
    variable = Token("IDENT", "i", before.start, before.start, False)
    return variable, [Token("NUMBER", "1", before.start, before.start, False)], _times(inner[:-1])


def _counted(inner: list[Token]) -> _Bounds | None:
    """`t from 1 to T`; what is between two words has to be there."""
    if len(inner) < 5 or inner[0].kind not in ("IDENT", "TIME") or inner[1].text.lower() not in _FROM:
        return None
    at = next((at for at, token in enumerate(inner) if token.text.lower() in _TO or token.kind == "ELLIPSIS"), 0)
    if at < 3 or at == len(inner) - 1 or (inner[at].kind == "ELLIPSIS" and inner[1].kind in ("IN", "COLON")):
        return None
    return inner[0], _times(inner[2:at]), _times(inner[at + 1 :])


def _times(tokens: list[Token]) -> list[Token]:
    """The tokens with `@` before the turn of the spec."""
    return [
        Token("TIME", f"@{token.text}", token.start, token.end, False)
        if token.kind in ("IDENT", "ROLE") and token.text == "T"
        else token
        for token in tokens
    ]


def _shown(spot: Spot, tokens: list[Token]) -> str:
    text = ""
    for token, before in zip(tokens, [None, *tokens], strict=False):
        blank = " " if before is not None and before.end < token.start else ""
        text += blank + (token.text or spot.written([token]))
    return text


def _after(stop: str) -> str:
    """The number after an end that is taken in."""
    if stop.isdecimal():
        return str(int(stop) + 1)
    compact = stop.replace(" ", "")
    return compact.removesuffix("-1") if compact.endswith("-1") else f"{stop}+1"


def bare_comprehension(spot: Spot) -> Corrected | None:
    """`f(d) for d in env.docs` without its brackets."""
    token = spot.token
    if token.text.lower() != "for" or spot.kind(1) not in ("IDENT", "TIME") or spot.kind(2) != "IN":
        return None
    if token.is_first or spot.begins_statement or (spot.brackets and spot.brackets[-1].kind == "LSQB"):
        return None
    begin = _begin_of_element(spot)
    line = spot.line()
    stop = _end_of_comprehension(line)
    if begin is None or (stop < len(line) and line[stop].kind == "LBRACE" and not _in_header(spot)):
        return None
    inner = [renamed(each, "IF") if each.text.lower() == "if" else each for each in line[1:stop]]
    first, last = spot.made[begin], line[stop - 1]
    spot.made.insert(begin, Token("LSQB", "[", first.start, first.start, first.is_first))
    spot.brackets.append(spot.made[begin])
    text = spot.source.one_line(first.start, last.end)
    edits = (TextEdit(first.span, f"[{spot.source.text[first.start : first.end]}"), _closing(spot, last))
    report = error(
        "syntax",
        "a comprehension has no brackets",
        Label(span_of([first, last]), "expected `[` before this and `]` after it"),
        help=f"write `[{text}]`",
        fix=Fix("put brackets around it", edits, is_safe=False),
    )
    return Corrected(stop, (renamed(token, "FOR"), *inner, between("RSQB", last)), report)


def _closing(spot: Spot, last: Token) -> TextEdit:
    return TextEdit(last.span, f"{spot.source.text[last.start : last.end]}]")


def _in_header(spot: Spot) -> bool:
    """Whether the statement is a loop, so that a brace may follow."""
    return spot.made[spot.start].kind == "FOREACH"


def _begin_of_element(spot: Spot) -> int | None:
    """Index, among the tokens read, of the first one of the element before `for`."""
    depth = 0
    first = max(spot.start, len(spot.made) - _LONGEST_ELEMENT)
    for at in range(len(spot.made) - 1, first - 1, -1):
        kind = spot.made[at].kind
        if kind in ("RPAR", "RSQB"):
            depth += 1
        elif depth and kind in ("LPAR", "LSQB"):
            depth -= 1
        elif not depth and kind in _ENDS_ELEMENT:
            return at + 1 if at + 1 < len(spot.made) else None
    return first if first == spot.start and first < len(spot.made) else None


def _end_of_comprehension(line: list[Token]) -> int:
    """Index of the first token on the line after the comprehension."""
    depth = 0
    for at, token in enumerate(line):
        if not depth and at > 2 and token.kind in ("RPAR", "RSQB", "COMMA", "LBRACE", "RBRACE", "SEPARATOR", "ROLE"):
            return at
        depth += (token.kind in ("LPAR", "LSQB")) - (token.kind in ("RPAR", "RSQB"))
    return len(line)
