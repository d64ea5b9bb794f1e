"""Markdown that contains a text unchanged."""

import re


def code_fence(text: str) -> str:
    """Return the marks of a fenced block: more of them than occur in a row in its text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)
