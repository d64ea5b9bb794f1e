"""What is written is what the providers' own clients would send."""

from pathlib import Path

import pytest
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from wire.fixtures import body_of, fixtures
from wire.official import OFFICIAL
from wire.prompts import common


@pytest.mark.parametrize("name", PROVIDERS)
@given(data=st.data())
@examples(40)
def test_common_subset_has_official_types(name: str, data: st.DataObject) -> None:
    """Every prompt of the common subset becomes a body that the client's types allow."""
    check = OFFICIAL[name]()
    check(WIRES[name].write(data.draw(common(name)), "m").request)


@pytest.mark.parametrize("path", fixtures(), ids=lambda path: path.name)
def test_fixture_has_official_types(path: Path) -> None:
    """Our pinned bodies are bodies of the format."""
    OFFICIAL[path.suffixes[0][1:]]()(body_of(path))


@pytest.mark.parametrize("name", PROVIDERS)
def test_check_is_strict(name: str) -> None:
    """The check would see a key that the format does not have."""
    check = OFFICIAL[name]()
    message: dict[str, Json] = {"role": "user", "content": [{"type": "text", "text": "hi", "oops": 1}]}
    item: dict[str, Json] = {"role": "user", "content": "hi", "oops": 1}
    bodies: dict[str, dict[str, Json]] = {
        "openai": {"model": "m", "messages": [message]},
        "responses": {"model": "m", "input": [item]},
        "anthropic": {"model": "m", "max_tokens": 1, "messages": [message]},
        "gemini": {"contents": [{"role": "user", "parts": [{"text": "hi", "oops": 1}]}]},
    }
    with pytest.raises(ValueError, match="oops"):
        check(bodies[name])
