"""A playbook and its parts, as frozen values.

Knows nothing about files (`store/`), about how it is edited (`operations`, `curate`) or about how it is shown.
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
"""`proposed` bullets wait for approval and have no effect, `active` ones are in use, `archived` ones are no longer in
use."""
Severity: TypeAlias = Literal["normal", "critical"]
Verdict: TypeAlias = Literal["differs", "conflicts", "open", "kept", "review", "conflict"]
"""The state of a pair of bullets: somebody decided that they say different things (`differs`) or contradict each other
(`conflicts`), or a merge of branches left the question open (`open`). Files of earlier versions also have `kept`, which
is a decision like `differs`, and links that a program made by itself (`review`, `conflict`): they decide nothing, and
`refine` removes them."""
Refine: TypeAlias = Literal["never", "on-budget", "after-each-delta"] | int
"""When a playbook is refined: a number is an interval in revisions."""
TagName: TypeAlias = Literal["helpful", "harmful", "neutral"]
COUNTERS = ("helpful", "harmful", "neutral", "seen")
"""The counters of a bullet."""

PRUNED = "pruned: "
"""Prefix of the reason of bullets that were archived only because the budget had no space."""
GENERAL = "general"
"""Section of bullets in a playbook without other sections."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the bullets below it; sections keep the order of the file."""

    id: str
    """Lower-case words joined by `_`, such as `tool_usage`."""
    title: str
    """The heading, as people read it."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a bullet; any field may be unknown."""

    by: str | None = None
    """Who contributed it: `person`, `reflector`, `curator`, `import`, or a name."""
    run: str | None = None
    """Id of the run that it was learned in."""
    sample: str | None = None
    """Id of the question that it was learned from."""
    model: str | None = None
    """Name of the model that wrote it."""
    reference: str | None = None
    """A file, an address or an issue that supports it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullet:
    """One lesson. Identified by `id`, which is never reused or renumbered."""

    id: str
    """Letters of its section and a random part: `tu-7k3q9f2m`."""
    section: str
    """Id of its section."""
    content: str
    """One paragraph, or one fenced block, of safe text: see `content`."""
    status: Status = "active"
    """`proposed` waits for approval and has no effect, `active` is in use, `archived` no longer is."""
    reason: str | None = None
    """Why it is proposed or archived; `None` if nothing is known."""
    superseded_by: str | None = None
    """Id of the bullet that replaced it; `None` unless it was archived for that."""
    pinned: bool = False
    """Whether a person wants to keep it: it is never pruned, and retrieval always selects it."""
    severity: Severity = "normal"
    """`normal`, or `critical`: never pruned and always retrieved, too."""
    publish: bool = True
    """Whether pages show it."""
    send: bool = True
    """Whether prompts include it while it is active."""
    helpful: int = 0
    """How often it was tagged as helpful."""
    harmful: int = 0
    """How often it was tagged as harmful."""
    neutral: int = 0
    """How often it was tagged as neutral."""
    seen: int = 0
    """How many prompts included it."""
    applies_to: tuple[str, ...] = ()
    """Specs and fragments that it is about: `acdl:ReactAgent`, `fragment:ToolResult`; sorted."""
    source: tuple[Provenance, ...] = ()
    """The first is the origin of the bullet; others come from bullets that were merged into it."""
    aliases: tuple[str, ...] = ()
    """Ids of bullets that were merged into it; sorted."""
    added: int = 0
    """The revision that added, approved or reactivated it."""
    updated: int = 0
    """Revision that changed it last."""

    @property
    def is_active(self) -> bool:
        """True if the bullet is in use: neither proposed nor archived."""
        return self.status == "active"

    @property
    def is_pruned(self) -> bool:
        """True if the bullet was archived only because the budget had no space, so that it can be learned again."""
        return self.status == "archived" and (self.reason or "").startswith(PRUNED)

    @property
    def has_only_harmed(self) -> bool:
        """True if the bullet did harm and never helped, and no person insists on it."""
        return self.harmful > 0 and self.helpful == 0 and not self.pinned and self.severity != "critical"

    @property
    def is_sent(self) -> bool:
        """True if prompts include the bullet."""
        return self.status == "active" and self.send


@dataclass(frozen=True, slots=True)
class Pair:
    """The verdict on two bullets that are both kept."""

    a: str
    """The smaller id."""
    b: str
    """The larger id."""
    verdict: Verdict
    """`differs` or `conflicts` if somebody decided, `open` after a merge of branches; files of earlier versions have
    others."""
    score: float | None = None
    """Similarity, from 0 to 1; only in files of earlier versions."""
    why: str | None = None
    """The reason given for the verdict."""
    by: str | None = None
    """Who decided: a person, or the name of a model."""
    texts: str | None = None
    """Digest of the two texts that the decision is about: `decisions.digest_of`. It holds while the bullets have these
    texts; `None`, as when a person wrote it into the file, holds for any texts."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for everyone who curates a playbook; kept in its file."""

    budget_model_tokens: int | None = None
    """Upper limit of model tokens in the prompt form of the playbook; `None` means no limit."""
    encoding: str | None = None
    """How model tokens are counted; `None` is the estimate, which needs no package and is the same everywhere."""
    similarity: str = "ngrams"
    """The measure that finds pairs that may say the same: a name of `similarity.SIMILARITIES`."""
    protect_revisions: int = 20
    """Bullets added fewer revisions ago than this are not pruned."""
    merge_similar: float | None = None
    """From this score on, an ADD is counted on the nearest bullet regardless of its text; `None` means never."""
    refine: Refine = "on-budget"
    """When all bullets are compared and a judge is asked about similar ones."""


@dataclass(frozen=True)
class Playbook:
    """A playbook at one revision. Bullets are sorted by section (in the order of `sections`), then by id."""

    name: str
    """Its name, which pages and reports show."""
    revision: int = 0
    """The number of committed deltas."""
    sections: tuple[Section, ...] = (Section(GENERAL, "General"),)
    """In the order of the file; at least one."""
    bullets: tuple[Bullet, ...] = ()
    """All bullets, whatever their status."""
    pairs: tuple[Pair, ...] = ()
    """Sorted by their ids."""
    policy: Policy = field(default_factory=Policy)
    """The limits and settings for curating it."""

    @cached_property
    def by_id(self) -> dict[str, Bullet]:
        """All bullets by id, and by the ids of bullets that were merged into them."""
        bullets = {alias: bullet for bullet in self.bullets for alias in bullet.aliases}
        bullets.update((bullet.id, bullet) for bullet in self.bullets)
        return bullets

    @property
    def active(self) -> tuple[Bullet, ...]:
        """The bullets that are in use, in order."""
        return tuple(bullet for bullet in self.bullets if bullet.is_active)

    @property
    def sent(self) -> tuple[Bullet, ...]:
        """The bullets that prompts include, in order."""
        return tuple(bullet for bullet in self.bullets if bullet.is_sent)


def sort_playbook(playbook: Playbook) -> Playbook:
    """Sort everything in a playbook into its canonical order."""
    places = {section.id: index for index, section in enumerate(playbook.sections)}
    last = len(places)
    bullets = sorted(playbook.bullets, key=lambda bullet: (places.get(bullet.section, last), bullet.id))
    pairs = sorted(playbook.pairs, key=lambda pair: (pair.a, pair.b))
    return Playbook(playbook.name, playbook.revision, playbook.sections, tuple(bullets), tuple(pairs), playbook.policy)


MAX_ID = 64
ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
"""Pattern of bullet ids: ours look like `tu-7k3q9f2m`, those of other programs like `shr-00012`."""
SECTION_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
"""Pattern of section ids: lower-case words joined by `_`."""

_BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no i, l, o, u
_N_CHARACTERS = 8
_BITS = 5
_SLUG = 3
_MOST_INITIALS = 6


def find_strictest_severity(*severities: Severity) -> Severity:
    """Return the strictest of some severities."""
    return "critical" if "critical" in severities else "normal"


def make_id_prefix(section: str) -> str:
    """Return the prefix of ids of a section: the initials of its words, or the first three letters of a single word."""
    words = [word for word in section.split("_") if word]
    if len(words) > 1:
        return "".join(word[0] for word in words)[:_MOST_INITIALS]
    return section[:_SLUG]


def new_id(section: str, content: str, revision: int, index: int, taken: Container[str], *, name: str = "") -> str:
    """Make an id for a bullet.

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
        characters = (_BASE32[(number >> (_BITS * digit_idx)) & 31] for digit_idx in range(_N_CHARACTERS))
        candidate = f"{make_id_prefix(section)}-{''.join(characters)}"
        if candidate not in taken:
            return candidate
        attempt += 1


def section_id(title: str) -> str:
    """Return the id for a heading: `Tool usage` becomes `tool_usage`; empty if no character of it is allowed."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    while words and words[0][0].isdigit():
        words.pop(0)
    return "_".join(words)[:MAX_ID].rstrip("_")
