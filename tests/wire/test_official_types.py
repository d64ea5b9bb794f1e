"""What is written is what the providers' own clients would send."""

from pathlib import Path
from typing import Any

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.prompts.prompt import Text
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from wire.expected import expected
from wire.fixtures import DATA, body_of, fixtures
from wire.prompts import common
from wire.samples import AGENT

QUESTION = next(part.text for part in AGENT.messages[1].parts if isinstance(part, Text))


@pytest.mark.parametrize("name", PROVIDERS)
@given(data=st.data())
@examples(40)
def test_common_subset_has_official_types(name: str, data: st.DataObject) -> None:
    """Every prompt of the common subset becomes a body that the client's types allow."""
    check = expected(name).check()
    check(WIRES[name].write(data.draw(common(name)), "m").request)


@pytest.mark.parametrize("path", fixtures(), ids=lambda path: path.name)
def test_fixture_has_official_types(path: Path) -> None:
    """Our pinned bodies are bodies of the format."""
    expected(path.suffixes[0][1:]).check()(body_of(path))


@pytest.mark.parametrize("name", PROVIDERS)
def test_check_is_strict(name: str) -> None:
    """The check would see a key that the format does not have."""
    check = expected(name).check()
    body = body_of(DATA / f"agent.{name}.json")
    changed = add_key(body)
    assert changed != body
    check(body)
    with pytest.raises(ValueError, match="oops"):
        check(changed)


def add_key(value: Any) -> Any:
    """Return a body with a key that no format has, in the object that holds the first question."""
    if isinstance(value, list):
        return [add_key(each) for each in value]
    if not isinstance(value, dict):
        return value
    is_question = any(each == QUESTION for each in value.values())
    return {key: add_key(each) for key, each in value.items()} | ({"oops": 1} if is_question else {})
