"""A playbook and what it is made of, as frozen values.

Knows nothing about files (`store/`), of how it is edited (`operations`, `curate`) or shown.
Source: arXiv:2510.04618, section 3.1, "Incremental Delta Updates": a bullet is metadata (identifier, counters) and
content.
"""

import re
from collections.abc import Container
from dataclasses import field
from functools import cached_property
from hashlib import sha256
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass

Status: TypeAlias = Literal["proposed", "active", "archived"]
"""`proposed` bullets wait for approval and do nothing, `active` ones are in use, `archived` ones were taken out."""
Severity: TypeAlias = Literal["normal", "critical"]
Verdict: TypeAlias = Literal["differs", "conflicts", "open", "kept", "review", "conflict"]
"""Of two bullets: somebody decided that they say different things (`differs`) or contradict each other (`conflicts`),
or a merge of branches asks (`open`). Files of earlier versions have `kept`, which is a decision as `differs` is, and
links that a program made by itself (`review`, `conflict`): they say nothing, and `refine` takes them out."""
Refine: TypeAlias = Literal["never", "on-budget", "after-each-delta"] | int
"""When a playbook is refined: a number is after every so many revisions."""
TagName: TypeAlias = Literal["helpful", "harmful", "neutral"]

PRUNED = "pruned: "
"""What the reason of bullets begins with that were archived only because there was no space."""
GENERAL = "general"
"""Section of a playbook that has no other."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading that bullets stand under; sections keep the order of the file."""

    id: str
    """Lower-case words joined by `_`, such as `tool_usage`."""
    title: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a bullet comes from; everything may be unknown."""

    by: str | None = None
    """Who said it: `person`, `reflector`, `curator`, `import`, or a name."""
    run: str | None = None
    sample: str | None = None
    model: str | None = None
    reference: str | None = None
    """A file, an address or an issue that shows why it is true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullet:
    """One lesson. Identified by `id`, which is never reused and never renumbered."""

    id: str
    section: str
    content: str
    """One paragraph, or one fenced block, of safe text: see `content`."""
    status: Status = "active"
    reason: str | None = None
    """Why it is proposed or archived."""
    superseded_by: str | None = None
    """The bullet that replaced it, if it was archived for that."""
    pinned: bool = False
    severity: Severity = "normal"
    publish: bool = True
    """Whether pages show it."""
    send: bool = True
    """Whether prompts have it while it is active."""
    helpful: int = 0
    harmful: int = 0
    neutral: int = 0
    seen: int = 0
    """How often it was in a prompt."""
    applies_to: tuple[str, ...] = ()
    """Specs and fragments that it is about: `acdl:ReactAgent`, `fragment:ToolResult`; sorted."""
    source: tuple[Provenance, ...] = ()
    """The first is where it was learned; more come from bullets that were merged into it."""
    aliases: tuple[str, ...] = ()
    """Ids of bullets that were merged into it; sorted."""
    added: int = 0
    """Revision that added it, approved it, or brought it back after it was pruned."""
    updated: int = 0
    """Revision that changed it last."""

    @property
    def is_active(self) -> bool:
        """Whether it is in use: neither proposed nor archived."""
        return self.status == "active"

    @property
    def is_pruned(self) -> bool:
        """Whether it was archived only because there was no space, so that it can be learned again."""
        return self.status == "archived" and (self.reason or "").startswith(PRUNED)

    @property
    def has_only_harmed(self) -> bool:
        """Whether it did harm and never helped, and no person insists on it."""
        return self.harmful > 0 and self.helpful == 0 and not self.pinned and self.severity != "critical"

    @property
    def is_sent(self) -> bool:
        """Whether prompts have it."""
        return self.status == "active" and self.send


@dataclass(frozen=True, slots=True)
class Pair:
    """What is known about two bullets that both stay."""

    a: str
    """The smaller id."""
    b: str
    verdict: Verdict
    score: float | None = None
    """Similarity, from 0 to 1, in files of earlier versions."""
    why: str | None = None
    """The reason of who decided."""
    by: str | None = None
    """Who decided: a person, or the name of a model."""
    texts: str | None = None
    """Which two texts the decision is about: `decisions.digest_of`. It holds while the bullets have these;
    `None`, as where a person wrote it into the file, is for whatever they say."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a playbook demands of everyone who curates it; kept in its file."""

    budget_model_tokens: int | None = None
    """Most model tokens that the prompt form of the playbook may have; `None` is no limit."""
    encoding: str | None = None
    """What model tokens are counted in; `None` is the estimate, which needs no package and is the same everywhere."""
    similarity: str = "ngrams"
    """Which measure proposes pairs that may say the same: a name of `similarity.SIMILARITIES`."""
    protect_revisions: int = 20
    """Bullets that were added fewer revisions ago are not pruned."""
    merge_similar: float | None = None
    """From this score on an ADD is counted on the nearest bullet, whatever it says; `None` is never."""
    refine: Refine = "on-budget"
    """When all bullets are compared, and a judge is asked about those that are near each other."""


@dataclass(frozen=True)
class Playbook:
    """A playbook at one revision. Bullets are sorted by section (in the order of `sections`), then by id."""

    name: str
    revision: int = 0
    sections: tuple[Section, ...] = (Section(GENERAL, "General"),)
    bullets: tuple[Bullet, ...] = ()
    pairs: tuple[Pair, ...] = ()
    """Sorted by their ids."""
    policy: Policy = field(default_factory=Policy)

    @cached_property
    def by_id(self) -> dict[str, Bullet]:
        """Every bullet by its id, and by the ids of bullets that were merged into it."""
        found = {alias: bullet for bullet in self.bullets for alias in bullet.aliases}
        found.update((bullet.id, bullet) for bullet in self.bullets)
        return found

    @property
    def active(self) -> tuple[Bullet, ...]:
        """The bullets that are in use, in their order."""
        return tuple(bullet for bullet in self.bullets if bullet.is_active)

    @property
    def sent(self) -> tuple[Bullet, ...]:
        """The bullets that prompts have, in their order."""
        return tuple(bullet for bullet in self.bullets if bullet.is_sent)


def ordered(playbook: Playbook) -> Playbook:
    """The same playbook with everything in its canonical order."""
    places = {section.id: place for place, section in enumerate(playbook.sections)}
    last = len(places)
    bullets = sorted(playbook.bullets, key=lambda bullet: (places.get(bullet.section, last), bullet.id))
    pairs = sorted(playbook.pairs, key=lambda pair: (pair.a, pair.b))
    return Playbook(playbook.name, playbook.revision, playbook.sections, tuple(bullets), tuple(pairs), playbook.policy)


MAX_ID = 64
ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
"""What an id of a bullet may be: ours are like `tu-7k3q9f2m`, those of other programs like `shr-00012`."""
SECTION_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
"""What an id of a section is: lower-case words joined by `_`."""

_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no i, l, o, u
_N_CHARACTERS = 8
_BITS = 5
_SLUG = 3
_MOST_INITIALS = 6


def slug(section: str) -> str:
    """What ids of a section begin with: the initials of its words, or three letters of its only one."""
    words = [word for word in section.split("_") if word]
    if len(words) > 1:
        return "".join(word[0] for word in words)[:_MOST_INITIALS]
    return section[:_SLUG]


def new_id(section: str, content: str, revision: int, index: int, taken: Container[str], *, name: str = "") -> str:
    """An id for a bullet.

    Parameters:
        section: Id of its section.
        content: Its text.
        revision: The revision that adds it.
        index: The place of the operation in its delta.
        taken: Ids that were used before, by bullets of any status and by bullets that were merged.
        name: That of the playbook.
    """
    attempt = 0
    while True:
        key = "\n".join((name, section, content, str(revision), str(index), str(attempt)))
        number = int.from_bytes(sha256(key.encode("utf-8", "surrogatepass")).digest()[:_N_CHARACTERS], "big")
        characters = (_BASE32[(number >> (_BITS * place)) & 31] for place in range(_N_CHARACTERS))
        found = f"{slug(section)}-{''.join(characters)}"
        if found not in taken:
            return found
        attempt += 1


def section_id(title: str) -> str:
    """The id that a heading would have: `Tool usage` is `tool_usage`; empty where nothing is left of it."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    while words and words[0][0].isdigit():
        words.pop(0)
    return "_".join(words)[:MAX_ID].rstrip("_")
