"""`offline()` and `online()`: learn a playbook from questions, one after another, and go on after any kill.

Of each question: answer, reflect, curate, commit. What a run leaves depends on its settings, its samples, the playbook
and what the model says; never on the number of workers, on kills, or on time. Source: arXiv:2510.04618, section 3.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

from acdl_mkdocs.errors import RunError
from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.learning.attempt import Attempted, Job, attempt
from acdl_mkdocs.learning.commit import Committer, Judged
from acdl_mkdocs.learning.curve import run_folder
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.judge import Judge, Watch
from acdl_mkdocs.learning.retrieved import Retrieved
from acdl_mkdocs.learning.roles import MAX_REFLECTOR_ROUNDS
from acdl_mkdocs.learning.run_file import Begin, Run, opened
from acdl_mkdocs.learning.scorers import Scorer, exact
from acdl_mkdocs.learning.trajectory import Course, Place, Record, Totals
from acdl_mkdocs.models import Model
from acdl_mkdocs.playbook.bullets import Playbook
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.store.load import at

MAX_EPOCHS = 5
"""Of an offline run. Source: arXiv:2510.04618, section 4.1."""
BATCH_SIZE = 1
"""Questions a delta is made of. Source: arXiv:2510.04618, section 4.1."""
MAX_FAILURES = 5
"""Questions in a row that a model may fail at before the run stops."""

Mode: TypeAlias = Literal["offline", "online"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the result of a run depends on, beside samples, playbook and model."""

    epochs: int = 1
    """How often an offline run goes through the samples, at most 5; an online one does so once."""
    rounds: int = MAX_REFLECTOR_ROUNDS
    """Most rounds of reflection about one question, at most 5."""
    window: int = 1
    """Questions that are answered with the same playbook before what they teach is curated, in their order. They may
    run at the same time. 1 is what the paper does."""
    seed: int = 0
    """Of the order of an epoch; sent to models that take one."""
    top: int | None = None
    """How many bullets nearest to the question a prompt has; `None` is the whole playbook."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    n_done: int
    n_all: int
    totals: Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a run works with, and its result does not depend on."""

    folder: Path | None = None
    """Of the run; `None` is `playbook.run` beside `playbook.yaml`."""
    begin: Begin = "auto"
    executor: Executor | None = None
    """Where questions of a window run at the same time: threads, processes, a cluster. `None` is one after another."""
    now: Callable[[], str | None] = lambda: None
    """The time for the history, as ISO 8601 in UTC."""
    tell: Callable[[Progress], None] | None = None
    """Called after each question, and once before the first."""
    say: Callable[[str], None] | None = None
    """Called with sentences about what was found in the playbook and its history, such as line ends."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run came to."""

    run: str
    """Its id, which begins the traces in the history."""
    folder: Path
    playbook: Playbook
    totals: Totals
    points: tuple[Record, ...]
    """Accuracy and size of the playbook in the course of the run."""
    judged: Judged = field(default_factory=Judged)
    """What the model was asked about near lessons, where the policy has them refined; not in `totals`."""


def offline(
    path: Path,
    samples: Sequence[Sample],
    model: Model,
    settings: Settings | None = None,
    around: Around | None = None,
    *,
    scorer: Scorer = exact,
    feedback: Watch | None = None,
) -> Ran:
    """Learn from a training set, in an order that the seed says for each epoch.

    Parameters:
        path: The playbook file.
        samples: The questions, most of them with answers.
        model: Takes all three roles.
        settings: What the result depends on.
        around: What it does not depend on.
        scorer: Compares an answer with the right one.
        feedback: Says what comes of an answer, for samples without one or beside it.

    Raises:
        RunError: The run cannot begin or go on, or the model failed too often.
        PlaybookError: The playbook cannot be read or written.
    """
    return _learn("offline", path, samples, model, settings or Settings(), around or Around(), Judge(scorer, feedback))


def online(
    path: Path,
    samples: Sequence[Sample],
    model: Model,
    settings: Settings | None = None,
    around: Around | None = None,
    *,
    scorer: Scorer = exact,
    feedback: Watch | None = None,
) -> Ran:
    """Learn while answering: the samples in their order, once, the playbook changed after each answer.

    Without ground truth, `feedback` says what came of an answer: the output of a test, a reply of an interface. The
    parameters are those of `offline`.
    """
    return _learn("online", path, samples, model, settings or Settings(), around or Around(), Judge(scorer, feedback))


def order_of(samples: Sequence[Sample], seed: int, epoch: int) -> list[Sample]:
    """The samples in the order of an epoch, the same on every machine and in every version of Python."""
    return sorted(samples, key=lambda sample: sha256(f"{seed}/{epoch}/{sample.id}".encode()).digest())


def _learn(
    mode: Mode,
    path: Path,
    samples: Sequence[Sample],
    model: Model,
    settings: Settings,
    around: Around,
    judge: Judge,
) -> Ran:
    _check(mode, samples, settings)
    playbook = Retrieved(path, settings.top, around.say)
    told = _settings(mode, samples, model, settings, judge)
    folder = around.folder or run_folder(path)
    name, revision = playbook.recovered()
    with opened(folder, told, name, revision, around.begin) as run:
        return _Loop(run, playbook, mode, samples, model, settings, around, judge).learn()


class _Loop:
    """One run that is being worked on."""

    def __init__(
        self,
        run: Run,
        playbook: Retrieved,
        mode: Mode,
        samples: Sequence[Sample],
        model: Model,
        settings: Settings,
        around: Around,
        judge: Judge,
    ) -> None:
        self.run, self.playbook, self.model = run, playbook, model
        self.settings, self.around, self.judge = settings, around, judge
        epochs = settings.epochs if mode == "offline" else 1
        in_order = [order_of(samples, settings.seed, n) if mode == "offline" else samples for n in range(1, epochs + 1)]
        self.questions = [sample for epoch in in_order for sample in epoch]
        self.n_samples = len(samples)
        self.committer = Committer(run, playbook, model, self.n_samples, settings.seed, around.now)
        self.course = Course(self.n_samples)

    def learn(self) -> Ran:
        """Work through everything that is not done."""
        self.committer.recover()
        for record in self.run.records:
            self.course.add(record)
        self._tell()
        for window in self._windows():
            for place, attempted in self._attempted(window):
                self._note(self.committer.settle(place, self.questions[place.n - 1], attempted))
                if self.committer.has_to_stop(MAX_FAILURES):
                    raise RunError(self._why())
        self.run.is_finished = True
        self._note(self.committer.finish())
        course, judged = self.course, self.committer.refining
        return Ran(self.run.id, self.run.folder, self.playbook.current(), course.totals, tuple(course.points), judged)

    def _windows(self) -> Iterator[list[Place]]:
        """Questions that are not done, in groups that are answered with the same playbook; none spans two epochs."""
        for first in range(0, len(self.questions), self.n_samples):
            for start in range(first, first + self.n_samples, self.settings.window):
                end = min(start + self.settings.window, first + self.n_samples)
                n_done = len(self.run.records)
                if end > n_done:
                    epoch = first // self.n_samples + 1
                    yield [Place(n + 1, epoch, self.questions[n].id) for n in range(max(start, n_done), end)]

    def _attempted(self, window: list[Place]) -> Iterator[tuple[Place, Attempted]]:
        jobs = [self._job(place, self._playbook_of(window)) for place in window]
        executor = self.around.executor
        if executor is None or len(jobs) == 1:
            yield from zip(window, map(attempt, jobs), strict=True)
            return
        futures = [executor.submit(attempt, job) for job in jobs]
        try:
            for place, future in zip(window, futures, strict=True):
                yield place, future.result()
        finally:
            for future in futures:
                future.cancel()

    def _playbook_of(self, window: list[Place]) -> Playbook:
        """The playbook that a window is answered with: that of its first question, also if some of it is done."""
        place = window[0]
        n_before = (place.n - 1) % self.n_samples % self.settings.window
        if n_before == 0:
            return self.playbook.current()
        read = self.run.records[-1].get("revision_read")
        now = self.playbook.current()
        return now if read == now.revision or not isinstance(read, int) else at(self.playbook.path, read)

    def _job(self, place: Place, playbook: Playbook) -> Job:
        sample = self.questions[place.n - 1]
        told, replies = self.playbook.told(playbook, sample), self.run.replies(place.n)
        return Job(self.model, sample, playbook, told, self.judge, self.settings.rounds, self.settings.seed, replies)

    def _note(self, records: Sequence[Record]) -> None:
        """Count questions that are done."""
        for record in records:
            self.course.add(record)
        self._tell()

    def _tell(self) -> None:
        """Write down and say how far the run is."""
        n_all, totals = len(self.questions), self.course.totals
        counted: dict[str, Json] = {**asdict(totals), "accuracy": totals.accuracy}
        self.run.write({"n_questions": n_all, "totals": counted, "points": list(self.course.points)})
        if self.around.tell is not None:
            self.around.tell(Progress(len(self.run.records), n_all, totals))

    def _why(self) -> str:
        n_failed, failure = self.committer.n_held, self.committer.last_failure
        what = "question" if n_failed == 1 else "questions in a row"
        said = f" ({failure.role}: {failure.message})" if failure else ""
        done = f"{len(self.run.records)} of {len(self.questions)} are done"
        return f"the model failed at {n_failed} {what}{said}; {done}, and the same command goes on from there"


def _check(mode: Mode, samples: Sequence[Sample], settings: Settings) -> None:
    """Refuse what cannot be meant.

    Raises:
        RunError: Something cannot be.
    """
    if not samples:
        raise RunError("there are no questions to learn from; give at least one")
    if len({sample.id for sample in samples}) < len(samples):
        raise RunError("two samples have the same id; give every sample an id of its own")
    limits = {
        "epochs": (settings.epochs, MAX_EPOCHS if mode == "offline" else 1),
        "rounds": (settings.rounds, MAX_REFLECTOR_ROUNDS),
        "window": (settings.window, None),
        "top": (1 if settings.top is None else settings.top, None),
    }
    for name, (value, most) in limits.items():
        if value < 1 or (most is not None and value > most):
            takes = "1 or more" if most is None else "1" if most == 1 else f"1 to {most}"
            raise RunError(f"{name} is {value}, and a run that is {mode} takes {takes}")


def _settings(mode: Mode, samples: Sequence[Sample], model: Model, settings: Settings, judge: Judge) -> dict[str, Json]:
    """What a run that is gone on with has to have in common with what it was begun with."""
    told = [[each.id, each.question, each.answer, each.context] for each in samples]
    return {
        "mode": mode,
        **asdict(settings),
        "model": model.name,
        "scorer": _name(judge.scorer),
        "feedback": None if judge.feedback is None else _name(judge.feedback),
        "n_samples": len(samples),
        "samples": sha256(repr(told).encode("utf-8", "replace")).hexdigest()[:16],
    }


def _name(function: object) -> str:
    """What a function is called, with what a partial one is given."""
    if isinstance(function, partial):
        given = [*map(repr, function.args), *(f"{key}={value!r}" for key, value in sorted(function.keywords.items()))]
        return f"{_name(function.func)}({', '.join(given)})"
    return str(getattr(function, "__qualname__", type(function).__qualname__))
