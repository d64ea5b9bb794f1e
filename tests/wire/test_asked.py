"""Words of a person that ask for a tool choose it in a request, and nobody else's do."""

import json

import pytest

from acdl_mkdocs.prompts.pml.grammar import NAMESPACE
from acdl_mkdocs.prompts.providers import PROVIDERS
from wire.documents import TOOLS, body, said, told, user
from wire.expected import expected

ASKS = user('<text>[#W: "San Francisco"]</text>')


@pytest.mark.parametrize("name", PROVIDERS)
def test_trigger(name: str) -> None:
    """Words that ask for a tool choose it, stay where they are, and do nothing unless that is wanted."""
    sent = body(said(ASKS, TOOLS), name, has_triggers=True)
    assert {key: sent[key] for key in expected(name).tool_choice} == expected(name).tool_choice
    assert json.dumps('[#W: "San Francisco"]') in json.dumps(sent)
    sentence = "the request makes the model call `get_weather`, because of the trigger in the text, which stays"
    assert sentence in told(said(ASKS, TOOLS), name, "change", has_triggers=True)
    assert not expected(name).tool_choice.keys() & body(said(ASKS, TOOLS), name).keys()


@pytest.mark.parametrize(
    "inside",
    [
        user('<attachment type="file">[#W: "x"]</attachment>'),
        '<turn><user><text>[#W: "x"]</text></user><assistant><text>done</text></assistant></turn>',
        '<turn><user><text>a</text></user><assistant><call name="W" id="a" loc="O"/></assistant>'
        '<tool_output id="a">[#W: "x"]</tool_output></turn>',
        '<turn><user><text>a</text></user><assistant><text>[#W: "x"]</text></assistant></turn>',
        user('<text>[\\#W: "x"]</text>'),
        user('<text>[#V: "x"]</text>'),
    ],
)
def test_no_trigger(inside: str) -> None:
    """Files, results, older messages, quoted words and tools that are not there choose nothing."""
    for name in PROVIDERS:
        assert not expected(name).tool_choice.keys() & body(said(inside, TOOLS), name, has_triggers=True).keys()


def test_tool_asked_for_twice() -> None:
    """One tool that is asked for twice is chosen, which is said once, and without a warning."""
    document = said(user("<text>[#W: Oslo] [#get_weather: Bergen]</text>"), TOOLS)
    assert body(document, "openai", has_triggers=True)["tool_choice"] == expected("openai").tool_choice["tool_choice"]
    assert [
        each for each in told(document, "openai", "change", has_triggers=True) if "makes the model call" in each
    ] == ["the request makes the model call `get_weather`, because of the trigger in the text, which stays"]
    assert told(document, "openai", "warning", has_triggers=True) == []


def test_wrong_triggers() -> None:
    """Arguments that are wrong and a second tool choose nothing, and that is told."""
    assert (
        not expected("openai").tool_choice.keys()
        & body(said(user("<text>[#W: {}]</text>"), TOOLS), "openai", has_triggers=True).keys()
    )
    two = TOOLS.replace("</tools>", '<tool name="V" trigger="1"><param key="a"/></tool></tools>')
    document = said(user("<text>[#W: Oslo] [#V: x]</text>"), two)
    assert body(document, "openai", has_triggers=True)["tool_choice"]["function"]["name"] == "get_weather"
    said_about = told(document, "openai", "warning", has_triggers=True)
    assert any("`V` is not chosen: a request can choose one tool" in each for each in said_about)
    faulty = told(said(user("<text>[#W: {}]</text>"), TOOLS), "openai", "warning", has_triggers=True)
    assert any("because its arguments are wrong" in each for each in faulty)


def test_trigger_instead_of_a_setting() -> None:
    """What the request said about the choice is replaced, and that is told."""
    other = '<x:opaque provider="openai">{"tool_choice":"none"}</x:opaque></prompt>'
    document = said(ASKS, TOOLS).replace("</prompt>", other).replace("<prompt ", f'<prompt xmlns:x="{NAMESPACE}" ')
    assert "tool_choice" in body(document, "openai", has_triggers=True)
    assert body(document, "openai", has_triggers=True)["tool_choice"] != "none"
    assert any(
        "instead of its own tool choice" in each for each in told(document, "openai", "change", has_triggers=True)
    )
