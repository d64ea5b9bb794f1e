"""Apply machine fixes to the blocks of a page, or format them, for any kind of page; everything else is kept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Fixed, apply_until_stable, select_fixes
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import Analysis, analyse, format_analysis
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.myst import skip_options
from acdl_mkdocs.workspace.options import BlockOptions, read_block_header
from acdl_mkdocs.workspace.page_kinds import PageKind, PagePart, blocks_in, parts_of, replace_parts, specs_in
from acdl_mkdocs.workspace.read_block import BlockText, Finding, read_block
from acdl_mkdocs.workspace.write_fence import PageLines


def fix_page(
    text: str, check: Callable[[str], Sequence[Finding]], *, unsafe: bool = False, kind: PageKind = "myst"
) -> Fixed:
    """Check and fix the blocks of a page until no fix is left.

    A block that draws a file is skipped: its problems are in the file.

    Parameters:
        text: The page.
        check: Returns the problems of a page; the source of each finding knows its first line.
        unsafe: Whether fixes that may change the meaning of a spec are applied too.
        kind: How the page is read.
    """
    if kind != "notebook":
        return apply_until_stable(text, lambda page: list(_convert_fixes(page, check(page), unsafe, kind)))
    texts = [each.text for each in parts_of(text, "", kind)]
    n_fixed = 0
    for number, part in enumerate(parts_of(text, "", kind)):
        fixed = apply_until_stable(part.text, partial(_fixes_of_cell, texts, number, text, check, unsafe))
        texts[number] = fixed.text
        n_fixed += fixed.n_fixed
    return Fixed(replace_parts(text, kind, texts), n_fixed)


def _fixes_of_cell(
    texts: list[str], number: int, text: str, check: Callable[[str], Sequence[Finding]], unsafe: bool, cell: str
) -> list[Fix]:
    """Return the fixes of one cell of a notebook with changed text."""
    notebook = replace_parts(text, "notebook", [*texts[:number], cell, *texts[number + 1 :]])
    name = parts_of(notebook, "", "notebook")[number].name
    findings = [each for each in check(notebook) if each[1].name.endswith(name)]
    return list(_convert_fixes(cell, findings, unsafe, "myst"))


def _convert_fixes(text: str, findings: Sequence[Finding], unsafe: bool, kind: PageKind) -> Iterator[Fix]:
    """Yield the fixes of all blocks as fixes of the page."""
    by_source: dict[int, tuple[Source, list[Diagnostic]]] = {}
    for diagnostic, source in findings:
        by_source.setdefault(id(source), (source, []))[1].append(diagnostic)
    selected = [(source, fix) for source, each in by_source.values() for fix in select_fixes(each, unsafe=unsafe)]
    if not selected:
        return
    page = PageLines(text)
    fences = {fence.first + 2: fence for fence in blocks_in(text, kind) if fence.is_closed}
    for source, fix in selected:
        fence = fences.get(source.first_line)
        if fence is not None and fence.text == source.text:
            yield page.move_fix(fix, fence)


@dataclass(frozen=True, slots=True)
class FormattedPage:
    """A page with its valid blocks in their normal form."""

    text: str
    findings: tuple[Finding, ...]
    """Why blocks were left unchanged."""


def format_page(
    text: str,
    name: str,
    defaults: BlockOptions,
    lines: tuple[int, int] | None = None,
    analysis_of: Callable[[int], Analysis] | None = None,
    kind: PageKind = "myst",
) -> FormattedPage:
    """Format the blocks of a page; a definition that contains an error stays unchanged.

    Parameters:
        text: The page.
        name: Its name in messages.
        defaults: Options that a header need not repeat.
        lines: First and last line of the page to format; `None` formats every block.
        analysis_of: Returns the analysis of a block by its number on the page, from 0, counting those that draw files;
            without it, a block knows no other texts.
        kind: How the page is read.
    """
    formatted: list[FormattedPage] = []
    n_blocks = 0
    parts = parts_of(text, name, kind)
    for part in parts:
        formatted.append(_format_part(part, defaults, lines, _shift_numbers(n_blocks, analysis_of)))
        n_blocks += sum(1 for _ in specs_in(part))
    findings = tuple(finding for each in formatted for finding in each.findings)
    return FormattedPage(replace_parts(text, kind, [each.text for each in formatted]), findings)


def _shift_numbers(first: int, analysis_of: Callable[[int], Analysis] | None) -> Callable[[int], Analysis] | None:
    """Return the analyses of the blocks from a number on."""
    return (lambda number: analysis_of(first + number)) if analysis_of else None


def _format_part(
    part: PagePart,
    defaults: BlockOptions,
    lines: tuple[int, int] | None,
    analysis_of: Callable[[int], Analysis] | None,
) -> FormattedPage:
    page = PageLines(part.text)
    findings: list[Finding] = []
    pieces: list[str] = []
    at = 0
    for number, fence in enumerate(map(skip_options, specs_in(part))):
        wanted = _find_lines(fence, lines)
        if wanted is None or not fence.text.strip():
            continue
        if read_block_header(Source(fence.opening), defaults).options.src:
            continue
        block = read_block(fence, part.name, defaults, Path())
        if block.is_cut:
            findings += block.findings
            continue
        analysis = _below_options(analysis_of(number), fence, block) if analysis_of else _analyse_alone(fence, block)
        formatted = format_analysis(analysis, wanted[0], block.options.range)
        findings += ((each, block.source) for each in formatted.diagnostics)
        if formatted.text != fence.text:
            pieces += page.text_of(at, fence.first + 1), page.indent_block(formatted.text, fence)
            at = fence.body_end
    return FormattedPage("".join(pieces) + page.text_of(at), tuple(findings))


def _source(fence: Fence, block: BlockText) -> Source:
    """Return the text of a block as the page has it: characters that cannot be shown are kept."""
    return replace(block.source, text=fence.text)


def _analyse_alone(fence: Fence, block: BlockText) -> Analysis:
    return analyse(_source(fence, block), Config(range=block.options.range, snippet=True))


def _below_options(analysis: Analysis, fence: Fence, block: BlockText) -> Analysis:
    """Return the analysis of a block for its text below the options of a directive."""
    if analysis.source.text == fence.text:
        return analysis
    source = _source(fence, block)
    n_above = len(analysis.source.text) - len(fence.text)
    diagnostics = tuple(_move_diagnostic(each, -n_above) for each in analysis.diagnostics)
    return Analysis(source, replace(analysis.resolved, parsed=parse(source)), diagnostics)


def _move_diagnostic(diagnostic: Diagnostic, by: int) -> Diagnostic:
    """Return a diagnostic without its fix, moved by a number of code points."""
    label, *related = (
        replace(each, span=Span(max(each.span.start + by, 0), max(each.span.end + by, 0)))
        for each in (diagnostic.label, *diagnostic.related)
    )
    return replace(diagnostic, label=label, related=tuple(related), fix=None)


def _find_lines(fence: Fence, lines: tuple[int, int] | None) -> tuple[tuple[int, int] | None] | None:
    """Return the lines of a block to format, counted within it, in a tuple; `None` if there are none."""
    if lines is None:
        return (None,)
    above = fence.first + 1
    first, last = max(lines[0] - above, 1), min(lines[1], fence.body_end) - above
    return ((first, last),) if first <= last else None
