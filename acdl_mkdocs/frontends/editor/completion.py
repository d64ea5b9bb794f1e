"""The values that completion offers."""

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
    """A word or snippet that can be written at a place."""

    label: str
    kind: Kind
    insert: str
    sort: str
    """The sort key: lower comes first."""
    is_snippet: bool = False
    """Whether `insert` has placeholders to fill in: `$1`, `${1:@T}`, `$0`."""
    detail: str = ""
    documentation: str = ""
    """Markdown."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An offer, and the part of the document that it replaces."""

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


def strip_placeholders(insert: str) -> str:
    """Return a snippet for an editor without placeholders: usual values, up to the first that has to be written.

    It is one line, since some of these editors write no other.
    """
    end = next((match.start() for match in _PLACE.finditer(insert) if match["empty"] or match["line"]), len(insert))
    return _PLACE.sub(_keep_usual_placeholder, insert[:end])


def _keep_usual_placeholder(match: re.Match[str]) -> str:
    return match["sign"] or _PLACE.sub(_keep_usual_placeholder, match["usual"])


def escape_snippet(text: str) -> str:
    """Escape a text for use in a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
