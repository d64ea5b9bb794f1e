"""The words of a text in an order that does not depend on how its sentences are built.

A clause in front (`before you merge, test`) goes behind, `files must be closed` becomes `close files`, `the contacts of
the app` become `the app contacts`, and things joined by `and` stand in the order of their names.
"""

from collections.abc import Sequence
from itertools import pairwise

from acdl_mkdocs.similarity.reading import Reading
from acdl_mkdocs.similarity.rewording import ENDS
from acdl_mkdocs.similarity.token import (
    BREAK,
    CONTENT,
    MODAL,
    NEGATOR,
    NUMBER,
    QUANTIFIER,
    RELATION,
    SIGN,
    SILENT,
    UNIT,
    WORD,
    Token,
)

MOST_ADVERBS = 4
"""Words that may stand between `must` and its verb."""
ARTICLES = frozenset(["the", "a", "an", "its", "their", "your", "for", "of", "in", "on", "with", "by"])
"""Small words that stand in front of things."""
RELATIVES = frozenset(("that", "which", "who", "what", "whom"))
_COPULAS = frozenset(("are", "being", "get", "gets", "is"))
_ATTRIBUTING = frozenset(("for", "in", "of", "on", "that", "which"))


def ordered(these: Reading, those: Reading) -> list[Token]:
    """The tokens in an order that does not depend on how sentences are built."""
    tokens = _compounds(clauses(_active(these.tokens)), those)
    return _sorted_lists(_genitives(tokens))


def _compounds(tokens: list[Token], those: Reading) -> list[Token]:
    """`names for variables` becomes `variable names` and `sending money` `money sending`, where the other has that."""
    pairs = {(x.key, y.key) for x, y in pairwise(those.tokens) if x.kind in CONTENT and y.kind in CONTENT}
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        last = _attribute_end(tokens, at)
        if last and found and (tokens[last - 1].key, found[-1].key) in pairs:
            found[-1:] = [*(token for token in tokens[at:last] if token.kind in CONTENT), found[-1]]
            at = last
        elif (
            at + 1 < len(tokens)
            and _is_doing(tokens[at], tokens[at + 1])
            and (tokens[at + 1].key, tokens[at].key) in pairs
        ):
            found += [tokens[at + 1], tokens[at]]
            at += 2
        else:
            found.append(tokens[at])
            at += 1
    return found


def _is_doing(token: Token, following: Token) -> bool:
    return token.text.endswith("ing") and token.kind == following.kind == WORD


def _attribute_end(tokens: Sequence[Token], at: int) -> int:
    """Where words end that say which of its things a word means, if they begin here with `for`, `in` or `that are`."""
    if tokens[at].key not in _ATTRIBUTING:
        return 0
    start = at + 1
    while start < len(tokens) and (_is_article(tokens[start]) or tokens[start].key in ("are", "is")):
        start += 1
    end = start
    while end < len(tokens) and tokens[end].kind in CONTENT:
        end += 1
    return end if end > start else 0


def _active(tokens: Sequence[Token]) -> list[Token]:
    """`files must be closed` becomes `close files`; where somebody is named who does it, nothing changes."""
    found: list[Token] = []
    start = relative = at = 0
    while at < len(tokens):
        token = tokens[at]
        found.append(token)
        at += 1
        if token.kind in (BREAK, RELATION):
            start = relative = len(found)
        elif token.key in RELATIVES:
            relative = len(found)
        verb = _participle(tokens, at)
        if verb and not _has_agent(tokens, at):
            found.insert(start if token.kind == MODAL else relative, tokens[verb])
            found += tokens[at:verb]
            at = verb + 1
    return found


def _participle(tokens: Sequence[Token], at: int) -> int:
    """Where the verb of `must be closed` or `is closed` stands, if the token before is the `must` or the `is`."""
    if tokens[at - 1].kind != MODAL and tokens[at - 1].key not in _COPULAS:
        return 0
    verb = at
    while verb < min(len(tokens), at + MOST_ADVERBS) and _is_adverb(tokens[verb]):
        verb += 1
    has_modal = tokens[at - 1].kind == MODAL and any(token.key == "be" for token in tokens[at:verb])
    if verb >= len(tokens) or tokens[verb].kind != WORD or not (has_modal or tokens[at - 1].key in _COPULAS):
        return 0
    return verb if tokens[verb].text.endswith(("ed", "en", "n", "t") if has_modal else ("ed", "en")) else 0


def _is_adverb(token: Token) -> bool:
    """Whether a word may stand between `must` and its verb."""
    is_small = token.key == "be" or token.kind in (NEGATOR, QUANTIFIER)
    return is_small or (token.kind == WORD and token.text.endswith("ly"))


def has_agent(these: Reading) -> bool:
    """Whether a text says with `by` who does something: the users of `written by users` write."""
    return any(token.key == "by" for token in these.tokens)


def _has_agent(tokens: Sequence[Token], at: int) -> bool:
    for token in tokens[at:]:
        if token.kind == BREAK:
            return False
        if token.key == "by":
            return True
    return False


def clauses(tokens: Sequence[Token]) -> list[Token]:
    """A clause that stands in front with a comma after it goes behind."""
    found: list[Token] = []
    sentence: list[Token] = []
    for token in (*tokens, Token(BREAK, ".", ".")):
        if token.kind == BREAK and token.key in ENDS:
            found += [*_fronted(sentence), token]
            sentence = []
        else:
            sentence.append(token)
    return found


def _fronted(sentence: list[Token]) -> list[Token]:
    if not sentence or sentence[0].kind not in (RELATION, SILENT):
        return sentence
    comma = next((at for at, token in enumerate(sentence) if token.kind == BREAK and token.key == ","), 0)
    return [*sentence[comma + 1 :], *sentence[:comma]] if comma else sentence


def _genitives(tokens: list[Token]) -> list[Token]:
    """`contacts of the app` becomes `app contacts`."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.kind == SILENT and token.key == "of" and found and found[-1].kind in CONTENT:
            start = len(found)
            while start and found[start - 1].kind in CONTENT:
                start -= 1
            end = at + 1
            is_listed = any(each.key in (",", "and") for each in found[max(0, start - 2) : start])
            while end < len(tokens) and _is_article(tokens[end]) and not (is_listed and tokens[end].kind == QUANTIFIER):
                end += 1
            last = end
            while last < len(tokens) and tokens[last].kind in CONTENT:
                last += 1
            found[start:] = [*tokens[end:last], *found[start:]]
            at = last
        else:
            found.append(token)
            at += 1
    return found


def _is_article(token: Token) -> bool:
    return (token.kind == SILENT and token.key in ARTICLES) or (token.kind == QUANTIFIER and token.key == "all")


def _sorted_lists(tokens: list[Token]) -> list[Token]:
    """Things joined by `and`, each with an article or a preposition or after one, in the order of their names."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        runs, end = _list_at(tokens, at)
        if len(runs) > 1:
            runs.sort(key=lambda run: [token.key for token in run])
            for run in runs:
                found += run
        else:
            end = max(end, at + 1)
            found += tokens[at:end]
        at = end
    return found


def _list_at(tokens: list[Token], at: int) -> tuple[list[list[Token]], int]:
    """The things of a list that begins here, and where it ends."""
    if tokens[at].kind not in CONTENT or at == 0 or tokens[at - 1].kind != SILENT:
        return [], at
    runs: list[list[Token]] = []
    has_and = False
    while True:
        end = at
        while end < len(tokens) and tokens[end].kind in CONTENT:
            end += 1
        if end == at:
            return [], at
        if any(token.kind in (SIGN, NUMBER, UNIT) for token in tokens[at:end]):
            return [], end  # formulas and measures have an order
        runs.append(tokens[at:end])
        joint = end
        while joint < len(tokens) and (
            tokens[joint].key in (",", "and") or tokens[joint].key in ARTICLES - {"for", "in", "on", "with", "by", "of"}
        ):
            joint += 1
        if joint == end or not any(token.key in (",", "and") for token in tokens[end:joint]):
            return (runs if has_and else []), end
        has_and = has_and or any(token.key == "and" for token in tokens[end:joint])
        at = joint
