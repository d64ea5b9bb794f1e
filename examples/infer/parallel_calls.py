"""An agent whose model may call several tools at once; each result is a message of its own.

python parallel_calls.py --seed 1 --turns 4 --out run.jsonl
"""

from scripted import Model, Script, main, result, say, tool

INSTRUCTIONS = "You compare places. Look up as much at once as you can."
TOOLS = [tool("weather", "Weather of today", "place"), tool("hotels", "Free rooms", "place")]


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Call tools until there is an answer; everything is remembered."""
    messages = [say("system", INSTRUCTIONS)]
    for _ in range(n_turns):
        messages.append(say("user", user.question()))
        while True:
            reply = model.ask(messages, tools=TOOLS, most_calls=3)
            messages.append(reply)
            if not reply.get("tool_calls"):
                break
            messages += [result(call, user.sentence()) for call in reply["tool_calls"]]


if __name__ == "__main__":
    main(agent)
