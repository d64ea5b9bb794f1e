"""Blocks whose text is XML, `pml` and `laic`: opening line, text, element of the page; each kind draws its own.

Each kind has a function that draws; a fault in it becomes a panel of the block, never the end of a build.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock, log_lines, report_fault, taken_id_problem
from acdl_mkdocs.frontends.docs.blocks.element import DrawnText, ProblemPanel, figure_element
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.relocate import ids_in
from acdl_mkdocs.prompts.pml.problems import adapt_help_to_page
from acdl_mkdocs.workspace import header
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.files import include_file
from acdl_mkdocs.workspace.header import check_word, choose_one, is_on
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.read_block import Finding

Show = Literal["both", "side", "figure", "source"]


@dataclass(frozen=True, slots=True)
class XmlOptions:
    """How a block is shown."""

    title: str = ""
    """Heading of the block, also its accessible name."""
    id: str = ""
    """Anchor of the block."""
    caption: str = ""
    """Sentence under the block."""
    show: Show = "both"
    """`both`: the figure, with the source a click away; `side`: the figure beside its source; `figure` or `source`:
    only that."""
    src: str = ""
    """A file to draw instead of the text of the block, relative to the project's folder: `examples/weather.pml.xml`."""
    lenient: bool = False
    """Whether mistakes with only one possible meaning are repaired with a warning (`on`) or refused (`off`)."""
    classes: tuple[str, ...] = ()
    """Additional CSS classes for the block (`.wide`)."""


Header: TypeAlias = header.Header[XmlOptions]
"""The opening line of a block as understood."""

XML_OPTIONS = MappingProxyType[str, header.Setter[XmlOptions]](
    {
        "title": lambda options, value: replace(options, title=value),
        "id": lambda options, value: replace(options, id=check_word(value)),
        "caption": lambda options, value: replace(options, caption=value),
        "show": lambda options, value: replace(options, show=choose_one(value, get_args(Show))),
        "src": lambda options, value: replace(options, src=value),
        "lenient": lambda options, value: replace(options, lenient=is_on(value)),
    }
)
"""Every option that an opening line may give with `name=value`."""

_TABLE = header.Table("a block", XML_OPTIONS, lambda options, name: replace(options, classes=(*options.classes, name)))


@dataclass(frozen=True, slots=True)
class XmlText:
    """A block that has been read."""

    raw: str
    """The text as in the file; empty if there is none."""
    source: Source
    """The same with its place in the file of the page, or in the file that `src` names, with safe characters."""
    header: Source
    """The opening line."""
    options: XmlOptions = field(default_factory=XmlOptions)
    findings: tuple[Finding, ...] = ()
    """The problems of the opening line, the file or the fence itself."""
    files: tuple[Path, ...] = ()
    """The file that `src` names, existing or not."""
    is_cut: bool = False
    """Whether the block is not closed, so that problems of its text mean nothing."""
    places: Mapping[str, Span] = field(default_factory=dict)
    """The place of the value of each option in the opening line."""


@dataclass(frozen=True, slots=True)
class DrawnXml:
    """The result of drawing a text."""

    html: str
    """Empty if only the source can be shown."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class XmlKind:
    """A language of blocks."""

    language: str
    """The first word of the fence, and the anchor of a block without an `id`."""
    fallback_title: str
    """The accessible name of a block without a title."""
    draw: Callable[[XmlText, str, Page], DrawnXml]
    """Draws a text; takes the anchor, which prefixes the ids inside."""


def from_fence(fence: Fence, page: Page, kind: XmlKind) -> PageBlock:
    """Draw a fence of a page, and report its problems to the page."""
    text = _read_text(fence, page, kind)
    page.files |= set(text.files)
    return draw_placed(text, page, kind, page.take_id(text.options.id or kind.language))


def fence_problems(fence: Fence, page: Page, kind: XmlKind) -> Iterator[Finding]:
    """Yield the problems of a block: its opening line first, then its text."""
    text = _read_text(fence, page, kind)
    yield from _draw_with_problems(text, page, kind, page.take_id(text.options.id or kind.language)).findings


def draw_placed(text: XmlText, page: Page, kind: XmlKind, name: str) -> PageBlock:
    """Draw a text as a block of a page with its anchor, and report its problems to the page."""
    options = text.options
    xml = _draw_with_problems(text, page, kind, name)
    findings = xml.findings
    shown_by = f"{text.header.name}:{text.header.first_line}" if options.src else ""
    visible = [each for each in findings if page.settings.show_warnings or each[0].severity == "error"]
    html = "" if options.show == "source" else xml.html
    drawing = DrawnText(html, text.source.text, (), language=kind.language)
    look = BlockOptions(
        title=options.title,
        caption=options.caption,
        show=options.show,
        classes=(f"acdl-{kind.language}", *options.classes),
    )
    panel = ProblemPanel(visible, page.settings.rule_url, shown_by, kind.language.upper())
    log = tuple(log_lines(findings, shown_by))
    for severity, line in log:
        page.report(severity, line)
    return PageBlock(figure_element(look, name, drawing, panel, called=kind.fallback_title), name, log)


def read_xml(fence: Fence, name: str, root: Path, language: str) -> XmlText:
    """Read the opening line and the text of a fence.

    Parameters:
        fence: The fence as in its file.
        name: The display name of that file.
        root: The project's folder, for `src`.
        language: That of the fence.
    """
    opening = Source(make_printable(fence.opening), name, fence.first + 1, len(fence.prefix) + 1)
    read = header.parse_header(opening, XmlOptions(), _TABLE, language)
    problems, options, raw = list(read.diagnostics), read.options, fence.text
    source = Source(make_printable(raw), name, fence.first + 2, fence.column, fence.inside)
    files: tuple[Path, ...] = ()
    opening_span = Span(0, len(opening.text))
    if options.src:
        if raw.strip():
            problems.append(_text_ignored(opening_span))
        included = include_file(options.src, opening, root, is_raw=True)
        problems += included.diagnostics
        if included.spec:
            problems.append(_no_part(read.places.get("src", opening_span)))
        files = (included.path,) if included.path else ()
        raw = included.source.text if included.source else ""
        source = replace(included.source, text=make_printable(raw)) if included.source else replace(source, text="")
    if not raw.strip() and not problems:
        label = Label(opening_span, "nothing is in it")
        cure = f"write {_EXAMPLES.get(language, 'XML')}, or name a file with `src`"
        problems.append(error("empty-block", "the block is empty", label, help=cure))
    if not fence.is_closed:
        label = Label(opening_span, "no end was found for this block")
        problems.append(error("unclosed-fence", "the block is not closed", label, help=fence.how_to_close))
    findings = tuple((each, opening) for each in problems)
    return XmlText(raw, source, opening, options, findings, files, not fence.is_closed, read.places)


_EXAMPLES = {"pml": "`<conversation>...</conversation>`", "laic": "`<tools>...</tools>`"}


def _read_text(fence: Fence, page: Page, kind: XmlKind) -> XmlText:
    located, name = page.locate_fence(fence)
    return read_xml(move_options(located), name, page.root, kind.language)


def _draw_with_problems(text: XmlText, page: Page, kind: XmlKind, name: str) -> DrawnXml:
    """Draw a text with all problems of its block; the page learns its ids."""
    options, findings = text.options, text.findings
    if options.id and name != options.id:
        span = text.places.get("id", Span(0, len(text.header.text)))
        findings = (*findings, (taken_id_problem(options.id, span, page), text.header))
    is_drawn = bool(text.raw.strip()) and not text.is_cut
    drawing = _draw_safely(text, name, page, kind) if is_drawn else DrawnXml("")
    page.used_ids |= ids_in(drawing.html)
    return replace(drawing, findings=(*findings, *drawing.findings))


def _draw_safely(text: XmlText, name: str, page: Page, kind: XmlKind) -> DrawnXml:
    """Draw a text; a preview must survive any fault in a block."""
    try:
        drawing = kind.draw(text, name, page)
    except Exception as fault:
        return DrawnXml("", (report_fault(fault, text.source, Span(0, 0)),))
    is_lenient = text.options.lenient
    findings = tuple(
        (adapt_help_to_page(problem, is_lenient=is_lenient), source) for problem, source in drawing.findings
    )
    return replace(drawing, findings=findings)


def _no_part(span: Span) -> Diagnostic:
    label = Label(span, "the whole file is drawn")
    message = "`src` cannot name a part of the file here"
    return error("bad-option-value", message, label, help="remove `#` and what follows it")


def _text_ignored(opening_span: Span) -> Diagnostic:
    label = Label(opening_span, "the file is drawn, the lines below are not")
    cure = "remove either `src` or the lines below it"
    return warning("src-and-text", "the block names a file and also has text", label, help=cure)
