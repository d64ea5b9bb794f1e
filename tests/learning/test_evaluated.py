"""What an evaluation counts, how two are compared, and the reports of it."""

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest
from markdown import markdown

from acdl_mkdocs.foundation.errors import ScorerError
from acdl_mkdocs.playbook.learn.curve import Point, read_curve
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.evaluate import Answer, Evaluated, GeneratedAnswer, evaluate
from acdl_mkdocs.playbook.learn.models import Usage
from acdl_mkdocs.playbook.learn.models.model import BadJsonReplyError, CutReplyError, StatusError
from acdl_mkdocs.playbook.learn.models.scripted import Scripted
from acdl_mkdocs.playbook.learn.report import (
    EvaluationConditions,
    Price,
    Report,
    explain_sign_test,
    report_data,
    report_markdown,
    report_terminal,
    sign_test,
)
from acdl_mkdocs.playbook.learn.scorers import Score, exact, labels
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook
from acdl_mkdocs.prompts.prompt import Json

PLAYBOOK = Playbook("sums", 3, bullets=(Bullet(id="ge-00000001", section="general", content="Count twice."),))
EMPTY = Playbook("none")
SAMPLES = tuple(Sample(f"s{number}", f"{number}?", str(number)) for number in range(10))
CONDITIONS = EvaluationConditions("sums.jsonl", "exact", "m", 1, Price(1.0, 10.0))


def lookup(playbook: Playbook, sample: Sample) -> Answer:
    """Right for even numbers, and for all with a playbook, but for 4, which fails, and 2, which it breaks."""
    number = int(sample.question.rstrip("?"))
    if number == 4:
        raise CutReplyError("the reply was cut", "", Usage(5, 1))
    is_right = number != 2 if playbook.bullets else number % 2 == 0
    return Answer(str(number) if is_right else "no | <b>idea</b>", Usage(100, 10))


def run(playbook: Playbook, samples: Sequence[Sample] = SAMPLES, workers: int = 1) -> Evaluated:
    """An evaluation with `lookup`."""
    return evaluate(playbook, samples, lookup, exact, workers=workers)


@pytest.fixture
def report() -> Report:
    """The comparison of no playbook with one."""
    return Report(CONDITIONS, run(PLAYBOOK), (run(EMPTY),))


def test_what_is_counted() -> None:
    """A failure is in the denominator and its model tokens in the sum; what nobody knows is not asked."""
    found = run(PLAYBOOK, [*SAMPLES, Sample("x", "11?")])
    assert (found.n_samples, found.n_right, found.n_failed, found.n_unknown) == (10, 8, 1, 1)
    assert found.accuracy == pytest.approx(0.8)
    assert found.usage == Usage(9 * 100 + 5, 9 * 10 + 1)
    assert [each.sample.id for each in found.outcomes if each.failure] == ["s4"]
    assert (found.n_bullets, found.revision, found.model_tokens) == (1, 3, run(PLAYBOOK).model_tokens)
    assert found.model_tokens > run(EMPTY).model_tokens == 0


def test_failed_labels_count() -> None:
    """Where the model fails, all labels of the sample are wrong."""
    found = evaluate(EMPTY, [Sample("a", "4?", "A,B"), Sample("b", "6?", "6,B")], lookup, labels)
    assert found.elements == (1, 4)
    assert found.accuracy == 0.25


def test_workers_change_nothing() -> None:
    """Any number of threads, an executor of somebody's own and processes give the same."""
    expected = run(PLAYBOOK)
    assert all(run(PLAYBOOK, workers=workers) == expected for workers in (2, 7))
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        for executor in (threads, processes):
            assert evaluate(PLAYBOOK, SAMPLES, lookup, exact, workers=executor) == expected


def test_progress_is_told() -> None:
    """How many questions are done is told from none to all."""
    told: list[tuple[int, int]] = []
    evaluate(PLAYBOOK, SAMPLES[:3], lookup, exact, report_progress=lambda *done: told.append(done))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_fault_that_will_not_pass_ends_the_evaluation() -> None:
    """With a wrong key not every question is asked."""
    asked = []

    def refuse(_: Playbook, sample: Sample) -> Answer:
        asked.append(sample)
        raise StatusError("no", "", None, 401)

    with pytest.raises(StatusError):
        evaluate(PLAYBOOK, SAMPLES * 50, refuse, exact)
    assert len(asked) < 100


def test_a_scorer_that_fails_is_no_wrong_answer() -> None:
    """What a scorer raises is told."""

    def broken(answer: str, truth: str) -> Score:
        raise ScorerError(f"cannot score {answer} and {truth}")

    with pytest.raises(ScorerError):
        evaluate(PLAYBOOK, SAMPLES, lookup, broken)


def test_what_moved(report: Report) -> None:
    """Fixed and broken samples are those that became right and are no longer right."""
    assert [(each.kind, each.after.sample.id) for each in report.comparisons[0].score_changes] == [
        ("fixed", "s1"), ("broken", "s2"), ("fixed", "s3"), ("fixed", "s5"), ("fixed", "s7"), ("fixed", "s9"),
    ]  # fmt: skip
    assert report.comparisons[0].p_value == sign_test(5, 1) == pytest.approx(14 / 64)


def test_partly_right() -> None:
    """Scores between 0 and 1 get better and worse."""

    def answers(text: str) -> Evaluated:
        return evaluate(EMPTY, [Sample("a", "?", "A,B,C")], lambda *_: Answer(text), labels)

    for before, after, kind in (("A", "A,B", "better"), ("A,B", "A", "worse"), ("A", "A,B,C", "fixed")):
        assert [
            each.kind for each in Report(CONDITIONS, answers(after), (answers(before),)).comparisons[0].score_changes
        ] == [kind]


def test_data(report: Report) -> None:
    """The JSON report has everything, with a version."""
    data = json.loads(json.dumps(report_data(report)))
    assert data["schema_version"] == 1
    assert (data["dataset"], data["scorer"], data["model"], data["seed"]) == ("sums.jsonl", "exact", "m", 1)
    assert data["before"]["accuracy"] == 0.4
    assert data["after"] == {
        "playbook": "sums", "revision": 3, "n_bullets": 1,
        "playbook_model_tokens": report.after.model_tokens, "accuracy": 0.8, "n_samples": 10, "n_right": 8,
        "n_failed": 1, "n_without_answer": 0, "failures": {"the reply was cut": 1}, "prompt_model_tokens": 905,
        "reply_model_tokens": 91, "n_calls_without_usage": 0, "cost": 0.001815, "accuracy_of_answered": 0.888889,
    }  # fmt: skip
    assert data["change"]["fixed"] == 5
    assert data["change"]["p_value"] == 0.21875
    assert data["samples"][1]["change"] == "fixed"
    assert data["samples"][4]["after"]["failure"] == "the reply was cut"
    assert "before" not in report_data(Report(CONDITIONS, report.after))


def test_markdown(report: Report) -> None:
    """The Markdown report is a table of both sides, the change in words, and tables of what moved."""
    text = report_markdown(report)
    assert "| Accuracy | 40.0 % | 80.0 % |" in text
    assert "| Not answered (counted as wrong) | 1 | 1 |" in text
    assert "**Accuracy 40.0 % → 80.0 % (+40.0 points).** 5 better, 1 worse; if the two were equally good" in text
    assert "## Fixed (5)" in text
    assert "## Not answered (1)" in text
    assert "| the reply was cut | 1 |" in text


def _reported_once(_: Playbook, sample: Sample) -> Answer:
    return Answer("x", Usage(10, 1)) if sample.id == "s1" else Answer("x")


def test_usage_that_nobody_reported() -> None:
    """Model tokens and cost are unknown where no call reported any, and a lower bound where some did not."""
    silent = evaluate(EMPTY, SAMPLES, lambda *_: Answer("x"), exact)
    partly = evaluate(EMPTY, SAMPLES, _reported_once, exact)
    text = report_terminal(Report(replace(CONDITIONS, price=Price(1, 1)), partly, (silent,)))
    assert [line.split()[-5:] for line in text.splitlines() if line.startswith(("Model tokens sent", "Cost"))] == [
        ["sent", "unknown", "at", "least", "10"],
        ["Cost", "unknown", "at", "least", "0.0000"],
    ]
    assert report_data(Report(CONDITIONS, silent))["after"]["prompt_model_tokens"] is None  # type: ignore[index,call-overload]


def test_markdown_is_inert() -> None:
    """Whatever a model or a data set says is text: no tag, link, image or more cells."""
    evil = "a|b <script>x</script> [l](javascript:x) ![i](http://x.test/i) `c` *e* http://x.test me@x.test\n# T"
    hostile = evaluate(EMPTY, [Sample(evil, "?", evil)], lambda *_: Answer(evil[::-1]), exact)
    right = evaluate(EMPTY, [Sample(evil, "?", evil)], lambda *_: Answer(evil), exact)
    conditions = EvaluationConditions(evil, "exact", evil, notes=(evil,))
    html = markdown(report_markdown(Report(conditions, hostile, (right,))), extensions=["tables"])
    for tag in ("<script", "<a ", "<img", "<em>", "<code>"):
        assert tag not in html
    assert html.count("<h1") == 1
    assert "http://" not in report_markdown(Report(conditions, hostile, (right,)))


def test_terminal(report: Report) -> None:
    """The terminal report names what was fixed and broken, and no character controls the terminal."""
    text = report_terminal(report)
    assert (
        "fixed: s1, s3, s5, s7, s9\nbroken: s2\nnot answered (1): the reply was cut\nfailed: s4: the reply was cut\n"
        in text
    )
    evil = evaluate(EMPTY, [Sample("\x1b[31mid", "?", "x")], lambda *_: Answer("\x1b]0;x\x07"), exact)
    assert "\x1b" not in report_terminal(Report(CONDITIONS, evil, (run(EMPTY, []),)))


@pytest.mark.parametrize(("n_better", "n_worse"), [(0, 0), (1, 0), (5, 1), (3, 3), (10, 0), (40, 20), (0, 7)])
def test_sign_test(n_better: int, n_worse: int) -> None:
    """The p-value is the exact two-sided one of the binomial distribution, and symmetric."""
    n = n_better + n_worse
    ways = sum(comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(n_better - n_worse))
    assert sign_test(n_better, n_worse) == pytest.approx(float(Fraction(ways, 2**n)))
    assert sign_test(n_better, n_worse) == sign_test(n_worse, n_better)


def test_sign_test_of_many() -> None:
    """Thousands of samples overflow nothing."""
    assert sign_test(6_000, 5_000) < 1e-6
    assert 0.9 < sign_test(5_000, 5_000) <= 1


@pytest.mark.parametrize(
    ("n_better", "n_worse", "words"),
    [
        (0, 0, "no sample is answered better or worse"),
        (1, 1, "100 % of cases (exact sign test, p = 1): this may well be chance"),
        (5, 1, "22 % of cases (exact sign test, p = 0.22): this may well be chance"),
        (8, 1, "3.9 % of cases (exact sign test, p = 0.039): this is probably not chance"),
        (10, 0, "0.2 % of cases (exact sign test, p = 0.002): this is hardly chance"),
        (90, 0, "less than 0.0001 %"),
    ],
)
def test_chance_in_words(n_better: int, n_worse: int, words: str) -> None:
    """The test is told in plain words."""
    assert words in explain_sign_test(n_better, n_worse)


def test_curve() -> None:
    """Points are sorted by revision, the last of a revision counts, and what is not a point is left out."""
    point: dict[str, Json] = {"accuracy": 0.5, "n_bullets": 2, "model_tokens": 30}
    points: list[Json] = [
        {"revision": 4, **point},
        {"revision": 0, "accuracy": 0},
        {"revision": 4, **point, "accuracy": 1.0},
    ]
    odd: list[Json] = ["x", {"revision": 1}, {"revision": 2, "accuracy": 7}, {"revision": 3, "accuracy": True}]
    assert read_curve({"points": [*points, *odd]}) == (Point(0, 0.0, 0, 0), Point(4, 1.0, 2, 30))
    assert read_curve({}) == ()


def test_generated_answers() -> None:
    """The generator is asked with the playbook and the question, and what a failed repair cost is counted."""
    replies = ['{"reasoning": "by [ge-00000001]", "bullet_ids": [], "final_answer": "4"}', "no", "no json"]
    model = Scripted(replies)
    answer = GeneratedAnswer(model, seed=1)
    found = answer(PLAYBOOK, Sample("a", "2+2?", "4"))
    assert (found.text, found.bullet_ids) == ("4", ("ge-00000001",))
    assert found.usage.model_tokens > 0
    sent = str(model.prompts[0])
    assert "Count twice." in sent
    assert "2+2?" in sent
    with pytest.raises(BadJsonReplyError) as caught:
        answer(PLAYBOOK, Sample("b", "3+3?", "6"))
    assert caught.value.usage.prompt_model_tokens > found.usage.prompt_model_tokens
