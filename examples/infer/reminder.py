"""A chat that reminds the model of its task in every fourth turn, because it forgets instructions far above.

python reminder.py --seed 1 --turns 9 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "You are a museum guide. Speak only about the museum, and be polite."
REMINDER = "Remember: speak only about the museum, and be polite."
EVERY = 4


def chat(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question with the whole conversation, and the reminder where it is due."""
    history: list[dict] = []
    for turn in range(1, n_turns + 1):
        history.append(say("user", user.question()))
        messages = [say("system", INSTRUCTIONS), *history]
        if turn % EVERY == 0:
            messages.append(say("system", REMINDER))
        history.append(model.ask(messages))


if __name__ == "__main__":
    main(chat)
