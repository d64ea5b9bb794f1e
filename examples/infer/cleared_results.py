"""An agent with tools that forgets what tools answered in earlier turns, and keeps the calls and its answers.

python cleared_results.py --seed 1 --turns 5 --out run.jsonl
"""

from scripted import Model, Script, main, result, say, tool

INSTRUCTIONS = "You look things up before you answer."
TOOLS = [tool("search", "Find pages", "query"), tool("read_page", "Read a page", "title")]
CLEARED = "[old result cleared]"


def clear(history: list[dict]) -> list[dict]:
    """Return messages without what tools answered."""
    return [each | {"content": CLEARED} if each["role"] == "tool" else each for each in history]


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Call tools until there is an answer; results are kept for the turn."""
    history: list[dict] = []
    for _ in range(n_turns):
        history = [*clear(history), say("user", user.question())]
        while True:
            reply = model.ask([say("system", INSTRUCTIONS), *history], tools=TOOLS)
            history.append(reply)
            if not reply.get("tool_calls"):
                break
            history += [result(call, user.sentence()) for call in reply["tool_calls"]]


if __name__ == "__main__":
    main(agent)
