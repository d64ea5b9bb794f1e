"""Which texts are the same: each step of the normal form, what it joins, and what it must not."""

import pytest

from acdl_mkdocs.playbook.similarity import is_equal, normal_form

from .pairs import EVERY_PAIR

SAME = {
    "Unicode": [("Caf\u00e9 opens.", "Cafe\u0301 opens."), ("5 \u212b", "5 \u00c5")],
    "white space": [("Ask  first.", "Ask first."), (" Ask\n first.\t", "Ask first."), ("5\u00a0s", "5 s")],
    "lines": [
        ("Ask first,\nthen act.", "Ask first, then act."),
        ("When the build fails on main, ask\nwho broke it", "When the build fails on main, ask who broke it"),
    ],
    "apostrophe": [("Don\u2019t retry.", "Don't retry."), ("The user\u2019s key", "The user's key")],
    "full stop": [
        ("Ask first.", "Ask first"),
        ("Ask first (or don't).", "Ask first (or don't)"),
        ("Use `x` in it.", "Use `x` in it"),
        ("Be up-to-date.", "Be up-to-date"),
    ],
}
DIFFERENT = {
    "Unicode": [
        ("Write m\u00b2.", "Write m2."),
        ("Write \u00bd.", "Write 1/2."),
        ("Use \u2460.", "Use 1."),
        ("Search for \ufb01.", "Search for fi."),
        ("Use \uff21.", "Use A."),
    ],
    "white space": [
        ("Split at `a  b`.", "Split at `a b`."),
        ("Split at ``a `  b``.", "Split at ``a ` b``."),
        ("```\nif x:\n    y\n```", "```\nif x:\n  y\n```"),
        ("Log in first.", "Login first."),
        ("Allow 5 m.", "Allow 5m."),
        ("Unclosed `a  b.", "Unclosed `a b."),
        ('Split at "  ".', 'Split at " ".'),
        ("Split at '  '.", "Split at ' '."),
        ("Join by \u201c\t\u201d.", "Join by \u201c \u201d."),
        ("Match /a  b/.", "Match /a b/."),
        ("Write <pre>a  b</pre>.", "Write <pre>a b</pre>."),
        ("```md\na  \nb\n```", "```md\na\nb\n```"),
    ],
    "lines": [
        ("if x:\n    y\nz", "if x:\n    y\n    z"),
        ("    a\n    b", "a\n    b"),
        ("x = 1\ny = 2", "x = 1 y = 2"),
        ("git fetch\ngit rebase", "git fetch git rebase"),
        ("SELECT a -- all\nFROM b", "SELECT a -- all FROM b"),
        ("all:\n\tmake", "all:\n    make"),
        ("- a\n  - b", "- a\n- b"),
        ("First do all of this now:\n1. one\n2. two.", "First do all of this now: 1. one 2. two."),
        ("Write this line to it.  \nThen that.", "Write this line to it. Then that."),
        ("Steps:\nbuild\ntest.", "Steps: build test."),
        ("A | B\n--|--\n1 | 2", "A | B --|-- 1 | 2"),
    ],
    "apostrophe": [
        ("Use `don\u2019t`.", "Use `don't`."),
        ("Write 5\u2019.", "Write 5'."),
        ("Write don't, not don\u2019t.", "Write don\u2019t, not don't."),
        ("Use 5'.", 'Use 5".'),
        ("Write \u2018a\u2019.", "Write 'a'."),
        ("Write \u201ca\u201d.", 'Write "a".'),
    ],
    "full stop": [
        ("Use .NET.", "Use NET."),
        ("Ask first?", "Ask first."),
        ("Ask first!", "Ask first"),
        ("Do this:", "Do this"),
        ("Go on...", "Go on"),
        ("Write 5.", "Write 5"),
        ("Resolve example.com.", "Resolve example.com"),
        ("Run `git add .`", "Run `git add `"),
        ("Copy it to .", "Copy it to"),
        ("Use `ls.`", "Use `ls`"),
        ("Write e.g.", "Write e.g"),
    ],
    "nothing else": [
        ("Use the Shell.", "Use the shell."),
        ("Set x != 1", "Set x = 1"),
        ("Use C#.", "Use C."),
        ("Use C++.", "Use C."),
        ("Resign it.", "Re-sign it."),
        ("Pass 1,000.", "Pass 1.000."),
        ("Retry - then stop.", "Retry \u2013 then stop."),
        ("Use `x`.", "Use x."),
        ("Do *not* ask.", "Do not ask."),
        ("Retry.", "Do not retry."),
    ],
}


@pytest.mark.parametrize("pair", [pair for pairs in SAME.values() for pair in pairs], ids=repr)
def test_same(pair: tuple[str, str]) -> None:
    """What a step takes out says nothing."""
    assert is_equal(*pair)
    assert is_equal(*reversed(pair))


@pytest.mark.parametrize("pair", [pair for pairs in DIFFERENT.values() for pair in pairs], ids=repr)
def test_different(pair: tuple[str, str]) -> None:
    """What says something stays."""
    assert not is_equal(*pair)


def test_normal_form_is_one() -> None:
    """It is its own normal form."""
    texts = [each for pairs in (*SAME.values(), *DIFFERENT.values()) for pair in pairs for each in pair]
    for text in (*texts, *(each for pair in EVERY_PAIR for each in (pair.a, pair.b))):
        assert normal_form(normal_form(text)) == normal_form(text)
        assert is_equal(text, normal_form(text))


def test_no_labelled_pair_that_differs_is_the_same() -> None:
    """Of all pairs that people labelled as different, none is the same text."""
    assert [(pair.a, pair.b) for pair in EVERY_PAIR if not pair.is_same and is_equal(pair.a, pair.b)] == []
