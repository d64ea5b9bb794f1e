"""Two agents with Pydantic AI: a front desk finds out who can help, then hands the whole conversation over to a desk.

    pip install "pydantic-ai-slim[openai]>=2"
    export OPENAI_API_KEY=...
    python desks_pydantic_ai.py "My bicycle of order 7 rattles." "And when is order 8 delivered?"

Each argument is a question. What the framework sends is written down in desks_pydantic_ai.acdl.
"""

import sys
from typing import Literal

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIResponsesModel

MODEL = OpenAIResponsesModel("gpt-5.4-mini")
FRONT_DESK = "You are the front desk of a bicycle shop. Find out which desk can help, and hand over to it."
DESKS = {
    "orders": "You are the orders desk of a bicycle shop. Look orders up before you answer, in one sentence.",
    "repairs": "You are the repairs desk of a bicycle shop. Look orders up, then find a free day, in one sentence.",
}
ORDERS = {7: "city bicycle, delivered on 3 May", 8: "child's bicycle, delivered on 12 June"}
FREE_DAYS = {"brakes": "Monday", "gears": "Thursday", "frame": "Friday"}


def hand_over(desk: Literal["orders", "repairs"]) -> str:
    """Hand the customer over to a desk."""
    return desk


def look_up(order: int) -> str:
    """What was ordered, and when it is delivered."""
    return ORDERS.get(order, "no such order")


def free_day(part: Literal["brakes", "gears", "frame"]) -> str:
    """The next day on which somebody can look at a part."""
    return FREE_DAYS[part]


front_desk = Agent(MODEL, instructions=FRONT_DESK, output_type=hand_over)
desks = {
    name: Agent(MODEL, instructions=instructions, tools=[look_up, free_day]) for name, instructions in DESKS.items()
}


def serve(questions: list[str]) -> None:
    """Hands the first question over, and lets the chosen desk answer it and all others."""
    handed_over = front_desk.run_sync(questions[0])
    desk = desks[handed_over.output]
    run = desk.run_sync(message_history=handed_over.all_messages())
    print(run.output)
    for question in questions[1:]:
        run = desk.run_sync(question, message_history=run.all_messages())
        print(run.output)


if __name__ == "__main__":
    serve(sys.argv[1:] or ["My bicycle of order 7 rattles."])
