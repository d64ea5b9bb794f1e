"""Inputs made of pieces of others: bytes that are changed at random hardly ever are anything.

Lines, words and what stands between brackets are left out, doubled, exchanged, or taken from another input; knows no
fuzzer and no language.
"""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

Edit: TypeAlias = Callable[[bytes, Random, Sequence[bytes]], bytes]
_WORD = re.compile(rb"\s+|\w+|[^\w\s]", re.ASCII)
_OPENING, _CLOSING = b"([{<", b")]}>"
_MOST_EDITS = 4
_MOST_REPEATS = 64


def spliced(data: bytes, most_bytes: int, random: Random, others: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """An input after a few edits.

    Parameters:
        data: The input.
        most_bytes: What it may have afterwards; more is cut off.
        random: Where chance comes from.
        others: Inputs that pieces are taken from.
        words: Words of the language.
    """
    for _ in range(random.randint(1, _MOST_EDITS)):
        edit = random.choice(_EDITS)
        data = edit(data, random, words if edit is _insert_word else others)
    return data[:most_bytes]


def _between(data: bytes, cuts: Sequence[int], random: Random) -> tuple[int, int]:
    """Two places where a text can be cut."""
    start, end = sorted(random.choices(cuts, k=2)) if cuts else (0, len(data))
    return start, end


def _line_cuts(data: bytes) -> list[int]:
    return [0, *(at + 1 for at, byte in enumerate(data) if byte == 10), len(data)]


def _word_cuts(data: bytes) -> list[int]:
    return [0, *(found.end() for found in _WORD.finditer(data))]


def _bracketed(data: bytes, random: Random) -> tuple[int, int]:
    """What stands between brackets, these included; nothing at the beginning where there are none."""
    starts = [at for at, byte in enumerate(data) if byte in _OPENING]
    if not starts:
        return 0, 0
    start = random.choice(starts)
    opening, closing = data[start], _CLOSING[_OPENING.index(data[start])]
    depth = 0
    for at in range(start, len(data)):
        depth += (data[at] == opening) - (data[at] == closing)
        if depth == 0:
            return start, at + 1
    return start, len(data)


def _piece(data: bytes, random: Random) -> tuple[int, int]:
    """A piece that means something: lines, a few words, or what stands between brackets."""
    kind = random.randrange(3)
    if kind == 0:
        return _between(data, _line_cuts(data), random)
    if kind == 1:
        cuts = _word_cuts(data)
        first = random.randrange(len(cuts))
        return cuts[first], cuts[min(len(cuts) - 1, first + random.randint(1, 6))]
    return _bracketed(data, random)


def _drop(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    del others
    start, end = _piece(data, random)
    return data[:start] + data[end:]


def _double(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    del others
    start, end = _piece(data, random)
    times = random.choice((2, 2, 2, 3, 8, _MOST_REPEATS))
    return data[:start] + data[start:end] * times + data[end:]


def _exchange(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    del others
    cuts = _word_cuts(data)
    one, two, three, four = sorted(random.choices(cuts, k=4))
    return data[:one] + data[three:four] + data[two:three] + data[one:two] + data[four:]


def _take(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Put a piece of another input in the place of one of this."""
    if not others:
        return data
    other = random.choice(others)
    (start, end), (first, last) = _piece(data, random), _piece(other, random)
    end = start if random.randrange(2) else end
    return data[:start] + other[first:last] + data[end:]


def _insert_word(data: bytes, random: Random, words: Sequence[bytes]) -> bytes:
    if not words:
        return data
    cuts = _word_cuts(data)
    first = random.randrange(len(cuts))
    last = min(len(cuts) - 1, first + random.randrange(2))
    return data[: cuts[first]] + random.choice(words) + data[cuts[last] :]


def _wrap(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Put brackets around a piece, several times: what is nested deep has to end well."""
    del others
    start, end = _piece(data, random)
    kind, times = random.randrange(len(_OPENING)), random.choice((1, 1, 2, 8, _MOST_REPEATS))
    return (
        data[:start]
        + _OPENING[kind : kind + 1] * times
        + data[start:end]
        + _CLOSING[kind : kind + 1] * times
        + (data[end:])
    )


_EDITS: tuple[Edit, ...] = (_drop, _double, _exchange, _take, _take, _insert_word, _insert_word, _wrap)
