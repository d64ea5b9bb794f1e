"""The page that lists every module of the package, made from the first paragraphs of their docstrings."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "acdl_mkdocs"
_RULES = PACKAGE / "language" / "rules"


def modules_part(page: str, words: str) -> str:
    """A section for each folder: what it is for, and a table of its modules."""
    del page, words
    return "\n\n".join(_list_sections())


def first_paragraph(path: Path) -> str:
    """The first paragraph of the docstring of a module, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split())


def _list_sections() -> Iterator[str]:
    first, *others = sorted(PACKAGE.rglob("__init__.py"), key=lambda path: path.parent.relative_to(PACKAGE).parts)
    for init in (*others, first):  # the package itself has only paths that users know
        folder = init.parent
        name = folder.relative_to(PACKAGE).as_posix()
        modules = [path for path in sorted(folder.glob("*.py")) if path != init]
        if folder == PACKAGE:
            yield "## The package itself { #top }"
        else:
            yield f"{'##' if '/' not in name else '###'} `{name}/` {{ #{name.replace('/', '-').replace('_', '-')} }}"
            yield first_paragraph(init)
        if folder == _RULES:
            yield f"{len(modules)} modules, one for each [rule](../reference/rules/index.md) and named like it."
        elif modules:
            rows = [f"| `{path.stem}` | {first_paragraph(path).replace('|', '&#124;')} |" for path in modules]
            yield "\n".join(("| module | what it is |", "|---|---|", *rows))
