"""Text of strangers that can be printed anywhere: nothing acts on a terminal; JSON keeps readable letters."""

import json
import re

from acdl_mkdocs.foundation.possessive import possessive
from acdl_mkdocs.foundation.text_width import visible

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


_IN_XML = re.compile("<!\\[CDATA\\[.*?(?:\\]\\]>|\\Z)|[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", re.DOTALL)
"""A stretch of text without references, or a character that no name of an element or attribute can have."""


def lines_of(text: str) -> list[str]:
    """The lines of a text, each as it can be printed."""
    return [visible(line) for line in text.replace("\r\n", "\n").split("\n")]


def escaped_xml(text: str) -> str:
    """An XML document that says the same, and whose risky characters stand there by their numbers."""
    return _IN_XML.sub(_referred, text)


def _referred(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) == 1:
        return f"&#x{ord(text):x};"
    return RISKY.sub(lambda inside: f"]]>&#x{ord(inside[0]):x};<![CDATA[", text)
