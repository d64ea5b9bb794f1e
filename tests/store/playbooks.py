"""Playbooks of tests: a small one, changes of it, and what Hypothesis can think of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from hypothesis import strategies as st

from acdl_mkdocs.playbook.model.bullets import (
    Bullet,
    Pair,
    Playbook,
    Policy,
    Provenance,
    Section,
    Verdict,
    sort_playbook,
)
from acdl_mkdocs.playbook.model.content import clean_content
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.store import create, load

TIME = "2026-01-31T09:30:00Z"
A = Bullet(id="gen-aaaaaaaa", section="general", content="Paginate until an empty page comes back.")
B = Bullet(id="gen-bbbbbbbb", section="general", content="Retry after 5 seconds.", helpful=2)
SMALL = Playbook("small", bullets=(A, B))


@dataclass(frozen=True)
class Made:
    """What a change makes."""

    playbook: Playbook
    report: Report = Report()  # noqa: RUF009 - frozen


def made(**fields: object) -> Callable[[Playbook], Made]:
    """A change of the first bullet."""

    def change(playbook: Playbook) -> Made:
        revision = playbook.revision + 1
        first = replace(playbook.bullets[0], updated=revision, **fields)  # type: ignore[arg-type]
        return Made(replace(playbook, revision=revision, bullets=(first, *playbook.bullets[1:])))

    return change


def added(bullet: Bullet) -> Callable[[Playbook], Made]:
    """A change that adds a bullet."""

    def change(playbook: Playbook) -> Made:
        revision = playbook.revision + 1
        new = replace(bullet, added=revision, updated=revision)
        return Made(sort_playbook(replace(playbook, revision=revision, bullets=(*playbook.bullets, new))))

    return change


def small(folder: Path) -> Path:
    """The small playbook, on the disk."""
    path = folder / "playbook.yaml"
    create(path, SMALL, time=TIME)
    return path


def read(path: Path) -> Playbook:
    """The playbook of a file that has no errors."""
    loaded = load(path)
    assert loaded.playbook is not None, loaded.problems
    return loaded.playbook


def stamp_of(text: str) -> str:
    """The line of a file that has the stamp of its revision."""
    return next(line for line in text.splitlines() if line.startswith("stamp: "))


_LETTERS = st.characters(codec="utf-8")
_NASTY = st.sampled_from(
    ("no", "null", "~", "1e3", "0o17", "2026-01-31", "12:30", "a: b", "a #b", "- x", "'", '"', "{a}", "[b]", "|", ">",
     "%x", "@y", "`z`", "&a", "*b", "!t", "\\n", "true",
     "1_000", ".5", "=", "<<", "x:", " ", "\u2028", "🜁", "é", "?", ",")
)  # fmt: skip
_WORDS = st.lists(_NASTY | st.text(_LETTERS, max_size=6), min_size=1, max_size=5)
TEXTS = st.builds(lambda words, join: join.join(words), _WORDS, st.sampled_from(("", " ", "  ", "\n")))
"""Any text that a field can have, whether content may be like it or not."""
CONTENTS = (
    st.builds(lambda text, fence: f"```\n{text}\n```" if fence else text, TEXTS, st.booleans())
    .map(clean_content)
    .filter(lambda cleaned: not cleaned.problems)
    .map(lambda cleaned: cleaned.text)
)
_NAMES = TEXTS.map(lambda text: " ".join(text.split())[:80]).filter(bool)
_COUNTS = st.integers(0, 10**12)
_PROVENANCES = st.builds(Provenance, *(st.none() | TEXTS.filter(bool) for _ in range(5)))


@st.composite
def playbooks(draw: st.DrawFn) -> Playbook:
    """Any playbook that can be."""
    sections = [Section(f"s{idx}", draw(_NAMES)) for idx in range(draw(st.integers(1, 3)))]
    revision = draw(st.integers(0, 1000))
    ids = [f"b-{idx:08d}" for idx in range(draw(st.integers(0, 4)))]
    bullets = [
        Bullet(
            id=name,
            section=draw(st.sampled_from(sections)).id,
            content=draw(CONTENTS),
            status=draw(st.sampled_from(("active", "archived"))),
            reason=draw(st.none() | TEXTS.filter(bool)),
            superseded_by=draw(st.sampled_from([None, *(each for each in ids if each != name)])),
            pinned=draw(st.booleans()),
            severity=draw(st.sampled_from(("normal", "critical"))),
            publish=draw(st.booleans()),
            helpful=draw(_COUNTS),
            seen=draw(_COUNTS),
            applies_to=tuple(sorted(set(draw(st.lists(TEXTS.filter(bool), max_size=2))))),
            source=tuple(draw(st.lists(_PROVENANCES, max_size=2))),
            aliases=(f"old-{name}",) if draw(st.booleans()) else (),
            added=draw(st.integers(0, revision)),
            updated=draw(st.integers(0, revision)),
        )
        for name in ids
    ]
    pairs = []
    if len(ids) > 1:
        why = draw(st.none() | TEXTS.filter(bool))
        pairs.append(Pair(ids[0], ids[1], draw(st.sampled_from(get_args(Verdict))), 0.25, why))
    encoding = draw(st.sampled_from((None, "claude", "estimate")))
    policy = Policy(draw(st.none() | _COUNTS), encoding, draw(st.sampled_from(("ngrams", "semantic"))), draw(_COUNTS))
    return sort_playbook(Playbook(draw(_NAMES), revision, tuple(sections), tuple(bullets), tuple(pairs), policy))
