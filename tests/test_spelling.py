"""Every spelling that is understood is named with its documented form, and its fix changes nothing else."""

from pathlib import Path

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st
from strategies import damaged, files, soups

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, apply_fixes, fix_until_stable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.nodes import same_shape
from acdl_mkdocs.language.syntax.parse import parse

ROOT = Path(__file__).parent
TEXTS = [
    path.read_bytes().decode("utf-8")
    for folder in ("tolerated", "check", "parse", "reference", "render")
    for path in sorted((ROOT / "golden" / folder).rglob("*.acdl"))
]


def spelled(text: str) -> list[Diagnostic]:
    """What is said about the spelling of a text."""
    found = analyse(Source(text), Config(snippet=True)).diagnostics
    return [each for each in found if each.rule == "undocumented-spelling"]


def test_a_safe_fix_gives_the_same_tree() -> None:
    """Each safe fix alone, and all of them until nothing is left, change the spelling and not the tree."""
    n_fixes = 0
    for text in TEXTS:
        tree = parse(Source(text)).file
        fixes = [each.fix for each in spelled(text) if each.fix is not None and each.fix.is_safe]
        n_fixes += len(fixes)
        for fix in fixes:
            assert same_shape(parse(Source(apply_fixes(text, [fix]).text)).file, tree), (fix.title, text)
        fixed = fix_until_stable(text, spelled)
        assert same_shape(parse(Source(fixed.text)).file, tree), text
        assert [each for each in spelled(fixed.text) if each.fix is not None and each.fix.is_safe] == []
    assert n_fixes > 100


def test_all_fixes_leave_nothing_to_say() -> None:
    """With the unsafe fixes too, only comments in the middle of a line keep their spelling."""
    for text in TEXTS:
        if not parse(Source(text)).diagnostics:
            left = spelled(fix_until_stable(text, spelled, unsafe=True).text)
            kept = {f"`{written}` is not the documented spelling" for written in ("/* ... */", "<!-- ... -->")}
            assert {each.message for each in left} <= kept


@pytest.mark.parametrize(
    ("written", "documented"),
    [
        ("P[@T]: { S: { A, B } }", "P[@T]: { S: { A B } }"),
        ("P[@T]: { S: { A,B } }", "P[@T]: { S: { A B } }"),
        ("P[@T]: { for d in env.docs: { U: d.x } }", "P[@T]: { ForEach(d: env.docs) { U: d.x } }"),
        ("P[@T]: { S: A } # end", "P[@T]: { S: A } // end"),
        ("P[@T]: { S: A } #/end", "P[@T]: { S: A } // /end"),
        ("P[@T] { Role user: env.x }", "P[@T]: { U: env.x }"),
        ("Prompt P[@T] { u: { env.x } }", "P[@T]: { U: { env.x } }"),
        ("Prompt P[@T]: { U { env.x } }", "P[@T]: { U: { env.x } }"),
        ("P[@T]: { If (@T = 1) { S: A } }", "P[@T]: { If (@T == 1) { S: A } }"),
    ],
)
def test_fixed(written: str, documented: str) -> None:
    """The safe fixes give exactly this text."""
    assert fix_until_stable(written, spelled).text == documented


@pytest.mark.parametrize(
    "text",
    [
        "U: { room; door; window }",
        "U: { é é ; é }",
        "U: { a * b ; c }",
        "U: { room door; A window }",
        "a b\n; c d; e f",
    ],
)
def test_words_in_a_row_do_not_become_text(text: str) -> None:
    """Where a separator keeps three words from being text for the model, there is no fix, and a cure that is right."""
    found = spelled(text)[0]
    assert found.fix is None
    assert found.help == ("write each of the words on a line of its own",)


@pytest.mark.parametrize(
    ("written", "documented"),
    [
        ("U: { room; door }", "U: { room door }"),
        ("U: { INTRO; BODY; END }", "U: { INTRO BODY END }"),
        ("U: { env.a; room; env.b[@T]; f(x); door }", "U: { env.a room env.b[@T] f(x) door }"),
    ],
)
def test_what_is_no_text_is_fixed(written: str, documented: str) -> None:
    """A separator goes where nothing around it reads like text for the model."""
    fix = spelled(written)[0].fix
    assert fix
    assert fix.is_safe
    assert apply_fixes(written, [fix]).text == documented


@pytest.mark.parametrize("text", ["S: { A; (b) }", "S: { A, -1 }", "S: { a, [1] }"])
def test_a_separator_that_separates_stays(text: str) -> None:
    """Without it the second content would belong to the first, so nothing is said: the formatter writes it too."""
    assert not spelled(f"P[@T]: {{ {text} }}")


@pytest.mark.parametrize(
    ("text", "is_safe"),
    [("S: A, B", False), ("S: A; B", False), ("S: A, U: B", True), ("S: A,\nU: B", True), ("S: { A, B }", True)],
)
def test_a_separator_that_joins_stays(text: str, is_safe: bool) -> None:
    """In `S: A, B` only the comma says that both belong to the role: a safe fix does not take it away."""
    (found,) = spelled(f"P[@T]: {{ {text} }}")
    assert found.fix is not None
    assert found.fix.is_safe == is_safe


def test_nothing_is_fixed_in_a_broken_text() -> None:
    """Where something is not understood, spelling is mentioned and left alone."""
    found = spelled("P[@T]: { user: env.x }\nQ[@T]: { S: ) }\n")
    assert [each.message for each in found] == ["`user:` is not the documented spelling"]
    assert found[0].fix is None


def test_drawn_bounds_depend_on_the_ranges() -> None:
    """`1 ... @T` includes its end: its documented form does too, however ranges are read."""
    text = "P[@T]: { ForEach i : 1 ... @T { U: env.x[@i] } }"
    assert spelled(text)[0].help == ("write `ForEach(i: range(1, @T+1))`",)
    assert spelled(f"// acdl: range=inclusive\n{text}")[0].help == ("write `ForEach(i: range(1, @T))`",)


@given(st.one_of(soups, damaged(), files))
@examples(150)
def test_any_text_keeps_its_tree(text: str) -> None:
    """Whatever the text, no rule raises and no safe fix of a spelling changes the tree."""
    tree = parse(Source(text)).file
    for each in spelled(text):
        if each.fix is not None and each.fix.is_safe:
            fixed = parse(Source(apply_fixes(text, [each.fix]).text))
            assert same_shape(fixed.file, tree), each.fix.title
