"""The news of a playbook for a reader with little time: recent lessons, their sources, and whether they helped.

Recent means the last week of the history: counted back from its newest change, so that a page does not depend on the
date of the build.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet
from acdl_mkdocs.playbook.pages.article import bullet_link, revision_link
from acdl_mkdocs.playbook.pages.changes import State, compare_states, replay_states
from acdl_mkdocs.playbook.pages.evaluation import accuracy_words
from acdl_mkdocs.playbook.pages.history_html import Revision, day_of, get_count, sum_counters
from acdl_mkdocs.playbook.pages.html_text import clean_text, render_content_line
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.pages.sections import evidence_words
from acdl_mkdocs.playbook.pages.view import FACETS, View, changed_in, values_of
from acdl_mkdocs.playbook.store.look import GROUPS
from acdl_mkdocs.prompts.prompt import Json

DAYS = 7
"""How many days before the newest change are covered."""
MOST_LESSONS, MOST_NAMES = 3, 3
Tags: TypeAlias = tuple[int, int]
"""Helpful and harmful ones."""


@dataclass(frozen=True, slots=True)
class News:
    """The news of the last week of a history."""

    since: str
    """The first day of the week."""
    revisions: tuple[Revision, ...]
    lessons: tuple[Bullet, ...]
    """Added or changed lessons in use, the last changed first."""
    numbers: Mapping[str, int]
    """Changes of bullets by group: `added`, `changed`, `archived` …; only non-empty groups."""
    tags: Mapping[str, Tags]
    """Tags of `lessons` in this time, by their ids."""


def find_news(published: Published) -> News | None:
    """Return the news of the last week; `None` if the history has no dates."""
    newest = next((day for each in reversed(published.revisions) if (day := day_of(each))), "")
    since = _days_before(newest)
    if not since:
        return None
    before, after, recent = _split_history(published, since)
    differences = [each for each in compare_states(before, after) if each.kind == "bullet" and each.group != "counters"]
    touched = {each.id for each in differences if each.group in ("added", "changed", "merged")}
    lessons = [bullet for bullet in published.playbook.active if bullet.id in touched]
    lessons.sort(key=lambda bullet: (-changed_in(bullet, published), bullet.id))
    tags = {bullet.id: _tags(bullet, before) for bullet in lessons}
    return News(since, recent, tuple(lessons), Counter(each.group for each in differences), tags)


def render_news(view: View, evaluation: Mapping[str, Json], *, can_filter: bool = False) -> str:
    """Render the answers to three questions; empty if the history has no dates.

    Parameters:
        view: The playbook and its surroundings.
        evaluation: The report of an evaluation, as data; empty without one.
        can_filter: Whether the page has the bullets and a filter for them.
    """
    news = find_news(view.published)
    if news is None:
        return ""
    number = len(news.lessons)
    show = f'<button type="button" class="acdl-book-show" data-from="{news.since}" hidden>Show these lessons</button>'
    text = ", ".join(f"{news.numbers[group]:,} {group}" for group in GROUPS if group in news.numbers)
    learned = text if number else f"No lesson is new{': ' if text else ''}{text}."
    answers = (
        (f"Learned since <time>{news.since}</time>", learned),
        ("Who says so", "<br>".join(_list_authors(news, view.published)) or "nobody is named"),
        (
            "Did it help?",
            "<br>".join([*_describe_tags(news), *_describe_accuracy(news, view), *accuracy_words(evaluation)]),
        ),
    )
    rows = "".join(f"<div><dt>{title}</dt><dd>{text}</dd></div>" for title, text in answers)
    inside = f"<dl>{rows}</dl>{_lessons(news, view)}{show if number > MOST_LESSONS and can_filter else ''}"
    return f'<div class="acdl-book-news">{inside}</div>'


def _days_before(day: str) -> str:
    try:
        return (date.fromisoformat(day) - timedelta(days=DAYS)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _split_history(published: Published, since: str) -> tuple[State, State, tuple[Revision, ...]]:
    """Return the states before the first revision since a day and after the last, and the revisions between them."""
    days = [day_of(each) for each in published.revisions]
    first = next((idx for idx, day in enumerate(days) if day >= since), len(days))
    before: State = {}
    after: State = {}
    for idx, (_, state) in enumerate(replay_states(published)):
        after = state
        if idx < first:
            before = dict(state) if idx == first - 1 else before
    return before, after, published.revisions[first:]


def _tags(bullet: Bullet, before: State) -> Tags:
    old = before.get(("bullet", bullet.id), {})
    return bullet.helpful - get_count(old, "helpful"), bullet.harmful - get_count(old, "harmful")


def _lessons(news: News, view: View) -> str:
    """Render the last lessons."""
    if not news.lessons:
        return ""
    items = "".join(
        f"<li>{render_content_line(bullet.content)} <small>{evidence_words(bullet)} "
        f"{bullet_link(bullet.id, view)}</small></li>"
        for bullet in news.lessons[:MOST_LESSONS]
    )
    rest = len(news.lessons) - MOST_LESSONS
    return f"<ul>{items}{f'<li>and {rest:,} more</li>' if rest > 0 else ''}</ul>"


def _list_authors(news: News, published: Published) -> Iterator[str]:
    """Yield the contributors, models and runs of the lessons, by the number of their lessons."""
    values = [values_of(bullet, published) for bullet in news.lessons]
    for name in reversed(FACETS):
        counts = Counter(value for each in values for value in each[name])
        if not counts:
            continue
        ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        rest = len(ranked) - MOST_NAMES
        words = ", ".join(f"{clean_text(value)} {number:,}" for value, number in ranked[:MOST_NAMES])
        title = "" if name == "who" else f"{name.capitalize()}{'s' if len(ranked) > 1 else ''}: "
        yield f"{title}{words}{f' and {rest:,} more' if rest > 0 else ''}"


def _describe_tags(news: News) -> Sequence[str]:
    """Describe the tags of the lessons, and of all lessons in this time."""
    moved = sum_counters(news.revisions)
    everything = f"all lessons in this time: {_tag_words(moved.get('helpful', 0), moved.get('harmful', 0))}"
    if not news.lessons:
        return [everything.capitalize()]
    helpful, harmful = (sum(each[side] for each in news.tags.values()) for side in (0, 1))
    untagged = sum(not any(each) for each in news.tags.values())
    untagged_words = f", {untagged:,} of {len(news.lessons):,} not tagged yet" if untagged else ""
    return [f"These lessons: {_tag_words(helpful, harmful)}{untagged_words}", everything.capitalize()]


def _tag_words(helpful: int, harmful: int) -> str:
    return f"▲\N{NO-BREAK SPACE}{helpful:,} helpful ▼\N{NO-BREAK SPACE}{harmful:,} harmful"


def _describe_accuracy(news: News, view: View) -> Iterator[str]:
    """Yield the accuracy that a run measured before this time and in it."""
    points = sorted(view.surroundings.accuracy.items())
    if not points or not news.revisions:
        return
    first = news.revisions[0].number
    last = points[-1]
    earlier = [each for each in points if each[0] < first] or points[:1]
    measured = [last] if earlier[-1] == last else [earlier[-1], last]
    words = " → ".join(f"{100 * share:.0f} % at revision {revision_link(number, view)}" for number, share in measured)
    yield f"Accuracy in its run: {words}"
