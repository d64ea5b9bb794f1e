"""Faults of calls at their places, and which calls of a document are measured."""

import typing

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.prompts.pml.check_calls import CallChecker
from acdl_mkdocs.prompts.pml.document_problems import list_call_problems, list_fault_problems
from acdl_mkdocs.prompts.pml.faults import Kind
from acdl_mkdocs.prompts.pml.problems import PML_RULES
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.prompt import Call, Json, Tool

INTEGERS: Json = {"type": "array", "items": {"type": "integer"}}
DEEP: dict[str, Json] = {"type": "object", "properties": {"a": {"type": "array", "items": INTEGERS}}}
TOOLS = '<tools><tool name="W"><param key="a" type="integer" req="1"/></tool></tools>'


def rules(messages: str, tools: str = TOOLS) -> list[str]:
    """The names of the problems of the calls of a document."""
    return [
        each.rule
        for each in list_call_problems(read(f"<prompt>{tools}<conversation>{messages}</conversation></prompt>"))
    ]


def told(call: Call, span: Span, *tools: Tool) -> tuple[Diagnostic, ...]:
    """What is said of a call at a place."""
    return list_fault_problems(call, CallChecker(tools).check_call(call), span)


def call(inside: str, result: str = "") -> str:
    """A turn with a call."""
    return f"<turn><assistant>{inside}</assistant>{result}</turn>"


def test_every_kind_has_a_name() -> None:
    """What can be wrong with a call is a rule, with a cure."""
    assert set(typing.get_args(Kind)) <= PML_RULES.keys()
    found = told(Call("V", {}), Span(2, 5))
    assert [(each.rule, each.severity, each.message) for each in found] == [
        ("unknown-tool", "error", "there is no tool `V`; there are no tools")
    ]
    assert found[0].label.span == Span(2, 5)
    large = told(Call("W", {"a": [[1] * 100] * 2000}), Span(0, 1), Tool("W", parameters=DEEP))
    assert [each.rule for each in large] == ["over-limit"]


def test_calls_of_a_document() -> None:
    """Warnings at the element of the call; nothing where no tools are listed."""
    wrong = call("<call name='W' b='1'/>")
    text = f"<prompt>{TOOLS}<conversation>{wrong}</conversation></prompt>"
    found = list(list_call_problems(read(text)))
    expected = [("missing-argument", "warning"), ("unknown-argument", "warning")]
    assert [(each.rule, each.severity) for each in found] == expected
    span = found[0].label.span
    assert text[span.start : span.end] == "<call name='W' b='1'/>"
    assert rules(call("<call name='W' b='1'/>"), "") == []
    assert rules(call("<call name='W' b='1'/>"), "<tools/>") == []


def test_history_is_left_alone() -> None:
    """A call that was refused, a tool that is gone and an argument that cannot be read are not told again."""
    assert rules(call("<call name='W'/>", "<tool_output status='error'>no</tool_output>")) == []
    assert rules(call("<call name='W'/>", "<tool_output>yes</tool_output>")) == ["missing-argument"]
    two = "<call name='W' id='1'/><call name='W' id='2'/>"
    assert rules(call(two, "<tool_output id='1' status='error'>no</tool_output>")) == ["missing-argument"]
    assert rules(call("<call name='V'/>")) == []
    assert rules(call("<call name='W' a='x'/>")) == []
    assert rules(call("<call name='W' a='1'/>")) == []
    assert rules(call("<call name='W'><arg key='a'>x</arg></call>")) == []
    assert rules(call("<call name='W'><arg type='json'>[1]</arg></call>")) == []
    assert rules(call("<call name='W' a='x'/><call name='W'/>")) == ["missing-argument"]


def test_at_most_a_hundred() -> None:
    """More problems than a hundred are not looked for."""
    assert rules(call("<call name='W'/>" * 300)) == ["missing-argument"] * 100
    assert rules(call("<call name='W' a='x'/>" * 300)) == []
    assert rules(call("<call name='W'/>" + "<call name='W' a='x'/>" * 300)) == ["missing-argument"]


def test_words_fit_tools_of_any_format() -> None:
    """Cures do not speak of elements, as tools may be JSON."""
    tool = Tool("W", parameters={"properties": {"a": {"enum": [1]}, "b": {"type": "string"}, "c": {"maxLength": 1}}})
    found = told(Call("W", {"a": 2, "b": 2, "c": "xx", "k": 1}), Span(0, 1), tool)
    assert [each.rule for each in found] == ["wrong-value", "wrong-type", "wrong-size", "unknown-argument"]
    assert "<" not in "".join(cure for each in found for cure in each.help)


def test_broken_document() -> None:
    """What cannot be read has no calls."""
    assert list(list_call_problems(read("<prompt>"))) == []
