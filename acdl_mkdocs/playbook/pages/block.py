"""A playbook, a section or single bullets as a block of a page, and the options of that block."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, note
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.pages.evaluation import render_evaluation
from acdl_mkdocs.playbook.pages.head import has_filter, render_controls, render_head
from acdl_mkdocs.playbook.pages.html_text import clean_text
from acdl_mkdocs.playbook.pages.news import render_news
from acdl_mkdocs.playbook.pages.plot import measure_growth, render_plot
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.pages.sections import (
    render_bullets,
    render_top_bullets,
    render_undecided_pairs,
    render_unused,
    sorted_bullets,
    top_bullets,
)
from acdl_mkdocs.playbook.pages.view import Facets, Surroundings, View, facets_of
from acdl_mkdocs.workspace import header
from acdl_mkdocs.workspace.header import check_word, choose_one, is_on

LANGUAGE = "acdl-playbook"
"""The first word of the fence, and the name of the directive."""

StatusChoice = Literal["active", "proposed", "archived", "all"]
Sort = Literal["file", "evidence", "helpful", "harmful", "seen", "updated"]

MAX_TOP = 50


@dataclass(frozen=True, slots=True)
class PlaybookOptions:
    """Which bullets of a playbook are shown, and how."""

    src: str = ""
    """The playbook file, relative to the project's folder: `playbooks/docs-agent.yaml`."""
    section: tuple[str, ...] = ()
    """Only the bullets in these sections; their ids, separated by commas."""
    bullet: tuple[str, ...] = ()
    """Only these bullets, in this order; their ids, separated by commas."""
    top: int | None = None
    """Number of lessons to show first; without `section` and `bullet`, only the lessons that help most are shown."""
    id: str = ""
    """Anchor of the block; without it, the name of the playbook."""
    title: str = ""
    """A title above the block."""
    status: StatusChoice = "all"
    """Which bullets are shown: those in use, those waiting for approval, archived ones, or all."""
    sort: Sort = "file"
    """By place in the file, by evidence that they help, by tags, by how often they were in a prompt, or most recently
    changed first."""
    head: bool = True
    """Whether the block begins with facts about the playbook and its files; a block of single bullets never does."""
    filter: bool = True
    """Whether readers can filter and sort."""
    growth: bool = False
    """Whether the evaluation and a growth chart are shown, with the accuracy if a run has measured it."""
    review: bool = False
    """Whether a block of the whole playbook shows the summary of the last week and the pairs to decide."""
    classes: tuple[str, ...] = ()
    """Additional CSS classes for the block (`.wide`)."""


Header: TypeAlias = header.Header[PlaybookOptions]
"""A playbook block header that was read."""


def _split_list(value: str, example: str) -> tuple[str, ...]:
    words = tuple(filter(None, (word.strip() for word in value.split(","))))
    if not words:
        raise ValueError(f'an id, or several with commas between them, such as "{example}"')
    return words


def _top(options: PlaybookOptions, value: str) -> PlaybookOptions:
    number = int(value) if re.fullmatch(r"[0-9]{1,4}", value) else 0
    if not 1 <= number <= MAX_TOP:
        raise ValueError(f"a whole number from 1 to {MAX_TOP}, such as 7")
    return replace(options, top=number)


PLAYBOOK_OPTIONS = MappingProxyType[str, header.Setter[PlaybookOptions]](
    {
        "src": lambda options, value: replace(options, src=value),
        "section": lambda options, value: replace(options, section=_split_list(value, "tool_usage, general")),
        "bullet": lambda options, value: replace(options, bullet=_split_list(value, "tu-7k3q9f2m, tu-8h2m4x1c")),
        "top": _top,
        "id": lambda options, value: replace(options, id=check_word(value)),
        "title": lambda options, value: replace(options, title=value),
        "status": lambda options, value: replace(options, status=choose_one(value, get_args(StatusChoice))),
        "sort": lambda options, value: replace(options, sort=choose_one(value, get_args(Sort))),
        "head": lambda options, value: replace(options, head=is_on(value)),
        "filter": lambda options, value: replace(options, filter=is_on(value)),
        "growth": lambda options, value: replace(options, growth=is_on(value)),
        "review": lambda options, value: replace(options, review=is_on(value)),
    }
)
"""All options that a header may set with `name=value`."""

_TABLE = header.Table(
    "a playbook", PLAYBOOK_OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name))
)


def read_playbook_header(text: Source, defaults: PlaybookOptions | None = None) -> Header:
    """Read the opening line of a fence: "```acdl-playbook src=playbook.yaml section=tool_usage"."""
    return header.parse_header(text, defaults or PlaybookOptions(), _TABLE, LANGUAGE)


def set_playbook_option(options: PlaybookOptions, name: str, value: object) -> PlaybookOptions:
    """Set one option of a directive.

    Raises:
        ValueError: The option does not exist or the value does not fit; the message says what was expected.
    """
    return header.set_option(options, name, value, _TABLE)


_LEVEL = 3
"""Level of the headings of sections inside a block."""


def render_playbook(
    options: PlaybookOptions, published: Published, surroundings: Surroundings, take: Callable[[str], str] = str
) -> tuple[str, str]:
    """Render a block and return its anchor; works without scripts, and is safe for any text of bullets.

    Parameters:
        options: The options of the block.
        published: The playbook.
        surroundings: The site, seen from the block's page.
        take: Returns an unused anchor of the page, preferably the given one.
    """
    bullets = select_bullets(published.playbook, options)
    name = take(options.id or "playbook")
    has_facets = options.filter and not options.bullet and options.top is None and has_filter(bullets)
    facets = facets_of(bullets, published) if has_facets else Facets()
    view = View(published, assign_anchors(bullets, take) if options.top is None else {}, surroundings, facets)
    parts = [f"<p><strong>{clean_text(options.title)}</strong></p>"] if options.title else []
    parts += [render_top_bullets(bullets, view)] if options.top is not None else _parts(bullets, options, view, name)
    classes = escape(" ".join(("acdl-playbook", *options.classes)))
    inside = "\n".join(filter(None, parts))
    return (
        f'<div class="{classes}" id="{clean_text(name)}" data-acdl-book="{clean_text(name)}">\n{inside}\n</div>',
        name,
    )


def select_bullets(playbook: Playbook, options: PlaybookOptions) -> tuple[Bullet, ...]:
    """Return the bullets that a block shows, in its order."""
    if options.bullet:
        named = [playbook.by_id[name] for name in options.bullet if name in playbook.by_id]
        return tuple(dict.fromkeys(named))
    bullets = tuple(each for each in playbook.bullets if not options.section or each.section in options.section)
    if options.top is not None:
        return top_bullets(bullets, options.top)
    if options.status != "all":
        bullets = tuple(each for each in bullets if each.status == options.status)
    return sorted_bullets(bullets, options.sort)


def assign_anchors(bullets: Iterable[Bullet], take: Callable[[str], str] = str) -> dict[str, str]:
    """Return the anchors of bullets, including those merged into them."""
    return {name: take(name) for bullet in bullets for name in (bullet.id, *bullet.aliases)}


def block_problems(header: Header, published: Published) -> tuple[Diagnostic, ...]:
    """Return the problems of a block besides `header.diagnostics`; spans refer to the header's source."""
    playbook, options = published.playbook, header.options
    problems = [
        *_unknown("section", "section", options.section, [each.id for each in playbook.sections], header),
        *_unknown("bullet", "bullet", options.bullet, list(playbook.by_id), header),
    ]
    if not problems and not select_bullets(playbook, options):
        what = "no bullet of the playbook is what it asks for"
        span = next((header.places[name] for name in ("section", "status", "src") if name in header.places), Span(0, 0))
        problems.append(note("empty-playbook", f"this block is empty: {what}", Label(span, what)))
    return tuple(problems)


def _unknown(
    option: str, thing: str, wanted: Sequence[str], names: Sequence[str], header: Header
) -> Iterator[Diagnostic]:
    for name in wanted:
        if name in names:
            continue
        near = find_closest(name, names)
        helps = f"did you mean `{near}`?" if near else f"`acdl playbook show` lists the {thing}s"
        label = Label(header.places.get(option, Span(0, 0)), f"no such {thing}, or it is not published")
        yield error(f"unknown-{thing}", f"the playbook has no {thing} `{name}`", label, help=helps)


def _parts(bullets: Sequence[Bullet], options: PlaybookOptions, view: View, name: str) -> list[str]:
    """Return everything inside a block that shows whole bullets."""
    if options.bullet:
        return [render_bullets(bullets, view, "")]
    playbook = view.published.playbook
    is_whole = not options.section
    is_reviewed = options.review and is_whole
    pairs = f"{name}-pairs" if is_reviewed else ""
    parts = (
        [render_news(view, view.surroundings.evaluation, can_filter=options.filter and has_filter(bullets))]
        if is_reviewed
        else []
    )
    parts.append(render_head(view, name, pairs) if options.head and is_whole else "")
    parts.append(render_controls(bullets, view, name) if options.filter else "")
    top = top_bullets(bullets) if is_whole and options.status in ("active", "all") else ()
    if top:
        parts += [_heading("Top lessons", f"{name}-top"), render_top_bullets(top, view)]
    for section in playbook.sections:
        section_bullets = [each for each in bullets if each.section == section.id and each.is_active]
        if section_bullets:
            parts += [
                _heading(section.title, f"{name}-{section.id}"),
                render_bullets(section_bullets, view, section.id),
            ]
    if pairs and (undecided := render_undecided_pairs(view, pairs)):
        parts += [_heading("Pairs to decide", f"{pairs}-heading"), undecided]
    if options.growth:
        points = measure_growth(view.published, view.surroundings.accuracy)
        parts += [render_evaluation(view.surroundings.evaluation), render_plot(points, f"How {playbook.name} grew")]
    return [*parts, render_unused(bullets, view)]


def _heading(title: str, anchor: str) -> str:
    return f'<h{_LEVEL} id="{clean_text(anchor)}">{clean_text(title)}</h{_LEVEL}>'
