"""One fenced block as HTML, drawn or taken from the cache, with ids that its page does not have yet.

Shared by all documentation tools. Takes a fence or a source with options, returns HTML that is safe to put into a page
whatever the block contains. Modules that parse and draw are imported when a block is not in the cache.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, Severity, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.element import DrawnText, ProblemPanel, figure_element, text_view
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.cache import CacheEntry, PageCache, digest_of, key_of
from acdl_mkdocs.workspace.catalog import Catalog, Levels
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.parts import add_anchors
from acdl_mkdocs.workspace.read_block import BlockText, Finding, figure_name
from acdl_mkdocs.workspace.remembered import cache_across_builds

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.boxes import Box
    from acdl_mkdocs.evaluation.explain.model import Explanation
    from acdl_mkdocs.workspace.examine import Examined

_log = logging.getLogger(__name__)

_MAX_LOGGED = 100
"""Diagnostics of one block that get their own line in the build log."""
_BESIDE_PX = 460
"""The widest figure wanted beside messages: most pages have room for both."""
_N_SETTINGS = 256
"""Size of the cache of settings: a site has one, plus those of pages with their own settings."""
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")

_ID = re.compile(' id="([^"]*)"')
"""An id in our drawings: no text and no other attribute in them has an unescaped quote."""


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A block as HTML for a page."""

    html: str
    id: str
    """The anchor of the figure."""
    log: tuple[tuple[Severity, str], ...] = ()
    """Severity and line for the build log, one for each diagnostic."""


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """Everything that the HTML of a block depends on, and the other texts, which are parsed if needed."""

    text: BlockText
    settings: Settings
    others: Levels
    """The other texts that define what this one uses."""
    links: tuple[tuple[str, str], ...]
    """Names of fragments and the addresses of the figures that show them."""
    used_at: tuple[tuple[str, str], ...]
    """Addresses of the figures that use its fragments, with their names; set on a file's own page for a file."""
    is_site_known: bool
    """Whether fragments were searched on the whole site."""
    catalog: Catalog
    folder: Path | None = None
    """The folder that caches expensive results between builds."""


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Draw a fence of a page and report its problems to the page."""
    text, name = page.claim_block(fence)
    return draw_placed(text, name, page, partial(page.find_in_docstring, fence))


def to_html(text: BlockText, page: Page) -> PageBlock:
    """Draw a text as a block of a page, or take it from the cache; report its ids and problems to the page."""
    name = page.take_id(figure_name(text.options, text.source.text))
    page.catalog.add_text(text, f"#{name}")
    return draw_placed(text, name, page)


def draw_placed(
    text: BlockText, name: str, page: Page, find: Callable[[str], tuple[Fence, str] | None] = lambda _: None
) -> PageBlock:
    """Draw a block whose anchor is known, with ids that the page does not have yet.

    For tools that read all pages before they draw the first: they choose the anchor, and know the other pages.

    Parameters:
        text: The block.
        name: Its anchor.
        page: The page that shows it.
        find: Returns a better place and name for the problems of the block, if any.
    """
    request = request_of(text, name, page)
    entry = _free_entry(request, name, page)
    better = find(text.header.name) if entry.log and text.header else None
    if better:  # located by each build, so that the cache has no positions in files that may have changed
        request = replace(request, text=request.text.move_to(*better))
        entry = _free_entry(request, name, page)
    return _add_playground_link(_accept_entry(entry, name, page), request.text, page)


def _free_entry(request: BlockRequest, name: str, page: Page) -> CacheEntry:
    """Return the block with ids that the page does not have yet; those that no prefix makes new are left out."""
    before: set[str] = set()
    for number, prefix in enumerate(list_prefixes(request.text, name)):
        entry = draw_cached(request, name, prefix, page.cache)
        taken = {each for each in entry.ids if each != name and page.has_id(each)}
        if not taken or (number > 2 and taken <= before):  # two numbered prefixes have been tried
            break
        before = taken
    html = entry.html
    for each in taken:
        html = html.replace(f' id="{each}"', "")
    return replace(entry, html=html, ids=tuple(each for each in entry.ids if each not in taken))


def request_of(text: BlockText, name: str, page: Page) -> BlockRequest:
    """Collect everything about a block whose anchor is known, before it is drawn."""
    if text.options.id and name != figure_name(text.options, text.source.text):
        span, source = text.find_option("id")
        text = replace(text, findings=(*text.findings, (taken_id_problem(text.options.id, span, page), source)))
    return BlockRequest(
        text,
        _drawing_settings(page.settings),
        page.catalog.find_sources(text),
        tuple(page.catalog.find_links(text).items()),
        () if text.options.src else tuple(page.catalog.find_users(text).items()),
        "Frag" in text.source.text and page.catalog.site is not None and not page.catalog.has_unread,
        page.catalog,
        page.cache.path.parent if page.cache else None,
    )


@cache_across_builds(_N_SETTINGS)
def _drawing_settings(settings: Settings) -> Settings:
    """Return the settings without those that the options of a block override, and those that do not matter; cached."""
    return replace(settings, defaults=BlockOptions(), root=None, playground="")


def _add_playground_link(block: PageBlock, text: BlockText, page: Page) -> PageBlock:
    """Add a link that opens the block in the playground of the site, if that has one."""
    if not page.has_playground or not text.source.text.strip():
        return block
    from acdl_mkdocs.frontends.docs.blocks.example import example_of  # few sites have a playground
    from acdl_mkdocs.frontends.docs.blocks.playground_links import with_links

    example = example_of(text, page.catalog.find_sources(text))
    return replace(block, html=with_links(block.html, [example], block.id, page))


def list_prefixes(text: BlockText, name: str) -> Iterator[str]:
    """Yield possible prefixes of the ids inside a figure, best first."""
    if not text.options.id and name == figure_name(text.options, text.source.text):
        yield ""
    yield f"{name}-"
    for number in count(2):
        yield f"{name}-{number}-"


def _accept_entry(entry: CacheEntry, name: str, page: Page) -> PageBlock:
    """Take the ids and report the problems."""
    page.used_ids |= {name, *entry.ids}
    for severity, line in entry.log:
        page.report(severity, line)
    return PageBlock(entry.html, name, entry.log)


def draw_cached(request: BlockRequest, name: str, prefix: str, cache: PageCache | None) -> CacheEntry:
    """Return the drawn block, from the cache if possible."""
    if cache is None:
        return _draw_safely(request, name, prefix)
    keys = []
    for key in keys_of(request, name, prefix):
        entry = cache.find_entry(key)
        if entry is not None:
            return entry
        keys.append(key)
    entry = _draw_safely(request, name, prefix)
    cache.keep_entry(keys[-1] if entry.log else keys[0], entry)
    return entry


def keys_of(request: BlockRequest, name: str, prefix: str) -> Iterator[str]:
    """Yield the keys by which the cache may have a block.

    A block without problems does not depend on its place; one with problems shows line numbers.
    """
    text = request.text
    options = replace(text.options, src="") if text.options.src else text.options
    site = (request.links, request.used_at, request.is_site_known)
    facts = (digest_of(options), bool(text.options.src), digest_of(request.settings), name, prefix, *site)
    if not text.findings and not text.is_cut and not text.state and not text.runs:
        others = [[digest_of(other.text) for other in level] for level in request.others]
        yield key_of(text.source.text, *facts, others)
    header = (text.header, sorted(text.places.items(), key=lambda each: each[0]))
    placed_others = [list(map(digest_of, level)) for level in request.others]
    yield key_of(text.source, *facts, placed_others, header, text.findings, text.is_cut, _list_facts(text))


def _list_facts(text: BlockText) -> tuple[object, ...]:
    """Return what a block depends on except its own text."""
    return (text.state and text.state.facts, text.runs and text.runs.facts)


def _draw_safely(request: BlockRequest, name: str, prefix: str) -> CacheEntry:
    """Draw a block; a fault of this package becomes a panel in the page, never the end of a build or preview."""
    text, is_sound = request.text, True
    try:
        with system.pause_collector():  # includes the imports for the first block
            drawing = _draw_text(request, name, prefix) if text.source.text.strip() else DrawnText("", "", ())
    except Exception as fault:  # a preview must survive any failure caused by a block
        is_sound = False
        drawing = DrawnText("", text.source.text, (report_fault(fault, text.source, Span(0, 0)),))
    findings = [*text.findings, *(() if text.is_cut else drawing.findings)]
    shown_by = _source_line_of(text)
    visible = [pair for pair in findings if request.settings.show_warnings or pair[0].severity == "error"]
    panel = ProblemPanel(visible, request.settings.rule_url, shown_by)
    html = figure_element(text.options, name, drawing, panel, request.used_at)
    return CacheEntry(html, tuple(_ID.findall(html)), tuple(log_lines(findings, shown_by)), is_sound)


def report_fault(fault: Exception, source: Source, span: Span) -> Finding:
    """Log a fault of this package in drawing a block, and return it as a problem of the block."""
    _log.debug("drawing %s failed", source.name, exc_info=fault)
    label = Label(span, "this block could not be drawn")
    message = f"drawing failed with {type(fault).__name__}; please report it with this block"
    return error("internal-error", message, label), source


def _source_line_of(text: BlockText) -> str:
    """Return page and line of a block that shows a file; empty if it shows its own text."""
    return f"{text.header.name}:{text.header.first_line}" if text.header and text.options.src else ""


def log_lines(findings: Sequence[Finding], shown_by: str) -> Iterator[tuple[Severity, str]]:
    """Yield one line for each diagnostic, and one for all beyond the limit."""
    from acdl_mkdocs.foundation.reports.log_line import format_line_with_help

    for diagnostic, source in findings[:_MAX_LOGGED]:
        is_elsewhere = shown_by and not shown_by.startswith(f"{source.name}:")
        page = f" (shown by {shown_by})" if is_elsewhere else ""
        yield diagnostic.severity, format_line_with_help(diagnostic, source) + page
    rest = findings[_MAX_LOGGED:]
    if rest:
        worst = min((diagnostic.severity for diagnostic, _ in rest), key=_SEVERITIES.index)
        page = shown_by or rest[0][1].name
        yield worst, f"{page}: {len(rest)} more problems in this block; `acdl check` lists all of them"


def _draw_text(request: BlockRequest, name: str, prefix: str) -> DrawnText:
    """Analyse and draw a text."""
    from acdl_mkdocs.drawing.figure.boxes import is_understood
    from acdl_mkdocs.drawing.figure.describe import describe
    from acdl_mkdocs.drawing.formats import OUTPUTS
    from acdl_mkdocs.drawing.formats.options import OutputOptions
    from acdl_mkdocs.workspace.examine import examine_text, source_of

    text, options = request.text, request.text.options
    library = request.catalog.build_library(request.others)
    levels, is_site_known = dict(request.settings.rules), request.is_site_known
    config = Config(snippet=not options.src, levels=levels, is_site_known=is_site_known)
    examined = examine_text(text, config, library)
    source_text = source_of(examined) if options.src else text.source.text
    findings, sent = examined.findings, ""
    if text.state is not None:
        from acdl_mkdocs.frontends.docs.blocks.sent import render_sent  # few blocks have a state

        evaluated = render_sent(text, examined, name, config)
        findings, sent = (*findings, *evaluated.findings), evaluated.html
    box = describe(examined.resolved, examined.view)
    drawing = DrawnText("", source_text, findings, sent_html=sent)
    if text.runs is not None:
        box, drawing = _mark_runs(request, examined, config, box, drawing)
    if options.show == "source" or not is_understood(box):
        return drawing
    output_options = OutputOptions(
        title=options.title,
        id_prefix=prefix,
        theme=options.theme,
        width_px=_BESIDE_PX if sent and options.width is None else options.width,
        standalone=False,
        reflows=True,
        links=dict(request.links),
        source_url=request.settings.source_url,
    )
    words = OUTPUTS["text"](box, output_options) if options.show in ("both", "text") else ""
    if options.show == "text":
        return replace(drawing, figure=text_view(words))
    svg = add_anchors(OUTPUTS["svg"](box, output_options), name, prefix, text.source)
    drawing = replace(drawing, figure=svg, words=words)
    return _add_explanation(drawing, examined, text, name, prefix) if is_explained(options) else drawing


def _add_explanation(drawing: DrawnText, examined: "Examined", text: BlockText, name: str, prefix: str) -> DrawnText:
    """Add what a figure shows in words, with links to its lines."""
    from acdl_mkdocs.evaluation.explain.html import DrawnLines, write

    lines = DrawnLines(text.source, name, frozenset(_ID.findall(drawing.figure)))
    explanation = write(_explain_figure(examined), lines)
    return replace(drawing, explanation=explanation, explanation_id=f"{prefix or f'{name}-'}in-words")


def is_explained(options: BlockOptions) -> bool:
    """Return whether a figure has a view in words."""
    return options.explain is True and options.show in ("both", "side")


def write_outlines(text: BlockText, catalog: Catalog) -> str:
    """Return what a figure shows in words, as Markdown."""
    from acdl_mkdocs.evaluation.explain.text import write_outline
    from acdl_mkdocs.workspace.examine import examine_text

    examined = examine_text(text, Config(), catalog.build_library(catalog.find_sources(text)), is_checked=False)
    return "\n\n".join(map(write_outline, _explain_figure(examined)))


def _explain_figure(examined: "Examined") -> tuple["Explanation", ...]:
    """Explain what a figure shows in words."""
    from acdl_mkdocs.evaluation.explain.explain import explain

    view = examined.view
    return explain(examined.resolved, view.spec or None, Config(range=view.range), has_examples=False)


def _mark_runs(
    request: BlockRequest, examined: "Examined", config: Config, box: "Box", drawing: DrawnText
) -> tuple["Box", DrawnText]:
    """Mark a figure with the verdicts of recorded runs about its lines."""
    from acdl_mkdocs.frontends.docs.blocks import run_findings, run_marks  # few blocks have runs

    text = request.text
    runs = run_findings.findings_of(text, request.others, config, lambda: examined.resolved, request.folder)
    findings = (*drawing.findings, *runs.list_findings(text))
    margin = run_marks.render_margin(drawing.source, text.source, runs)
    drawing = replace(drawing, findings=findings, verified=runs.html, margin=margin)
    return run_marks.mark_figure(box, text.source, runs), drawing


def repeated_id_problem(name: str, span: Span, thing: str = "block") -> Diagnostic:
    """Return the problem that an id chosen by an author is used already."""
    label = Label(span, f"this {thing} gets another one")
    cure = f"give each {thing} of a page its own `id`"
    return warning("repeated-id", f"another block of this page has the id `{name}`", label, help=cure)


def taken_id_problem(name: str, span: Span, page: Page) -> Diagnostic:
    """Return the problem that an id chosen by an author belongs to another block, or to a heading."""
    if name not in page.foreign_ids:
        return repeated_id_problem(name, span)
    message = f"a heading or another element of this page has the id `{name}`"
    cure = "give the block an `id` of its own"
    return warning("repeated-id", message, Label(span, "this block gets another one"), help=cure)
