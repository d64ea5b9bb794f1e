"""The same names as in `acdl_mkdocs.evaluation.explain.text`, at the path that users know."""

from acdl_mkdocs.evaluation.explain.text import write

__all__ = ("write",)
