"""What a site may show of a playbook, and its problems: the single filter for all pages."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.playbook.model.bullets import ID, Bullet, Pair, Playbook, Provenance
from acdl_mkdocs.playbook.model.content import find_secrets
from acdl_mkdocs.playbook.model.near_pairs import NearPair, find_decided_pairs, find_near_pairs, find_open_pairs
from acdl_mkdocs.playbook.pages.history_html import Data, Revision, Step, read_revisions
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.playbook.store.history import Event
from acdl_mkdocs.playbook.store.write_playbook import is_digest_of


def find_place(source: Source | None, id: str, words: str = "") -> Span:
    """Return the span of a bullet in the file of its playbook, or of the first occurrence of a text in it."""
    match = re.search(rf"\bid: *[\"']?{re.escape(id)}\b", source.text) if source else None
    if not source or not match:
        return Span(0, 0)
    at = source.text.find(words, match.end()) if words else -1
    end = source.text.find("id:", match.end())
    if at < 0 or (0 <= end < at):
        return Span(match.end() - len(id), match.end())
    return Span(at, at + len(words))


def secret_problem(id: str, kinds: Sequence[str], source: Source | None) -> Diagnostic:
    """Return the diagnostic for a bullet with a possible secret; the message does not repeat it."""
    label = Label(find_place(source, id), "this bullet is not shown")
    message = f"the bullet `{id}` holds what looks like a secret: {', '.join(kinds)}"
    helps = ("take the secret out of the bullet, and make it void where it is used", f"archive `{id}` with a reason")
    return error("secret-in-playbook", message, label, help=helps)


def earlier_problem(id: str, source: Source | None) -> Diagnostic:
    """Return the diagnostic for a bullet of which an earlier text has a possible secret."""
    label = Label(find_place(source, id), "its earlier words are not shown")
    message = f"an earlier text of the bullet `{id}` holds what looks like a secret, and the history keeps it"
    return warning("secret-in-history", message, label, help="make the secret void where it is used")


def check_targets(
    playbook: Playbook, is_known: Callable[[str], bool], source: Source | None = None
) -> tuple[Diagnostic, ...]:
    """Warn about targets of bullets that the site does not have, once for each bullet and target."""
    return tuple(
        warning(
            "unknown-target",
            f"the bullet `{bullet.id}` applies to `{target}`, which this site does not have",
            Label(find_place(source, bullet.id, target), "no such spec or fragment"),
            help="write `acdl:` and the name of a spec, or `fragment:` and the name of a fragment",
        )
        for bullet in playbook.bullets
        for target in bullet.applies_to
        if not is_known(target)
    )


MOST_COMPARED = 2000
"""Limit of bullets in use to compare, which takes seconds; beyond it, only pairs left open by merges are found."""
_LEAST_QUOTED = 12
"""Minimum length of a text that reveals something about an unpublished bullet."""
_NAMELESS = "playbook"


@dataclass(frozen=True)
class Published:
    """The published part of a playbook and its history."""

    playbook: Playbook
    revisions: tuple[Revision, ...] = ()
    """In the order of the history."""
    problems: tuple[Diagnostic, ...] = ()
    """Spans refer to the playbook's file."""
    n_hidden: int = 0
    """Number of bullets that are not shown."""
    is_edited: bool = False
    """Whether the file has changes that its history lacks."""
    source: Source = field(default_factory=lambda: Source("", "playbook"))
    """The file of the playbook."""

    @cached_property
    def steps(self) -> dict[str, tuple[tuple[Revision, Step], ...]]:
        """The changes of each bullet, by its id, the newest last."""
        steps: dict[str, list[tuple[Revision, Step]]] = {}
        for revision in self.revisions:
            for step in revision.steps:
                if step.kind == "bullet":
                    steps.setdefault(step.id, []).append((revision, step))
        return {name: tuple(each) for name, each in steps.items()}

    @cached_property
    def undecided(self) -> tuple[NearPair, ...]:
        """The pairs of bullets in use without a decision, the most important first."""
        return find_undecided_pairs(self.playbook)

    @property
    def gap(self) -> str:
        """The changes in the file that its history lacks, in a sentence; empty if they agree."""
        if not self.is_edited:
            return ""
        if self.newest == self.playbook.revision:
            return f"The file was edited after revision {self.newest}; the next change makes these edits a revision."
        return f"The file is at revision {self.playbook.revision}, and its history ends with revision {self.newest}."

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The numbers of the revisions of its history."""
        return frozenset(revision.number for revision in self.revisions)

    @cached_property
    def newest(self) -> int:
        """The number of the newest revision; 0 without a history."""
        return max(self.numbers, default=0)

    @cached_property
    def pairs(self) -> dict[str, tuple[Pair, ...]]:
        """The decided pairs, by the ids of their bullets."""
        pairs: dict[str, list[Pair]] = {}
        for pair in find_decided_pairs(self.playbook):
            for name in (pair.a, pair.b):
                pairs.setdefault(name, []).append(pair)
        return {name: tuple(each) for name, each in pairs.items()}


def publish_playbook(playbook: Playbook, events: Iterable[Event] = (), source: Source | None = None) -> Published:
    """Return what a site may show of a playbook.

    Parameters:
        playbook: The whole playbook.
        events: Its history, if any.
        source: The file of the playbook, for the spans of problems.
    """
    events = tuple(events)
    revisions = read_revisions(events)
    guarded = {bullet.id: secrets for bullet in playbook.bullets if (secrets := _secrets_of(bullet))}
    hidden = _find_hidden(playbook, revisions, guarded)
    door = _PublicationFilter(hidden, _find_hidden_words(playbook, revisions, hidden))
    problems = [
        secret_problem(name, secrets, source) for name, secrets in guarded.items() if playbook.by_id[name].publish
    ]
    published_revisions = tuple(map(door.filter_revision, revisions))
    problems += [earlier_problem(name, source) for name in sorted(door.earlier)]
    n_hidden = sum(bullet.id in hidden for bullet in playbook.bullets)
    let_through = door.filter_playbook(playbook)
    file = source or Source("", let_through.name)
    return Published(let_through, published_revisions, tuple(problems), n_hidden, _is_edited(playbook, events), file)


def _is_edited(playbook: Playbook, events: Sequence[Event]) -> bool:
    """Return whether a playbook differs from the end of its history."""
    if not events:
        return False
    last = events[-1]
    return last.revision != playbook.revision or (last.digest is not None and not is_digest_of(last.digest, playbook))


def find_undecided_pairs(playbook: Playbook) -> tuple[NearPair, ...]:
    """Return the pairs that `acdl playbook review` lists, found among the bullets of a playbook."""
    if len(playbook.active) > MOST_COMPARED:
        return find_open_pairs(playbook)
    try:
        measure = load_similarity(playbook.policy.similarity)
    except (MissingExtraError, UnknownFormatError):
        measure = load_similarity("ngrams")  # needs no package
    return find_near_pairs(playbook, measure)


def _secrets_of(bullet: Bullet) -> tuple[str, ...]:
    origin = [word for source in bullet.source for word in _list_origins(source)]
    return find_secrets("\n".join([bullet.content, bullet.reason or "", *bullet.applies_to, *origin]))


def _list_origins(source: Provenance) -> Iterator[str]:
    for word in (source.by, source.run, source.sample, source.model, source.reference):
        if word:
            yield word


def _find_hidden(playbook: Playbook, revisions: Sequence[Revision], guarded: Iterable[str]) -> frozenset[str]:
    """Return the ids that must not be shown: of bullets, and of those merged into them or hidden when merged."""
    last: dict[str, Data] = {}
    for revision in revisions:
        for step in revision.steps:
            if step.kind == "bullet" and (data := step.after or step.before):
                last[step.id] = data
    unlisted = set(last) - {bullet.id for bullet in playbook.bullets}  # the playbook is more current
    hidden = {name for name in unlisted if last[name].get("publish") is False}
    hidden |= {bullet.id for bullet in playbook.bullets if not bullet.publish} | set(guarded)
    return frozenset(hidden | {alias for bullet in playbook.bullets if bullet.id in hidden for alias in bullet.aliases})


def _find_hidden_words(playbook: Playbook, revisions: Sequence[Revision], hidden: frozenset[str]) -> frozenset[str]:
    """Return what must not be quoted: texts of hidden bullets, and findings of guards about them."""
    if not hidden:
        return frozenset()
    words = {bullet.content for bullet in playbook.bullets if bullet.id in hidden}
    words |= {pair.why for pair in playbook.pairs if pair.why and not hidden.isdisjoint((pair.a, pair.b))}
    for step in (step for revision in revisions for step in revision.steps):
        if step.id in hidden:
            words |= {step.get_text(is_before=True), step.get_text(is_before=False)}
        elif step.kind == "pair" and not hidden.isdisjoint(step.id.split()):
            words |= {str(data["why"]) for data in (step.before, step.after) if data and data.get("why")}
    return frozenset(word for word in words if len(word) >= _LEAST_QUOTED)


class _PublicationFilter:
    """Filters what may be shown; records bullets whose earlier texts it held back."""

    def __init__(self, hidden: frozenset[str], words: Iterable[str]) -> None:
        self._hidden = hidden
        self._begins: dict[str, list[str]] = {}
        for word in words:
            self._begins.setdefault(word[:_LEAST_QUOTED], []).append(word)
        self._secret: dict[str, bool] = {}
        self.earlier: set[str] = set()

    def filter_playbook(self, playbook: Playbook) -> Playbook:
        """Return the playbook without hidden parts."""
        bullets = tuple(self._filter_bullet(bullet) for bullet in playbook.bullets if bullet.id not in self._hidden)
        used = {bullet.section for bullet in playbook.bullets} - {bullet.section for bullet in bullets}
        sections = tuple(
            replace(section, title=self._filter_words(section.title) or section.id)
            for section in playbook.sections
            if section.id not in used
        )
        pairs = tuple(
            replace(pair, why=self._filter_words(pair.why or "") or None)
            for pair in playbook.pairs
            if self._hidden.isdisjoint((pair.a, pair.b))
        )
        name = self._filter_words(playbook.name) or _NAMELESS
        return replace(playbook, name=name, sections=sections, bullets=bullets, pairs=pairs)

    def filter_revision(self, revision: Revision) -> Revision:
        """Return a revision without hidden parts; only its number and its time if nothing else remains."""
        steps = tuple(filter(None, map(self._filter_step, revision.steps)))
        seen = {name: number for name, number in revision.seen.items() if name not in self._hidden}
        if not steps and not seen:
            return Revision(revision.number, (), revision.time)
        actor, trace, reasoning = map(self._filter_words, (revision.actor, revision.trace, revision.reasoning))
        return replace(revision, steps=steps, actor=actor, trace=trace, reasoning=reasoning, seen=seen)

    def _filter_bullet(self, bullet: Bullet) -> Bullet:
        by = None if bullet.superseded_by in self._hidden else bullet.superseded_by
        aliases = tuple(alias for alias in bullet.aliases if alias not in self._hidden)
        return replace(
            bullet, superseded_by=by, aliases=aliases, reason=self._filter_words(bullet.reason or "") or None
        )

    def _filter_step(self, step: Step) -> Step | None:
        ids = step.id.split() if step.kind == "pair" else [step.id]
        if not self._hidden.isdisjoint(ids):
            return None
        before, after = self._filter_side(step, step.before), self._filter_side(step, step.after)
        if before == after and step.before != step.after:
            return None
        guards = tuple(filter(None, map(self._filter_words, step.guards)))
        return replace(step, before=before, after=after, reason=self._filter_words(step.reason), guards=guards)

    def _filter_side(self, step: Step, data: Data | None) -> Data | None:
        """Return one side of a step: nothing while the bullet was not published, and no text with a secret."""
        if data is None or data.get("publish") is False:
            return None
        if step.kind != "bullet":
            return {key: self._filter_words(value) if isinstance(value, str) else value for key, value in data.items()}
        side = {key: value for key, value in data.items() if key != "source"}
        if isinstance(aliases := side.get("aliases"), list):
            side["aliases"] = [alias for alias in aliases if alias not in self._hidden]
        if side.get("superseded_by") in self._hidden:
            del side["superseded_by"]
        content, reason = str(side.get("content", "")), str(side.get("reason", ""))
        if self._is_secret(content):
            self.earlier.add(step.id)
            side["content"] = ""
        if reason:
            side["reason"] = self._filter_words(reason)
        return side

    def _filter_words(self, text: str) -> str:
        """Return a text about bullets; empty if it names a hidden one or contains a secret."""
        return "" if self._is_quoted(text) or self._is_secret(text) else text

    def _is_quoted(self, text: str) -> bool:
        """Return whether a text has the id of a hidden part, or a text that must not be quoted."""
        if not self._hidden:
            return False
        if not self._hidden.isdisjoint(ID.findall(text)):
            return True
        starts = ((at, text[at : at + _LEAST_QUOTED]) for at in range(len(text) - _LEAST_QUOTED + 1))
        return any(text.startswith(word, at) for at, start in starts for word in self._begins.get(start, ()))

    def _is_secret(self, text: str) -> bool:
        if text not in self._secret:
            self._secret[text] = bool(find_secrets(text))
        return self._secret[text]
