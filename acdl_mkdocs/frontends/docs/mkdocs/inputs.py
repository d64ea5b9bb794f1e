"""The files of a project that the options of the plugin for MkDocs name: specs, playbooks, fonts to draw with."""

import logging
import os
from glob import glob
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from acdl_mkdocs.foundation.real_path import real_path
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.mkdocs.files import Sources
from acdl_mkdocs.frontends.docs.pages.search_text import BETWEEN_WORDS
from acdl_mkdocs.workspace.files import matching

_log = logging.getLogger("mkdocs.plugins.acdl")


def between_words(config: MkDocsConfig) -> str:
    """The separator of the site's search, which Material has under a name of its own."""
    search = config.plugins.get("search") or config.plugins.get("material/search")
    return str((search and search.config.get("separator")) or BETWEEN_WORDS)


def spec_files(options: AcdlConfig, files: Files, of: Sources) -> list[Path]:
    """The `.acdl` files whose specs get pages, each once; if no option names any, those among the pages."""
    found: dict[Path, None] = {}
    if not options.specs:
        specs = (of.path_of(file) for file in files if file.src_uri.endswith(".acdl"))
        found = dict.fromkeys(path for path in specs if path is not None)
    for name in options.specs:
        paths = _matching(of.root, name)
        if not paths:
            _log.warning("the option `specs` of `acdl` names `%s`, which has no `.acdl` file", name)
        found |= dict.fromkeys(paths)
    return list(found)


def playbook_files(options: AcdlConfig, root: Path) -> list[Path]:
    """The playbooks that get pages, each once."""
    found: dict[Path, None] = {}
    for name in options.playbooks:
        paths = _inside(root, name, ".yaml", ".yml", ".json")
        if not paths:
            _log.warning("the option `playbooks` of `acdl` names `%s`, which is no playbook file of the project", name)
        found |= dict.fromkeys(paths)
    return list(found)


def font_files(options: AcdlConfig, root: Path) -> list[str]:
    """The fonts for pictures that exist."""
    paths = {name: root / name for name in options.fonts}
    for name, path in paths.items():
        if not os.path.isfile(path):
            _log.warning("the option `fonts` of `acdl` names `%s`, which is no file", name)
    return [str(path) for path in paths.values() if os.path.isfile(path)]


def _matching(root: Path, name: str) -> list[Path]:
    """The `.acdl` files of the project that a folder or a pattern names."""
    return _inside(root, f"{name}/**/*.acdl" if os.path.isdir(root / name) else name, ".acdl")


def _inside(root: Path, pattern: str, *endings: str) -> list[Path]:
    """The files of the project that a path or a pattern names; none outside of it, also by a link."""
    paths = matching(root, pattern) if not Path(pattern).is_absolute() else []
    inside = root.resolve()
    return sorted(path for path in paths if path.suffix in endings and _is_inside(inside, path))


def _is_inside(folder: Path, path: Path) -> bool:
    """Whether a path is a file in a folder, also if links are followed; one of which that cannot be known is not."""
    try:
        return os.path.isfile(path) and real_path(path).is_relative_to(folder)
    except OSError:
        return False


def docstring_folders(config: MkDocsConfig) -> list[Path]:
    """The folders from which mkdocstrings takes Python packages, which may be outside of the project."""
    given = getattr(config.plugins.get("mkdocstrings"), "config", {}).get("handlers") or {}
    names = (given.get("python") or {}).get("paths") or ()
    base = os.path.dirname(config.config_file_path or "")
    found = (Path(each) for name in names for each in sorted(glob(os.path.join(base, str(name)))))
    return [path for path in found if path.is_dir()]


def text_of(file: File) -> str:
    """The text of a page; of one that cannot be read nothing, because MkDocs says so when it reads the page."""
    try:
        return file.content_string
    except (OSError, ValueError):
        return ""
