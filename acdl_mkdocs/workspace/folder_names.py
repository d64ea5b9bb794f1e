"""The names in folders: each folder is read once for all of its files, which may be thousands. Opens no file."""

import os
from collections.abc import Iterable
from pathlib import Path

_SKIPPED_FOLDERS = ("node_modules", "__pycache__")
_ENVIRONMENT = "pyvenv.cfg"
"""The file that marks a virtual environment of Python."""
_BUILT = ("sitemap.xml", "objects.inv", os.path.join("search", "search_index.json"))
"""Files that docs tools write into the folder of a built site."""


def is_skipped(folder: Path) -> bool:
    """Return whether a folder holds no sources: a hidden folder, one of packages, or a built site."""
    if folder.name.startswith(".") or folder.name in _SKIPPED_FOLDERS:
        return True
    return any(os.path.exists(folder / name) for name in (*_BUILT, _ENVIRONMENT))


class FolderNames:
    """The names in folders that were read: to be created again when they may have changed."""

    def __init__(self) -> None:
        """Start without folders."""
        self._names: dict[Path, dict[str, list[str]]] = {}

    def find_names(self, folder: Path, words: Iterable[str]) -> list[str]:
        """Return the names in a folder that equal one of the words up to their first dot, in their order."""
        if folder not in self._names:
            self._names[folder] = _by_beginning(folder)
        names = self._names[folder]
        return sorted(name for each in {_beginning(each) for each in words} for name in names.get(each, ()))


def _by_beginning(folder: Path) -> dict[str, list[str]]:
    """Group the names in a folder by their first part; empty if it cannot be read."""
    names_by_beginning: dict[str, list[str]] = {}
    try:
        names = os.listdir(folder)
    except OSError:
        return {}
    for name in names:
        names_by_beginning.setdefault(_beginning(name), []).append(name)
    return names_by_beginning


def _beginning(name: str) -> str:
    return name.partition(".")[0]
