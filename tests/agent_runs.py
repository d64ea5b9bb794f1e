"""The agents of `examples/agents`: what they are asked, mistakes in copies of them, and the lines that these refute.

The tests run them and the documentation tells of them, both from here.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.runs.check_files import CheckedFiles, check_requests, open_recordings
from acdl_mkdocs.runs.record import recording

AGENTS = Path(__file__).parent.parent / "examples" / "agents"
QUESTIONS = {
    "react_openai": ("How much farther is it from Oslo to Trondheim than to Bergen?",),
    "chat_anthropic": (
        "Is it dry in Sintra this weekend?",
        "What do I pack?",
        "Can I see the palace and the castle?",
        "Thank you!",
    ),
    "desks_pydantic_ai": (
        "My bicycle of order 7 rattles.",
        "And when is order 8 delivered?",
        "Thank you!",
    ),
}
"""What each agent is asked, so that the replies of its script fit."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A mistake in an agent, as a change of its code."""

    agent: str
    name: str
    before: str
    after: str
    lines: tuple[int, ...]
    """Of the spec, which are refuted: these and no others."""
    reason: str
    """What is said about the first of them."""
    is_with_state: bool = False
    """Whether it takes the sample state to see it."""

    @property
    def key(self) -> str:
        """For names of tests and files."""
        return f"{self.agent}-{self.name.replace(' ', '-')}"


MUTATIONS = (
    Mutation(
        "react_openai",
        "reasoning dropped",
        'include={"role", "content", "tool_calls"}',
        'include={"role", "tool_calls"}',
        (10,),
        "the spec sends 2 pieces, and the message has 1 part and no text",
    ),
    Mutation(
        "react_openai",
        "results in the wrong role",
        '{"role": "tool", "tool_call_id": call.id, "content": result}',
        '{"role": "user", "content": f"Result: {result}"}',
        (13,),
        "the spec sends a Tool message here, and the request has a User message",
    ),
    Mutation(
        "react_openai",
        "history cut short",
        "messages=messages",
        "messages=messages[:2] + messages[2:][-4:]",
        (8,),
        "the loop makes round 1, and nothing of it is in the request",
    ),
    Mutation(
        "chat_anthropic",
        "reasoning dropped",
        '"content": reply.content}',
        '"content": [block for block in reply.content if block.type != "thinking"]}',
        (11,),
        "the spec sends 2 pieces, and the message has 1 part and no text",
    ),
    Mutation(
        "chat_anthropic",
        "instructions in the wrong role",
        "system=INSTRUCTIONS,\n            tools=TOOLS,\n            messages=messages,",
        'tools=TOOLS,\n            messages=[{"role": "user", "content": INSTRUCTIONS}, *messages],',
        (6,),
        "the spec sends a System message here, and the request has a User message",
    ),
    Mutation(
        "chat_anthropic",
        "history cut short",
        "    for question in questions:\n",
        "    for question in questions:\n        if len(messages) > 6:\n            del messages[:4]\n",
        (7,),
        "the loop makes round 1, and nothing of it is in the request",
    ),
    Mutation(
        "chat_anthropic",
        "calls of earlier turns left out",
        "        print(turn(client, messages))\n",
        "        n_asked = len(messages)\n        print(turn(client, messages))\n        del messages[n_asked:-1]\n",
        (9,),
        "the loop makes round 1, and nothing of it is in the request",
    ),
    Mutation(
        "desks_pydantic_ai",
        "reasoning dropped",
        """MODEL = OpenAIResponsesModel("gpt-5.4-mini")""",
        """from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile

MODEL = OpenAIChatModel("gpt-5.4-mini", profile=OpenAIModelProfile(openai_chat_send_back_thinking_parts=False))""",
        (17,),
        "the spec sends 2 pieces, and the message has 1 part and no text",
    ),
    Mutation(
        "desks_pydantic_ai",
        "instructions in the wrong role",
        "Agent(MODEL, instructions=",
        """Agent(
    OpenAIResponsesModel("gpt-5.4-mini", profile={"openai_system_prompt_role": "user"}), system_prompt=""",
        (8, 11),
        "the spec sends a System message here, and the request has a User message",
    ),
    Mutation(
        "desks_pydantic_ai",
        "instructions not handed over",
        "Agent(MODEL, instructions=",
        "Agent(MODEL, system_prompt=",
        (11,),
        "`You are the repairs desk of a bicycle shop. Look orders up,…` is not in the message",
        is_with_state=True,
    ),
    Mutation(
        "desks_pydantic_ai",
        "history cut short",
        "run.all_messages()",
        "run.new_messages()",
        (13, 14, 15),
        "the loop makes round 1, and nothing of it is in the request",
    ),
)


def record(program: Path, agent: str, out: Path) -> str:
    """Run an agent, or a copy of it, with the script of the agent; what it prints."""
    with recording(out, script=AGENTS / f"{agent}.replies.yaml") as variables:
        command = [sys.executable, str(program), *QUESTIONS[agent]]
        environment = {**os.environ, **variables}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def checked(agent: str, run: Path, *, has_state: bool = False, mutants: int = 0) -> CheckedFiles:
    """What a recording says about the spec of an agent."""
    path = AGENTS / f"{agent}.acdl"
    resolved = parse_and_resolve(Source(path.read_text("utf-8"), path.name)).resolved
    text = (AGENTS / f"{agent}.state.yaml").read_text("utf-8")
    state = read_state(text, path.name, AGENTS).state if has_state else None
    return check_requests(resolved, open_recordings([run]), state=state, mutants=mutants)
