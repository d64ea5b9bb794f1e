"""The place in a recorded request that refutes a line of a spec, as rows that can be printed anywhere.

Shows only the beginning of a message and of its neighbours, without keys and passwords, and nothing that controls a
terminal.
"""

import json
from collections.abc import Iterator

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_visible, one_line
from acdl_mkdocs.prompts.prompt import Attachment, Call, Opaque, Output, Part, Text, Thinking
from acdl_mkdocs.prompts.redact import redact_text
from acdl_mkdocs.runs.match.evidence import Counterexample
from acdl_mkdocs.runs.match.units import Unit, list_units
from acdl_mkdocs.runs.read.recorded import Recorded

_MOST, _MOST_BESIDE = 240, 72
"""Limit of characters of a message, and of a neighbour."""
_LOOKED_AT = 4_000
"""Limit of characters of a part that are read, larger so that a cut secret is still found."""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message of a request, in one line."""

    path: str
    """Its position: `messages[2]`; empty for the end of the request."""
    role: str
    text: str
    is_wrong: bool
    """Whether it is the message that refutes the line."""


def list_rows(example: Counterexample) -> tuple[MessageRow, ...]:
    """Return the message that refutes a line, between those before and after it."""
    units = list_units(example.recorded.request)
    unit = example.unit
    if unit is None:
        last = tuple(_make_row(each, is_wrong=False) for each in units[-1:])
        return (*last, MessageRow("", "", "the request ends here", is_wrong=True))
    at = _find_number(units, unit)
    if at is None:  # system text of several places, sent beside the messages
        return (_make_row(unit, is_wrong=True),)
    return tuple(_make_row(units[idx], is_wrong=idx == at) for idx in range(max(0, at - 1), min(len(units), at + 2)))


def format_position(recorded: Recorded, path: str = "") -> str:
    """Return where a request is recorded: `run.jsonl:3, request.body, messages[2]`."""
    return make_visible(f"{recorded.origin}, {path}" if path else str(recorded.origin))


def format_point(recorded: Recorded) -> str | None:
    """Return the point in time of a request: `2` or `2.1`."""
    return None if recorded.at is None else str(Time(recorded.at.significant))


def shorten_line(text: str, most: int) -> str:
    """Return the beginning of a text in one line, without secrets and control characters."""
    return one_line(redact_text(text[:_LOOKED_AT]), most)


def _find_number(units: list[Unit], unit: Unit) -> int | None:
    key = (unit.message, unit.part, unit.role)
    return next((idx for idx, each in enumerate(units) if (each.message, each.part, each.role) == key), None)


def _make_row(unit: Unit, *, is_wrong: bool) -> MessageRow:
    most = _MOST if is_wrong else _MOST_BESIDE
    words = shorten_line(" ".join(filter(None, map(describe_part, unit.parts))), most)
    n_more = sum(len(part.text) for part in unit.parts if isinstance(part, Text)) - most
    rest = f" ({n_more:,} more characters)" if is_wrong and n_more > most else ""
    return MessageRow(unit.path, unit.role, f"{words}{rest}" if words else "(nothing)", is_wrong)


def describe_part(part: Part) -> str:
    """Return the beginning of a part, in words; calls in the form of code."""
    match part:
        case Text():
            return part.text[:_LOOKED_AT]
        case Thinking():
            return "(thought)" if part.is_redacted else f"(thought) {part.text[:_LOOKED_AT]}"
        case Call():
            return f"{part.tool}({json.dumps(dict(part.args), ensure_ascii=False)[:_LOOKED_AT]})"
        case Output():
            return " ".join(describe_part(each) for each in part.parts)
        case Attachment():
            return f"[{part.name or part.type}]"
        case Opaque():
            return f"[only for {part.provider}]"


def describe_refutation(example: Counterexample) -> Iterator[str]:
    """Describe where and when a request refutes a line."""
    recorded = example.recorded
    yield format_position(recorded, example.path)
    if recorded.at is not None:
        yield f"at `@{format_point(recorded)}`"
    if recorded.episode:
        yield make_visible(recorded.episode)
