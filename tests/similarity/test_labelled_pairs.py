"""What becomes of more than a thousand labelled pairs: the numbers of the documentation, and what must hold of them."""

import json
import re
import sys
from importlib.util import find_spec

import pytest
from exhaustive import few

from acdl_mkdocs.playbook.similarity import SIMILARITIES, load_similarity
from acdl_mkdocs.playbook.similarity.ngrams import warn_of_merging

from .pairs import DATA, EVERY_PAIR, FILES, pairs

ROOT = DATA.parent.parent.parent
NUMBERS = json.loads((ROOT / "acdl_mkdocs" / "assets" / "merging.json").read_text("utf-8"))

LEAST_PROPOSED = {"ngrams": 0.97, "semantic": 0.97}
"""Of the pairs that say the same, which part must be among the few that a judge is asked about."""
MOST_ASKED = 1.5
"""Pairs for each lesson."""


@pytest.fixture(scope="module")
def merging() -> object:
    """The script that measures."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import merging

        return merging
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("name", few(sorted(SIMILARITIES)))
def test_numbers_are_those_of_the_code(name: str, merging: object) -> None:
    """What the warning and the documentation say is what is measured."""
    if name == "semantic" and find_spec("wordllama") is None:
        pytest.skip("wordllama is not installed")
    assert merging.measured(load_similarity(name)) == NUMBERS["measures"][name]  # type: ignore[attr-defined]
    assert merging.curated() == NUMBERS["curator"]  # type: ignore[attr-defined]


def test_nothing_that_differs_is_merged() -> None:
    """Neither by the curator, nor after a judge that knows the labels decided."""
    assert [counts[0] for counts in NUMBERS["curator"].values()] == [0] * len(FILES)
    for name in SIMILARITIES:
        assert [each["merged_different"] for each in NUMBERS["measures"][name]["lists"].values()] == [0] * len(FILES)


@pytest.mark.parametrize("name", sorted(SIMILARITIES))
def test_what_says_the_same_is_proposed(name: str) -> None:
    """Nearly all pairs that say the same are candidates, of which there are few for each lesson."""
    lists = NUMBERS["measures"][name]["lists"].values()
    total = {key: sum(each[key] for each in lists) for key in ("proposed", "same", "asked", "lessons", "merged_same")}
    assert total["proposed"] >= LEAST_PROPOSED[name] * total["same"]
    assert total["merged_same"] >= 0.95 * total["same"]
    assert total["asked"] <= MOST_ASKED * total["lessons"]


def test_warning_has_the_numbers() -> None:
    """Whoever merges by a score reads what that does to lessons that say different things."""
    different, same = NUMBERS["measures"]["ngrams"]["merge_similar"]["0.85"]
    said = warn_of_merging("ngrams", 0.87)
    assert said.startswith("`merge_similar: 0.87` merges by a score alone: from 0.85 on")
    n_different = sum(not pair.is_same for pair in EVERY_PAIR)
    assert re.findall(r"\d+ of \d+", said) == [
        f"{different} of {n_different}",
        f"{same} of {len(EVERY_PAIR) - n_different}",
    ]
    assert "from 0.5 on, and from 0.2 on more, `semantic`" in warn_of_merging("semantic", 0.2)


def test_pairs_are_well_formed() -> None:
    """Every line has two different texts and a kind; our own list is large, and none of its pairs is there twice."""
    own = pairs("own_pairs")
    assert len(own) >= 600
    assert len({(pair.a, pair.b) for pair in own}) == len(own)
    assert {pair.part for pair in own} == {"held", "tuned", "unseen"}
    for name in FILES:
        for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
            assert json.loads(line)["a"] != json.loads(line)["b"]
