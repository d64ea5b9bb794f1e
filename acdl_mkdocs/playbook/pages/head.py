"""The head of a playbook page: its revision, its numbers, and controls that filter and sort."""

from collections import Counter as Counts
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from acdl_mkdocs.foundation.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.pages.article import WORDS, assess_evidence, list_badges, revision_link
from acdl_mkdocs.playbook.pages.history_html import day_of
from acdl_mkdocs.playbook.pages.html_text import clean_text
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.pages.view import FACETS, Facets, View
from acdl_mkdocs.prompts.tokens.counter import Counter, counter

MOST_NAMED = 3
"""Most runs and models that are listed; there may be hundreds."""
_HASH = 16
COPIES = (
    ("prompt.txt", "Prompt"),
    ("playbook.json", "JSON"),
    ("playbook.yaml", "YAML"),
    ("playbook.txt", "Text"),
    ("AGENTS.md", "AGENTS.md"),
)
"""Files that readers copy, with their titles."""


def render_head(view: View, book: str, pairs: str = "") -> str:
    """Render the facts as a list, and links to the files, which a script turns into copy buttons.

    Parameters:
        view: The playbook and its surroundings.
        book: The id of the playbook on the page.
        pairs: The anchor of the pairs that await a decision, if the page shows them.
    """
    facts = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _facts(view, pairs))
    return f'<dl class="acdl-book-facts">{facts}</dl>{_copies(view, book)}{_legend(view)}'


def _legend(view: View) -> str:
    """Explain the numbers of bullets; empty if there are none."""
    if not any(bullet.helpful or bullet.harmful for bullet in view.published.playbook.bullets):
        return ""
    words = (
        "▲ times a bullet helped, ▼ times it did harm; the range is the 95 % confidence interval of its share of help."
    )
    return f'<p class="acdl-book-legend"><small>{words}</small></p>'


def content_hash(playbook: Playbook) -> str:
    """Return the SHA-256 of the content of a playbook, without history and revision: equal for equal lessons."""
    text = "\n".join([prompt_text(playbook), *(f"{each.id} {each.status}" for each in playbook.bullets)])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def date_of(published: Published) -> str:
    """Return the date of the newest revision, from the history: `2026-11-20`; empty if unknown."""
    return next((day_of(each) for each in reversed(published.revisions) if each.time), "")


def format_bullet_count(number: int) -> str:
    """Return a number of bullets in words."""
    return f"{number:,} bullet{'' if number == 1 else 's'}"


def _facts(view: View, pairs: str) -> Iterator[tuple[str, str]]:
    published = view.published
    playbook = published.playbook
    date = date_of(published)
    number = revision_link(playbook.revision, view)
    yield "Revision", f"{number}, <time>{clean_text(date)}</time>" if date else number
    yield "Bullets", ", ".join(_counts(playbook))
    yield "Model tokens", _size(playbook)
    learned = "; ".join(_list_origins(playbook))
    if learned:
        yield "Learned", learned
    if published.revisions:
        n_revisions = len(published.revisions)
        gap = f"<br>{clean_text(published.gap)}" if published.gap else ""
        yield "History", f"{n_revisions:,} revision{'' if n_revisions == 1 else 's'}{gap}"
    if pairs and (n_pairs := len(published.undecided)):
        yield (
            "To decide",
            f'<a href="#{clean_text(pairs)}">{n_pairs:,} pair{"" if n_pairs == 1 else "s"}</a> of near bullets',
        )
    digest = content_hash(playbook)
    yield "Content hash", f'<code title="SHA-256 {digest}">{digest[:_HASH]}</code>'


def _counts(playbook: Playbook) -> Iterator[str]:
    n_sections = len({bullet.section for bullet in playbook.active})
    yield f"{len(playbook.active):,} in {n_sections} section{'' if n_sections == 1 else 's'}"
    pinned = sum(bullet.pinned for bullet in playbook.active)
    critical = sum(bullet.severity == "critical" for bullet in playbook.active)
    out = Counts(bullet.status for bullet in playbook.bullets if not bullet.is_active)
    named = {"pinned": pinned, "critical": critical, "proposed": out["proposed"], "archived": out["archived"]}
    yield from (f"{number:,} {name}" for name, number in named.items() if number)


def counter_of(playbook: Playbook) -> Counter:
    """Return the token counter of a playbook; the estimate if its packages are not installed."""
    try:
        return counter(playbook.policy.encoding or "estimate")
    except (MissingExtraError, UnknownFormatError):
        return counter("estimate")


def _size(playbook: Playbook) -> str:
    counts = counter_of(playbook)
    size = counts.count(prompt_text(playbook))
    size_text = f"{'≈ ' if counts.is_estimate else ''}{size:,}"
    encoding = f" <small>{clean_text(counts.encoding)}</small>"
    budget = playbook.policy.budget_model_tokens
    if not budget:
        return size_text + encoding
    words = f"{size:,} of {budget:,} model tokens"
    meter = f'<meter max="{budget}" value="{min(size, budget)}" title="{words}">{words}</meter>'
    return f"{size_text} of {budget:,}{encoding} {meter}"


def _list_origins(playbook: Playbook) -> Iterator[str]:
    """Yield the runs, models and contributors, by the number of their bullets."""
    sources = [source for bullet in playbook.bullets for source in bullet.source]
    for words, values in (
        ("run", Counts(source.run for source in sources if source.run)),
        ("model", Counts(source.model for source in sources if source.model)),
    ):
        if values:
            yield f"{len(values):,} {words}{'' if len(values) == 1 else 's'}: {_list_frequent(values)}"
    by = Counts(source.by for source in sources if source.by)
    if by:
        yield "by " + ", ".join(
            f"{clean_text(name)} {number:,}" for name, number in _sort_by_count(by.items())[:MOST_NAMED]
        )


def _list_frequent(values: "Counts[str]") -> str:
    names = [clean_text(name) for name, _ in _sort_by_count(values.items())]
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def _sort_by_count(values: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(values, key=lambda each: (-each[1], each[0]))


def _copies(view: View, book: str) -> str:
    links = "".join(
        f'<li><a href="{clean_text(view.surroundings.files[name])}" data-acdl-copy type="text/plain">{words}</a></li>'
        for name, words in COPIES
        if name in view.surroundings.files
    )
    feeds = "".join(
        f'<li><a href="{clean_text(view.surroundings.files[name])}">{words}</a></li>'
        for name, words in (("feed.json", "JSON Feed"), ("feed.xml", "Atom"))
        if name in view.surroundings.files
    )
    row = f'<ul class="acdl-book-files" aria-label="The playbook as a file" role="list">{links}{feeds}</ul>'
    status = f'<p class="acdl-book-said" role="status" id="{clean_text(book)}-said"></p>'
    return row + status if links or feeds else ""


LEAST = 6
"""With fewer bullets, no filter is needed."""
SORTS = {"": "as written", "evidence": "best tested", "helpful": "most helpful", "harmful": "most harmful",
         "seen": "most seen", "updated": "last changed"}  # fmt: skip
_BADGES = ("active", "critical", "pinned", "proposed", "archived")


def render_controls(bullets: Sequence[Bullet], view: View, book: str) -> str:
    """Render the form, and the line that counts the shown bullets; empty for a few bullets."""
    if not has_filter(bullets):
        return ""
    facets = view.facets
    titles = {section.id: section.title for section in view.published.playbook.sections}
    sections = Counts(bullet.section for bullet in bullets)
    status = Counts(badge for bullet in bullets for badge in _badges(bullet))
    words = Counts(assess_evidence(bullet).word for bullet in bullets)
    about = Counts(target for bullet in bullets for target in bullet.applies_to)
    choices = [
        _choice(
            "section", "Section", [(name, title, sections[name]) for name, title in titles.items() if sections[name]]
        ),
        _choice("status", "Status", [(each, each, status[each]) for each in _BADGES if status[each]]),
        _choice("evidence", "Evidence", [(each, each, words[each]) for each in WORDS if words[each]]),
        _choice("about", "Applies to", [(each, each, about[each]) for each in sorted(about)]),
        *(
            _options(name, FACETS[name], [(value, value, number) for value, number in numbers.items()])
            for name, numbers in facets.choices.items()
        ),
        _dates(facets),
    ]
    sort = "".join(f'<option value="{value}">{label}</option>' for value, label in SORTS.items())
    days = f' data-days="{" ".join(f"{first} {day}" for first, day in facets.days)}"' if facets.days else ""
    total = f"{len(bullets):,} bullets"
    return (
        f'<form class="acdl-book-filter" role="search" aria-label="Filter the bullets" '
        f'data-acdl-book="{clean_text(book)}"{days} hidden>'
        '<label>Words <input type="search" name="find" autocomplete="off" spellcheck="false"></label>'
        f'{"".join(choices)}<label>Sort <select name="sort">{sort}</select></label>'
        '<button type="reset">Show all</button></form>'
        f'<p class="acdl-book-count" role="status" aria-live="polite">{total}</p>'
    )


def has_filter(bullets: Sequence[Bullet]) -> bool:
    """Return whether there are enough bullets for a filter."""
    return len(bullets) >= LEAST


def _badges(bullet: Bullet) -> Iterable[str]:
    return (*(["active"] if bullet.is_active else []), *list_badges(bullet))


def _dates(facets: Facets) -> str:
    """Render the range of dates of lessons, and the revisions since; empty without a history."""
    if not facets.days:
        return ""
    days = sorted(day for _, day in facets.days)
    span = f'min="{clean_text(days[0])}" max="{clean_text(days[-1])}"'
    controls = [
        f'<label>Changed from <input type="date" name="from" {span}></label>',
        f'<label>Changed until <input type="date" name="until" {span}></label>',
        '<label>After revision <input type="number" name="since" min="0" inputmode="numeric"></label>',
    ]
    return "".join(controls if len(days) > 1 else controls[-1:])


def _choice(name: str, title: str, choices: Sequence[tuple[str, str, int]]) -> str:
    """Render a list of values with their numbers; empty if all bullets have the same one."""
    return _options(name, title, choices) if len(choices) > 1 else ""


def _options(name: str, title: str, choices: Sequence[tuple[str, str, int]]) -> str:
    options = "".join(
        f'<option value="{clean_text(value)}">{clean_text(words)} ({number})</option>'
        for value, words, number in choices
    )
    return f'<label>{title} <select name="{name}"><option value="">any</option>{options}</select></label>'
