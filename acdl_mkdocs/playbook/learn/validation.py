"""How a playbook does on questions that it does not learn from, in the course of a run, and which revision did best.

Source: arXiv:2510.04618, section 4.1: offline adaptation keeps the context that does best on a validation split.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, fields
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.evaluate import Evaluated, GeneratedAnswer, KeptAnswers, Outcome, evaluate
from acdl_mkdocs.playbook.learn.loop_playbook import in_common
from acdl_mkdocs.playbook.learn.models import Model, Usage
from acdl_mkdocs.playbook.learn.run_file import Run
from acdl_mkdocs.playbook.learn.scorers import Judge
from acdl_mkdocs.playbook.learn.trajectory import Record
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.prompts.prompt import Json

Keep: TypeAlias = Literal["best", "last"]
"""Which revision a playbook is after a run: the one that did best on the validation set, or the last one."""
BEST_FILE = "best.yaml"
"""In the folder of a run: the playbook that did best on the validation set."""


@dataclass(frozen=True, slots=True)
class Validation:
    """Questions that a playbook is validated with in the course of a run."""

    samples: Sequence[Sample]
    every: int | None = None
    """Questions of the run after which it is validated; `None` is after each epoch. Always first and last of all."""
    keep: Keep = "best"
    """What the playbook is afterwards. Going back to the best revision is one event, which can be undone."""


class Validator:
    """Validates the playbook of a run.

    Parameters:
        run: Where the results go.
        validation: The questions.
        model: Who answers them.
        judge: Looks at the answers.
        seed: For models that take one.
        top: How many lessons nearest to the question a prompt has; `None` is all.
        most_failures: In a row; then the model is taken to be away.
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
        self._answer = GeneratedAnswer(model, seed, top, in_common(validation.samples, top))
        self._most_failures = most_failures

    def validate(
        self, playbook: Playbook, n: int, epoch: int, executor: Executor | None, tell: Callable[[int, int], None] | None
    ) -> None:
        """Ask all questions of the validation set, and write down how it went.

        Parameters:
            playbook: As it is after `n` questions of the run.
            n: Questions of the run that are done.
            epoch: In which they are; 0 is before the first.
            executor: Where questions are asked at the same time.
            tell: Is told how many questions are done, and of how many.

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
                    "the same command goes on from there"
                )

        samples = self.validation.samples
        files = {each.id: self.run.validation_replies(n, each.id) for each in samples}
        found = evaluate(
            playbook,
            samples,
            KeptAnswers(self._answer, files),
            self.judge.scorer,
            feedback=self.judge.feedback,
            workers=1 if executor is None else executor,
            tell=tell,
            note=note,
        )
        self.run.append_validation(_record(found, n, epoch))


def best_of(records: Sequence[Mapping[str, Json]]) -> Mapping[str, Json] | None:
    """The record of the best validation: of several that are equally good the last of all, else the earliest.

    So nothing that was learned is given up unless that did better, and then as little as possible is kept.
    """
    scored = [(float(value), each) for each in records if isinstance(value := each.get("accuracy"), int | float)]
    if not scored:
        return None
    most = max(value for value, _ in scored)
    return scored[-1][1] if scored[-1][0] == most else next(each for value, each in scored if value == most)


def usage_of(record: Mapping[str, Json]) -> Usage:
    """The model tokens that a validation took."""
    usage = record.get("usage")
    found = usage if isinstance(usage, dict) else {}
    counts = (found.get(each.name) for each in fields(Usage))
    return Usage(*(each if isinstance(each, int) else 0 for each in counts))


def _record(found: Evaluated, n: int, epoch: int) -> Record:
    return {
        "n": n,
        "epoch": epoch,
        "revision": found.revision,
        "accuracy": round(found.accuracy, 6),
        "n_right": found.n_right,
        "n_samples": found.n_samples,
        "n_failed": found.n_failed,
        "n_bullets": found.n_bullets,
        "model_tokens": found.model_tokens,
        "usage": asdict(found.usage),
    }
