"""`json_schema()`: a schema as Gemini spells it, as JSON Schema: types in small letters, `nullable` as a type."""

from acdl_mkdocs.prompt import Json

_OF_SCHEMAS = ("properties", "defs")
_SCHEMAS = ("anyOf", "prefixItems")


def json_schema(schema: Json) -> dict[str, Json]:
    """JSON Schema that means the same."""
    if not isinstance(schema, dict):
        return {}
    found: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            found[key] = value.lower()
        elif key in _OF_SCHEMAS and isinstance(value, dict):
            found[key] = {name: json_schema(inner) for name, inner in value.items()}
        elif key in _SCHEMAS and isinstance(value, list):
            found[key] = [json_schema(inner) for inner in value]
        elif key == "items":
            found[key] = json_schema(value)
        elif key != "nullable":
            found[key] = value
    if schema.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found
