"""What is wrong with a page beside its figures: references that lead nowhere, and opening lines of blocks.

For whoever has the text of a page and does not build it. Knows no docs tool.
"""

from collections.abc import Iterator

from acdl_mkdocs.compile_later import compile_later
from acdl_mkdocs.diagnostics import Label, error
from acdl_mkdocs.site.blocks import BLOCKS, fence_problems
from acdl_mkdocs.site.fences import Fence, fences_of, without_code
from acdl_mkdocs.site.page import Page, opening_of
from acdl_mkdocs.site.read_block import Finding
from acdl_mkdocs.site.references import (
    BEGINNING,
    PATTERN,
    SCHEME,
    in_brackets,
    no_reference,
    of_target,
    problems_of,
    targets_in,
)
from acdl_mkdocs.source import Source, Span
from acdl_mkdocs.suggest import closest

_REFERENCE = compile_later(rf"(?<!\\)(?:{PATTERN}|{BEGINNING})")
_WHOLE = compile_later(PATTERN)


def page_problems(page: Page, text: str) -> Iterator[Finding]:
    """The problems of a page, references first.

    Parameters:
        page: Its catalog has the figures that references may lead to.
        text: The file, front matter included.
    """
    if SCHEME in text:
        source, prose = Source(text, page.name), without_code(text)
        for found in _REFERENCE.finditer(prose):
            whole, span = _WHOLE.fullmatch(found[0]), Span(*found.span())
            problems = problems_of(in_brackets(whole), page, span) if whole else [no_reference(found[0], span)]
            yield from ((each, source) for each in problems)
        for target, span in targets_in(prose):
            yield from ((each, source) for each in problems_of(of_target(target), page, span))
    for fence in fences_of(text):
        yield from misspelled(fence, page)
        yield from fence_problems(fence, page)


def looks_misspelled(fence: Fence) -> bool:
    """Whether the language of a block may be one of ours, written wrongly."""
    language = fence.language
    is_near = language.startswith("acdl") or sorted(language) == sorted("acdl")
    return is_near and language not in BLOCKS and not fence.is_code


def misspelled(fence: Fence, page: Page) -> Iterator[Finding]:
    """A block whose language is nearly one of ours: `acdl-galery`, `acld`."""
    language = fence.language
    near = closest(language, BLOCKS) if looks_misspelled(fence) else None
    if near:
        opening = opening_of(fence, page)
        start = max(opening.text.lower().find(language), 0)
        label = Label(Span(start, start + len(language)), "is shown as code")
        message = f"there are no blocks of the kind `{language}`"
        yield error("unknown-fence", message, label, help=f"did you mean `{near}`?"), opening
