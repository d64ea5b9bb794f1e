"""`offline()` and `online()`: learn a playbook from questions; with settings and totals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, field, is_dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.atomic import replace_durably
from acdl_mkdocs.foundation.errors import PlaybookError, RunError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.commit import AnsweredQuestion, Committer, JudgedPairs, Plan
from acdl_mkdocs.playbook.learn.commit import order_of as order_of
from acdl_mkdocs.playbook.learn.curve import run_folder
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.loop_playbook import BEST, CurrentPlaybook, find_background
from acdl_mkdocs.playbook.learn.models import Model
from acdl_mkdocs.playbook.learn.role_models import ByRole, by_role
from acdl_mkdocs.playbook.learn.roles import MAX_REFLECTOR_ROUNDS
from acdl_mkdocs.playbook.learn.run_file import Begin, Run, choose_folder, open_run
from acdl_mkdocs.playbook.learn.scorers import Judge, Scorer, Watch, exact
from acdl_mkdocs.playbook.learn.trajectory import (
    Job,
    QuestionAttempts,
    QuestionPosition,
    Record,
    Totals,
    add_record,
    attempt_question,
)
from acdl_mkdocs.playbook.learn.validation import BEST_FILE, Validator, best_of
from acdl_mkdocs.playbook.learn.validation import Validation as Validation
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.retrieval import Background
from acdl_mkdocs.playbook.store.load import has_trace, load_revision
from acdl_mkdocs.playbook.store.write_playbook import text_of
from acdl_mkdocs.prompts.prompt import Json

POINTS_PER_EPOCH = 10
"""Sections of an epoch with a separate accuracy."""


class Course:
    """The course of a run, record by record: totals, and the accuracy and the playbook for each section.

    Parameters:
        plan: The questions.
    """

    def __init__(self, plan: Plan) -> None:
        self.totals = Totals()
        self.points: list[Record] = []
        self.epochs: dict[int, Totals] = {}
        self._plan = plan
        self._stretch = Totals()

    def add_record(self, record: Mapping[str, Json]) -> None:
        """Add the record of a question."""
        self.totals, self._stretch = add_record(self.totals, record), add_record(self._stretch, record)
        n, epoch = record.get("n"), record.get("epoch")
        if not isinstance(n, int) or not isinstance(epoch, int):
            return
        self.epochs[epoch] = add_record(self.epochs.get(epoch, Totals()), record)
        in_epoch, size = self._plan.position_in_epoch(n)
        if in_epoch % max(1, -(-size // POINTS_PER_EPOCH)) and in_epoch != size:
            return
        read: Record = {"epoch": epoch, "n": n, "accuracy": self._stretch.accuracy}
        playbook = record.get("playbook")
        self.points.append(
            {**read, "n_scored": self._stretch.n_scored, **(playbook if isinstance(playbook, dict) else {})}
        )
        self._stretch = Totals()


MAX_EPOCHS = 5
"""Limit for an offline run. Source: arXiv:2510.04618, section 4.1."""
BATCH_SIZE = 1
"""Questions for one delta. Source: arXiv:2510.04618, section 4.1."""

Mode: TypeAlias = Literal["offline", "online"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that the result of a run depends on, beside samples, playbook and model."""

    epochs: int = 1
    """Passes through the training set, at most 5; for an online run, through its warm-up only."""
    rounds: int = MAX_REFLECTOR_ROUNDS
    """Limit of rounds of reflection on one question, at most 5."""
    batch: int = BATCH_SIZE
    """Questions for one delta: the curator is shown the reflections on all of them at once."""
    window: int = 1
    """Questions that are answered with the same playbook before their lessons are curated, in order. They may run at
    the same time. A whole number of batches, and at least one. The paper uses 1."""
    seed: int = 0
    """For the order of an epoch; sent to models that accept one."""
    top: int | None = None
    """How many bullets nearest to the question a prompt has; `None` means the whole playbook."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run."""

    n_done: int
    """Questions that are finished."""
    n_all: int
    """All questions of the run."""
    totals: Totals
    """Sums over the finished ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The environment of a run, which its result does not depend on."""

    folder: Path | None = None
    """The folder of the run; `None` is `playbook.run` beside `playbook.yaml`."""
    begin: Begin = "auto"
    """`auto` resumes the run in the folder if there is one, `resume` requires one, `restart` begins again and keeps the
    old trajectory under another name."""
    executor: Executor | None = None
    """Runs questions of a window, and of a validation, at the same time: threads, processes, a cluster. `None` runs
    them one after another."""
    now: Callable[[], str | None] = lambda: None
    """Returns the time for the history, as ISO 8601 in UTC."""
    tell: Callable[[Progress], None] | None = None
    """Called after each question, and once before the first."""
    say: Callable[[str], None] | None = None
    """Called with sentences about findings in the playbook and its history, such as line ends."""
    tell_validation: Callable[[int, int], None] | None = None
    """Called with the number of finished and of all questions of a validation."""


def check_settings(
    mode: Mode,
    samples: Sequence[Sample],
    settings: Settings,
    warm_up: Sequence[Sample] = (),
    validation: Validation | None = None,
) -> None:
    """Refuse invalid settings.

    Raises:
        RunError: A setting is invalid.
    """
    if not samples:
        raise RunError("there are no questions to learn from; give at least one")
    if validation is not None and not validation.samples:
        raise RunError("there are no questions to validate with; give at least one")
    for each in (samples, warm_up, validation.samples if validation else ()):
        if len({sample.id for sample in each}) < len(each):
            raise RunError("two samples have the same id; give every sample an id of its own")
    limits = {
        "epochs": (settings.epochs, MAX_EPOCHS if mode == "offline" or warm_up else 1),
        "rounds": (settings.rounds, MAX_REFLECTOR_ROUNDS),
        "batch": (settings.batch, None),
        "window": (settings.window, None),
        "top": (1 if settings.top is None else settings.top, None),
        "every": (1 if validation is None or validation.every is None else validation.every, None),
    }
    for name, (value, most) in limits.items():
        if value < 1 or (most is not None and value > most):
            takes = "1 or more" if most is None else "1" if most == 1 else f"1 to {most}"
            raise RunError(f"{name} is {value}, and a run that is {mode} takes {takes}")
    if settings.window > settings.batch and settings.window % settings.batch:
        sizes = f"the window is {settings.window} and the batch is {settings.batch}"
        raise RunError(f"{sizes}: a window is made of whole batches; give a multiple of {settings.batch}")


def describe_run(
    mode: Mode,
    samples: Sequence[Sample],
    models: ByRole,
    settings: Settings,
    judge: Judge,
    warm_up: Sequence[Sample] = (),
    validation: Validation | None = None,
) -> dict[str, Json]:
    """Describe a run: what must be the same when it is resumed."""
    description: dict[str, Json] = {
        "mode": mode,
        **asdict(settings),
        "model": models.description,
        "scorer": _name(judge.scorer),
        "feedback": None if judge.feedback is None else _name(judge.feedback),
        "n_samples": len(samples),
        "samples": _digest(samples),
    }
    if settings.batch == BATCH_SIZE:
        del description["batch"]  # runs that were begun before there were batches can be resumed
    if warm_up:
        description["warm_up"] = _digest(warm_up)
    if validation is not None:
        description["validation"] = _digest(validation.samples)
        description["validate_every"] = validation.every
        if validation.keep != "best":
            description["keep"] = validation.keep
    return description


def _digest(samples: Sequence[Sample]) -> str:
    contents = [[each.id, each.question, each.answer, each.context] for each in samples]
    return sha256(repr(contents).encode("utf-8", "replace")).hexdigest()[:16]


def _name(function: object) -> str:
    """Return the name of a function, with the arguments of a partial one; a dataclass with all its fields."""
    if isinstance(function, partial):
        arguments = [
            *map(repr, function.args),
            *(f"{key}={value!r}" for key, value in sorted(function.keywords.items())),
        ]
        return f"{_name(function.func)}({', '.join(arguments)})"
    if is_dataclass(function):
        return repr(function)
    return str(getattr(function, "__qualname__", type(function).__qualname__))


MAX_FAILURES = 5
"""Consecutive failures of the model that stop the run."""

_KNOWN_EVERY = 10
"""Questions of a stream after which their common terms are computed again."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run."""

    run: str
    """Its id, the prefix of the traces in the history."""
    folder: Path
    """The folder of the run: its settings, calls and results."""
    playbook: Playbook
    """The playbook after the run, as it is in its file."""
    totals: Totals
    """Sums over all questions of the run."""
    points: tuple[Record, ...]
    """Accuracy and size of the playbook over the course of the run."""
    epochs: tuple[Totals, ...] = ()
    """Of each epoch; the last one of an online run is its stream, the earlier ones are its warm-up."""
    validations: tuple[Record, ...] = ()
    """The results of the playbook on the validation set: before the first question, in between, and at the end."""
    best: Mapping[str, Json] | None = None
    """The best validation; `None` without a validation set. Its playbook is `best.yaml` in the folder of the run."""
    last: int | None = None
    """The last revision that was learned, if the playbook was restored to the best one; otherwise `None`."""
    not_kept: str = ""
    """Why the playbook is not the best one, although it should be; empty if it is."""
    judged: JudgedPairs = field(default_factory=JudgedPairs)
    """The questions to the model about similar lessons, if the policy requires a refinement; not in `totals`."""


def offline(
    path: Path,
    samples: Sequence[Sample],
    model: Model | ByRole,
    settings: Settings | None = None,
    around: Around | None = None,
    *,
    scorer: Scorer = exact,
    feedback: Watch | None = None,
    validation: Validation | None = None,
) -> RunResult:
    """Learn from a training set, in an order that depends on the seed and the epoch.

    Parameters:
        path: The playbook file.
        samples: The questions, most of them with answers.
        model: Takes all three roles, or one for each.
        settings: The settings that the result depends on.
        around: The environment, which it does not depend on.
        scorer: Compares an answer with the right one.
        feedback: Judges an answer, for samples without a right one or in addition to it.
        validation: Questions that are not learned from, and determine the best revision of the playbook.

    Raises:
        RunError: The run cannot begin or resume, or the model failed too often.
        PlaybookError: The playbook cannot be read or written.
    """
    settings, judge, models = settings or Settings(), Judge(scorer, feedback), by_role(model)
    check_settings("offline", samples, settings, validation=validation)
    description = describe_run("offline", samples, models, settings, judge, validation=validation)
    plan = _plan(_epochs(samples, settings), settings)
    return _learn(path, plan, description, models, settings, around or Around(), judge, validation)


def online(
    path: Path,
    samples: Sequence[Sample],
    model: Model | ByRole,
    settings: Settings | None = None,
    around: Around | None = None,
    *,
    scorer: Scorer = exact,
    feedback: Watch | None = None,
    validation: Validation | None = None,
    warm_up: Sequence[Sample] = (),
) -> RunResult:
    """Learn while answering: the samples in their order, once, the playbook changed after each answer.

    Without ground truth, `feedback` judges an answer: by the output of a test, a reply of an interface. The parameters
    are those of `offline`, and:

    Parameters:
        warm_up: A training set that the playbook learns from before the first sample, `settings.epochs` times.
    """
    settings, judge, models = settings or Settings(), Judge(scorer, feedback), by_role(model)
    check_settings("online", samples, settings, warm_up, validation)
    description = describe_run("online", samples, models, settings, judge, warm_up, validation)
    before = _epochs(warm_up, settings) if warm_up else ()
    plan = _plan((*before, tuple(samples)), settings, is_online=True)
    return _learn(path, plan, description, models, settings, around or Around(), judge, validation)


def _epochs(samples: Sequence[Sample], settings: Settings) -> tuple[tuple[Sample, ...], ...]:
    return tuple(tuple(order_of(samples, settings.seed, n)) for n in range(1, settings.epochs + 1))


def _plan(epochs: tuple[tuple[Sample, ...], ...], settings: Settings, *, is_online: bool = False) -> Plan:
    return Plan(epochs, max(settings.window, settings.batch), settings.batch, is_online=is_online)


def _learn(
    path: Path,
    plan: Plan,
    description: Mapping[str, Json],
    models: ByRole,
    settings: Settings,
    around: Around,
    judge: Judge,
    validation: Validation | None,
) -> RunResult:
    playbook = CurrentPlaybook(path, settings.top, around.say)
    name, revision = playbook.recover_state()
    folder = choose_folder(around.folder, run_folder(path))
    with open_run(folder, description, name, revision, around.begin) as run:
        return _Loop(run, playbook, plan, models, settings, around, judge, validation).run_all()


class _Loop:
    """One run in progress."""

    def __init__(
        self,
        run: Run,
        playbook: CurrentPlaybook,
        plan: Plan,
        models: ByRole,
        settings: Settings,
        around: Around,
        judge: Judge,
        validation: Validation | None,
    ) -> None:
        self.run, self.playbook, self.plan, self.models = run, playbook, plan, models
        self.settings, self.around, self.judge = settings, around, judge
        self.committer = Committer(run, playbook, models, plan, settings.seed, around.now)
        self.course = Course(plan)
        self.validator = (
            None
            if validation is None
            else Validator(
                run,
                validation,
                models.generator,
                judge,
                seed=settings.seed,
                top=settings.top,
                most_failures=MAX_FAILURES,
            )
        )
        self._background: tuple[int, Background | None] = -1, None

    def run_all(self) -> RunResult:
        """Process all unfinished questions."""
        if not self._has_returned():
            self.committer.recover_pending()
        for record in self.run.records:
            self.course.add_record(record)
        self._report_progress()
        self._validate()
        n_asked = len(self.run.records)
        while window := self.plan.window_after(n_asked):
            n_asked = window[-1].n
            attempts = self._attempt_window(window)
            for batch in self.plan.split_batches(window):
                answered = [AnsweredQuestion(each, self.plan.questions[each.n - 1], next(attempts)) for each in batch]
                self._count_records(self.committer.commit_batch(answered))
                if self.committer.has_to_stop(MAX_FAILURES):
                    raise RunError(self._explain_stop())
                self._validate()
        for record in self.committer.write_held_back():
            self.course.add_record(record)
        self._validate()
        return self._make_result()

    def _make_result(self) -> RunResult:
        best = best_of(self.run.validations)
        not_kept = "" if best is None else self._keep_best(best)
        self.run.is_finished = True
        self._report_progress()
        course = self.course
        return RunResult(
            self.run.id,
            self.run.folder,
            self.playbook.read_current(),
            course.totals,
            tuple(course.points),
            tuple(course.epochs[each] for each in sorted(course.epochs)),
            tuple(self.run.validations),
            best,
            last
            if self._has_returned() and isinstance(last := self.run.validations[-1].get("revision"), int)
            else None,
            not_kept,
            self.committer.refining,
        )

    def _keep_best(self, best: Mapping[str, Json]) -> str:
        """Save the best playbook, and restore it if the settings say so; return why it is not restored, if so."""
        revision, last = best.get("revision"), self.run.validations[-1].get("revision")
        if not isinstance(revision, int):
            return ""
        text = text_of(load_revision(self.playbook.path, revision))
        replace_durably(self.run.folder / BEST_FILE, text.encode())
        is_wanted = self.validator is not None and self.validator.validation.keep == "best"
        if revision == last or not is_wanted or self._has_returned():
            return ""
        try:
            why = f"it did best on the validation set, {best.get('accuracy'):.1%}"
            self.playbook.return_to(revision, why, self._traces, self.around.now())
        except PlaybookError as reason:
            return str(reason)
        return ""

    @property
    def _traces(self) -> str:
        return f"{self.run.id}/"

    def _has_returned(self) -> bool:
        """Return whether the run is done, and the playbook was restored to the best one."""
        is_done = bool(self.run.validations) and len(self.run.records) == len(self.plan.questions)
        return is_done and has_trace(self.playbook.path, f"{self._traces}{BEST}")

    def _attempt_window(self, window: list[QuestionPosition]) -> Iterator[QuestionAttempts]:
        jobs = [self._make_job(position, self._playbook_of(window)) for position in window]
        executor = self.around.executor
        if executor is None or len(jobs) == 1:
            yield from map(attempt_question, jobs)
            return
        futures = [executor.submit(attempt_question, job) for job in jobs]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()

    def _playbook_of(self, window: list[QuestionPosition]) -> Playbook:
        """Return the playbook for a window: that of its first question, even if some of it is done."""
        if self.plan.n_before_in_window(window[0].n) == 0:
            return self.playbook.read_current()
        read = self.run.records[-1].get("revision_read")
        now = self.playbook.read_current()
        return now if read == now.revision or not isinstance(read, int) else load_revision(self.playbook.path, read)

    def _make_job(self, position: QuestionPosition, playbook: Playbook) -> Job:
        sample, replies = self.plan.questions[position.n - 1], self.run.replies_file(position.n)
        return Job(
            self.models.generator,
            sample,
            playbook,
            self.playbook.prepare_lessons(playbook, sample, self._find_background(position)),
            self.judge,
            self.settings.rounds,
            self.settings.seed,
            replies,
            self.models.reflector,
        )

    def _find_background(self, position: QuestionPosition) -> Background | None:
        """Return what the questions of the epoch, or of the stream so far, have in common."""
        epochs = self.plan.epochs
        is_stream = self.plan.is_online and position.epoch == len(epochs)
        n_seen = (position.n - 1) // _KNOWN_EVERY * _KNOWN_EVERY if is_stream else 0
        if self._background[0] != n_seen:
            questions = self.plan.questions[:n_seen] if is_stream else epochs[0]
            self._background = n_seen, find_background(questions, self.settings.top)
        return self._background[1]

    def _validate(self) -> None:
        """Validate the playbook if that is due and was not done."""
        n, done = len(self.run.records), self.run.validations
        if self.validator is None:
            return
        every = self.validator.validation.every
        n_last = done[-1].get("n") if done else None
        n_before = self.plan.n_points(n_last, every) if isinstance(n_last, int) else 0
        if self.plan.n_points(n, every) > n_before or (n == len(self.plan.questions) and n_last != n):
            epoch = self.plan.position_of(n).epoch if n else 0
            executor, report_progress = self.around.executor, self.around.tell_validation
            self.validator.validate_playbook(self.playbook.read_current(), n, epoch, executor, report_progress)
            self._report_progress()

    def _count_records(self, records: Sequence[Record]) -> None:
        """Count finished questions."""
        for record in records:
            self.course.add_record(record)
        self._report_progress()

    def _report_progress(self) -> None:
        """Save and report the progress of the run."""
        n_all, totals = len(self.plan.questions), self.course.totals
        counted: dict[str, Json] = {**asdict(totals), "accuracy": totals.accuracy}
        progress: dict[str, Json] = {"n_questions": n_all, "totals": counted, "points": list(self.course.points)}
        if len(self.plan.epochs) > 1:
            progress["epochs"] = [
                {"epoch": n, "is_warm_up": self.plan.is_warm_up(n), "accuracy": each.accuracy, **asdict(each)}
                for n, each in sorted(self.course.epochs.items())
            ]
        if self.validator is not None:
            best = best_of(self.run.validations)
            progress |= {"validations": list(self.run.validations), "best": None if best is None else dict(best)}
        self.run.write_state(progress)
        if self.around.tell is not None:
            self.around.tell(Progress(len(self.run.records), n_all, totals))

    def _explain_stop(self) -> str:
        n_failed, failure = self.committer.n_failed, self.committer.last_failure
        what = "question" if n_failed == 1 else "questions in a row"
        cause = f" ({failure.role}: {failure.message})" if failure else ""
        done = f"{len(self.run.records)} of {len(self.plan.questions)} are done"
        return f"the model failed at {n_failed} {what}{cause}; {done}, and the same command resumes from there"
