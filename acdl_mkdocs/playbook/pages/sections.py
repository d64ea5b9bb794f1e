"""The bullets of a page by section, lessons for one spec, and pairs without a decision."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from shlex import quote
from typing import get_args

from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.model.near_pairs import NearPair, Opinion
from acdl_mkdocs.playbook.pages.article import assess_evidence, bullet_link, render_article, render_evidence
from acdl_mkdocs.playbook.pages.html_text import clean_text, render_content_line, render_side_by_side
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.pages.view import View

LEAST_FOR_TOP = 12
"""A page with fewer active bullets needs no selection."""
UNUSED = ("proposed", "archived")
"""The statuses of bullets that are not in use, in the order of pages."""
USUAL_TOP, MOST_TOP = 7, 10


def top_bullets(bullets: Iterable[Bullet], number: int | None = None) -> tuple[Bullet, ...]:
    """Return the lessons to read first: critical and pinned ones, then those with the best evidence.

    Parameters:
        bullets: The candidates; only active ones are selected.
        number: How many; `None` selects the critical and pinned ones, but 7 to 10, and none of a short playbook.
    """
    active = [bullet for bullet in bullets if bullet.is_active]
    first = sum(_is_marked(bullet) for bullet in active)
    if number is None:
        number = min(max(first, USUAL_TOP), MOST_TOP) if len(active) >= LEAST_FOR_TOP else 0
    return tuple(sorted(active, key=_worth)[:number])


def sorted_bullets(bullets: Sequence[Bullet], sort: str) -> tuple[Bullet, ...]:
    """Sort bullets: `file`, `evidence`, `helpful`, `harmful`, `seen` or `updated`."""
    orders = {
        "evidence": lambda bullet: -assess_evidence(bullet).low,
        "helpful": lambda bullet: -bullet.helpful,
        "harmful": lambda bullet: -bullet.harmful,
        "seen": lambda bullet: -bullet.seen,
        "updated": lambda bullet: -bullet.updated,
    }
    return tuple(sorted(bullets, key=orders[sort])) if sort in orders else tuple(bullets)


def render_top_bullets(bullets: Sequence[Bullet], view: View) -> str:
    """Render the lessons to read first as a list of links to the bullets."""
    items = "".join(
        f"<li>{render_content_line(bullet.content)} <small>{evidence_words(bullet)}"
        f"{''.join(f' <i>{badge}</i>' for badge in _marks(bullet))}"
        f" {bullet_link(bullet.id, view)}</small></li>"
        for bullet in bullets
    )
    return f'<ol class="acdl-book-top">{items}</ol>'


def render_bullets(bullets: Iterable[Bullet], view: View, section: str) -> str:
    """Render the bullets of a section, a line of HTML each."""
    articles = "\n".join(render_article(bullet, view) for bullet in bullets)
    return f'<div class="acdl-bullets" data-section="{clean_text(section)}">\n{articles}\n</div>'


def render_unused(bullets: Sequence[Bullet], view: View) -> str:
    """Render the bullets that are not in use, folded by status; links to a bullet unfold it."""
    by_status = [(status, [each for each in bullets if each.status == status]) for status in UNUSED]
    return "\n".join(_render_folded(status, each, view) for status, each in by_status if each)


def _render_folded(status: str, bullets: Sequence[Bullet], view: View) -> str:
    groups: dict[str, list[Bullet]] = {}
    for bullet in bullets:
        groups.setdefault(bullet.section, []).append(bullet)
    inside = "\n".join(render_bullets(each, view, section) for section, each in groups.items())
    title = f"{status.capitalize()} ({len(bullets):,})"
    return write_details(title, f"\n{inside}\n", "acdl-archive")


def evidence_words(bullet: Bullet) -> str:
    """Return the evidence of a bullet with numbers: `well tested 38/40`."""
    evidence = assess_evidence(bullet)
    return render_evidence(evidence, evidence.words)


def _is_marked(bullet: Bullet) -> bool:
    return bullet.pinned or bullet.severity == "critical"


def _marks(bullet: Bullet) -> list[str]:
    return [*(["critical"] if bullet.severity == "critical" else []), *(["pinned"] if bullet.pinned else [])]


def _worth(bullet: Bullet) -> tuple[bool, float, int, str]:
    return not _is_marked(bullet), -assess_evidence(bullet).low, -bullet.helpful, bullet.id


HEADING = "Lessons for this spec"


def find_bullets_for(playbook: Playbook, target: str) -> tuple[Bullet, ...]:
    """Return the bullets in use for a target, `acdl:React2` or `fragment:ToolResult`; the best first."""
    bullets = [bullet for bullet in playbook.active if target in bullet.applies_to]
    return top_bullets(bullets, len(bullets))


def render_lessons(published: Published, target: str, href: Callable[[str], str]) -> str:
    """Render the lessons for a spec as a list; empty if there are none.

    Parameters:
        published: The playbook.
        target: The target of the bullets: `acdl:React2`.
        href: Returns the address of a bullet from the spec's page; empty if no page shows it.
    """
    items = "".join(_item(bullet, href(bullet.id)) for bullet in find_bullets_for(published.playbook, target))
    return f'<div class="acdl-playbook"><ul class="acdl-lessons">{items}</ul></div>' if items else ""


def _item(bullet: Bullet, href: str) -> str:
    named = f'<a href="{clean_text(href)}">{clean_text(bullet.id)}</a>' if href else clean_text(bullet.id)
    return f"<li>{render_content_line(bullet.content)} <small>{evidence_words(bullet)} {named}</small></li>"


MOST_PAIRS = 10
"""Most pairs on a page, the nearest first; the command shows all."""


def render_undecided_pairs(view: View, anchor: str) -> str:
    """Render the pairs as a list; empty without any.

    Parameters:
        view: The playbook and its surroundings.
        anchor: The id of the list.
    """
    pairs = view.published.undecided
    if not pairs:
        return ""
    file = quote(view.published.source.name)
    items = "\n".join(_pair_item(pair, view, file) for pair in pairs[:MOST_PAIRS])
    rest = len(pairs) - MOST_PAIRS
    remainder = (
        f"<p>and {rest:,} more: <code>acdl playbook review {clean_text(file)}</code> lists them.</p>"
        if rest > 0
        else ""
    )
    ask = "Do these say the same, contradict each other, or say different things?"
    words = f"{ask} On a terminal, <code>acdl playbook review {clean_text(file)}</code> asks about one after another."
    return f'<p>{words}</p>\n<ol class="acdl-pairs" id="{clean_text(anchor)}">\n{items}\n</ol>\n{remainder}'.rstrip()


def _pair_item(pair: NearPair, view: View, file: str) -> str:
    texts = render_side_by_side(pair.a.content, pair.b.content)
    sides = "".join(
        f"<div><p>{text}</p><small>{bullet_link(bullet.id, view)}</small></div>"
        for bullet, text in zip((pair.a, pair.b), texts, strict=True)
    )
    why = f"a merge asks: {clean_text(pair.why)}" if pair.why else f"similarity {pair.score:.2f}"
    commands = "".join(f"<li><code>{clean_text(each)}</code></li>" for each in _commands(pair, file))
    decide = write_details("Decide", f"<ul>{commands}</ul>")
    return f'<li><small>{why}</small><div class="acdl-pair">{sides}</div>{decide}</li>'


def _commands(pair: NearPair, file: str) -> Iterator[str]:
    """Yield the commands that decide, one a line."""
    for opinion in get_args(Opinion):
        yield f"acdl playbook review {file} {opinion} {pair.a.id} {pair.b.id}"
