"""JSON as people and terminals can be given it: letters of all scripts as they are, nothing that acts on a terminal."""

import json
import re

from acdl_mkdocs.possessive import possessive

RISKY = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that JSON allows in text as they are, and that control a terminal or turn the direction of a line."""


BEGUN_STRING = '"' + possessive(r'[^"\\]++|\\.')
"""A string of JSON up to where its closing quote has to be, as a pattern; with `re.DOTALL`."""


def json_text(value: object, indent: int | None = 1) -> str:
    """A value of plain data as JSON; no line end at its end.

    Parameters:
        value: What `json.dumps` takes.
        indent: Blanks before each level; `None` for one line.
    """
    return escaped(json.dumps(value, ensure_ascii=False, indent=indent))


def escaped(text: str) -> str:
    """Text with JSON in it whose risky characters stand there by their numbers."""
    return RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
