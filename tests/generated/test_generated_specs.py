"""Generated specs are valid, have every construct of the grammar, and stay what they are when they are formatted."""

from collections import Counter

import pytest
from comparison.compared import CHANGED_WORDS, aim, applied, difference
from exhaustive import examples, exhaustive
from hypothesis import given
from hypothesis import strategies as st

import acdl_mkdocs
from acdl_mkdocs.compare.formats import json_tree, markdown, text
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.language.syntax import nodes
from acdl_mkdocs.language.syntax.nodes import Broken, BrokenBlock, Comment, HostLine, HostValue, Node, same_shape, walk
from generated.batches import some
from generated.productions import productions, used
from generated.scopes import Spec
from generated.specs import specs

N_FOR_COVERAGE = 120
_MISTAKES = {Broken, BrokenBlock}
"""Node classes that stand for what is not understood."""
_HOST_TEXT = {HostLine, HostValue}
"""Node classes for what another tool puts something in place of: without that tool nobody knows what is sent."""
_HOST_PRODUCTIONS = {"hanging: HOST_VALUE"}
"""Productions for the same; a line of host text is no token of the grammar."""


@pytest.fixture(scope="module")
def batch() -> list[Spec]:
    """Many specs."""
    return some(N_FOR_COVERAGE)


@exhaustive
def test_every_production_is_used(batch: list[Spec]) -> None:
    """Each production but those for mistakes and host text is in some of few specs; the automata agree on them."""
    assert productions() - set[str]().union(*(used(spec.text) for spec in batch)) == _HOST_PRODUCTIONS


def test_every_node_is_made(batch: list[Spec]) -> None:
    """Each class of nodes but those for mistakes and host text is in some of few specs."""
    kinds = {
        kind
        for kind in vars(nodes).values()
        if isinstance(kind, type) and issubclass(kind, Node) and not kind.__subclasses__()
    }
    made = {type(node) for spec in batch for node in walk(acdl_mkdocs.parse(spec.text).file)}
    assert kinds - made == _MISTAKES | _HOST_TEXT


@given(spec=specs())
@examples(30)
def test_no_errors(spec: Spec) -> None:
    """What is written as the reference says has no errors, with and without its fragments."""
    for written in (spec.text, spec.spliced):
        assert [each.message for each in acdl_mkdocs.check(written) if each.severity == "error"] == []


def comments(written: str) -> Counter[str]:
    """The comments of a text."""
    return Counter(node.text for node in walk(acdl_mkdocs.parse(written).file) if isinstance(node, Comment))


@given(spec=specs())
@examples(30)
def test_formatting(spec: Spec) -> None:
    """The normal form says the same, is its own normal form, keeps comments, is drawn the same, and adds no problem."""
    normal = acdl_mkdocs.format(spec.text)
    assert acdl_mkdocs.format(normal) == normal
    if "range=inclusive" not in spec.before:  # where `1 ... n` becomes `range(1, n)`
        assert same_shape(acdl_mkdocs.parse(spec.text).file, acdl_mkdocs.parse(normal).file)
        assert acdl_mkdocs.render(normal, "text") == acdl_mkdocs.render(spec.text, "text")
    assert comments(normal) == comments(spec.text)
    compared = difference(spec.text, normal)
    assert compared.is_empty
    assert compared.is_equal_sent
    before, after = (Counter(each.rule for each in acdl_mkdocs.check(each)) for each in (spec.text, normal))
    assert after - before == Counter()


@given(spec=specs(), other=specs())
@examples(15)
def test_differences(spec: Spec, other: Spec) -> None:
    """A spec does not differ from itself; who makes all edits to one has the other, in both directions."""
    old, new = spec.text, other.text
    assert difference(old, old).is_empty
    for compared in (difference(old, new), difference(new, old)):
        assert applied(compared) == aim(compared)
    assert difference(old, new).is_empty == difference(new, old).is_empty
    for way in (text, json_tree, markdown):
        shown = way.write(difference(old, new), CompareOptions())
        assert shown == way.write(difference(old, new), CompareOptions())


@given(spec=specs(), words=st.sampled_from((("", ""), *CHANGED_WORDS)), count=st.sampled_from((1, -1)))
@examples(15)
def test_differences_of_fragments(spec: Spec, words: tuple[str, str], count: int) -> None:
    """The edits are complete where fragments were extracted or inlined, and other words changed at the same time."""
    spliced = spec.spliced.replace(*words, count) if words[0] else spec.spliced
    for compared in (difference(spliced, spec.text), difference(spec.text, spliced)):
        assert applied(compared) == aim(compared)
