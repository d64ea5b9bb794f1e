"""The same names as in `acdl_mkdocs.language.analyse`, at the path that users know."""

from acdl_mkdocs.language.analyse import Analysis, analyse, checked, diagnose, format_analysed, understand

__all__ = (
    "Analysis",
    "analyse",
    "checked",
    "diagnose",
    "format_analysed",
    "understand",
)
