"""A person may ask for a call in words, if the tool allows it; nothing else in a text asks for one."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import n_steps, soon

from acdl_mkdocs.prompts.pml.triggers import escaped, triggers, unescape_triggers
from acdl_mkdocs.prompts.prompt import Json, Tool

WEATHER = Tool(
    "W",
    parameters={
        "type": "object",
        "properties": {"days": {"type": "integer"}, "loc": {"type": "string"}},
        "required": ["loc"],
    },
    alias="get_weather",
    has_trigger=True,
)
COUNT = Tool("C", parameters={"type": "object", "properties": {"n": {"type": "integer"}}}, has_trigger=True)
NOW = Tool("N", has_trigger=True)
GIT = Tool("G", parameters=WEATHER.parameters)
TOOLS = (WEATHER, COUNT, NOW, GIT)


@pytest.mark.parametrize(
    ("text", "tool", "args"),
    [
        ('[#W: "San Francisco"]', "W", {"loc": "San Francisco"}),
        ("Well, [#W: Oslo ] now", "W", {"loc": "Oslo"}),
        (r'[#W: "a \"b\" \\ c\nd"]', "W", {"loc": 'a "b" \\ c\nd'}),
        ('[#get_weather:"x]y"]', "W", {"loc": "x]y"}),
        ('[#W: {"loc": "Oslo", "days": 3}]', "W", {"loc": "Oslo", "days": 3}),
        ("[#C: 3]", "C", {"n": 3}),
        ('[#C: "3"]', "C", {"n": 3}),
        ("[#C: {} ]", "C", {}),
    ],
)
def test_asked(text: str, tool: str, args: dict[str, Json]) -> None:
    """A text, bare words and JSON ask for a call; one value is for the first parameter that is required."""
    (found,) = triggers(text, TOOLS)
    assert (found.call.tool, dict(found.call.args), found.faults) == (tool, args, ())
    assert text[found.span.start : found.span.end].startswith("[#")
    assert text[found.span.end - 1] == "]"


@pytest.mark.parametrize(
    "text",
    [
        '[#G: "x"]',
        '[#X: "x"]',
        r'[\#W: "x"]',
        '[#W "x"]',
        '[#W: "x"',
        '[#W: "x" y]',
        "[#W: x\ny]",
        '[#W: {"loc": "a", "loc": "b"}]',
        '[#W: {"loc": NaN}]',
        '[#W: x "y"]',
        f"[#W: {'x' * 1001}]",
        "[#W:]",
        '[# W: "x"]',
        "&#91;#W: x]",
    ],
)
def test_not_asked(text: str) -> None:
    """Tools that are not marked, escaped brackets and anything that is not quite a trigger ask for nothing."""
    assert triggers(text, TOOLS) == ()


def test_faults() -> None:
    """What keeps a call from being made is found as for any other call."""
    assert [fault.kind for fault in triggers("[#C: three]", TOOLS)[0].faults] == ["wrong-type"]
    assert [fault.kind for fault in triggers('[#W: {"days": 1}]', TOOLS)[0].faults] == ["missing-argument"]
    assert triggers("[#N: now]", TOOLS)[0].call.args == {}


def test_several() -> None:
    """All of them are found, in their order."""
    found = triggers('[#W: a][#X: b] [#C: 1] [#W: {"loc": "[#W: c]"}]', TOOLS)
    assert [dict(each.call.args) for each in found] == [{"loc": "a"}, {"n": 1}, {"loc": "[#W: c]"}]


SOUP = st.lists(st.sampled_from(["[", "#", "W", ":", " ", '"', "]", "\\", "{", "}", "x", "\n"]), max_size=20).map(
    "".join
)


@given(text=st.text() | SOUP)
def test_escaped(text: str) -> None:
    """Escaped text asks for nothing, and can be had back."""
    assert triggers(escaped(text), TOOLS) == ()
    assert unescape_triggers(escaped(text)) == text


HOSTILE = {
    "opened": "[#W:" * 500_000,
    "bare": "[#W: a" * 400_000,
    "quotes": '[#W: "' * 400_000,
    "json": '[#W: {"a":' * 250_000,
    "lists": '[#W: {"a":' + "[" * 2_000_000,
    "white space": "[#W:" + " " * 2_000_000,
    "long name": "[#" + "W" * 2_000_000,
    "right": "[#W: a]" * 300_000,
    "escapes": '[#W: "' + "\\\\" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    """Two megabytes of what looks like triggers are read at once; their limit bounds the steps, the rest is in C."""
    soon(partial(triggers, HOSTILE[name], TOOLS))
    assert n_steps(partial(triggers, HOSTILE[name], TOOLS)) < 200_000
