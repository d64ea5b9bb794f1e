"""Every problem of PML has a page whose example gives it and whose cure mends it."""

import re

import pytest

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.explanations import read_explanations
from acdl_mkdocs.frontends.docs.problems.rule_pages import CodeSample, RulePage, all_names, rule_page
from acdl_mkdocs.frontends.docs.problems.rule_texts import GROUPS, example_message
from acdl_mkdocs.prompts.pml.document_problems import list_document_problems
from acdl_mkdocs.prompts.pml.problems import PML_RULES
from acdl_mkdocs.prompts.pml.read import read

WITHOUT_EXAMPLE = {"over-limit"}
"""A document over a limit does not fit on a page."""


def samples(page: RulePage) -> dict[str, list[str]]:
    """The texts under each heading."""
    return {each.title: [part.text for part in each.parts if isinstance(part, CodeSample)] for each in page.sections}


def found_in(text: str, *, is_lenient: bool = False) -> list[Diagnostic]:
    """Everything that `acdl pml check` says of a document."""
    return [*list_document_problems(read(text, is_lenient=is_lenient))]


def test_every_problem_has_a_page() -> None:
    """The names are those of the reader, each once among all rules."""
    assert read_explanations("pml").keys() == PML_RULES.keys()
    assert len(set(all_names())) == len(all_names())
    assert GROUPS["pml"] == "PML and LAIC"
    assert {name for name in all_names() if rule_page(name).kind == "pml"} == set(PML_RULES)


@pytest.mark.parametrize("name", PML_RULES)
def test_page(name: str) -> None:
    """Why, an example that gives this and nothing else, and a cure after which nothing is wrong."""
    page = rule_page(name)
    assert page.problem == f"{PML_RULES[name]}."
    texts = samples(page)
    assert list(texts) == (["Why"] if name in WITHOUT_EXAMPLE else ["Why", "Example", "Use instead"])
    if name in WITHOUT_EXAMPLE:
        assert page.severity == "error"
        return
    (example,), (cure,) = texts["Example"], texts["Use instead"]
    assert {each.rule for each in found_in(example, is_lenient=name == "repaired")} == {name}
    assert found_in(cure) == []
    assert re.match(rf"(error|warning)\[{name}\]: ", example_message(page))
    assert page.severity == found_in(example, is_lenient=name == "repaired")[0].severity
