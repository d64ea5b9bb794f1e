"""One bullet as an `<article>`: its text, what tags say of it, where it comes from.

As few characters as can be: a page may have thousands of them. The style sheet and the script know its parts by their
places, and the script reads the numbers that readers can sort by from the words.
"""

from collections.abc import Iterator

from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook_pages.evidence import Evidence, evidence
from acdl_mkdocs.playbook_pages.inline import clean, html_of, inline
from acdl_mkdocs.playbook_pages.origin import bullet_link, origin, revision_link
from acdl_mkdocs.playbook_pages.view import View

_CLASSES = {"disputed": ' class="acdl-disputed"', "well tested": ' class="acdl-well"'}


def article(bullet: Bullet, view: View) -> str:
    """The element of a bullet."""
    found = evidence(bullet)
    anchor = view.here.get(bullet.id, bullet.id)
    of = f' data-of="{view.facets.codes[bullet.id]}"' if bullet.id in view.facets.codes else ""
    aliases = "".join(f'<a id="{clean(view.here[alias])}"></a>' for alias in bullet.aliases if alias in view.here)
    return (
        f'<article id="{clean(anchor)}"{of}>{aliases}{html_of(bullet.content)}'
        f"<footer>{_facts(bullet, found, view, anchor)}</footer>{_gone(bullet, view)}{origin(bullet, view)}</article>"
    )


def evidence_html(found: Evidence, words: str = "") -> str:
    """The word for what tags say of a bullet, or more words."""
    return f"<b{_CLASSES.get(found.word, '')}>{words or found.word}</b>"


def chips(bullet: Bullet, view: View) -> str:
    """What a bullet applies to, with links to what the site has."""
    return "".join(_chip(words, view) for words in bullet.applies_to)


def _facts(bullet: Bullet, found: Evidence, view: View, anchor: str) -> str:
    return " ".join(
        [
            f'<a href="#{clean(anchor)}">{clean(bullet.id)}</a>',
            evidence_html(found),
            *(f"<i>{badge}</i>" for badge in badges(bullet)),
            " · ".join(_numbers(bullet, found, view)),
            chips(bullet, view),
        ]
    ).rstrip()


def badges(bullet: Bullet) -> Iterator[str]:
    """What sets a bullet apart, each in a word."""
    if not bullet.is_active:
        yield bullet.status
    if bullet.severity == "critical":
        yield "critical"
    if bullet.pinned:
        yield "pinned"


def _numbers(bullet: Bullet, found: Evidence, view: View) -> Iterator[str]:
    if found.n_tags:
        yield f"▲ {bullet.helpful} helpful ▼ {bullet.harmful} harmful"
    if found.interval:
        yield found.interval
    if bullet.seen:
        yield f"seen {bullet.seen}"
    if bullet.added:
        yield f"added {revision_link(bullet.added, view)}"
    if bullet.updated != bullet.added:
        yield f"changed {revision_link(bullet.updated, view)}"


def _chip(words: str, view: View) -> str:
    target = view.around.link(words) if view.around.link else None
    if target is None:
        return f"<u>{clean(words)}</u>"
    return f'<u><a href="{clean(target.href)}">{clean(words)}</a></u>'


def _gone(bullet: Bullet, view: View) -> str:
    """Why a bullet is not in prompts any more, and what replaces it."""
    if bullet.is_active:
        return ""
    why = f": {inline(bullet.reason)}" if bullet.reason else ""
    by = f", see {bullet_link(bullet.superseded_by, view)}" if bullet.superseded_by else ""
    return f"<p>{bullet.status.capitalize()}{why}{by}</p>"
