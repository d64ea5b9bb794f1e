"""Differences as figures: what is marked, how, and where."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import bodies as any_bodies
from strategies import damaged, files, soups

from acdl_mkdocs.compare.formats import format_difference
from acdl_mkdocs.compare.formats.figure import draw_sides, draw_unified
from acdl_mkdocs.drawing.figure.boxes import Box, signs_of
from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.drawing.formats import box_text, text
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.names.resolve import resolve
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.words import Pill, Run, Words
from comparison.compared import difference, versions


def shown(figure: Box) -> str:
    """A figure as text, with the sign of each line before it."""
    return text.write(figure, OutputOptions())


def lines(figure: Box) -> list[str]:
    """Its lines with signs, without their indentation."""
    return [re.sub(r"^(.) +", r"\1 ", line) for line in shown(figure).split("\n") if line[:1].strip()]


def spec(body: str) -> str:
    """A spec with such statements."""
    return f"P[@T.I]: {{\n{body}\n}}\n"


CASES = {
    "added": ("S: A", "S: A\nU: B", ["+ Role: User", "+ B"]),
    "removed": ("S: A\nU: B", "S: A", ["- Role: User", "- B"]),
    "condition": ("If sys.a { U: X }", "If sys.b { U: X }", ["~ If [-sys.a-] {+sys.b+} (condition changed)"]),
    "bounds": (
        "ForEach(t: range(1, @T)) { U: env.q[@t] }",
        "ForEach(t: range(2, @T)) { U: env.q[@t] }",
        ["~ ForEach t : [-1-] {+2+} ... @T excl. (bounds changed)"],
    ),
    "arguments": ("U: A(sys.x)", "U: A(sys.y)", ["~ A([-sys.x-] {+sys.y+}) (arguments changed)"]),
    "index": ("U: env.q[@T]", "U: env.q[@T-1]", ["~ env.q[[-@T-] {+@T-1+}] (index changed)"]),
    "renamed": (
        "ForEach(t: env.list) { U: env.q[t] }",
        "ForEach(u: env.list) { U: env.q[u] }",
        ["~ ForEach [-t-] {+u+} : env.list (variable renamed, the messages are the same)"],
    ),
    "role": ("U: X(sys.a)", "A: X(sys.a)", ["~ Role: [-USER-] Assistant (role changed)"]),
    "moved": (
        "S: FIRST(sys.a)\nU: SECOND(sys.b)\nA: THIRD(sys.c)",
        "U: SECOND(sys.b)\nA: THIRD(sys.c)\nS: FIRST(sys.a)",
        ["> S: FIRST(sys.a) (moved away, 1)", "> Role: System (moved here, 1)"],
    ),
    "wrapped": ("U: X(sys.a)", "If sys.b { U: X(sys.a) }", ["+ If sys.b (put around existing statements)"]),
    "unwrapped": ("If sys.b { U: X(sys.a) }", "U: X(sys.a)", ["- If sys.b (removed, contents kept)"]),
    "unwrapped mark": ("Mark 2 { U: X(sys.a) }", "U: X(sys.a)", ["- Mark 2 (removed, contents kept)"]),
    "mark": ("Mark 1 { U: X }", "Mark 2 { U: X }", ["~ Mark 2 (number changed, the messages are the same, was 1)"]),
    "comment beside": ("U: X // old words", "U: X // new words", ["/ X (comment was: old words) // new words"]),
    "comment alone": ("// old\nU: X", "// new\nU: X", ["/ (comment was: old) // new"]),
    "new comment": ("U: X", "U: X // why", ["/ X (new comment) // why"]),
    "no comment": ("// why\nU: X", "U: X", ["/ (comment taken out) // why"]),
    "no comment beside": ("U: X // why", "U: X", ["/ X (comment taken out: why)"]),
    "setting": (
        "ForEach(t: range(1, @T)) { U: env.q[@t] }",
        "// acdl: range=inclusive\nForEach(t: range(1, @T)) { U: env.q[@t] }",
        [
            "~ range: [-half-open-] {+inclusive+} (how the text is read)",
            "~ ForEach t : 1 ... @T[-excl.-] (bounds changed)",
        ],
    ),
    "else": (
        "If sys.a { U: X } Else { U: Y }",
        "If sys.a { U: X } Else { U: Z }",
        ["~ [-Y-] {+Z+} (content changed)"],
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_every_kind_of_edit_is_marked(old: str, new: str, expected: list[str]) -> None:
    """Each kind has its sign and says what was; nothing else is marked."""
    pragma, _, body = new.partition("\n") if new.startswith("// acdl:") else ("", "", new)
    assert lines(draw_unified(difference(spec(old), f"{pragma}\n{spec(body)}"))) == expected


def test_removed_parts_stand_where_they_were() -> None:
    """What was taken out is between what stood around it; what stays in a block taken away is not marked."""
    old = "S: A\nIf sys.b {\n U: X(sys.a)\n T: GONE(sys.g)\n A: Y(sys.c)\n}\nU: Z"
    new = "S: A\nU: X(sys.a)\nA: Y(sys.c)\nU: Z"
    assert shown(draw_unified(difference(spec(old), spec(new)))) == (
        "  P[@T.I]:\n"
        "    Role: System\n"
        "      A\n"
        "-   If sys.b (removed, contents kept)\n"
        "-     Role: Tool\n"
        "-       GONE(sys.g)\n"
        "    Role: User\n"
        "      X(sys.a)\n"
        "    Role: Assistant\n"
        "      Y(sys.c)\n"
        "    Role: User\n"
        "      Z\n"
    )


def test_long_unchanged_parts_are_folded() -> None:
    """What is far from an edit is one line that says how many it was; without edits nothing is folded."""
    same = "\n".join(f"U: env.q{number}[@T]" for number in range(6))
    folded = draw_unified(difference(spec(f"{same}\nA: X"), spec(f"{same}\nA: Y")), is_folded=True)
    assert shown(folded) == (
        "  P[@T.I]:\n    … 10 lines as they were\n    Role: User\n      env.q5[@T]\n"
        "    Role: Assistant\n~     [-X-] {+Y+} (content changed)\n"
    )
    whole = difference(spec(same), spec(same))
    assert draw_unified(whole, is_folded=True) == draw_unified(whole)


def test_sides_have_their_own_words() -> None:
    """The old figure has what was, the new one what is; both have the signs."""
    compared = difference(spec("If sys.a { U: X }\nS: GONE(sys.g)"), spec("If sys.b { A: X }\nT: NEW(sys.n)"))
    old, new = draw_sides(compared)
    assert lines(old) == [
        "~ If [-sys.a-] (condition changed)",
        "~ Role: [-USER-] (role changed)",
        "- Role: System",
        "- GONE(sys.g)",
    ]
    assert lines(new) == [
        "~ If {+sys.b+} (condition changed)",
        "~ Role: Assistant (role changed)",
        "+ Role: Tool",
        "+ NEW(sys.n)",
    ]


def test_edits_are_anchors() -> None:
    """The first box of edit N is `edit-N`, for what was taken out too; its span is none of the new text."""
    figure = draw_unified(difference(spec("S: A(sys.x)\nU: B(sys.a)"), spec("S: A(sys.y)\nT: C(env.d)")))
    anchored = {
        box.anchor: box for box, _, begins in box_text.walk_boxes(figure) if begins and box.anchor.startswith("edit-")
    }
    assert {name: box.sign for name, box in anchored.items()} == {
        "edit-1": "changed",
        "edit-2": "removed",
        "edit-3": "added",
    }
    assert anchored["edit-2"].span is None


def test_declarations_are_told_at_the_top() -> None:
    """What a figure does not draw is said above it."""
    figure = draw_unified(difference(f"Namespace env := {{ q: text }}\n{spec('U: env.q')}", spec("U: env.q")))
    assert lines(figure) == ["- Namespace env := { q: text } (the messages are the same)"]


def test_comments_that_are_not_drawn_are_counted() -> None:
    """What is said above a spec stands in no figure, so that it is counted; other comments are where they stand."""
    figure = draw_unified(difference(f"// old\n{spec('U: X // a')}", f"// new\n{spec('U: X // b')}"))
    assert lines(figure) == ["/ comments that figures do not show (1 changed)", "/ X (comment was: a) // b"]


def bare(words: Words, dropped: tuple[str, ...]) -> Words:
    """Words without those that went or came, and without the frames of the others."""
    found: list[Run | Pill] = []
    for word in words:
        if isinstance(word, Run):
            found.append(word)
        elif word.style not in dropped:
            inner = bare(word.words, dropped)
            found += inner if word.style in ("was", "was-role", "now") else [replace(word, words=inner)]
    return tuple(found)


def without_marks(box: Box, dropped: tuple[str, ...], *, keeps_signs: bool = False) -> Box:
    """A figure without what only its marks have added."""
    children = tuple(
        without_marks(each, dropped, keeps_signs=keeps_signs) for each in box.children if each.span is not None
    )
    return replace(box, header=bare(box.header, dropped), children=children, sign="", sign_words="")


def words_in(figure: Box) -> str:
    """All of it but blanks and capital letters."""
    return re.sub(r"\s", "", shown(figure)).lower()


def drawn(written: str) -> Box:
    """A text as it is drawn without a comparison."""
    return describe(resolve(parse(Source(written))))


@given(pair=versions(any_bodies))
def test_figures_show_both_texts(pair: tuple[str, str]) -> None:
    """Without marks the figure is that of the new text, and those of the sides are those of both texts."""
    one, other = map(spec, pair)
    compared = difference(one, other)
    both = draw_unified(compared)
    assert words_in(without_marks(both, ("was", "was-role"))) == words_in(drawn(other))
    old, new = draw_sides(compared)
    assert words_in(without_marks(old, ("now",))) == words_in(drawn(one))
    assert words_in(without_marks(new, ("was", "was-role"))) == words_in(drawn(other))
    assert bool(signs_of(both)) == (bool(compared.edits) or bool(compared.comments))
    assert shown(both) == shown(draw_unified(compared))


@given(pair=versions(any_bodies))
def test_edits_have_boxes(pair: tuple[str, str]) -> None:
    """Every statement that has edits is marked once, at the number of its first edit."""
    compared = difference(*map(spec, pair))
    figure = draw_unified(compared)
    anchors = [
        box.anchor for box, _, begins in box_text.walk_boxes(figure) if begins and box.anchor.startswith("edit-")
    ]
    assert len(anchors) == len(set(anchors))
    first = {id(edit.new or edit.old): number for number, edit in reversed(list(enumerate(compared.edits, 1)))}
    numbers = {int(anchor.removeprefix("edit-")) for anchor in anchors}
    assert numbers <= {number for number, _ in enumerate(compared.edits, 1)}
    assert bool(numbers) == bool(first)


@given(one=st.one_of(files, soups, damaged()), other=st.one_of(files, soups, damaged()))
def test_any_texts_can_be_drawn(one: str, other: str) -> None:
    """Nothing raises, folded or not, whatever the texts are; folding loses no sign."""
    compared = difference(one, other)
    assert "<svg" in format_difference(compared, "svg")
    whole, folded = (draw_unified(compared, is_folded=each) for each in (False, True))
    assert signs_of(whole) == signs_of(folded)
    assert "<svg" in format_difference(compared, "html")
