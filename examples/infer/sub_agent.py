"""An agent that hands questions to another one, which has a context of its own and gives back its answer only.

python sub_agent.py --seed 1 --turns 4 --out run.jsonl
"""

import json
from collections.abc import Callable

from scripted import Model, Script, main, result, say, tool

LEAD = "You plan a book about the coast. Have researched what you do not know."
RESEARCHER = "You research one topic. Search until you can answer in one sentence."
RESEARCH = [tool("research", "Have a topic researched", "topic")]
SEARCH = [tool("search", "Find pages", "query")]


def run_tools(model: Model, messages: list[dict], tools: list[dict], use: Callable[[dict], str]) -> str:
    """Have a model call tools until it answers; `use` gives the result of a call."""
    while True:
        reply = model.ask(messages, tools=tools)
        messages.append(reply)
        if not reply.get("tool_calls"):
            return reply["content"]
        messages += [result(call, use(call)) for call in reply["tool_calls"]]


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question; a call of `research` is a conversation of the other agent."""
    n_started = 0

    def research(call: dict) -> str:
        nonlocal n_started
        n_started += 1
        topic = json.loads(call["function"]["arguments"])["topic"]
        researcher = Model(model.log, f"{model.episode}, research {n_started}")
        messages = [say("system", RESEARCHER), say("user", f"Topic: {topic}")]
        return run_tools(researcher, messages, SEARCH, lambda _: user.sentence())

    messages = [say("system", LEAD)]
    for _ in range(n_turns):
        messages.append(say("user", user.question()))
        run_tools(model, messages, RESEARCH, research)


if __name__ == "__main__":
    main(agent)
