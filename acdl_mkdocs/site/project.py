"""Which project a file belongs to: the folder that `src` of a page starts from."""

import os
import re
from contextlib import suppress
from pathlib import Path

from acdl_mkdocs.compile_later import compile_later

_PROJECT_FILES = ("mkdocs.yml", "properdocs.yml", "zensical.toml", "pyproject.toml", ".git")
_SETTINGS_FILES = ("acdl.toml",)
"""These lie in folders of a project too, and say where it begins only if nothing else does."""
_SPHINX_ROOT = compile_later(
    r"^acdl\s*=\s*(?:\{[^}]*[\"']root[\"']\s*:|dict\([^)]*\broot\s*=)\s*[\"']([^\"'\n]*)[\"']", re.MULTILINE
)
"""The setting `root` in `conf.py`."""


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
            if marks is _PROJECT_FILES and (root := _sphinx_root(candidate)):
                return root
            if any(os.path.exists(os.path.join(candidate, name)) for name in marks):
                return Path(candidate)
    return working if folder.is_relative_to(working) else folder


def _sphinx_root(folder: str) -> Path | None:
    """The folder that Sphinx takes for the project, where `conf.py` loads the extension; `None` if it does not."""
    path = os.path.join(folder, "conf.py")
    if not os.path.exists(path):
        return None
    with suppress(OSError, ValueError):
        text = Path(path).read_text("utf-8")
        if "acdl_mkdocs" in text:
            found = _SPHINX_ROOT.search(text)
            return Path(folder, found[1] if found else "").resolve()
    return None
