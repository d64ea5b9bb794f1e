"""The trajectory of a run: one record a question, with everything that was asked, said, concluded and changed.

A record has no time and nothing of how fast or where it was made, so that a run that was killed and one that was not
leave the same bytes. Totals and points are worked out from records alone.
"""

from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.attempt import Attempt, Attempted
from acdl_mkdocs.learning.heard import Said
from acdl_mkdocs.models import Usage
from acdl_mkdocs.playbook.report import Report
from acdl_mkdocs.prompts.prompt import Json

SCHEMA_VERSION = 1
OTHER_REASONS = "other reasons"
_MAX_REASONS, _MAX_REASON = 20, 300
Record: TypeAlias = dict[str, Json]
_NOT_COUNTED = ("TAG",)
"""What a report tells beside changes of lessons."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which question of a run it is."""

    n: int
    """From 1, over all epochs."""
    epoch: int
    sample: str


@dataclass(frozen=True, slots=True)
class Size:
    """A playbook after a question."""

    revision: int
    n_bullets: int
    model_tokens: int


@dataclass(frozen=True, slots=True)
class Learned:
    """What the curator made of a question."""

    delta: Record | None = None
    """As it was applied: the reflector's tags, then what the curator proposed."""
    refused: tuple[str, ...] = ()
    """What it may not propose."""
    notes: tuple[str, ...] = ()
    """What of its operations was ignored."""
    report: Report = field(default_factory=Report)
    said: tuple[Said, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the questions of a run."""

    n_questions: int = 0
    n_scored: int = 0
    """Those whose answer could be judged; failures of the model count among them."""
    score: float = 0.0
    """Sum of the scores of first answers."""
    n_right: int = 0
    """First answers that were right."""
    n_right_later: int = 0
    """Questions answered rightly after a reflection."""
    n_failures: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    """Why questions were not answered: how many for each reason."""
    n_unknown_ids: int = 0
    """Ids that were cited or tagged and were not there."""
    n_applied: int = 0
    """Operations that were applied, tags not counted, and what was merged or pruned for them."""
    n_rejected: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def accuracy(self) -> float | None:
        """Mean score of first answers; `None` where nothing could be judged."""
        return self.score / self.n_scored if self.n_scored else None


def record_of(run: str, place: Place, attempted: Attempted, learned: Learned, size: Size) -> Record:
    """What is written down about a question."""
    usage = attempted.usage + learned.usage
    calls = (*attempted.said, *learned.said)
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run,
        "n": place.n,
        "epoch": place.epoch,
        "sample": place.sample,
        "score": score_of(attempted),
        "revision_read": attempted.revision,
        "attempts": [_attempt(each) for each in attempted.attempts],
        "reflections": [{**asdict(each), "dropped": list(each.dropped)} for each in attempted.reflections],
        "delta": learned.delta,
        "refused": list(learned.refused),
        "notes": list(learned.notes),
        "report": _report(learned.report),
        "failure": None if attempted.failure is None else asdict(attempted.failure),
        "shown": list(attempted.shown),
        "calls": [{"prompt": each.prompt, "model": each.reply.model, "reply": each.reply.text} for each in calls],
        "usage": asdict(usage),
        "playbook": asdict(size),
    }


def score_of(attempted: Attempted) -> float | None:
    """Score of the first answer; 0 where the model failed to give one, `None` where it cannot be judged."""
    if attempted.attempts:
        return attempted.attempts[0].verdict.score
    return 0.0 if attempted.failure is not None else None


def add(totals: Totals, record: Mapping[str, Json]) -> Totals:
    """Totals with one more question."""
    score = record.get("score")
    is_scored = isinstance(score, int | float)
    attempts, reflections = _maps(record.get("attempts")), _maps(record.get("reflections"))
    report, used = _map(record.get("report")), _map(record.get("usage"))
    value = float(score) if isinstance(score, int | float) else 0.0
    later = [each.get("score") for each in attempts[1:]]
    n_unknown = sum(_n(each.get("unknown_ids")) for each in attempts) + sum(
        _n(each.get("dropped")) for each in reflections
    )
    applied = [each for each in _maps(report.get("applied")) if each.get("op") not in _NOT_COUNTED]
    return replace(
        totals,
        n_questions=totals.n_questions + 1,
        n_scored=totals.n_scored + is_scored,
        score=totals.score + value,
        n_right=totals.n_right + (value >= 1),
        n_right_later=totals.n_right_later + any(isinstance(each, int | float) and each >= 1 for each in later),
        n_failures=totals.n_failures + (record.get("failure") is not None),
        n_unknown_ids=totals.n_unknown_ids + n_unknown,
        n_applied=totals.n_applied + len(applied),
        n_rejected=totals.n_rejected + _n(report.get("rejected")) + _n(record.get("refused")),
        usage=totals.usage + Usage(*(_int(used.get(each.name)) for each in fields(Usage))),
        failures=_counted(totals.failures, _map(record.get("failure"))),
    )


def reason_of(role: str, message: str) -> str:
    """Why a question has no answer, so short and general that many questions can share it."""
    line = " ".join(message.split())
    return f"{role}: {line if len(line) <= _MAX_REASON else line[:_MAX_REASON] + '…'}"


def count_reason(counts: Mapping[str, int], reason: str) -> dict[str, int]:
    """Counts with one more; behind the most reasons that are told apart, others count together."""
    known = reason if reason in counts or len(counts) < _MAX_REASONS else OTHER_REASONS
    return {**counts, known: counts.get(known, 0) + 1}


def _counted(counts: Mapping[str, int], failure: Mapping[str, Json]) -> Mapping[str, int]:
    if not failure:
        return counts
    return count_reason(counts, reason_of(str(failure.get("role")), str(failure.get("message"))))


def _attempt(each: Attempt) -> Record:
    generated, verdict = each.generated, each.verdict
    return {
        "answer": generated.answer,
        "score": verdict.score,
        "outcome": verdict.words,
        "bullet_ids": list(generated.bullet_ids),
        "unknown_ids": list(generated.unknown_ids),
    }


def _report(report: Report) -> Record:
    applied: list[Json] = [
        {
            "op": each.op,
            "path": each.path,
            "id": each.id,
            "other": each.other,
            "reason": each.reason,
        }
        for each in report.applied
    ]
    return {"applied": applied, "rejected": [{"path": each.path, "message": str(each)} for each in report.rejected]}


def _map(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _maps(value: Json) -> list[dict[str, Json]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _n(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0


def _int(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
