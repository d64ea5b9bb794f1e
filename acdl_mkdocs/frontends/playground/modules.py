"""The modules of this package that the engine can reach: only they are sent to a browser.

Found by reading imports, also those inside functions; modules that are imported by a computed name are
named here, and a test asks an engine that has nothing else everything.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from acdl_mkdocs.drawing.formats import MODULES
from acdl_mkdocs.frontends.playground.engine import METHODS
from acdl_mkdocs.prompts.providers import WIRES

PACKAGE = "acdl_mkdocs"
_ROOT = Path(__file__).parents[2]
_BY_NAME = (
    "frontends.playground.engine",
    *(f"frontends.playground.{module}" for module in METHODS.values()),
    *(f"drawing.formats.{module}" for module in MODULES),
    *(f"evaluation.formats.{module}" for module in ("text", "json_tree", "html", "growth", "request")),
    *(f"prompts.providers.{module}" for module in WIRES.modules.values()),
)
"""Modules that are imported by a computed name."""
ASSETS = ("advances.json", "grammar.json", "problems/text.md")
"""Assets that these modules read."""


def list_needed_files() -> tuple[Path, ...]:
    """Return the modules and assets of the engine, sorted by their paths."""
    queue = [f"{PACKAGE}.{name}" for name in _BY_NAME]
    files: dict[str, Path] = {}
    for name in queue:
        path = _file_of(name)
        if path is not None and name not in files:
            files[name] = path
            queue += _list_parents(name)
            queue += _list_imports(path)
    return tuple(sorted({*files.values(), *(_ROOT / "assets" / name for name in ASSETS)}))


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


def _list_imports(path: Path) -> Iterator[str]:
    """Yield the modules that a module imports when it runs."""
    for node in _walk_runtime_nodes(ast.parse(path.read_text("utf-8")).body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _walk_runtime_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield all nodes except those for type checkers only."""
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            stack += node.orelse
            continue
        yield node
        stack += ast.iter_child_nodes(node)
