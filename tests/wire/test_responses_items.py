"""Every item that OpenAI Responses takes is read as what it is: calls are calls, results are results."""

import json
from typing import Any, get_args, get_type_hints

import pytest

from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.prompt import Call, Output, Text
from acdl_mkdocs.prompts.providers import WIRES, Read
from acdl_mkdocs.prompts.providers.responses import ITEMS
from acdl_mkdocs.prompts.providers.responses_tools import CALLS, OUTPUTS
from wire.expected import expected
from wire.official import client
from wire.responses_items import SAMPLES, Sample

OTHERS = {"message", "function_call", "function_call_output", "reasoning"}
"""Items that are read one by one."""
ASKED = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
SAID = {"type": "message", "role": "assistant", "content": "Done."}
ALL = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


def body_of(sample: Sample) -> Any:
    """A request that has the items between a question and an answer."""
    return {"model": "m", "input": [ASKED, *sample.items, SAID, ASKED]}


def read_of(sample: Sample) -> Read:
    """What it is read as."""
    return WIRES["responses"].read(body_of(sample))


def test_every_type_is_read() -> None:
    """A new item of the client's types is read, or is kept with the role of its message."""
    client("openai")
    from openai.types.responses.response_input_item_param import ResponseInputItemParam

    types = {name for each in get_args(ResponseInputItemParam) for name in _names(get_type_hints(each)["type"])}
    read = {*OTHERS, *CALLS, *OUTPUTS, *ITEMS}
    assert types - read == set(), "give each a line in `CALLS` or `ITEMS`, and a sample in responses_items.py"
    assert read - types == set(), "the client has no such item any more"
    assert read - OTHERS == {item.get("type", "item_reference") for each in SAMPLES.values() for item in each.items}


def _names(hint: Any) -> list[str]:
    return [name for each in get_args(hint) for name in ([each] if isinstance(each, str) else _names(each))]


@ALL
def test_is_read_as_what_it_is(sample: Sample) -> None:
    """Calls are messages of the assistant, results are messages of tools that name them."""
    read = read_of(sample)
    assert read.problems == ()
    roles = tuple(each.role for each in read.prompt.messages)
    assert roles in (("user", *sample.roles, "assistant", "user"), ("user", *sample.roles, "user"))
    parts = [part for message in read.prompt.messages for part in message.parts]
    outputs = [part for part in parts if isinstance(part, Output)]
    calls = [part for part in parts if isinstance(part, Call)]
    assert [each.tool for each in calls] == [each.tool for each in outputs] == [sample.tool] * len(calls)
    assert [each.id for each in calls] == [each.call_id for each in outputs]
    words = "\n".join(part.text for each in outputs for part in each.parts if isinstance(part, Text))
    assert sample.words in words


@ALL
def test_goes_back(sample: Sample) -> None:
    """The same provider gets the same items, also by way of a document."""
    body, read = body_of(sample), read_of(sample)
    written = WIRES["responses"].write(read.prompt, "m")
    assert (written.body, written.losses) == (body, ())
    document = convert(json.dumps(body), "pml")
    assert document.text is not None
    assert document.is_lossless
    back = convert(document.text, "responses")
    assert back.text is not None
    assert back.is_lossless, back.changes
    assert json.loads(back.text) == body


@ALL
def test_has_official_types(sample: Sample) -> None:
    """The samples are what the client would send."""
    if not sample.words.startswith('[{"file_id"'):
        expected("responses").check()(body_of(sample))


@pytest.mark.parametrize("name", ["openai", "anthropic", "gemini"])
@ALL
def test_goes_to_others(sample: Sample, name: str) -> None:
    """Other providers get calls and results of tools."""
    prompt = read_of(sample).prompt
    again = WIRES[name].read(WIRES[name].write(prompt, "m").body).prompt
    called = [part.tool for each in prompt.messages for part in each.parts if isinstance(part, Call)]
    assert [part.tool for each in again.messages for part in each.parts if isinstance(part, Call)] == called
    assert sum(isinstance(part, Output) for each in again.messages for part in each.parts) == len(called)


def test_edited() -> None:
    """What a person changes is sent, not what the provider once gave."""
    text = convert(json.dumps(body_of(SAMPLES["file-search"])), "pml").text
    assert text is not None
    changed = convert(text.replace(r"price", "cost").replace('"9"', '"7"'), "responses").text
    assert changed is not None
    item = json.loads(changed)["input"][1]
    assert (item["queries"], item["results"][0]["text"]) == (["cost"], "7")


def test_unknown_type() -> None:
    """An item that nobody knows is kept, and reported."""
    item: Any = {"type": "news_call", "id": "n"}
    read = WIRES["responses"].read({"input": [item]})
    assert [each.sentence for each in read.problems] == [
        "the item type `news_call` is not known: the item is kept unchanged"
    ]
    assert all(each.is_advice for each in read.problems)
    assert WIRES["responses"].write(read.prompt, "m").request["input"] == [item]
