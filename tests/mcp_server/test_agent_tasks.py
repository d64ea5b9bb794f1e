"""Three specs are written as an agent would, with nothing but what the tools answer."""

import re
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.mcp.answers import Answer
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tools import run_tool

SUMMARIES = """Summarizer[@T]: {
  S: SYSTEM_PROMPT
  If sys.should_summarize { S: sys.summary }
  ForEach(t: range(@T-4, @T)) { U: env.msg[@t] A: resp.reply[@t] }
  U: env.msg[@T]
}"""
TOOLS = """ToolAgent[@T.I]: {
  S: "You are a coding agent"
  U: env.task[@T]
  ForEach(i: 1..I-1) { A: resp.thought[@T.i] + resp.call[@T.i]  T: env.result[@T.i] }
}"""
PLANNING = """StrFrag Context[@t]: { sys.user.name  sys.docs[@t] }
Planner[@T]: { S: { PLAN_WELL Frag Contxt[@T] } U: env.goal[@T] }
Worker[@T.I]: {
  S: { WORK_WELL Frag Context[@T] }
  U: resp.plan[@T]
  ForEach(i: range(1, I)) { A: resp.out[@T.i]  U: sys.check[@T.i] }
}"""
TASKS = {
    "summaries": (SUMMARIES, "Summarizer", {"sys.should_summarize": "sys.tokens[@T] > sys.limit"}, "3", "suauau"),
    "tools": (TOOLS, "ToolAgent", {'"You are a coding agent"': "CODE_WELL"}, "1.3", "suatat"),
    "planning": (
        PLANNING,
        "Worker",
        {"resp.plan[@T]": "resp.plan[@T-1]", "range(1, I)": "range(1, I + 1)"},
        "2.2",
        "suauau",
    ),
}
"""What is written first, what the agent decides itself when it reads what is wrong, and what the code sends then."""


def answered(name: str, **sent: object) -> Answer:
    """What a tool answers, which is not an error."""
    answer = run_tool(name, sent, Folders((Path(__file__).parent,)))
    assert not answer.is_error, answer.text
    return answer


def mended(text: str) -> str:
    """A text after all that the tools mend themselves, and after the near names that they offer."""
    for _ in range(5):
        found = answered("check", text=text, fix=True)
        text = str(found.data["fixed"])
        near = re.search(r"no fragment named `(\w+)`.*?did you mean `(\w+)`", found.text, re.DOTALL)
        joined = re.search(r"write them inside braces: `(A: \{.*?\})`", found.text)
        if near is None and joined is None:
            return text
        text = text.replace(near[1], near[2]) if near is not None else re.sub(r"A: [^{\n]*? \+ \S+", joined[1], text)  # type: ignore[index]
    return text


@pytest.mark.parametrize("task", TASKS)
def test_task(task: str) -> None:
    """Each answer leads to the next: check, explain, a state, what is sent, and what changed."""
    first, name, decided, point, roles = TASKS[task]
    assert answered("check", text=first).data["problems"]
    text = mended(first)
    for old, new in decided.items():
        text = text.replace(old, new)
    text = str(answered("format", text=text).data["text"])
    checked = answered("check", text=text)
    assert checked.data["is_fine"] is True, checked.text
    told = answered("explain", text=text, spec=name)
    assert f"# {name}[" in told.text
    assert "could not be explained" not in told.text
    state = str(answered("new_state", text=text, spec=name).data["state"])
    sent = answered("unroll", text=text, spec=name, state=state, at=point)
    messages = sent.data["transcript"]["messages"]  # type: ignore[index]
    assert "".join(each["role"][0] for each in messages) == roles
    assert "still `…`" in sent.notes
    assert answered("diff", old=first, new=text).data["is_same"] is False
