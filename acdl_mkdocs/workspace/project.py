"""Which project a file belongs to, and the configuration files of docs tools that tell so."""

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


_PROJECT_FILES = ("pyproject.toml", ".git")
_SETTINGS_FILES = ("acdl.toml",)
"""These lie in folders of a project too, and say where it begins only if nothing else does, or if they say so."""
_SPHINX_ROOT = compile_later(
    r"^acdl\s*=\s*(?:\{[^}]{0,4000}[\"']root[\"']\s*:|dict\([^)]{0,4000}\broot\s*=)\s*[\"']([^\"'\n]*)[\"']",
    re.MULTILINE,
)
"""The setting `root` in `conf.py`."""


def project_of(path: Path, working: Path | None = None) -> Path:
    """The folder that `src` of a Markdown file starts from: the nearest that looks like a project.

    One whose settings say `root = true` comes before all others. It is looked for each time, since an editor stays open
    while a project begins.

    Parameters:
        path: The file.
        working: The folder that one works in, which counts where nothing looks like a project; by default that of the
            process.
    """
    folder, working = path.resolve().parent, working or Path.cwd()
    upwards = list(map(str, (folder, *folder.parents)))
    for is_root in (_says_so, _is_project, _has_settings):
        for candidate in upwards:
            if is_root is _is_project and (root := _sphinx_root(candidate)):
                return root
            if is_root(candidate):
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
            root = Path(folder, found[1] if found else "").resolve()
            return root if _may_be_root(root, Path(folder)) else Path(folder)
    return None


def _may_be_root(root: Path, folder: Path) -> bool:
    """Whether a `conf.py`, which a stranger may have written and nobody has run, can have such a root.

    Files below the root may be read. So it is around the folder of `conf.py`, and in its repository; without one, it is
    that folder, the one around it, or a folder that looks like a project.
    """
    if not folder.is_relative_to(root):
        return False
    repository = find_repository(folder)
    if repository is not None:
        return root.is_relative_to(repository)
    return root in (folder, folder.parent) or _is_project(str(root)) or _has_settings(str(root))


def _says_so(folder: str) -> bool:
    """Whether the settings in a folder say that it is one; settings that cannot be read are told of elsewhere."""
    if not any(os.path.exists(os.path.join(folder, name)) for name in SETTINGS_FILES):
        return False
    try:
        found = settings_in(Path(folder))
    except SettingsError:
        return False
    return found is not None and found.is_root


def _is_project(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in _PROJECT_FILES) or has_configuration(folder)


def _has_settings(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in _SETTINGS_FILES)


def root_of_site(configuration: Path, docs: Path) -> Path:
    """The project's folder of a site whose configuration names none: `acdl check` finds the same one for its pages.

    Parameters:
        configuration: The folder of the docs tool's configuration file.
        docs: That of the pages.
    """
    folder, pages = configuration.resolve(), docs.resolve()
    return folder if pages.is_relative_to(folder) else project_of(pages / "index.md", folder)
