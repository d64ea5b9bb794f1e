"""What an evaluation found, as data.

Knows nothing about models or files. `schema_version` of the data changes when a key changes its meaning.
"""

from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.chance import in_words, sign_test
from acdl_mkdocs.learning.evaluate import Evaluated, Outcome
from acdl_mkdocs.models import Usage
from acdl_mkdocs.prompts.prompt import Json

SCHEMA_VERSION = 1
Kind: TypeAlias = Literal["fixed", "broken", "better", "worse"]
"""`fixed` became right, `broken` is no longer right; the others changed without that."""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million model tokens cost, in any currency."""

    prompt: float = 0.0
    reply: float = 0.0

    def of(self, usage: Usage) -> float:
        """What was paid."""
        return (usage.prompt_model_tokens * self.prompt + usage.reply_model_tokens * self.reply) / _MILLION


@dataclass(frozen=True, slots=True)
class Conditions:
    """What both sides of a report have in common."""

    dataset: str
    scorer: str
    model: str
    seed: int | None = None
    price: Price | None = None
    notes: tuple[str, ...] = ()
    """What a reader has to know, such as what the server refused."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A sample whose score changed."""

    kind: Kind
    before: Outcome
    after: Outcome


@dataclass(frozen=True)
class Comparison:
    """An evaluation and another one of the same questions before it."""

    before: Evaluated
    after: Evaluated
    moved: tuple[Moved, ...] = field(init=False)
    """In the order of the data set."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "moved", tuple(_moved(self.before, self.after)))

    def count(self, *kinds: Kind) -> int:
        """How many samples moved in one of these ways."""
        return sum(each.kind in kinds for each in self.moved)

    @property
    def is_regression(self) -> bool:
        """Whether the accuracy fell."""
        return self.after.accuracy < self.before.accuracy

    @property
    def p_value(self) -> float:
        """Of the exact sign test over samples whose score changed."""
        return sign_test(self.count("fixed", "better"), self.count("broken", "worse"))

    @property
    def chance(self) -> str:
        """Whether the difference may be chance, in words."""
        return in_words(self.count("fixed", "better"), self.count("broken", "worse"))


@dataclass(frozen=True)
class Report:
    """An evaluation, with those that it is compared with."""

    conditions: Conditions
    after: Evaluated
    befores: tuple[Evaluated, ...] = ()
    comparisons: tuple[Comparison, ...] = field(init=False)
    """One for each of those."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "comparisons", tuple(Comparison(each, self.after) for each in self.befores))

    @property
    def sides(self) -> tuple[Evaluated, ...]:
        """All evaluations; the last is the one that the report is about."""
        return (*self.befores, self.after)


def _moved(before: Evaluated, after: Evaluated) -> list[Moved]:
    earlier = {each.sample.id: each for each in before.outcomes}
    found = []
    for now in after.outcomes:
        then = earlier.get(now.sample.id)
        if then is not None and then.score.value != now.score.value:
            is_up = now.score.value > then.score.value
            kind: Kind = "better" if is_up else "worse"
            if now.score.is_right:
                kind = "fixed"
            elif then.score.is_right:
                kind = "broken"
            found.append(Moved(kind, then, now))
    return found


def report_data(report: Report) -> dict[str, Json]:
    """A report as plain data: `before` and `change` are of the first comparison; of several, `against` has all."""
    conditions, comparisons = report.conditions, report.comparisons
    data: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "dataset": conditions.dataset,
        "scorer": conditions.scorer,
        "model": conditions.model,
        "seed": conditions.seed,
        "notes": list(conditions.notes),
    }
    if comparisons:
        data["before"] = _side(comparisons[0].before, conditions.price)
    data["after"] = _side(report.after, conditions.price)
    if comparisons:
        data["change"] = _change(comparisons[0])
    if len(comparisons) > 1:
        data["against"] = [{**_side(each.before, conditions.price), "change": _change(each)} for each in comparisons]
    data["samples"] = _samples(report)
    return data


def _change(comparison: Comparison) -> Json:
    kinds: tuple[Kind, ...] = ("fixed", "broken", "better", "worse")
    return {
        "accuracy": round(comparison.after.accuracy - comparison.before.accuracy, 6),
        **{kind: comparison.count(kind) for kind in kinds},
        "p_value": comparison.p_value,
        "test": "exact sign test, two-sided",
    }


def _side(side: Evaluated, price: Price | None) -> dict[str, Json]:
    data: dict[str, Json] = {
        "playbook": side.playbook,
        "revision": side.revision,
        "n_bullets": side.n_bullets,
        "playbook_model_tokens": side.model_tokens,
        "accuracy": round(side.accuracy, 6),
        "n_samples": side.n_samples,
        "n_right": side.n_right,
        "n_failed": side.n_failed,
        "n_without_answer": side.n_unknown,
        "failures": dict(side.reasons),
        "prompt_model_tokens": None if side.usage.is_unknown else side.usage.prompt_model_tokens,
        "reply_model_tokens": None if side.usage.is_unknown else side.usage.reply_model_tokens,
        "n_calls_without_usage": side.usage.n_unreported,
    }
    if side.elements is not None:
        data["n_elements_right"], data["n_elements"] = side.elements
    if side.n_failed:
        data["accuracy_of_answered"] = round(side.accuracy_of_answered, 6)
    if side.goals is not None:
        data["task_goal_completion"] = round(side.goals.task_goal_completion, 6)
        data["scenario_goal_completion"] = round(side.goals.scenario_goal_completion, 6)
        data["n_scenarios"] = side.goals.n_scenarios
    if price is not None:
        data["cost"] = None if side.usage.is_unknown else round(price.of(side.usage), 6)
    return data


def _samples(report: Report) -> list[Json]:
    earlier = [_earlier(each) for each in report.comparisons]
    found: list[Json] = []
    for each in report.after.outcomes:
        data: dict[str, Json] = {"id": each.sample.id, "expected": each.sample.answer}
        before = [by_id.get(each.sample.id, {"change": None, "before": None}) for by_id in earlier]
        data.update(before[0] if before else {})
        data["after"] = _outcome(each)
        if len(before) > 1:
            data["against"] = list(before)
        found.append(data)
    return found


def _earlier(comparison: Comparison) -> dict[str, dict[str, Json]]:
    """What was answered before, and whether that is better or worse now, by the id of the sample."""
    kinds = {each.after.sample.id: each.kind for each in comparison.moved}
    outcomes = comparison.before.outcomes
    return {each.sample.id: {"change": kinds.get(each.sample.id), "before": _outcome(each)} for each in outcomes}


def _outcome(outcome: Outcome) -> Json:
    return {
        "answer": outcome.answer,
        "score": round(outcome.score.value, 6),
        "detail": outcome.score.detail,
        "failure": outcome.failure,
    }
