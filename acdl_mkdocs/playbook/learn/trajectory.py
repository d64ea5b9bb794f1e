"""The trajectory of a run: one record a question, with attempts and reflections."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, field, fields, replace
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.agents import agent_of, generate_with
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.models import Model, ModelError, Usage
from acdl_mkdocs.playbook.learn.replay_cache import CachedModel, ModelCall
from acdl_mkdocs.playbook.learn.roles import (
    AttemptOutcome,
    GeneratorReply,
    PromptLessons,
    ReflectorReply,
    generate_answer,
    reflect_on,
)
from acdl_mkdocs.playbook.learn.scorers import Judge, Verdict
from acdl_mkdocs.playbook.model.bullets import Playbook, TagName
from acdl_mkdocs.playbook.model.prompt_text import prompt_text
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.prompts.prompt import Json


@dataclass(frozen=True, slots=True)
class Job:
    """One question to work on."""

    model: Model
    sample: Sample
    playbook: Playbook
    lessons: PromptLessons
    judge: Judge
    rounds: int
    seed: int | None = None
    replies: Path | None = None
    """File of the replies so far."""
    reflector: Model | None = None
    """The model that reflects; `None` means the model that answers."""


@runtime_checkable
class HasLessons(Protocol):
    """An agent that knows its lessons, such as a recorded one."""

    def find_lessons(self, playbook: Playbook, sample: Sample) -> PromptLessons:
        """Return its lessons for a sample."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a question failed."""

    role: str
    kind: str
    """Class of the error: `CutReplyError`."""
    message: str
    is_final: bool = False
    """Whether every other question will fail in the same way."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer and its verdict."""

    generated: GeneratorReply
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class QuestionAttempts:
    """The attempts at one question."""

    revision: int
    """Revision of the playbook that was used."""
    attempts: tuple[Attempt, ...] = ()
    """The first one is the answer that counts."""
    reflections: tuple[ReflectorReply, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None
    shown_ids: tuple[str, ...] = ()
    """Ids of the bullets in the prompt of the generator."""

    @property
    def tags(self) -> dict[str, TagName]:
        """One tag a bullet: that of the last reflection with one."""
        return {name: tag for each in self.reflections for name, tag in each.tags.items()}


def attempt_question(job: Job) -> QuestionAttempts:
    """Answer and reflect, round after round; a failure of the model is part of the result.

    Reflection ends when the answer is right, when the reflector has nothing to add, or after the last round. Between
    two rounds the question is answered again, if the new answer can be judged.
    """
    cached = CachedModel(job.model, job.replies)
    agent = agent_of(job.model)
    answers_again = getattr(agent, "answers_again", True)
    lessons = agent.find_lessons(job.playbook, job.sample) if isinstance(agent, HasLessons) else job.lessons
    attempts: list[Attempt] = []
    reflections: list[ReflectorReply] = []
    failure: Failure | None = None
    role = "generator"
    try:
        attempts.append(_answer_question(job, lessons, cached, []))
        role = "reflector"
        while len(reflections) < job.rounds:
            reflections.append(_reflect_once(job, cached, attempts, reflections))
            if _is_enough(job, attempts, reflections):
                break
            if attempts[-1].verdict.score is not None and answers_again:
                role = "generator"
                earlier = [(each.generated, reflections[idx]) for idx, each in enumerate(attempts)]
                attempts.append(_answer_question(job, lessons, cached, earlier))
                role = "reflector"
                if attempts[-1].verdict.is_right:
                    break
    except ModelError as error:
        failure = Failure(role, type(error).__name__, str(error), error.is_final)
    return QuestionAttempts(
        job.playbook.revision,
        tuple(attempts),
        tuple(reflections),
        tuple(cached.calls),
        cached.usage,
        failure,
        tuple(dict.fromkeys(lessons.ids.values())),
    )


def _answer_question(
    job: Job, lessons: PromptLessons, cached: CachedModel, earlier: Sequence[tuple[GeneratorReply, ReflectorReply]]
) -> Attempt:
    """Return the answer of the model, or of the agent in its place."""
    agent = agent_of(job.model)
    if agent is not None:
        generated = generate_with(agent, cached, job.sample, lessons, earlier, seed=job.seed)
    else:
        rounds = [(each.text, reflected) for each, reflected in earlier]
        generated = generate_answer(cached, job.sample, lessons, rounds, seed=job.seed)
    return Attempt(generated, job.judge.judge_answer(job.sample, generated.answer))


def _reflect_once(
    job: Job, cached: CachedModel, attempts: Sequence[Attempt], earlier: Sequence[ReflectorReply]
) -> ReflectorReply:
    """Reflect in one round: lessons that any attempt used may be tagged."""
    used = [name for each in attempts for name in each.generated.bullet_ids]
    bullets = [job.playbook.by_id[name] for name in dict.fromkeys(used)]
    lessons = prompt_text(job.playbook, bullets=bullets) if bullets else ""
    tried = [AttemptOutcome(each.generated.text, each.verdict.words) for each in attempts]
    return reflect_on(
        cached.wrap_model(job.reflector or job.model),
        job.sample,
        lessons,
        {each.id for each in bullets},
        tried,
        earlier,
        seed=job.seed,
    )


def _is_enough(job: Job, attempts: Sequence[Attempt], reflections: Sequence[ReflectorReply]) -> bool:
    """Return whether another round would be useless."""
    last = reflections[-1]
    is_same = len(reflections) > 1 and last.words == reflections[-2].words
    return attempts[-1].verdict.is_right or last.is_final or is_same or len(reflections) >= job.rounds


SCHEMA_VERSION = 1
OTHER_REASONS = "other reasons"
_MAX_REASONS, _MAX_REASON = 20, 300
Record: TypeAlias = dict[str, Json]
_NOT_COUNTED = ("TAG",)
"""Entries of a report that do not change lessons."""


@dataclass(frozen=True, slots=True)
class QuestionPosition:
    """The position of a question in a run."""

    n: int
    """From 1, over all epochs."""
    epoch: int
    sample: str


@dataclass(frozen=True, slots=True)
class PlaybookSize:
    """The size of a playbook after a question."""

    revision: int
    n_bullets: int
    model_tokens: int


@dataclass(frozen=True, slots=True)
class CuratorResult:
    """The result of the curator for a question."""

    delta: Record | None = None
    """As applied: the reflector's tags, then the curator's proposals."""
    refused: tuple[str, ...] = ()
    """Proposals that are not allowed."""
    notes: tuple[str, ...] = ()
    """Ignored parts of its operations."""
    report: Report = field(default_factory=Report)
    calls: tuple[ModelCall, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals over the questions of a run."""

    n_questions: int = 0
    """Questions that were asked."""
    n_scored: int = 0
    """Questions whose answer could be judged; failures of the model are included."""
    score: float = 0.0
    """Sum of the scores of first answers."""
    n_right: int = 0
    """First answers that were right."""
    n_right_later: int = 0
    """Questions answered correctly after a reflection."""
    n_failures: int = 0
    """Questions without an answer, because the agent or the model failed."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """The number of unanswered questions for each reason."""
    n_unknown_ids: int = 0
    """Ids that were cited or tagged and do not exist."""
    n_applied: int = 0
    """Applied operations without tags, and merges or prunings because of them."""
    n_rejected: int = 0
    """Operations that were not applied, and deltas that were refused as a whole."""
    usage: Usage = field(default_factory=Usage)
    """Model tokens of all calls."""

    @property
    def accuracy(self) -> float | None:
        """The mean score of first answers; `None` if nothing could be judged."""
        return self.score / self.n_scored if self.n_scored else None


def record_of(
    run: str, position: QuestionPosition, attempted: QuestionAttempts, result: CuratorResult, size: PlaybookSize
) -> Record:
    """Return the record of a question."""
    usage = attempted.usage + result.usage
    calls = (*attempted.calls, *result.calls)
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run,
        "n": position.n,
        "epoch": position.epoch,
        "sample": position.sample,
        "score": score_of(attempted),
        "revision_read": attempted.revision,
        "attempts": [_attempt(each) for each in attempted.attempts],
        "reflections": [{**asdict(each), "dropped": list(each.dropped)} for each in attempted.reflections],
        "delta": result.delta,
        "refused": list(result.refused),
        "notes": list(result.notes),
        "report": _report(result.report),
        "failure": None if attempted.failure is None else asdict(attempted.failure),
        "shown": list(attempted.shown_ids),
        "calls": [{"prompt": each.prompt, "model": each.reply.model, "reply": each.reply.text} for each in calls],
        "usage": asdict(usage),
        "playbook": asdict(size),
    }


def score_of(attempted: QuestionAttempts) -> float | None:
    """Return the score of the first answer; 0 if the model failed, `None` if it cannot be judged."""
    if attempted.attempts:
        return attempted.attempts[0].verdict.score
    return 0.0 if attempted.failure is not None else None


def add_record(totals: Totals, record: Mapping[str, Json]) -> Totals:
    """Add the record of a question to totals."""
    score = record.get("score")
    is_scored = isinstance(score, (int, float))
    attempts, reflections = _maps(record.get("attempts")), _maps(record.get("reflections"))
    report, used = _map(record.get("report")), _map(record.get("usage"))
    value = float(score) if isinstance(score, (int, float)) else 0.0
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
        n_right_later=totals.n_right_later + any(isinstance(each, (int, float)) and each >= 1 for each in later),
        n_failures=totals.n_failures + (record.get("failure") is not None),
        n_unknown_ids=totals.n_unknown_ids + n_unknown,
        n_applied=totals.n_applied + len(applied),
        n_rejected=totals.n_rejected + _n(report.get("rejected")) + _n(record.get("refused")),
        usage=totals.usage + Usage(*(_int(used.get(each.name)) for each in fields(Usage))),
        failures=_count_failure(totals.failures, _map(record.get("failure"))),
    )


def reason_of(role: str, message: str) -> str:
    """Return why a question has no answer, short and general enough for many questions to share it."""
    line = " ".join(message.split())
    return f"{role}: {line if len(line) <= _MAX_REASON else line[:_MAX_REASON] + '…'}"


def count_reason(counts: Mapping[str, int], reason: str) -> dict[str, int]:
    """Count a reason; when there are too many different ones, the rest count together."""
    key = reason if reason in counts or len(counts) < _MAX_REASONS else OTHER_REASONS
    return {**counts, key: counts.get(key, 0) + 1}


def _count_failure(counts: Mapping[str, int], failure: Mapping[str, Json]) -> Mapping[str, int]:
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
