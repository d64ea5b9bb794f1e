"""How constructs are drawn: the words of every figure, and the drawing of a few."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acdl_mkdocs.app.python import render
from acdl_mkdocs.drawing.figure.describe import View, _select_statements, describe
from acdl_mkdocs.drawing.formats.box_text import walk_boxes
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.errors import UnknownFormatError, UnknownSpecError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.nodes import Fragment, Statement
from acdl_mkdocs.language.syntax.words import Run

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


@pytest.mark.parametrize("mode", ["inclusive", "half-open"])
def test_an_unknown_way_to_read_ranges_changes_nothing(mode: RangeMode) -> None:
    """Only the two values that exist overrule the view."""
    view = View(range=mode)
    assert render("// acdl: range=exclusive\n" + LOOP, "text", view=view) == render(LOOP, "text", view=view)


def test_nested_fragments_follow_their_spec() -> None:
    """Fragments written inside a spec are drawn after it, in the order of the text, also where names repeat."""
    spec = "P[@T]: { StrFrag F[@t]: { P1 } U: A StrFrag G[@t]: { P2 } StrFrag F[@t]: { P3 } }\n"
    text = spec + spec.replace("P", "Q").replace("G", "H")
    lines = [line.strip() for line in render(text, "text").splitlines() if line.strip() not in ("", "SF")]
    assert lines == [
        *("P[@T]:", "Role: User", "A", "F[@t]", "P1", "G[@t]", "P2", "F[@t]", "P3"),
        *("Q[@T]:", "Role: User", "A", "F[@t]", "Q1", "H[@t]", "Q2", "F[@t]", "Q3"),
    ]


class Counted:
    """A definition that counts how often somebody asks where it stands."""

    n_asked = 0

    def __init__(self, start: int, end: int) -> None:
        self._span = Span(start, end)

    @property
    def span(self) -> Span:
        """Where it stands."""
        Counted.n_asked += 1
        return self._span


def test_finding_nested_fragments_is_one_walk() -> None:
    """Each fragment is looked at a few times, however many specs there are."""
    specs = tuple(Counted(at, at + 9) for at in range(0, 2000, 10))
    fragments = tuple(Counted(at + 3, at + 5) for at in range(0, 2000, 10))
    shown = _select_statements(
        cast("tuple[Statement, ...]", specs), cast("tuple[Fragment, ...]", fragments), is_snippet=True, view=View()
    )
    assert list(map(id, shown)) == [id(each) for pair in zip(specs, fragments, strict=True) for each in pair]
    assert Counted.n_asked <= 10 * len(specs)


def anchors(text: str) -> list[str]:
    """The names of all constructs of a figure."""
    figure = describe(analyse(Source(text), Config(snippet=True)).resolved)
    return [box.anchor for box, _, is_beginning in walk_boxes(figure) if is_beginning and box.anchor]


def test_long_lines_of_other_tools_are_cut() -> None:
    """A figure has the beginning of a line that another tool replaces, with a sign that there is more."""
    figure = describe(analyse(Source(f'P: {{ S: A\n--8<-- "{"x" * 100}"\n}}')).resolved)
    texts = {run.text for box, _, _ in walk_boxes(figure) for run in box.header if isinstance(run, Run)}
    assert [text for text in texts if "xxx" in text] == ['--8<-- "' + "x" * 51 + "…"]


_TITLES = st.sampled_from(
    ("x", "x[2]", "x[2, 2]", "'x 2'", "x_2", "Mark 1", "Mark 2", "Mark '1 2'", "Mark", "U:", "S:")
)


@given(titles=st.lists(_TITLES, max_size=12))
@example(titles=["x[2]", "x", "x"])
@example(titles=["Mark 1", "Mark 1", "Mark '1 2'"])
@example(titles=["x", "x", "x[2]", "x[2]", "x[2, 2]"])
def test_no_two_constructs_have_one_anchor(titles: list[str]) -> None:
    """What stands in a figure can be linked to without doubt, whatever it is called."""
    found = anchors("P[@T]: { " + " ".join(f"{title} {{ S: A }}" for title in titles) + " }")
    assert len(found) == len(set(found))


def test_first_of_equal_names_keeps_its_anchor() -> None:
    """Numbers are given to those that come later."""
    assert [each for each in anchors("P[@T]: { x { S: A } x { S: B } }") if "system" not in each] == [
        "P",
        "P-group-x",
        "P-group-x-2",
    ]


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
