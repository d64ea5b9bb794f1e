"""What was decided about two bullets, and as long as it holds: while both have the texts that it was decided about."""

import re
from hashlib import sha256
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.bullets import Bullet, Pair, Playbook
from acdl_mkdocs.similarity import normal_form

Opinion: TypeAlias = Literal["same", "conflicts", "differs"]
"""What a judge says of two bullets: they say the same, contradict each other, or say different things."""
REWORDED = "changed on two branches"
"""Why a pair is open whose bullets are two wordings of one."""
N_DIGITS = 12
DIGEST = re.compile(f"[0-9a-f]{{{N_DIGITS}}}")
"""What `texts` of a pair looks like."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody says of two bullets."""

    a: str
    """An id."""
    b: str
    opinion: Opinion
    reason: str
    texts: str
    """Of `digest_of`: what it was said about."""


def digest_of(one: str, two: str) -> str:
    """A name for two texts, in either order; what makes no difference to a text makes none to its name."""
    forms = sorted((normal_form(one), normal_form(two)))
    return sha256("\0".join(forms).encode("utf-8", "replace")).hexdigest()[:N_DIGITS]


def is_decided(pair: Pair, one: Bullet, two: Bullet) -> bool:
    """Whether somebody decided about two bullets as they are now."""
    if pair.verdict not in ("differs", "conflicts", "kept"):
        return False
    return pair.texts is None or pair.texts == digest_of(one.content, two.content)


def is_open(pair: Pair) -> bool:
    """Whether a merge of branches asks about a pair."""
    return pair.verdict == "open" or (pair.verdict in ("review", "conflict") and pair.why == REWORDED)


def is_automatic(pair: Pair) -> bool:
    """Whether a program of an earlier version linked two bullets, and nobody decided anything."""
    return pair.verdict in ("review", "conflict") and pair.why != REWORDED


def decided_pairs(playbook: Playbook) -> tuple[Pair, ...]:
    """The pairs that somebody has decided about, as their bullets are now."""
    by_id = playbook.by_id
    return tuple(pair for pair in playbook.pairs if is_decided(pair, by_id[pair.a], by_id[pair.b]))
