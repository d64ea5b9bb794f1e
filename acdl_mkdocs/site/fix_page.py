"""Apply machine fixes to the `acdl` blocks of a page; everything else stays as it is, to the byte.

Takes and gives text: reading and writing files, and finding what is wrong, are the business of others.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Fix, Fixed, apply_until_stable, wanted_fixes
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.site.page_kinds import PageKind, blocks_in, parts_of, with_parts
from acdl_mkdocs.site.read_block import Finding
from acdl_mkdocs.site.write_fence import PageLines


def fix_page(
    text: str, check: Callable[[str], Sequence[Finding]], *, unsafe: bool = False, kind: PageKind = "myst"
) -> Fixed:
    """Check and fix the blocks of a page until no fix is left.

    A block that draws a file is left alone: what is wrong stands in the file.

    Parameters:
        text: The page.
        check: Gives what is wrong with a page; the text of each finding says on which line it begins.
        unsafe: Whether fixes that may change the meaning of a spec are applied too.
        kind: How the page is read.
    """
    if kind != "notebook":
        return apply_until_stable(text, lambda page: list(_fixes(page, check(page), unsafe, kind)))
    texts = [each.text for each in parts_of(text, "", kind)]
    n_fixed = 0
    for number, part in enumerate(parts_of(text, "", kind)):
        fixed = apply_until_stable(part.text, partial(_fixes_of_cell, texts, number, text, check, unsafe))
        texts[number] = fixed.text
        n_fixed += fixed.n_fixed
    return Fixed(with_parts(text, kind, texts), n_fixed)


def _fixes_of_cell(
    texts: list[str], number: int, text: str, check: Callable[[str], Sequence[Finding]], unsafe: bool, cell: str
) -> list[Fix]:
    """The fixes of one cell of a notebook, which now says something else."""
    whole = with_parts(text, "notebook", [*texts[:number], cell, *texts[number + 1 :]])
    name = parts_of(whole, "", "notebook")[number].name
    found = [each for each in check(whole) if each[1].name.endswith(name)]
    return list(_fixes(cell, found, unsafe, "myst"))


def _fixes(text: str, findings: Sequence[Finding], unsafe: bool, kind: PageKind) -> Iterator[Fix]:
    """The fixes of all blocks as fixes of the page."""
    found: dict[int, tuple[Source, list[Diagnostic]]] = {}
    for diagnostic, source in findings:
        found.setdefault(id(source), (source, []))[1].append(diagnostic)
    wanted = [(source, fix) for source, each in found.values() for fix in wanted_fixes(each, unsafe=unsafe)]
    if not wanted:
        return
    page = PageLines(text)
    fences = {fence.first + 2: fence for fence in blocks_in(text, kind) if fence.is_closed}
    for source, fix in wanted:
        fence = fences.get(source.first_line)
        if fence is not None and fence.text == source.text:
            yield page.fix(fix, fence)
