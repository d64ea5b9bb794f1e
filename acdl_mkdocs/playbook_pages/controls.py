"""The controls that filter and sort the bullets of a page: hidden until a script makes them work.

Each choice has the number of its bullets; the script keeps these numbers true as other choices change.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook_pages.article import badges
from acdl_mkdocs.playbook_pages.evidence import WORDS, evidence
from acdl_mkdocs.playbook_pages.facets import FACETS, Facets
from acdl_mkdocs.playbook_pages.inline import clean
from acdl_mkdocs.playbook_pages.view import View

LEAST = 6
"""Fewer bullets are seen at a glance."""
SORTS = {"": "as written", "evidence": "best tested", "helpful": "most helpful", "harmful": "most harmful",
         "seen": "most seen", "updated": "last changed"}  # fmt: skip
_BADGES = ("active", "critical", "pinned", "proposed", "archived")


def controls(bullets: Sequence[Bullet], view: View, book: str) -> str:
    """The form, and the line that says how many bullets are shown; nothing for a few bullets."""
    if not has_filter(bullets):
        return ""
    facets = view.facets
    titles = {section.id: section.title for section in view.published.playbook.sections}
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
        *(
            _options(name, FACETS[name], [(value, value, number) for value, number in found.items()])
            for name, found in facets.choices.items()
        ),
        _dates(facets),
    ]
    sort = "".join(f'<option value="{value}">{said}</option>' for value, said in SORTS.items())
    days = f' data-days="{" ".join(f"{first} {day}" for first, day in facets.days)}"' if facets.days else ""
    total = f"{len(bullets):,} bullets"
    return (
        f'<form class="acdl-book-filter" role="search" aria-label="Filter the bullets" '
        f'data-acdl-book="{clean(book)}"{days} hidden>'
        '<label>Words <input type="search" name="find" autocomplete="off" spellcheck="false"></label>'
        f'{"".join(choices)}<label>Sort <select name="sort">{sort}</select></label>'
        '<button type="reset">Show all</button></form>'
        f'<p class="acdl-book-count" role="status" aria-live="polite">{total}</p>'
    )


def has_filter(bullets: Sequence[Bullet]) -> bool:
    """Whether bullets are too many to be seen at a glance."""
    return len(bullets) >= LEAST


def _badges(bullet: Bullet) -> Iterable[str]:
    return (*(["active"] if bullet.is_active else []), *badges(bullet))


def _dates(facets: Facets) -> str:
    """From when to when lessons were added or last changed, and after which revision; nothing without a history."""
    if not facets.days:
        return ""
    days = sorted(day for _, day in facets.days)
    span = f'min="{clean(days[0])}" max="{clean(days[-1])}"'
    controls = [
        f'<label>Changed from <input type="date" name="from" {span}></label>',
        f'<label>Changed until <input type="date" name="until" {span}></label>',
        '<label>After revision <input type="number" name="since" min="0" inputmode="numeric"></label>',
    ]
    return "".join(controls if len(days) > 1 else controls[-1:])


def _choice(name: str, title: str, choices: Sequence[tuple[str, str, int]]) -> str:
    """A list of values with their numbers; nothing if all bullets have the same."""
    return _options(name, title, choices) if len(choices) > 1 else ""


def _options(name: str, title: str, choices: Sequence[tuple[str, str, int]]) -> str:
    options = "".join(
        f'<option value="{clean(value)}">{clean(words)} ({number})</option>' for value, words, number in choices
    )
    return f'<label>{title} <select name="{name}"><option value="">any</option>{options}</select></label>'
