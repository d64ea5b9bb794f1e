"""Format the `acdl` blocks of a Markdown page; every other line stays as it is.

Takes and gives text: reading and writing files is the business of others.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.analyse import Analysis, analyse, format_analysed
from acdl_mkdocs.config import Config
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.site.fences import Fence, scan
from acdl_mkdocs.site.myst import below_options
from acdl_mkdocs.site.options import BlockOptions, read_header
from acdl_mkdocs.site.read_block import BlockText, Finding, read_block
from acdl_mkdocs.site.write_fence import PageLines
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.parse import parse


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
    analyse_block: Callable[[BlockText], Analysis] | None = None,
) -> FormattedPage:
    """Bring the blocks of a page to their normal form; a definition that holds an error stays as it is.

    Parameters:
        text: The page.
        name: What a person calls it.
        defaults: Options that a header need not repeat.
        lines: First and last line of the page to format; `None` formats every block.
        analyse_block: Gives what is known of the text of a block; without it, a block knows no other texts.
    """
    analyse_block = analyse_block or _alone
    page = PageLines(text)
    findings: list[Finding] = []
    made: list[str] = []
    at = 0
    for fence in map(below_options, scan(page.lines)):
        wanted = _wanted(fence, lines)
        if fence.language != "acdl" or fence.is_code or wanted is None or not fence.text.strip():
            continue
        if read_header(Source(fence.opening), defaults).options.src:
            continue
        block = read_block(fence, name, defaults, Path())
        if block.is_cut:
            findings += block.findings
            continue
        formatted = format_analysed(_of_fence(analyse_block(block), fence), wanted[0], block.options.range)
        findings += ((each, block.source) for each in formatted.diagnostics)
        if formatted.text != fence.text:
            made += page.text(at, fence.first + 1), page.placed(formatted.text, fence)
            at = fence.end - 1
    return FormattedPage("".join(made) + page.text(at), tuple(findings))


def _alone(block: BlockText) -> Analysis:
    return analyse(block.source, Config(range=block.options.range, snippet=True))


def _of_fence(analysis: Analysis, fence: Fence) -> Analysis:
    """What is known of a block, for its text as the page has it: code points that cannot be shown stay in it."""
    if analysis.source.text == fence.text:
        return analysis
    source = replace(analysis.source, text=fence.text)
    return Analysis(source, replace(analysis.resolved, parsed=parse(source)), analysis.diagnostics)


def _wanted(fence: Fence, lines: tuple[int, int] | None) -> tuple[tuple[int, int] | None] | None:
    """The lines of a block to format, counted within it and in a tuple of their own; `None` if there are none."""
    if lines is None:
        return (None,)
    above = fence.first + 1
    first, last = max(lines[0] - above, 1), min(lines[1], fence.end - 1) - above
    return ((first, last),) if first <= last else None
