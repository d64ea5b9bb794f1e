"""A chat over several days, whose instructions have the date, and whose questions have the time.

python dated.py --seed 1 --turns 6 --out run.jsonl
"""

from datetime import datetime, timedelta

from scripted import Model, Script, main, say


def chat(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question with the conversation so far; the date of today is in the instructions."""
    now = datetime(2026, 3, 2, 9, 30) + timedelta(days=user.chance.randint(0, 300))
    history: list[dict] = []
    for _ in range(n_turns):
        history.append(say("user", f"[{now:%H:%M}] {user.question()}"))
        instructions = f"You keep a diary. Today is {now:%A, %d %B %Y}. Never mention tomorrow."
        history.append(model.ask([say("system", instructions), *history]))
        now += timedelta(minutes=user.chance.randint(20, 2000))


if __name__ == "__main__":
    main(chat)
