"""Every node class has a production, a golden case and a place in the figure."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from acdl_mkdocs.drawing.figure.describe import describe
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax import nodes
from acdl_mkdocs.language.syntax.build import ACTIONS
from acdl_mkdocs.language.syntax.nodes import Node, children, field_names, walk
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.tables import COMPILED, GRAMMAR, compile_tables

GOLDEN = Path(__file__).parent / "golden"
CLASSES = [
    kind
    for kind in vars(nodes).values()
    if isinstance(kind, type) and issubclass(kind, Node) and not kind.__subclasses__()
]
"""The constructs; a class with subclasses is only a shape that they share."""
PACKAGE = Path(nodes.__file__).parents[2]
STATEMENTS = {kind.__name__ for kind in get_args(nodes.Statement)}
EXPRESSIONS = {kind.__name__ for kind in get_args(nodes.Expression)}
MANY = 5
"""A `match` with cases for so many constructs is about all of them."""
PARTIAL = {
    "compare/structure/elements.py:_name_element": "most statements have no name",
    "compare/structure/expression_tokens.py:add_node": "the others are compared field by field, whatever they are",
    "compare/structure/merge.py:list_expressions": "the others have no expression beside their names",
    "evaluation/explain/words.py:describe_condition": "the others are shown as they are written",
    "evaluation/explain/items.py:_is_sure": "the others depend on the times in them, whatever they are",
    "evaluation/conditions.py:_compute_truth": "the others are as true as their values, by `value`",
    "evaluation/state/spec_reads.py:is_time": "only these can be times",
    "frontends/editor/hover.py:_of_node": "the others are explained by their keyword",
    "language/syntax/printer.py:print_head": "the rest is typed as a block, which mypy checks",
    "language/syntax/printer.py:print_statement": "the rest is typed as a block, which mypy checks",
    "language/names/times.py:measure_distance": "only these can be a number of steps from a time",
    "language/names/times.py:first_time": "only these hold a time",
    "language/rules/empty_body.py:_describe_block": "only these have a body",
    "runs/match/compile.py:_find_names": "any other node makes the message one without a name",
    "runs/match/coverage.py:_list_line": "only these are lines that a recording confirms",
    "runs/match/mutants.py:_list_edits": "only these have small changes",
}
"""Functions whose `match` leaves out some constructs on purpose, and why a new one is right there as it is."""
PASSING = {"same", "same_items", "no_items"}
"""Aliases of productions that make nothing."""


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


@pytest.mark.parametrize("kind", CLASSES, ids=[kind.__name__ for kind in CLASSES])
def test_construct(kind: type[Node]) -> None:
    """The case of a class holds the class, and the figure of the case can be made."""
    case = GOLDEN / "parse" / f"{_kebab(kind.__name__)}.acdl"
    if not case.exists():
        pytest.fail(f"{kind.__name__} has no golden case: add tests/golden/parse/{case.name}", pytrace=False)
    source = Source(case.read_text("utf-8"), case.name)
    if not any(type(node) is kind for node in walk(parse(source).file)):
        pytest.fail(
            f"no production makes a {kind.__name__} of {case.name}: add one to grammar.lark and a function to build.py",
            pytrace=False,
        )
    assert describe(analyse(source, Config(snippet=True)).resolved).children


@pytest.mark.parametrize("kind", CLASSES, ids=[kind.__name__ for kind in CLASSES])
def test_children(kind: type[Node]) -> None:
    """The children of a node are the nodes in its fields, whatever else these hold, in the order of the fields."""
    case = GOLDEN / "parse" / f"{_kebab(kind.__name__)}.acdl"
    for node in walk(parse(Source(case.read_text("utf-8"), case.name)).file):
        values = [getattr(node, name) for name in field_names(type(node))]
        held = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
        assert children(node) == [each for each in held if isinstance(each, Node)]


def test_every_alias_has_a_function() -> None:
    """An alias of the grammar has its function in `build.py`, and every function its alias."""
    aliases = set(re.findall(r"->\s*(\w+)", GRAMMAR.read_text("utf-8")))
    missing = aliases - set(ACTIONS) - PASSING
    assert not missing, f"add to ACTIONS in build.py: {sorted(missing)}"
    unused = set(ACTIONS) - aliases - PASSING
    assert not unused, f"no production of grammar.lark has these: {sorted(unused)}"


def test_the_compiled_grammar_is_current() -> None:
    """The table in the package is what Lark makes of the grammar."""
    assert compile_tables(GRAMMAR.read_text("utf-8")) == COMPILED.read_text("utf-8"), "run `make grammar`"


def test_no_expected_file_is_an_orphan() -> None:
    """Every expected file stands beside its input."""
    for expected in GOLDEN.rglob("*.*"):
        stem = expected.name.split(".")[0]
        if (
            expected.is_file()
            and expected.name[0] != "."
            and expected.suffix != ".md"
            and ".actual" not in expected.parts
        ):
            inputs = (
                *expected.parent.glob(f"{stem}.*acdl"),
                *expected.parent.glob(f"{stem}.yaml"),
                *expected.parent.glob(f"{stem}.jsonl"),
            )
            assert inputs or expected.suffix in (".acdl", ".jsonl"), f"{expected} has no input"


def _matches() -> Iterator[tuple[str, set[str], ast.match_case]]:
    """Every `match` over nodes in the package: its function, the classes it has cases for, and its last case."""
    constructs = {kind.__name__ for kind in CLASSES} | {"LoopControl"}
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        if "match " not in text or "syntax.nodes import" not in text:
            continue
        tree = ast.parse(text)
        imports = [each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
        of_nodes = {alias.name for each in imports if (each.module or "").endswith("nodes") for alias in each.names}
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            for found in (each for each in ast.walk(function) if isinstance(each, ast.Match)):
                named = {
                    ast.unparse(pattern.cls)
                    for case in found.cases
                    for pattern in _alternatives(case.pattern)
                    if isinstance(pattern, ast.MatchClass)
                }
                if named & constructs & of_nodes:
                    yield f"{path.relative_to(PACKAGE).as_posix()}:{function.name}", named, found.cases[-1]


def _alternatives(pattern: ast.pattern) -> list[ast.pattern]:
    """A pattern without its name; the patterns between `|`."""
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        return _alternatives(pattern.pattern)
    return pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]


def test_no_construct_falls_through() -> None:
    """A `match` over constructs ends in `assert_never`, which mypy checks, or has a case for each one of them."""
    missing: dict[str, list[str]] = {}
    for function, named, last in _matches():
        if len(named) < MANY or function in PARTIAL or "assert_never(" in ast.unparse(last):
            continue
        wanted = STATEMENTS if len(named & STATEMENTS) >= len(named & EXPRESSIONS) else EXPRESSIONS
        named |= {"Break", "Continue"} if "LoopControl" in named else set()
        if wanted - named:
            missing[function] = sorted(wanted - named)
    assert missing == {}, f"add a case for each, or say in PARTIAL why there is none: {missing}"


def test_partial_matches_exist() -> None:
    """What is said of a function is about one that is there."""
    assert PARTIAL.keys() <= {function for function, *_ in _matches()}
