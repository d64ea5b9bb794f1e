"""The one validator of JSON Schema: it agrees with the reference one, and each fault has its words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from acdl_mkdocs.foundation.json_schema import Schema, SchemaCheck
from acdl_mkdocs.foundation.json_value import Json
from acdl_mkdocs.playbook.learn.models.json_reply import find_faults

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, -2.0]) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(("string", "integer", "number", "boolean", "object", "array", "null"))
SIZES = st.integers(0, 3)


def schemas_of(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """Schemas with others inside."""
    keys = st.text("ab", max_size=2)
    limits = dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum"),
        SIZES,
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "properties": st.dictionaries(keys, inner, max_size=3),
            "required": st.lists(keys, max_size=2, unique=True),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "uniqueItems": st.booleans(),
            "exclusiveMinimum": SIZES,
            "exclusiveMaximum": SIZES,
            "multipleOf": st.integers(1, 3),
            "$ref": st.just("#/$defs/one"),
            **limits,
        },
    )


SCHEMAS = st.recursive(st.booleans() | schemas_of(st.just(True)), schemas_of, max_leaves=5)
ONE: dict[str, Json] = {"type": ["integer", "string", "object"], "minimum": 1}


@given(schema=SCHEMAS, value=VALUES)
def test_agrees_with_the_reference_validator(schema: Json, value: Json) -> None:
    """A value has faults exactly where the reference validator finds some."""
    root: dict[str, Json] = {"$defs": {"one": ONE}, "allOf": [schema]}
    found = list(SchemaCheck(root, n_checks=10_000).find_faults(value))
    assert (found == []) == Draft202012Validator(root).is_valid(value)
    assert (list(find_faults(value, root)) == []) == (found == [])


@pytest.mark.parametrize(
    ("schema", "value", "line"),
    [
        ({"type": ["object", "null"]}, 1, "the reply: expected object or null, found integer"),
        ({"items": {"enum": ["a", "b"]}}, ["c"], "[0]: expected one of a, b"),
        ({"const": 1}, 2, "the reply: expected one of 1"),
        ({"properties": {"a": {"minLength": 2}}}, {"a": "x"}, "a: expected at least 2 characters"),
        ({"maxItems": 1}, [1, 2], "the reply: expected at most 1 elements"),
        ({"minProperties": 1}, {}, "the reply: expected at least 1 keys"),
        ({"minimum": 2}, 1, "the reply: expected at least 2"),
        ({"exclusiveMaximum": 2}, 2, "the reply: expected less than 2"),
        ({"multipleOf": 2}, 3, "the reply: expected a multiple of 2"),
        ({"uniqueItems": True}, ["a", "a"], "the reply: expected different elements, found a twice"),
        ({"items": {"required": ["name"]}}, [{"nam": 1}], "[0]: the key `name` is missing; `nam` is there"),
        ({"additionalProperties": False}, {"x": 1}, "x: no such key was asked for"),
        ({"properties": {"a": {"properties": {"b": False}}}}, {"a": {"b": 1}}, "a.b: no such key was asked for"),
        (
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            [1],
            "the reply: expected string, found array",
        ),
        ({"$ref": "#"}, 1, "the reply: too large or nested too deeply"),
    ],
)
def test_words_of_replies(schema: Schema, value: Json, line: str) -> None:
    """A model is told what was expected and where; of a choice, what is wrong with the nearest form."""
    lines = list(find_faults(value, schema))
    assert line in lines
    assert len(set(lines)) == 1


@pytest.mark.parametrize(("value", "schema"), [(1.0, {"type": "integer"}), (1, {"enum": [1.0]}), (1.0, {"const": 1})])
def test_whole_numbers_are_integers(value: Json, schema: Schema) -> None:
    """1.0 is an integer and the same as 1, in calls of tools and in replies of models alike."""
    assert list(find_faults(value, schema)) == []


def test_closed_schemas() -> None:
    """Arguments of tools may have no key that is not declared; other values may, unless the schema forbids it."""
    schema: Schema = {"properties": {"a": {}}}
    open_, closed = (SchemaCheck(schema, n_checks=9, is_closed=each) for each in (False, True))
    assert list(open_.find_faults({"b": 1})) == []
    assert [(each.keyword, each.steps) for each in closed.find_faults({"b": 1})] == [("additionalProperties", ("b",))]
