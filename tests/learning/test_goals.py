"""Task and scenario goal completion, as AppWorld counts them."""

from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.evaluate import Answer, Goals, count_goals, evaluate, scenario_of
from acdl_mkdocs.playbook.learn.scorers import Feedback, exact
from acdl_mkdocs.playbook.model.bullets import Playbook

TASKS = [Sample(f"82e2fac_{n}", "task") for n in (1, 2, 3)] + [Sample(f"50e1ac9_{n}", "task") for n in (1, 2, 3)]


def test_a_scenario_needs_all_of_its_tasks() -> None:
    """Five of six tasks are completed, and one of two scenarios."""
    found = count_goals([(each, each.id != "50e1ac9_2") for each in TASKS])
    assert found == Goals(6, 5, 2, 1)
    assert (found.task_goal_completion, found.scenario_goal_completion) == (5 / 6, 0.5)


def test_scenarios_by_field() -> None:
    """A scenario of the record counts before what its id looks like; without one there are no scenarios at all."""
    assert scenario_of(Sample("82e2fac_1", "q", scenario="other")) == "other"
    assert scenario_of(Sample("task_1", "q")) is None
    assert count_goals([(TASKS[0], True), (Sample("task_1", "q"), True)]) is None
    assert count_goals([]) is None


def test_a_task_with_a_failing_test_is_not_completed() -> None:
    """Tests that pass count in the score; the goal is reached only if all of them do."""

    def tests_of(sample: Sample, answer: str) -> Feedback:
        assert answer == "done"
        return Feedback("3 of 4 tests passed", 0.75) if sample.id == "82e2fac_3" else Feedback("", 1.0)

    found = evaluate(Playbook("p"), TASKS, lambda *_: Answer("done"), exact, feedback=tests_of)
    assert found.accuracy == 5.75 / 6
    assert found.goals == Goals(6, 5, 2, 1)
    assert [each.score.detail for each in found.outcomes if not each.score.is_right] == ["3 of 4 tests passed"]


def test_without_feedback_nobody_asks() -> None:
    """A task that nothing can judge is not asked."""
    found = evaluate(Playbook("p"), TASKS, lambda *_: Answer("done"), exact)
    assert (found.n_samples, found.n_unknown, found.goals) == (0, 6, None)
