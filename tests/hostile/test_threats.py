"""The page about security: every attack in its tables has tests, and these exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "site_src" / "develop" / "security.md"
_TEST = re.compile(r"`([\w/]+\.py)?(?:::(\w+))?`")


def read_rows() -> list[list[str]]:
    """The cells of the rows of all tables that name tests."""
    text = PAGE.read_text("utf-8")
    rows, is_table = [], False
    for line in text.splitlines():
        if line == "| attack | what stops it | test |":
            is_table = True
        elif not line.startswith("|"):
            is_table = False
        elif is_table and not line.startswith("| ---") and not line.startswith("|---"):
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


ROWS = read_rows()


@cache
def functions(path: Path) -> set[str]:
    """The names of the functions of a file."""
    return {node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)}


def test_every_table_is_read() -> None:
    """There is a table for each heading."""
    assert len(ROWS) >= 30
    assert all(len(row) == 3 for row in ROWS), [row for row in ROWS if len(row) != 3]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_attack_has_tests(row: list[str]) -> None:
    """Each test that the row names exists; `::name` alone is in the file before it."""
    found = _TEST.findall(row[2])
    assert found, f"{row[2]!r} should name tests"
    assert _TEST.sub("", row[2]).strip(" ,") == "", f"{row[2]!r} should name nothing but tests"
    file = ""
    for path, name in found:
        file = path or file
        assert (ROOT / "tests" / file).is_file(), f"there is no tests/{file}"
        assert not name or name in functions(ROOT / "tests" / file), f"tests/{file} has no {name}"


def test_hostile_tests_are_named() -> None:
    """No test of `tests/hostile` is left out of the page."""
    named = {path for row in ROWS for path, _ in _TEST.findall(row[2])}
    files = {f"hostile/{path.name}" for path in Path(__file__).parent.glob("test_hostile_*.py")}
    assert files <= named, sorted(files - named)
