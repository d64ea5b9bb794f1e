"""The bullets of a page in the order that it wants: the best first, then section by section, then what is archived."""

from collections.abc import Iterable, Sequence

from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook_pages.article import article, evidence_html
from acdl_mkdocs.playbook_pages.evidence import evidence
from acdl_mkdocs.playbook_pages.inline import clean, line_of
from acdl_mkdocs.playbook_pages.origin import bullet_link
from acdl_mkdocs.playbook_pages.view import View

LEAST_FOR_TOP = 12
"""A page with fewer active bullets is short enough without a choice of them."""
UNUSED = ("proposed", "archived")
"""The statuses of bullets that are not in use, in the order of pages."""
USUAL_TOP, MOST_TOP = 7, 10


def top_bullets(bullets: Iterable[Bullet], number: int | None = None) -> tuple[Bullet, ...]:
    """The lessons to read first: critical and pinned ones, then those that surely help most.

    Parameters:
        bullets: To choose from; only active ones are chosen.
        number: How many; `None` is as many as are critical or pinned, from 7 to 10, and none of a short playbook.
    """
    active = [bullet for bullet in bullets if bullet.is_active]
    first = sum(_is_marked(bullet) for bullet in active)
    if number is None:
        number = min(max(first, USUAL_TOP), MOST_TOP) if len(active) >= LEAST_FOR_TOP else 0
    return tuple(sorted(active, key=_worth)[:number])


def sorted_bullets(bullets: Sequence[Bullet], sort: str) -> tuple[Bullet, ...]:
    """Bullets in an order: `file`, `evidence`, `helpful`, `harmful`, `seen` or `updated`."""
    orders = {
        "evidence": lambda bullet: -evidence(bullet).low,
        "helpful": lambda bullet: -bullet.helpful,
        "harmful": lambda bullet: -bullet.harmful,
        "seen": lambda bullet: -bullet.seen,
        "updated": lambda bullet: -bullet.updated,
    }
    return tuple(sorted(bullets, key=orders[sort])) if sort in orders else tuple(bullets)


def top_html(bullets: Sequence[Bullet], view: View) -> str:
    """The lessons to read first as a list whose entries lead to the bullets."""
    items = "".join(
        f"<li>{line_of(bullet.content)} <small>{evidence_words(bullet)}"
        f"{''.join(f' <i>{badge}</i>' for badge in _marks(bullet))}"
        f" {bullet_link(bullet.id, view)}</small></li>"
        for bullet in bullets
    )
    return f'<ol class="acdl-book-top">{items}</ol>'


def bullets_html(bullets: Iterable[Bullet], view: View, section: str) -> str:
    """The bullets of a section, a line of HTML each."""
    articles = "\n".join(article(bullet, view) for bullet in bullets)
    return f'<div class="acdl-bullets" data-section="{clean(section)}">\n{articles}\n</div>'


def unused_html(bullets: Sequence[Bullet], view: View) -> str:
    """The bullets that are not in use, folded by their status; links to a bullet unfold it."""
    by_status = [(status, [each for each in bullets if each.status == status]) for status in UNUSED]
    return "\n".join(_folded(status, each, view) for status, each in by_status if each)


def _folded(status: str, bullets: Sequence[Bullet], view: View) -> str:
    groups: dict[str, list[Bullet]] = {}
    for bullet in bullets:
        groups.setdefault(bullet.section, []).append(bullet)
    inside = "\n".join(bullets_html(each, view, section) for section, each in groups.items())
    title = f"{status.capitalize()} ({len(bullets):,})"
    return f'<details class="acdl-archive"><summary>{title}</summary>\n{inside}\n</details>'


def evidence_words(bullet: Bullet) -> str:
    """What tags say of a bullet, with numbers: `well tested 38/40`."""
    found = evidence(bullet)
    return evidence_html(found, found.words)


def _is_marked(bullet: Bullet) -> bool:
    return bullet.pinned or bullet.severity == "critical"


def _marks(bullet: Bullet) -> list[str]:
    return [*(["critical"] if bullet.severity == "critical" else []), *(["pinned"] if bullet.pinned else [])]


def _worth(bullet: Bullet) -> tuple[bool, float, int, str]:
    return not _is_marked(bullet), -evidence(bullet).low, -bullet.helpful, bullet.id
