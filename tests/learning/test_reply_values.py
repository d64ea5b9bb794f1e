"""How values of replies are read."""

import pytest

from acdl_mkdocs.playbook.learn.role_prompts import is_true, read_ids, read_tags, write_value
from acdl_mkdocs.prompts.prompt import Json


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (" x ", "x"), (True, "true"), (4.5, "4.5"), (["a", None, 2, ""], "a, 2"), ([], ""), ("\ud800", "?")],
)
def test_words(value: Json, text: str) -> None:
    """Nothing for null, lists joined by commas, numbers and truth values as they are written."""
    assert write_value(value) == text


@pytest.mark.parametrize(
    ("value", "is_so"), [(True, True), ("True ", True), ("false", False), (None, False), (1, False)]
)
def test_facts(value: Json, is_so: bool) -> None:
    """The word is as good as the value."""
    assert is_true(value) is is_so


@pytest.mark.parametrize("value", [["[a-1]", 3, " ", None], "a-1", ["a-1"]])
def test_ids(value: Json) -> None:
    """With or without brackets, alone or in a list."""
    assert list(read_ids(value)) == ["a-1"]


@pytest.mark.parametrize(
    "value",
    [
        [{"id": "a-1", "tag": "helpful"}, {"id": "b-2", "tag": "harmful"}, {"id": "a-1", "tag": "neutral"}],
        [{"bullet_id": "[a-1]", "tag": "Helpful"}, {"bullet_id": "b-2", "tag": "harmful"}],
        {"a-1": "helpful", "[b-2]": "HARMFUL"},
    ],
)
def test_tags(value: Json) -> None:
    """A list under either name of the id, or a map; the first tag of a bullet counts."""
    assert read_tags(value, {"a-1", "b-2"}) == ({"a-1": "helpful", "b-2": "harmful"}, ())


@pytest.mark.parametrize("value", [None, "helpful", ["helpful"], [{"id": "c-3", "tag": "helpful"}], {"a-1": "good"}])
def test_tags_that_are_dropped(value: Json) -> None:
    """Other bullets, other tags and other shapes tag nothing."""
    assert read_tags(value, {"a-1"})[0] == {}
