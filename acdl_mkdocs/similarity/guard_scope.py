"""When and where something holds: `only`, `unless`, `before`, `until`, `if`, `or`, and what stands before a word."""

from collections import Counter

from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.comparison import compared
from acdl_mkdocs.similarity.lexicon import EXCHANGEABLE, PREPOSITIONS
from acdl_mkdocs.similarity.reading import Reading, reading
from acdl_mkdocs.similarity.token import CONTENT, QUANTIFIER, RELATION, SILENT, Token

_HARMLESS = frozenset(("although", "because", "but", "else", "from", "whether"))
"""Without other content they change nothing."""
_INSTRUMENTS = frozenset(("by", "use", "using", "via", "with"))
_JOINING = frozenset(("a", "an", "are", "is", "that", "the", "which"))
_PERSONS = frozenset(["him", "me", "them", "us", "you"])
_HARMLESS_IF_REWORDED = frozenset(("into", "or", "out", "through", "up"))
"""Parts of verbs and lists, which another wording may not need."""


def guard(a: str, b: str) -> Block | None:
    """`only one has this condition: unless / if`."""
    left, right = reading(a), reading(b)
    harmless = _HARMLESS | _HARMLESS_IF_REWORDED if compared(a, b).is_reworded else _HARMLESS
    only_a, only_b = _relations(left, right, harmless), _relations(right, left, harmless)
    if only_a or only_b:
        return difference("scope", "conditions differ", only_a, only_b)
    one, two = _limited(left), _limited(right)
    if (
        one != two
        and _limited_things(left) != _limited_things(right)
        and not (_is_next(one, two, left, right) or _is_next(two, one, left, right))
    ):
        return difference("scope", "not the same is limited", one, two)
    return _displaced(left, right)


def _limited(these: Reading) -> list[str]:
    """The word that each `only` and `even` is about."""
    found = []
    is_open = False
    for token in these.tokens:
        is_limit = token.kind == RELATION and token.key in ("even", "only")
        if is_open and token.kind in CONTENT:
            found.append(token.key)
        is_open = is_limit or (is_open and token.kind not in CONTENT)
    return found


def _limited_things(these: Reading) -> list[frozenset[str]]:
    """All that each `only` and `even` is about: `only requests that are safe` is `only safe requests`."""
    found: list[set[str]] = []
    is_open = False
    for token in these.tokens:
        if token.kind == RELATION and token.key in ("even", "only"):
            found.append(set())
            is_open = True
        elif is_open and token.kind in CONTENT:
            found[-1].add(token.key)
        elif token.key not in _JOINING:
            is_open = False
    return [frozenset(each) for each in found]


def _is_next(one: list[str], two: list[str], left: Reading, right: Reading) -> bool:
    """Whether one text limits what is done and the other what it is done to: `only show names`, `show only names`."""
    words = one + two
    return len(words) == 2 and list(left.keys[:2]) == list(right.keys[:2]) == words


def _displaced(left: Reading, right: Reading) -> Block | None:
    """Words after different prepositions."""
    first, second = _placed(left), _placed(right)
    for key in sorted(first.keys() & second.keys()):
        one, two = first[key], second[key]
        if not one & two and not any(_are_exchangeable(x, y) for x in one for y in two):
            return difference("scope", "not the same relation", map(" ".join, sorted(one)), map(" ".join, sorted(two)))
    return None


def _relations(these: Reading, those: Reading, harmless: frozenset[str]) -> list[str]:
    there = {token.key for token in those.of(RELATION)}
    if any(token.kind == SILENT and token.key == "first" for token in those.tokens):
        there.add("before")  # `check, then run` is `check before you run`
    if any(token.key == "to" for token in those.tokens):
        there.add("into")
    if any(token.key in _INSTRUMENTS for token in those.tokens):
        there.add("through")
    if any(token.key == "and" for token in those.tokens):
        harmless -= {"or"}
    left = Counter(token.key for token in those.of(RELATION))
    missing = [token for token in these.of(RELATION) if token.key not in there | harmless or _is_once_more(token, left)]
    return [token.text for token in missing]


def _is_once_more(token: Token, left: Counter[str]) -> bool:
    """Whether a condition stands more often than in the other text."""
    left[token.key] -= 1
    return token.key == "if" and left[token.key] < 0


def _placed(these: Reading) -> dict[str, set[tuple[str, str]]]:
    """The prepositions in front of each word, with the word as written: `by 5` is not `to 5`."""
    found: dict[str, set[tuple[str, str]]] = {}
    before = ""
    for token in these.tokens:
        if token.text.endswith(("'s", "s'")):
            continue  # `in the app's list` is `in the list`
        if token.kind in CONTENT or token.key in _PERSONS:
            if before:
                found.setdefault(token.key, set()).add((before, token.text))
            before = ""
        elif token.key in PREPOSITIONS:
            before = token.key
        elif token.kind != SILENT and token.kind != QUANTIFIER:
            before = ""
    return found


def _are_exchangeable(one: tuple[str, str], two: tuple[str, str]) -> bool:
    if one[0] == two[0]:
        return True
    if frozenset((one[0], two[0])) in EXCHANGEABLE:
        return not one[1][:1].isdigit()  # `in 5 days` is not `for 5 days`
    is_verb = one[1].casefold() != two[1].casefold()  # `to confirm`, `for confirmation`
    return is_verb and {one[0], two[0]} == {"to", "for"}
