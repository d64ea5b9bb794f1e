"""What completion offers, as values."""

import re
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span

Kind: TypeAlias = Literal[
    "keyword", "role", "variable", "field", "template", "function", "fragment", "name", "time", "loop", "option",
    "value", "rule", "spec",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be written at a place."""

    label: str
    kind: Kind
    insert: str
    sort: str
    """What comes first has the least."""
    is_snippet: bool = False
    """Whether `insert` has places to fill in: `$1`, `${1:@T}`, `$0`."""
    detail: str = ""
    documentation: str = ""
    """Markdown."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An offer, and what of the document it takes the place of."""

    label: str
    kind: Kind
    insert: str
    span: Span
    """In code points of the document."""
    is_snippet: bool = False
    detail: str = ""
    documentation: str = ""
    sort: str = ""


_PLACE = re.compile(r"\\(?P<sign>.)|\$\{\d+:(?P<usual>(?:\\.|[^}\\])*)\}|(?P<empty>\$\d+)|(?P<line>\n)", re.DOTALL)


def without_places(insert: str) -> str:
    """A snippet for an editor that knows none: places as they usually are, up to the first that has to be written.

    It is one line, since some of these editors write no other.
    """
    end = next((found.start() for found in _PLACE.finditer(insert) if found["empty"] or found["line"]), len(insert))
    return _PLACE.sub(_usual, insert[:end])


def _usual(place: re.Match[str]) -> str:
    return place["sign"] or _PLACE.sub(_usual, place["usual"])


def escaped(text: str) -> str:
    """A text as a part of a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
