"""An agent that sends the newest results whole, and of older ones only how long they were.

python newest_results.py --seed 1 --turns 4 --out run.jsonl
"""

from scripted import Model, Script, main, result, say, tool

INSTRUCTIONS = "You read pages, and answer from them."
TOOLS = [tool("read_page", "Read a page", "title")]
N_WHOLE = 2


def clear(messages: list[dict]) -> list[dict]:
    """Return messages without what tools answered, but for the newest answers."""
    results = [each for each in messages if each["role"] == "tool"]
    old = [each["tool_call_id"] for each in results[:-N_WHOLE]]
    return [
        each | {"content": f"[result of {len(each['content'])} characters]"}
        if each.get("tool_call_id") in old
        else each
        for each in messages
    ]


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Call the tool until there is an answer."""
    messages = [say("system", INSTRUCTIONS)]
    for _ in range(n_turns):
        messages.append(say("user", user.question()))
        while True:
            reply = model.ask(clear(messages), tools=TOOLS)
            messages.append(reply)
            if not reply.get("tool_calls"):
                break
            page = " ".join([user.sentence(), *user.sentences(3)])
            messages += [result(call, page) for call in reply["tool_calls"]]


if __name__ == "__main__":
    main(agent)
