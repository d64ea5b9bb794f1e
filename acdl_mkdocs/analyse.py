"""The same names as in `acdl_mkdocs.language.analyse`, at the path that users know."""

from acdl_mkdocs.language.analyse import Analysis, analyse, check_analysis, diagnose, format_analysis, parse_and_resolve

__all__ = (
    "Analysis",
    "analyse",
    "check_analysis",
    "diagnose",
    "format_analysis",
    "parse_and_resolve",
)
