"""Where a bullet comes from and what happened to it: the folded part below it.

Its sources, its earlier texts word by word, what was merged into it, and the bullets near it with what keeps them
apart. Links lead both ways, because each of two bullets has the pair.
"""

from collections.abc import Iterator

from acdl_mkdocs.playbook.bullets import Bullet, Pair, Provenance
from acdl_mkdocs.playbook_pages.inline import clean, is_safe, plain
from acdl_mkdocs.playbook_pages.recorded import Revision, Step
from acdl_mkdocs.playbook_pages.told import group_of, short
from acdl_mkdocs.playbook_pages.view import View
from acdl_mkdocs.playbook_pages.word_diff import word_diff

MAX_EARLIER = 3
"""Earlier texts of a bullet that are shown below it; the changes have all of them."""
_SUMMARY = "Origin"
_QUIET = frozenset(("TAG", "SEEN", "INIT", "MERGED_BRANCH"))
"""Operations whose reasons say nothing about the text."""


def origin(bullet: Bullet, view: View) -> str:
    """The folded part; empty if nothing is known."""
    lines = [
        *map(_source, bullet.source),
        *_happened(bullet, view),
        *_merged(bullet, view),
        *_pairs(bullet, view),
    ]
    if not lines:
        return ""
    items = lines[0] if len(lines) == 1 else f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
    return f"<details><summary>{_SUMMARY}</summary>{items if len(lines) > 1 else f'<p>{items}</p>'}</details>"


def revision_link(number: int, view: View) -> str:
    """The number of a revision, as a link to its changes if a page has them."""
    address = view.around.revision(number) if view.around.revision else ""
    return f'<a href="{clean(address)}">{number}</a>' if address else str(number)


def bullet_link(id: str, view: View) -> str:
    """An id, as a link to the bullet if a page shows it."""
    address = view.address(id)
    return f'<a href="{clean(address)}">{clean(id)}</a>' if address else clean(id)


def _source(source: Provenance) -> str:
    """Who said it, in which run, on which sample, with which model, and what shows it."""
    named = (("", source.by), ("run ", source.run), ("sample ", source.sample), ("model ", source.model))
    words = [f"{name}{clean(value)}" for name, value in named if value]
    if source.reference:
        words.append(_reference(source.reference))
    return ", ".join(words)


def _reference(reference: str) -> str:
    if reference.startswith(("https://", "http://")) and is_safe(reference) and not set(reference) & set(" <>\"'`"):
        return f'<a href="{clean(reference)}">{clean(reference)}</a>'
    return clean(reference)


def _happened(bullet: Bullet, view: View) -> Iterator[str]:
    """Earlier texts, and why the bullet was added or changed; the newest first."""
    steps = view.published.steps.get(bullet.id, ())
    told = [(revision, step) for revision, step in steps if step.op not in _QUIET and _says(step)]
    rewritten = [each for each in told if each[1].is_rewritten]
    shown = {id(step) for _, step in rewritten[-MAX_EARLIER:]}
    for revision, step in reversed(told):
        if step.is_rewritten and id(step) not in shown:
            continue
        yield _step(revision, step, view)
    if len(rewritten) > MAX_EARLIER:
        yield f"{len(rewritten) - MAX_EARLIER} earlier changes of the text are in the changes"


def _says(step: Step) -> bool:
    return bool(step.is_rewritten or step.reason or step.guards)


def _step(revision: Revision, step: Step, view: View) -> str:
    """One change: the revision, the reason, what a guard found, and the words."""
    said = "; ".join(map(clean, filter(None, (step.reason, short("; ".join(step.guards))))))
    words = [f"{group_of(step).lower()} in revision {revision_link(revision.number, view)}"]
    if said:
        words.append(f": {said}")
    if step.is_rewritten:
        before, after = step.text(is_before=True), step.text(is_before=False)
        words.append(f"<br>{word_diff(before, after)}" if before and after else "")
    return "".join(words)


def _merged(bullet: Bullet, view: View) -> Iterator[str]:
    """What became part of it, with the words that it had."""
    for alias in bullet.aliases:
        steps = [each for each in view.published.steps.get(alias, ()) if each[1].after is None]
        if not steps:
            yield f"merged with {clean(alias)}"
            continue
        revision, step = steps[-1]
        text = clean(plain(step.text(is_before=True)))
        number = revision_link(revision.number, view)
        yield f"merged with {clean(alias)} in revision {number}" + (f": <q>{text}</q>" if text else "")


def _pairs(bullet: Bullet, view: View) -> Iterator[str]:
    """The bullets that somebody has compared it with, and why both stay."""
    for pair in view.published.pairs.get(bullet.id, ()):
        said = "contradicts" if pair.verdict == "conflicts" else "says something else than"
        yield f"{said} {_other(bullet, pair, view)}" + (f": {clean(short(pair.why))}" if pair.why else "")


def _other(bullet: Bullet, pair: Pair, view: View) -> str:
    return bullet_link(pair.b if pair.a == bullet.id else pair.a, view)
