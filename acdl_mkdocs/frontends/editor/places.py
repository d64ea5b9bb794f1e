"""Places in documents, and changes of them: what questions of an editor are answered with."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a document."""

    uri: str
    span: Span
    """In code points of the document."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace a part of a document."""

    uri: str
    span: Span
    text: str
