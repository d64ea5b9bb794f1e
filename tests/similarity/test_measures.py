"""Measures: what is near, in which order, how fast, and any embedder as a measure."""

import random
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pytest
from steps import n_steps

from acdl_mkdocs import similarity as package
from acdl_mkdocs.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.similarity import MANY_BLOCKS, SIMILARITIES, Similarity, judge, semantic, similarity
from acdl_mkdocs.similarity.vectors import by_vectors

TEXTS = [
    "Retry failed uploads.",
    "Quote at most fifteen words.",
    "Retry uploads that fail.",
    "",
    "Retry failed uploads.",
]


@pytest.fixture(params=sorted(SIMILARITIES))
def measure(request: pytest.FixtureRequest) -> Similarity:
    """Each measure whose packages are installed."""
    if request.param == "semantic":
        pytest.importorskip("wordllama")
    return similarity(request.param)


@dataclass(frozen=True)
class Letters:
    """An embedder that counts letters."""

    name: str = "letters"
    auto: float = 0.9
    review: float = 0.5

    def embed(self, texts: list[str]) -> list[list[float]]:
        """How often each letter is in a text."""
        return [[float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def test_nearest(measure: Similarity) -> None:
    """Best first, equal scores by index, scores from 0 to 1, no more than asked for."""
    near = measure.prepare(TEXTS).nearest("Retry failed uploads.", k=3)
    assert [index for index, _ in near] == [0, 4, 2]
    assert near[0][1] == pytest.approx(1.0, abs=1e-5)
    assert near[0][1] == near[1][1] > near[2][1] > measure.auto


def test_nothing_to_compare_with(measure: Similarity) -> None:
    """No texts, and texts without a word, are near to nothing."""
    assert list(measure.prepare([]).nearest("Retry.")) == []
    assert list(measure.prepare(["", "…"]).nearest("")) == []


def test_thresholds(measure: Similarity) -> None:
    """A measure is named as it is listed, and proposes a review before it proposes a merge."""
    assert SIMILARITIES[measure.name]
    assert 0 < measure.review < measure.auto < 1


def test_scores_do_not_depend_on_other_texts(measure: Similarity) -> None:
    """Two texts are as near in a large playbook as in a small one."""
    alone = dict(measure.prepare([TEXTS[2]]).nearest(TEXTS[0]))[0]
    among = dict(measure.prepare([TEXTS[2], *corpus(300)]).nearest(TEXTS[0]))[0]
    assert among == pytest.approx(alone, abs=1e-6)


def test_scores_are_symmetric(measure: Similarity) -> None:
    """It does not matter which text was there first."""
    there = dict(measure.prepare([TEXTS[2]]).nearest(TEXTS[0]))[0]
    back = dict(measure.prepare([TEXTS[0]]).nearest(TEXTS[2]))[0]
    assert there == back


def corpus(n: int) -> list[str]:
    """Sentences of some ninety characters, whose words are as frequent as those of a language."""
    chance = random.Random(1)  # noqa: S311 no secret is made
    syllables = [a + b for a in "bcdfglmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "is", "ing")]
    words = ["".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3)))) for _ in range(8_000)]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    small = ["the", "a", "of", "to", "in", "and", "for", "is", "with", "that", "by", "as", "when", "if", "not", "all"]
    found = []
    for _ in range(n):
        sentence = [*chance.choices(words, weights, k=11), *chance.choices(small, k=6)]
        chance.shuffle(sentence)
        found.append(" ".join(sentence).capitalize() + ".")
    return found


def test_ten_thousand_texts() -> None:
    """The default measure makes 10,000 texts ready in steps that grow with them, and a question in few of them."""
    texts = corpus(10_000)
    measure = similarity("ngrams")
    measure.prepare(texts)  # each word of them is known from here on
    few, many = (n_steps(partial(measure.prepare, texts[:size])) for size in (2_500, 10_000))
    assert many < 4.5 * few
    asked = [texts[index].replace(" the ", " a ", 1) + " Always." for index in range(0, 10_000, 1_000)]
    compared = measure.prepare(texts)
    assert [compared.nearest(text)[0][0] for text in asked] == list(range(0, 10_000, 1_000))
    few, many = (n_steps(partial(measure.prepare(texts[:size]).nearest, asked[1], 1)) for size in (2_500, 10_000))
    assert many < 2 * few


def test_two_lessons_of_one_subject_are_apart() -> None:
    """Texts that differ in many ways are put up for a decision only if they are very near."""
    measure = similarity("ngrams")
    several = "Inside a loop over turns count calls with `@t.substeps`: every earlier turn has its own."
    other = "Read nothing later than `@T`: no setting allows it, and `@t.substeps` of a later turn is 0."
    one_number = several.replace("every", "no")
    assert len(judge(several, other, 0.9, measure).blocks) >= MANY_BLOCKS
    assert [judge(several, other, score, measure).decision for score in (0.3, 0.5, 0.9)] == [
        "apart",
        "apart",
        "conflict",
    ]
    assert len(judge(several, one_number, 0.5, measure).blocks) < MANY_BLOCKS
    assert judge(several, one_number, 0.5, measure).decision == "conflict"


def test_unknown_measure() -> None:
    """A measure that does not exist has the nearest name in its message."""
    with pytest.raises(UnknownFormatError, match="did you mean `ngrams`"):
        similarity("ngram")


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package, the semantic measure says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "wordllama", None)
    semantic.load.cache_clear()
    with pytest.raises(MissingExtraError, match=r"acdl-mkdocs\[semantic\]"):
        similarity("semantic")


def test_semantic_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights come with the package: nothing is asked of a network."""
    pytest.importorskip("wordllama")

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    semantic.load.cache_clear()
    scores = dict(similarity("semantic").prepare(["Delete the file."]).nearest("Please erase the files."))
    assert scores[0] > similarity("semantic").review


def test_any_embedder() -> None:
    """Any object with a name, two thresholds and `embed` is a measure, and the guards are the same."""
    measure = by_vectors(Letters())
    assert (measure.name, measure.auto, measure.review) == ("letters", 0.9, 0.5)
    (first, best), *_ = measure.prepare(["Wait 50 seconds.", "zzz"]).nearest("Wait 5 seconds.")
    assert (first, round(best, 6)) == (0, 1.0)
    judgement = judge("Wait 5 seconds.", "Wait 50 seconds.", best, measure)
    assert judgement.decision == "conflict"
    assert [block.guard for block in judgement.blocks] == ["numbers"]


@pytest.mark.parametrize("vector", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 0.0], [-1.0, 0.0]])
def test_odd_vectors(vector: Sequence[float]) -> None:
    """A vector without a direction, or one that points away, is near to nothing."""

    class Odd(Letters):
        def embed(self, texts: list[str]) -> list[list[float]]:
            return [list(vector) if text == "odd" else [1.0, 0.0] for text in texts]

    assert list(by_vectors(Odd()).prepare(["odd"]).nearest("plain")) == []


@pytest.mark.parametrize(
    ("a", "b", "score", "decision"),
    [
        ("Use it.", "use it", 0.0, "same"),
        ("Use the cache.", "Use caches.", 0.9, "merge"),
        ("Use the cache.", "Use caches.", 0.3, "review"),
        ("Use the cache.", "Use caches.", 0.1, "apart"),
        ("Use the cache.", "Avoid the cache.", 0.9, "conflict"),
        ("Use the cache.", "Avoid the cache.", 0.3, "review"),
        ("Use the cache.", "Avoid the cache.", float("nan"), "apart"),
    ],
)
def test_judgement(a: str, b: str, score: float, decision: package.Decision) -> None:
    """Equal texts are the same; near ones are merged unless a guard objects; the rest is for somebody, or apart."""
    measure = similarity("ngrams")
    assert judge(a, b, score, measure).decision == decision
