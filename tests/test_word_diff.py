"""The one comparison of texts word by word: what it yields is both texts, and all that show it agree."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.compare.sent.words import changed_words as sent_words
from acdl_mkdocs.foundation.word_diff import word_diff
from acdl_mkdocs.frontends.cli.playbook.diff import mark_changed_words as printed
from acdl_mkdocs.playbook.pages.html_text import render_side_by_side, render_text_changes

TEXTS = st.lists(st.sampled_from(["a", "b", "word", " ", "\n", ".", ", ", "https://a.b/c?d=e"]), max_size=30).map(
    "".join
)


@given(old=TEXTS, new=TEXTS)
def test_stretches_are_both_texts(old: str, new: str) -> None:
    """Nothing is lost or invented; what stays and what changes take turns."""
    found = word_diff(old, new)
    assert ("".join(each.old for each in found), "".join(each.new for each in found)) == (old, new)
    assert all(each.old == each.new for each in found if each.is_same)
    assert all(one.is_same != two.is_same for one, two in pairwise(found))


def test_long_texts() -> None:
    """Long texts are compared line by line, and lines that changed word by word."""
    lines = [f"line {number} stays as it is\n" for number in range(3_000)]
    new = [*lines[:1_500], "line 1500 is another now\n", *lines[1_501:]]
    changed = [each for each in word_diff("".join(lines), "".join(new)) if not each.is_same]
    assert [(each.old, each.new) for each in changed] == [("stays as it is", "is another now")]


@pytest.mark.parametrize(
    ("old", "new", "stretches"),
    [
        ("one two end", "1 2 end", [("one two", "1 2"), (" end", " end")]),
        ("one, two end", "1, 2 end", [("one, two", "1, 2"), (" end", " end")]),
        ("one, -- two end", "1, -- 2 end", [("one, -- two", "1, -- 2"), (" end", " end")]),
        ("one a two end", "1 a 2 end", [("one", "1"), (" a ", " a "), ("two", "2"), (" end", " end")]),
        (". one end", ". 1 end", [(". ", ". "), ("one", "1"), (" end", " end")]),
        ("end one .", "end 1 .", [("end ", "end "), ("one", "1"), (" .", " .")]),
        ("one", "one two", [("one", "one"), ("", " two")]),
        ("same", "same", [("same", "same")]),
        ("", "", []),
    ],
)
def test_signs_between_changes_belong_to_them(old: str, new: str, stretches: list[tuple[str, str]]) -> None:
    """Blanks and signs between two changes are part of one; a word between them, and signs at either end, are not."""
    assert [(each.old, each.new) for each in word_diff(old, new)] == stretches


@pytest.mark.parametrize(
    ("old", "new", "removed", "added"),
    [
        ("retry after 5 s", "retry after 50 s", "5", "50"),
        ("until an empty page.", "until a whole page.", "an empty", "a whole"),
        ("see https://a.b/c?d=e.", "see https://a.b/x?d=e.", "https://a.b/c?d=e", "https://a.b/x?d=e"),
        ("one (two) three", "one (2) three", "two", "2"),
        ("a, b end", "c, d end", "a, b", "c, d"),
    ],
)
def test_all_agree(old: str, new: str, removed: str, added: str) -> None:
    """Messages, playbook pages and the command line mark the same words; a sign between two changes belongs to them."""
    sent = sent_words(old, new)
    marked = render_text_changes(old, new)
    one, two = render_side_by_side(old, new)
    line = printed(old, new)
    assert [each.text for each in sent if each.kind == "removed"] == [removed]
    assert [each.text for each in sent if each.kind == "added"] == [added]
    assert re.findall("<(?:del|ins)>(.*?)</", marked) == [removed, added]
    assert re.findall("<mark>(.*?)</mark>", one + two) == [removed, added]
    assert f"[-{removed}-]{{+{added}+}}" in line
