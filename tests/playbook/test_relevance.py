"""Which lessons a question is about: what nearly every question says does not count."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.playbook.model.retrieval import (
    MIN_QUESTIONS,
    Background,
    Ranking,
    compute_background,
    prepare_ranking,
    split_terms,
)

BOILERPLATE = "You are an expert. Options: InterestRate, FaceAmount, LeaseTerm, SharePrice. Interest rate or lease?"
SENTENCES = ("the notes bear interest at a rate of 4 %", "the lease ends after 10 years", "shares were sold for $ 3")
QUESTIONS = [f"{BOILERPLATE} {each} in {2000 + n}" for n, each in enumerate(SENTENCES * 5)]
LESSONS = (
    "Options: an expert of an option reads InterestRate, FaceAmount, LeaseTerm and SharePrice as options.",
    "A rate beside notes is their stated interest.",
    "Years after which a lease ends are its term.",
    "What shares were sold for is their price.",
)


def first(question: str, *, is_among_others: bool) -> int:
    """Place of the lesson nearest to a question."""
    return Ranking(LESSONS).find_nearest(question, compute_background(QUESTIONS) if is_among_others else None)[0][0]


def test_what_every_question_says_is_no_reason() -> None:
    """Among the others, a question is near the lesson about its sentence; alone, near that about the boilerplate."""
    assert [first(each, is_among_others=True) for each in QUESTIONS[:3]] == [1, 2, 3]
    assert [first(each, is_among_others=False) for each in QUESTIONS[:3]] == [0, 0, 0]


def test_what_is_said_beyond_the_boilerplate_counts() -> None:
    """`rate` and `interest` are in every question once; the sentence that says them again is about them."""
    found = compute_background(QUESTIONS)
    assert found is not None
    weights = found.find_distinctive_terms(QUESTIONS[0])
    assert {"rate", "interest", "notes"} <= set(weights)
    assert not {"options", "expert", "amount"} & set(weights)
    assert weights["2000"] > weights["rate"]


def test_too_few_questions() -> None:
    """With few questions nothing is known of what is usual, and a single one is not emptied."""
    assert compute_background(QUESTIONS[: MIN_QUESTIONS - 1]) is None
    assert compute_background(QUESTIONS[:MIN_QUESTIONS]) is not None


def test_a_question_like_all_others_is_ranked_by_itself() -> None:
    """Where a question says nothing but what all say, all of it counts."""
    same = compute_background([BOILERPLATE] * MIN_QUESTIONS)
    assert same is not None
    assert same.find_distinctive_terms(BOILERPLATE) == {}
    assert Ranking(LESSONS).find_nearest(BOILERPLATE, same)[0][0] == 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("TaggingAmounts 12.5", ["tagging", "tagg*", "amounts", "amou*", "12", "5"]),
        ("STRASSE Straße", ["strasse", "stra*", "strasse", "stra*"]),
        ("ｆｕｌｌ snake_case", ["full", "snake", "snak*", "case"]),
        ("请标记金额 now", ["请标", "标记", "记金", "金额", "now"]),
        ("金", ["金"]),
        ("— ! _", []),
    ],
)
def test_terms(text: str, found: list[str]) -> None:
    """Words of any script, their beginnings, and the parts of names."""
    assert list(split_terms(text)) == found


def test_order_does_not_depend_on_that_of_words() -> None:
    """Two questions with the same words have the same scores, to the last bit."""
    words = QUESTIONS[0].split()
    ranked = prepare_ranking(LESSONS)
    assert ranked.find_nearest(" ".join(words)) == ranked.find_nearest(" ".join(reversed(words)))


def test_nothing_to_rank() -> None:
    """Without lessons, without words, or without a common word nothing is near."""
    assert Ranking(()).find_nearest("a b") == []
    assert Ranking(LESSONS).find_nearest("") == []
    assert Ranking(("", "x")).find_nearest("y") == []


def test_lessons_for_published_questions() -> None:
    """Of the lessons for questions of FiNER more than half are among the nearest ten; each question alone finds few."""
    data = json.loads((Path(__file__).parents[2] / "benchmarks" / "retrieval" / "finer.json").read_text("utf-8"))
    names, questions = [*data["lessons"]], [(data["start"] + text, wanted) for text, wanted in data["questions"]]
    ranked, common = Ranking([*data["lessons"].values()]), compute_background([text for text, _ in questions])

    def n_found(among: Background | None) -> int:
        near = (
            ({names[idx] for idx, _ in ranked.find_nearest(text, among)[:10]}, wanted) for text, wanted in questions
        )
        return sum(len(found & {*wanted}) for found, wanted in near)

    n_wanted = sum(len(wanted) for _, wanted in questions)
    assert n_found(common) > 0.55 * n_wanted
    assert n_found(None) < 0.2 * n_wanted
