"""One conversation with everything that a prompt can hold, for pinned bodies."""

from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Output, Prompt, Text, Thinking, Tool

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WEATHER = Tool(
    "get_weather",
    "Weather of a city now.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
CLOCK = Tool("clock")

AGENT = Prompt(
    (
        Message("system", (Text("You are brief."),)),
        Message(
            "user",
            (Text("Which city is this, and how is the weather?"), Attachment("image", mime="image/png", data=PIXEL)),
        ),
        Message(
            "assistant",
            (
                Text("I will look."),
                Call("get_weather", {"city": "Oslo"}, "call_a"),
                Call("clock", {}, "call_b"),
            ),
        ),
        Message("tool", (Output((Text("4 °C, rain"),), "call_a", "get_weather"),)),
        Message("tool", (Output((Text("no such zone"),), "call_b", "clock", is_error=True),)),
        Message("assistant", (Text("Oslo: 4 °C and rain."),)),
        Message("user", (Text("Thanks.\nAnd tomorrow?"),)),
    ),
    (WEATHER, CLOCK),
)
"""Nothing in it is lost in any format."""

THOUGHTFUL = Prompt(
    (
        Message("user", (Text("2 + 3?"),)),
        Message("assistant", (Thinking("Add them.", "c2lnbmVk", provider="anthropic"), Text("5"))),
        Message("user", (Text("Sure?"),)),
    )
)
"""What Claude thought, with its signature."""
