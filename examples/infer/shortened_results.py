"""An agent that shortens what tools answered, once the model has seen it whole.

python shortened_results.py --seed 1 --turns 4 --out run.jsonl
"""

from scripted import Model, Script, main, result, say, tool

INSTRUCTIONS = "You read pages, and answer from them."
TOOLS = [tool("read_page", "Read a page", "title")]
MOST_CHARACTERS = 40


def shorten(message: dict) -> dict:
    """Return a message with no more than the beginning of what a tool answered, unless it is shortened already."""
    text = message["content"]
    if message["role"] != "tool" or len(text) <= MOST_CHARACTERS or text.endswith("characters)"):
        return message
    return message | {"content": f"{text[:MOST_CHARACTERS]}... ({len(text)} characters)"}


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Call the tool until there is an answer; only the newest result is whole."""
    messages = [say("system", INSTRUCTIONS)]
    for _ in range(n_turns):
        messages.append(say("user", user.question()))
        while True:
            reply = model.ask(messages, tools=TOOLS)
            messages = [*map(shorten, messages), reply]
            if not reply.get("tool_calls"):
                break
            page = " ".join([user.sentence(), *user.sentences(3)])
            messages += [result(call, page) for call in reply["tool_calls"]]


if __name__ == "__main__":
    main(agent)
