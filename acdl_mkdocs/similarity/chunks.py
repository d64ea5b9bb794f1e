"""Whether two texts say the same in another order: `use mocks in tests`, `tests should use mocks`.

A text is a row of chunks: words that follow each other, and the small word that says what they are to the rest. Chunks
may change places; words within a chunk may not, so that nobody does to somebody what was done to them. Where a chunk
has another small word in the other text, that must be one of the pairs in `_SAME_ROLE`, and no chunk may get the role
of another.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from typing import TypeAlias

from acdl_mkdocs.similarity.lexicon import EXCHANGEABLE, LIGHT, PREPOSITIONS
from acdl_mkdocs.similarity.rewording import ENDS
from acdl_mkdocs.similarity.token import BREAK, CONTENT, MODAL, NEGATOR, RELATION, WORD, Token

Placed: TypeAlias = tuple[str, str]
"""What a word is compared as, and its chunk's role if it is the first of a chunk, else nothing."""

MOST_CHUNKS = 4
"""Texts whose parts lie further apart are not the same in another order."""
_START, _SUBJECT, _USED, _INSIDE = "start", "subject", "use", ""
_SAME_ROLE = frozenset(
    frozenset(pair.split())
    for pair in (
        *(f"{_USED} {role}" for role in ("as", "by", "in", "through", "using", "via", "with", "against", _SUBJECT)),
        *(f"{_SUBJECT} {role}" for role in ("by", "for", "in", "of", "on")),
        f"{_START} to",
        f"{_START} for",
        "for to",
        "by with",
        "as in",
        "around in",
    )
)
_SAME_ROLE_IF_LIGHT = frozenset(
    frozenset(pair.split()) for pair in (f"{_SUBJECT} to", f"{_SUBJECT} with", f"{_SUBJECT} {_START}", f"{_START} in")
)
"""Where a verb of little meaning differs: `add b to a`, `give a b`, `a needs b`."""
_OPENING = frozenset(("and", "that", "then", "which", "who", "what", "so"))
_COPULAS = frozenset(("are", "be", "is"))


def is_same(a: Sequence[Token], b: Sequence[Token], common: Collection[str]) -> bool:
    """Whether two texts are the same chunks in some order; only `common` words count."""
    one, two = placed(a, common), placed(b, common)
    if len(one) != len(two):
        return False
    order = _order(one, two)
    if order is None:
        return False
    has_light = any(token.key in LIGHT and token.key not in common for token in (*a, *b))
    starts = [at for at, place in enumerate(order) if not at or place != order[at - 1] + 1]
    changes = {(one[at][1], two[order[at]][1]) for at in starts}
    if len(starts) > MOST_CHUNKS or any(_INSIDE in change for change in changes):
        return False
    there = [two[place] for place in order]
    if any(_is_exchanged(these, starts, order) for these in (one, there)):
        return False
    return all(_are_alike(x, y, has_light) and (x == y or (y, x) not in changes) for x, y in changes)


def is_turned(a: Sequence[Token], b: Sequence[Token], common: Collection[str]) -> bool:
    """Whether texts with one order give the first thing to the second, and the second to the first."""
    one, two = placed(a, common), placed(b, common)
    changes = {(x[1], y[1]) for x, y in zip(one, two, strict=False)}
    changes |= {(y, x) for x, y in changes}
    return (_START, _SUBJECT) in changes and bool(changes & {("to", _START), ("to", _INSIDE)})


def _is_exchanged(these: Sequence[Placed], starts: Sequence[int], order: Sequence[int]) -> bool:
    """Whether chunks of one role stand in the other text the other way round: `5 days for a and 10 for b`."""
    places: dict[str, list[int]] = defaultdict(list)
    for at in starts:
        places[these[at][1]].append(order[at])
    return any(each != sorted(each) for each in places.values())


def placed(tokens: Sequence[Token], common: Collection[str]) -> list[Placed]:
    """Each word that both texts have, with the role of its chunk."""
    found: list[Placed] = []
    role, first = _START, 0
    for token in tokens:
        if token.kind in CONTENT and token.key in common:
            found.append((token.key, role))
            role = _INSIDE
        elif token.kind == MODAL or (token.kind == WORD and token.key in LIGHT):
            _be_subject(found, first)
            role = _USED if token.key == "use" else _START
        elif token.kind == BREAK:
            role = _START if token.key in ENDS else token.key
            first = len(found)
        elif token.kind in (RELATION, NEGATOR) or token.key in PREPOSITIONS or token.key in _OPENING:
            role = token.key
            first = len(found) if token.kind == RELATION else first
        elif token.key in _COPULAS:
            role = role or "is"
    return found


def _be_subject(found: list[Placed], first: int) -> None:
    """Make what stands before a verb the subject, if it is a chunk that nothing introduces."""
    if len(found) > first and found[first][1] == _START:
        found[first] = (found[first][0], _SUBJECT)


def _order(one: Sequence[Placed], two: Sequence[Placed]) -> list[int] | None:
    """Where each word of the first text stands in the second; nothing, if they are not the same words."""
    places: dict[str, deque[int]] = defaultdict(deque)
    for place, (key, _) in enumerate(two):
        places[key].append(place)
    if any(not places[key] for key, _ in one):
        return None
    found = []
    for key, _ in one:
        if not places[key]:
            return None
        found.append(places[key].popleft())
    return found


def _are_alike(x: str, y: str, has_light: bool) -> bool:
    pair = frozenset((x, y))
    return x == y or pair in _SAME_ROLE or pair in EXCHANGEABLE or (has_light and pair in _SAME_ROLE_IF_LIGHT)
