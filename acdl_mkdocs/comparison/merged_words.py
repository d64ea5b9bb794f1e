"""What a statement said and what it says now, in one line: words that went and words that came, each in a frame.

Knows words and frames, nothing of statements.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from acdl_mkdocs.comparison.sequences import common
from acdl_mkdocs.language.syntax.words import Pill, Run, Words, text_of

_ATOMS = re.compile(r"[\w.@$-]+|\s+|[^\w\s]")
_JOINER = re.compile(r" [^ ]+ ")
"""What stands between two operands and is one piece for the layout too."""
BLANK = Run(" ", "plain")
"""What keeps words that went and words that came apart."""
_WAS, _NOW = frozenset(("was", "was-role")), frozenset(("now",))


def merged(old: Words, new: Words) -> Words:
    """The new words, with those that are no longer there before those that came instead."""
    olds, news = _atoms(old), _atoms(new)
    found: list[Run | Pill] = []
    i = j = 0
    for a, b in (*common(olds, news), (len(olds), len(news))):
        found += _gap(olds[i:a], news[j:b])
        found += news[b : b + 1]
        i, j = a + 1, b + 1
    return tuple(_joined(found))


def is_marked(words: Words) -> bool:
    """Whether anything in it went or came."""
    return any(isinstance(word, Pill) and (word.style in _WAS | _NOW or is_marked(word.words)) for word in words)


def old_side(words: Words) -> Words:
    """Merged words without what came."""
    return tuple(_without(words, _NOW))


def new_side(words: Words) -> Words:
    """Merged words without what went."""
    return tuple(_without(words, _WAS))


def _without(words: Words, styles: frozenset[str]) -> list[Run | Pill]:
    """Words without some frames, and without the blank that kept them apart from the others."""
    kept: list[Run | Pill] = []
    is_after = False
    for word in words:
        if isinstance(word, Pill) and word.style in styles:
            is_after = True
            if kept[-1:] == [BLANK] and len(kept) > 1 and isinstance(kept[-2], Pill) and kept[-2].style in _WAS:
                kept.pop()
            continue
        if isinstance(word, Pill):
            kept.append(Pill(word.style, tuple(_without(word.words, styles)), word.target))
        elif not (is_after and word == BLANK):
            kept.append(word)
        is_after = False
    return kept


def _atoms(words: Words) -> list[Run | Pill]:
    """The smallest parts that are compared."""
    atoms: list[Run | Pill] = []
    for word in _joined(words):
        if isinstance(word, Pill) or _JOINER.fullmatch(word.text):
            atoms.append(word)
        else:
            atoms += [Run(text, word.style) for text in _ATOMS.findall(word.text)]
    return atoms


def _gap(old: list[Run | Pill], new: list[Run | Pill]) -> Iterator[Run | Pill]:
    """What went, and what came in its place."""
    if len(old) == len(new) == 1:
        one, other = old[0], new[0]
        if isinstance(one, Pill) and isinstance(other, Pill) and one.style == other.style and _is_alike(one, other):
            yield Pill(other.style, merged(one.words, other.words), other.target)
            return
    went, came = _trimmed(old), _trimmed(new)
    if went:
        yield Pill("was", went)
    if went and came:
        yield BLANK
    before, _, after = _blanks(new) if came else _blanks(old)
    if before and not went:
        yield BLANK
    if came:
        yield Pill("now", came)
    if after:
        yield BLANK


def _is_alike(one: Pill, other: Pill) -> bool:
    """Whether two frames share more than brackets."""
    olds, news = _atoms(one.words), _atoms(other.words)
    return any(re.search(r"\w", text_of((olds[i],))) for i, _ in common(olds, news))


def _blanks(atoms: Sequence[Run | Pill]) -> tuple[bool, Sequence[Run | Pill], bool]:
    """Whether blanks stand at the beginning, what stands between, and whether blanks stand at the end."""
    start, end = 0, len(atoms)
    while start < end and _is_blank(atoms[start]):
        start += 1
    while end > start and _is_blank(atoms[end - 1]):
        end -= 1
    return start > 0, atoms[start:end], end < len(atoms)


def _trimmed(atoms: Sequence[Run | Pill]) -> Words:
    """Atoms without blanks around them."""
    inner = _joined(_blanks(atoms)[1])
    if not inner:
        return ()
    first, last = inner[0], inner[-1]
    if isinstance(first, Run):
        inner[0] = Run(first.text.lstrip(" "), first.style)
    last = inner[-1]
    if isinstance(last, Run):
        inner[-1] = Run(last.text.rstrip(" "), last.style)
    return tuple(inner)


def _is_blank(word: Run | Pill) -> bool:
    return isinstance(word, Run) and word.text.isspace()


def _joined(words: Iterable[Run | Pill]) -> list[Run | Pill]:
    """Neighbours of one style as one run, but for what stands between operands."""
    joined: list[Run | Pill] = []
    for word in words:
        last = joined[-1] if joined else None
        is_same = isinstance(word, Run) and isinstance(last, Run) and last.style == word.style
        if (
            is_same
            and isinstance(word, Run)
            and isinstance(last, Run)
            and not _is_joiner(word)
            and not _is_joiner(last)
        ):
            joined[-1] = Run(last.text + word.text, last.style)
        else:
            joined.append(word)
    return joined


def _is_joiner(run: Run) -> bool:
    return _JOINER.fullmatch(run.text) is not None
