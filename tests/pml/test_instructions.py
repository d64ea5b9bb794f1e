"""What a model is told about calls is true: its examples are calls that are read and fit the tools."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.prompts.pml.check_calls import call_faults
from acdl_mkdocs.prompts.pml.instructions import InstructionStyle, instructions
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.tail import tail
from acdl_mkdocs.prompts.pml.triggers import triggers
from acdl_mkdocs.prompts.prompt import Tool
from pml.any_prompts import TOOLS

SEARCH = Tool(
    "S",
    "search",
    {
        "type": "object",
        "properties": {
            "q": {"type": "string"},
            "n": {"type": "integer"},
            "kind": {"type": "string", "enum": ["doc", "code"]},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["q", "n", "kind", "tags"],
    },
)
_EXAMPLE = re.compile(r"`(<call name=.*?)`$", re.MULTILINE)


@pytest.mark.parametrize("style", ["short", "full"])
@pytest.mark.parametrize("tools", [(), (SEARCH,), (Tool("N"),)], ids=["none", "search", "now"])
def test_example(style: InstructionStyle, tools: tuple[Tool, ...]) -> None:
    """The example is a call that is found at the end of an answer and has no fault."""
    (example,) = _EXAMPLE.findall(instructions(tools, style))
    (call,) = tail(f"I look. {example}", tools).calls
    assert call_faults(call, tools) == () or not tools


@pytest.mark.parametrize("style", ["short", "full"])
def test_tools_are_listed(style: InstructionStyle) -> None:
    """The tools are behind the words, as a document of their own."""
    said = instructions((SEARCH,), style)
    assert read(said[said.index("<tools>") :].rstrip("\n")).prompt.tools == (SEARCH,)  # type: ignore[union-attr]
    assert "<tools>" not in instructions((), style)


def test_triggers_are_told_of() -> None:
    """Triggers are explained where a tool has them, and only there."""
    assert "[#S:" not in instructions((SEARCH,))
    one = instructions((Tool("S", has_trigger=True),))
    assert '`[#S: "value"]` in a message of the user asks for the tool `S`: ' in one
    marked = [Tool("S"), *(Tool(name, has_trigger=True) for name in "TUV")]
    several = instructions(marked)
    assert "asks for the tool `T`, and likewise for `U`, `V`: call it with the value as its first" in several


def test_triggers_are_explained_as_they_work() -> None:
    """The value is the first argument that is required, and an object gives several."""
    tool = replace(SEARCH, has_trigger=True, parameters={**SEARCH.parameters, "required": ["n"]})
    said = instructions((tool,))
    assert 'first argument of `req="1"`' in said
    assert [dict(each.call.args) for each in triggers('[#S: "3"] [#S: {"q": "a", "n": 1}]', (tool,))] == [
        {"n": 3},
        {"q": "a", "n": 1},
    ]


@given(tools=st.lists(TOOLS, max_size=2), style=st.sampled_from(["short", "full"]))
def test_any_tools(tools: list[Tool], style: InstructionStyle) -> None:
    """Any tools can be told of, and are listed, without what one provider alone understands."""
    said = instructions(tools, style)
    if tools:
        found = read(said[said.rindex("\n\n<tools") :].strip("\n"))
        assert found.prompt is not None
        assert found.prompt.tools == tuple(replace(tool, more=None) for tool in tools)
