"""Measures: what is near, in which order, how fast, and any embedder as a measure."""

import random
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pytest
from exhaustive import exhaustive
from steps import n_steps

from acdl_mkdocs.foundation.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.playbook.similarity import SIMILARITIES, Similarity, load_similarity, semantic
from acdl_mkdocs.playbook.similarity.semantic import by_vectors

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
    return load_similarity(request.param)


@dataclass(frozen=True)
class Letters:
    """An embedder that counts letters."""

    name: str = "letters"
    least: float = 0.5

    def embed(self, texts: list[str]) -> list[list[float]]:
        """How often each letter is in a text."""
        return [[float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def test_nearest(measure: Similarity) -> None:
    """Best first, equal scores by index, scores from 0 to 1, no more than asked for."""
    near = measure.prepare_texts(TEXTS).find_nearest("Retry failed uploads.", k=3)
    assert [index for index, _ in near] == [0, 4, 2]
    assert near[0][1] == pytest.approx(1.0, abs=1e-5)
    assert near[0][1] == near[1][1] > near[2][1] > measure.least


def test_nothing_to_compare_with(measure: Similarity) -> None:
    """No texts, and texts without a word, are near to nothing."""
    assert list(measure.prepare_texts([]).find_nearest("Retry.")) == []
    assert list(measure.prepare_texts(["", "…"]).find_nearest("")) == []


def test_thresholds(measure: Similarity) -> None:
    """A measure is named as it is listed, and has a score from which on it proposes a pair."""
    assert SIMILARITIES[measure.name]
    assert 0 < measure.least < 1


def test_what_all_texts_share_counts_little() -> None:
    """The more texts have some words, the less these count beside rare ones."""
    shared = [f"When you tag a number of a report, look at {word} first." for word in ("headings", "units", "signs")]
    asked, rare = "When you tag a number of a report, look at coupons.", "Coupons are rates of interest."
    few, many = ([*shared, *more, rare] for more in ([], [f"{shared[0]} {number}" for number in range(200)]))
    scores = [dict(load_similarity("ngrams").prepare_texts(texts).find_nearest(asked, 300)) for texts in (few, many)]
    ratios = [each[len(texts) - 1] / each[0] for each, texts in zip(scores, (few, many), strict=True)]
    assert ratios[1] > 2 * ratios[0]


def test_scores_are_symmetric(measure: Similarity) -> None:
    """It does not matter which text was there first."""
    compared = measure.prepare_texts(TEXTS)
    assert dict(compared.find_nearest(TEXTS[0]))[2] == dict(compared.find_nearest(TEXTS[2]))[0]


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


@exhaustive
def test_ten_thousand_texts() -> None:
    """The default measure makes 10,000 texts ready in steps that grow with them, and a question in few of them."""
    texts = corpus(10_000)
    measure = load_similarity("ngrams")
    measure.prepare_texts(texts)  # each word of them is known from here on
    few, many = (n_steps(partial(measure.prepare_texts, texts[:size])) for size in (2_500, 10_000))
    assert many < 4.5 * few
    asked = [texts[index].replace(" the ", " a ", 1) + " Always." for index in range(0, 10_000, 1_000)]
    compared = measure.prepare_texts(texts)
    assert [compared.find_nearest(text)[0][0] for text in asked] == list(range(0, 10_000, 1_000))
    few, many = (
        n_steps(partial(measure.prepare_texts(texts[:size]).find_nearest, asked[1], 1)) for size in (2_500, 10_000)
    )
    assert many < 2 * few


def test_unknown_measure() -> None:
    """A measure that does not exist has the nearest name in its message."""
    with pytest.raises(UnknownFormatError, match="did you mean `ngrams`"):
        load_similarity("ngram")


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package, the semantic measure says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "wordllama", None)
    semantic.load.cache_clear()
    with pytest.raises(MissingExtraError, match=r"acdl-mkdocs\[semantic\]"):
        load_similarity("semantic")


def test_semantic_is_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights come with the package: nothing is asked of a network."""
    pytest.importorskip("wordllama")

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    semantic.load.cache_clear()
    scores = dict(
        load_similarity("semantic").prepare_texts(["Delete the file."]).find_nearest("Please erase the files.")
    )
    assert scores[0] > load_similarity("semantic").least


def test_any_embedder() -> None:
    """Any object with a name, a threshold and `embed` is a measure."""
    measure = by_vectors(Letters())
    assert (measure.name, measure.least) == ("letters", 0.5)
    (first, best), *_ = measure.prepare_texts(["Wait 50 seconds.", "zzz"]).find_nearest("Wait 5 seconds.")
    assert (first, round(best, 6)) == (0, 1.0)


@pytest.mark.parametrize("vector", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 0.0], [-1.0, 0.0]])
def test_odd_vectors(vector: Sequence[float]) -> None:
    """A vector without a direction, or one that points away, is near to nothing."""

    class Odd(Letters):
        def embed(self, texts: list[str]) -> list[list[float]]:
            return [list(vector) if text == "odd" else [1.0, 0.0] for text in texts]

    assert list(by_vectors(Odd()).prepare_texts(["odd"]).find_nearest("plain")) == []
