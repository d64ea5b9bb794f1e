"""The same names as in `acdl_mkdocs.foundation.source`, at the path that users know."""

from acdl_mkdocs.foundation.source import Place, Source, Span, behind_prefix

__all__ = (
    "Place",
    "Source",
    "Span",
    "behind_prefix",
)
