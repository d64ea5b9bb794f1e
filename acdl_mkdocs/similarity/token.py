"""One piece of a text, and the kinds there are."""

from acdl_mkdocs.frozen import dataclass

WORD = "word"
NUMBER = "number"
UNIT = "unit"
CODE = "code"
SIGN = "sign"
NEGATOR = "negator"
MODAL = "modal"
QUANTIFIER = "quantifier"
RELATION = "relation"
SILENT = "silent"
BREAK = "break"

CONTENT = frozenset((WORD, NUMBER, UNIT, CODE, SIGN))
"""Kinds that say something by themselves; the others say how they belong together."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a sign."""

    kind: str
    key: str
    """What it is compared as."""
    text: str
    """As it is written."""
