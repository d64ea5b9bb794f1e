"""Corrections of words: misspelled keywords, roles of other notations, and text with a colon."""

from itertools import pairwise

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Label, TextEdit, error
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import Known, closest
from acdl_mkdocs.syntax.corrections import Corrected, Spot, renamed, span_of
from acdl_mkdocs.syntax.mistakes import PLAIN_TEXT
from acdl_mkdocs.syntax.nodes import NAMESPACES
from acdl_mkdocs.syntax.tokens import ROLES, Token, is_all_caps

_NEAR_LOOP = Known[None].fromkeys(("ForEach",))
_NEAR_SWITCH = Known[None].fromkeys(("Switch",))
_NEAR_NAME = Known[None].fromkeys(("Name",))
_NEAR_ARM = Known[None].fromkeys(("If", "ElseIf", "Else", "Mark"))
_NEAR_CASE = Known[None].fromkeys(("Case", "Default"))
_NEAR_END = Known[None].fromkeys(("PromptEndsHere",))
_NEAR_FRAGMENT = Known[None].fromkeys(("StrFrag", "RolesFrag"))
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
"""What other notations call our roles, in lower case."""
_ROLES = "the roles are `S:` (system), `U:` (user), `A:` (assistant), `T:` (tool) and `N:` (none)"
_WORDS = frozenset(("IDENT", "IN", "AND", "OR", "FOR", "NOT"))
_QUOTES = "\"'“”„‘’‚"
_IN_PROSE = _WORDS | {"COLON", "COMMA", "MINUS", "SEPARATOR", "NUMBER"}


def misspelled_keyword(spot: Spot) -> Corrected | None:
    """`ForEch(t: range(1, @T)) {`, `Swich x { Case a {`, `Naem x := f(y)`."""
    if spot.token.kind != "IDENT" or not spot.begins_statement:
        return None
    meant = _meant(spot)
    if meant is None or meant.lower() == spot.token.text.lower():
        return None
    token = spot.token
    return Corrected(1, (renamed(token, _KINDS[meant]),), _no_keyword(token, meant))


def _meant(spot: Spot) -> str | None:
    """The keyword that the words after a misspelled one show."""
    word, first, second, third = spot.token.text, spot.kind(1), spot.kind(2), spot.kind(3)
    if first == "LPAR" and second in ("IDENT", "TIME") and third in ("COLON", "IN"):
        return closest(word, _NEAR_LOOP)
    if first in ("IDENT", "TIME") and second in ("IN", "COLON") and spot.header():
        return closest(word, _NEAR_LOOP)
    if first in ("IDENT", "REFERENCE", "TIME") and second == "ASSIGN":
        return closest(word, _NEAR_NAME)
    if first == "IDENT" and not spot.blocks and second in ("LSQB", "COLON", "LBRACE"):
        return closest(word, _NEAR_FRAGMENT)
    header = spot.header()
    if not header or first in ("LSQB", "COLON"):
        return None
    if spot.block == "SWITCH":
        return closest(word, _NEAR_CASE)
    if spot.kind(len(header) + 1) in ("CASE", "DEFAULT"):
        return closest(word, _NEAR_SWITCH)
    meant = closest(word, _NEAR_ARM) if spot.blocks else None
    follows_block = bool(spot.made) and spot.made[-1].kind == "RBRACE"
    return meant if (meant == "Else") == (first == "LBRACE") and (meant != "Else" or follows_block) else None


def misspelled_end(spot: Spot) -> Corrected | None:
    """`PromptEndHere when x`."""
    token = spot.token
    if token.kind != "IDENT" or not token.text.lower().startswith("prompt") or not spot.begins_statement:
        return None
    following = spot.tokens[spot.at + 1]
    if following.kind in ("LBRACE", "LSQB", "COLON") or closest(token.text, _NEAR_END) is None:
        return None
    has_when = following.text.lower() in ("when", "if")
    is_alone = not has_when and (following.is_first or following.kind in ("RBRACE", "$END"))
    taken = spot.tokens[spot.at : spot.at + 1 + has_when]
    made = Token("ENDS_HERE" if is_alone else "ENDS_WHEN", "PromptEndsHere", token.start, taken[-1].end, token.is_first)
    return Corrected(len(taken), (made,), _no_keyword(token, "PromptEndsHere"))


def _no_keyword(token: Token, meant: str) -> Diagnostic:
    return error(
        "syntax",
        f"`{token.text}` is no keyword of ACDL",
        Label(token.span, "not a keyword"),
        help=f"did you mean `{meant}`?",
        fix=Fix(f"write `{meant}`", (TextEdit(token.span, meant),), is_safe=False),
    )


def other_role(spot: Spot) -> Corrected | None:
    """`Human: x`, `"user": x`, `X: I`: no role of ACDL before a colon."""
    token, end = spot.token, spot.at + 2
    if token.kind not in ("IDENT", "STRING") or spot.kind(1) != "COLON" or not spot.begins_statement:
        return None
    after = spot.tokens[end]
    is_string = token.kind == "STRING"
    if spot.follows_role or spot.block == "SWITCH" or after.kind in ("$END", "RBRACE", "COLON"):
        return None
    name = token.text.strip(_QUOTES)
    has_block = after.kind == "LBRACE" and not (is_string and _role(name))
    if after.is_first or has_block or after.kind in ("LSQB", "LPAR") or _begins_object(spot):
        return None
    if name.lower() == "role" and after.text.strip(_QUOTES).lower() in ROLES:
        return _role_field(spot, after)
    role = _role(name)
    if role is None and spot.header():
        return None
    if (is_string and role is None) or spot.is_text or name in NAMESPACES:
        return None
    made = (Token("ROLE", role or "U", token.start, token.end, token.is_first), spot.tokens[spot.at + 1])
    if not is_string:
        return Corrected(2, made, _no_role(token, name, role))
    report = None if "json" in spot.reported else _json_role(token, role or "U")
    spot.reported.add("json")
    return Corrected(2, made, report)


def _begins_object(spot: Spot) -> bool:
    """Whether the token is the first in braces that belong to nothing: `{"role": "user"}`."""
    brace, before = spot.made[-1:], spot.made[-2:-1]
    if not brace or brace[0].kind != "LBRACE":
        return False
    return brace[0].is_first or not before or before[0].kind in ("LSQB", "LPAR", "COMMA", "LBRACE", "RBRACE")


def _role(name: str) -> str | None:
    """The marker of the role that is meant by a name."""
    lower = name.lower()
    return ROLES[lower][0].upper() if lower in ROLES else _OTHER_ROLES.get(lower)


def _role_field(spot: Spot, value: Token) -> Corrected:
    """`role: user` and, after it, `content: x`."""
    role = ROLES[value.text.strip(_QUOTES).lower()][0].upper()
    n_taken = 3 + (spot.kind(3) in ("COMMA", "SEPARATOR"))
    if spot.kind(n_taken) in ("IDENT", "STRING") and spot.kind(n_taken + 1) == "COLON":
        n_taken += 2
    taken = spot.tokens[spot.at : spot.at + n_taken]
    made = (Token("ROLE", role, taken[0].start, taken[2].end, taken[0].is_first), taken[1])
    report = None if "json" in spot.reported else _json_role(taken[0], role)
    spot.reported.add("json")
    return Corrected(n_taken, made, report)


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
        f"`{name}` is no role",
        Label(token.span, "expected a role before `:`"),
        help=[f"did you mean `{role}:`?", _ROLES] if role else _ROLES,
        fix=Fix(f"write `{role}:`", (TextEdit(token.span, role),), is_safe=False) if role else None,
    )


def text_with_colon(spot: Spot) -> Corrected | None:
    """`S: Be brief: one line`, and `Question: env.query[@T]` inside a message."""
    if spot.token.kind not in ("IDENT", "STRING") or not spot.begins_statement or not spot.is_text:
        return None
    line = spot.line()
    colon = next((at for at, token in enumerate(line) if token.kind == "COLON"), 0)
    end = next((at for at, token in enumerate(line) if token.kind not in _IN_PROSE), len(line))
    after = spot.kind(colon + 1)
    if colon > 1 and all(token.kind in _WORDS for token in line[:colon]) and _is_balanced(line):
        return Corrected(len(line), (_whole(spot, line),), _plain_text(span_of(line)))
    if not colon or after in ("LBRACE", "COLON", "$END"):
        return None
    is_prose = end > colon and end > 3 and (end == len(line) or line[end].kind == "RBRACE")
    if is_prose and any(one.kind == two.kind == "IDENT" for one, two in pairwise(line[:end])):
        words = line[:end]
        return Corrected(end, (_whole(spot, words),), _plain_text(span_of(words)))
    if colon > 1 or spot.tokens[spot.at + 2].is_first or spot.token.text in NAMESPACES:
        return None
    return Corrected(2, (), _label(spot.token))


def _is_balanced(line: list[Token]) -> bool:
    """Whether every brace that is opened on a line is closed there, and no other."""
    depth = 0
    for token in line:
        depth += (token.kind == "LBRACE") - (token.kind == "RBRACE")
        if depth < 0:
            return False
    return not depth


def _whole(spot: Spot, words: list[Token]) -> Token:
    """One token in place of what was not meant as ACDL."""
    span = span_of(words)
    return Token("BROKEN", spot.source.text[span.start : span.end], span.start, span.end, words[0].is_first)


def _plain_text(span: Span) -> Diagnostic:
    return error(
        "syntax",
        "plain text stands where ACDL was expected",
        Label(span, "reads like text for the model"),
        help=PLAIN_TEXT,
    )


def _label(token: Token) -> Diagnostic:
    """A heading before what it names."""
    name = token.text.strip(_QUOTES)
    template = name.upper() if not is_all_caps(name) else name
    return error(
        "syntax",
        f"`{name}:` is neither a role nor content",
        Label(token.span, "only a role has a `:` after it in a message"),
        help=[f"for wording, name it: `{template}_LABEL`", f'or put it in quotes: `"{name}:"`'],
    )
