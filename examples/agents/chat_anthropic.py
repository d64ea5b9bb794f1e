"""A conversation with tools, with Anthropic's client: what the model thought is sent back to it with its calls.

    pip install "anthropic>=2"
    export ANTHROPIC_API_KEY=...
    python chat_anthropic.py "Is it dry in Sintra this weekend?" "What do I pack?"

Each argument is a question. What it sends is written down in chat_anthropic.acdl.
"""

import sys

from anthropic import Anthropic

MODEL = "claude-sonnet-5"
INSTRUCTIONS = """You help people plan a day out near Lisbon. Use the tools for facts, several at once where you can.
Answer in one or two sentences."""

FORECASTS = {
    ("Sintra", "Saturday"): "fog until noon, then sunny, 19 degrees",
    ("Sintra", "Sunday"): "rain all day, 16 degrees",
}
HOURS = {"Palace of Pena": "9:30 to 18:30, last entry at 17:30", "Castle of the Moors": "9:30 to 18:30"}
TOOLS = [
    {
        "name": "forecast",
        "description": "The weather of a day",
        "input_schema": {
            "type": "object",
            "properties": {"place": {"type": "string"}, "day": {"type": "string"}},
            "required": ["place", "day"],
        },
    },
    {
        "name": "opening_hours",
        "description": "When a sight is open",
        "input_schema": {"type": "object", "properties": {"sight": {"type": "string"}}, "required": ["sight"]},
    },
]


def run_tool(name: str, arguments: dict) -> str:
    """What a tool says."""
    if name == "forecast":
        return FORECASTS.get((arguments["place"], arguments["day"]), "no forecast")
    return HOURS.get(arguments["sight"], "not known")


def turn(client: Anthropic, messages: list) -> str:
    """Lets the model work until it answers; all that is said is added to the messages."""
    while True:
        reply = client.messages.create(
            model=MODEL,
            max_tokens=8000,
            thinking={"type": "adaptive"},
            system=INSTRUCTIONS,
            tools=TOOLS,
            messages=messages,
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": run_tool(call.name, call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def chat(client: Anthropic, questions: list[str]) -> None:
    """Asks one question after the other."""
    messages = []
    for question in questions:
        messages.append({"role": "user", "content": question})
        print(turn(client, messages))


if __name__ == "__main__":
    chat(Anthropic(), sys.argv[1:] or ["Is it dry in Sintra this weekend?"])
