"""The schemas of answers, built from the schemas that the package publishes for its JSON."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast

from acdl_mkdocs.frontends.mcp.answers import Data

STRING: Data = {"type": "string"}
FLAG: Data = {"type": "boolean"}
COUNT: Data = {"type": "integer", "minimum": 0}
TEXT_OR_NULL: Data = {"type": ["string", "null"]}


def answer_schema(properties: Mapping[str, Data], **published: str) -> Data:
    """Build the schema of an answer.

    Parameters:
        properties: Those of the answer, each with its schema.
        published: For properties that are documents of the package, the name of the schema; they may be `null`.
    """
    file_schemas: dict[str, object] = {}
    definitions: dict[str, object] = {}
    for name, schema in published.items():
        full_schema = dict(_read_schema(schema))
        definitions |= cast(Data, full_schema.pop("$defs", {}))
        definitions[schema] = full_schema
        file_schemas[name] = {"anyOf": [{"type": "null"}, {"$ref": f"#/$defs/{schema}"}]}
    all_properties = {**properties, **file_schemas}
    object_schema: Data = {
        "type": "object",
        "properties": all_properties,
        "required": list(all_properties),
        "additionalProperties": False,
    }
    return object_schema | ({"$defs": definitions} if definitions else {})


def with_problems(properties: Mapping[str, Data], **published: str) -> Data:
    """Add problems to the properties: a list of the objects that `acdl check --format json` writes."""
    schema = answer_schema({**properties, "problems": {"type": "array"}, "problems_left_out": COUNT}, **published)
    diagnostic = dict(_read_schema("diagnostic"))
    definitions = {**cast(Data, schema.get("$defs", {})), **cast(Data, diagnostic.pop("$defs", {}))}
    definitions["diagnostic"] = diagnostic
    problems = {"type": "array", "items": {"$ref": "#/$defs/diagnostic"}}
    all_properties = {**cast(Data, schema["properties"]), "problems": problems}
    return {**schema, "properties": all_properties, "$defs": definitions}


@cache
def _read_schema(name: str) -> Data:
    """Return a schema of the package, its definitions prefixed by its name so that several do not collide."""
    text = files("acdl_mkdocs").joinpath(f"assets/{name}.schema.json").read_text("utf-8")
    full_schema = cast(Data, _drop_descriptions(json.loads(text.replace('"#/$defs/', f'"#/$defs/{name}-'))))
    for word in ("$schema", "title"):
        full_schema.pop(word, None)
    inner = cast(Data, full_schema.pop("$defs", {}))
    return {**full_schema, "$defs": {f"{name}-{key}": value for key, value in inner.items()}}


def _drop_descriptions(value: object) -> object:
    """Drop the descriptions of a schema, which the published one has."""
    if isinstance(value, list):
        return [_drop_descriptions(each) for each in value]
    if not isinstance(value, dict):
        return value
    is_about = isinstance(value.get("description"), str)
    return {key: _drop_descriptions(each) for key, each in value.items() if not (is_about and key == "description")}
