"""`python tests/count_code.py`: files and lines of code by folder, without docstrings, comments and blank lines."""

import ast
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "acdl_mkdocs"
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def count_lines(path: Path) -> int:
    """Return how many lines of a file hold code."""
    with path.open("rb") as file:
        tokens = [each for each in tokenize.tokenize(file.readline) if each.type not in _LAYOUT]
    lines = {line for each in tokens if each.string for line in range(each.start[0], each.end[0] + 1)}
    return len(lines - _documentation(path))


def _documentation(path: Path) -> set[int]:
    """The lines of strings that stand alone: docstrings, also those of values."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return found


def main() -> None:
    """Print a table of the folders, and all of them together."""
    files, lines = Counter[str](), Counter[str]()
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).parts
        room = inside[0] if len(inside) > 1 else "top"
        files[room] += 1
        lines[room] += count_lines(path)
    for room in sorted(files):
        print(f"{room:12} {files[room]:5} files {lines[room]:7,} lines")
    print(f"{'all':12} {files.total():5} files {lines.total():7,} lines")


if __name__ == "__main__":
    main()
