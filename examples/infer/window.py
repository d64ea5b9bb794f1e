"""A chat that remembers the last three turns only, so that its context does not grow.

python window.py --seed 1 --turns 8 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "You are a guide to the coast. Answer in one sentence."
N_REMEMBERED = 3


def chat(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question with the last few questions and answers before it."""
    turns: list[tuple[dict, dict]] = []
    for _ in range(n_turns):
        question = say("user", user.question())
        messages = [say("system", INSTRUCTIONS)]
        for asked, answered in turns[-N_REMEMBERED:]:
            messages += [asked, answered]
        answer = model.ask([*messages, question])
        turns.append((question, answer))


if __name__ == "__main__":
    main(chat)
