"""How strongly something is asked for, and of how many: `must` and `should`, `all` and `any`."""

import re

from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.lexicon import canonical
from acdl_mkdocs.similarity.reading import Reading, reading
from acdl_mkdocs.similarity.token import MODAL, NEGATOR, QUANTIFIER, Token

_SOFT = re.compile(
    r"\b(?:preferabl[ye]|ideally|optionally|(?:if|when|where|whenever|wherever) possible)\b", re.IGNORECASE
)
_WEAK = frozenset(canonical(word) for word in ("consider", "prefer", "suggest", "try"))


def guard(a: str, b: str) -> Block | None:
    """`one says may: may retry / must retry`. An imperative is as good as `must` and as `should`."""
    soft = [[found.casefold() for found in _SOFT.findall(text)] for text in (a, b)]
    if bool(soft[0]) != bool(soft[1]):
        return difference("modality", "not as strong", *soft)
    left, right = reading(a), reading(b)
    only_a, only_b = _only(left, right, MODAL), _only(right, left, MODAL)
    keys = {token.key for token in (*only_a, *only_b)}
    if "may" in keys or (only_a and only_b):
        return difference("modality", "not as strong", _texts(only_a), _texts(only_b))
    only_a, only_b = _only(left, right, QUANTIFIER), _only(right, left, QUANTIFIER)
    keys = {token.key for token in (*only_a, *only_b)}
    if any(token.text.casefold() == "always" for token in (*only_a, *only_b)) and (_is_weak(left) or _is_weak(right)):
        return difference("modality", "not as strong", _texts(only_a), _texts(only_b))
    is_negated = bool(left.of(NEGATOR) or right.of(NEGATOR))
    if keys - {"all", "any"} or keys == {"all", "any"} or (is_negated and "all" in keys):
        return difference("modality", "not of as many", _texts(only_a), _texts(only_b))
    return None


def _is_weak(these: Reading) -> bool:
    """Whether a text leaves a choice."""
    return any(token.key in ("should", "may") and token.kind == MODAL for token in these.tokens) or any(
        key in _WEAK for key in these.keys
    )


def _only(these: Reading, those: Reading, kind: str) -> list[Token]:
    there = {token.key for token in those.of(kind)}
    return [token for token in these.of(kind) if token.key not in there]


def _texts(tokens: list[Token]) -> list[str]:
    return [token.text for token in tokens]
