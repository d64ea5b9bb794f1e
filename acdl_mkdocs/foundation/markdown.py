"""Markdown that holds a text as it is."""

import re


def code_fence(text: str) -> str:
    """Return the marks of a fenced block: more of them than stand together anywhere in its text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)
