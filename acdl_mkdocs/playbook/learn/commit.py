"""Commit the lessons of questions to the playbook exactly once, and plan the questions of a run."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from hashlib import sha256

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.curator import CuratorInput, ReflectedQuestion, propose_operations
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.loop_playbook import CURATOR, CurrentPlaybook
from acdl_mkdocs.playbook.learn.models import ModelError, Usage
from acdl_mkdocs.playbook.learn.pair_judge import ModelJudge
from acdl_mkdocs.playbook.learn.replay_cache import CachedModel
from acdl_mkdocs.playbook.learn.role_models import ByRole
from acdl_mkdocs.playbook.learn.run_file import Run
from acdl_mkdocs.playbook.learn.trajectory import (
    CuratorResult,
    Failure,
    QuestionAttempts,
    QuestionPosition,
    Record,
    record_of,
)
from acdl_mkdocs.playbook.model.bullets import Playbook, Provenance
from acdl_mkdocs.playbook.model.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.model.delta import delta_of
from acdl_mkdocs.playbook.model.near_pairs import Decision
from acdl_mkdocs.playbook.model.refine import RefineOptions, apply_decisions, is_due, refine
from acdl_mkdocs.playbook.model.report import Applied, Report
from acdl_mkdocs.playbook.similarity import load_similarity
from acdl_mkdocs.playbook.store.load import has_trace
from acdl_mkdocs.prompts.prompt import Json


def order_of(samples: Sequence[Sample], seed: int, epoch: int) -> list[Sample]:
    """Return the samples in the order of an epoch, the same on every machine and in every version of Python."""
    return sorted(samples, key=lambda sample: sha256(f"{seed}/{epoch}/{sample.id}".encode()).digest())


@dataclass(frozen=True)
class Plan:
    """The questions of a run, numbered from 1 over all epochs."""

    epochs: tuple[tuple[Sample, ...], ...]
    """None is empty. The last one of an online run is its stream, the earlier ones are its warm-up."""
    window: int = 1
    """Questions that are answered with the same playbook."""
    batch: int = 1
    """Questions for one delta; a window consists of whole batches."""
    is_online: bool = False

    @cached_property
    def questions(self) -> tuple[Sample, ...]:
        """All questions, in the order of the run."""
        return tuple(sample for epoch in self.epochs for sample in epoch)

    @cached_property
    def _starts(self) -> list[int]:
        """The number of questions before each epoch."""
        starts = [0]
        for epoch in self.epochs:
            starts.append(starts[-1] + len(epoch))
        return starts

    def position_in_epoch(self, n: int) -> tuple[int, int]:
        """Return the index of a question in its epoch, from 1, and the size of that epoch."""
        idx = self._epoch_of(n)
        return n - self._starts[idx], len(self.epochs[idx])

    def is_warm_up(self, epoch: int) -> bool:
        """Return whether an epoch only prepares the playbook for the stream of an online run."""
        return self.is_online and epoch < len(self.epochs)

    def position_of(self, n: int) -> QuestionPosition:
        """Return the position of a question."""
        return QuestionPosition(n, self._epoch_of(n) + 1, self.questions[n - 1].id)

    def n_before_in_window(self, n: int) -> int:
        """Return how many questions of the same window precede a question."""
        return (self.position_in_epoch(n)[0] - 1) % self.window

    def window_after(self, n_done: int) -> list[QuestionPosition]:
        """Return the questions of the next window that are not done; none spans two epochs."""
        if n_done == len(self.questions):
            return []
        in_epoch, size = self.position_in_epoch(n_done + 1)
        rest = self.window - (in_epoch - 1) % self.window
        return [self.position_of(n_done + 1 + idx) for idx in range(min(rest, size - in_epoch + 1))]

    def split_batches(self, window: Sequence[QuestionPosition]) -> Iterator[list[QuestionPosition]]:
        """Yield the batches of a window, or of the rest of one."""
        batch: list[QuestionPosition] = []
        for position in window:
            batch.append(position)
            in_epoch, size = self.position_in_epoch(position.n)
            if in_epoch % self.batch == 0 or in_epoch == size:
                yield batch
                batch = []

    def n_points(self, n: int, every: int | None) -> int:
        """Return how often a playbook is due to be validated up to question `n`, including before the first.

        Parameters:
            n: Number of finished questions.
            every: The interval in questions; `None` means an epoch.
        """
        ends = {end for end in self._starts if end <= n}
        return len(ends if every is None else ends.union(range(every, n + 1, every)))

    def _epoch_of(self, n: int) -> int:
        return next(idx for idx, end in enumerate(self._starts[1:]) if n <= end)


SEEN_EVERY = 50
"""Interval in questions after which the prompts of each bullet are counted in the playbook; also after each epoch."""


_VERDICTS = "verdicts.jsonl"


@dataclass
class JudgedPairs:
    """The questions to a model about similar lessons, since this process began to work on the run."""

    n_pairs: int = 0
    usage: Usage = field(default_factory=Usage)
    failures: list[str] = field(default_factory=list)
    """Why some pairs were not decided."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and its attempts."""

    position: QuestionPosition
    sample: Sample
    attempted: QuestionAttempts

    @property
    def has_lesson(self) -> bool:
        """True if there is something for the curator: an insight, or a lesson that did harm."""
        attempted = self.attempted
        if attempted.failure is not None or not attempted.reflections:
            return False
        return bool(attempted.reflections[-1].insight) or "harmful" in attempted.tags.values()

    @property
    def reflected_question(self) -> ReflectedQuestion:
        """The input of the curator."""
        return ReflectedQuestion(self.position.n, self.sample, self.attempted.reflections[-1], self.attempted.tags)

    def tag_operations(self, *, is_one_of_many: bool) -> list[Json]:
        """Return the operations that count the tags; in a delta of several questions they name the question."""
        about: dict[str, Json] = {"sample": self.position.sample} if is_one_of_many else {}
        return [{"type": "TAG", "bullet_id": name, "tag": tag, **about} for name, tag in self.attempted.tags.items()]


class Committer:
    """Commits batches of questions in order.

    A question at which the model failed changes nothing. A batch of only such questions is recorded when a later one
    succeeds; if the model stays unavailable, the run stops, and resumes with the first of them.

    Parameters:
        run: Receives the records.
        playbook: The playbook to change.
        models: The models that reflect and curate.
        plan: The questions.
        seed: For models that accept one.
        now: Returns the time for the history.
    """

    def __init__(
        self, run: Run, playbook: CurrentPlaybook, models: ByRole, plan: Plan, seed: int, now: Callable[[], str | None]
    ) -> None:
        self.run, self.playbook, self.models = run, playbook, models
        self.plan, self.seed, self.now = plan, seed, now
        self._pending_records: list[Record] = []
        self.n_failed = 0
        """Consecutive failures of the model."""
        self._refined_at = -1
        self.refining = JudgedPairs()
        self.last_failure: Failure | None = None

    def has_to_stop(self, most: int) -> bool:
        """Return whether the run should stop."""
        return self.n_failed >= most or (self.n_failed > 0 and (self.last_failure or _UNKNOWN).is_final)

    def recover_pending(self) -> None:
        """Finish the work of a killed process."""
        if self.run.records and self._is_due(self.run.records[-1]):
            self._count_seen(is_checked=True)
        for record in self.run.read_pending(lambda trace: has_trace(self.playbook.path, trace)):
            self._append_record(record, is_checked=True)
        self.run.clear_pending()
        if self.run.records:
            self._refine_playbook()

    def commit_batch(self, batch: Sequence[AnsweredQuestion]) -> list[Record]:
        """Curate the results of a batch of questions, or hold them back if the model failed.

        Returns:
            The records that were written.

        Raises:
            PlaybookError: The playbook cannot be changed.
        """
        failures = [each.attempted.failure for each in batch if each.attempted.failure is not None]
        final = next((each for each in failures if each.is_final), None)
        if final is not None or len(failures) == len(batch):
            return self._hold_back(batch, CuratorResult(), final or failures[-1], len(failures))
        learned, failure = self._curate_batch([each for each in batch if each.attempted.failure is None])
        if failure is not None:
            return self._hold_back(batch, learned, failure, 1)
        self.n_failed = 0
        records = self._commit_delta(batch, learned)
        self._refine_playbook()
        return records

    def write_held_back(self) -> list[Record]:
        """Write the records that are held back."""
        records, self._pending_records = self._pending_records, []
        self._append_all(None, records)
        return records

    def _hold_back(
        self, batch: Sequence[AnsweredQuestion], result: CuratorResult, failure: Failure, n_failed: int
    ) -> list[Record]:
        self.last_failure, self.n_failed = failure, self.n_failed + n_failed
        playbook = self.playbook.read_current()
        for idx, each in enumerate(batch, 1):
            attempted = replace(each.attempted, failure=each.attempted.failure or failure)
            learned_last = result if idx == len(batch) else CuratorResult()
            self._pending_records.append(self._record(each.position, attempted, learned_last, playbook))
        return []

    def _curate_batch(self, batch: Sequence[AnsweredQuestion]) -> tuple[CuratorResult, Failure | None]:
        """Return the delta of a batch: tags of the reflector, and proposals of the curator for insights."""
        tags = [tag for each in batch for tag in each.tag_operations(is_one_of_many=self.plan.batch > 1)]
        taught = tuple(each.reflected_question for each in batch if each.has_lesson)
        if not taught:
            return CuratorResult({"reasoning": "", "operations": tags} if tags else None), None
        playbook = self.playbook.read_current()
        curating = CuratorInput(taught, self.playbook.measure_size(playbook).model_tokens, self.playbook.top_k)
        cached = CachedModel(self.models.curator, self.run.replies_file(batch[-1].position.n))
        try:
            proposed = propose_operations(cached, playbook, curating, seed=self.seed)
        except ModelError as error:
            failure = Failure(CURATOR, type(error).__name__, str(error), error.is_final)
            return CuratorResult(calls=tuple(cached.calls), usage=cached.usage), failure
        operations = [*tags, *proposed.operations]
        delta: Record | None = {"reasoning": proposed.reasoning, "operations": operations} if operations else None
        return CuratorResult(
            delta, proposed.refused, proposed.notes, calls=tuple(cached.calls), usage=cached.usage
        ), None

    def _commit_delta(self, batch: Sequence[AnsweredQuestion], result: CuratorResult) -> list[Record]:
        """Change the playbook once, and write the records: that of the last question has the delta."""
        held_records, self._pending_records = self._pending_records, []
        last = batch[-1].position
        trace = f"{self.run.id}/{last.epoch}/{last.sample}"
        samples = ", ".join(each.position.sample for each in batch if each.has_lesson) or last.sample
        source = Provenance("reflector", self.run.id, samples, self.models.reflector.name)

        def records(result: CuratorResult, playbook: Playbook) -> list[Record]:
            earlier_records = [
                self._record(each.position, each.attempted, CuratorResult(), playbook) for each in batch[:-1]
            ]
            return [*held_records, *earlier_records, self._record(last, batch[-1].attempted, result, playbook)]

        new_records = records(result, self.playbook.read_current())

        def change(playbook: Playbook) -> Curated:
            nonlocal new_records
            curated = curate(playbook, delta_of(result.delta), curation_of(playbook, CURATOR, source=source))
            new_records = records(replace(result, report=curated.report), curated.playbook)
            self.run.set_pending(trace, new_records)
            return curated

        if result.delta is None:
            self._append_all(None, new_records)
        else:
            self.playbook.change_file(change, time=self.now(), trace=trace, actor=CURATOR)
            self._append_all(trace, new_records)
        return new_records

    def _refine_playbook(self) -> None:
        """Let the model decide about similar lessons, if the policy requires it.

        It asks about undecided pairs only, so repeating it after a kill does no harm.
        """
        playbook = self.playbook.read_current()
        size = self.playbook.measure_size(playbook).model_tokens
        if not is_due(playbook, self._refined_at, size):
            return
        cached = CachedModel(self.models.curator, self.run.folder / "replies" / _VERDICTS)
        judge = ModelJudge(cached, self.seed)

        def commit(decisions: Sequence[Decision]) -> Playbook:
            self.playbook.change_file(
                lambda edited: apply_decisions(edited, decisions, curation_of(edited, judge.name)),
                time=self.now(),
                trace=f"{self.run.id}/refine",
                actor=judge.name,
            )
            return self.playbook.read_current()

        try:
            refine(RefineOptions(judge, load_similarity(playbook.policy.similarity), commit))
        except ModelError as error:
            self.refining.failures.append(str(error))
        self.refining.n_pairs += len(cached.calls)
        self.refining.usage += cached.usage
        self._refined_at = self.playbook.read_current().revision

    def _record(
        self, position: QuestionPosition, attempted: QuestionAttempts, result: CuratorResult, playbook: Playbook
    ) -> Record:
        return record_of(self.run.id, position, attempted, result, self.playbook.measure_size(playbook))

    def _append_all(self, trace: str | None, records: Sequence[Record]) -> None:
        """Write records; even if the process is killed, either all of them or none are written."""
        if trace is None and len(records) > 1:
            self.run.set_pending(None, records)
        for record in records:
            self._append_record(record)
        self.run.clear_pending()

    def _append_record(self, record: Record, *, is_checked: bool = False) -> None:
        self.run.append_record(record)
        if self._is_due(record):
            self._count_seen(is_checked=is_checked)

    def _is_due(self, record: Mapping[str, Json]) -> bool:
        n = record.get("n")
        if not isinstance(n, int):
            return False
        in_epoch, size = self.plan.position_in_epoch(n)
        return in_epoch == size or in_epoch % SEEN_EVERY == 0

    def _count_seen(self, *, is_checked: bool = False) -> None:
        """Count how often bullets were in prompts since the last count."""
        epoch, n = self.run.records[-1].get("epoch"), self.run.records[-1].get("n")
        trace = f"{self.run.id}/{epoch}/seen-{n}"
        if is_checked and has_trace(self.playbook.path, trace):
            return
        counts: Counter[str] = Counter()
        for idx, record in enumerate(reversed(self.run.records)):
            if idx and self._is_due(record):
                break
            ids = record.get("shown")
            counts.update(str(each) for each in (ids if isinstance(ids, list) else ()))
        self.playbook.change_file(
            lambda playbook: _add_seen(playbook, counts), time=self.now(), trace=trace, actor=CURATOR
        )


_UNKNOWN = Failure("", "", "")


def _add_seen(playbook: Playbook, counts: Mapping[str, int]) -> Curated:
    """Add prompt counts to the bullets of a playbook; ids of merged bullets count for the merged one."""
    n_seen: Counter[str] = Counter()
    for name, n in counts.items():
        if name in playbook.by_id:
            n_seen[playbook.by_id[name].id] += n
    if not n_seen:
        return Curated(playbook, Report())
    bullets = tuple(
        replace(each, seen=each.seen + n_seen[each.id]) if each.id in n_seen else each for each in playbook.bullets
    )
    pairs = zip(playbook.bullets, bullets, strict=True)
    applied = tuple(
        Applied("SEEN", "", new.id, old, new, f"in {n_seen[new.id]} more prompts")
        for old, new in pairs
        if old is not new
    )
    return Curated(replace(playbook, bullets=bullets, revision=playbook.revision + 1), Report(applied))
