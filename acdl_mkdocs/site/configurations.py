"""The configuration files of the docs tools that read plain Markdown: MkDocs, ProperDocs and Zensical."""

import os
from functools import lru_cache

_TOOLS = ("mkdocs", "properdocs", "zensical")
_ENDINGS = (".yml", ".yaml", ".toml")
_PLAIN = ("mkdocs.yml", "properdocs.yml", "zensical.toml")
"""The names that are found without a list of all files."""
_BEGINNINGS = tuple(f"{tool}{sign}" for tool in _TOOLS for sign in ".-")
"""How a name begins, also a longer one: `mkdocs.prod.yml`."""


def configurations(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the configuration files in a folder, in order; none if it cannot be read."""
    try:
        names = os.listdir(folder)
    except OSError:
        return ()
    return tuple(sorted(name for name in names if name.startswith(_BEGINNINGS) and name.endswith(_ENDINGS)))


def has_configuration(folder: str) -> bool:
    """Whether a folder has one; its files are listed again only when they have changed."""
    if any(os.path.exists(os.path.join(folder, name)) for name in _PLAIN):
        return True
    try:
        return bool(_listed(folder, os.stat(folder).st_mtime_ns))
    except OSError:
        return False


@lru_cache(maxsize=256)
def _listed(folder: str, changed: int) -> tuple[str, ...]:
    del changed
    return configurations(folder)
