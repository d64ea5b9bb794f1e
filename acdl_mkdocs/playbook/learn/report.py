"""The report of an evaluation: data, sentences, and whether a difference may be chance."""

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import escape_for_host
from acdl_mkdocs.foundation.safe_text import make_visible, one_line
from acdl_mkdocs.playbook.learn.evaluate import Evaluated, Goals, Outcome
from acdl_mkdocs.playbook.learn.models import Usage
from acdl_mkdocs.prompts.prompt import Json

_LIKELY, _UNLIKELY = 0.05, 0.01


def sign_test(n_better: int, n_worse: int) -> float:
    """Return the probability of a split at least this uneven if better and worse are equally likely.

    Two-sided and exact; 1 if no pair differs.
    """
    n = n_better + n_worse
    tail = ways = 1
    for k in range(1, min(n_better, n_worse) + 1):
        ways = ways * (n - k + 1) // k  # from one binomial coefficient to the next
        tail += ways
    return min(1.0, 2 * tail / (1 << n))


def explain_sign_test(n_better: int, n_worse: int) -> str:
    """Describe the result of the test for readers who do not know it."""
    n = n_better + n_worse
    if n == 0:
        return "no sample is answered better or worse"
    p = sign_test(n_better, n_worse)
    if p < _UNLIKELY:
        verdict = "this is hardly chance"
    elif p < _LIKELY:
        verdict = "this is probably not chance"
    else:
        verdict = "this may well be chance: more samples would tell"
    chance = f"{float(f'{100 * p:.2g}'):g}" if p >= 1e-6 else "less than 0.0001"
    return (
        f"{n_better} better, {n_worse} worse; if the two were equally good, a split at least this uneven would come up "
        f"in {chance} % of cases (exact sign test, p = {p:.2g}): {verdict}"
    )


SCHEMA_VERSION = 1
Kind: TypeAlias = Literal["fixed", "broken", "better", "worse"]
"""`fixed` became right, `broken` is no longer right; the others are changes without either."""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of a million model tokens, in any currency."""

    prompt: float = 0.0
    reply: float = 0.0

    def cost_of(self, usage: Usage) -> float:
        """Return the cost."""
        return (usage.prompt_model_tokens * self.prompt + usage.reply_model_tokens * self.reply) / _MILLION


@dataclass(frozen=True, slots=True)
class EvaluationConditions:
    """The conditions common to both sides of a report."""

    dataset: str
    scorer: str
    model: str
    seed: int | None = None
    price: Price | None = None
    notes: tuple[str, ...] = ()
    """Remarks for readers, such as settings that the server refused."""


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A sample whose score changed."""

    kind: Kind
    before: Outcome
    after: Outcome


@dataclass(frozen=True)
class Comparison:
    """An evaluation and an earlier one of the same questions."""

    before: Evaluated
    after: Evaluated
    score_changes: tuple[ScoreChange, ...] = field(init=False)
    """In the order of the data set."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "score_changes", tuple(_find_score_changes(self.before, self.after)))

    def count_changes(self, *kinds: Kind) -> int:
        """Return how many samples changed in one of these ways."""
        return sum(each.kind in kinds for each in self.score_changes)

    @property
    def is_regression(self) -> bool:
        """True if the accuracy fell."""
        return self.after.accuracy < self.before.accuracy

    @property
    def p_value(self) -> float:
        """The p-value of the exact sign test over samples whose score changed."""
        return sign_test(self.count_changes("fixed", "better"), self.count_changes("broken", "worse"))

    @property
    def chance(self) -> str:
        """A sentence on whether the difference may be chance."""
        return explain_sign_test(self.count_changes("fixed", "better"), self.count_changes("broken", "worse"))


@dataclass(frozen=True)
class Report:
    """An evaluation and those that it is compared with."""

    conditions: EvaluationConditions
    after: Evaluated
    befores: tuple[Evaluated, ...] = ()
    comparisons: tuple[Comparison, ...] = field(init=False)
    """One comparison for each of those."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "comparisons", tuple(Comparison(each, self.after) for each in self.befores))

    @property
    def sides(self) -> tuple[Evaluated, ...]:
        """All evaluations; the last is the subject of the report."""
        return (*self.befores, self.after)


def _find_score_changes(before: Evaluated, after: Evaluated) -> list[ScoreChange]:
    earlier = {each.sample.id: each for each in before.outcomes}
    changes = []
    for now in after.outcomes:
        then = earlier.get(now.sample.id)
        if then is not None and then.score.value != now.score.value:
            is_up = now.score.value > then.score.value
            kind: Kind = "better" if is_up else "worse"
            if now.score.is_right:
                kind = "fixed"
            elif then.score.is_right:
                kind = "broken"
            changes.append(ScoreChange(kind, then, now))
    return changes


def report_data(report: Report) -> dict[str, Json]:
    """Return a report as data: `before` and `change` are of the first comparison; `against` has all of several."""
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
        **{kind: comparison.count_changes(kind) for kind in kinds},
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
        data["cost"] = None if side.usage.is_unknown else round(price.cost_of(side.usage), 6)
    return data


def _samples(report: Report) -> list[Json]:
    earlier = [_earlier_answers(each) for each in report.comparisons]
    samples: list[Json] = []
    for each in report.after.outcomes:
        data: dict[str, Json] = {"id": each.sample.id, "expected": each.sample.answer}
        before = [by_id.get(each.sample.id, {"change": None, "before": None}) for by_id in earlier]
        data.update(before[0] if before else {})
        data["after"] = _outcome(each)
        if len(before) > 1:
            data["against"] = list(before)
        samples.append(data)
    return samples


def _earlier_answers(comparison: Comparison) -> dict[str, dict[str, Json]]:
    """Return the earlier answers, and whether each is better or worse now, by the id of the sample."""
    kinds = {each.after.sample.id: each.kind for each in comparison.score_changes}
    outcomes = comparison.before.outcomes
    return {each.sample.id: {"change": kinds.get(each.sample.id), "before": _outcome(each)} for each in outcomes}


def _outcome(outcome: Outcome) -> Json:
    return {
        "answer": outcome.answer,
        "score": round(outcome.score.value, 6),
        "detail": outcome.score.detail,
        "failure": outcome.failure,
    }


_MAX_ROWS = 50
_MAX_CHARACTERS = 80
_TITLES = {"fixed": "Fixed", "broken": "Broken", "better": "Better", "worse": "Worse"}


def report_markdown(report: Report) -> str:
    """Write a report as Markdown that shows all text of models and data sets literally."""
    lines = [f"# Evaluation of {escape_for_host(report.after.playbook)}", "", _about(report, escape_for_host), ""]
    titles = _titles(report) or ["value"]
    header = ["", *(escape_for_host(each if len(titles) > 2 else each.capitalize()) for each in titles)]
    lines += [_row(header), _row(["---", *["---:"] * (len(header) - 1)])]
    lines += [_row([name, *values]) for name, values in _rows(report)]
    for each in report.comparisons:
        other_side = escape_for_host(_name_other_side(report, each))
        lines += ["", f"**{other_side}{_difference(each)}** {_sentence(each.chance)}"]
    for each in report.comparisons:
        other_side = escape_for_host(_name_other_side(report, each).removesuffix(": "))
        for kind, title in _TITLES.items():
            about = f"{title}, {other_side[:1].lower()}{other_side[1:]}" if other_side else title
            lines += _table(about, [one for one in each.score_changes if one.kind == kind])
    lines += _failures(report.after)
    lines += [f"\n{escape_for_host(_sentence(note))}" for note in report.conditions.notes]
    return "\n".join(lines) + "\n"


def report_terminal(report: Report) -> str:
    """Write a report for a terminal, without the table of samples."""
    rows = list(_rows(report))
    width = max(len(name) for name, _ in rows)
    lines, titles = [_about(report, str), ""], [shorten_line(each) for each in _titles(report)]
    widths = [max(16, len(each)) for each in titles] or [16]
    if titles:
        rows.insert(0, ("", titles))
    for name, values in rows:
        cells = (f"{value:>{n}}" for value, n in zip(values, widths, strict=True))
        lines.append(f"{name:<{width}}  {'  '.join(cells)}")
    for compared in report.comparisons:
        other_side = flatten_lines(_name_other_side(report, compared))
        lines += ["", f"{other_side}{' ' if other_side else ''}{_difference(compared)} {_sentence(compared.chance)}"]
        for kind in ("fixed", "broken"):
            ids = [each.after.sample.id for each in compared.score_changes if each.kind == kind]
            rest = f" and {len(ids) - _MAX_ROWS} more" if len(ids) > _MAX_ROWS else ""
            lines += [f"{kind}: {', '.join(map(shorten_line, ids[:_MAX_ROWS]))}{rest}"] if ids else []
    lines += [f"not answered ({n}): {flatten_lines(reason)}" for reason, n in report.after.reasons.items()]
    failed = [each for each in report.after.outcomes if each.failure]
    lines += [
        f"failed: {shorten_line(each.sample.id)}: {flatten_lines(each.failure or '')}" for each in failed[:_MAX_ROWS]
    ]
    lines += [f"note: {note}" for note in report.conditions.notes]
    return "\n".join(lines) + "\n"


def _titles(report: Report) -> list[str]:
    """Return the column titles of the sides; empty if there is only one."""
    if len(report.comparisons) <= 1:
        return ["before", "after"] if report.comparisons else []
    return [_title(each) for each in report.sides]


def _title(side: Evaluated) -> str:
    return f"{side.playbook}, revision {side.revision}" if side.revision else side.playbook


def _name_other_side(report: Report, comparison: Comparison) -> str:
    """Return the other side of a comparison, if there are several."""
    return f"Compared with {_title(comparison.before)}: " if len(report.comparisons) > 1 else ""


def _about(report: Report, show: Callable[[str], str]) -> str:
    conditions = report.conditions
    seed = "" if conditions.seed is None else f", seed {conditions.seed}"
    return (
        f"Data set {show(conditions.dataset)}, model {show(conditions.model)}, scorer {show(conditions.scorer)}{seed}."
    )


def _rows(report: Report) -> Iterator[tuple[str, list[str]]]:
    """Yield names with the value of each side."""
    sides = report.sides
    price = report.conditions.price
    yield "Accuracy", [_percent(each.accuracy) for each in sides]
    yield "Right", [f"{each.n_right} of {each.n_samples}" for each in sides]
    if any(each.elements for each in sides):
        yield "Labels right", [_format_elements(each.elements) for each in sides]
    if any(each.goals for each in sides):
        yield "Task goal completion", [_format_completed(each.goals, "tasks") for each in sides]
        yield "Scenario goal completion", [_format_completed(each.goals, "scenarios") for each in sides]
    yield "Not answered (counted as wrong)", [str(each.n_failed) for each in sides]
    if any(each.n_failed for each in sides):
        yield "Accuracy without failures", [_percent(each.accuracy_of_answered) for each in sides]
    if any(each.n_unknown for each in sides):
        yield "Without a known answer (not asked)", [str(each.n_unknown) for each in sides]
    yield "Revision", [str(each.revision) for each in sides]
    yield "Bullets", [str(each.n_bullets) for each in sides]
    yield "Model tokens of the playbook", [f"{each.model_tokens:,}" for each in sides]
    yield (
        "Model tokens sent",
        [format_reported_amount(each.usage, f"{each.usage.prompt_model_tokens:,}") for each in sides],
    )
    yield (
        "Model tokens received",
        [format_reported_amount(each.usage, f"{each.usage.reply_model_tokens:,}") for each in sides],
    )
    if price is not None:
        yield "Cost", [format_reported_amount(each.usage, f"{price.cost_of(each.usage):.4f}") for each in sides]


def _format_elements(elements: tuple[int, int] | None) -> str:
    if elements is None:
        return "-"
    return f"{elements[0]} of {elements[1]} ({_percent(elements[0] / elements[1] if elements[1] else 0.0)})"


def _format_completed(goals: Goals | None, of: Literal["tasks", "scenarios"]) -> str:
    if goals is None:
        return "-"
    if of == "tasks":
        return _format_elements((goals.n_tasks_completed, goals.n_tasks))
    return _format_elements((goals.n_scenarios_completed, goals.n_scenarios))


def format_reported_amount(usage: Usage, amount: str) -> str:
    """Describe an amount reported by providers: unknown, or a lower bound if some did not report."""
    if usage.is_unknown:
        return "unknown"
    return f"at least {amount}" if usage.n_unreported else amount


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"


def _difference(comparison: Comparison) -> str:
    before, after = comparison.before, comparison.after
    points = 100 * (after.accuracy - before.accuracy)
    return f"Accuracy {_percent(before.accuracy)} → {_percent(after.accuracy)} ({points:+.1f} points)."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(title: str, score_changes: list[ScoreChange]) -> Iterator[str]:
    if not score_changes:
        return
    yield from ("", f"## {title} ({len(score_changes)})", "", _row(["Sample", "Expected", "Before", "After"]))
    yield _row(["---"] * 4)
    for each in score_changes[:_MAX_ROWS]:
        expected = each.after.sample.answer or ""
        yield _row(
            [
                escape_for_host(shorten_line(text))
                for text in (each.after.sample.id, expected, _outcome_words(each.before), _outcome_words(each.after))
            ]
        )
    if len(score_changes) > _MAX_ROWS:
        yield from ("", f"{len(score_changes) - _MAX_ROWS} more are in the JSON report.")


def _failures(side: Evaluated) -> Iterator[str]:
    failed = [each for each in side.outcomes if each.failure]
    if not failed:
        return
    yield from ("", f"## Not answered ({len(failed)})", "", _row(["Reason", "Questions"]), _row(["---", "---:"]))
    for reason, n in side.reasons.items():
        yield _row([escape_for_host(reason), str(n)])
    yield from ("", _row(["Sample", "Why"]), _row(["---"] * 2))
    for each in failed[:_MAX_ROWS]:
        yield _row([escape_for_host(shorten_line(each.sample.id)), escape_for_host(each.failure or "")])
    if len(failed) > _MAX_ROWS:
        yield from ("", f"{len(failed) - _MAX_ROWS} more are in the JSON report.")


def _outcome_words(outcome: Outcome) -> str:
    return "no answer" if outcome.answer is None else outcome.answer


def shorten_line(text: str) -> str:
    """Return the beginning of a text on one line."""
    return one_line(text, _MAX_CHARACTERS)


def flatten_lines(text: str) -> str:
    """Return all of a text on one line, without terminal control characters."""
    return make_visible(" ".join(text.split()))
