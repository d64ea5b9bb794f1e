"""Every node class has a production, a golden case and a place in the figure."""

import re
from pathlib import Path

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
