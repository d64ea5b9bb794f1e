"""A chat that summarises what was said when it has become too long, and goes on with the summary.

The summary is asked for in a request of its own: the log has two kinds of requests.

    python summary.py --seed 1 --turns 9 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "You help to plan a journey. Ask back if something is unclear."
SUMMARISE = "Summarise the conversation in one sentence. Keep places and times."
MOST_TURNS = 3


def summarise(model: Model, summary: str | None, history: list[dict]) -> str:
    """Return a summary of the summary so far and of all that was said since."""
    said = [f"{each['role']}: {each['content']}" for each in history]
    text = "\n".join([*([f"before: {summary}"] if summary else []), *said])
    return model.ask([say("system", SUMMARISE), say("user", text)])["content"]


def chat(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question with the summary, if there is one, and what was said since."""
    history: list[dict] = []
    summary: str | None = None
    for _ in range(n_turns):
        if len(history) >= 2 * MOST_TURNS:
            summary, history = summarise(model, summary, history), []
        history.append(say("user", user.question()))
        messages = [say("system", INSTRUCTIONS)]
        if summary:
            messages.append(say("system", f"Summary of the conversation so far: {summary}"))
        history.append(model.ask([*messages, *history]))


if __name__ == "__main__":
    main(chat)
