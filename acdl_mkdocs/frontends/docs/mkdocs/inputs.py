"""The files that the options of the MkDocs plugin name: specs, playbooks, fonts to draw with."""

import logging
import os
from glob import glob
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from acdl_mkdocs.foundation.real_path import real_path
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.mkdocs.files import EditedSources
from acdl_mkdocs.frontends.docs.pages.search_text import BETWEEN_WORDS
from acdl_mkdocs.workspace.files import match_pattern

_log = logging.getLogger("mkdocs.plugins.acdl")


def between_words(config: MkDocsConfig) -> str:
    """Return the word separator of the site's search, which Material keeps under its own name."""
    search = config.plugins.get("search") or config.plugins.get("material/search")
    return str((search and search.config.get("separator")) or BETWEEN_WORDS)


def spec_files(options: AcdlConfig, files: Files, of: EditedSources) -> list[Path]:
    """Return the `.acdl` files whose specs get pages, each once; by default those among the pages."""
    spec_paths: dict[Path, None] = {}
    if not options.specs:
        specs = (of.path_of(file) for file in files if file.src_uri.endswith(".acdl"))
        spec_paths = dict.fromkeys(path for path in specs if path is not None)
    for name in options.specs:
        paths = _find_specs(of.root, name)
        if not paths:
            _log.warning("the option `specs` of `acdl` names `%s`, which has no `.acdl` file", name)
        spec_paths |= dict.fromkeys(paths)
    return list(spec_paths)


def playbook_files(options: AcdlConfig, root: Path) -> list[Path]:
    """Return the playbooks that get pages, each once."""
    playbook_paths: dict[Path, None] = {}
    for name in options.playbooks:
        paths = _find_in_project(root, name, ".yaml", ".yml", ".json")
        if not paths:
            _log.warning(
                "the option `playbooks` of `acdl` names `%s`, which is not a playbook file of the project", name
            )
        playbook_paths |= dict.fromkeys(paths)
    return list(playbook_paths)


def font_files(options: AcdlConfig, root: Path) -> list[str]:
    """Return the existing fonts for pictures."""
    paths = {name: root / name for name in options.fonts}
    for name, path in paths.items():
        if not os.path.isfile(path):
            _log.warning("the option `fonts` of `acdl` names `%s`, which is not a file", name)
    return [str(path) for path in paths.values() if os.path.isfile(path)]


def _find_specs(root: Path, name: str) -> list[Path]:
    """Return the `.acdl` files of the project that a folder or a pattern matches."""
    return _find_in_project(root, f"{name}/**/*.acdl" if os.path.isdir(root / name) else name, ".acdl")


def _find_in_project(root: Path, pattern: str, *endings: str) -> list[Path]:
    """Return the files of the project that a path or a pattern matches; none outside of it, also by a link."""
    paths = match_pattern(root, pattern) if not Path(pattern).is_absolute() else []
    inside = root.resolve()
    return sorted(path for path in paths if path.suffix in endings and _is_inside(inside, path))


def _is_inside(folder: Path, path: Path) -> bool:
    """Return whether a path is a file in a folder, also with links resolved; False if unknown."""
    try:
        return os.path.isfile(path) and real_path(path).is_relative_to(folder)
    except OSError:
        return False


def docstring_folders(config: MkDocsConfig) -> list[Path]:
    """Return the folders of Python packages for mkdocstrings, which may be outside of the project."""
    handlers = getattr(config.plugins.get("mkdocstrings"), "config", {}).get("handlers") or {}
    names = (handlers.get("python") or {}).get("paths") or ()
    base = os.path.dirname(config.config_file_path or "")
    found = (Path(each) for name in names for each in sorted(glob(os.path.join(base, str(name)))))
    return [path for path in found if path.is_dir()]


def text_of(file: File) -> str:
    """Return the text of a page; empty if it cannot be read, which MkDocs reports when it reads the page."""
    try:
        return file.content_string
    except (OSError, ValueError):
        return ""
