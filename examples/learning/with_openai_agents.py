"""Learn with an agent of the OpenAI Agents SDK: `python with_openai_agents.py questions.jsonl playbook.yaml`.

Needs `pip install "acdl-mkdocs[openai]" openai-agents`, and OPENAI_API_KEY.
"""

import sys

from agents import Agent, function_tool

from acdl_mkdocs.playbook.learn import learn, openai_agents


@function_tool
def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


agent = Agent(
    name="converter",
    instructions="You convert units. Answer with a number alone.",
    model="gpt-5.4-mini",
    tools=[multiply],
)

if __name__ == "__main__":
    ran = learn(sys.argv[2], sys.argv[1], openai_agents(agent), model="gpt-5.4-mini")
    print(f"{ran.totals.n_right} of {ran.totals.n_questions} right, {len(ran.playbook.active)} lessons")
