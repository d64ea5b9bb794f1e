"""What tools and calls of a document say that cannot be read is a problem with a place and a cure; the rest is kept."""

from collections.abc import Callable
from functools import partial

import pytest
from exhaustive import few
from steps import n_steps, soon

from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.prompt import Call, Json

TOOLS = (
    '<tools><tool name="W"><param key="loc"/><param key="days" type="integer"/><param key="tags" type="string[]"/>'
    "</tool></tools>"
)


def properties(param: str) -> tuple[ReadPml, Json]:
    """What a document says of the parameters of its one tool."""
    found = read(f'<tools><tool name="t">{param}</tool></tools>')
    assert found.prompt is not None, found.problems
    return found, found.prompt.tools[0].parameters.get("properties")


@pytest.mark.parametrize(
    ("param", "expected"),
    [
        ('<param key="k" enum="a|b|"/>', {"k": {"type": "string", "enum": ["a", "b", ""]}}),
        ('<param key="k" type="integer" enum="1|2"/>', {"k": {"type": "integer", "enum": [1, 2]}}),
        ('<param key="k" type="any" enum="1|2"/>', {"k": {"enum": ["1", "2"]}}),
        (
            '<param key="k" type="integer[]" enum="[1]"/>',
            {"k": {"type": "array", "items": {"type": "integer", "enum": [1]}}},
        ),
        ('<param key="k" alias="place"/>', {"k": {"type": "string", "x-alias": "place"}}),
        (
            '<param key="k" type="object" values="integer[]"/>',
            {"k": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}},
        ),
        ('<param key="k"><schema>true</schema></param>', {"k": True}),
    ],
)
def test_parameters(param: str, expected: Json) -> None:
    """Attributes say a schema; they may say it in a shorter way than they are written."""
    found, said = properties(param)
    assert said == expected
    assert found.problems == ()


@pytest.mark.parametrize(
    ("param", "expected"),
    [
        ('<param key="k" default="metric"/>', {"k": {"type": "string", "default": "metric"}}),
        ('<param key="k" enum=\'["a"\'/>', {"k": {"type": "string", "enum": []}}),
        ('<param key="k"><schema>{"type": "string",}</schema></param>', {"k": {}}),
        ('<param key="k" desc="d"><schema>{"type": "null"}</schema></param>', {"k": {"type": "null"}}),
        ('<param key="k" type="string" values="number"/>', {"k": {"type": "string"}}),
        ('<param key="k" type="string[]" closed="1"/>', {"k": {"type": "array", "items": {"type": "string"}}}),
        ('<param key="k"><param key="a"/></param>', {"k": {"type": "string"}}),
        (
            '<param key="k" type="object" values="any"><param key="a"/></param>',
            {"k": {"type": "object", "additionalProperties": {}}},
        ),
    ],
)
def test_unreadable_parameters(param: str, expected: Json) -> None:
    """What is not JSON, and what would mean nothing, is a problem at the parameter, with what to write instead."""
    found, said = properties(param)
    assert said == expected
    (problem,) = found.problems
    assert (problem.rule, problem.severity) == ("unreadable-parameter", "error")
    assert found.source.text[problem.label.span.start :].startswith(("<param", "<schema"))
    assert problem.help


@pytest.mark.parametrize("schema", ["{", "[]", "null"])
def test_unreadable_schema(schema: str) -> None:
    """A tool whose schema is not a JSON object has no parameters, and a problem."""
    found, _ = properties(f"<schema>{schema}</schema>")
    assert found.prompt is not None
    assert found.prompt.tools[0].parameters == {}
    assert [each.rule for each in found.problems] == ["unreadable-parameter"]


def test_closed_beside_a_schema() -> None:
    """What a tool says about its parameters beside the schema would be lost."""
    found = read('<tools><tool name="t" closed="1" desc="d"><schema>{"type": "object"}</schema></tool></tools>')
    assert [each.message for each in found.problems] == ["`closed` beside a `<schema>` has no effect"]


@pytest.mark.parametrize(
    ("call", "args", "rules"),
    [
        ('<call name="W" loc="3" days="3"/>', {"loc": "3", "days": 3}, []),
        ('<call name="W" days="three"/>', {"days": "three"}, ["unreadable-argument"]),
        ('<call name="W" days="3.5"/>', {"days": "3.5"}, ["unreadable-argument"]),
        ("<call name='W' tags='[\"a\"]'/>", {"tags": ["a"]}, []),
        ('<call name="W"><arg key="loc">a\nb</arg></call>', {"loc": "a\nb"}, []),
        ('<call name="W"><arg key="tags">["a"]</arg></call>', {"tags": ["a"]}, []),
        ('<call name="W"><arg key="tags">a</arg></call>', {"tags": "a"}, ["bad-json"]),
        ('<call name="W"><arg type="json">{"loc": "x"}</arg></call>', {"loc": "x"}, []),
        ('<call name="W"><arg type="json">[1]</arg></call>', {}, ["bad-json"]),
        ('<call name="W"><arg type="json">{"a": 1, "a": 2}</arg></call>', {}, ["bad-json"]),
    ],
)
def test_arguments(call: str, args: dict[str, Json], rules: list[str]) -> None:
    """Arguments have the types that the tool declares; what cannot be read so is kept as a text."""
    found = read(f"<prompt>{TOOLS}<conversation><turn><assistant>{call}</assistant></turn></conversation></prompt>")
    assert found.prompt is not None, found.problems
    (part,) = found.prompt.messages[0].parts
    assert part == Call("W", args)
    assert [each.rule for each in found.problems if each.rule in ("bad-json", "unreadable-argument")] == rules


@pytest.mark.parametrize(
    ("arg", "cure"),
    [
        ('<arg key="tags">a</arg>', 'write `["a"]`'),
        ('<arg key="tags">[a]</arg>', "write JSON: strings and keys in"),
        ('<arg key="days">a</arg>', "write `1`"),
        ('<arg key="new">a</arg>', 'write `"a"` as JSON, or `type="string"` for text'),
        (f'<arg key="new">{"a" * 50}</arg>', 'write `"..."` as JSON'),
        ('<arg type="json">a</arg>', "write an object, or a `key`"),
        ('<arg type="json">[1]</arg>', "write an object, or a `key`"),
    ],
)
def test_cure_of_json(arg: str, cure: str) -> None:
    """What to write instead is said for the type that the tool declares."""
    call = f'<call name="W">{arg}</call>'
    found = read(f"<prompt>{TOOLS}<conversation><turn><assistant>{call}</assistant></turn></conversation></prompt>")
    (problem,) = found.problems
    assert problem.rule == "bad-json"
    assert problem.help[0].startswith(cure)


@pytest.mark.parametrize(
    ("tool", "message", "place"),
    [
        ('<schema>{"type": "string"}</schema>', "the schema: arguments have to be an object", "<tool"),
        (
            '<schema>{"type": "objct"}</schema>',
            'the schema: arguments have to be an object, but `type` is `"objct"`',
            "<tool",
        ),
        (
            '<schema>{"type": "object", "properties": {"a": {"items": {"type": "strng"}}}}</schema>',
            '`a[]` of the tool `t`: `"strng"` is not a JSON Schema type',
            "<tool",
        ),
        ('<param key="k" type="integer" enum="a|b"/>', "`k` of the tool `t`: none of the values", "<param"),
        ('<param key="k" enum="[]"/>', "`k` of the tool `t`: `enum` has no values", "<param"),
        ('<param key="k" enum=""/>', "`k` of the tool `t`: `enum` allows only the empty string", "<param"),
        (
            '<param key="k" type="object"><param key="a" type="null" enum="1"/></param>',
            "`k.a` of the tool `t`: none of the values of `enum` is of type null",
            "<param",
        ),
    ],
)
def test_impossible(tool: str, message: str, place: str) -> None:
    """What no call can satisfy is a warning where it is said; the schema is kept."""
    found = read(f'<tools><tool name="t">{tool}</tool></tools>')
    (problem,) = found.problems
    assert (problem.rule, problem.severity) == ("unreadable-parameter", "warning")
    assert problem.message.startswith(message)
    assert problem.help
    assert found.source.text[problem.label.span.start :].startswith(place)
    assert not found.has_errors


def test_possible() -> None:
    """Values of several types, and whole numbers spelled with a point, are no mistakes."""
    schema = '{"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x", null]}, "b": true}}'
    assert read(f'<tools><tool name="t"><schema>{schema}</schema></tool></tools>').problems == ()
    assert read('<tools><tool name="t"><param key="a" type="integer" enum="1.0|2"/></tool></tools>').problems == ()


HOSTILE: dict[str, Callable[[int], str]] = {
    "type": lambda size: f'<param key="k" type="string{"[]" * 20 * size}"/>',
    "values": lambda size: f'<param key="k" type="object" values="any{"[]" * 20 * size}"/>',
    "enum": lambda size: f'<param key="k" enum="{"|" * 40 * size}"/>',
    "default": lambda size: f'<param key="k" default="{"[" * 40 * size}"/>',
    "schema": lambda size: f"<schema>{'[' * 40 * size}</schema>",
    "many": lambda size: '<param key="k" req="1"/>' * 2 * size,
    "different": lambda size: "".join(f'<param key="k{n}" alias="a{n}" req="1"/>' for n in range(size)),
    "deep": lambda size: '<param key="k" type="object">' * (size // 400) + "</param>" * (size // 400),
}


@pytest.mark.parametrize("name", few(HOSTILE, 3))
def test_hostile(name: str) -> None:
    """Tools of a document that wants to hurt are read or refused at once."""
    few, many, most = (f'<tools><tool name="t">{HOSTILE[name](size)}</tool></tools>' for size in (1_000, 4_000, 20_000))
    assert n_steps(partial(read, many)) < 5 * n_steps(partial(read, few)) + 10_000
    soon(partial(read, most))
