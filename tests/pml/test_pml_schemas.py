"""The published schemas are the grammar, and say of documents what the validator says."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import acdl_mkdocs
from acdl_mkdocs.prompts.pml.grammar import KINDS, ROOTS, ElementGroup, ElementKind, OptionalSteps
from acdl_mkdocs.prompts.pml.schemas import write_relax_ng, write_xml_schema
from acdl_mkdocs.prompts.pml.tree import read_tree
from acdl_mkdocs.prompts.pml.validate import validate_tree
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Prompt
from pml.any_prompts import PROMPTS

ASSETS = Path(acdl_mkdocs.__file__).parent / "assets"
RELAX_NG = etree.RelaxNG(etree.fromstring(write_relax_ng().encode()))
XML_SCHEMA = etree.XMLSchema(etree.fromstring(write_xml_schema().encode()))


@pytest.mark.parametrize(("name", "made"), [("pml-1.rng", write_relax_ng), ("pml-1.xsd", write_xml_schema)])
def test_published(name: str, made: Callable[[], str], request: pytest.FixtureRequest) -> None:
    """The files in the package are what the grammar gives."""
    if request.config.getoption("--update-golden"):
        (ASSETS / name).write_text(made(), "utf-8")
    assert (ASSETS / name).read_text("utf-8") == made(), "pytest tests/pml/test_pml_schemas.py --update-golden"


def test_kinds_fit_together() -> None:
    """Every kind that another names exists, no kind has two children of one name, and every kind is used."""
    used: set[str] = set()
    for kind in KINDS.values():
        steps = [step for model in kind.models for step in model]
        somes: list[ElementGroup] = [
            each for step in steps for each in (step.steps if isinstance(step, OptionalSteps) else (step,))
        ]
        kinds = {each for some in somes for each in some.kinds} | set(kind.extensions)
        assert kinds <= KINDS.keys()
        assert len({KINDS[each].name for each in kinds}) == len(kinds), kind.key
        used |= kinds
    assert KINDS.keys() - used == {"prompt"}


NAMES = sorted({kind.name for kind in KINDS.values() if not kind.name.startswith("x:")})
ATTRIBUTES = sorted({each.name for kind in KINDS.values() for each in kind.attributes})
VALUES = ("1", "0", "a", "", "user", "json", "base64", "error", "string", "string[]", "7")


@dataclass(frozen=True)
class Documents:
    """Makes elements that are mostly as their kinds say."""

    chance: Random
    wrong: float
    """How often something is not so."""

    def element(self, name: str, kind: ElementKind | None, depth: int) -> str:
        """An element of a kind, or of none."""
        known = [each.name for each in kind.attributes] if kind else []
        names = {self.chosen(known, ATTRIBUTES) for _ in range(self.chance.randrange(3)) if known or self.is_wrong()}
        names |= {each.name for each in kind.attributes if each.is_required} if kind else set()
        said = "".join(f' {each}="{self.value(kind, each)}"' for each in sorted(names))
        inner = ""
        if depth:
            kinds = kind.children if kind else {}
            own = [each for each in kinds if each in NAMES]
            for child in [self.chosen(own, NAMES) for _ in range(self.chance.randrange(4)) if own or self.is_wrong()]:
                inner += self.element(child, KINDS.get(kinds.get(child, "")), depth - 1)
        is_text = kind is not None and kind.is_text and not inner
        if self.chance.random() < 0.5 if is_text else self.is_wrong():
            inner += self.chance.choice([" ", "words", "\n"])
        return f"<{name}{said}>{inner}</{name}>"

    def is_wrong(self) -> bool:
        """Whether this time something is wrong."""
        return self.chance.random() < self.wrong

    def chosen(self, own: list[str], others: list[str]) -> str:
        """One of those that may be there, or of all."""
        return self.chance.choice(others if self.is_wrong() or not own else own)

    def value(self, kind: ElementKind | None, name: str) -> str:
        """A value of an attribute."""
        rule = kind.known_attributes.get(name) if kind else None
        allowed = rule.choices or (rule.example,) if rule and (rule.choices or rule.pattern) else VALUES
        return self.chance.choice(VALUES if self.is_wrong() else allowed)


@settings(max_examples=3 * settings().max_examples)
@given(chance=st.randoms(use_true_random=True), root=st.sampled_from(ROOTS), wrong=st.sampled_from([0, 0.02, 0.1]))
def test_random_documents(chance: Random, root: str, wrong: float) -> None:
    """RELAX NG takes exactly what the validator takes; XML Schema takes that too."""
    text = Documents(chance, wrong).element(root, KINDS[root], 6)
    document = read_tree(text).root
    assert document is not None
    problems = [problem.message for problem in validate_tree(document, text)]
    tree = etree.fromstring(text.encode())
    assert RELAX_NG.validate(tree) == (not problems), (problems, RELAX_NG.error_log)
    if not problems:
        assert XML_SCHEMA.validate(tree), XML_SCHEMA.error_log


@given(prompt=PROMPTS)
def test_written_documents(prompt: Prompt) -> None:
    """What is written is as both schemas say, but for attributes that are hidden from them in `x:json`."""
    text = write(prompt)
    if "x:json" in text:
        return
    tree = etree.fromstring(text.encode(), etree.XMLParser(huge_tree=True))
    assert RELAX_NG.validate(tree), RELAX_NG.error_log
    assert XML_SCHEMA.validate(tree), XML_SCHEMA.error_log
