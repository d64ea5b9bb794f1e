"""A chat that knows its user: a name, and a list of facts that grows with what the user says.

python profile.py --seed 1 --turns 6 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "You are a personal assistant. Use what you know about the user."


def describe(name: str, facts: list[str]) -> str:
    """Return the profile as text."""
    return "\n".join([f"The user is called {name}.", *(f"- {each}" for each in facts)])


def chat(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question with the profile as it is then."""
    name = user.chance.choice(["Clara", "Emil", "Jonas", "Nora", "Pavel", "Ruth"])
    facts = user.sentences(2)
    history: list[dict] = []
    for _ in range(n_turns):
        history.append(say("user", user.question()))
        messages = [say("system", INSTRUCTIONS), say("system", describe(name, facts)), *history]
        history.append(model.ask(messages))
        if user.happens(0.4):
            facts.append(user.sentence())


if __name__ == "__main__":
    main(chat)
