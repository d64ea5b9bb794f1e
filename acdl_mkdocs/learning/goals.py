"""How many tasks and scenarios an agent completed, as AppWorld counts them.

A task is completed if all of its tests pass: task goal completion (TGC) is the share of such tasks. A scenario is a
task in several variants, and completed if all of them are: scenario goal completion (SGC) is the share of such
scenarios. Knows nothing about models. Source: AppWorld, arXiv:2407.18901, section 3.3.
"""

import re
from collections.abc import Sequence

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.learning.datasets import Sample

_APPWORLD_ID = re.compile(r"([0-9a-f]{7})_[0-9]+")
"""A task of AppWorld: its scenario, and which variant it is."""


@dataclass(frozen=True, slots=True)
class Goals:
    """How many of the tasks and of the scenarios were completed."""

    n_tasks: int
    n_tasks_completed: int
    n_scenarios: int
    n_scenarios_completed: int

    @property
    def task_goal_completion(self) -> float:
        """Share of the tasks, from 0 to 1."""
        return self.n_tasks_completed / self.n_tasks

    @property
    def scenario_goal_completion(self) -> float:
        """Share of the scenarios, from 0 to 1."""
        return self.n_scenarios_completed / self.n_scenarios


def goals(done: Sequence[tuple[Sample, bool]]) -> Goals | None:
    """How many tasks and scenarios were completed; `None` unless every sample belongs to a scenario.

    Parameters:
        done: The samples, each with whether all of its tests passed.
    """
    scenarios: dict[str, bool] = {}
    for sample, is_completed in done:
        scenario = scenario_of(sample)
        if scenario is None:
            return None
        scenarios[scenario] = scenarios.get(scenario, True) and is_completed
    if not scenarios:
        return None
    n_completed = sum(is_completed for _, is_completed in done)
    return Goals(len(done), n_completed, len(scenarios), sum(scenarios.values()))


def scenario_of(sample: Sample) -> str | None:
    """The scenario of a sample: that of its record, or what the id of an AppWorld task begins with."""
    if sample.scenario is not None:
        return sample.scenario
    found = _APPWORLD_ID.fullmatch(sample.id)
    return found[1] if found else None
