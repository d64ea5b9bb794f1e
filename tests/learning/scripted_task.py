"""A task that only a playbook can solve, and a model that solves it: a pure function of its prompt.

Questions ask for sums in units that nobody knows. The generator is right only if its prompt has the lesson about the
unit; reflector and curator derive that lesson from the right answer.
"""

import json
import re
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.loop import Around, RunResult, Settings, offline
from acdl_mkdocs.playbook.learn.models import Reply, Usage
from acdl_mkdocs.playbook.learn.models.model import CutReplyError
from acdl_mkdocs.playbook.learn.models.scripted import prompt_words
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.store import create
from acdl_mkdocs.playbook.store.load import get_usable_playbook, load
from acdl_mkdocs.prompts.prompt import Json, Prompt

RATES = {
    "blim": ("snarks", 7),
    "drof": ("snarks", 12),
    "quil": ("wabes", 3),
    "tove": ("wabes", 15),
    "borog": ("raths", 9),
    "vorpal": ("raths", 21),
    "mimsy": ("gyres", 4),
    "frum": ("gyres", 16),
}
KNOWN = ("mimsy", "frum")
"""What the model knows unasked: a quarter of the questions."""
SAMPLES = tuple(
    Sample(f"{unit}-{n}", f"How many {to} are {n} {unit}s?", str(n * rate))
    for unit, (to, rate) in RATES.items()
    for n in (2, 5, 6, 8, 11)
)
_QUESTION = re.compile(r"How many (\w+) are (\d+) (\w+)s\?")
_LESSON = re.compile(r"\[([\w-]+)\] helpful=\d+ harmful=\d+ :: Count one (\w+) as (\d+) (\w+)\.")
UNANSWERED = "drof-6"
"""The sample whose question is never answered: the model fails."""


class Units:
    """The model. It holds nothing that changes, so that it is the same in every process.

    Parameters:
        pause_s: How long it takes to answer.
    """

    name = "units"

    def __init__(self, pause_s: float = 0.0) -> None:
        self.pause_s = pause_s

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,  # noqa: ARG002
        temperature: float = 0.0,  # noqa: ARG002
        seed: int | None = None,  # noqa: ARG002
    ) -> Reply:
        """The reply of the role whose JSON is asked for."""
        time.sleep(self.pause_s)
        words = prompt_words(prompt)
        keys = json_schema["properties"] if json_schema else {}
        assert isinstance(keys, dict)
        roles = {"final_answer": answer, "key_insight": reflection, "operations": delta, "verdict": verdict}
        text = next(role for key, role in roles.items() if key in keys)(words)
        return Reply(text, Usage(len(words), len(text)), self.name)


def asked(words: str) -> tuple[str, int, str]:
    """What the question in a prompt asks: unit to convert to, number, unit to convert from."""
    found = _QUESTION.search(words)
    assert found, words
    return found[1], int(found[2]), found[3]


def answer(words: str) -> str:
    """Right with the lesson or with what is known; broken JSON for some questions until it is to be repaired."""
    to, n, unit = asked(words)
    if f"{unit}-{n}" == UNANSWERED:
        raise CutReplyError("the reply was cut", "allow more", Usage(5, 7))
    if sha256(f"{unit}{n}".encode()).digest()[0] % 7 == 0 and "This is not the JSON" not in words:
        return f'{{"final_answer": {n}'
    told = re.search(r"Insight: Count one \w+ as (\d+) ", words)
    if told:
        return json.dumps({"reasoning": "As the reflection says.", "final_answer": str(n * int(told[1]))})
    lessons = {name: (key, int(rate)) for key, name, rate, _ in _LESSON.findall(words)}
    if unit in lessons:
        key, rate = lessons[unit]
        said = f"By [{key}] a {unit} is {rate} {to}; see also [gen-zzzzzzz9] and [1]."
        return json.dumps({"reasoning": said, "bullet_ids": [], "final_answer": str(n * rate)})
    if unit in KNOWN:
        return json.dumps({"reasoning": "", "bullet_ids": [], "final_answer": n * RATES[unit][1]})
    return json.dumps({"reasoning": "No lesson about it.", "bullet_ids": ["gen-00000000"], "final_answer": "1"})


def reflection(words: str) -> str:
    """The rate, from the right answer; at first only a vague word, so that it takes a second round."""
    to, n, unit = asked(words)
    truth = re.search(r"Correct answer: (\d+)", words)
    assert truth, words
    used = [key for key, name, *_ in _LESSON.findall(words) if name == unit]
    is_right = "The answer is right." in words
    tags = [{"id": key, "tag": "helpful" if is_right else "harmful"} for key in used]
    insight = ""
    if not is_right:
        rate = int(truth[1]) // n
        insight = f"Count one {unit} as {rate} {to}." if "strict editor" in words else "Convert units with care."
    return json.dumps({"reasoning": "", "key_insight": insight, "bullet_tags": [*tags, {"id": "nope", "tag": "good"}]})


def delta(words: str) -> str:
    """ADD the insight if no lesson says it."""
    found = re.search(r"Insight: (Count one \w+ as \d+ \w+\.)", words)
    if not found or f":: {found[1]}" in words:
        return json.dumps({"reasoning": "known", "operations": []})
    add = {"type": "ADD", "section": "general", "content": found[1]}
    pin = {"type": "PIN", "bullet_id": "gen-00000000"}
    return "```json\n" + json.dumps({"reasoning": "new", "operations": [add, pin]}) + "\n```"


def verdict(words: str) -> str:
    """Lessons about two units conflict if they give the same rate, and differ otherwise."""
    rates = re.findall(r"^Count one \w+ as (\d+) ", words, re.MULTILINE)
    assert len(rates) == 2, words
    said = "conflicts" if rates[0] == rates[1] else "differs"
    return json.dumps({"reason": f"{rates[0]} and {rates[1]}", "verdict": said})


SETTINGS = Settings(epochs=2, seed=3)
KILLED = Settings(seed=3)
"""Of runs that are killed."""


def new_playbook(folder: Path) -> Path:
    """An empty playbook in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "playbook.yaml"
    create(path, Playbook("units"), time=None)
    return path


def learn(path: Path, settings: Settings = SETTINGS, around: Around | None = None, pause_s: float = 0.0) -> RunResult:
    """Learn the task."""
    return offline(path, SAMPLES, Units(pause_s), settings, around)


def traces(path: Path) -> dict[str, bytes]:
    """Everything that a run leaves, but for the lock files."""
    run = path.with_name("playbook.run")
    names = [path, path.with_name("playbook.history.jsonl"), run / "trajectory.jsonl", run / "run.json"]
    left = [each.name for each in run.rglob("*") if each.is_file() and each.name != ".lock"]
    return {each.name: each.read_bytes() for each in names} | {"files": "\n".join(sorted(left)).encode()}


def playbook_of(path: Path) -> Playbook:
    """The playbook of a file."""
    return get_usable_playbook(load(path))
