"""A ReAct agent with OpenAI's client: it thinks, calls a tool, looks at the result, and so on until it can answer.

    pip install "openai>=3"
    export OPENAI_API_KEY=...
    python react_openai.py "How much farther is it from Oslo to Trondheim than to Bergen?"

What it sends is written down in react_openai.acdl.
"""

import json
import operator
import sys

from openai import OpenAI

MODEL = "gpt-5.4-mini"
MOST_CALLS = 10
INSTRUCTIONS = """You answer questions about journeys by train in Norway.
Say in one sentence what you need next, then call one tool. Answer as soon as you can, in one sentence."""

KILOMETRES = {("Bergen", "Oslo"): 471, ("Oslo", "Stavanger"): 545, ("Oslo", "Trondheim"): 495}
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def distance(a: str, b: str) -> str:
    """How far it is from one town to another."""
    start, end = sorted((a, b))
    found = KILOMETRES.get((start, end))
    return "no line is known" if found is None else f"{found} km"


def calculate(left: float, sign: str, right: float) -> str:
    """One step of arithmetic."""
    return f"{OPERATORS[sign](left, right):g}"


def described(name: str, description: str, **properties: dict) -> dict:
    """A tool as the model is told about it."""
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


FUNCTIONS = {"distance": distance, "calculate": calculate}
TOOLS = [
    described("distance", "Kilometres by train", a={"type": "string"}, b={"type": "string"}),
    described(
        "calculate",
        "One step of arithmetic",
        left={"type": "number"},
        sign={"enum": list(OPERATORS)},
        right={"type": "number"},
    ),
]


def answer(client: OpenAI, question: str) -> str:
    """What the agent says in the end."""
    messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": question}]
    for _ in range(MOST_CALLS):
        completion = client.chat.completions.create(
            model=MODEL, messages=messages, tools=TOOLS, parallel_tool_calls=False
        )
        reply = completion.choices[0].message
        if not reply.tool_calls:
            return reply.content or ""
        messages.append(reply.model_dump(include={"role", "content", "tool_calls"}))
        for call in reply.tool_calls:
            result = FUNCTIONS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return "I could not find out."


if __name__ == "__main__":
    print(answer(OpenAI(), " ".join(sys.argv[1:]) or "How far is it from Oslo to Bergen?"))
