"""Find the project of a file, by the configuration files of docs tools."""

import os
import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.real_path import find_repository
from acdl_mkdocs.workspace.settings import SETTINGS_FILES, settings_in

_TOOLS = ("mkdocs", "properdocs", "zensical")
_ENDINGS = (".yml", ".yaml", ".toml")
_PLAIN = ("mkdocs.yml", "properdocs.yml", "zensical.toml")
"""Names that are found without listing the folder."""
_BEGINNINGS = tuple(f"{tool}{sign}" for tool in _TOOLS for sign in ".-")
"""Prefixes of names, including longer ones: `mkdocs.prod.yml`."""


def find_configurations(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the configuration files in a folder, in order; none if it cannot be read."""
    try:
        names = os.listdir(folder)
    except OSError:
        return ()
    return tuple(sorted(name for name in names if name.startswith(_BEGINNINGS) and name.endswith(_ENDINGS)))


def has_configuration(folder: str) -> bool:
    """Return whether a folder has one; its files are listed again only when they have changed."""
    if any(os.path.exists(os.path.join(folder, name)) for name in _PLAIN):
        return True
    try:
        return bool(_list_configurations(folder, os.stat(folder).st_mtime_ns))
    except OSError:
        return False


@lru_cache(maxsize=256)
def _list_configurations(folder: str, changed: int) -> tuple[str, ...]:
    del changed
    return find_configurations(folder)


_PROJECT_FILES = ("pyproject.toml", ".git")
_SETTINGS_FILES = ("acdl.toml",)
"""Files that may also be in folders of a project; they mark its root only by declaration or as a last resort."""
_SPHINX_ROOT = compile_later(
    r"^acdl\s*=\s*(?:\{[^}]{0,4000}[\"']root[\"']\s*:|dict\([^)]{0,4000}\broot\s*=)\s*[\"']([^\"'\n]*)[\"']",
    re.MULTILINE,
)
"""The setting `root` in `conf.py`."""


def project_of(path: Path, working: Path | None = None) -> Path:
    """Return the folder that `src` of a Markdown file is relative to: the project of the folder of the real file.

    Parameters:
        path: The file.
        working: As for `find_project`.
    """
    return find_project(path.resolve().parent, working)


def find_project(folder: Path, working: Path | None = None) -> Path:
    """Return the project of a folder: the nearest folder, itself or around it, that looks like one.

    A folder with `root = true` in its settings takes precedence. It is searched each time, since a project may be
    created while an editor is open.

    Parameters:
        folder: The folder.
        working: The working folder, which is used if nothing looks like a project; by default that of the process.
    """
    folder, working = folder.resolve(), working or Path.cwd()
    upwards = list(map(str, (folder, *folder.parents)))
    for is_root in (_is_declared_root, _is_project, _has_settings):
        for candidate in upwards:
            if is_root is _is_project and (root := _sphinx_root(candidate)):
                return root
            if is_root(candidate):
                return Path(candidate)
    return working if folder.is_relative_to(working) else folder


def _sphinx_root(folder: str) -> Path | None:
    """Return the project folder of Sphinx, if `conf.py` loads the extension; else `None`."""
    path = os.path.join(folder, "conf.py")
    if not os.path.exists(path):
        return None
    with suppress(OSError, ValueError):
        text = Path(path).read_text("utf-8")
        if "acdl_mkdocs" in text:
            match = _SPHINX_ROOT.search(text)
            root = Path(folder, match[1] if match else "").resolve()
            return root if _may_be_root(root, Path(folder)) else Path(folder)
    return None


def _may_be_root(root: Path, folder: Path) -> bool:
    """Return whether an untrusted `conf.py`, which is not run, may set such a root.

    Files below the root may be read. So it must contain the folder of `conf.py` and be inside its repository; without a
    repository, it must be that folder, its parent, or a folder that looks like a project.
    """
    if not folder.is_relative_to(root):
        return False
    repository = find_repository(folder)
    if repository is not None:
        return root.is_relative_to(repository)
    return root in (folder, folder.parent) or _is_project(str(root)) or _has_settings(str(root))


def _is_declared_root(folder: str) -> bool:
    """Return whether the settings in a folder declare it as a root; unreadable settings are reported elsewhere."""
    if not any(os.path.exists(os.path.join(folder, name)) for name in SETTINGS_FILES):
        return False
    try:
        settings = settings_in(Path(folder))
    except SettingsError:
        return False
    return settings is not None and settings.is_root


def _is_project(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in _PROJECT_FILES) or has_configuration(folder)


def _has_settings(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in _SETTINGS_FILES)


def root_of_site(configuration: Path, docs: Path) -> Path:
    """Return the project folder of a site without one in its configuration: the same as `acdl check` finds.

    Parameters:
        configuration: The folder of the docs tool's configuration file.
        docs: The folder of the pages.
    """
    folder, pages = configuration.resolve(), docs.resolve()
    return folder if pages.is_relative_to(folder) else find_project(pages, folder)
