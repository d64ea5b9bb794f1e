"""Text of prompts as it can be printed anywhere: nothing in it acts on a terminal, and JSON stays the same JSON."""

import json
import re

from acdl_mkdocs.figure.metrics import visible
from acdl_mkdocs.prompt import Json

_RISKY = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that JSON allows in text as they are, and that control a terminal or turn the direction of a line."""


def lines_of(text: str) -> list[str]:
    """The lines of a text, each as it can be printed."""
    return [visible(line) for line in text.replace("\r\n", "\n").split("\n")]


def json_text(value: Json, *, is_line: bool = False) -> str:
    """JSON as people read it, or in one line; no line end at its end."""
    return escaped(json.dumps(value, indent=None if is_line else 1, ensure_ascii=False))


def escaped(text: str) -> str:
    """Text with JSON in it whose risky characters stand there by their numbers."""
    return _RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
