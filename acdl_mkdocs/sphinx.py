"""The Sphinx extension: `extensions = ["acdl_mkdocs.sphinx"]`. What it does is in `frontends/docs/sphinx/`."""

from acdl_mkdocs.frontends.docs.sphinx.extension import setup

__all__ = ["setup"]
