"""What holds for the normal form of every text."""

import re
from collections import Counter
from functools import partial
from itertools import pairwise

import pytest
from exhaustive import examples, few
from hypothesis import example, given
from hypothesis import strategies as st
from steps import n_steps
from strategies import EXAMPLES, TOLERATED, damaged, drafts, files, soups

from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import Analysis, analyse
from acdl_mkdocs.language.syntax.format import Formatted, format_text
from acdl_mkdocs.language.syntax.nodes import same_shape
from acdl_mkdocs.language.syntax.parse import parse
from fuzz.targets.formatter import formatted

CORPUS = [path.read_bytes().decode("utf-8") for path in (*EXAMPLES, *TOLERATED)]
WIDEST = 120


def assert_normal(text: str) -> Formatted:
    """Everything that must hold for the normal form of any text."""
    made = formatted(text)
    if not made.diagnostics:
        assert_layout(made.text)
    return made


def assert_layout(text: str) -> None:
    """One line end at the end, no blanks at ends of lines, no two blank lines, none at the ends of blocks."""
    assert text == "" or (text.endswith("\n") and not text.endswith("\n\n") and text[0] != "\n")
    lines = text.split("\n")[:-1]
    assert all(line == line.rstrip() for line in lines)
    is_kept = re.search(r"\b(?:struct|event|pipeline|flow|fact|namespace)\b", text, re.IGNORECASE)
    assert is_kept or all(one or other for one, other in pairwise(lines))


def drawn(analysis: Analysis) -> str:
    """The letters of a figure, without comments and parentheses."""
    figure = OUTPUTS["text"](describe(analysis.resolved, View(comments=False)), OutputOptions())
    return re.sub(r"[\s()]", "", figure)


@given(files)
@examples(150)
@example("P[@T]: {\nU: {\n// a\n}\n}")
def test_generated_files(text: str) -> None:
    """What is written as it should be has a normal form, with the same tree."""
    assert_normal(text)
    made = format_text(Source(text))
    assert made.diagnostics == ()
    one, other = parse(Source(text)).file, parse(Source(made.text)).file
    assert same_shape(one, other) or "(" in text


@given(soups)
@examples(300)
@example("and Default")
@example("a; (b) // c")
@example("U: f( // a\n b) // c\n// d")
@example("/* a\nb */ S: /* c */ X /* d\ne */ /* f */")
@example("P[a].b[c]: { S: A }")
def test_any_words_in_any_order(text: str) -> None:
    """Whatever is understood has a stable normal form that says the same; the rest is left alone."""
    assert_normal(text)


@given(damaged())
@examples(150)
def test_damaged_text(text: str) -> None:
    """So has a real text with words deleted, doubled or exchanged."""
    assert_normal(text)


@given(drafts())
@examples(200)
@example("P[@T]: {\n    U: env query[@T]\n    A: {   SUMMARY resp answer[@T-1].text }\n}\n")
def test_drafts(text: str) -> None:
    """A draft keeps what holds an error as it is, to the character."""
    made = assert_normal(text)
    if not made.diagnostics and not text.isspace():
        assert format_text(Source(made.text)).text == made.text


@given(damaged() | st.sampled_from(CORPUS), st.integers(1, 60), st.integers(0, 20))
@examples(150)
def test_some_lines(text: str, first: int, more: int) -> None:
    """Formatting some lines says the same, changes lines around them only, and leads to the same normal form."""
    whole = format_text(Source(text))
    made = format_text(Source(text), (first, first + more))
    assert set(map(_said, made.diagnostics)) <= set(map(_said, whole.diagnostics))
    assert format_text(Source(made.text)).text == whole.text


def test_a_byte_order_mark_before_an_error() -> None:
    """It goes from a text in which nothing else can be formatted, as from one of which some lines are formatted."""
    text = "// note\nA[@T]: {\n    accept: env.x\n}\n"
    assert format_text(Source(text)).diagnostics
    for lines in (None, (1, 1), (3, 3)):
        assert format_text(Source(f"\ufeff{text}"), lines).text == text


def _said(found: Diagnostic) -> tuple[str, str]:
    return found.rule, found.message


@pytest.mark.parametrize("text", CORPUS, ids=[path.stem for path in (*EXAMPLES, *TOLERATED)])
def test_corpus(text: str) -> None:
    """What people write keeps its figure and its problems: none is new."""
    made = assert_normal(text)
    if made.diagnostics:
        return
    assert max(map(len, made.text.split("\n"))) <= WIDEST or "//" in made.text
    before, after = (analyse(Source(each), Config(snippet=True)) for each in (text, made.text))
    assert drawn(after) == drawn(before)
    assert not Counter(each.rule for each in after.diagnostics) - Counter(each.rule for each in before.diagnostics)


_GROWING = {
    "specs": "P{n}[@T]: {{\n    S: A\n    U: env.q[@T] // c\n}}\n",
    "one line": "P{n}[@T]: {{ S: {{ A, B; C }} U: env.q[@T] }} ",
    "messages": "S: ",
    "comments": "// c {n}\nS: A // d\n/* e\nf */",
    "values": "S: f(value_{n}, env.x[{n}] + 1) ",
    "conditions": "If x{n} & y == {n} {{ S: A }} // c\nElse {{ S: B }}\n",
    "separators": "S: a; (b)\n",
}


@pytest.mark.parametrize("kind", few(_GROWING, 2))
def test_cost_grows_with_the_length(kind: str) -> None:
    """Ten times the text takes about ten times the steps: counted lines of Python, no clock."""
    texts = ("".join(_GROWING[kind].format(n=n) for n in range(size)) + "A" for size in (30, 300))
    few, many = (n_steps(partial(_format, text)) for text in texts)
    assert many < 12 * few + 20_000


def _format(text: str) -> None:
    assert format_text(Source(text)).diagnostics == ()
