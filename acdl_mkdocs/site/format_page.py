"""Format the `acdl` blocks of a page, whatever its kind; every other line stays as it is.

Takes and gives text: reading and writing files is the business of others.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import Analysis, analyse, format_analysed
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.site.fences import Fence
from acdl_mkdocs.site.myst import below_options
from acdl_mkdocs.site.options import BlockOptions, read_header
from acdl_mkdocs.site.page_kinds import PageKind, PagePart, parts_of, specs_in, with_parts
from acdl_mkdocs.site.read_block import BlockText, Finding, read_block
from acdl_mkdocs.site.write_fence import PageLines


@dataclass(frozen=True, slots=True)
class FormattedPage:
    """A page with the blocks that are understood in their normal form."""

    text: str
    findings: tuple[Finding, ...]
    """Why blocks were left as they are."""


def format_page(
    text: str,
    name: str,
    defaults: BlockOptions,
    lines: tuple[int, int] | None = None,
    analysed: Callable[[int], Analysis] | None = None,
    kind: PageKind = "myst",
) -> FormattedPage:
    """Bring the blocks of a page to their normal form; a definition that holds an error stays as it is.

    Parameters:
        text: The page.
        name: What a person calls it.
        defaults: Options that a header need not repeat.
        lines: First and last line of the page to format; `None` formats every block.
        analysed: Gives what is known of the text of a block by its number on the page, from 0, those that draw files
            among them; without it, a block knows no other texts.
        kind: How the page is read.
    """
    made: list[FormattedPage] = []
    n_blocks = 0
    parts = parts_of(text, name, kind)
    for part in parts:
        made.append(_format_part(part, defaults, lines, _from(n_blocks, analysed)))
        n_blocks += sum(1 for _ in specs_in(part))
    findings = tuple(finding for each in made for finding in each.findings)
    return FormattedPage(with_parts(text, kind, [each.text for each in made]), findings)


def _from(first: int, analysed: Callable[[int], Analysis] | None) -> Callable[[int], Analysis] | None:
    """What is known of the texts from a number on."""
    return (lambda number: analysed(first + number)) if analysed else None


def _format_part(
    part: PagePart,
    defaults: BlockOptions,
    lines: tuple[int, int] | None,
    analysed: Callable[[int], Analysis] | None,
) -> FormattedPage:
    page = PageLines(part.text)
    findings: list[Finding] = []
    made: list[str] = []
    at = 0
    for number, fence in enumerate(map(below_options, specs_in(part))):
        wanted = _wanted(fence, lines)
        if wanted is None or not fence.text.strip():
            continue
        if read_header(Source(fence.opening), defaults).options.src:
            continue
        block = read_block(fence, part.name, defaults, Path())
        if block.is_cut:
            findings += block.findings
            continue
        known = _below_options(analysed(number), fence, block) if analysed else _alone(fence, block)
        formatted = format_analysed(known, wanted[0], block.options.range)
        findings += ((each, block.source) for each in formatted.diagnostics)
        if formatted.text != fence.text:
            made += page.text(at, fence.first + 1), page.placed(formatted.text, fence)
            at = fence.body_end
    return FormattedPage("".join(made) + page.text(at), tuple(findings))


def _source(fence: Fence, block: BlockText) -> Source:
    """The text of a block as the page has it: code points that cannot be shown stay in it."""
    return replace(block.source, text=fence.text)


def _alone(fence: Fence, block: BlockText) -> Analysis:
    return analyse(_source(fence, block), Config(range=block.options.range, snippet=True))


def _below_options(analysis: Analysis, fence: Fence, block: BlockText) -> Analysis:
    """What is known of a block, for its text below the options of a directive, which are empty lines of it."""
    if analysis.source.text == fence.text:
        return analysis
    source = _source(fence, block)
    n_above = len(analysis.source.text) - len(fence.text)
    found = tuple(_moved(each, -n_above) for each in analysis.diagnostics)
    return Analysis(source, replace(analysis.resolved, parsed=parse(source)), found)


def _moved(found: Diagnostic, by: int) -> Diagnostic:
    """A diagnostic without its fix, so many code points further on."""
    label, *related = (
        replace(each, span=Span(max(each.span.start + by, 0), max(each.span.end + by, 0)))
        for each in (found.label, *found.related)
    )
    return replace(found, label=label, related=tuple(related), fix=None)


def _wanted(fence: Fence, lines: tuple[int, int] | None) -> tuple[tuple[int, int] | None] | None:
    """The lines of a block to format, counted within it and in a tuple of their own; `None` if there are none."""
    if lines is None:
        return (None,)
    above = fence.first + 1
    first, last = max(lines[0] - above, 1), min(lines[1], fence.body_end) - above
    return ((first, last),) if first <= last else None
