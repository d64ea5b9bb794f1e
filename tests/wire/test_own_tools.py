"""Tools that Anthropic and Gemini run themselves: their calls are calls, their results are results."""

import json
from typing import Any, get_args, get_type_hints

import pytest

from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.prompt import Call, Message, Opaque, Output, Text
from acdl_mkdocs.prompts.providers import WIRES, sniff
from acdl_mkdocs.prompts.providers.anthropic import CALLS, KEPT, RESULTS
from acdl_mkdocs.runs.episodes import group_requests
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read import jsonl
from acdl_mkdocs.runs.read.json_values import Value
from acdl_mkdocs.runs.read.recorded import Origin, Recorded
from wire.expected import expected
from wire.official import client
from wire.own_tools import ANTHROPIC, GEMINI, Sample

READ = {"text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"}
"""Blocks of Anthropic that are read one by one."""
OWN_PARTS = {"executable_code", "code_execution_result", "tool_call", "tool_response"}
PARTS = {"text", "thought", "thought_signature", "inline_data", "file_data", "function_call", "function_response"}
BESIDE = {
    *("media_resolution", "video_metadata", "part_metadata", "audio_transcription", "media_processing"),
    *("speech_metadata", "document_metadata", "spreadsheet_metadata", "audio_metadata"),
}
"""What a part of Gemini says about its content; kept beside it."""
SAMPLES = [("anthropic", each) for each in ANTHROPIC.values()] + [("gemini", each) for each in GEMINI.values()]
ALL = pytest.mark.parametrize(
    ("name", "sample"),
    SAMPLES,
    ids=[*(f"anthropic-{each}" for each in ANTHROPIC), *(f"gemini-{each}" for each in GEMINI)],
)


def body_of(name: str, blocks: list[Any], *more: Any) -> Any:
    """A request in whose answer the blocks are between two texts."""
    if name == "gemini":
        model = {"role": "model", "parts": [{"text": "I look."}, *blocks, {"text": "Done."}]}
        return {"contents": [{"role": "user", "parts": [{"text": "go"}]}, model, *more]}
    said = [{"type": "text", "text": "I look."}, *blocks, {"type": "text", "text": "Done."}]
    asked = {"role": "user", "content": "go"}
    return {"model": "m", "max_tokens": 9, "messages": [asked, {"role": "assistant", "content": said}, *more]}


def thanks(name: str) -> Any:
    """What the user says then."""
    return {"role": "user", "parts": [{"text": "Ta."}]} if name == "gemini" else {"role": "user", "content": "Ta."}


def test_every_block_is_known() -> None:
    """A new block of the client's types is read, or is kept."""
    client("anthropic")
    from anthropic.types.beta.beta_content_block_param import BetaContentBlockParam
    from anthropic.types.content_block_param import ContentBlockParam
    from anthropic.types.tool_result_block_param import Content

    unions = [each for union in (ContentBlockParam, BetaContentBlockParam, Content) for each in get_args(union)]
    types = {get_args(get_type_hints(each)["type"])[0] for each in unions if hasattr(each, "__required_keys__")}
    known = {*READ, *CALLS, *RESULTS, *KEPT}
    assert types - known == set(), "give each a line in `RESULTS` or `KEPT` of anthropic_blocks.py"
    assert known - types == set(), "the client has no such block any more"
    assert {each.blocks[1]["type"] for each in ANTHROPIC.values()} == set(RESULTS)
    assert {each.blocks[0]["type"] for each in ANTHROPIC.values()} == set(CALLS)


def test_every_part_is_known() -> None:
    """A new key of the client's `Part` is content, or is something beside it."""
    client("google.genai")
    from google.genai import types

    fields = set(types.Part.model_fields)
    assert fields - OWN_PARTS - PARTS - BESIDE == set(), "read it in gemini_contents.py, or give it a line in `BESIDE`"
    assert fields >= OWN_PARTS | PARTS | BESIDE, "the client has no such part any more"


@ALL
def test_is_read_as_what_it_is(name: str, sample: Sample) -> None:
    """The call is in a message of the assistant, the result in one of the tool, the text after it in a third."""
    read = WIRES[name].read(body_of(name, sample.blocks, thanks(name)))
    assert read.problems == ()
    messages = read.prompt.messages
    assert [each.role for each in messages] == ["user", "assistant", "tool", "assistant", "user"]
    call, output = messages[1].parts[1], messages[2].parts[0]
    assert isinstance(call, Call)
    assert isinstance(output, Output)
    assert (call.tool, output.tool, output.call_id, output.is_error) == (
        sample.tool, sample.tool, call.id, sample.is_error,
    )  # fmt: skip
    assert sample.words in "\n".join(part.text for part in output.parts if isinstance(part, Text))


@ALL
def test_goes_back(name: str, sample: Sample) -> None:
    """The same provider gets the same message, also by way of a document."""
    body = body_of(name, sample.blocks, thanks(name))
    written = WIRES[name].write(WIRES[name].read(body).prompt, "m")
    assert written.body == body
    assert [each.sentence for each in written.losses if not each.is_advice] == []
    document = convert(json.dumps(body), "pml", from_=name)
    assert document.text is not None
    back = convert(document.text, name)
    assert back.text is not None
    assert json.loads(back.text) == body


@ALL
def test_has_official_types(name: str, sample: Sample) -> None:
    """The samples are what the client would send."""
    if name == "anthropic" and sample.tool in ("advisor", "look"):
        client("anthropic")
        from anthropic.types.beta.beta_content_block_param import BetaContentBlockParam
        from pydantic import TypeAdapter

        for block in sample.blocks:
            TypeAdapter(BetaContentBlockParam).validate_python(block)
        return
    expected(name).check()(body_of(name, sample.blocks))


@pytest.mark.parametrize("other", ["openai", "responses", "anthropic", "gemini"])
@ALL
def test_goes_to_others(name: str, sample: Sample, other: str) -> None:
    """Other providers get the call and the result of a tool."""
    prompt = WIRES[name].read(body_of(name, sample.blocks, thanks(name))).prompt
    again = WIRES[other].read(WIRES[other].write(prompt, "m").body).prompt
    parts = [part for each in again.messages for part in each.parts]
    assert [part.tool for part in parts if isinstance(part, Call)] == [sample.tool]
    assert [part.tool for part in parts if isinstance(part, Output)] == [sample.tool]


def points_of(name: str, *bodies: Any) -> list[str]:
    """The points of requests of one run."""
    values = (Value(each, Origin("a.jsonl", at)) for at, each in enumerate(bodies, 1))
    found = [each for each in jsonl.read(values, name) if isinstance(each, Recorded)]
    assert len(found) == len(bodies)
    return [
        ".".join(map(str, each.at.significant)) for each in assign_points(group_requests(found)) if each.at is not None
    ]


@ALL
def test_counts_as_a_step(name: str, sample: Sample) -> None:
    """A call and its result are a step of the turn, as those of other tools."""
    key, content = ("contents", "parts") if name == "gemini" else ("messages", "content")
    open_turn = body_of(name, sample.blocks)
    open_turn[key][-1][content].pop()
    asked = {**open_turn, key: open_turn[key][:1]}
    assert points_of(name, asked, open_turn) == ["1", "1.1"]
    assert points_of(name, asked, body_of(name, sample.blocks, thanks(name))) == ["1", "2"]


def test_result_after_tools_of_the_caller() -> None:
    """Code that calls tools of the caller gets its result in the next message of the model."""
    calls = [
        {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {"code": "f()"}},
        {"type": "tool_use", "id": "t", "name": "f", "input": {}, "caller": {"type": "code_execution", "tool_id": "s"}},
    ]
    content = {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []}
    given = [{"type": "code_execution_tool_result", "tool_use_id": "s", "content": content}]
    body: Any = {
        "model": "m",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "1"}]},
            {"role": "assistant", "content": [*given, {"type": "text", "text": "One."}]},
            {"role": "user", "content": "Ta."},
        ],
    }
    read = WIRES["anthropic"].read(body)
    assert read.problems == ()
    assert [each.role for each in read.prompt.messages] == ["user", "assistant", "tool", "tool", "assistant", "user"]
    written = WIRES["anthropic"].write(read.prompt, "m")
    assert (written.body, written.losses) == (body, ())


@pytest.mark.parametrize("which", [0, 1])
@ALL
def test_half_of_it(name: str, sample: Sample, which: int) -> None:
    """Where only the call or only the result is one of the provider, both are sent as those of a function."""
    prompt = WIRES[name].read(body_of(name, sample.blocks, thanks(name))).prompt
    messages = list(prompt.messages)
    changed = messages[which + 1]
    messages[which + 1] = Message(changed.role, tuple(part for part in changed.parts if not isinstance(part, Opaque)))
    written = WIRES[name].write(type(prompt)(tuple(messages)), "m")
    assert any("is sent as that of a function" in each.sentence for each in written.losses)
    again = WIRES[name].read(written.body).prompt
    assert [each.role for each in again.messages] == ["user", "assistant", "tool", "assistant", "user"]
    text = json.dumps(written.body)
    assert not any(f'"{word}"' in text for word in (*CALLS, *RESULTS, "executableCode", "toolCall", "toolResponse"))


def test_unknown_block() -> None:
    """A block that nobody knows is kept, and reported."""
    body = body_of("anthropic", [{"type": "news_block", "id": "n"}], thanks("anthropic"))
    read = WIRES["anthropic"].read(body)
    assert [each.sentence for each in read.problems] == [
        "the block type `news_block` is not known: the block is kept unchanged"
    ]
    assert WIRES["anthropic"].write(read.prompt, "m").request == body


@pytest.mark.parametrize("kind", sorted({*CALLS, *RESULTS, *KEPT}))
def test_blocks_show_the_provider(kind: str) -> None:
    """A body with such a block is one of Anthropic, whatever model it names."""
    assert sniff({"model": "gpt-5", "messages": [{"role": "assistant", "content": [{"type": kind}]}]}) == "anthropic"
