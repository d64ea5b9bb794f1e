"""A help desk: one request finds out what a question is about, another one answers it with the instructions for that.

python router.py --seed 1 --turns 6 --out run.jsonl
"""

from scripted import Model, Script, main, say

CLASSIFY = "What is the question about? Answer with one word: billing, technical or other."
INSTRUCTIONS = {
    "billing": "You answer questions about bills. Never promise money back.",
    "technical": "You answer technical questions. Ask for the version first.",
    "other": "You are the front desk. Say who can help.",
}


def desk(model: Model, user: Script, n_turns: int) -> None:
    """Answer each question, with the conversation so far, as the desk that it is for."""
    history: list[dict] = []
    for _ in range(n_turns):
        question = say("user", user.question())
        subject = model.ask([say("system", CLASSIFY), question], one_of=list(INSTRUCTIONS))["content"]
        answer = model.ask([say("system", INSTRUCTIONS[subject]), *history, question])
        history += [question, answer]


if __name__ == "__main__":
    main(desk)
