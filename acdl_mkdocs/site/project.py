"""Which project a file belongs to: the folder that `src` of a page starts from."""

import os
from pathlib import Path

_PROJECT_FILES = ("mkdocs.yml", "properdocs.yml", "zensical.toml", "pyproject.toml", ".git")
_SETTINGS_FILES = ("acdl.toml",)
"""These lie in folders of a project too, and say where it begins only if nothing else does."""


def project_of(path: Path, working: Path | None = None) -> Path:
    """The folder that `src` of a Markdown file starts from: the nearest that looks like a project.

    It is looked for each time, since an editor stays open while a project begins.

    Parameters:
        path: The file.
        working: The folder that one works in, which counts where nothing looks like a project; by default that of the
            process.
    """
    folder, working = path.resolve().parent, working or Path.cwd()
    upwards = list(map(str, (folder, *folder.parents)))
    for marks in (_PROJECT_FILES, _SETTINGS_FILES):
        for candidate in upwards:
            if any(os.path.exists(os.path.join(candidate, name)) for name in marks):
                return Path(candidate)
    return working if folder.is_relative_to(working) else folder
