"""Find the bullets of a playbook that a task needs, ranked by its words."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import log
from unicodedata import normalize

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.pruning import find_fewest, rank_bullets
from acdl_mkdocs.prompts.tokens import counter

MIN_QUESTIONS = 10
"""Minimum number of questions for determining common terms."""
_USUAL = 0.9
"""Terms in this share of the questions are boilerplate."""
_SATURATION, _LENGTH = 1.5, 0.75
"""The parameters k1 and b of BM25, with their usual values."""
_BEGINNING = 4
"""Length of the prefix of a word that also counts as a term, so that `tagged` and `tagging` share one."""
_N_KEPT = 4
"""Number of cached rankings."""
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Letters of scripts without spaces between words."""
_WORD = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\W\d_])+|\d+")


def split_terms(text: str) -> Iterator[str]:
    """Yield the words of a text, in lower case, each followed by its prefix; `camelCase` is two words."""
    for word in _WORD.findall(_HUMP.sub(" ", normalize("NFKC", text)).casefold()):
        if re.match(f"[{_UNSPACED}]", word):
            yield from (word[idx : idx + 2] for idx in range(max(1, len(word) - 1)))
            continue
        yield word
        if len(word) > _BEGINNING:
            yield f"{word[:_BEGINNING]}*"


@dataclass(frozen=True, slots=True)
class Background:
    """The terms that given questions have in common; made by `background`."""

    n_questions: int
    boilerplate: Mapping[str, int]
    """How often nearly every question has a term."""
    n_beyond: Mapping[str, int]
    """How many questions have a term more often than that."""

    def find_distinctive_terms(self, task: str) -> dict[str, float]:
        """Return the terms of a task beyond the boilerplate, with their weights."""
        counts = Counter(split_terms(task))
        beyond = {term: n - self.boilerplate.get(term, 0) for term, n in counts.items()}
        return {term: (1 + log(n)) * self._rarity(term) for term, n in beyond.items() if n > 0}

    def _rarity(self, term: str) -> float:
        return log((self.n_questions + 1) / max(1, self.n_beyond.get(term, 0)))


def compute_background(questions: Sequence[str]) -> Background | None:
    """Compute what questions have in common; `None` if there are too few."""
    if len(questions) < MIN_QUESTIONS:
        return None
    counted = [Counter(split_terms(each)) for each in questions]
    numbers: dict[str, list[int]] = defaultdict(list)
    for counts in counted:
        for term, n in counts.items():
            numbers[term].append(n)
    n_without = len(questions) - int(_USUAL * len(questions))
    boilerplate: dict[str, int] = {}
    for term, ns in numbers.items():
        n_missing = len(questions) - len(ns)
        if n_missing <= n_without:
            boilerplate[term] = sorted(ns)[n_without - n_missing]
    beyond = Counter(term for counts in counted for term, n in counts.items() if n > boilerplate.get(term, 0))
    return Background(len(questions), boilerplate, beyond)


class Ranking:
    """Texts prepared for ranking.

    Parameters:
        texts: The lessons.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        counted = [Counter(split_terms(text)) for text in texts]
        self._lengths = [counts.total() for counts in counted]
        self._mean_length = sum(self._lengths) / len(texts) if texts else 0.0
        for idx, counts in enumerate(counted):
            for term, n in counts.items():
                self._postings[term].append((idx, n))

    def find_nearest(self, task: str, background: Background | None = None) -> list[tuple[int, float]]:
        """Return the texts that share terms with a task, as indices and scores, best first.

        Parameters:
            task: The task, in words.
            background: What the given questions have in common; ignored for a task with no other terms.
        """
        weights = background.find_distinctive_terms(task) if background is not None else {}
        return self._rank_texts(weights) or self._rank_texts(
            {term: 1 + log(n) for term, n in Counter(split_terms(task)).items()}
        )

    def _rank_texts(self, weights: Mapping[str, float]) -> list[tuple[int, float]]:
        scores: dict[int, float] = defaultdict(float)
        for term in sorted(weights):  # sums must not depend on the order of the words in a task
            postings = self._postings.get(term, ())
            weight = weights[term] * log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for idx, n in postings:
                share = 1 - _LENGTH + _LENGTH * self._lengths[idx] / self._mean_length
                scores[idx] += weight * n * (_SATURATION + 1) / (n + _SATURATION * share)
        return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


@lru_cache(maxsize=_N_KEPT)
def prepare_ranking(texts: tuple[str, ...]) -> Ranking:
    """Prepare texts for ranking; the same ones again come from a cache."""
    return Ranking(texts)


def drop_harmful(playbook: Playbook) -> Playbook:
    """Return a playbook without lessons that only did harm: curators get these, to correct them, but agents do not."""
    bullets = tuple(each for each in playbook.bullets if not each.has_only_harmed)
    return playbook if len(bullets) == len(playbook.bullets) else replace(playbook, bullets=bullets)


def select_lessons(
    playbook: Playbook, task: str, k: int, budget: int | None = None, background: Background | None = None
) -> tuple[Bullet, ...]:
    """Return the lessons for a task, the most relevant first; see `select_bullets`.

    Raises:
        UnknownFormatError: The policy of the playbook names an encoding that does not exist.
        MissingExtraError: The packages that it needs are not installed.
    """
    policy = playbook.policy
    count = counter.counter(policy.encoding or "estimate").count
    most = policy.budget_model_tokens if budget is None else budget
    return select_bullets(drop_harmful(playbook), task, k, count, most, background)


def select_bullets(
    playbook: Playbook,
    task: str,
    k: int,
    count: Callable[[str], int],
    budget: int | None = None,
    background: Background | None = None,
) -> tuple[Bullet, ...]:
    """Return the bullets for a task, the most relevant first.

    Pinned and critical ones come first and are not counted in `k`; then those nearest to the task; then, if
    fewer than `k` have anything in common with it, those with the best counters.

    Parameters:
        playbook: The playbook.
        task: The task, in words.
        k: How many to return.
        count: Counts model tokens.
        budget: Most model tokens of their text form; the last ones are left out until they fit. `None` means no limit.
        background: What the given questions have in common, which does not distinguish this one.
    """
    sent = playbook.sent
    always = [each for each in sent if each.pinned or each.severity == "critical"]
    others = [each for each in sent if not (each.pinned or each.severity == "critical")]
    near = prepare_ranking(tuple(each.content for each in others)).find_nearest(task, background)
    candidates = [others[idx] for idx, _ in near[: max(k, 0)]]
    if len(candidates) < k:
        taken = {each.id for each in candidates}
        candidates += [each for each in reversed(rank_bullets(others)) if each.id not in taken]
    chosen = [*reversed(rank_bullets(always)), *candidates[: max(k, 0)]]
    if budget is None:
        return tuple(chosen)

    def fits(n_left_out: int) -> bool:
        return count(prompt_text(playbook, bullets=chosen[: len(chosen) - n_left_out])) <= budget

    n_left_out = find_fewest(len(chosen), fits)
    return tuple(chosen[: len(chosen) - (len(chosen) if n_left_out is None else n_left_out)])
