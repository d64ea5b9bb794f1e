"""The page about drawings: what it shows is what comes out."""

from pathlib import Path

from acdl_mkdocs.drawing.from_drawing.read import read_drawing
from acdl_mkdocs.workspace.fences import lines_of, scan_fences

PAGE = Path(__file__).parent.parent.parent / "site_src" / "write" / "whiteboard.md"


def test_the_figure_is_what_the_drawing_becomes() -> None:
    """The first drawing becomes the ACDL beside it, and nothing is told."""
    fences = list(scan_fences(lines_of(PAGE.read_text("utf-8"))))
    drawing = next(fence.text for fence in fences if fence.language == "text")
    acdl = next(fence.text for fence in fences if fence.language == "acdl")
    read = read_drawing(drawing)
    assert read.text.rstrip("\n") == acdl.rstrip("\n")
    assert read.diagnostics == ()


def test_what_is_told() -> None:
    """The second drawing has the two problems that the page explains."""
    drawing = [fence.text for fence in scan_fences(lines_of(PAGE.read_text("utf-8"))) if fence.language == "text"][1]
    assert [each.rule for each in read_drawing(drawing).diagnostics] == ["unclear-nesting", "unread-line"]
