"""Keys and passwords taken out of what was recorded or sent: by the names they stand under, and by shapes of their own.

The same text always becomes the same text, so that contents can still be compared: a text that is held against a
recorded one goes through `redacted_text()` too. What a placeholder looks like is left alone.
"""

from acdl_mkdocs.redact.data import (
    redacted,
    redacted_again,
    redacted_as_said,
    redacted_document,
    redacted_parts,
    redacted_text,
)
from acdl_mkdocs.redact.names import is_secret_name
from acdl_mkdocs.redact.texts import may_have_secrets
from acdl_mkdocs.redact.values import REDACTED

__all__ = (
    "REDACTED",
    "is_secret_name",
    "may_have_secrets",
    "redacted",
    "redacted_again",
    "redacted_as_said",
    "redacted_document",
    "redacted_parts",
    "redacted_text",
)
