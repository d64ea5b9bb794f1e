"""Requests as other programs write them: through a document they are other spellings of the same, or it is told."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.prompts.changes import Change
from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.prompt import Message, Opaque, Prompt
from acdl_mkdocs.prompts.providers import PROVIDERS
from wire.fixtures import body_of, fixtures

HI = {"role": "user", "content": "hi"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "x"}]}
SPELLINGS: list[tuple[str, dict[str, Any]]] = [
    ("responses", {"model": "m", "input": "hi"}),
    ("responses", {"model": "m", "input": [HI, {"role": "assistant", "content": "ok"}, HI]}),
    ("openai", {"model": "m", "messages": [HI, {"role": "assistant", "content": None, "refusal": "No."}, HI]}),
    ("openai", {"model": "m", "messages": [HI, {"role": "assistant", "audio": {"id": "a"}}, HI]}),
    ("openai", {"messages": [{"content": [{"type": "text", "text": "hi"}], "role": "user"}], "model": "m"}),
    ("openai", {"model": "m", "messages": [HI, {"role": "assistant", "tool_calls": [CALL]}, RESULT], "tools": []}),
    ("anthropic", {"model": "c", "max_tokens": 5, "system": [{"type": "text", "text": "s"}], "messages": [HI]}),
    ("gemini", {"contents": [{"parts": [{"text": "hi"}]}], "generation_config": {"temperature": 1}}),
]


@pytest.mark.parametrize(("name", "request_"), SPELLINGS)
def test_spelling(name: str, request_: dict[str, Any]) -> None:
    """A request in another spelling comes back in ours: nothing is told, and it means the same."""
    document = convert(json.dumps(request_), "pml", from_=name)
    assert document.changes == ()
    again = convert(document.text or "", name)
    assert again.is_lossless
    assert meant(json.loads(again.text or ""), name) == meant(request_, name)


def meant(body: Any, name: str) -> Prompt:
    """What a request says, whoever spelled it."""
    return PROVIDERS[name].read(body).prompt


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in JSON."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """JSON with another value at a place, or without it."""
    if not path:
        return new
    if isinstance(value, dict):
        pairs = [(key, changed(each, path[1:], new) if key == path[0] else each) for key, each in value.items()]
        return {key: each for key, each in pairs if each is not GONE}
    inner = [changed(each, path[1:], new) if at == path[0] else each for at, each in enumerate(value)]
    return [each for each in inner if each is not GONE]


GONE = object()
BODIES = [(path.suffixes[-2].removeprefix("."), body_of(path)) for path in fixtures()]
ODD: list[Any] = [GONE, None, [], {}, "", 0, True, "x", [{"type": "text", "text": "x"}], {"cache_control": {}}]


@given(data=st.data())
def test_mutated_requests(data: st.DataObject) -> None:
    """A pinned request with anything else at any place is the same again after it was a document, or that is told."""
    name, body = data.draw(st.sampled_from(BODIES))
    body = changed(body, data.draw(st.sampled_from([*places(body)][1:])), data.draw(st.sampled_from(ODD)))
    document = convert(json.dumps(body), "pml", from_=name, is_lenient=True)
    if document.text is None:
        assert document.problems
        return
    again = convert(document.text, name, is_lenient=True)
    is_told = any(is_about(each) for each in (*document.changes, *again.changes))
    assert is_told or whole(json.loads(again.text or ""), name) == whole(body, name)


def is_about(change: Change) -> bool:
    """Whether it tells that something is otherwise, and not only what a provider may mind."""
    return change.kind != "warning" or "filled in" in change.sentence or "written" in change.sentence


def whole(body: Any, name: str) -> tuple[list[Message], Any, dict[str, Any]]:
    """What a request says, with its settings by their keys, of which those without a value say nothing."""
    prompt = meant(body, name)
    said: list[Opaque] = [each for each in prompt.settings if isinstance(each.json, dict)]
    settings = {key: value for each in said for key, value in dict(each.json).items() if value not in (None, [])}  # type: ignore[arg-type]
    return list(prompt.messages), prompt.tools, settings
