"""A block that compares specs or shows recorded requests: read, drawn or taken from the cache, with unique ids.

Knows no language of blocks. Modules that parse and draw are imported when a block is not in the cache.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock, log_lines, report_fault, taken_id_problem
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.relocate import ids_in
from acdl_mkdocs.workspace.cache import CacheEntry, key_of
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

if TYPE_CHECKING:
    from acdl_mkdocs.frontends.docs.blocks.example import Example


class ReadBlock(Protocol):
    """A block as read."""

    @property
    def opening(self) -> Source:
        """The lines with its options."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The problems of the block."""

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that it depends on."""

    @property
    def requested_id(self) -> str:
        """The requested anchor; empty if there is none."""

    def get_option_span(self, option: str) -> Span:
        """Return the place of an option, else that of all options."""


T = TypeVar("T", bound=ReadBlock)
P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class DrawnBlock(Generic[P]):
    """The result of drawing a block."""

    parts: P | None
    """The parts to show; `None` if there are none."""
    findings: list[Finding]


@dataclass(frozen=True, slots=True)
class BlockKind(Generic[T, P]):
    """A language of such blocks."""

    language: str
    """The first word of the fence, and the anchor of a block without an `id`."""
    thing: str
    """The subject of its problems."""
    read: Callable[[Fence, Page], T]
    facts: Callable[[T], object]
    """Returns everything that can change the result and is not in the page's settings; distinguished by its `repr`."""
    draw: Callable[[T, str, Page], DrawnBlock[P]]
    """Draws a block; takes the prefix of the ids inside."""
    element: Callable[[T, str, P | None, str, Page], str]
    """Renders the HTML from the block, its anchor, the parts, and the HTML of problems."""
    list_examples: "Callable[[T], Iterable[Example]]"
    """Returns what a playground opens."""


def from_fence(fence: Fence, page: Page, kind: BlockKind[T, P]) -> PageBlock:
    """Draw a fence of a page, and report its problems to the page."""
    text = kind.read(fence, page)
    page.files |= set(text.files)
    name = page.take_id(text.requested_id or kind.language)
    id_findings: tuple[Finding, ...] = ()
    if text.requested_id and name != text.requested_id:
        id_findings = ((taken_id_problem(text.requested_id, text.get_option_span("id"), page), text.opening),)
    entry = next(each for each in _list_entries(text, id_findings, name, page, kind) if _is_free(each, name, page))
    page.used_ids |= {name, *entry.ids}
    for severity, line in entry.log:
        page.report(severity, line)
    return PageBlock(_add_playground_links(entry.html, text, name, page, kind), name, entry.log)


def _add_playground_links(html: str, text: T, name: str, page: Page, kind: BlockKind[T, P]) -> str:
    """Add links that open the block in the playground of the site, if that has one."""
    if not page.has_playground:
        return html
    from acdl_mkdocs.frontends.docs.blocks.playground_links import with_links

    return with_links(html, kind.list_examples(text), name, page)


def _is_free(entry: CacheEntry, name: str, page: Page) -> bool:
    return not any(page.has_id(each) for each in entry.ids if each != name)


def _list_entries(
    text: T, id_findings: tuple[Finding, ...], name: str, page: Page, kind: BlockKind[T, P]
) -> Iterator[CacheEntry]:
    """Yield the block with one prefix of its ids after the other."""
    for number in count(1):
        prefix = f"{name}-" if number == 1 else f"{name}-{number}-"
        yield _draw_cached(text, id_findings, (name, prefix), page, kind)


def _draw_cached(
    text: T, id_findings: tuple[Finding, ...], names: tuple[str, str], page: Page, kind: BlockKind[T, P]
) -> CacheEntry:
    """Return the drawn block, from the cache if possible."""
    if page.cache is None:
        return _draw_safely(text, id_findings, names, page, kind)
    settings = replace(page.settings, root=None, playground="")
    key = key_of(kind.language, kind.facts(text), text.opening, text.findings, id_findings, settings, names)
    entry = page.cache.find_entry(key)
    if entry is None:
        entry = _draw_safely(text, id_findings, names, page, kind)
        page.cache.keep_entry(key, entry)
    return entry


def _draw_safely(
    text: T, id_findings: tuple[Finding, ...], names: tuple[str, str], page: Page, kind: BlockKind[T, P]
) -> CacheEntry:
    """Draw a block; a fault of this package becomes a panel in the page, never the end of a build or preview."""
    from acdl_mkdocs.foundation.reports.html_panel import render_panel
    from acdl_mkdocs.foundation.reports.options import ReportOptions

    name, prefix = names
    parts: P | None = None
    findings, is_sound = [*text.findings, *id_findings], True
    try:
        drawing = kind.draw(text, prefix, page)
        parts = drawing.parts
        findings += drawing.findings
    except Exception as fault:  # a preview must survive any failure caused by a block
        is_sound = False
        findings.append(report_fault(fault, text.opening, Span(0, len(text.opening.text))))
    shown_by = f"{text.opening.name}:{text.opening.first_line}"
    visible = [each for each in findings if page.settings.show_warnings or each[0].severity == "error"]
    panel = (
        render_panel(visible, ReportOptions(rule_url=page.settings.rule_url, thing=kind.thing), shown_by)
        if visible
        else ""
    )
    html = kind.element(text, name, parts, panel, page)
    return CacheEntry(html, tuple(ids_in(html)), tuple(log_lines(findings, shown_by)), is_sound)
