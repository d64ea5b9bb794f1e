"""The modules of this package that the engine can reach: only they are sent to a browser.

Found by reading imports, also those inside functions; modules that are imported by a computed name are
named here, and a test asks an engine that has nothing else everything.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from acdl_mkdocs.drawing.formats import MODULES
from acdl_mkdocs.frontends.playground.engine import METHODS
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES

PACKAGE = "acdl_mkdocs"
_ROOT = Path(__file__).parents[2]
_BY_NAME = (
    "frontends.playground.engine",
    *(f"frontends.playground.{module}" for module in METHODS.values()),
    *(f"drawing.formats.{module}" for module in MODULES),
    *(f"evaluation.formats.{module}" for module in ("text", "json_tree", "html", "growth", "request")),
    *(f"prompts.providers.{module}" for module in WIRES.modules.values()),
    *(f"prompts.providers.{each.answers}" for each in PROVIDERS.values() if each.answers),
)
"""Modules that are imported by a computed name."""
_ONLY_FOR_TYPES = re.compile(r"^( *)if TYPE_CHECKING:.*\n(?:\1 .*\n|\n)+", re.MULTILINE)
_IMPORT = re.compile(rf"^ *from (?P<module>{PACKAGE}[\w.]*) import (?P<names>\([^)]*|.*)", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
ASSETS = ("advances.json", "grammar.json", "problems/text.md")
"""Assets that these modules read."""


def list_needed_files() -> tuple[Path, ...]:
    """Return the modules and assets of the engine, sorted by their paths."""
    queue = [f"{PACKAGE}.{name}" for name in _BY_NAME]
    files: dict[str, Path | None] = {}
    for name in queue:
        if name in files:
            continue
        path = files[name] = _file_of(name)
        if path is not None:
            queue += _list_parents(name)
            queue += list_imports(path)
    return tuple(sorted({*filter(None, files.values()), *(_ROOT / "assets" / name for name in ASSETS)}))


def _file_of(name: str) -> Path | None:
    """Return the file of a module; `None` if it is not in this package."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return None
    path = _ROOT.joinpath(*parts[1:])
    if (path / "__init__.py").is_file():
        return path / "__init__.py"
    return path.with_suffix(".py") if path.with_suffix(".py").is_file() else None


def _list_parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def list_imports(path: Path) -> Iterator[str]:
    """Yield the modules that a module imports when it runs, and names in them that may be modules.

    Read line by line: parsing all modules takes 20 times as long.
    """
    for statement in _IMPORT.finditer(_ONLY_FOR_TYPES.sub("", path.read_text("utf-8"))):
        module, names = statement["module"], _COMMENT.sub("", statement["names"]).lstrip("(").split(",")
        yield module
        yield from (f"{module}.{words[0]}" for words in map(str.split, names) if words)
