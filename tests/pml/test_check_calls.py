"""Calls are measured by the tools that a model was given, and told what is wrong with them."""

import json
from functools import partial

import pytest
from exhaustive import few
from hypothesis import given
from steps import n_steps

from acdl_mkdocs.prompts.pml.check_calls import _MOST_CHECKS as MOST_CHECKS
from acdl_mkdocs.prompts.pml.check_calls import CallChecker, call_faults, fault_json
from acdl_mkdocs.prompts.pml.faults import MOST_FAULTS, quote_value
from acdl_mkdocs.prompts.pml.xml_text import write_json
from acdl_mkdocs.prompts.prompt import Call, Json, Tool
from pml.any_prompts import CALLS, OBJECTS, TOOLS

SEARCH = Tool(
    "S",
    parameters={
        "type": "object",
        "properties": {
            "q": {"type": "string", "minLength": 1},
            "kind": {"type": "string", "enum": ["doc", "code"]},
            "n": {"type": "integer", "minimum": 1, "maximum": 10},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "where": {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]},
            "any": {},
            "one": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "tree": {"$ref": "#/$defs/tree"},
            "rate": {"type": ["number", "null"]},
        },
        "required": ["q"],
        "$defs": {"tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}}},
    },
    alias="search_all",
)
OPEN = Tool("O", parameters={"type": "object", "properties": {}, "additionalProperties": {"type": "string"}})


@pytest.mark.parametrize(
    "args",
    [
        {"q": "a"},
        {
            "q": "a",
            "kind": "doc",
            "n": 10,
            "tags": ["x", "y"],
            "where": {"a": True},
            "any": [1],
            "one": None,
            "rate": 1,
        },
        {"q": "a", "n": 3.0, "tree": {"next": {"next": {}}}, "rate": None},
    ],
)
def test_right(args: dict[str, Json]) -> None:
    """A call that fits its tool has no fault, whether it names the tool or its alias."""
    assert call_faults(Call("S", args), (SEARCH,)) == ()
    assert call_faults(Call("search_all", args), (SEARCH,)) == ()
    assert call_faults(Call("O", {"x": "y"}), (OPEN,)) == ()
    assert call_faults(Call("N", {}), (Tool("N"),)) == ()


@pytest.mark.parametrize(
    ("call", "kind", "path", "words"),
    [
        (Call("SS", {}), "unknown-tool", "", "there is no tool `SS`; the tools are `S`, `O`"),
        (Call("search_al", {}), "unknown-tool", "", "did you mean `search_all`"),
        (Call("S", {}), "missing-argument", "q", "`q` is missing"),
        (Call("S", {"q": "a", "m": 1}), "unknown-argument", "m", "the arguments are `q`, `kind`"),
        (Call("S", {"q": "a", "kinds": 1}), "unknown-argument", "kinds", "did you mean `kind`"),
        (Call("S", {"q": 1}), "wrong-type", "q", "`1` is of type integer, expected string"),
        (Call("S", {"q": "a", "n": "3"}), "wrong-type", "n", '`"3"` is of type string, expected integer'),
        (Call("S", {"q": "a", "n": True}), "wrong-type", "n", "`true` is of type boolean, expected integer"),
        (Call("S", {"q": "a", "rate": "1"}), "wrong-type", "rate", "expected null or number"),
        (Call("S", {"q": "a", "kind": "x"}), "wrong-value", "kind", '`"x"` is not one of `"doc"`, `"code"`'),
        (Call("S", {"q": "a", "n": 11}), "wrong-size", "n", "the number is 11, expected at most 10"),
        (Call("S", {"q": ""}), "wrong-size", "q", "the length is 0, expected at least 1"),
        (Call("S", {"q": "a", "tags": ["x", 1]}), "wrong-type", "tags[1]", "`1` is of type integer"),
        (Call("S", {"q": "a", "where": {}}), "missing-argument", "where.a", "`a` is missing"),
        (Call("S", {"q": "a", "where": {"a": True, "b": 1}}), "unknown-argument", "where.b", "the arguments are `a`"),
        (Call("S", {"q": "a", "one": 1}), "wrong-type", "one", "matches none of the 2 allowed schemas"),
        (Call("S", {"q": "a", "tree": {"next": {"next": 1}}}), "wrong-type", "tree.next.next", "expected object"),
        (Call("O", {"x": 1}), "wrong-type", "x", "expected string"),
    ],
)
def test_wrong(call: Call, kind: str, path: str, words: str) -> None:
    """Each fault has a kind for programs, a path, and words that say what was expected."""
    (fault,) = call_faults(call, (SEARCH, OPEN))
    assert (fault.kind, fault.path) == (kind, path)
    assert words in fault.message


def only(schema: Json) -> Tool:
    """A tool with one argument."""
    return Tool("t", parameters={"type": "object", "properties": {"k": schema}})


HUGE = 10**400


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"enum": [1, 2]}, 1.0),
        ({"enum": [1.0]}, 1),
        ({"enum": [{"y": 2, "x": [1]}]}, {"x": [1.0], "y": 2}),
        ({"const": {"a": 1, "b": 2}}, {"b": 2, "a": 1}),
        ({"type": "integer", "maximum": HUGE}, HUGE),
        ({"type": "number", "exclusiveMinimum": 0}, 0.1),
        ({"type": "number", "multipleOf": 0.1}, 0.3),
        ({"type": "number", "multipleOf": 0.5}, HUGE),
        ({"type": "number", "multipleOf": 0}, 1),
        ({"uniqueItems": True}, [1, True, "1", [1], None, False, 0]),
        ({"type": "object", "minProperties": 1, "maxProperties": 1}, {"a": 1}),
        ({"maximum": True}, 5),
        ({"patternProperties": {"^a": {}}, "additionalProperties": False}, {"ab": 1}),
        ({"$ref": "#/nowhere"}, 1),
    ],
)
def test_right_value(schema: Json, value: Json) -> None:
    """Values are compared as JSON Schema does; what is not looked at refuses nothing."""
    assert call_faults(Call("t", {"k": value}), (only(schema),)) == ()


@pytest.mark.parametrize(
    ("schema", "value", "kind", "words"),
    [
        ({"enum": [1]}, True, "wrong-value", "`true` is not one of `1`"),
        ({"enum": [0, False]}, None, "wrong-value", "`null` is not one of `0`, `false`"),
        ({"const": 1}, "1", "wrong-value", '`"1"` is not one of `1`'),
        ({"enum": []}, 1, "wrong-value", "where no value is allowed"),
        ({"enum": list(range(50))}, -1, "wrong-value", "`19` and 30 more"),
        ({"type": "integer", "maximum": 5}, HUGE, "wrong-size", f"the number is 1{'0' * 59}..., expected at most 5"),
        ({"type": "number", "maximum": 5.5}, HUGE, "wrong-size", "expected at most 5.5"),
        ({"type": "number", "minimum": HUGE}, 0.1, "wrong-size", f"is 0.1, expected at least 1{'0' * 59}..."),
        ({"exclusiveMaximum": 5}, 5, "wrong-size", "the number is 5, expected less than 5"),
        ({"exclusiveMinimum": 5}, 5.0, "wrong-size", "the number is 5.0, expected more than 5"),
        ({"minimum": 5, "exclusiveMinimum": True}, 5, "wrong-size", "expected more than 5"),
        ({"multipleOf": 2}, 5, "wrong-size", "the number is 5, expected a multiple of 2"),
        ({"multipleOf": 0.1}, 0.35, "wrong-size", "expected a multiple of 0.1"),
        ({"uniqueItems": True}, [1, "a", 1.0], "wrong-value", "`1.0` appears twice"),
        ({"minProperties": 1}, {}, "wrong-size", "the number of keys is 0, expected at least 1"),
        ({"maxProperties": 1}, {"a": 1, "b": 2}, "wrong-size", "the number of keys is 2, expected at most 1"),
    ],
)
def test_wrong_value(schema: Json, value: Json, kind: str, words: str) -> None:
    """What is refused is said in a few words, however large it is."""
    (fault,) = call_faults(Call("t", {"k": value}), (only(schema),))
    assert (fault.kind, fault.path) == (kind, "k")
    assert words in fault.message
    assert len(fault.message) < 600


def test_number_without_name() -> None:
    """A number that Python cannot write is told of all the same, and is like no other."""
    (fault,) = call_faults(Call("t", {"k": 10**5000}), (only({"maximum": 5}),))
    assert fault.message == "the number is a number of more than 4300 digits, expected at most 5"
    (fault,) = call_faults(Call("t", {"k": 10**5000}), (only({"enum": [None]}),))
    assert fault.kind == "wrong-value"


@given(value=OBJECTS)
def test_beginning_of_a_value(value: dict[str, Json]) -> None:
    """A long value is cut where its JSON would be."""
    whole = write_json(value)
    expected = whole if len(whole) <= 60 else f"{whole[:60]}..."
    assert quote_value(value) == f"`{expected}`" or "\\u" in whole or "\\u" in quote_value(value)


def test_many_names() -> None:
    """Of thousands of names the first are listed."""
    tools = [Tool(f"name_{number}") for number in range(3_000)]
    (fault,) = call_faults(Call("x", {}), tools)
    assert fault.message.endswith("`name_19` and 2,980 more")


def test_tools_of_one_name() -> None:
    """A name is listed once, however many tools have it."""
    (fault,) = call_faults(Call("missing", {}), [Tool("x"), Tool("x"), Tool("y")])
    assert fault.message == "there is no tool `missing`; the tools are `x`, `y`"


def test_one_limit_for_all_calls() -> None:
    """What is expensive for one call is not done again for every call."""
    levels: dict[str, Json] = {
        str(level): {"allOf": [{"$ref": f"#/$defs/{level - 1}"}] * 2} if level else {} for level in range(21)
    }
    tool = Tool("t", parameters={"properties": {"k": {"$ref": "#/$defs/20"}}, "$defs": levels})
    checker = CallChecker((tool,))
    call = Call("t", {"k": 1})
    n_first = n_steps(partial(checker.check_call, call))
    found = [checker.check_call(call) for _ in range(1_000)]
    assert checker.is_spent
    assert {tuple(fault.kind for fault in faults) for faults in found} == {("over-limit",)}
    assert n_steps(partial(checker.check_call, call)) < n_first / 10_000


def test_handed_back() -> None:
    """A model gets its faults as JSON."""
    call = Call("S", {"q": 1})
    assert fault_json(call, call_faults(call, (SEARCH,))) == {
        "error": "the call was not made",
        "tool": "S",
        "faults": [{"kind": "wrong-type", "argument": "q", "message": "`1` is of type integer, expected string"}],
    }


def test_no_tools() -> None:
    """Without tools, every call is one of none."""
    assert [each.message for each in call_faults(Call("S", {}), ())] == ["there is no tool `S`; there are no tools"]


def chain(n_levels: int) -> Json:
    """An object in an object, and so on."""
    return json.loads('{"next":' * n_levels + "{}" + "}" * n_levels)  # type: ignore[no-any-return]


NULLS: list[Json] = ["null"] * 1_000
HOSTILE: dict[str, tuple[Tool, dict[str, Json]]] = {
    "a schema that is itself": (Tool("t", parameters={"$ref": "#"}), {"a": 1}),
    "a schema that is itself, twice": (Tool("t", parameters={"allOf": [{"$ref": "#"}, {"$ref": "#"}]}), {"a": 1}),
    "a value of many levels": (SEARCH, {"q": "a", "tree": chain(500)}),
    "many keys": (SEARCH, {f"k{number}": 1 for number in range(100_000)}),
    "many items": (SEARCH, {"q": "a", "tags": [1] * 500_000}),
    "a long list and a long value": (
        only({"anyOf": [{"enum": [number]} for number in range(10_000)]}),
        {"k": [1] * 100_000},
    ),
    "long lists of types and keys": (
        only({"allOf": [{"type": [*NULLS, "object"], "required": ["a"] * 1_000}] * 3_000}),
        {"k": {"a": 1}},
    ),
    "a long reference": (only({"allOf": [{"$ref": "#" + "/a" * 50_000}] * 50_000}), {"k": 1}),
    "a choice of choices": (
        Tool(
            "t",
            parameters={
                "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}] * 3}},
                "properties": {"k": {"$ref": "#/$defs/a"}},
            },
        ),
        {"k": 1},
    ),
}


@pytest.mark.parametrize("name", few(HOSTILE, 4))
def test_hostile(name: str) -> None:
    """No schema and no call takes more than a hundred steps for each of the checks that are made at most."""
    tool, args = HOSTILE[name]
    found = call_faults(Call(tool.name, args), (tool,))
    assert 0 < len(found) <= MOST_FAULTS
    assert ("over-limit" in {fault.kind for fault in found}) == (len(found) < MOST_FAULTS)
    assert n_steps(partial(call_faults, Call(tool.name, args), (tool,))) < 100 * MOST_CHECKS


@given(call=CALLS, tool=TOOLS, args=OBJECTS)
def test_anything(call: Call, tool: Tool, args: dict[str, Json]) -> None:
    """Whatever a tool and a call say, the faults are data with words, and JSON."""
    for each in (call, Call(tool.name, args)):
        faults = call_faults(each, (tool,))
        assert all(fault.message and not fault.message[0].isupper() for fault in faults)
        json.dumps(fault_json(each, faults))
