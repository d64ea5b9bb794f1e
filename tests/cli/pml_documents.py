"""Documents that several tests of `acdl pml` are about, and the schemas of what actions print for programs."""

import json
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

CHAT = """\
<prompt version="1">
  <memory>
    <fact key="user">Alice</fact>
  </memory>
  <tools>
    <tool name="W" alias="get_weather" desc="Weather of a place" trigger="1">
      <param key="loc" req="1"/>
      <param key="days" type="integer"/>
    </tool>
  </tools>
  <conversation topic="Weather">
    <turn index="1">
      <user id="u1">
        <text>Is it raining in Oslo?</text>
        <attachment type="file" name="notes.txt" id="f1">
          <content>first
second</content>
        </attachment>
      </user>
      <assistant>
        <call name="W" id="c1" loc="Oslo" days="2"/>
      </assistant>
      <tool_output id="c1">rain</tool_output>
      <assistant>
        <text>Rain.</text>
      </assistant>
    </turn>
  </conversation>
</prompt>
"""
"""In its normal form."""


def as_published(text: str, action: str) -> dict[str, Any]:
    """What an action of `acdl pml` has printed, which is as its schema in the package says."""
    schema = json.loads(files("acdl_mkdocs").joinpath(f"assets/pml-{action}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    found: dict[str, Any] = json.loads(text)
    Draft202012Validator(schema).validate(found)
    return found
