"""What each measure makes of hundreds of labelled pairs, with the guards that both share."""

import json
from importlib.util import find_spec

import pytest

from acdl_mkdocs.similarity import SIMILARITIES, Judgement, Similarity, guards, judge, similarity

from .pairs import DATA, DIFFERENT, EVERY_PAIR, FILES, MAY_BE_NEAR, Labelled, pairs

LEAST_PARAPHRASES = 90
"""Of the 220 paraphrases of lessons, how many must be merged; 40 of them were only measured."""
LEAST_OWN_SAME = 90
"""Of the 113 pairs of ours that say the same, how many must be merged."""

CHANGES = (
    ("", " in production"),
    ("", " except for drafts"),
    ("", " within 5 seconds"),
    ("", " unless told otherwise"),
    ("", " for premium customers"),
    ("On Mondays, ", ""),
    ("Sometimes ", ""),
    ("It is wrong that ", ""),
)
"""What is put before or after a text so that it says something else."""


@pytest.fixture(params=sorted(SIMILARITIES))
def measure(request: pytest.FixtureRequest) -> Similarity:
    """Each measure whose packages are installed."""
    if request.param == "semantic" and find_spec("wordllama") is None:
        pytest.skip("wordllama is not installed")
    return similarity(request.param)


def judged(pair: Labelled, measure: Similarity) -> Judgement:
    """What is to be done about a pair."""
    scores = dict(measure.prepare([pair.b]).nearest(pair.a))
    return judge(pair.a, pair.b, scores.get(0, 0.0), measure)


def is_one(pair: Labelled, measure: Similarity) -> bool:
    """Whether a pair becomes one text."""
    return judged(pair, measure).decision in ("same", "merge")


def test_no_pair_that_differs_is_merged(measure: Similarity) -> None:
    """Neither measure merges what differs by a negation, an opposite, a number, a scope, or in everything."""
    assert [(pair.a, pair.b) for pair in DIFFERENT if is_one(pair, measure)] == []


def test_light_edits_are_merged(measure: Similarity) -> None:
    """An inflection, a spelling or a synonym does not keep two texts apart."""
    assert sum(is_one(pair, measure) for pair in pairs("dedup_pairs_light")) == 20


def test_paraphrases_are_merged(measure: Similarity) -> None:
    """Some texts that say the same in other words throughout are merged; the others are left to people."""
    same = [pair for pair in pairs("dedup_pairs") if pair.is_same]
    assert sum(is_one(pair, measure) for pair in same) >= 5


def test_own_pairs_that_say_the_same_are_merged(measure: Similarity) -> None:
    """Most light edits of our own list are merged."""
    same = [pair for pair in pairs("own_pairs") if pair.is_same]
    assert sum(is_one(pair, measure) for pair in same) >= LEAST_OWN_SAME


def test_lessons_in_other_words_are_merged(measure: Similarity) -> None:
    """A good part of lessons that are written anew are merged, also of those that no table was made for."""
    rows = pairs("unseen_paraphrases")
    assert sum(is_one(pair, measure) for pair in rows) >= LEAST_PARAPHRASES
    unseen = [pair for pair in rows if pair.part == "unseen"]
    assert sum(is_one(pair, measure) for pair in unseen) >= len(unseen) / 5


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_a_paraphrase_with_a_change_is_not_merged(measure: Similarity, change: tuple[str, str]) -> None:
    """A condition, a negation or another word in one of two paraphrases keeps them apart."""
    before, after = change
    for pair in pairs("unseen_paraphrases"):
        text = f"{before}{pair.b[:1].lower() if before else pair.b[:1]}{pair.b[1:].rstrip('.')}{after}."
        changed = Labelled(pair.a, text, False, "scope", pair.part)
        assert not is_one(changed, measure), text


@pytest.mark.parametrize("pair", [pair for pair in DIFFERENT if pair.kind not in MAY_BE_NEAR], ids=lambda pair: pair.a)
def test_guards_alone_hold(pair: Labelled) -> None:
    """A guard objects whatever a measure says, and says why in one short line."""
    blocks = guards(pair.a, pair.b)
    assert blocks
    assert all(0 < len(block.why) <= 200 and "\n" not in block.why for block in blocks)


def test_guards_are_symmetric() -> None:
    """The same guards object when two texts change places."""
    for pair in EVERY_PAIR:
        one, two = guards(pair.a, pair.b), guards(pair.b, pair.a)
        assert [block.guard for block in one] == [block.guard for block in two], pair


def test_a_text_does_not_object_to_itself() -> None:
    """A text is equal to itself, and no guard objects."""
    for pair in EVERY_PAIR:
        assert guards(pair.a, pair.a) == ()


def test_pairs_are_well_formed() -> None:
    """Every line has two different texts and a kind; our own list is large, and none of its pairs is there twice."""
    own = pairs("own_pairs")
    assert len(own) >= 600
    assert len({(pair.a, pair.b) for pair in own}) == len(own)
    assert {pair.part for pair in own} == {"held", "tuned", "unseen"}
    for name in FILES:
        for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines():
            assert json.loads(line)["a"] != json.loads(line)["b"]
