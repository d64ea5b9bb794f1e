"""Places in documents, and edits of them: the answers to an editor's questions."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span


@dataclass(frozen=True, slots=True)
class Location:
    """A part of a document."""

    uri: str
    span: Span
    """In code points of the document."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """An edit that replaces a part of a document."""

    uri: str
    span: Span
    text: str
