"""The tables of words in `assets/similarity/`, as they are written there: lines of words, `#` for comments."""

from functools import cache
from importlib.resources import files


@cache
def lines(table: str) -> tuple[tuple[str, ...], ...]:
    """The words of each line of a table."""
    text = (files("acdl_mkdocs") / "assets" / "similarity" / f"{table}.txt").read_text("utf-8")
    return tuple(tuple(line.split()) for line in text.split("\n") if line and not line.startswith("# "))


@cache
def words(kind: str) -> frozenset[str]:
    """All words of a kind in `words.txt`."""
    return frozenset(word for head, *rest in lines("words") if head == f"{kind}:" for word in rest)


def pairs(table: str) -> frozenset[frozenset[str]]:
    """The lines of a table of pairs."""
    return frozenset(frozenset(line) for line in lines(table))
