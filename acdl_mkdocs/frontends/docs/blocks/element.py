"""The `<figure>` element of a block: panel, figure, source, text, words, caption and a link to itself, as HTML.

Takes drawings and findings; knows nothing of parsing or drawing. Without a script, the other views are folded below
the figure; `acdl.js` turns them into a switch.
"""

from collections.abc import Sequence
from html import escape

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import Finding


@dataclass(frozen=True, slots=True)
class DrawnText:
    """The result of drawing the text of a block."""

    figure: str
    """SVG, or the text as `<pre>`; empty if nothing could be understood."""
    source: str
    """The text that is shown as the source."""
    findings: tuple[Finding, ...]
    words: str = ""
    """The figure as plain text, for a reader who wants that; empty if it is not offered."""
    explanation: str = ""
    """The figure in words, as HTML; empty if it is not offered."""
    explanation_id: str = ""
    """Its anchor."""
    sent_html: str = ""
    """The messages with a sample state, as HTML; empty without a state."""
    language: str = "acdl"
    """The language of the source; anything else is XML."""
    verified: str = ""
    """The verdict of recorded runs, as HTML; empty without runs."""
    margin: str = ""
    """A sign for each line of the source, below each other; empty for none."""


@dataclass(frozen=True, slots=True)
class ProblemPanel:
    """The problems shown above a figure."""

    findings: Sequence[Finding]
    rule_url: str = ""
    source_line: str = ""
    """Page and line of a block that shows a file."""
    thing: str = "ACDL"
    """The kind of the block in words."""

    @property
    def is_broken(self) -> bool:
        """Whether any of the problems is an error."""
        return any(diagnostic.severity == "error" for diagnostic, _ in self.findings)


def figure_element(
    options: BlockOptions,
    name: str,
    drawing: DrawnText,
    panel: ProblemPanel,
    used_at: Sequence[tuple[str, str]] = (),
    called: str = "",
) -> str:
    """Render the element of a block.

    Parameters:
        options: Of the block.
        name: The anchor of the figure.
        drawing: The drawing to show.
        panel: The problems above it; nothing if it has no findings.
        used_at: Links to the figures that use its fragments, with their names.
        called: Its accessible name if it has neither title nor caption; by default the anchor.
    """
    is_beside = options.show == "side" and bool(drawing.figure)
    classes = " ".join(("acdl", *(("acdl-side",) if is_beside else ()), *(escape(each) for each in options.classes)))
    called = escape(make_printable(options.title or options.caption or called or name))
    focusable = f'tabindex="0" role="group" aria-label="{called}"'  # a wide figure scrolls by keyboard too
    if drawing.explanation:
        focusable += f' aria-details="{drawing.explanation_id}"'
    link = f"Link to this figure: {called}"
    figure = f'<div class="acdl-figure" {focusable}>{drawing.figure}</div>' if drawing.figure else ""
    is_open = panel.is_broken and not drawing.figure
    source = _source_view(drawing, options.show, is_open=is_open, is_beside=is_beside)
    parts = [
        f'<figure class="{classes}" id="{name}">',
        f'<div class="acdl-title">{escape(make_printable(options.title))}</div>' if options.title else "",
        _panel_html(panel),
        *((source, figure) if is_beside else (figure, source)),
        render_folded("acdl-words", "Text", text_view(drawing.words)) if drawing.words else "",
        _explained_view(drawing) if drawing.explanation else "",
        f'<a class="acdl-permalink" href="#{name}" title="{link}" aria-label="{link}">#</a>',
        drawing.verified,
        _render_users(used_at),
        f"<figcaption>{escape(make_printable(options.caption))}</figcaption>" if options.caption else "",
        "</figure>",
    ]
    html = "".join(parts)
    return f'<div class="acdl-evaluated">{html}{drawing.sent_html}</div>' if drawing.sent_html else html


def _render_users(used_at: Sequence[tuple[str, str]]) -> str:
    links = [f'<a href="{escape(address)}">{escape(make_printable(called))}</a>' for address, called in used_at]
    return f'<p class="acdl-users" data-search-exclude>Used in {", ".join(links)}</p>' if links else ""


def text_view(words: str) -> str:
    """Render the figure as plain text; long lines scroll by keyboard too."""
    return f'<pre class="acdl-text" tabindex="0">{escape(words)}</pre>'


def _explained_view(drawing: DrawnText) -> str:
    """Render the figure in words, folded: the details of the figure for those who hear the page."""
    inside = f'<div class="acdl-explanation">{drawing.explanation}</div>'
    attributes = f'data-search-exclude id="{drawing.explanation_id}"'
    return write_details("In words", inside, "acdl-explained", attributes=attributes)


def _panel_html(panel: ProblemPanel) -> str:
    if not panel.findings:
        return ""
    from acdl_mkdocs.foundation.reports import html_panel
    from acdl_mkdocs.foundation.reports.options import ReportOptions

    return html_panel.render_panel(
        panel.findings, ReportOptions(rule_url=panel.rule_url, thing=panel.thing), panel.source_line
    )


def _source_view(drawing: DrawnText, show: str, *, is_open: bool, is_beside: bool) -> str:
    """Render the text of the block for copying: folded, or open if it is shown beside the figure or alone.

    Search finds its words in the figure, if there is one.
    """
    if not drawing.source.strip() or (show in ("figure", "text") and not is_open):
        return ""
    margin = escape(drawing.margin).replace("\n", "&#10;")  # drawn by the style sheet, so that it is not copied
    attributes = f' data-acdl-margin="{margin}"' if margin else ""
    highlighted = _highlight_text(drawing.source, drawing.language).strip("\n")
    code = f'<code class="language-{drawing.language}"{attributes}>{highlighted}\n</code></pre>'
    if show in ("side", "source"):
        return f'<pre class="acdl-code" tabindex="0"{" data-search-exclude" if is_beside else ""}>{code}'
    return render_folded("acdl-source", "Source", f'<pre class="acdl-code" tabindex="0">{code}', is_open=is_open)


def _highlight_text(text: str, language: str) -> str:
    if language == "acdl":
        from acdl_mkdocs.frontends.docs.blocks.highlight import highlight_acdl

        return highlight_acdl(text)
    from acdl_mkdocs.frontends.docs.blocks.highlight import highlight_xml

    return highlight_xml(text)


def render_folded(class_name: str, title: str, inside: str, *, is_open: bool = False) -> str:
    """Render what a reader of a block may unfold. Search finds its words in the figure."""
    return write_details(title, inside, class_name, attributes="data-search-exclude", is_open=is_open)
