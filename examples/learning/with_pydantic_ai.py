"""Learn with an agent of pydantic-ai: `python with_pydantic_ai.py questions.jsonl playbook.yaml`.

Needs `pip install "acdl-mkdocs[openai]" "pydantic-ai-slim[openai]>=2"`, and OPENAI_API_KEY.
"""

import sys

from pydantic_ai import Agent

from acdl_mkdocs.playbook.learn import learn, pydantic_ai

agent = Agent(
    "openai-chat:gpt-5.4-mini", name="converter", instructions="You convert units. Answer with a number alone."
)


@agent.tool_plain
def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


if __name__ == "__main__":
    ran = learn(sys.argv[2], sys.argv[1], pydantic_ai(agent), model="gpt-5.4-mini")
    print(f"{ran.totals.n_right} of {ran.totals.n_questions} right, {len(ran.playbook.active)} lessons")
