"""Machine fixes are applied whole, once each, until nothing is left."""

import pytest

from acdl_mkdocs.foundation.diagnostics import (
    MAX_ROUNDS,
    PARSE_PROBLEMS,
    Diagnostic,
    Fix,
    Label,
    TextEdit,
    apply_fixes,
    fix_until_stable,
    note,
    select_fixes,
)
from acdl_mkdocs.foundation.explanations import read_explanations
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.edits import remove_statement


def edit(start: int, end: int, text: str) -> TextEdit:
    """Replace a range."""
    return TextEdit(Span(start, end), text)


def test_fixes_that_do_not_touch_are_all_applied() -> None:
    """Edits are places in the text as it was, whatever the order in which they come."""
    fixed = apply_fixes("abcdef", [Fix("b", (edit(4, 5, "E"),)), Fix("a", (edit(0, 1, "AA"), edit(5, 6, "")))])
    assert (fixed.text, fixed.n_fixed) == ("AAbcdE", 2)


def test_a_fix_is_applied_whole_or_not_at_all() -> None:
    """Of two fixes that touch, the first in the text wins, and nothing of the other is applied."""
    fixed = apply_fixes("abcdef", [Fix("two", (edit(2, 4, "X"), edit(5, 6, "Y"))), Fix("one", (edit(1, 3, "-"),))])
    assert (fixed.text, fixed.n_fixed) == ("a-def", 1)


def test_insertions_at_one_place_are_not_mixed() -> None:
    """Two insertions at the same place would have an accidental order."""
    assert apply_fixes("ab", [Fix("x", (edit(1, 1, "x"),)), Fix("y", (edit(1, 1, "y"),))]).n_fixed == 1


def fixing(is_safe: bool, old: str, new: str) -> "list[Diagnostic]":
    """A check that finds one `old` to replace."""
    fix = Fix("replace", (edit(0, len(old), new),), is_safe)
    found = note("x", "x", Label(Span(0, 1), "x"))
    return [Diagnostic(rule="x", severity="note", message="x", label=found.label, fix=fix)]


def test_rounds_go_on_until_nothing_is_left() -> None:
    """A fix that brings forth another one is followed by it."""
    steps = {"a": "b", "b": "c"}
    fixed = fix_until_stable("a", lambda text: fixing(True, text, steps[text]) if text in steps else [])
    assert (fixed.text, fixed.n_fixed) == ("c", 2)


def test_rounds_end() -> None:
    """Two fixes that undo each other do not go on for ever."""
    fixed = fix_until_stable("a", lambda text: fixing(True, text, "b" if text == "a" else "a"))
    assert fixed.n_fixed == MAX_ROUNDS


def test_unsafe_fixes_are_asked_for() -> None:
    """A fix that may change the meaning is applied only on demand."""
    check = lambda text: fixing(False, "a", "b") if text == "a" else []  # noqa: E731
    assert fix_until_stable("a", check).text == "a"
    assert fix_until_stable("a", check, unsafe=True).text == "b"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("gone\nb", "b"),
        ("  gone  // why\nb\n", "b\n"),
        ("a\ngone # why", "a\n"),
        ("a\n  gone\n\nb", "a\n\nb"),
        ("gone b", "b"),
        ("a gone b", "a b"),
        ("a { gone }", "a { }"),
        ("a gone\nb", "a\nb"),
    ],
)
def test_a_statement_goes_with_its_line(text: str, left: str) -> None:
    """What has lines for itself is taken out with them and their comment, at either end of a text too."""
    start = text.index("gone")
    removed = remove_statement(Source(text), Span(start, start + len("gone")))
    assert apply_fixes(text, [Fix("take it out", (removed,))]).text == left


def unused(text: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a text."""
    return analyse(Source(text)).diagnostics


def test_unsafe_fixes_wait_for_what_is_not_understood() -> None:
    """What looks unused may be used where the text cannot be read; nor is anything there safe to change."""
    loop = "    ForEach(@t: range(1, @T)) { U: env.q[t] }\n"
    text = f"Chat[@T]: {{\n{loop}    Name unused := f(env.q[@T])\n    U: env.a[@T $b\n}}\n"
    found = unused(text)
    assert {"syntax", "bare-time-variable"} <= {each.rule for each in found}
    assert fix_until_stable(text, unused, unsafe=True).text == text
    understood = text.replace("@T $b", "@T]")
    assert "unused" not in fix_until_stable(understood, unused, unsafe=True).text


def test_unsafe_fixes_of_what_is_not_understood() -> None:
    """The fix of a syntax error itself is applied where unsafe fixes are, and others wait for it."""
    place = Label(Span(0, 1), "x")
    misread, other = (
        Diagnostic(rule=rule, severity="error", message="x", label=place, fix=Fix(rule, (edit(0, 1, "y"),), False))
        for rule in ("syntax", "empty-body")
    )
    assert select_fixes([misread, other]) == []
    assert select_fixes([misread, other], unsafe=True) == [misread.fix]
    assert select_fixes([other], unsafe=True) == [other.fix]


def test_problems_of_texts_that_are_not_understood() -> None:
    """Each documented problem of a text that no rule finds holds back fixes; what `acdl format` says is none."""
    assert set(read_explanations("text")) - {"not-formatted"} == PARSE_PROBLEMS


def test_lines_that_are_put_in_end_like_the_others() -> None:
    """A fix of a file with CR LF line ends puts in no others."""
    fixed = fix_until_stable("a\r\nb", lambda text: fixing(True, "a", "x\ny\r\n") if text[0] == "a" else [])
    assert fixed.text == "x\r\ny\r\n\r\nb"


def test_nothing_is_safe_in_a_definition_with_an_error() -> None:
    """Only the fix of the error itself is; other definitions are fixed."""
    draft = "Bad[@T]: {\n    system: Be nice to users\n    If a = b { U: X }\n}\n"
    good = "Good[@T]: {\n    user: env.q[@T]\n}\n"
    assert fix_until_stable(draft + good, unused).text == draft + good.replace("user", "U")
    one_line = "P[@T]: {\n    U: If env.a[@T] = b { X }\n}\n"
    fixed = "P[@T]: {\n    U: {\n        If env.a[@T] == b { X }\n    }\n}\n"
    assert fix_until_stable(one_line, unused).text == fixed
