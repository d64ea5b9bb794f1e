"""Validate a playbook on questions that it does not learn from, during a run, and find the best revision.

Source: arXiv:2510.04618, section 4.1: offline adaptation keeps the context with the best result on a validation split.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, fields
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.evaluate import CachedAnswers, Evaluated, GeneratedAnswer, Outcome, evaluate
from acdl_mkdocs.playbook.learn.loop_playbook import find_background
from acdl_mkdocs.playbook.learn.models import Model, Usage
from acdl_mkdocs.playbook.learn.run_file import Run
from acdl_mkdocs.playbook.learn.scorers import Judge
from acdl_mkdocs.playbook.learn.trajectory import Record
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.prompts.prompt import Json

Keep: TypeAlias = Literal["best", "last"]
"""The revision of a playbook after a run: the best one on the validation set, or the last one."""
BEST_FILE = "best.yaml"
"""File in the folder of a run: the playbook with the best result on the validation set."""


@dataclass(frozen=True, slots=True)
class Validation:
    """The questions of the validation of a playbook during a run."""

    samples: Sequence[Sample]
    every: int | None = None
    """Interval in questions of the run; `None` means after each epoch. In any case at the beginning and at the end."""
    keep: Keep = "best"
    """The playbook afterwards. Restoring the best revision is one event, which can be undone."""


class Validator:
    """Validates the playbook of a run.

    Parameters:
        run: Receives the results.
        validation: The questions.
        model: The generator.
        judge: Judges the answers.
        seed: For models that accept one.
        top: How many lessons nearest to the question a prompt has; `None` means all.
        most_failures: Consecutive failures after which the model is considered unavailable.
    """

    def __init__(
        self,
        run: Run,
        validation: Validation,
        model: Model,
        judge: Judge,
        *,
        seed: int,
        top: int | None,
        most_failures: int,
    ) -> None:
        self.run, self.validation, self.judge = run, validation, judge
        self._answer = GeneratedAnswer(model, seed, top, find_background(validation.samples, top))
        self._most_failures = most_failures

    def validate_playbook(
        self,
        playbook: Playbook,
        n: int,
        epoch: int,
        executor: Executor | None,
        report_progress: Callable[[int, int], None] | None,
    ) -> None:
        """Ask all questions of the validation set, and record the result.

        Parameters:
            playbook: The playbook after `n` questions of the run.
            n: Number of finished questions of the run.
            epoch: Their epoch; 0 is before the first.
            executor: Runs questions at the same time.
            report_progress: Called with the number of finished and of all questions.

        Raises:
            RunError: The model failed too often in a row.
            ModelError: Every question would fail in the same way.
        """
        n_failed = 0

        def note(outcome: Outcome) -> None:
            nonlocal n_failed
            n_failed = n_failed + 1 if outcome.failure is not None else 0
            if n_failed == self._most_failures:
                raise RunError(
                    f"the model failed at {n_failed} questions of the validation set in a row ({outcome.failure}); "
                    "the same command resumes from there"
                )

        samples = self.validation.samples
        files = {each.id: self.run.validation_replies(n, each.id) for each in samples}
        evaluated = evaluate(
            playbook,
            samples,
            CachedAnswers(self._answer, files),
            self.judge.scorer,
            feedback=self.judge.feedback,
            workers=1 if executor is None else executor,
            report_progress=report_progress,
            note=note,
        )
        self.run.append_validation(_record(evaluated, n, epoch))


def best_of(records: Sequence[Mapping[str, Json]]) -> Mapping[str, Json] | None:
    """Return the record of the best validation: of equally good ones the last of all, else the earliest.

    So lessons are dropped only if a revision without them was better, and then the earliest such revision wins.
    """
    scored = [(float(value), each) for each in records if isinstance(value := each.get("accuracy"), (int, float))]
    if not scored:
        return None
    most = max(value for value, _ in scored)
    return scored[-1][1] if scored[-1][0] == most else next(each for value, each in scored if value == most)


def usage_of(record: Mapping[str, Json]) -> Usage:
    """Return the model tokens of a validation."""
    usage = record.get("usage")
    values = usage if isinstance(usage, dict) else {}
    counts = (values.get(each.name) for each in fields(Usage))
    return Usage(*(each if isinstance(each, int) else 0 for each in counts))


def _record(evaluated: Evaluated, n: int, epoch: int) -> Record:
    return {
        "n": n,
        "epoch": epoch,
        "revision": evaluated.revision,
        "accuracy": round(evaluated.accuracy, 6),
        "n_right": evaluated.n_right,
        "n_samples": evaluated.n_samples,
        "n_failed": evaluated.n_failed,
        "n_bullets": evaluated.n_bullets,
        "model_tokens": evaluated.model_tokens,
        "usage": asdict(evaluated.usage),
    }
