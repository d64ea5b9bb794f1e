"""How constructs are drawn: the words of every figure, and the drawing of a few."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acdl_mkdocs.api import render
from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.errors import UnknownFormatError, UnknownSpecError
from acdl_mkdocs.figure.describe import View

_DRAWN = ("control-flow", "marks")
"""Cases whose drawing is compared too; the others by their words only."""


def test_render(case: Path, golden: Callable[[str, str], None]) -> None:
    """The figure in words, and for a few cases as SVG."""
    text = case.read_text("utf-8")
    golden(render(text, "text", view=View(header=True)), "text.txt")
    if case.stem in _DRAWN:
        golden(render(text), "svg")


LOOP = "P[@T]: { ForEach(t: range(1, @T)) { U: env.q[@t] } }"


@pytest.mark.parametrize(("mode", "drawn"), [("inclusive", "1 ... @T"), ("half-open", "1 ... @T excl.")])
def test_range_mode(mode: RangeMode, drawn: str) -> None:
    """A range that leaves out its end says so."""
    assert f"ForEach t : {drawn}\n" in render(LOOP, "text", view=View(range=mode))


def test_the_text_decides_how_its_ranges_are_read() -> None:
    """The pragma of a file overrules the view."""
    assert "excl." not in render("// acdl: range=inclusive\n" + LOOP, "text")


def test_one_spec_of_several() -> None:
    """`spec` shows one definition; an unknown one is an error of the caller."""
    text = "A[@T]: { S: X }\nB[@T]: { S: Y }"
    assert render(text, "text", view=View(spec="B")) == "B[@T]:\n  Role: System\n    Y\n"
    with pytest.raises(UnknownSpecError):
        render(text, view=View(spec="C"))


def test_comments_can_be_left_out() -> None:
    """`comments` hides them all; those that speak to tools are never drawn."""
    text = "P[@T]: { // beside\n  // alone\n  // acdl: range=inclusive\n  S: A // right\n}"
    assert "//" not in render(text, "text", view=View(comments=False))
    assert render(text, "text").count("//") == 3


def test_unknown_format_names_the_near_one() -> None:
    """A slip of the pen in a format's name is answered with the right one."""
    with pytest.raises(UnknownFormatError, match="did you mean `text`"):
        render(LOOP, "texts")
