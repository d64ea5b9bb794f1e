"""Everything that an evaluation says has a page whose example is said so."""

import ast
import inspect

import pytest

from acdl_mkdocs import evaluate
from acdl_mkdocs.evaluation import problems
from acdl_mkdocs.evaluation.problems import EVALUATION_RULES
from acdl_mkdocs.foundation.explanations import read_explanations
from acdl_mkdocs.frontends.docs.problems.rule_pages import rule_page


def test_every_problem_is_listed() -> None:
    """A name that a function of `problems.py` gives is in the list, and has a page."""
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(problems))) if isinstance(node, ast.Call)]
    makers = [each for each in calls if {"error", "warning", "note"} & set(ast.unparse(each.func).strip("()").split())]
    names = {each.args[0].value for each in makers if isinstance(each.args[0], ast.Constant)}
    assert names == set(EVALUATION_RULES) == set(read_explanations("evaluation")) - {"lossy-request"}


@pytest.mark.parametrize("name", EVALUATION_RULES)
def test_example(name: str) -> None:
    """The example of a page gives the problem that the page is about."""
    page = rule_page(name)
    assert page.kind == "evaluation"
    assert {diagnostic.rule for diagnostic, _ in page.findings} == {name}


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("U: env.docs[-1]", "positions count from 1"),
        ("ForEach(d: env.docs) { U: d.pages[-1] }", "positions count from 1"),
        ("ForEach(k: range(0, 1, 0.25)) { U: k }", "write a whole number"),
        ("ForEach(k: range(0.5, 3)) { U: k }", "write a whole number"),
        ("U: env.query[@sys.n]", "give it a name before this, `Name n := sys.n`, and write `@$n`"),
    ],
)
def test_cures(text: str, cure: str) -> None:
    """The help is possible: no list has a position before the first, and 0.25 is a number already."""
    found = evaluate(f"P[@T]: {{ {text} }}", {"acdl_state": 1, "env": {"docs": [{"pages": ["a"]}]}}, "1").findings
    assert [each.diagnostic.help[0] for each in found if each.diagnostic.severity == "error"] == [cure]
