"""An agent that works through a list, and sees in each step what is done and what is left, but no conversation.

python todo.py --seed 1 --turns 5 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "You tidy up an archive. Do the next thing of the list, and say in one sentence what you did."


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Do one thing after the other; the newest note is sent along, and now and then there is more to do."""
    left = [f"describe the {user.thing()}" for _ in range(n_turns)]
    done: list[str] = []
    note = None
    for _ in range(n_turns):
        listed = [*(f"[x] {each}" for each in done), *(f"[ ] {each}" for each in left)]
        messages = [say("system", INSTRUCTIONS), say("user", "\n".join(["The list:", *listed]))]
        if note is not None:
            messages.append(say("assistant", note))
        messages.append(say("user", f"Next: {left[0]}"))
        note = model.ask(messages)["content"]
        done.append(left.pop(0))
        if user.happens(0.3):
            left.append(f"measure the {user.thing()}")


if __name__ == "__main__":
    main(agent)
