"""Names of code, paths, addresses, flags, quoted values and signs must be the same, with their case."""

from acdl_mkdocs.similarity.block import Block, difference
from acdl_mkdocs.similarity.comparison import EQUALS, run_of, surplus
from acdl_mkdocs.similarity.lexicon import canonical
from acdl_mkdocs.similarity.reading import Reading, reading
from acdl_mkdocs.similarity.token import BREAK, CODE, SIGN, WORD

_ARITHMETIC = frozenset("+-*/^%")


def guard(a: str, b: str) -> Block | None:
    """``identifiers differ: `show_a` / `show_b` ``."""
    left, right = reading(a), reading(b)
    only_a, only_b = _codes(left, right), _codes(right, left)
    if only_a or only_b:
        return difference("identifiers", "identifiers differ", only_a, only_b)
    only_a, only_b = _signs(left, right), _signs(right, left)
    if only_a or only_b:
        return difference("identifiers", "signs differ", only_a, only_b)
    first, second = _formula(left), _formula(right)
    if first and second and first != second:
        return difference("identifiers", "formulas differ", [" ".join(first)], [" ".join(second)])
    return None


def _codes(these: Reading, those: Reading) -> list[str]:
    """Names that the other text has neither as a name nor, where they are one word, as a word."""
    names = {token.key for token in those.of(CODE)}
    cases = {name.casefold() for name in names}
    words = {token.key for token in those.of(WORD)}
    written = {name for name in {token.key for token in these.of(CODE)} if run_of(name, those.tokens)}
    return [
        token.text
        for token in these.of(CODE)
        if token.key not in names
        and token.key not in written
        and (token.key.casefold() in cases or not token.key.isalpha() or canonical(token.key.casefold()) not in words)
    ]


def _signs(these: Reading, those: Reading) -> list[str]:
    """Signs that the other text has not; an equals sign may be a word there."""
    missing = surplus([token.key for token in these.of(SIGN)], [token.key for token in those.of(SIGN)])
    has_words = any(token.key in EQUALS for token in those.tokens)
    return [key for key in missing if not (key == "=" and has_words)]


def _formula(these: Reading) -> tuple[str, ...]:
    """The signs and brackets of a text that has signs and is not written in words."""
    signs = [token for token in these.of(SIGN) if token.key in _ARITHMETIC]
    if not signs or any(token.text not in _ARITHMETIC for token in signs):
        return ()
    return tuple(
        token.key
        for token in these.tokens
        if (token.kind == SIGN and token.key in _ARITHMETIC) or (token.kind == BREAK and token.key in "()")
    )
