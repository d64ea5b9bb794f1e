"""What a question taught, put into the playbook exactly once, and its record into the trajectory.

The order of writing is what makes a run survive any kill: replies, then the record as pending, then the playbook with
the question as its trace, then the record in the trajectory.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from acdl_mkdocs.frozen import dataclass
from acdl_mkdocs.learning.attempt import Attempted, Failure
from acdl_mkdocs.learning.curating import Curating, propose
from acdl_mkdocs.learning.datasets import Sample
from acdl_mkdocs.learning.heard import Heard
from acdl_mkdocs.learning.pair_judge import ModelJudge
from acdl_mkdocs.learning.retrieved import Retrieved
from acdl_mkdocs.learning.run_file import Run
from acdl_mkdocs.learning.trajectory import Learned, Place, Record, record_of
from acdl_mkdocs.models import Model, ModelError, Usage
from acdl_mkdocs.playbook.bullets import Playbook, Provenance
from acdl_mkdocs.playbook.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.decisions import Decision
from acdl_mkdocs.playbook.delta import delta_of
from acdl_mkdocs.playbook.refine import Refining, is_due, refine, refined
from acdl_mkdocs.playbook.report import Applied, Report
from acdl_mkdocs.prompt import Json
from acdl_mkdocs.similarity import similarity
from acdl_mkdocs.store.load import has_trace

CURATOR = "curator"
"""Actor in the history of everything that a run changes."""
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


class Committer:
    """Settles questions in their order.

    A question at which the model failed changes nothing, and is written down only once a later one succeeds: if the
    model stays away, the run stops and goes on with the first of them.

    Parameters:
        run: Where records go.
        playbook: What is changed.
        model: Who curates.
        n_samples: Questions of an epoch.
        seed: For models that take one.
        now: The time for the history.
    """

    def __init__(
        self, run: Run, playbook: Retrieved, model: Model, n_samples: int, seed: int, now: Callable[[], str | None]
    ) -> None:
        self.run, self.playbook, self.model = run, playbook, model
        self.n_samples, self.seed, self.now = n_samples, seed, now
        self._held: list[Record] = []
        self._refined_at = -1
        self.refining = Judged()
        self.last_failure: Failure | None = None

    @property
    def n_held(self) -> int:
        """How many questions in a row the model failed at."""
        return len(self._held)

    def has_to_stop(self, most: int) -> bool:
        """Whether it is of no use to go on."""
        return bool(self._held) and (self.n_held >= most or (self.last_failure or _UNKNOWN).is_final)

    def recover(self) -> None:
        """Finish what a killed process left."""
        self.run.settle(lambda trace: has_trace(self.playbook.path, trace))
        if self.run.records and self._is_due(self.run.records[-1]):
            self._count_seen(is_checked=True)
        if self.run.records:
            self._refine()

    def settle(self, place: Place, sample: Sample, attempted: Attempted) -> list[Record]:
        """Curate what was learned from a question, or hold it back if the model failed.

        Returns:
            The records that are written down by this.

        Raises:
            PlaybookError: The playbook cannot be changed.
        """
        learned = Learned()
        if attempted.failure is None:
            attempted, learned = self._curated(place, sample, attempted)
        if attempted.failure is not None:
            self.last_failure = attempted.failure
            self._held.append(self._record(place, attempted, learned, self.playbook.current()))
            return []
        records = [*self.finish(), self._commit(place, sample, attempted, learned)]
        self._refine()
        return records

    def finish(self) -> list[Record]:
        """Write down what is held back."""
        records, self._held = self._held, []
        for record in records:
            self._append(record)
        return records

    def _curated(self, place: Place, sample: Sample, attempted: Attempted) -> tuple[Attempted, Learned]:
        """The delta of a question: the tags of the reflector, and what the curator proposes if there is an insight."""
        tags: list[Json] = [{"type": "TAG", "bullet_id": name, "tag": tag} for name, tag in attempted.tags.items()]
        reflected = attempted.reflections[-1] if attempted.reflections else None
        if reflected is None or not (reflected.insight or "harmful" in attempted.tags.values()):
            return attempted, Learned({"reasoning": "", "operations": tags} if tags else None)
        playbook = self.playbook.current()
        size = self.playbook.size(playbook).model_tokens
        curating = Curating(reflected=reflected, tags=attempted.tags, size=size, top=self.playbook.top_k, place=place.n)
        heard = Heard(self.model, self.run.replies(place.n))
        try:
            proposed = propose(heard, sample, playbook, curating, seed=self.seed)
        except ModelError as error:
            failure = Failure(CURATOR, type(error).__name__, str(error), error.is_final)
            return replace(attempted, failure=failure), Learned(said=tuple(heard.said), usage=heard.usage)
        operations = [*tags, *proposed.operations]
        delta: Record | None = {"reasoning": proposed.reasoning, "operations": operations} if operations else None
        return attempted, Learned(delta, proposed.refused, proposed.notes, said=tuple(heard.said), usage=heard.usage)

    def _commit(self, place: Place, sample: Sample, attempted: Attempted, learned: Learned) -> Record:
        """Change the playbook once, and write the record down."""
        trace = f"{self.run.id}/{place.epoch}/{sample.id}"
        source = Provenance("reflector", self.run.id, sample.id, self.model.name)
        record = self._record(place, attempted, learned, self.playbook.current())

        def change(playbook: Playbook) -> Curated:
            nonlocal record
            curated = curate(playbook, delta_of(learned.delta), curation_of(playbook, CURATOR, source=source))
            told = replace(learned, report=curated.report)
            record = self._record(place, attempted, told, curated.playbook)
            self.run.set_pending(trace, record)
            return curated

        if learned.delta is not None:
            self.playbook.change(change, time=self.now(), trace=trace, actor=CURATOR)
        self._append(record)
        return record

    def _refine(self) -> None:
        """Have the model decide about near lessons, where the policy wants that.

        It asks about nothing that is decided, so doing it once more after a kill does no harm.
        """
        playbook = self.playbook.current()
        size = self.playbook.size(playbook).model_tokens
        if not is_due(playbook, self._refined_at, size):
            return
        heard = Heard(self.model, self.run.folder / "replies" / _VERDICTS)
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

    def _append(self, record: Record) -> None:
        self.run.append(record)
        if self._is_due(record):
            self._count_seen()

    def _is_due(self, record: Mapping[str, Json]) -> bool:
        n = record.get("n")
        in_epoch = (n - 1) % self.n_samples + 1 if isinstance(n, int) else 0
        return in_epoch == self.n_samples or in_epoch % SEEN_EVERY == 0

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
