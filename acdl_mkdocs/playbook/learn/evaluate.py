"""`evaluate()`: measure how well questions, tasks and scenarios are answered with a playbook."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import field, replace
from hashlib import sha256
from itertools import islice
from math import fsum
from pathlib import Path
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.agents import agent_of, generate_with
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.loop_playbook import prepare_lessons, task_of
from acdl_mkdocs.playbook.learn.models import UNREPORTED, Model, ModelError, Usage
from acdl_mkdocs.playbook.learn.models.model import OverdueError
from acdl_mkdocs.playbook.learn.replay_cache import CachedModel
from acdl_mkdocs.playbook.learn.roles import generate_answer
from acdl_mkdocs.playbook.learn.scorers import Score, Scorer, Watch
from acdl_mkdocs.playbook.learn.trajectory import count_reason
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.retrieval import Background
from acdl_mkdocs.prompts.tokens.counter import counter

_APPWORLD_ID = re.compile(r"([0-9a-f]{7})_[0-9]+")
"""A task of AppWorld: its scenario, and which variant it is."""


@dataclass(frozen=True, slots=True)
class Goals:
    """The numbers of completed tasks and scenarios."""

    n_tasks: int
    """Samples."""
    n_tasks_completed: int
    """Samples of which all tests passed."""
    n_scenarios: int
    """Scenarios, each with one or more samples."""
    n_scenarios_completed: int
    """Scenarios of which every sample was completed."""

    @property
    def task_goal_completion(self) -> float:
        """The share of completed tasks, from 0 to 1."""
        return self.n_tasks_completed / self.n_tasks

    @property
    def scenario_goal_completion(self) -> float:
        """The share of completed scenarios, from 0 to 1."""
        return self.n_scenarios_completed / self.n_scenarios


def count_goals(done: Sequence[tuple[Sample, bool]]) -> Goals | None:
    """Count completed tasks and scenarios; `None` unless every sample belongs to a scenario.

    Parameters:
        done: The samples, each with true if all of its tests passed.
    """
    scenarios: dict[str, bool] = {}
    for sample, is_completed in done:
        scenario = scenario_of(sample)
        if scenario is None:
            return None
        scenarios[scenario] = scenarios.get(scenario, True) and is_completed
    if not scenarios:
        return None
    n_completed = sum(is_completed for _, is_completed in done)
    return Goals(len(done), n_completed, len(scenarios), sum(scenarios.values()))


def scenario_of(sample: Sample) -> str | None:
    """Return the scenario of a sample: that of its record, or the prefix of the id of an AppWorld task."""
    if sample.scenario is not None:
        return sample.scenario
    match = _APPWORLD_ID.fullmatch(sample.id)
    return match[1] if match else None


_MAX_AHEAD = 64
"""Number of questions that are started before their answers are needed, and so may be asked in vain."""
ESTIMATE = "estimate"
"""How model tokens of a playbook are counted if its policy names no encoding."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to one question."""

    text: str
    usage: Usage = UNREPORTED
    bullet_ids: tuple[str, ...] = ()
    """The lessons that were used."""


Answering: TypeAlias = Callable[[Playbook, Sample], Answer]
"""Answers a question with a playbook; raises a `ModelError` if it cannot."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, its answer and its score."""

    sample: Sample
    """The question."""
    answer: str | None
    """The answer; `None` if the model failed."""
    score: Score
    """The score of the answer; 0 if there is none."""
    failure: str | None = None
    """Why there is no answer; `None` if there is one."""
    usage: Usage = field(default_factory=Usage)
    """Model tokens of the calls for this question."""
    is_away: bool = False
    """Whether the server did not answer at all, for example because it is unreachable, which is unrelated to the
    question."""


@dataclass(frozen=True)
class Evaluated:
    """The results of a playbook."""

    playbook: str
    """Name of the playbook."""
    revision: int
    """Its revision."""
    n_bullets: int
    """The number of its active lessons."""
    model_tokens: int
    """Model tokens of its prompt form."""
    outcomes: tuple[Outcome, ...]
    """One for each question, in the order of the data set."""
    n_unknown: int = 0
    """Number of samples that cannot be judged and were not asked."""
    preparation: Usage = field(default_factory=Usage)
    """The cost of the preparation, such as notes of a training set."""

    @property
    def n_samples(self) -> int:
        """The number of questions asked, including those that the model failed on."""
        return len(self.outcomes)

    @property
    def accuracy(self) -> float:
        """The mean score, from 0 to 1; failures are 0. A scorer may weight questions."""
        return _mean(self.outcomes)

    @property
    def accuracy_of_answered(self) -> float:
        """The mean score without questions that the model failed on, as other programs report it."""
        return _mean([each for each in self.outcomes if each.failure is None])

    @property
    def goals(self) -> Goals | None:
        """The completed tasks and scenarios; `None` if the samples have no scenarios."""
        return count_goals([(each.sample, each.score.is_right) for each in self.outcomes])

    @property
    def n_right(self) -> int:
        """The number of answers without any fault."""
        return sum(each.score.is_right for each in self.outcomes)

    @property
    def n_failed(self) -> int:
        """The number of questions without an answer."""
        return sum(each.failure is not None for each in self.outcomes)

    @property
    def reasons(self) -> Mapping[str, int]:
        """The number of unanswered questions for each reason, in the order of the data set."""
        counts: dict[str, int] = {}
        for each in self.outcomes:
            if each.failure is not None:
                counts = count_reason(counts, each.failure)
        return counts

    @property
    def elements(self) -> tuple[int, int] | None:
        """For lists, the numbers of right elements and of all; failures count as wrong."""
        if all(each.score.n_all is None for each in self.outcomes):
            return None
        return sum(each.score.n_right or 0 for each in self.outcomes), sum(
            each.score.n_all or 0 for each in self.outcomes
        )

    @property
    def usage(self) -> Usage:
        """All model tokens that were paid for."""
        return sum((each.usage for each in self.outcomes), self.preparation)


def _mean(outcomes: Sequence[Outcome]) -> float:
    weight = fsum(each.score.weight for each in outcomes)
    return fsum(each.score.value * each.score.weight for each in outcomes) / weight if weight else 0.0


def evaluate(
    playbook: Playbook,
    samples: Sequence[Sample],
    answer: Answering,
    scorer: Scorer,
    *,
    feedback: Watch | None = None,
    workers: int | Executor = 1,
    report_progress: Callable[[int, int], None] | None = None,
    note: Callable[[Outcome], None] | None = None,
) -> Evaluated:
    """Ask all questions and score the answers. The result does not depend on the number of workers.

    Parameters:
        playbook: The playbook to answer with.
        samples: The questions; those that cannot be judged are counted and not asked.
        answer: Answers a question.
        scorer: Scores an answer.
        feedback: Judges an answer to a question without a ground truth.
        workers: Threads, or any executor; for processes and clusters `answer` and `scorer` have to be picklable.
        report_progress: Called with the number of finished and of all questions.
        note: Called with each outcome as soon as it is known, in the order of the data set.

    Raises:
        ModelError: Every question would fail in the same way: a wrong key, an invalid address.
        ScorerError: The scorer failed.
    """
    scored = [sample for sample in samples if sample.answer is not None or feedback is not None]
    outcomes: list[Outcome] = []
    with _executor(workers) as executor:
        if report_progress is not None:
            report_progress(0, len(scored))
        remaining = iter(scored)
        jobs: deque[Future[Outcome]] = deque()
        try:
            while len(outcomes) < len(scored):
                for sample in islice(remaining, _MAX_AHEAD - len(jobs)):
                    jobs.append(executor.submit(_outcome, playbook, sample, answer, scorer, feedback))
                outcomes.append(jobs.popleft().result())
                if note is not None:
                    note(outcomes[-1])
                if report_progress is not None:
                    report_progress(len(outcomes), len(scored))
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    text = prompt_text(playbook)
    n_tokens = counter(playbook.policy.encoding or ESTIMATE).count(text)
    return Evaluated(
        playbook.name,
        playbook.revision,
        len(playbook.active),
        n_tokens,
        tuple(outcomes),
        len(samples) - len(scored),
    )


@contextmanager
def _executor(workers: int | Executor) -> Iterator[Executor]:
    if isinstance(workers, Executor):
        yield workers
    elif isinstance(workers, int):
        with ThreadPoolExecutor(max(1, workers)) as threads:
            yield threads
    else:  # an executor with its own class, such as Dask's
        yield workers


def _outcome(playbook: Playbook, sample: Sample, answer: Answering, scorer: Scorer, feedback: Watch | None) -> Outcome:
    try:
        answered = answer(playbook, sample)
    except ModelError as fault:
        if fault.is_final:
            raise
        of_nothing = Score(0.0) if sample.answer is None else scorer("", sample.answer)
        n_right = None if of_nothing.n_all is None else 0
        score = replace(of_nothing, value=0.0, detail="no answer", n_right=n_right)
        is_away = fault.is_transient or isinstance(fault, OverdueError)
        return Outcome(sample, None, score, str(fault), fault.usage, is_away)
    if sample.answer is not None:
        return Outcome(sample, answered.text, scorer(answered.text, sample.answer), None, answered.usage)
    assert feedback is not None  # noqa: S101 - others are not asked
    judgement = feedback(sample, answered.text)
    return Outcome(sample, answered.text, Score(judgement.score or 0.0, judgement.text), None, answered.usage)


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """`(playbook, sample) -> Answer` with a model or an agent; can be sent to other processes if that can."""

    model: Model
    seed: int | None = None
    top: int | None = None
    """How many lessons nearest to the question a prompt has; `None` means all."""
    background: Background | None = None
    """Terms that the questions have in common, which are not a reason to select a lesson."""

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        """Return the answer of the generator, or of the agent in its place.

        Raises:
            ModelError: There is none; its cost is in `usage`.
        """
        return self.answer_cached(playbook, sample, None)

    def answer_cached(self, playbook: Playbook, sample: Sample, replies: Path | None) -> Answer:
        """Answer like `__call__`, with replies cached in a file, so that they are not paid for twice.

        Raises:
            ModelError: There is none; its cost is in `usage`.
        """
        cached, agent = CachedModel(self.model, replies), agent_of(self.model)
        lessons = prepare_lessons(playbook, task_of(sample), self.top, self.background)
        try:
            if agent is None:
                generated = generate_answer(cached, sample, lessons, seed=self.seed)
            else:
                generated = generate_with(agent, cached, sample, lessons, seed=self.seed)
        except ModelError as fault:
            fault.usage = cached.usage
            raise
        return Answer(generated.answer, cached.usage, generated.bullet_ids)


@dataclass(frozen=True, slots=True)
class CachedAnswers:
    """Answers with cached replies, so that no reply is paid for twice; can be sent to other processes."""

    answer: GeneratedAnswer
    files: Mapping[str, Path]
    """By the id of the sample."""

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        """Return the answer; see `GeneratedAnswer`."""
        return self.answer.answer_cached(playbook, sample, self.files[sample.id])


def reply_file(folder: Path, name: str) -> Path:
    """Return the path of the cached replies for the sample with an id."""
    return folder / f"{sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}.jsonl"
