"""Small PML documents, and what becomes of them as requests of a model `m`."""

import json
from typing import Any

from acdl_mkdocs.prompts.convert import convert

TOOLS = """\
<tools>
  <tool name="W" alias="get_weather" desc="Weather of a city" trigger="1">
    <param key="loc" req="1"/>
    <param key="days" type="integer"/>
  </tool>
</tools>
"""
SCHEMA = {
    "type": "object",
    "properties": {"loc": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["loc"],
}
"""The parameters of its tool."""


def said(inside: str, before: str = "") -> str:
    """A document with a conversation."""
    return f'<prompt version="1">{before}<conversation>{inside}</conversation></prompt>'


def user(text: str) -> str:
    """A turn of a user."""
    return f"<turn><user>{text}</user></turn>"


HI = user("<text>hi</text>")


def body(document: str, to: str, **options: Any) -> Any:
    """The request that a document becomes."""
    converted = convert(document, to, model="m", **options)
    assert converted.text is not None, converted.problems
    return json.loads(converted.text)


def told(document: str, to: str, kind: str = "loss", **options: Any) -> list[str]:
    """What is told about a conversion."""
    return [each.sentence for each in convert(document, to, model="m", **options).changes if each.kind == kind]


def at(value: Any, path: str) -> Any:
    """A value in JSON, by keys and numbers between blanks."""
    for key in path.split():
        value = value[int(key) if key.isdigit() else key]
    return value
