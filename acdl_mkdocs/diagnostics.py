"""The same names as in `acdl_mkdocs.foundation.diagnostics`, at the path that users know."""

from acdl_mkdocs.foundation.diagnostics import (
    Diagnostic,
    Fix,
    Label,
    Severity,
    TextEdit,
    diagnostic,
    error,
    note,
    warning,
)

__all__ = (
    "Diagnostic",
    "Fix",
    "Label",
    "Severity",
    "TextEdit",
    "diagnostic",
    "error",
    "note",
    "warning",
)
