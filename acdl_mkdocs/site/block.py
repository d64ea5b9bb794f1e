"""One fenced block as HTML: figure, caption, source, and what is wrong with it.

Shared by all documentation tools. Takes a fence or a source with options, gives HTML that is safe to put into a page
whatever the block says. Modules that parse and draw are imported when a block is not in the cache.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from acdl_mkdocs.diagnostics import Diagnostic, Label, Severity, error, warning
from acdl_mkdocs.site.cache import Entry, key_of
from acdl_mkdocs.site.fences import Fence
from acdl_mkdocs.site.files import printable
from acdl_mkdocs.site.options import BlockOptions
from acdl_mkdocs.site.page import Page, Settings
from acdl_mkdocs.site.read_block import Finding, examine, figure_name, read_block, source_of
from acdl_mkdocs.source import Source, Span

_log = logging.getLogger(__name__)

_DRAWING = re.compile(r'<svg class="acdl-.*?</desc>(.*?)</svg>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_ID = re.compile(r'<[a-z][^<>]*?\sid="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it goes into a page."""

    html: str
    id: str
    """The anchor of the figure."""
    log: tuple[tuple[str, str], ...] = ()
    """Severity and line for the build log, one for each diagnostic."""


@dataclass(frozen=True, slots=True)
class _Request:
    """Everything that the HTML of a block depends on."""

    source: Source
    options: BlockOptions
    findings: tuple[Finding, ...]
    is_cut: bool
    settings: Settings


def from_fence(fence: Fence, page: Page) -> Block:
    """Draw a fence of a page and report its problems to the page."""
    placed, name = page.locate(fence)
    text = read_block(placed, name, page.settings.defaults, page.root)
    page.files |= {text.file} if text.file else set()
    return to_html(text.source, text.options, page, text.findings, is_cut=text.is_cut)


def to_html(
    source: Source, options: BlockOptions, page: Page, findings: Sequence[Finding] = (), *, is_cut: bool = False
) -> Block:
    """Draw a block, or take it from the cache; tell the page its ids and problems.

    Parameters:
        source: The text, and where it stands.
        options: What the header says.
        page: Where the block goes. Its `used_ids` grow.
        findings: Problems that are already known, such as those of the header.
        is_cut: Whether the text ends where it should not, so that its own problems say nothing.
    """
    settings = replace(page.settings, defaults=BlockOptions())  # the header's options count, not the defaults
    base = figure_name(options, source.text)
    if options.id in page.used_ids and options.id:
        findings = (*findings, (_repeated_id(options.id), source))
    request = _Request(source, options, tuple(findings), is_cut, settings)
    for name in page.names(_as_id(base)):
        prefixes = (f"{name}-",) if options.id or name != _as_id(base) else ("", f"{name}-")
        for prefix in prefixes:
            entry = _cached(request, name, prefix, page)
            if page.used_ids.isdisjoint(entry.ids):
                return _accepted(entry, name, page)
    raise AssertionError("names never end")


def _accepted(entry: Entry, name: str, page: Page) -> Block:
    """Take the ids and pass the problems on."""
    page.used_ids |= {name, *entry.ids}
    severities: dict[str, Severity] = {"error": "error", "warning": "warning", "note": "note"}
    for severity, line in entry.log:
        page.report(severities[severity], line)
    return Block(entry.html, name, entry.log)


def _cached(request: _Request, name: str, prefix: str, page: Page) -> Entry:
    """The drawn block, from the cache if possible.

    A block without problems does not depend on where it stands; one with problems shows line numbers.
    """
    if page.cache is None:
        return _drawn(request, name, prefix)
    source = request.source
    options = replace(request.options, src="")
    facts = (options, bool(request.options.src), request.settings, name, prefix)
    anywhere = key_of(source.text, *facts)
    here = key_of(source, *facts, request.findings, request.is_cut)
    is_plain = not request.findings and not request.is_cut
    entry = (page.cache.get(anywhere) if is_plain else None) or page.cache.get(here)
    if entry is None:
        entry = _drawn(request, name, prefix)
        page.cache.put(anywhere if is_plain and not entry.log else here, entry)
    return entry


def _drawn(request: _Request, name: str, prefix: str) -> Entry:
    """Draw a block; a fault of this package becomes a panel in the page, never the end of a build or preview."""
    try:
        drawing = _draw(request, name, prefix) if request.source.text.strip() else _Drawing("", "", [])
    except Exception as fault:  # a preview must survive whatever a block makes happen
        _log.debug("drawing %s failed", request.source.name, exc_info=True)
        label = Label(Span(0, 0), "this block could not be drawn")
        message = f"drawing failed with {type(fault).__name__}; please report it with this block"
        found = [(error("internal-error", message, label), request.source)]
        drawing = _Drawing("", request.source.text, found)
    findings = [*request.findings, *([] if request.is_cut else drawing.findings)]
    html = _page_html(request, name, drawing, findings)
    return Entry(html, tuple(_ID.findall(html)), _log_lines(findings))


def _log_lines(findings: Sequence[Finding]) -> tuple[tuple[str, str], ...]:
    from acdl_mkdocs.reports.log_line import log_line

    return tuple((diagnostic.severity, log_line(diagnostic, source)) for diagnostic, source in findings)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What became of the text of a block."""

    figure: str
    """SVG or text; empty if nothing could be understood."""
    shown_source: str
    findings: list[Finding]


def _draw(request: _Request, name: str, prefix: str) -> _Drawing:
    """Analyse and draw a text."""
    from acdl_mkdocs.figure.describe import View, describe
    from acdl_mkdocs.outputs import OUTPUTS
    from acdl_mkdocs.outputs.options import OutputOptions

    options = request.options
    examined = examine(request.source, options, is_snippet=not options.src)
    found = list(examined.findings)
    shown = source_of(examined) if options.src else request.source.text
    box = describe(examined.resolved, View(spec=examined.spec, comments=options.comments, range=options.range))
    if options.show == "source" or all(child.kind in ("broken", "skipped") for child in box.children):
        return _Drawing("", shown, found)
    output_options = OutputOptions(
        title=options.title,
        id_prefix=prefix,
        theme=options.theme,
        width_px=options.width,
        standalone=False,
        source_url=request.settings.source_url,
    )
    if options.show == "text":
        return _Drawing(f'<pre class="acdl-text">{escape(OUTPUTS["text"](box, output_options))}</pre>', shown, found)
    return _Drawing(_with_own_ids(OUTPUTS["svg"](box, output_options), name, prefix), shown, found)


def _with_own_ids(svg: str, name: str, prefix: str) -> str:
    """The drawing with the ids that it shares with others of the page: the spec's name is that of the `<figure>`."""
    svg = svg.replace(f'<g id="{name}"', "<g", 1)
    if prefix:
        return svg
    for word, attribute in (("title", "aria-labelledby"), ("desc", "aria-describedby")):
        svg = svg.replace(f'<{word} id="acdl-{word}"', f'<{word} id="{name}-{word}"', 1)
        svg = svg.replace(f'{attribute}="acdl-{word}"', f'{attribute}="{name}-{word}"', 1)
    return svg


def _page_html(request: _Request, name: str, drawing: _Drawing, findings: Sequence[Finding]) -> str:
    """The `<figure>` element: panel, figure, source, caption, link to itself."""
    options = request.options
    shown = [pair for pair in findings if request.settings.show_warnings or pair[0].severity == "error"]
    is_broken = any(diagnostic.severity == "error" for diagnostic, _ in shown)
    classes = " ".join(("acdl", *(escape(each) for each in options.classes)))
    parts = [
        f'<figure class="{classes}" id="{name}">',
        f'<div class="acdl-title">{escape(printable(options.title))}</div>' if options.title else "",
        _panel(shown, request.settings.rule_url) if shown else "",
        f'<div class="acdl-figure">{drawing.figure}</div>' if drawing.figure else "",
        _source_view(drawing.shown_source, options.show, is_open=is_broken and not drawing.figure),
        f'<a class="acdl-permalink" href="#{name}" title="Link to this figure" aria-label="Link to this figure">#</a>',
        f"<figcaption>{escape(printable(options.caption))}</figcaption>" if options.caption else "",
        "</figure>",
    ]
    return "".join(parts)


def _panel(shown: Sequence[Finding], rule_url: str) -> str:
    from acdl_mkdocs.reports.html_panel import panel
    from acdl_mkdocs.reports.options import ReportOptions

    return panel(shown, ReportOptions(rule_url=rule_url))


def words_for_search(html: str) -> str:
    """The HTML with each drawing replaced by its words, one statement a line, each word once."""
    return _DRAWING.sub(lambda drawing: _TAG.sub("", drawing[1].replace("</text>", "\n")), html)


def _source_view(text: str, show: str, *, is_open: bool) -> str:
    """The text of the block, ready to be copied: folded, or as the block itself if only the source is wanted."""
    if not text.strip() or (show in ("figure", "text") and not is_open):
        return ""
    code = f'<pre class="acdl-code"><code class="language-acdl">{escape(text.strip(chr(10)))}\n</code></pre>'
    if show == "source":
        return code
    opened = " open" if is_open else ""
    return f'<details class="acdl-source" data-search-exclude{opened}><summary>Source</summary>{code}</details>'


def _as_id(name: str) -> str:
    """A name with only what is safe in an `id` and in the address of a link to it."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "acdl"


def _repeated_id(name: str) -> Diagnostic:
    label = Label(Span(0, 0), "this block gets another one")
    cure = "give each block of a page its own `id`"
    return warning("repeated-id", f"another block of this page has the id `{name}`", label, help=cure)
