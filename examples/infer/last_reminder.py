"""An agent with tools whose last message is its list of things to do, written anew for each request and never kept.

python last_reminder.py --seed 1 --turns 5 --out run.jsonl
"""

from scripted import Model, Script, main, result, say, tool

INSTRUCTIONS = "You repair old clocks. Keep the list up to date."
TOOLS = [tool("write_list", "Add something to the list", "item"), tool("inspect", "Look at a part", "part")]


def remind(items: list[str]) -> dict:
    """Return the message with the list."""
    lines = [f"{number}. [ ] {item}" for number, item in enumerate(items, 1)] or ["Nothing is left."]
    return say("user", "\n".join(["<reminder>", "Your list:", *lines, "</reminder>"]))


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Call tools until there is an answer; the list grows where the model adds something."""
    history: list[dict] = []
    items: list[str] = []
    for _ in range(n_turns):
        history.append(say("user", user.question()))
        while True:
            reply = model.ask([say("system", INSTRUCTIONS), *history, remind(items)], tools=TOOLS)
            history.append(reply)
            if not reply.get("tool_calls"):
                break
            for call in reply["tool_calls"]:
                if call["function"]["name"] == "write_list":
                    items.append(user.thing())
                history.append(result(call, user.sentence()))


if __name__ == "__main__":
    main(agent)
