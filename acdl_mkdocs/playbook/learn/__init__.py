"""Learn a playbook from questions: data sets, scorers, the three roles, the resumable loop, and reports.

Calls models only through `models`, and writes playbooks only through `store`. Knows nothing about pages.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acdl_mkdocs.playbook.learn.adapters import langgraph, openai_agents, pydantic_ai
    from acdl_mkdocs.playbook.learn.agents import Agent, AgentReply, Task
    from acdl_mkdocs.playbook.learn.datasets import Sample
    from acdl_mkdocs.playbook.learn.own_agent import evaluate_agent, learn
    from acdl_mkdocs.playbook.learn.recorded_runs import read_runs
    from acdl_mkdocs.playbook.learn.scorers import Feedback

__all__ = [
    "Agent",
    "AgentReply",
    "Feedback",
    "Sample",
    "Task",
    "evaluate_agent",
    "langgraph",
    "learn",
    "openai_agents",
    "pydantic_ai",
    "read_runs",
]

_MODULES = {
    "Agent": "agents",
    "AgentReply": "agents",
    "Feedback": "scorers",
    "Sample": "datasets",
    "Task": "agents",
    "evaluate_agent": "own_agent",
    "langgraph": "adapters",
    "learn": "own_agent",
    "openai_agents": "adapters",
    "pydantic_ai": "adapters",
    "read_runs": "recorded_runs",
}
"""The modules that define the public names."""


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: pages that show runs need none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"acdl_mkdocs.playbook.learn.{_MODULES[name]}"), name)
