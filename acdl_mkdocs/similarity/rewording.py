"""Sentences that are built differently and say the same, brought to one form: `a only after b` is `b before a`.

Works on the tokens of one text. A rule that does not fit leaves a sentence as it is.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

from acdl_mkdocs.similarity.token import BREAK, NEGATOR, NUMBER, QUANTIFIER, RELATION, SIGN, SILENT, UNIT, WORD, Token

_Sentence: TypeAlias = list[Token]
ENDS = frozenset(".;:!?\n")
"""Marks that end a sentence; a comma only ends a clause."""
_BEFORE = Token(RELATION, "before", "before")
_TO = Token(SILENT, "to", "to")
_WITH = Token(SILENT, "with", "with")
_EQUALS = Token(SIGN, "=", "=")
_COMPARED = {"under": "<", "below": "<", "over": ">", "above": ">", "exceed": ">"}
_GETTING = frozenset(("calculat", "find", "get", "fetch", "determin"))
_FILLERS = frozenset(("do", "does", "did", "is", "are", "be", "you"))
_ARITHMETIC = {"divid": ("by", "/"), "multipli": ("by", "*"), "subtract": ("from", "-")}
_N_WORDS_TO_MEASURE = 2
"""How far before `or more` its number stands: `5 seconds or more`."""


def reworded(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a text, its sentences in one form."""
    found: list[Token] = []
    sentence: _Sentence = []
    for token in (*tokens, None):
        if token is None or (token.kind == BREAK and token.key in ENDS):
            for rule in _RULES:
                sentence = rule(sentence)
            found += [*sentence, token] if token else sentence
            sentence = []
        else:
            sentence.append(token)
    return found


def _with_bounds_first(tokens: _Sentence) -> _Sentence:
    """`2 or more` becomes `>= 2`, `under 500` becomes `< 500`."""
    found: _Sentence = []
    for at, token in enumerate(tokens):
        if token.kind == SIGN and token.text.startswith("or "):
            places = range(len(found) - 1, max(-1, len(found) - 2 - _N_WORDS_TO_MEASURE), -1)
            place = next((each for each in places if found[each].kind == NUMBER), len(found))
            found.insert(place, token)
        elif token.key in _COMPARED and at + 1 < len(tokens) and tokens[at + 1].kind in (NUMBER, UNIT):
            found.append(Token(SIGN, _COMPARED[token.key], token.text))
        else:
            found.append(token)
    return found


def _without_doing(tokens: _Sentence) -> _Sentence:
    """`when dividing` becomes `for dividing`: no condition, but what is being done anyway."""
    found: _Sentence = []
    for token, following in pairwise((*tokens, Token(BREAK, "", ""))):
        is_doing = following.kind == WORD and following.text.casefold().endswith("ing")
        is_general = token.text.casefold() in ("when", "whenever", "while") and is_doing
        found.append(Token(SILENT, "for", token.text) if is_general else token)
    return found


def _between(tokens: _Sentence) -> _Sentence:
    """`between 0 and 100` becomes `from 0 to 100`; `between two calls` becomes `between calls`."""
    found = [token for before, token in pairwise((None, *tokens)) if token and not _is_pair(before, token)]
    tokens = list(found)
    for at, token in enumerate(tokens[:-3]):
        kinds = tokens[at + 1].kind, tokens[at + 3].kind
        if token.key == "between" and kinds == (NUMBER, NUMBER) and tokens[at + 2].key == "and":
            found[at], found[at + 2] = Token(RELATION, "from", token.text), Token(SILENT, "to", "and")
    return found


def _aiming(tokens: _Sentence) -> _Sentence:
    """`to avoid a` becomes `to prevent a`: why something is done, not what must not be done."""
    found = list(tokens)
    for at, (token, following) in enumerate(pairwise(tokens), 1):
        if token.key == "to" and following.text.casefold() == "avoid":
            found[at] = Token(WORD, "prevent", following.text)
    return found


def _is_pair(before: Token | None, token: Token) -> bool:
    return before is not None and before.key == "between" and token.text.casefold() == "two"


def _avoiding(tokens: _Sentence) -> _Sentence:
    """`avoid a by doing b` becomes `b to prevent a`."""
    if not tokens or tokens[0].text.casefold() not in ("avoid", "prevent"):
        return tokens
    for at, (token, following) in enumerate(pairwise(tokens)):
        if token.key == "by" and following.text.casefold().endswith("ing"):
            return [*tokens[at + 1 :], _TO, Token(WORD, "prevent", tokens[0].text), *tokens[1:at]]
    return tokens


def _capped(tokens: _Sentence) -> _Sentence:
    """`limit a to 5` and `cap a at 5` become `a <= 5`."""
    if not tokens or tokens[0].key not in ("cap", "limit"):
        return tokens
    for at, (token, following) in enumerate(pairwise(tokens)):
        if token.key in ("at", "to") and following.kind == NUMBER:
            return [*tokens[1:at], Token(SIGN, "<=", f"{tokens[0].text} {token.text}"), *tokens[at + 1 :]]
    return tokens


def _in_time(tokens: _Sentence) -> _Sentence:
    """`a only after b` and `first b, then a` become `b before a`."""
    keys = [token.key if token.kind != WORD else "" for token in tokens]
    for at, (left, right) in enumerate(pairwise(keys)):
        if left == "only" and right == "after" and at:
            return [*tokens[at + 2 :], _BEFORE, *tokens[:at]]
    if "first" in keys and "then" in keys and keys.index("first") < keys.index("then"):
        first, then = keys.index("first"), keys.index("then")
        return [*tokens[:first], *tokens[first + 1 : _clause_end(tokens, then)], _BEFORE, *tokens[then + 1 :]]
    return tokens


def _clause_end(tokens: _Sentence, at: int) -> int:
    """Where a clause ends before its successor's first word: without a comma and `and`."""
    while at and tokens[at - 1].key in (",", "and"):
        at -= 1
    return at


def _positively(tokens: _Sentence) -> _Sentence:
    """`never a before doing b` and `never a without doing b` become `b before a`; `never a without b`, `a with b`."""
    start = 0
    while start < len(tokens) and (tokens[start].key in _FILLERS or tokens[start].kind == QUANTIFIER):
        start += 1
    negations = [at for at, token in enumerate(tokens) if token.kind == NEGATOR]
    if not negations or negations[0] != start or tokens[start].text.casefold() not in ("not", "never"):
        return tokens
    at = next((at for at, token in enumerate(tokens) if token.key in ("before", "without")), 0)
    if at <= start + 1 or at + 1 >= len(tokens) or negations[1:] not in ([], [at]):
        return tokens
    following = tokens[at + 1]
    does = following.kind == WORD and following.text.casefold().endswith("ing")
    if does or (tokens[at].key == "before" and following.key == "you"):
        return [*tokens[at + 1 :], _BEFORE, *tokens[start + 1 : at]]
    if tokens[at].key == "without":
        return [*tokens[start + 1 : at], _WITH, *tokens[at + 1 :]]
    return tokens


def _preferring(tokens: _Sentence) -> _Sentence:
    """`prefer a over b` becomes `prefer a not b`."""
    if not tokens or tokens[0].key != "prefer":
        return tokens
    return [Token(NEGATOR, "not", token.text) if token.key == "over" else token for token in tokens]


def _calculated(tokens: _Sentence) -> _Sentence:
    """`to get x, divide a by b` becomes `x = a / b`."""
    at = next((at for at, token in enumerate(tokens) if token.kind == WORD and token.key in _ARITHMETIC), -1)
    if at < 0:
        return tokens
    preposition, sign = _ARITHMETIC[tokens[at].key]
    middle = next((place for place in range(at, len(tokens)) if tokens[place].key == preposition), -1)
    if middle < 0:
        return tokens
    head, one, two = tokens[:at], tokens[at + 1 : middle], tokens[middle + 1 :]
    goal = next((place for place, token in enumerate(two) if _is_goal(two, place)), len(two))
    two, tail = two[:goal], two[goal:]
    if head and not tail and head[-1].key == "," and _is_goal(head, 0):
        head, tail = [], head[:-1]
    if head or not one or not two:
        return tokens
    if sign == "-":
        one, two = two, one
    return [*(token for token in tail[2:]), *([_EQUALS] if tail else []), *one, Token(SIGN, sign, sign), *two]


def _is_goal(tokens: _Sentence, at: int) -> bool:
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    return tokens[at].key == "to" and following is not None and following.key in _GETTING


def _ratio(tokens: _Sentence) -> _Sentence:
    """`x equals a over b` becomes `x = a / b`."""
    if any(token.kind == SIGN and token.key == "=" for token in tokens):
        return [Token(SIGN, "/", token.text) if token.key == "over" else token for token in tokens]
    return tokens


_RULES: tuple[Callable[[_Sentence], _Sentence], ...] = (
    _with_bounds_first,
    _without_doing,
    _between,
    _aiming,
    _avoiding,
    _capped,
    _in_time,
    _positively,
    _preferring,
    _calculated,
    _ratio,
)
