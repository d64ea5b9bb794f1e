"""Who does what to whom: the same words in another order may say something else.

Orders that say the same are brought to one by `ordering`, and `chunks` knows which parts may change places.
"""

from bisect import bisect_left
from collections.abc import Sequence

from acdl_mkdocs.similarity import chunks
from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.comparison import Comparison, compared
from acdl_mkdocs.similarity.ordering import ARTICLES, RELATIVES, clauses, has_agent, ordered
from acdl_mkdocs.similarity.reading import Reading
from acdl_mkdocs.similarity.rewording import ENDS
from acdl_mkdocs.similarity.token import BREAK, CONTENT, RELATION, SILENT, Token

MOST_WORDS_IN_ORDER = 3
"""Texts that share no more words must have them in one order, even if they are worded differently throughout."""
_PRONOUNS = frozenset(("it", "ones", "them"))


def guard(a: str, b: str) -> Block | None:
    """`order differs: recall precision / precision recall`."""
    both = compared(a, b)
    common = set(both.a.keys) & set(both.b.keys)
    left, right = ordered(both.a, both.b), ordered(both.b, both.a)
    first, second = ([token.key for token in tokens if token.key in common] for tokens in (left, right))
    if first == second or _lists_of(first) == _lists_of(second):
        is_same = not (chunks.is_turned(left, right, common) or has_agent(both.a) != has_agent(both.b))
    else:
        is_same = chunks.is_same(left, right, common)
    if is_same:
        return None
    least = MOST_WORDS_IN_ORDER if not (_has_pronoun(both.a) and _has_pronoun(both.b)) else MOST_WORDS_IN_ORDER - 1
    if both.is_reworded and len(set(first)) > least and not _is_turned(both, first, second):
        return None
    at = next((place for place, (x, y) in enumerate(zip(first, second, strict=False)) if x != y), 0)
    what = "order differs" if first != second else "not the same does it"
    return difference("order", what, [" ".join(first[at : at + 4])], [" ".join(second[at : at + 4])])


def _lists_of(keys: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(keys))


def _is_turned(both: Comparison, first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether texts that are worded differently say of two things what the other says of them the other way round."""
    has_all = not (both.only_a or both.only_b or _has_pronoun(both.a) or _has_pronoun(both.b))
    listed = _listed(both.a) & _listed(both.b)
    one, two = ([key for key in keys if key not in listed] for keys in (first, second))
    return has_all or _has_reversal(one, two) or _is_swapped(both) or _is_aimed_elsewhere(both)


def _has_pronoun(these: Reading) -> bool:
    """Whether a thing is named once where it is spoken of twice: `check it before you use data`."""
    return any(token.kind == SILENT and token.key in _PRONOUNS for token in these.tokens)


def _listed(these: Reading) -> set[str]:
    """The words of things in lists, whose order says nothing."""
    found: set[str] = set()
    run: list[str] = []
    is_listed = False
    for token in (*these.tokens, Token(BREAK, ".", ".")):
        if token.kind in CONTENT:
            run.append(token.key)
        elif token.key in (",", "and"):
            found.update(run)
            run, is_listed = [], True
        elif token.key not in ARTICLES and token.key not in RELATIVES:
            found.update(run if is_listed else ())
            run, is_listed = [], False
    return found


def _has_reversal(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether three words stand in one text the other way round: `a pays b`, `b pays a`."""
    places = {key: place for place, key in reversed(list(enumerate(second)))}
    ends: list[int] = []  # of falling runs, by length
    for key in dict.fromkeys(first):
        place = -places.get(key, 0)
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends) > 2


def _is_swapped(both: Comparison) -> bool:
    """Whether a relation that both texts have holds the other way round in one of them."""
    left, right = _sides(both.a), _sides(both.b)
    for key in left.keys() & right.keys():
        (before_a, after_a), (before_b, after_b) = left[key], right[key]
        crossed = len(before_a & after_b) + len(after_a & before_b)
        if crossed > len(before_a & before_b) + len(after_a & after_b):
            return True
    return False


def _is_aimed_elsewhere(both: Comparison) -> bool:
    """Whether the texts have the same words, but not the same ones after `to`, `from`, `by`, `into` or `as`."""
    if both.only_a or both.only_b:
        return False
    left, right = _aims(both.a), _aims(both.b)
    return any(left[key] and right[key] and not left[key] & right[key] for key in left)


def _aims(these: Reading) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {key: set() for key in ("as", "by", "from", "into", "to")}
    aim = ""
    for token in these.tokens:
        if token.key in found:
            aim = token.key
        elif aim and (token.kind in CONTENT or token.key not in ARTICLES):
            found[aim].add(token.key)
            aim = ""
    return found


def _sides(these: Reading) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """The words before and after each relation in its sentence, clauses in one order."""
    tokens = clauses(these.tokens)
    found = {}
    for at, token in enumerate(tokens):
        if (token.kind == RELATION or token.key == "then") and token.key not in found:
            found[token.key] = (_words(tokens[:at][::-1]), _words(tokens[at + 1 :]))
    return found


def _words(tokens: Sequence[Token]) -> frozenset[str]:
    words = set()
    for token in tokens:
        if token.kind == BREAK and token.key in ENDS:
            break
        if token.kind in CONTENT:
            words.add(token.key)
    return frozenset(words)
