"""The normal form: golden files, every tolerated spelling, every example; parts of a text; what is left alone."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from acdl_mkdocs import format as normal_form
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse, format_analysis
from acdl_mkdocs.language.syntax.format import format_text
from acdl_mkdocs.language.syntax.parse import parse

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
TOLERATED = sorted((GOLDEN / "tolerated").glob("*.acdl"))
EXAMPLES = sorted((ROOT / "examples").glob("*.acdl"))


def read(path: Path) -> str:
    """The text of a file with its line ends and its byte order mark."""
    return path.read_bytes().decode("utf-8")


def formatted(text: str) -> str:
    """The normal form of a text that has one."""
    made = format_text(Source(text))
    assert made.diagnostics == ()
    again = format_text(Source(made.text))
    assert (again.text, again.diagnostics) == (made.text, ())
    return made.text


def test_format(case: Path, golden: Callable[[str, str], None]) -> None:
    """The normal form is what the file beside the case says, and is its own. A draft holds errors."""
    if case.stem.startswith("draft"):
        made = format_analysis(analyse(Source(read(case)), Config(snippet=True)))
        again = format_analysis(analyse(Source(made.text), Config(snippet=True)))
        assert (again.text, len(again.diagnostics)) == (made.text, len(made.diagnostics))
        golden(made.text, "formatted.txt")
        return
    golden(formatted(read(case)), "formatted.txt")


def is_understood(path: Path) -> bool:
    """Whether a file of the corpus has no syntax error."""
    return not parse(Source(read(path))).diagnostics


@pytest.mark.parametrize("path", TOLERATED, ids=[path.stem for path in TOLERATED])
def test_tolerated_spelling(path: Path, request: pytest.FixtureRequest) -> None:
    """What is understood becomes what the reference documents; what is not is left exactly as it is."""
    expected = path.with_suffix(".formatted.txt")
    if not is_understood(path):
        made = format_text(Source(read(path)))
        assert made.text == read(path)
        assert made.diagnostics
        return
    actual = formatted(read(path)).split("\n", 2)[2]  # without the two lines that say what the file is about
    if request.config.getoption("--update-golden"):
        expected.write_text(actual, "utf-8")
    assert expected.exists(), f"{expected} does not exist; run `pytest --update-golden` and review it"
    assert actual == expected.read_text("utf-8"), f"{expected.name} differs; if intended: pytest --update-golden"


def test_only_what_is_understood_has_a_normal_form() -> None:
    """A file of the corpus that is left alone has no expected form beside it."""
    found = {path.name for path in (GOLDEN / "tolerated").glob("*.txt")}
    assert found == {f"{path.stem}.formatted.txt" for path in TOLERATED if is_understood(path)}


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_examples_are_in_their_normal_form(path: Path) -> None:
    """What people copy is spelled as it should be."""
    assert formatted(read(path)) == read(path)


@pytest.mark.parametrize("text", ["", "\n\n", "   ", "\ufeff", ";;\n"])
def test_empty_text(text: str) -> None:
    """Nothing is formatted to nothing."""
    assert normal_form(text) == ""


def test_files_are_not_written(tmp_path: Path) -> None:
    """The function gives the normal form of a file and leaves the file as it is."""
    path = tmp_path / "a.acdl"
    path.write_text("S:A\n")
    assert normal_form(path) == "S: A\n"
    assert path.read_text() == "S:A\n"


@pytest.mark.parametrize(
    ("written", "mode", "expected"),
    [
        ("ForEach i : 1 ... @T { U: x }", "inclusive", "ForEach(i: range(1, @T)) {\n    U: x\n}\n"),
        ("ForEach i : 1 ... @T { U: x }", "half-open", "ForEach(i: 1 ... @T) {\n    U: x\n}\n"),
        ("S: [x for x in 1..3]", "inclusive", "S: [x for x in range(1, 3)]\n"),
        ("S: f(1..3)", "inclusive", "S: f(1 ... 3)\n"),
        ("// acdl: range=half-open\nS: [x for x in 1..3]", "inclusive", None),
    ],
)
def test_a_range_that_takes_in_its_end(written: str, mode: str, expected: str | None) -> None:
    """`a ... b` becomes `range(a, b)` where that says the same."""
    made = format_text(Source(written), mode="inclusive" if mode == "inclusive" else "half-open")
    assert made.text == (expected or "// acdl: range=half-open\nS: [x for x in 1 ... 3]\n")


BROKEN = ["P[@T]: { S: A", "If ) = = ( { S: A }", "S: A }", "Struct P {", "Default Default", "P[ // c\n a].y: { S: A }"]


@pytest.mark.parametrize("text", BROKEN)
def test_text_that_is_not_formatted(text: str) -> None:
    """Text that is not understood, or has no other form, is left as it is, with the reason and its place."""
    made = format_text(Source(text))
    assert made.text == text == normal_form(text)
    assert made.diagnostics
    for found in made.diagnostics:
        assert found.severity == "error"
        assert 0 <= found.label.span.start <= found.label.span.end <= len(text)
        assert found.help


@pytest.mark.parametrize("ending", ["", "\n", "\n\n  \n"])
def test_an_error_at_the_end_adds_no_lines(ending: str) -> None:
    """A loop that is still open is reported at the end of the text, but blank lines there are not kept."""
    made = format_text(Source(f"//a\nForEach(t:{ending}"))
    assert made.text == "// a\nForEach(t:\n"
    assert format_text(Source(made.text)).text == made.text


LINES = """\
A[@T]: {
  S:   X

  U: { // c
    env . a
    env . b
  }
  If x {   U: env . c } Else {
    U:   env.d
  }
}
B[@T]:   {}
"""


@pytest.mark.parametrize(
    ("lines", "changed"),
    [
        ((2, 2), {2: "    S: X"}),
        ((5, 5), {5: "        env.a"}),
        ((5, 6), {5: "        env.a", 6: "        env.b"}),
        ((4, 5), {4: "    U: { // c", 5: "        env.a", 6: "        env.b", 7: "    }"}),
        ((9, 9), {9: "        U: env.d"}),
        ((12, 12), {12: "B[@T]: {}"}),
        ((3, 3), {}),
        ((13, 99), {}),
    ],
)
def test_some_lines(lines: tuple[int, int], changed: dict[int, str]) -> None:
    """Only the smallest group of whole statements on the lines is formatted."""
    expected = [changed.get(number, line) for number, line in enumerate(LINES.split("\n"), 1)]
    assert normal_form(LINES, lines=lines) == "\n".join(expected)


def test_lines_that_are_shared() -> None:
    """A statement that shares a line with others is formatted with all of what they share."""
    made = normal_form(LINES, lines=(8, 8)).split("\n")
    assert made[7:14] == ["    If x {", "        U: env.c", "    }", "    Else {", "        U: env.d", "    }", "}"]
    assert made[:7] == LINES.split("\n")[:7]
    assert normal_form("S:A\nU:{b c\nd} T:e\nA:f\n", lines=(2, 2)) == "S:A\nU: {\n    b\n    c\n    d\n}\nT: e\nA:f\n"


def test_all_lines_are_the_whole_text() -> None:
    """The lines of a whole text give its normal form; any lines keep what it says."""
    for path in (*EXAMPLES[:3], GOLDEN / "format" / "comments.acdl", GOLDEN / "format" / "cramped.acdl"):
        text = read(path)
        n_lines = text.count("\n")
        assert normal_form(text, lines=(1, n_lines)).strip("\n") == normal_form(text).strip("\n")
        for first in range(1, n_lines + 1, 3):
            made = format_text(Source(text), (first, first + 2))
            assert made.diagnostics == ()
            assert formatted(made.text) == normal_form(text)


def test_the_page_about_the_normal_form() -> None:
    """What the documentation shows before and after is what the formatter makes of it."""
    page = (ROOT / "site_src" / "write" / "format.md").read_text("utf-8")
    before, after = (re.search(rf'```text title="{name}"\n(.*?)```', page, re.DOTALL) for name in ("before", "after"))
    assert before
    assert after
    assert formatted(before[1]) == after[1]


def test_depth_and_length() -> None:
    """Deep blocks, long runs of messages in messages, and long lists are formatted like any other."""
    deep = "P: { " + "If x { " * 299 + "S: A" + " }" * 300
    lines = formatted(deep).split("\n")
    assert lines[300] == "    " * 300 + "S: A"
    assert formatted("S:" * 250 + "A") == "S: " * 250 + "A\n"
    values = ", ".join(f"value_{number}" for number in range(1000))
    assert len(formatted(f"S: f({values})").split("\n")) == 1003


@pytest.mark.parametrize("brace", ["}\n", "  }  \n"])
def test_what_stands_before_everything_stays(brace: str) -> None:
    """A brace too many at the beginning is left alone, and the definition after it has its normal form."""
    made = format_analysis(analyse(Source(f"{brace}\nP[@T]: {{\n  U:   x\n}}\n")))
    assert made.text == f"{brace}\nP[@T]: {{\n    U: x\n}}\n"
