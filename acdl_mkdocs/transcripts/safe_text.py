"""Text of prompts as it can be printed anywhere: nothing in it acts on a terminal, and XML says the same."""

import re

from acdl_mkdocs.figure.metrics import visible
from acdl_mkdocs.json_text import RISKY

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
