"""What the agents of this folder share: a user and a model that follow a script, and the log of all calls.

The agents are as people write them, but for the model: it answers with random words, the same for the same seed, so
that no key and no network is needed. Every call is a line of the log, with the request and the reply, as
`acdl check-run` reads it.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import TextIO

_THINGS = "bridge castle ferry garden harbour island lake market meadow mill museum orchard river station tower village"
_KINDS = "amber cold distant eastern famous green hidden little northern old quiet red silver steep western windy"
THINGS, KINDS = _THINGS.split(), _KINDS.split()
DEEDS = ("closes at", "is rebuilt by", "lies behind", "looks like", "opens before", "was sold to")


class Script:
    """Random words of a kind, the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self.chance = Random(seed)

    def thing(self) -> str:
        """Something to talk about."""
        return f"{self.chance.choice(KINDS)} {self.chance.choice(KINDS)} {self.chance.choice(THINGS)}"

    def sentence(self) -> str:
        """Something that may be true."""
        return f"The {self.thing()} {self.chance.choice(DEEDS)} the {self.thing()}."

    def question(self) -> str:
        """Something that a user wants to know."""
        return f"Is it so that the {self.thing()} {self.chance.choice(DEEDS)} the {self.thing()}?"

    def sentences(self, most: int) -> list[str]:
        """None, or some."""
        return [self.sentence() for _ in range(self.chance.randint(0, most))]

    def happens(self, how_often: float) -> bool:
        """Whether something happens that does so often."""
        return self.chance.random() < how_often


class Model:
    """A model in the place of a client: `ask()` is what `client.chat.completions.create()` would be."""

    def __init__(self, log: TextIO, seed: str, name: str = "small-model") -> None:
        """Prepare a model.

        Args:
            log: Takes a line for each call.
            seed: What the answers are drawn from; the name of the run in the log.
            name: As requests name it.
        """
        self.log, self.episode, self.name = log, seed, name
        self.script = Script(f"{name} {seed}")
        self.n_calls = self.n_calls_in_row = 0

    def ask(
        self, messages: list[dict], *, tools: Sequence[dict] = (), most_calls: int = 1, one_of: Sequence[str] = ()
    ) -> dict:
        """Send messages to the model, log the call, and return the message that it answers.

        Args:
            messages: What is sent.
            tools: What the model may call.
            most_calls: Of one answer.
            one_of: The script's own: the answers that make sense.
        """
        request = {"model": self.name, "messages": deepcopy(messages), **({"tools": list(tools)} if tools else {})}
        if tools and self.n_calls_in_row < 3 and self.script.happens(0.6):
            self.n_calls_in_row += 1
            reply = self.call(tools, self.script.chance.randint(1, most_calls))
        else:
            self.n_calls_in_row = 0
            text = self.script.chance.choice(one_of) if one_of else self.script.sentence()
            reply = {"role": "assistant", "content": text}
        line = {"episode": self.episode, "request": request, "reply": {"choices": [{"index": 0, "message": reply}]}}
        self.log.write(json.dumps(line) + "\n")
        return deepcopy(reply)

    def call(self, tools: Sequence[dict], n_calls: int) -> dict:
        """Answer with calls of tools."""
        calls = []
        for _ in range(n_calls):
            self.n_calls += 1
            function = self.script.chance.choice(tools)["function"]
            arguments = json.dumps({name: self.script.thing() for name in function["parameters"]["properties"]})
            call = {"name": function["name"], "arguments": arguments}
            calls.append({"id": f"call_{self.n_calls}", "type": "function", "function": call})
        return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(name: str, description: str, argument: str) -> dict:
    """A tool with one argument, as the model is told about it."""
    parameters = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def say(role: str, text: str) -> dict:
    """A message."""
    return {"role": role, "content": text}


def result(call: dict, text: str) -> dict:
    """What a tool answered to a call."""
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


def main(agent: Callable[[Model, Script, int], None]) -> None:
    """Run an agent as a program: `--seed`, `--turns`, and `--out` for the log."""
    parser = argparse.ArgumentParser(description=(agent.__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", default="1", help="what the user and the model say is drawn from it")
    parser.add_argument("--turns", type=int, default=6, help="how often the user says something")
    parser.add_argument("--out", type=Path, default=Path("run.jsonl"), help="file for the calls (default: run.jsonl)")
    args = parser.parse_args()
    with args.out.open("w", encoding="utf-8") as log:
        agent(Model(log, args.seed), Script(f"user {args.seed}"), args.turns)
