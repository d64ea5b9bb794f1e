"""The tables of words made ready to be looked up: which mean the same, which the opposite, and what kind each is of."""

from functools import lru_cache

from acdl_mkdocs.similarity import vocabulary
from acdl_mkdocs.similarity.stems import stem
from acdl_mkdocs.similarity.tables import lines, pairs, words
from acdl_mkdocs.similarity.token import MODAL, NEGATOR, QUANTIFIER, RELATION, SIGN, SILENT


def _plain(word: str) -> str:
    return stem(word.replace("-", ""))


SYNONYM_OF = {_plain(word): _plain(line[0]) for line in lines("synonyms") for word in line}
NEAR_OF: dict[str, frozenset[int]] = {}
"""The lines of `NEAR` that have a word."""
UNIT_OF = {word: line[0] for line in lines("units") for word in line}
LONG_UNIT_OF = {word: unit for word, unit in UNIT_OF.items() if len(word) > 3 and word.islower()}
"""Units that are words, so that they may stand without a number."""


@lru_cache(maxsize=65_536)
def canonical(word: str) -> str:
    """The word that stands for a lower-case word, its inflections and its synonyms."""
    plain = stem(word)
    return SYNONYM_OF.get(plain, plain)


OPPOSITES = frozenset(frozenset(canonical(word) for word in line) for line in lines("opposites"))
NEGATIVE = frozenset(canonical(word) for word in words("negative"))
POINTERS = pairs("pointers")
EXCHANGEABLE = pairs("prepositions")
PREPOSITIONS = words("preposition")
LIGHT = frozenset(canonical(word) for word in words("light"))
GENERIC = frozenset(canonical(word) for word in words("generic"))

FUNCTION: dict[str, tuple[str, str]] = {
    **{word: (SILENT, word) for word in words("silent")},
    **{word: (RELATION, key) for word, key in vocabulary.RELATIONS.items()},
    **{word: (QUANTIFIER, key) for word, key in vocabulary.QUANTIFIERS.items()},
    **{word: (MODAL, key) for word, key in vocabulary.MODALS.items()},
    **{word: (SIGN, key) for word, key in vocabulary.SIGN_WORDS.items()},
    **{word: (NEGATOR, "not" if word not in ("without", "non") else word) for word in words("negator")},
}
"""Kind and key of the words that say how others belong together."""

PHRASE_STARTS: dict[str, dict[tuple[str, ...], str]] = {}
for _line in lines("phrases"):
    _middle = _line.index("=", 1)
    PHRASE_STARTS.setdefault(_line[0], {})[_line[:_middle]] = " ".join(_line[_middle + 1 :])
MAX_PHRASE = max(len(phrase) for phrases in PHRASE_STARTS.values() for phrase in phrases)

for _place, _near in enumerate(lines("near")):
    for _word in _near:
        _key = canonical(_word)
        NEAR_OF[_key] = NEAR_OF.get(_key, frozenset()) | {_place}


def is_near(a: str, b: str) -> bool:
    """Whether two canonical words often mean the same."""
    return not NEAR_OF.get(a, frozenset()).isdisjoint(NEAR_OF.get(b, frozenset()))
