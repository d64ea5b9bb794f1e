"""An agent whose tool fails now and then: the error is sent back with a hint, and what failed is forgotten afterwards.

python retries.py --seed 1 --turns 5 --out run.jsonl
"""

from scripted import Model, Script, main, result, say, tool

INSTRUCTIONS = "You book trains. Call the tool, then say what you did."
TOOLS = [tool("book", "Book a train", "train")]
HINT = "The tool failed. Check the arguments and try again."


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Call the tool until there is an answer; calls that failed are not remembered in later turns."""
    history: list[dict] = []
    for _ in range(n_turns):
        turn = [say("user", user.question())]
        failed: list[dict] = []
        while True:
            hint = [say("user", HINT)] if failed else []
            reply = model.ask([say("system", INSTRUCTIONS), *history, *turn, *failed, *hint], tools=TOOLS)
            if not reply.get("tool_calls"):
                break
            (call,) = reply["tool_calls"]
            if user.happens(0.3):
                failed += [reply, result(call, f"error: {user.sentence()}")]
            else:
                turn += [reply, result(call, user.sentence())]
                failed = []
        history += [*turn, reply]


if __name__ == "__main__":
    main(agent)
