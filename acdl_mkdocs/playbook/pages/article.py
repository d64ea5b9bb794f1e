"""One bullet as an `<article>`: its text, evidence and origin."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Provenance
from acdl_mkdocs.playbook.model.pruning import wilson_interval
from acdl_mkdocs.playbook.pages.history_html import Revision, Step, group_of, shorten_findings
from acdl_mkdocs.playbook.pages.html_text import (
    clean_text,
    is_safe_link,
    render_content,
    render_inline,
    render_text_changes,
    strip_markup,
)
from acdl_mkdocs.playbook.pages.view import View

Word: TypeAlias = Literal["well tested", "tested", "disputed", "new"]
WORDS: tuple[Word, ...] = ("well tested", "tested", "disputed", "new")

FEW_TAGS = 3
"""Minimum number of tags for a bullet that is not new."""
WELL_TESTED_FROM = 0.75
"""Lower bound of the share of helpful tags from which a bullet is well tested: 12 of 12, or 38 of 40."""
DISPUTED_BELOW = 0.7
"""Share of helpful tags below which a bullet is disputed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of tags for a bullet."""

    word: Word
    helpful: int
    n_tags: int
    """Helpful and harmful ones."""
    low: float
    """Lower bound of the share of helpful tags (Wilson, 95 % confidence); 0 without tags."""
    high: float

    @property
    def words(self) -> str:
        """A summary: `well tested 38/40`, `new`."""
        return f"{self.word} {self.helpful}/{self.n_tags}" if self.n_tags else self.word

    @property
    def interval(self) -> str:
        """The interval in percent: `84–99 %`; empty without tags."""
        return f"{self.low * 100:.0f}–{self.high * 100:.0f} %" if self.n_tags else ""


def assess_evidence(bullet: Bullet) -> Evidence:
    """Return the evidence of the tags of a bullet."""
    n_tags = bullet.helpful + bullet.harmful
    interval = wilson_interval(bullet.helpful, bullet.harmful)
    low = interval.low if n_tags else 0.0
    return Evidence(_word(bullet.helpful, n_tags, low), bullet.helpful, n_tags, low, interval.high)


def _word(helpful: int, n_tags: int, low: float) -> Word:
    if n_tags < FEW_TAGS:
        return "new"
    if low >= WELL_TESTED_FROM:
        return "well tested"
    return "disputed" if helpful / n_tags < DISPUTED_BELOW else "tested"


MAX_EARLIER = 3
"""Earlier texts of a bullet that are shown below it; the changes page has all of them."""
_SUMMARY = "Origin"
_QUIET = frozenset(("TAG", "SEEN", "INIT", "MERGED_BRANCH"))
"""Operations whose reasons are not about the text."""


def render_origin(bullet: Bullet, view: View) -> str:
    """Render the folded part about the origin; empty if nothing is known."""
    lines = [
        *map(_source, bullet.source),
        *_render_history(bullet, view),
        *_render_merged(bullet, view),
        *_pairs(bullet, view),
    ]
    if not lines:
        return ""
    listed = f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
    return write_details(_SUMMARY, listed if len(lines) > 1 else f"<p>{lines[0]}</p>")


def revision_link(number: int, view: View) -> str:
    """Return the number of a revision, as a link to its changes if a page has them."""
    address = view.surroundings.revision(number) if view.surroundings.revision else ""
    return f'<a href="{clean_text(address)}">{number}</a>' if address else str(number)


def bullet_link(id: str, view: View) -> str:
    """Return an id, as a link to the bullet if a page shows it."""
    address = view.find_address(id)
    return f'<a href="{clean_text(address)}">{clean_text(id)}</a>' if address else clean_text(id)


def _source(source: Provenance) -> str:
    """Return who contributed it, in which run, on which sample, with which model, and what supports it."""
    named = (("", source.by), ("run ", source.run), ("sample ", source.sample), ("model ", source.model))
    words = [f"{name}{clean_text(value)}" for name, value in named if value]
    if source.reference:
        words.append(_reference(source.reference))
    return ", ".join(words)


def _reference(reference: str) -> str:
    if (
        reference.startswith(("https://", "http://"))
        and is_safe_link(reference)
        and not set(reference) & set(" <>\"'`")
    ):
        return f'<a href="{clean_text(reference)}">{clean_text(reference)}</a>'
    return clean_text(reference)


def _render_history(bullet: Bullet, view: View) -> Iterator[str]:
    """Yield earlier texts, and why the bullet was added or changed; the newest first."""
    steps = view.published.steps.get(bullet.id, ())
    changes = [(revision, step) for revision, step in steps if step.op not in _QUIET and _has_words(step)]
    rewritten = [each for each in changes if each[1].is_rewritten]
    ids = {id(step) for _, step in rewritten[-MAX_EARLIER:]}
    for revision, step in reversed(changes):
        if step.is_rewritten and id(step) not in ids:
            continue
        yield _render_step(revision, step, view)
    if len(rewritten) > MAX_EARLIER:
        yield f"{len(rewritten) - MAX_EARLIER} earlier changes of the text are in the changes"


def _has_words(step: Step) -> bool:
    return bool(step.is_rewritten or step.reason or step.guards)


def _render_step(revision: Revision, step: Step, view: View) -> str:
    """Render one change: the revision, the reason, the findings of guards, and the text."""
    explanation = "; ".join(map(clean_text, filter(None, (step.reason, shorten_findings("; ".join(step.guards))))))
    words = [f"{group_of(step).lower()} in revision {revision_link(revision.number, view)}"]
    if explanation:
        words.append(f": {explanation}")
    if step.is_rewritten:
        before, after = step.get_text(is_before=True), step.get_text(is_before=False)
        words.append(f"<br>{render_text_changes(before, after)}" if before and after else "")
    return "".join(words)


def _render_merged(bullet: Bullet, view: View) -> Iterator[str]:
    """Yield the bullets that were merged into it, with their texts."""
    for alias in bullet.aliases:
        steps = [each for each in view.published.steps.get(alias, ()) if each[1].after is None]
        if not steps:
            yield f"merged with {clean_text(alias)}"
            continue
        revision, step = steps[-1]
        text = clean_text(strip_markup(step.get_text(is_before=True)))
        number = revision_link(revision.number, view)
        yield f"merged with {clean_text(alias)} in revision {number}" + (f": <q>{text}</q>" if text else "")


def _pairs(bullet: Bullet, view: View) -> Iterator[str]:
    """Yield the bullets that it was compared with, and why both are kept."""
    for pair in view.published.pairs.get(bullet.id, ()):
        relation = "contradicts" if pair.verdict == "conflicts" else "says something else than"
        yield f"{relation} {_render_other(bullet, pair, view)}" + (
            f": {clean_text(shorten_findings(pair.why))}" if pair.why else ""
        )


def _render_other(bullet: Bullet, pair: Pair, view: View) -> str:
    return bullet_link(pair.b if pair.a == bullet.id else pair.a, view)


_CLASSES = {"disputed": ' class="acdl-disputed"', "well tested": ' class="acdl-well"'}


def render_article(bullet: Bullet, view: View) -> str:
    """Render the element of a bullet."""
    evidence = assess_evidence(bullet)
    anchor = view.anchors.get(bullet.id, bullet.id)
    of = f' data-of="{view.facets.codes[bullet.id]}"' if bullet.id in view.facets.codes else ""
    aliases = "".join(
        f'<a id="{clean_text(view.anchors[alias])}"></a>' for alias in bullet.aliases if alias in view.anchors
    )
    return (
        f'<article id="{clean_text(anchor)}"{of}>{aliases}{render_content(bullet.content)}'
        f"<footer>{_facts(bullet, evidence, view, anchor)}</footer>{_render_archived(bullet, view)}"
        f"{render_origin(bullet, view)}</article>"
    )


def render_evidence(evidence: Evidence, words: str = "") -> str:
    """Render the evidence of a bullet in a word, or with more words."""
    return f"<b{_CLASSES.get(evidence.word, '')}>{words or evidence.word}</b>"


def render_targets(bullet: Bullet, view: View) -> str:
    """Render what a bullet applies to, with links to what the site has."""
    return "".join(_chip(words, view) for words in bullet.applies_to)


def _facts(bullet: Bullet, evidence: Evidence, view: View, anchor: str) -> str:
    return " ".join(
        [
            f'<a href="#{clean_text(anchor)}">{clean_text(bullet.id)}</a>',
            render_evidence(evidence),
            *(f"<i>{badge}</i>" for badge in list_badges(bullet)),
            " · ".join(_numbers(bullet, evidence, view)),
            render_targets(bullet, view),
        ]
    ).rstrip()


def list_badges(bullet: Bullet) -> Iterator[str]:
    """Yield the special properties of a bullet, each in a word."""
    if not bullet.is_active:
        yield bullet.status
    if bullet.severity == "critical":
        yield "critical"
    if bullet.pinned:
        yield "pinned"


def _numbers(bullet: Bullet, evidence: Evidence, view: View) -> Iterator[str]:
    if evidence.n_tags:
        yield f"▲ {bullet.helpful} helpful ▼ {bullet.harmful} harmful"
    if evidence.interval:
        yield evidence.interval
    if bullet.seen:
        yield f"seen {bullet.seen}"
    if bullet.added:
        yield f"added {revision_link(bullet.added, view)}"
    if bullet.updated != bullet.added:
        yield f"changed {revision_link(bullet.updated, view)}"


def _chip(words: str, view: View) -> str:
    target = view.surroundings.link(words) if view.surroundings.link else None
    if target is None:
        return f"<u>{clean_text(words)}</u>"
    return f'<u><a href="{clean_text(target.href)}">{clean_text(words)}</a></u>'


def _render_archived(bullet: Bullet, view: View) -> str:
    """Render why a bullet is no longer in prompts, and what replaces it."""
    if bullet.is_active:
        return ""
    why = f": {render_inline(bullet.reason)}" if bullet.reason else ""
    by = f", see {bullet_link(bullet.superseded_by, view)}" if bullet.superseded_by else ""
    return f"<p>{bullet.status.capitalize()}{why}{by}</p>"
