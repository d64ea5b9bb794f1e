"""Retrieval: the documents found for a question are in the message that asks it, and only as long as it is the newest.

python rag.py --seed 1 --turns 5 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = "Answer from the documents. If they do not say it, say so."


def retrieve(library: Script) -> list[str]:
    """Return what was found: nothing, or up to four documents."""
    return [f"[{number}] {text}" for number, text in enumerate(library.sentences(4), 1)]


def chat(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question with its documents, and the conversation before it without them."""
    history: list[dict] = []
    for _ in range(n_turns):
        question = user.question()
        documents = retrieve(user)
        asked = "\n".join(["Documents:", *documents, f"Question: {question}"]) if documents else question
        answer = model.ask([say("system", INSTRUCTIONS), *history, say("user", asked)])
        history += [say("user", question), answer]


if __name__ == "__main__":
    main(chat)
