"""The generated pages of a playbook: one page, or an index and one for each section, and their addresses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import escape_markdown
from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.playbook.model.bullets import Bullet, Section
from acdl_mkdocs.playbook.pages.block import assign_anchors
from acdl_mkdocs.playbook.pages.changes import GeneratedPage, changes_pages, revision_address, write_front_matter
from acdl_mkdocs.playbook.pages.evaluation import render_evaluation
from acdl_mkdocs.playbook.pages.files import file_names
from acdl_mkdocs.playbook.pages.head import format_bullet_count, has_filter, render_controls, render_head
from acdl_mkdocs.playbook.pages.html_text import clean_text
from acdl_mkdocs.playbook.pages.news import render_news
from acdl_mkdocs.playbook.pages.plot import measure_growth, render_plot
from acdl_mkdocs.playbook.pages.published import Published
from acdl_mkdocs.playbook.pages.sections import (
    UNUSED,
    render_bullets,
    render_top_bullets,
    render_undecided_pairs,
    render_unused,
    top_bullets,
)
from acdl_mkdocs.playbook.pages.view import Facets, Surroundings, Target, View, facets_of
from acdl_mkdocs.prompts.prompt import Json

INDEX = "index"

Address: TypeAlias = Callable[[str, str], str]
"""Returns the relative address of a page or file, by its name, from a page, by its name."""


def folder_address(page: str, other: str) -> str:
    """Return the address if each page is a folder: from `index` to `changes` it is `changes/`."""
    up = "" if page == INDEX else "../"
    if is_file_name(other):
        return f"{up}{other}"
    return (up if other == INDEX else f"{up}{other}/") or "./"


def file_address(page: str, other: str) -> str:
    """Return the address if each page is a file: from `index` to `changes` it is `changes.html`."""
    del page
    return other if is_file_name(other) else f"{other}.html"


def is_file_name(name: str) -> bool:
    """Return whether a name is that of a file; names of pages have no dot."""
    return "." in name


MOST_ON_A_PAGE = 2000
"""With more bullets, each section has a separate page."""
BOOK = "playbook"
"""The id of the playbook on its own pages."""
UNDECIDED = f"{BOOK}-pairs"
"""The id of the pairs that await a decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The site as the pages of a playbook need it."""

    address: Address = folder_address
    """Between pages and files of the playbook."""
    link: Callable[[str, str], Target | None] | None = None
    """Returns the spec that a bullet applies to (`acdl:React2`), as seen from a page."""
    accuracy: Mapping[int, float] = field(default_factory=dict)
    """Maps revisions to the share of samples solved with them, for the plot."""
    evaluation: Mapping[str, Json] = field(default_factory=dict)
    """The report of an evaluation, as data."""
    most_on_a_page: int = MOST_ON_A_PAGE


def playbook_pages(published: Published, site: Site | None = None) -> tuple[GeneratedPage, ...]:
    """Return all pages: the playbook's own, the first named `index`, then those of its changes."""
    site = site or Site()
    writer = _Writer(published, site)
    return (*writer.write_pages(), *changes_pages(published, site.address, writer.find_bullet_address))


def bullet_address(published: Published, id: str, site: Site | None = None) -> tuple[str, str]:
    """Return the page and the anchor of a bullet; empty if no page has it."""
    return _Writer(published, site or Site()).find_bullet(id)


def section_page(section: str) -> str:
    """Return the name of the page of a section, if sections have pages."""
    return f"section-{section}"


class _Writer:
    """Writes the pages of one playbook as Markdown."""

    def __init__(self, published: Published, site: Site) -> None:
        self._published = published
        self._site = site
        self._playbook = published.playbook
        self._is_split = len(self._playbook.bullets) > site.most_on_a_page

    def write_pages(self) -> Iterator[GeneratedPage]:
        """Yield the index, and the pages of sections that do not fit on it."""
        yield self._index()
        if self._is_split:
            for section in self._playbook.sections:
                bullets = [each for each in self._playbook.bullets if each.section == section.id]
                if bullets:
                    yield self._section_page(section, bullets)

    def find_bullet_address(self, page: str, id: str) -> str:
        """Return the address of a bullet from a page."""
        name, anchor = self.find_bullet(id)
        return f"{self._site.address(page, name)}#{anchor}" if name else ""

    def find_bullet(self, id: str) -> tuple[str, str]:
        """Return the page and the anchor of a bullet."""
        bullet = self._playbook.by_id.get(id)
        if bullet is None:
            return "", ""
        return (section_page(bullet.section) if self._is_split else INDEX), bullet.id

    def _view(self, page: str, bullets: Sequence[Bullet]) -> View:
        site, published = self._site, self._published

        def revision(number: int) -> str:
            name, anchor = revision_address(published, number)
            return f"{site.address(page, name)}#{anchor}" if name else ""

        link = site.link
        surroundings = Surroundings(
            link=(lambda words: link(page, words)) if link else None,
            elsewhere=lambda name: self.find_bullet_address(page, name),
            revision=revision,
            files={name: site.address(page, name) for name in file_names(published)},
            accuracy=site.accuracy,
        )
        facets = facets_of(bullets, published) if has_filter(bullets) else Facets()
        return View(published, assign_anchors(bullets), surroundings, facets)

    def _index(self) -> GeneratedPage:
        playbook = self._playbook
        bullets = () if self._is_split else playbook.bullets
        view = self._view(INDEX, bullets)
        about = f"{format_bullet_count(len(playbook.active))} in revision {playbook.revision}"
        parts = [
            write_front_matter(playbook.name, f"Playbook {playbook.name}: {about}"),
            f"# {escape_markdown(playbook.name)}",
            _part(
                [
                    render_news(view, self._site.evaluation, can_filter=has_filter(bullets)),
                    render_head(view, BOOK, UNDECIDED),
                    render_controls(bullets, view, BOOK),
                ],
                is_first=True,
            ),
        ]
        if top := top_bullets(playbook.bullets):
            parts += ["## Top lessons", _part([render_top_bullets(top, view)])]
        parts += self._contents(view) if self._is_split else _sections(playbook.sections, bullets, view)
        if undecided := render_undecided_pairs(view, UNDECIDED):
            parts += ["## Pairs to decide", _part([undecided])]
        if measured := render_evaluation(self._site.evaluation):
            parts += ["## Evaluation", _part([measured])]
        points = measure_growth(self._published, self._site.accuracy)
        if len(points) > 1:
            parts += ["## How it grew", _part([render_plot(points, f"How {playbook.name} grew")])]
        return GeneratedPage(INDEX, playbook.name, "\n\n".join(parts) + "\n")

    def _section_page(self, section: Section, bullets: Sequence[Bullet]) -> GeneratedPage:
        name = section_page(section.id)
        view = self._view(name, bullets)
        title = f"{section.title}: {self._playbook.name}"
        home = f'<p><a href="{clean_text(self._site.address(name, INDEX))}">{clean_text(self._playbook.name)}</a></p>'
        parts = [
            write_front_matter(title, format_bullet_count(len(bullets))),
            f"# {escape_markdown(section.title)}",
            _part([home, render_controls(bullets, view, BOOK)], is_first=True),
            *_sections([section], bullets, view, has_headings=False),
        ]
        return GeneratedPage(name, title, "\n\n".join(parts) + "\n")

    def _contents(self, view: View) -> Iterator[str]:
        """Yield the sections of a split playbook, and every id, so that addresses of bullets keep working."""
        rows, ids = [], []
        for section in self._playbook.sections:
            bullets = [each for each in self._playbook.bullets if each.section == section.id]
            if not bullets:
                continue
            address = clean_text(self._site.address(INDEX, section_page(section.id)))
            rows.append(
                f'<li><a href="{address}">{clean_text(section.title)}</a> {format_bullet_count(len(bullets))}</li>'
            )
            ids += [
                f'<a id="{clean_text(name)}" href="{clean_text(view.find_address(bullet.id))}">{clean_text(name)}</a>'
                for bullet in bullets
                for name in (bullet.id, *bullet.aliases)
            ]
        listed = write_details(f"Every id ({len(ids):,})", f"\n<p>{chr(10).join(ids)}</p>\n")
        yield "## Sections"
        yield _part([f"<ul>{''.join(rows)}</ul>", f'<div class="acdl-ids" data-search-exclude>{listed}</div>'])


def _sections(
    sections: Sequence[Section], bullets: Sequence[Bullet], view: View, *, has_headings: bool = True
) -> Iterator[str]:
    """Yield a heading and a part for each section with bullets in use, then the archived bullets."""
    for section in sections:
        section_bullets = [each for each in bullets if each.section == section.id and each.is_active]
        if section_bullets:
            if has_headings:
                yield f"## {escape_markdown(section.title)}"
            yield _part([render_bullets(section_bullets, view, section.id)])
    for status in UNUSED:
        unused = [each for each in bullets if each.status == status]
        if unused:
            yield f"## {status.capitalize()} bullets"
            yield _part([render_unused(unused, view)])


def _part(parts: Sequence[str], *, is_first: bool = False) -> str:
    """Return a part of the page in HTML."""
    anchor = f' id="{BOOK}"' if is_first else ""
    inside = "\n".join(filter(None, parts))
    return f'<div class="acdl-playbook"{anchor} data-acdl-book="{BOOK}">\n{inside}\n</div>'
