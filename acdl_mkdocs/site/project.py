"""Which project a file belongs to: the folder that `src` of a page starts from."""

import os
from functools import cache
from pathlib import Path

_PROJECT_FILES = ("mkdocs.yml", "properdocs.yml", "zensical.toml", "pyproject.toml", ".git")
_SETTINGS_FILES = ("acdl.toml",)
"""These lie in folders of a project too, and say where it begins only if nothing else does."""


def project_of(path: Path, working: Path | None = None) -> Path:
    """The folder that `src` of a Markdown file starts from: the nearest that looks like a project.

    Parameters:
        path: The file.
        working: The folder that one works in, which counts where nothing looks like a project; by default that of the
            process.
    """
    return _nearest_project(path.resolve().parent, working or Path.cwd())


@cache
def _nearest_project(folder: Path, working: Path) -> Path:
    for marks in (_PROJECT_FILES, _SETTINGS_FILES):
        for candidate in (folder, *folder.parents):
            if any(os.path.exists(candidate / name) for name in marks):
                return candidate
    return working if folder.is_relative_to(working) else folder
