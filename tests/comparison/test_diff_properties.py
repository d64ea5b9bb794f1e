"""What holds for the difference of any two specs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TEXTS, damaged, files, soups
from strategies import bodies as any_bodies

import acdl_mkdocs
from acdl_mkdocs.compare.formats import json_tree, markdown, text
from acdl_mkdocs.compare.formats.options import CompareOptions
from comparison.compared import aim, applied, difference, versions


def spec(body: str) -> str:
    """A spec with such statements."""
    return f"P[@T.I]: {{\n{body}\n}}\n"


@pytest.mark.parametrize("example", TEXTS)
def test_normal_form_of_examples(example: str) -> None:
    """An example and its normal form differ in nothing."""
    assert difference(example, acdl_mkdocs.format(example)).is_empty


@given(example=files)
def test_normal_form(example: str) -> None:
    """Formatting changes nothing."""
    assert difference(example, acdl_mkdocs.format(example)).is_empty


@given(pair=st.one_of(versions(any_bodies).map(lambda pair: (spec(pair[0]), spec(pair[1]))), st.tuples(files, files)))
def test_edits_are_complete(pair: tuple[str, str]) -> None:
    """Who makes all edits to the old tree has the new one, and the same the other way round."""
    old, new = pair
    for compared in (difference(old, new), difference(new, old)):
        assert applied(compared) == aim(compared)


@given(one=st.one_of(files, soups, damaged()), other=st.one_of(files, soups, damaged()))
def test_any_texts_can_be_compared(one: str, other: str) -> None:
    """Nothing raises, everything can be shown, twice the same; a text does not differ from itself."""
    compared = difference(one, other)
    options = CompareOptions(color=True)
    shown = [way.write(compared, options) for way in (text, json_tree, markdown)]
    assert shown == [way.write(difference(one, other), options) for way in (text, json_tree, markdown)]
    assert difference(one, one).is_empty


@given(pair=versions(any_bodies))
def test_difference_is_symmetric(pair: tuple[str, str]) -> None:
    """Whether there is one does not depend on which text is the old one."""
    old, new = map(spec, pair)
    assert difference(old, new).is_empty == difference(new, old).is_empty
