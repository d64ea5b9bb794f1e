"""Fences that MyST reads as directives are checked and formatted like others; their options stay where they are."""

import pytest

from acdl_mkdocs.workspace.fences import Fence, scan_fences
from acdl_mkdocs.workspace.myst import move_options, skip_options
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_edits import format_page
from acdl_mkdocs.workspace.read_block import read_block

PAGE = (
    "> ```{acdl} show=figure\n> :name: fig\n> :titel: 'My \"own\"'\n> :range: inclusive\n>\n> U:   env.q[@T]\n> ```\n"
)


def fence_of(page: str) -> Fence:
    """The only fence of a page."""
    (fence,) = scan_fences(page.split("\n"))
    return fence


def test_options_become_the_header(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Options are understood, told at their own lines, and not part of the text, whose lines keep their places."""
    block = read_block(move_options(fence_of(PAGE)), "a.md", BlockOptions(), tmp_path_factory.getbasetemp())
    assert (block.options.range, block.options.show) == ("inclusive", "figure")
    ((problem, header),) = block.findings
    assert problem.rule == "unknown-option"
    place = header.find_place(problem.label.span.start)
    assert (place.line, place.column) == (3, 4)
    at = block.source.text.index("U:")
    assert (block.source.find_place(at).line, block.source.find_place(at).column) == (6, 3)
    assert block.source.text.strip() == "U:   env.q[@T]"


def test_other_fences_stay_as_they_are() -> None:
    """Only braces make a directive; a colon in the text of another fence is text."""
    fence = fence_of("```acdl\n:name: x\n```\n")
    assert move_options(fence) is fence
    assert skip_options(fence) is fence


def test_formatting_keeps_options() -> None:
    """The lines of options, and the empty one below them, are not part of what is formatted."""
    formatted = format_page(PAGE.replace("titel", "title"), "a.md", BlockOptions())
    assert formatted.findings == ()
    assert formatted.text == PAGE.replace("titel", "title").replace("U:   ", "U: ")
