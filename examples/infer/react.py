"""A ReAct agent without tools of the provider: thoughts, actions and observations are words in messages.

python react.py --seed 1 --turns 4 --out run.jsonl
"""

from scripted import Model, Script, main, say

INSTRUCTIONS = """Answer the question. In each step, think, then act:
Action: search, read or finish"""
ACTIONS = ("search", "read", "finish")
MOST_STEPS = 4


def agent(model: Model, user: Script, n_turns: int) -> None:
    """Take steps until the model finishes; of earlier turns, only questions and answers are kept."""
    history: list[dict] = []
    for _ in range(n_turns):
        question = say("user", f"Question: {user.question()}")
        steps: list[dict] = []
        for _ in range(MOST_STEPS):
            acts = [f"Thought: {model.script.sentence()}\nAction: {each}" for each in ACTIONS]
            reply = model.ask([say("system", INSTRUCTIONS), *history, question, *steps], one_of=acts)
            if reply["content"].endswith("finish"):
                break
            steps += [reply, say("user", f"Observation: {user.sentence()}")]
        history += [question, reply]


if __name__ == "__main__":
    main(agent)
