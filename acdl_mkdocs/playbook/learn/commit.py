"""What questions taught, put into the playbook exactly once; and which questions a run asks."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from hashlib import sha256

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.curator import Curating, Taught, propose
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.loop_playbook import CURATOR, Retrieved
from acdl_mkdocs.playbook.learn.models import ModelError, Usage
from acdl_mkdocs.playbook.learn.pair_judge import ModelJudge
from acdl_mkdocs.playbook.learn.replay_cache import Heard
from acdl_mkdocs.playbook.learn.role_models import ByRole
from acdl_mkdocs.playbook.learn.run_file import Run
from acdl_mkdocs.playbook.learn.trajectory import Attempted, Failure, Learned, Place, Record, record_of
from acdl_mkdocs.playbook.model.bullets import Playbook, Provenance
from acdl_mkdocs.playbook.model.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.model.delta import delta_of
from acdl_mkdocs.playbook.model.near_pairs import Decision
from acdl_mkdocs.playbook.model.refine import Refining, is_due, refine, refined
from acdl_mkdocs.playbook.model.report import Applied, Report
from acdl_mkdocs.playbook.similarity import similarity
from acdl_mkdocs.playbook.store.load import has_trace
from acdl_mkdocs.prompts.prompt import Json


def order_of(samples: Sequence[Sample], seed: int, epoch: int) -> list[Sample]:
    """The samples in the order of an epoch, the same on every machine and in every version of Python."""
    return sorted(samples, key=lambda sample: sha256(f"{seed}/{epoch}/{sample.id}".encode()).digest())


@dataclass(frozen=True)
class Plan:
    """The questions of a run. They are numbered from 1, over all epochs."""

    epochs: tuple[tuple[Sample, ...], ...]
    """None is empty. The last one of an online run is its stream, those before it are its warm-up."""
    window: int = 1
    """Questions that are answered with the same playbook."""
    batch: int = 1
    """Questions that one delta is made of; a window is made of whole batches."""
    is_online: bool = False

    @cached_property
    def questions(self) -> tuple[Sample, ...]:
        """All of them, in the order in which they are asked."""
        return tuple(sample for epoch in self.epochs for sample in epoch)

    @cached_property
    def _starts(self) -> list[int]:
        """How many questions are before each epoch."""
        starts = [0]
        for epoch in self.epochs:
            starts.append(starts[-1] + len(epoch))
        return starts

    def within(self, n: int) -> tuple[int, int]:
        """Which question of its epoch a question is, from 1, and how many that epoch has."""
        idx = self._epoch_of(n)
        return n - self._starts[idx], len(self.epochs[idx])

    def is_warm_up(self, epoch: int) -> bool:
        """Whether an epoch only prepares the playbook for the stream of an online run."""
        return self.is_online and epoch < len(self.epochs)

    def place(self, n: int) -> Place:
        """The place of a question."""
        return Place(n, self._epoch_of(n) + 1, self.questions[n - 1].id)

    def n_before_in_window(self, n: int) -> int:
        """How many questions of the same window come before a question."""
        return (self.within(n)[0] - 1) % self.window

    def window_after(self, n_done: int) -> list[Place]:
        """The questions of the next window that are not done; none spans two epochs."""
        if n_done == len(self.questions):
            return []
        in_epoch, size = self.within(n_done + 1)
        rest = self.window - (in_epoch - 1) % self.window
        return [self.place(n_done + 1 + idx) for idx in range(min(rest, size - in_epoch + 1))]

    def batches(self, window: Sequence[Place]) -> Iterator[list[Place]]:
        """The batches of a window, or of what is left of one."""
        found: list[Place] = []
        for place in window:
            found.append(place)
            in_epoch, size = self.within(place.n)
            if in_epoch % self.batch == 0 or in_epoch == size:
                yield found
                found = []

    def n_points(self, n: int, every: int | None) -> int:
        """How often a playbook is due to be validated until question `n` is done: first before any question.

        Parameters:
            n: Questions that are done.
            every: So many questions; `None` is an epoch.
        """
        ends = {end for end in self._starts if end <= n}
        return len(ends if every is None else ends.union(range(every, n + 1, every)))

    def _epoch_of(self, n: int) -> int:
        return next(idx for idx, end in enumerate(self._starts[1:]) if n <= end)


SEEN_EVERY = 50
"""Questions after which it is counted in the playbook how often its bullets were in prompts; also after each epoch."""


_VERDICTS = "verdicts.jsonl"


@dataclass
class Judged:
    """What a model was asked about near lessons, since this process works on the run."""

    n_pairs: int = 0
    usage: Usage = field(default_factory=Usage)
    failures: list[str] = field(default_factory=list)
    """Why some were not decided."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and what was done about it."""

    place: Place
    sample: Sample
    attempted: Attempted

    @property
    def teaches(self) -> bool:
        """Whether there is something for the curator: an insight, or a lesson that did harm."""
        attempted = self.attempted
        if attempted.failure is not None or not attempted.reflections:
            return False
        return bool(attempted.reflections[-1].insight) or "harmful" in attempted.tags.values()

    @property
    def taught(self) -> Taught:
        """What the curator is told."""
        return Taught(self.place.n, self.sample, self.attempted.reflections[-1], self.attempted.tags)

    def tags(self, *, is_one_of_many: bool) -> list[Json]:
        """The operations that count the tags; in a delta of many questions they say which one it was."""
        about: dict[str, Json] = {"sample": self.place.sample} if is_one_of_many else {}
        return [{"type": "TAG", "bullet_id": name, "tag": tag, **about} for name, tag in self.attempted.tags.items()]


class Committer:
    """Settles batches of questions in their order.

    A question at which the model failed changes nothing. A batch of nothing but such questions is written down only
    once a later one succeeds: if the model stays away, the run stops and goes on with the first of them.

    Parameters:
        run: Where records go.
        playbook: What is changed.
        models: Who curates, and who reflected.
        plan: The questions.
        seed: For models that take one.
        now: The time for the history.
    """

    def __init__(
        self, run: Run, playbook: Retrieved, models: ByRole, plan: Plan, seed: int, now: Callable[[], str | None]
    ) -> None:
        self.run, self.playbook, self.models = run, playbook, models
        self.plan, self.seed, self.now = plan, seed, now
        self._held: list[Record] = []
        self.n_failed = 0
        """How often in a row the model failed."""
        self._refined_at = -1
        self.refining = Judged()
        self.last_failure: Failure | None = None

    def has_to_stop(self, most: int) -> bool:
        """Whether it is of no use to go on."""
        return self.n_failed >= most or (self.n_failed > 0 and (self.last_failure or _UNKNOWN).is_final)

    def recover(self) -> None:
        """Finish what a killed process left."""
        if self.run.records and self._is_due(self.run.records[-1]):
            self._count_seen(is_checked=True)
        for record in self.run.pending(lambda trace: has_trace(self.playbook.path, trace)):
            self._append(record, is_checked=True)
        self.run.clear_pending()
        if self.run.records:
            self._refine()

    def settle(self, batch: Sequence[Answered]) -> list[Record]:
        """Curate what was learned from the questions of a batch, or hold them back if the model failed.

        Returns:
            The records that are written down by this.

        Raises:
            PlaybookError: The playbook cannot be changed.
        """
        failures = [each.attempted.failure for each in batch if each.attempted.failure is not None]
        final = next((each for each in failures if each.is_final), None)
        if final is not None or len(failures) == len(batch):
            return self._hold(batch, Learned(), final or failures[-1], len(failures))
        learned, failure = self._curated([each for each in batch if each.attempted.failure is None])
        if failure is not None:
            return self._hold(batch, learned, failure, 1)
        self.n_failed = 0
        records = self._commit(batch, learned)
        self._refine()
        return records

    def finish(self) -> list[Record]:
        """Write down what is held back."""
        records, self._held = self._held, []
        self._append_all(None, records)
        return records

    def _hold(self, batch: Sequence[Answered], learned: Learned, failure: Failure, n_failed: int) -> list[Record]:
        self.last_failure, self.n_failed = failure, self.n_failed + n_failed
        playbook = self.playbook.current()
        for idx, each in enumerate(batch, 1):
            attempted = replace(each.attempted, failure=each.attempted.failure or failure)
            learned_last = learned if idx == len(batch) else Learned()
            self._held.append(self._record(each.place, attempted, learned_last, playbook))
        return []

    def _curated(self, batch: Sequence[Answered]) -> tuple[Learned, Failure | None]:
        """The delta of a batch: the tags of the reflector, and what the curator proposes if there is an insight."""
        tags = [tag for each in batch for tag in each.tags(is_one_of_many=self.plan.batch > 1)]
        taught = tuple(each.taught for each in batch if each.teaches)
        if not taught:
            return Learned({"reasoning": "", "operations": tags} if tags else None), None
        playbook = self.playbook.current()
        curating = Curating(taught, self.playbook.size(playbook).model_tokens, self.playbook.top_k)
        heard = Heard(self.models.curator, self.run.replies(batch[-1].place.n))
        try:
            proposed = propose(heard, playbook, curating, seed=self.seed)
        except ModelError as error:
            failure = Failure(CURATOR, type(error).__name__, str(error), error.is_final)
            return Learned(said=tuple(heard.said), usage=heard.usage), failure
        operations = [*tags, *proposed.operations]
        delta: Record | None = {"reasoning": proposed.reasoning, "operations": operations} if operations else None
        return Learned(delta, proposed.refused, proposed.notes, said=tuple(heard.said), usage=heard.usage), None

    def _commit(self, batch: Sequence[Answered], learned: Learned) -> list[Record]:
        """Change the playbook once, and write the records down: that of the last question has the delta."""
        held, self._held = self._held, []
        last = batch[-1].place
        trace = f"{self.run.id}/{last.epoch}/{last.sample}"
        samples = ", ".join(each.place.sample for each in batch if each.teaches) or last.sample
        source = Provenance("reflector", self.run.id, samples, self.models.reflector.name)

        def records(learned: Learned, playbook: Playbook) -> list[Record]:
            made = [self._record(each.place, each.attempted, Learned(), playbook) for each in batch[:-1]]
            return [*held, *made, self._record(last, batch[-1].attempted, learned, playbook)]

        found = records(learned, self.playbook.current())

        def change(playbook: Playbook) -> Curated:
            nonlocal found
            curated = curate(playbook, delta_of(learned.delta), curation_of(playbook, CURATOR, source=source))
            found = records(replace(learned, report=curated.report), curated.playbook)
            self.run.set_pending(trace, found)
            return curated

        if learned.delta is None:
            self._append_all(None, found)
        else:
            self.playbook.change(change, time=self.now(), trace=trace, actor=CURATOR)
            self._append_all(trace, found)
        return found

    def _refine(self) -> None:
        """Have the model decide about near lessons, where the policy wants that.

        It asks about nothing that is decided, so doing it once more after a kill does no harm.
        """
        playbook = self.playbook.current()
        size = self.playbook.size(playbook).model_tokens
        if not is_due(playbook, self._refined_at, size):
            return
        heard = Heard(self.models.curator, self.run.folder / "replies" / _VERDICTS)
        judge = ModelJudge(heard, self.seed)

        def commit(decisions: Sequence[Decision]) -> Playbook:
            self.playbook.change(
                lambda found: refined(found, decisions, curation_of(found, judge.name)),
                time=self.now(),
                trace=f"{self.run.id}/refine",
                actor=judge.name,
            )
            return self.playbook.current()

        try:
            refine(Refining(judge, similarity(playbook.policy.similarity), commit))
        except ModelError as error:
            self.refining.failures.append(str(error))
        self.refining.n_pairs += len(heard.said)
        self.refining.usage += heard.usage
        self._refined_at = self.playbook.current().revision

    def _record(self, place: Place, attempted: Attempted, learned: Learned, playbook: Playbook) -> Record:
        return record_of(self.run.id, place, attempted, learned, self.playbook.size(playbook))

    def _append_all(self, trace: str | None, records: Sequence[Record]) -> None:
        """Write records down: after a kill all of them, or none."""
        if trace is None and len(records) > 1:
            self.run.set_pending(None, records)
        for record in records:
            self._append(record)
        self.run.clear_pending()

    def _append(self, record: Record, *, is_checked: bool = False) -> None:
        self.run.append(record)
        if self._is_due(record):
            self._count_seen(is_checked=is_checked)

    def _is_due(self, record: Mapping[str, Json]) -> bool:
        n = record.get("n")
        if not isinstance(n, int):
            return False
        in_epoch, size = self.plan.within(n)
        return in_epoch == size or in_epoch % SEEN_EVERY == 0

    def _count_seen(self, *, is_checked: bool = False) -> None:
        """Count how often bullets were in prompts since it was last counted."""
        epoch, n = self.run.records[-1].get("epoch"), self.run.records[-1].get("n")
        trace = f"{self.run.id}/{epoch}/seen-{n}"
        if is_checked and has_trace(self.playbook.path, trace):
            return
        counts: Counter[str] = Counter()
        for idx, record in enumerate(reversed(self.run.records)):
            if idx and self._is_due(record):
                break
            shown = record.get("shown")
            counts.update(str(each) for each in (shown if isinstance(shown, list) else ()))
        self.playbook.change(lambda playbook: _seen(playbook, counts), time=self.now(), trace=trace, actor=CURATOR)


_UNKNOWN = Failure("", "", "")


def _seen(playbook: Playbook, counts: Mapping[str, int]) -> Curated:
    """A playbook whose bullets were in so many more prompts; ids of merged bullets count for the merged one."""
    n_seen: Counter[str] = Counter()
    for name, n in counts.items():
        if name in playbook.by_id:
            n_seen[playbook.by_id[name].id] += n
    if not n_seen:
        return Curated(playbook, Report())
    bullets = tuple(
        replace(each, seen=each.seen + n_seen[each.id]) if each.id in n_seen else each for each in playbook.bullets
    )
    found = zip(playbook.bullets, bullets, strict=True)
    applied = tuple(
        Applied("SEEN", "", new.id, old, new, f"in {n_seen[new.id]} more prompts")
        for old, new in found
        if old is not new
    )
    return Curated(replace(playbook, bullets=bullets, revision=playbook.revision + 1), Report(applied))
