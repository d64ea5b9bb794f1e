"""An agent that sends less of what is older: results are shortened in the next turn, and cleared later.

python aging.py --seed 1 --turns 6 --out run.jsonl
"""

from scripted import Model, Script, main, result, say, tool

INSTRUCTIONS = "You read pages, and answer from them."
TOOLS = [tool("read_page", "Read a page", "title")]
CLEARED = "[old result cleared]"
MOST_CHARACTERS = 60


def shorten(message: dict) -> dict:
    """Return a message with no more than the beginning of its text."""
    text = message["content"]
    return message if len(text) <= MOST_CHARACTERS else message | {"content": f"{text[:MOST_CHARACTERS]}..."}


def age(message: dict, n_turns: int) -> dict:
    """Return a message as it is sent so many turns later."""
    if message["role"] == "tool" and n_turns > 2:
        return message | {"content": CLEARED}
    return shorten(message) if message["role"] == "tool" and n_turns > 0 else message


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Call the tool until there is an answer."""
    turns: list[list[dict]] = []
    for _ in range(n_turns):
        turns.append([say("user", user.question())])
        while True:
            sent = [age(each, len(turns) - number) for number, turn in enumerate(turns, 1) for each in turn]
            reply = model.ask([say("system", INSTRUCTIONS), *sent], tools=TOOLS)
            turns[-1].append(reply)
            if not reply.get("tool_calls"):
                break
            page = " ".join([user.sentence(), *user.sentences(3)])
            turns[-1] += [result(call, page) for call in reply["tool_calls"]]


if __name__ == "__main__":
    main(agent)
