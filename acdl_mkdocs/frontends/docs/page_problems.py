"""Problems of a page beside its figures: broken references, and opening lines of blocks.

For callers that have the text of a page and do not build it. Knows no docs tool.
"""

from collections.abc import Iterator

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import Label, error, warning
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS, fence_problems
from acdl_mkdocs.frontends.docs.page import Page, opening_of
from acdl_mkdocs.frontends.docs.pages.references import (
    BEGINNING,
    PATTERN,
    SCHEME,
    find_targets,
    no_reference,
    parse_brackets,
    parse_target,
    problems_of,
)
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.page_kinds import PageKind, PagePart, blank_code_in, blocks_in, find_skipped_blocks
from acdl_mkdocs.workspace.read_block import Finding

_REFERENCE = compile_later(rf"(?<!\\)(?:{PATTERN}|{BEGINNING})")
_WHOLE = compile_later(PATTERN)
_SEPARATED = compile_later(r"[\s{.]*+(?P<name>\w[\w-]*+)(?P<sign>[,;:])")
"""A language with a separator after it, as other tools have it: `acdl,ignore`."""


def page_problems(page: Page, part: PagePart) -> Iterator[Finding]:
    """Yield the problems of a page, references first.

    Parameters:
        page: The page, whose catalog has the possible targets of references.
        part: The text to check: the file, front matter included, or a cell of it.
    """
    text = part.text
    if SCHEME in text:
        source, prose = Source(text, page.name), blank_code_in(text, part.kind)
        for match in _REFERENCE.finditer(prose):
            reference, span = _WHOLE.fullmatch(match[0]), Span(*match.span())
            problems = (
                problems_of(parse_brackets(reference), page, span) if reference else [no_reference(match[0], span)]
            )
            yield from ((each, source) for each in problems)
        for target, span in find_targets(prose):
            yield from ((each, source) for each in problems_of(parse_target(target), page, span))
    for fence in blocks_in(text, part.kind):
        yield from find_misspelled(fence, page)
        yield from fence_problems(fence, page)


def list_unread_blocks(text: str, name: str, kind: PageKind) -> Iterator[Finding]:
    """Yield the skipped blocks of a file, each with the reason."""
    for each in find_skipped_blocks(text, kind):
        source = Source(text, name)
        span = Span(source.line_starts[each.line], source.line_starts[each.line] + len(source.line_text(each.line)))
        yield warning("unread-block", each.reason, Label(span, "begins here"), help=each.cure), source


def looks_misspelled(fence: Fence) -> bool:
    """Return whether the language of a block may be a misspelling of ours."""
    language = fence.language
    is_near = language.startswith("acdl") or sorted(language) == sorted("acdl") or _SEPARATED.match(fence.header)
    return bool(is_near) and language not in BLOCKS and not fence.is_code


def find_misspelled(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield a problem for a block whose language is nearly one of ours: `acdl-galery`, `acld`, `acdl,`."""
    if not looks_misspelled(fence):
        return
    language, separated = fence.language, _SEPARATED.match(fence.header)
    near = separated["name"].lower() if separated else find_closest(language, BLOCKS)
    if near in BLOCKS:
        language = f"{near}{separated['sign']}" if separated else language
        opening = opening_of(fence, page)
        start = max(opening.text.lower().find(language), 0)
        label = Label(Span(start, start + len(language)), "is shown as code")
        message = f"there are no blocks of the kind `{language}`"
        yield error("unknown-fence", message, label, help=f"did you mean `{near}`?"), opening
