"""The answers of tools: text for people and models, data for programs, pictures; or an error. All limited in size.

Knows no protocol.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass

Data: TypeAlias = dict[str, object]

MAX_CHARACTERS = 24_000
"""Limit on the text of an answer."""
MAX_DATA_CHARACTERS = 60_000
"""Limit on a document in the data of an answer, as JSON."""
MAX_PROBLEMS = 50
MAX_IMAGE_BYTES = 2_000_000
_LINES = re.compile(r"(?P<first>\d+)(?::(?P<last>\d+))?")


class CallError(Exception):
    """A tool cannot fulfil a request; the message has the problem and its place, `help` the fix."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message, help)
        self.message = message
        self.help = help

    def __str__(self) -> str:
        """Return message and help."""
        return f"{self.message}; {self.help}"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a tool."""

    text: str
    notes: str = ""
    """Notes: problems, and what the text omits. Apart, so that a request or a drawing can be used as it is."""
    data: Data = field(default_factory=dict)
    """Data that fits the schema of the tool; empty for an error."""
    images: tuple[Image, ...] = ()
    is_error: bool = False
    is_cut: bool = False
    """Whether the text is only a part, because the rest was not requested or does not fit."""


def limit_answer(answer: Answer, lines: str | None = None) -> Answer:
    """Limit an answer to the wanted lines and to the size limit, with a note how to get the rest.

    Parameters:
        answer: The whole answer.
        lines: The wanted lines, as `40` or `40:80`; all of them without it.

    Raises:
        CallError: There are no such lines.
    """
    text = answer.text.rstrip("\n") or "[nothing]"
    rows = text.split("\n")
    first, last = _parse_wanted_lines(lines, len(rows))
    output: list[str] = []
    size = 0
    for row in rows[first - 1 : last]:
        size += len(row) + 1
        if size > MAX_CHARACTERS:
            break
        output.append(row)
    if len(output) == len(rows):
        return replace(answer, text=text)
    if not output:  # one line is longer than all that fits
        output = [f"{rows[first - 1][: MAX_CHARACTERS // 2]}…"]
    end = first + len(output) - 1
    rest = f'; go on with `lines: "{end + 1}:{len(rows)}"`' if end < len(rows) else ""
    note = f"[lines {first} to {end} of {len(rows)}{rest}]"
    return replace(answer, text="\n".join([*output, note]), is_cut=True)


def _parse_wanted_lines(lines: str | None, n_lines: int) -> tuple[int, int]:
    if lines is None:
        return 1, n_lines
    match = _LINES.fullmatch(lines.strip())
    first = int(match["first"]) if match else 0
    last = int(match["last"] or first) if match else 0
    if not 1 <= first <= last:
        raise CallError(f"`lines` is `{lines[:40]}`", 'write the first and the last line, as `"1:80"`')
    if first > n_lines:
        raise CallError(f"the answer has only {n_lines} lines", f'ask for some of them, as `lines: "1:{n_lines}"`')
    return first, min(last, n_lines)


def is_small_enough(document: object) -> bool:
    """Return whether a document is small enough for the data of an answer."""
    return len(json.dumps(document, ensure_ascii=False)) <= MAX_DATA_CHARACTERS


def format_list(title: str, rows: Mapping[str, str]) -> str:
    """Format a list: a line for each name with its description."""
    return "\n".join([title, "", *(f"- `{name}`: {description}" for name, description in rows.items())])
