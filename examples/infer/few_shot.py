"""A classifier that shows the model examples, as if they were turns of the conversation, before it asks.

python few_shot.py --seed 1 --turns 4 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "Say whether a review is positive, negative or mixed."
EXAMPLES = [
    ("The room was clean and the view wonderful.", "positive"),
    ("We waited for an hour, and the soup was cold.", "negative"),
    ("Nice staff, but the bed was too short.", "mixed"),
]
NO_ANSWER = "Answer with one word."


def classify(model: Model, user: Script, n_turns: int) -> None:
    """Ask about one review after the other; none of them is remembered."""
    for _ in range(n_turns):
        messages = [say("system", INSTRUCTIONS)]
        for review, label in EXAMPLES:
            messages += [say("user", review), say("assistant", label)]
        messages += [say("user", user.sentence()), say("system", NO_ANSWER)]
        model.ask(messages, one_of=["positive", "negative", "mixed"])


if __name__ == "__main__":
    main(classify)
