"""Comparing one spec of a file with another: what belongs to them, and what is not a difference."""

import pytest

from acdl_mkdocs.compare.choose_specs import definition_names, select_definition, without_title
from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.parse import parse

TEXT = """\
// acdl: range=inclusive
// title: Many

// The one.
One[@T]: {
    S: { Frag Outer[@T] }
    U: env.q[@T]
}

// The other.
Two[@T]: {
    S: { Frag Outer[@T] }
    U: env.q[@T] // the question
}

StrFrag Outer[@t]: { Frag Inner[@t] }
StrFrag Inner[@t]: { HELLO }
StrFrag Unused[@t]: { BYE }
"""


def test_what_belongs_to_a_spec() -> None:
    """Its fragments, also those of fragments, and what the file says to the tools; places stay."""
    parsed = parse(Source(TEXT))
    assert definition_names(parsed) == ("One", "Two", "Outer", "Inner", "Unused")
    two = select_definition(parsed, "Two")
    assert definition_names(two) == ("Two", "Outer", "Inner")
    assert [item for item in two.file.items if type(item).__name__ == "Comment"] == [parsed.file.items[0]]
    assert two.source is parsed.source
    with pytest.raises(KeyError):
        select_definition(parsed, "Three")


def test_names_are_no_difference() -> None:
    """Two specs that say the same differ in nothing but what is said beside their statements."""
    old, new = (parse(Source(TEXT)) for _ in range(2))
    found = diff(select_definition(old, "One"), select_definition(new, "Two"), same=("One", "Two"))
    assert [edit.kind for edit in found.edits] == ["renamed"]
    shown = without_title(found, "One", "Two")
    assert shown.edits == ()
    assert [each.kind for each in shown.comments] == ["added"]
    assert without_title(found, "One", "Three").edits == found.edits
