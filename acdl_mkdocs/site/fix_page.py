"""Apply machine fixes to the `acdl` blocks of a Markdown page; everything else stays as it is, to the byte.

Takes and gives text: reading and writing files, and finding what is wrong, are the business of others.
"""

from collections.abc import Callable, Iterator, Sequence

from acdl_mkdocs.diagnostics import Diagnostic, Fix
from acdl_mkdocs.fixes import Fixed, apply_until_stable, wanted_fixes
from acdl_mkdocs.site.fences import scan
from acdl_mkdocs.site.read_block import Finding
from acdl_mkdocs.site.write_fence import PageLines
from acdl_mkdocs.source import Source


def fix_page(text: str, check: Callable[[str], Sequence[Finding]], *, unsafe: bool = False) -> Fixed:
    """Check and fix the blocks of a page until no fix is left.

    A block that draws a file is left alone: what is wrong stands in the file.

    Parameters:
        text: The page.
        check: Gives what is wrong with a page; the text of each finding says on which line it begins.
        unsafe: Whether fixes that may change the meaning of a spec are applied too.
    """
    return apply_until_stable(text, lambda page: list(_fixes(page, check(page), unsafe)))


def _fixes(text: str, findings: Sequence[Finding], unsafe: bool) -> Iterator[Fix]:
    """The fixes of all blocks as fixes of the page."""
    found: dict[int, tuple[Source, list[Diagnostic]]] = {}
    for diagnostic, source in findings:
        found.setdefault(id(source), (source, []))[1].append(diagnostic)
    wanted = [(source, fix) for source, each in found.values() for fix in wanted_fixes(each, unsafe=unsafe)]
    if not wanted:
        return
    page = PageLines(text)
    fences = {fence.first + 2: fence for fence in scan(page.lines) if fence.is_closed}
    for source, fix in wanted:
        fence = fences.get(source.first_line)
        if fence is not None and fence.text == source.text:
            yield page.fix(fix, fence)
