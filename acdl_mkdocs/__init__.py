"""Figures, checks and tools for ACDL, the Agentic Context Description Language.

```text
source, diagnostics, config, errors   what every stage shares
syntax/         text <-> tree
names/          what a name refers to
rules/          one file per rule
figure/         how a spec looks: boxes, then geometry
outputs/        one file per picture or text format
reports/        one file per way to show diagnostics
site/           what a documentation site is made of, whatever tool builds it
integrations/   one file per docs tool
cli/            one file per command
```
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acdl_mkdocs.api import check, parse, render

__all__ = ["__version__", "check", "parse", "render"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the public functions when they are first used: a command that needs none of them starts faster."""
    if name in ("check", "parse", "render"):
        from acdl_mkdocs import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
