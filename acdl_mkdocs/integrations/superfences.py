"""The same names as in `acdl_mkdocs.frontends.docs.markdown.superfences`, at the path that users know."""

from acdl_mkdocs.frontends.docs.markdown.superfences import SuperFence, fence, validate

__all__ = (
    "SuperFence",
    "fence",
    "validate",
)
