"""Prompts that are built from a spec and a state: how long 1,000 messages take, and ten times as many."""

from functools import partial

from measure import Row, in_turn, ratio_row, timed_row
from specs import TYPICAL

from acdl_mkdocs.evaluation.context import Limits
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.sample_state import Key, Records, State, TemplateText, Tree
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve

OPTIONS = Options(range="inclusive", limits=Limits(messages=100_000, iterations=1_000_000))
N_SUBSTEPS = 4
"""Tool calls of each turn, so that a turn has ten messages."""


def measure() -> list[Row]:
    """All rows of this part."""
    resolved = parse_and_resolve(Source(TYPICAL)).resolved
    actions = [
        partial(evaluate, resolved, conversation(n_turns), f"{n_turns + 1}.1", OPTIONS) for n_turns in (100, 1_000)
    ]
    few, many = in_turn(9, *actions)
    return [
        timed_row("evaluate, 1,000 messages", few, at_most_ms=150),
        ratio_row("evaluate, 10,000 messages", many, "1,000 messages", few, at_most=10.5),
    ]


def conversation(n_turns: int) -> State:
    """A state of so many turns, and the first sub-step of the next one."""
    steps: dict[Key, dict[str, Tree]] = {}
    for turn in range(1, n_turns + 2):
        steps[turn,] = {
            "env": {"user_question": f"question {turn}"},
            "resp": {"answer": f"answer {turn}"},
            "sys": {"profile": "an engineer"},
        }
        steps |= {(turn, substep): _substep(turn, substep) for substep in range(1, N_SUBSTEPS + 1)}
    constants: dict[str, Tree] = {
        "sys": {"user": {"name": "Ann", "language": "en"}, "has_documents": False},
        "env": {"is_short": False},
    }
    texts = ("INSTRUCTIONS_AND_TOOLS", "NO_DOCUMENTS", "DOCUMENTS", "USER_NAME")
    return State(Records(constants, steps), templates={name: TemplateText(f"The text of {name}.") for name in texts})


def _substep(turn: int, substep: int) -> dict[str, Tree]:
    used = {"name_and_args": f"search({substep})", "tool_response": f"result {turn}.{substep}"}
    return {"sys": {"tool_used": used}, "resp": {"thought": "hm"}}
