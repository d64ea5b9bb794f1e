"""One answer to whether text of strangers is safe, whatever it is put into."""

import json
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.foundation.reports.comment_markdown import format_code
from acdl_mkdocs.foundation.safe_text import (
    RISKY,
    escape_html,
    json_text,
    make_printable,
    make_visible,
    mask_controls,
    one_line,
    visible_lines,
)
from acdl_mkdocs.foundation.text_width import measure_advances
from acdl_mkdocs.playbook.learn.models.chat_completions import preview_text as shown_of_server
from acdl_mkdocs.playbook.learn.report import flatten_lines, shorten_line
from acdl_mkdocs.playbook.pages.html_text import clean_text

ACTING = (
    "\x00\x07\x1b\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ud800"
)
"""Controls, line ends, marks of direction and half a character: what acts on a terminal or cannot be written."""
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
TEXTS = st.text(st.characters() | st.sampled_from(ACTING), max_size=20)


@pytest.mark.parametrize("character", ACTING)
def test_nothing_acts(character: str) -> None:
    """Every way to show text on a terminal or a page takes the sting out of the same characters."""
    text = f"a{character}b"
    ways = (
        make_visible,
        mask_controls,
        one_line,
        flatten_lines,
        shorten_line,
        format_code,
        clean_text,
        shown_of_server,
    )
    assert [each.__name__ for each in ways if character in each(text)] == []
    assert character not in "".join(visible_lines(text))
    assert character not in json_text(text) or character in "\x00\x07\x1b"
    assert json.loads(json_text(text)) == text


@pytest.mark.parametrize("character", "\u0600\u06dd\u070f\u08e2\ufff9\ufffb\U000110bd\U000110cd\U00013430")
def test_characters_of_formatting(character: str) -> None:
    """What a terminal shows in its own way, or not at all, is masked there; JSON has it by its number."""
    assert mask_controls(f"a{character}b") == "a\ufffdb"
    assert character not in json_text(character)
    assert json.loads(json_text(character)) == character


@given(text=TEXTS)
def test_columns_stay(text: str) -> None:
    """What is masked keeps its place, character for character; what is kept of a source too."""
    assert len(mask_controls(text)) == len(text)
    assert not RISKY.search(mask_controls(text))
    assert mask_controls(mask_controls(text)) == mask_controls(text)
    assert len(make_printable(text.replace("\r", ""))) == len(text.replace("\r", ""))


@given(text=TEXTS)
def test_visible_text_has_a_width(text: str) -> None:
    """What is visible stays as it is when it is made visible again, and can be measured."""
    assert make_visible(make_visible(text)) == make_visible(text)
    assert sum(measure_advances(make_visible(text))) >= 0


def test_joiners_stay() -> None:
    """An emoji of several is one, in a figure, on a page, and in what a learning run or a server says."""
    assert [each(FAMILY) for each in (make_visible, mask_controls, one_line, flatten_lines, shown_of_server)] == [
        FAMILY
    ] * 5


def test_one_line() -> None:
    """The beginning of a text, cut with a sign that says so."""
    assert one_line(" a\n\tb  c ") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("abcd", 4) == "abcd"
    assert one_line("a\u202eb") == "a<U+202E>b"


@given(text=TEXTS)
def test_html(text: str) -> None:
    """No markup, and no brace that a template language would take for its own; nothing is lost."""
    found = escape_html(text)
    assert not set("<>{}\"'") & set(found)
    if not RISKY.search(text) and "\r" not in text and text.isprintable():
        assert unescape(found) == text
