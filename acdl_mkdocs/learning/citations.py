"""Which lessons a reply cites: those of its list, and ids in brackets in its words."""

import re
from collections.abc import Iterable, Mapping

from acdl_mkdocs.foundation.frozen import dataclass

_CITED = re.compile(r"\[([A-Za-z][A-Za-z0-9_-]{1,63})\](?! helpful=)")
"""An id in brackets; before its counters it is a lesson that is shown, which nobody cites by that."""
_LIKE_AN_ID = re.compile(r"[A-Za-z]+-(?=[0-9a-z]*[0-9])[0-9a-z]{4,}")
"""A word in brackets that is meant as an id, rather than a citation or a placeholder."""


@dataclass(frozen=True, slots=True)
class Citations:
    """What a reply cites."""

    known: tuple[str, ...]
    """Ids of bullets, each once."""
    unknown: tuple[str, ...]
    """Ids of bullets that it was not shown: dropped."""


def citations(listed: Iterable[str], words: str, ids: Mapping[str, str]) -> Citations:
    """What a reply cites.

    Parameters:
        listed: Ids that it lists, with or without brackets.
        words: What it says.
        ids: Every id that may be cited, with that of the bullet.
    """
    names = dict.fromkeys(name for each in listed if (name := each.strip().strip("[]").strip()))
    cited = [*names, *_CITED.findall(words)]
    unknown = [each for each in cited if each not in ids and (each in names or _LIKE_AN_ID.fullmatch(each))]
    return Citations(tuple(dict.fromkeys(ids[each] for each in cited if each in ids)), tuple(dict.fromkeys(unknown)))
