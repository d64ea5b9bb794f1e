"""MkDocs hook of this project's own site: mkdocstrings reads the modules that pages document, not the whole package."""

import re
from pathlib import Path

from griffe import Module, ModuleFinder
from mkdocs.config.defaults import MkDocsConfig

PACKAGE = "acdl_mkdocs"
ALIASES = {f"{PACKAGE}.integrations.superfences"}
"""Modules that have a documented function under another name, which is in the inventory for other sites."""
_DOCUMENTED = re.compile(rf"^::: ({PACKAGE}[\w.]*)", re.MULTILINE)
_IMPORTED = re.compile(rf"^ *from ({PACKAGE}[\w.]+) import ", re.MULTILINE)
_list_all = ModuleFinder.submodules


def on_config(config: MkDocsConfig) -> None:
    """Find what the pages document, and the modules from which the top of the package takes it."""
    root = Path(config.config_file_path).parent
    texts = [path.read_text("utf-8") for path in Path(config.docs_dir).rglob("*.md")]
    texts += [path.read_text("utf-8") for path in (root / PACKAGE).glob("*.py")]
    names = {name for text in texts for pattern in (_DOCUMENTED, _IMPORTED) for name in pattern.findall(text)}
    names |= ALIASES
    needed = {tuple(name.split(".")[:n]) for name in names for n in range(1, name.count(".") + 2)}

    def list_needed(self: ModuleFinder, module: Module) -> list[tuple[tuple[str, ...], Path]]:
        submodules = _list_all(self, module)
        return [each for each in submodules if module.name != PACKAGE or (PACKAGE, *each[0]) in needed]

    ModuleFinder.submodules = list_needed  # type: ignore[method-assign]
