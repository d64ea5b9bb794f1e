"""Answers as providers give them: in one piece or in several, they say the same."""

import json
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire.expected import expected

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.providers.client_request import ClientRequest
from acdl_mkdocs.prompts.providers.event_stream import Event, read_events, split_text, write_event
from acdl_mkdocs.prompts.providers.response_formats import RESPONSE_FORMATS
from acdl_mkdocs.prompts.providers.scripted_reply import ScriptedCall, ScriptedReply, Stop
from recorder.upstream import path_of

TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)
CALLS = st.builds(
    ScriptedCall,
    st.sampled_from(["search", "f"]),
    st.dictionaries(st.text("ab", min_size=1, max_size=3), st.one_of(st.integers(), st.text(max_size=9))),
    st.sampled_from(["call_1", "call_2"]),
)
STOPS: tuple[Stop, ...] = ("end", "calls", "length", "refusal")
SAID = st.builds(
    ScriptedReply, st.just("7"), TEXTS, TEXTS, st.lists(CALLS, max_size=3).map(tuple), st.sampled_from(STOPS)
)


def asked_of(format: str, query: str = "alt=sse") -> ClientRequest:
    """A request that wants its answer in pieces."""
    body: dict[str, Json] = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
    return ClientRequest(1, format, "POST", path_of(format), query, json=body)


def test_every_format_has_a_shape() -> None:
    """What can be read can be answered."""
    assert RESPONSE_FORMATS.keys() == PROVIDERS.keys()


@pytest.mark.parametrize("format", RESPONSE_FORMATS)
@given(said=SAID)
def test_pieces_make_the_whole(format: str, said: ScriptedReply) -> None:
    """A stream that is put together again is the answer that it was made of."""
    asked = asked_of(format)
    whole = RESPONSE_FORMATS[format].build_body(said, asked)
    stream = b"".join(RESPONSE_FORMATS[format].stream_body(whole, asked))
    assert RESPONSE_FORMATS[format].assemble_body(read_events(stream)) == whole


@pytest.mark.parametrize("format", RESPONSE_FORMATS)
@given(said=SAID)
def test_clients_know_the_answer(format: str, said: ScriptedReply) -> None:
    """The types of the client packages have a place for everything, checked strictly."""
    whole = RESPONSE_FORMATS[format].build_body(said, asked_of(format))
    expected(format).answer_type.model_validate_json(json.dumps(whole))


@given(said=SAID)
def test_a_list_of_pieces(said: ScriptedReply) -> None:
    """Gemini gives pieces as a list where nobody asks for events."""
    asked = asked_of("gemini", query="")
    whole = RESPONSE_FORMATS["gemini"].build_body(said, asked)
    listed = json.loads(b"".join(RESPONSE_FORMATS["gemini"].stream_body(whole, asked)))
    assert RESPONSE_FORMATS["gemini"].assemble_body(Event(each) for each in listed) == whole


@given(TEXTS)
def test_pieces_lose_nothing(text: str) -> None:
    """A text in pieces is the text, and no piece is empty."""
    assert "".join(split_text(text)) == text
    assert all(split_text(text))


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_events_of_any_line_ending(end: str) -> None:
    """Both line endings are in use; comments and what is cut off are left out."""
    stream = b": comment\n\n" + write_event(Event({"a": "ü"}, "one"), end) + b'data: {"cut'
    assert [(each.name, each.data) for each in read_events(stream)] == [("one", {"a": "ü"})]


def test_streams_that_are_cut_off() -> None:
    """What came before the end is kept."""
    said = ScriptedReply("1", "one two three four", "hm", (ScriptedCall("f", {"a": 1}, "c"),), "calls")
    for name, shape in RESPONSE_FORMATS.items():
        asked = asked_of(name)
        events = list(read_events(b"".join(shape.stream_body(shape.build_body(said, asked), asked))))
        for n_kept in range(len(events) + 1):
            found = shape.assemble_body(events[:n_kept])
            assert found is None or isinstance(found, dict)
    half = RESPONSE_FORMATS["openai"].assemble_body([Event({"choices": [{"index": 0, "delta": {"content": "on"}}]})])
    choices = cast("list[dict[str, Json]]", cast("dict[str, Json]", half)["choices"])
    assert choices == [{"index": 0, "message": {"content": "on"}}]


def test_hostile_chunks() -> None:
    """An index beyond everything makes no long list, and what is not an object is passed over."""
    call: Json = {"index": 10**9, "function": {"name": "f", "arguments": "{}"}}
    delta: Json = {"choices": [{"delta": {"tool_calls": [call]}}, 3], "x": None}
    found = cast("dict[str, Json]", RESPONSE_FORMATS["openai"].assemble_body([Event(delta), Event("no"), Event(None)]))
    message = cast("dict[str, Json]", cast("list[dict[str, Json]]", found["choices"])[0]["message"])
    assert message["tool_calls"] == [{"function": {"name": "f", "arguments": "{}"}}]
    assert RESPONSE_FORMATS["anthropic"].assemble_body([Event({"type": "content_block_delta", "delta": {}})]) is None
