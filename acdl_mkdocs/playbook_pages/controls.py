"""The controls that filter and sort the bullets of a page: hidden until a script makes them work.

Each choice has the number of its bullets; the script keeps these numbers true as other choices change.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook_pages.article import badges
from acdl_mkdocs.playbook_pages.evidence import WORDS, evidence
from acdl_mkdocs.playbook_pages.inline import clean

LEAST = 6
"""Fewer bullets are seen at a glance."""
SORTS = {"": "as written", "evidence": "best tested", "helpful": "most helpful", "harmful": "most harmful",
         "seen": "most seen", "updated": "last changed"}  # fmt: skip
_BADGES = ("active", "critical", "pinned", "proposed", "archived")


def controls(bullets: Sequence[Bullet], playbook: Playbook, book: str) -> str:
    """The form, and the line that says how many bullets are shown; nothing for a few bullets."""
    if len(bullets) < LEAST:
        return ""
    titles = {section.id: section.title for section in playbook.sections}
    sections = Counter(bullet.section for bullet in bullets)
    status = Counter(badge for bullet in bullets for badge in _badges(bullet))
    words = Counter(evidence(bullet).word for bullet in bullets)
    about = Counter(target for bullet in bullets for target in bullet.applies_to)
    choices = [
        _choice(
            "section", "Section", [(name, title, sections[name]) for name, title in titles.items() if sections[name]]
        ),
        _choice("status", "Status", [(each, each, status[each]) for each in _BADGES if status[each]]),
        _choice("evidence", "Evidence", [(each, each, words[each]) for each in WORDS if words[each]]),
        _choice("about", "Applies to", [(each, each, about[each]) for each in sorted(about)]),
    ]
    sort = "".join(f'<option value="{value}">{said}</option>' for value, said in SORTS.items())
    total = f"{len(bullets):,} bullets"
    return (
        f'<form class="acdl-book-filter" role="search" aria-label="Filter the bullets" '
        f'data-acdl-book="{clean(book)}" hidden>'
        '<label>Words <input type="search" name="find" autocomplete="off" spellcheck="false"></label>'
        f'{"".join(choices)}<label>Sort <select name="sort">{sort}</select></label>'
        '<button type="reset">Show all</button></form>'
        f'<p class="acdl-book-count" role="status" aria-live="polite">{total}</p>'
    )


def _badges(bullet: Bullet) -> Iterable[str]:
    return (*(["active"] if bullet.is_active else []), *badges(bullet))


def _choice(name: str, title: str, choices: Sequence[tuple[str, str, int]]) -> str:
    """A list of values with their numbers; nothing if all bullets have the same."""
    if len(choices) < 2:
        return ""
    options = "".join(
        f'<option value="{clean(value)}">{clean(words)} ({number})</option>' for value, words, number in choices
    )
    return f'<label>{title} <select name="{name}"><option value="">any</option>{options}</select></label>'
