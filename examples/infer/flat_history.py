"""A chat that sends the conversation as the text of one message, as programs for models without roles did.

python flat_history.py --seed 1 --turns 5 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "Continue the conversation as the assistant."


def chat(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question with the whole conversation in one message."""
    lines: list[str] = []
    for _ in range(n_turns):
        lines.append(f"User: {user.question()}")
        text = "\n".join(["The conversation so far:", *lines, "Assistant:"])
        answer = model.ask([say("system", INSTRUCTIONS), say("user", text)])
        lines.append(f"Assistant: {answer['content']}")


if __name__ == "__main__":
    main(chat)
