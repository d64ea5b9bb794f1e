"""Why a problem matters, as its documentation says: one paragraph of the page of its name."""

import inspect
import re
from functools import lru_cache

from acdl_mkdocs.language.rules import RULES, documentation

_WHY = re.compile(r"^## Why\n+(.+?)(?=\n\s*\n|\n## |\Z)", re.MULTILINE | re.DOTALL)


@lru_cache(maxsize=256)
def why(name: str) -> str:
    """The first paragraph of the reason; empty if nothing says it."""
    if name in RULES:
        _, text = documentation(name)
    else:
        from acdl_mkdocs.site.text_problems import TEXT_PROBLEMS  # most problems are of rules

        text = inspect.cleandoc(TEXT_PROBLEMS.get(name, ""))
    found = _WHY.search(text)
    return " ".join(found[1].split()) if found else ""
