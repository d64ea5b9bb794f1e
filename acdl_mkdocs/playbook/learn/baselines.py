"""Baselines for a playbook: the same model with examples, or with notes that are rewritten as a whole.

`examples` puts questions of a training set with their answers into the prompt. `cheatsheet` rewrites its notes after
each question that it answers, without knowing the right answer (Dynamic Cheatsheet, cumulative). `rewrite` rewrites
them after each question of a training set, and answers with the final notes: ACE shows how this context collapses.
Sources: arXiv:2504.07952; arXiv:2510.04618, sections 2.2 and 4.2.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from acdl_mkdocs.foundation.errors import RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.datasets import Sample, limit_samples
from acdl_mkdocs.playbook.learn.evaluate import ESTIMATE, Answer, Evaluated, Outcome, evaluate, reply_file
from acdl_mkdocs.playbook.learn.models import Model, ModelError, Usage, json_reply
from acdl_mkdocs.playbook.learn.replay_cache import CachedModel
from acdl_mkdocs.playbook.learn.role_prompts import (
    ACCEPTED_ANSWER,
    ACCEPTED_NOTES,
    ANSWER,
    NOTES,
    role_prompt,
    write_value,
)
from acdl_mkdocs.playbook.learn.scorers import Judge
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.tokens.counter import counter

Baseline: TypeAlias = Literal["examples", "cheatsheet", "rewrite"]
BASELINES: tuple[Baseline, ...] = get_args(Baseline)
NEED_TRAINING: tuple[Baseline, ...] = ("examples", "rewrite")
"""Baselines that learn from a training set before the first question."""
N_EXAMPLES = 10
"""Default number of examples in a prompt."""
MAX_WORDS = 2_000
"""Of notes. Source: the prompts of arXiv:2504.07952."""
MAX_FAILURES = 5
"""Limit of consecutive failures of the model while notes are made of a training set."""
_TITLES: dict[Baseline, str] = {
    "examples": "in-context examples",
    "cheatsheet": "dynamic cheatsheet",
    "rewrite": "monolithic rewrite",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSetup:
    """The settings of a baseline."""

    model: Model
    judge: Judge
    training: Sequence[Sample] = ()
    """Questions with answers, for training only."""
    n_examples: int = N_EXAMPLES
    seed: int | None = None
    replies: Path | None = None
    """Folder of cached replies, so that no reply is paid for twice."""

    def open_cache(self, sample: Sample) -> CachedModel:
        """Return the model, with the cached replies of a sample."""
        return CachedModel(self.model, None if self.replies is None else reply_file(self.replies, sample.id))


@dataclass(slots=True)
class _Notes:
    """Notes that are rewritten as a whole, and their cost."""

    setup: BaselineSetup
    text: str = ""
    usage: Usage = Usage()

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        """Answer with the notes so far, then rewrite them without knowing whether the answer is right."""
        del playbook
        answer, reply = _answer_question(self.setup, sample, notes=self.text)
        usage = answer.usage + self.rewrite_notes(sample, reply, "")
        return replace(answer, usage=usage)

    def learn_sample(self, sample: Sample) -> None:
        """Answer a question of a training set, and rewrite the notes with its result.

        Raises:
            ModelError: There is no answer, or there are no new notes; the old ones stay.
        """
        answer, reply = _answer_question(self.setup, sample, notes=self.text)
        self.usage += answer.usage
        outcome = self.setup.judge.judge_answer(sample, answer.text).words
        self.usage += self.rewrite_notes(sample, reply, outcome)

    def rewrite_notes(self, sample: Sample, reply: str, outcome: str) -> Usage:
        """Rewrite the notes and return the cost."""
        cached = self.setup.open_cache(sample)
        prompt = role_prompt(
            "rewriter",
            1,
            env={**_at_one(sample), "reply": {"1": reply}, "outcome": {"1": outcome}},
            sys={"notes": {"1": self.text}, "words": {"1": str(MAX_WORDS)}},
        )
        try:
            data = json_reply(cached, prompt, NOTES, accepted=ACCEPTED_NOTES, seed=self.setup.seed).value
        except ModelError as fault:
            fault.usage = cached.usage
            raise
        self.text = write_value(data.get("notes")) if isinstance(data, dict) else self.text
        return cached.usage


@dataclass(frozen=True, slots=True)
class _WithContext:
    """Answers with a fixed context; can be sent to other processes."""

    setup: BaselineSetup
    examples: str = ""
    notes: str = ""

    def __call__(self, playbook: Playbook, sample: Sample) -> Answer:
        del playbook
        return _answer_question(self.setup, sample, examples=self.examples, notes=self.notes)[0]


def evaluate_baseline(
    baseline: Baseline,
    samples: Sequence[Sample],
    setup: BaselineSetup,
    *,
    workers: int | Executor = 1,
    report_progress: Callable[[int, int], None] | None = None,
    note: Callable[[Outcome], None] | None = None,
) -> Evaluated:
    """Ask all questions without a playbook, with one of the baselines.

    Parameters:
        baseline: The name of the baseline.
        samples: The questions.
        setup: Its settings.
        workers: Threads, or an executor; a cheatsheet is rewritten after each question, so it takes one at a time.
        report_progress: Called with the number of finished and of all questions; first for the training set, if any.
        note: Called with each outcome as soon as it is known.

    Raises:
        RunError: It needs a training set and has none, or the model fails at too many questions of it in a row.
        ModelError: Every question would fail in the same way.
    """
    if baseline in NEED_TRAINING and not any(each.answer is not None for each in setup.training):
        raise RunError(f"`{baseline}` learns from questions with answers; give it a training set")
    notes, examples = _Notes(setup), ""
    if baseline == "examples":
        examples = examples_text(setup.training, setup.n_examples, setup.seed or 0)
    elif baseline == "rewrite":
        notes.setup = replace(setup, replies=_folder_of_training(setup))
        _learn_notes(notes, setup.training, report_progress)
    is_cheatsheet = baseline == "cheatsheet"
    evaluated = evaluate(
        Playbook(_TITLES[baseline]),
        samples,
        notes if is_cheatsheet else _WithContext(setup, examples, notes.text),
        setup.judge.scorer,
        feedback=setup.judge.feedback,
        workers=1 if is_cheatsheet else workers,
        report_progress=report_progress,
        note=note,
    )
    return replace(evaluated, model_tokens=counter(ESTIMATE).count(examples or notes.text), preparation=notes.usage)


def _folder_of_training(setup: BaselineSetup) -> Path | None:
    """Return the folder of replies about the training set: separate, since questions may be in both sets."""
    if setup.replies is None:
        return None
    folder = setup.replies.with_name(f"{setup.replies.name}-training")
    folder.mkdir(exist_ok=True)
    return folder


def examples_text(samples: Sequence[Sample], n: int, seed: int) -> str:
    """Return questions with their answers, chosen by the seed and in the order of their file."""
    answered = [each for each in samples if each.answer is not None]
    return "\n\n".join(map(_example, limit_samples(answered, n, seed)))


def _example(sample: Sample) -> str:
    context = f"Context: {sample.context}\n" if sample.context else ""
    return f"{context}Question: {sample.question}\nAnswer: {sample.answer}"


def _learn_notes(notes: _Notes, samples: Sequence[Sample], report_progress: Callable[[int, int], None] | None) -> None:
    """Make notes of a training set, one question after another; a failed question changes nothing."""
    n_failed = 0
    for n, sample in enumerate(samples, 1):
        try:
            notes.learn_sample(sample)
            n_failed = 0
        except ModelError as fault:
            notes.usage += fault.usage
            n_failed += 1
            if fault.is_final:
                raise
            if n_failed == MAX_FAILURES:
                message = f"the model failed at {n_failed} questions of the training set in a row ({fault})"
                raise RunError(message) from fault
        if report_progress is not None:
            report_progress(n, len(samples))


def _answer_question(
    setup: BaselineSetup, sample: Sample, *, examples: str = "", notes: str = ""
) -> tuple[Answer, str]:
    """Return an answer, and the reply that contains it."""
    cached = setup.open_cache(sample)
    sys = {"examples": {"1": examples}, "notes": {"1": notes}}
    prompt = role_prompt("baseline", 1, env=_at_one(sample), sys=sys)
    try:
        replied = json_reply(cached, prompt, ANSWER, accepted=ACCEPTED_ANSWER, seed=setup.seed)
    except ModelError as fault:
        fault.usage = cached.usage
        raise
    data: Json = replied.value
    text = write_value(data.get("final_answer")) if isinstance(data, dict) else ""
    return Answer(text, cached.usage), replied.reply.text


def _at_one(sample: Sample) -> dict[str, dict[str, str]]:
    return {"question": {"1": sample.question}, "context": {"1": sample.context or ""}}
