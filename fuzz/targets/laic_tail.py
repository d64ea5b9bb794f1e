"""Any answer of a model: which calls stand at its end, with tools that are known and without."""

import json

from acdl_mkdocs.prompts.pml.calls import write_call
from acdl_mkdocs.prompts.pml.tail import Tail, tail
from acdl_mkdocs.prompts.prompt import Call, Json, Tool
from fuzz.target import Target, files, text_of
from fuzz.words import laic

_PLACE: dict[str, Json] = {"type": "string"}
TOOLS = (
    Tool("Weather", "the weather", {"type": "object", "properties": {"city": _PLACE, "days": {"type": "integer"}}}),
    Tool(
        "calc.add", "a sum", {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}, "W"
    ),
    Tool("list", "", {"type": "object", "properties": {"items": {"type": "array", "items": _PLACE}}}),
)


def run(data: bytes) -> None:
    """Look for calls, strictly and leniently; write those that are found and find them again."""
    said = text_of(data)
    for tools in ((), TOOLS):
        strict, mended = tail(said, tools), tail(said, tools, is_repaired=True)
        for found in (strict, mended):
            _check(said, found)
            for call in found.calls:
                written = write_call(call, next((each for each in tools if each.name == call.tool), None))
                again = tail(written, tools)
                assert [_said(each) for each in again.calls] == [_said(call)]
        assert strict.repairs == ()
        if strict.calls:
            assert mended.calls == strict.calls


def _said(call: Call) -> tuple[str, str]:
    """What a call says: 1, 1.0 and true are three values; arguments have no order."""
    return call.tool, json.dumps(call.args, sort_keys=True)


def _check(said: str, found: Tail) -> None:
    assert found.text in said
    assert len(found.spans) == len(found.calls)
    if found.calls:
        assert found.spans[0].start >= len(found.text)
        assert not found.problems or all(each.severity != "error" for each in found.problems)
    for span in (*found.spans, *(each.span for each in found.repairs), *(each.label.span for each in found.problems)):
        assert 0 <= span.start <= span.end <= max(len(said), 1)


def _seeds() -> list[bytes]:
    calls = [
        b'It is late.\n<call name="Weather" city="Oslo" days="3"/>',
        b'<call name="calc.add"><arg name="a" type="number">1.5</arg><arg name="b">2</arg></call>',
        b'<thinking>a</thinking>b<call name="W" a="1" b="2"/>\n<call name="list" items="[&quot;a&quot;]"/>\n',
        b"```xml\n<call name='list'>\n</call>\n```",
    ]
    return [*calls, *files("examples/pml/answer.txt", "tests/pml/seed_blocks/*.xml", most_bytes=1500)]


TARGET = Target(
    run=run,
    promise="has calls that stand at its end and can be written again, or none; mending changes no strict call",
    seeds=_seeds,
    words=laic(),
    max_bytes=1500,
)
