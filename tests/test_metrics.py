"""Columns of text, and text that nobody can hide anything in."""

import json
from importlib.resources import files
from itertools import pairwise

import pytest

from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.foundation.text_width import count_columns, is_right_to_left, measure_advances


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("env.q[@t]", 9),
        ("Ümläut", 6),
        ("日本語", 6),
        ("ｱ", 1),
        ("e\u0301", 1),
        ("→≤∀…—", 5),
        ("😀", 2),
        ("👩\u200d🚀", 2),
        ("👍\U0001f3fd", 2),
        ("\U0001f1e9\U0001f1ea", 2),
        ("\U000e0fff", 2),
    ],
)
def test_columns(text: str, expected: int) -> None:
    """Wide and unknown characters take two columns, combining ones none, an emoji sequence as many as its first."""
    assert count_columns(text) == expected


def test_advances_add_up() -> None:
    """Each character adds its columns; one that is drawn into the glyph before it adds none."""
    text = "a日👩\u200d🚀e\u0301"
    assert list(measure_advances(text)) == [1, 2, 2, 0, 0, 1, 0]
    assert count_columns(text) == 6


def test_table_is_sorted_and_has_no_overlaps() -> None:
    """The ranges can be searched by bisection."""
    data = json.loads((files("acdl_mkdocs") / "assets" / "advances.json").read_text("utf-8"))
    ranges = data["ranges"]
    assert all(first <= last for first, last, _ in ranges)
    assert all(before[1] < after[0] for before, after in pairwise(ranges))
    assert {width for *_, width in ranges} <= {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a\tb\nc", "a b c"),
        ("a\x00b\x1bc\x85", "a\ufffdb\ufffdc\ufffd"),
        ("\ud800\uffff", "\ufffd\ufffd"),
        ("a\u202eb\u2066", "a<U+202E>b<U+2066>"),
        ("a\u200bb\ufeff", "a<U+200B>b<U+FEFF>"),
        ("日本 שלום 👩\u200d🚀", "日本 שלום 👩\u200d🚀"),
    ],
)
def test_visible(text: str, expected: str) -> None:
    """What XML forbids is replaced, what reorders or hides text shows its number, scripts and emoji stay whole."""
    assert make_visible(text) == expected


def test_right_to_left() -> None:
    """Hebrew and Arabic run from right to left, Japanese does not."""
    assert is_right_to_left("a שלום")
    assert is_right_to_left("مرحبا")
    assert not is_right_to_left("日本語")
    assert not is_right_to_left("abc")
