"""The grammar in the notation of books, made from `language/syntax/grammar.lark`, for the language reference.

Left recursion becomes repetition, alternatives that differ in one optional part become one, tokens become what a person
types; the alternatives for text that was not understood, and for blocks of other notations, are left out.
"""

import re

from acdl_mkdocs.language.syntax.tables import GRAMMAR

Alternative = tuple[str, ...]

TYPED = {
    "AND": "AND",
    "ASSIGN": '":="',
    "BREAK": '"break"',
    "CASE": '"Case"',
    "COLON": '":"',
    "COMMA": '","',
    "COMPARE": "COMPARISON",
    "CONTINUE": '"continue"',
    "DECLARATION": "DECLARATION",
    "DEFAULT": '"Default"',
    "ELLIPSIS": '"..."',
    "ELSE": '"Else"',
    "ELSEIF": '"ElseIf"',
    "ENDS_HERE": '"PromptEndsHere"',
    "ENDS_WHEN": '"PromptEndsHere" "when"',
    "EVERY": '"every"',
    "FIELDS": "FIELDS",
    "FOR": '"for"',
    "FOREACH": '"ForEach"',
    "FRAG": '"Frag"',
    "IDENT": "NAME",
    "IF": '"If"',
    "IN": '"in"',
    "LBRACE": '"{"',
    "LPAR": '"("',
    "LSQB": '"["',
    "MARK": '"Mark"',
    "MARKER": "MARKER",
    "MESSAGE_NUMBER": '"#msg"',
    "MINUS": '"-"',
    "NAME": '"Name"',
    "NOT": "NOT",
    "NUMBER": "NUMBER",
    "OR": "OR",
    "PLUS": '"+"',
    "PROMPT": '[ "Prompt" ]',
    "RBRACE": '"}"',
    "REFERENCE": "REFERENCE",
    "ROLE": "ROLE",
    "ROLES_FRAGMENT": '"RolesFrag"',
    "RPAR": '")"',
    "RSQB": '"]"',
    "SEPARATOR": '";"',
    "STRING": "STRING",
    "STRING_FRAGMENT": '"StrFrag"',
    "SWITCH": '"Switch"',
    "TIME": "TIME",
    "TIMES": "PRODUCT",
}
"""What each token is in the notation of the page."""

SPELLED = {
    "ROLE": '"S" | "U" | "A" | "T" | "N"',
    "NAME": 'letter { letter | mark | digit | "_" }',
    "REFERENCE": '"$" NAME',
    "TIME": '"@" [ "$" ] [ NAME | digits ]',
    "FIELDS": '"." ( NAME | digits | "*" ) { "." ( NAME | digits | "*" ) }',
    "NUMBER": 'digits [ "." digits ]',
    "STRING": "text between quotes, on one line",
    "COMPARISON": '"==" | "!=" | "<" | ">" | "<=" | ">="',
    "AND": '"&" | "&&" | "and"',
    "OR": '"|" | "||" | "or"',
    "NOT": '"!" | "not"',
    "PRODUCT": '"*" | "/" | "%"',
    "MARKER": '"*" | "+"',
    "DECLARATION": '"Namespace" NAME ":=" "{" anything balanced "}"',
}
"""The tokens that are more than one word."""

_LEFT_OUT = {"BROKEN", "BROKEN_HEAD", "SKIPPED", "HOST_VALUE"}
_WIDTH = 100


def productions(text: str) -> dict[str, list[Alternative]]:
    """The rules of a grammar file, without those alternatives that are for mistakes."""
    text = re.sub(r"^(?://|%declare).*$", "", text, flags=re.MULTILINE)
    found: dict[str, list[Alternative]] = {}
    for match in re.finditer(r"^\??(\w+)\s*:((?:.|\n)*?)(?=^\??\w+\s*:|\Z)", text, re.MULTILINE):
        alternatives = [tuple(re.sub(r"->\s*\w+", "", each).split()) for each in match[2].split("|")]
        found[match[1]] = [each for each in alternatives if not _LEFT_OUT & set(each)]
    return found


def summary() -> str:
    """The whole grammar as text."""
    rules = productions(GRAMMAR.read_text("utf-8"))
    lines = [production(name, alternatives) for name, alternatives in rules.items()]
    width = max(map(len, SPELLED))
    tokens = [f"{name:<{width}} = {spelled}" for name, spelled in SPELLED.items()]
    return "\n".join((*lines, "", *tokens))


def production(name: str, alternatives: list[Alternative]) -> str:
    """One rule, on several lines if it is long."""
    choices = _repeated(name, alternatives)
    one = f"{name} = {' | '.join(choices)}"
    return one if len(one) <= _WIDTH else f"{name} =\n    " + "\n  | ".join(choices)


def _repeated(name: str, alternatives: list[Alternative]) -> list[str]:
    """The choices of a rule; those that begin with the rule itself repeat what follows."""
    first = [each for each in alternatives if each[:1] != (name,)]
    more = [each[1:] for each in alternatives if each[:1] == (name,)]
    choices = _shortened(first)
    if not more:
        return [_words(each) for each in choices]
    repetition = "{ " + " | ".join(_words(each) for each in _shortened(more)) + " }"
    starts = [_words(each) for each in choices if each]
    if not starts:
        return [repetition]
    joined = " | ".join(starts)
    return [f"{f'( {joined} )' if len(starts) > 1 else joined} {repetition}"]


def _shortened(alternatives: list[Alternative]) -> list[Alternative]:
    """The alternatives, with two that differ in one run of words made one."""
    short: list[Alternative] = []
    for each in alternatives:
        for idx, other in enumerate(short):
            joined = _with_option(other, each) or _with_option(each, other)
            if joined:
                short[idx] = joined
                break
        else:
            short.append(each)
    return short


def _with_option(less: Alternative, more: Alternative) -> Alternative | None:
    """Both as one: `more` with the words that `less` does not have in brackets."""
    n_more = len(more) - len(less)
    if n_more <= 0 or not less:
        return None
    for at in range(len(less), -1, -1):
        if more[:at] == less[:at] and more[at + n_more :] == less[at:]:
            return (*more[:at], "[", *more[at : at + n_more], "]", *more[at + n_more :])
    return None


def _words(alternative: Alternative) -> str:
    return " ".join(TYPED.get(word, word) for word in alternative)
