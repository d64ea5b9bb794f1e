"""What `unroll` writes, `check-run` with the same spec accepts: examples and generated specs, through every format."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from exhaustive import each_once
from exhaustive import examples as random_examples
from generated.batches import resolved
from generated.scopes import Spec
from generated.test_generated_sent import Sendable, sendable
from hypothesis import given

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.check_files import check_requests, open_recordings
from acdl_mkdocs.runs.match.pattern import find_role
from traces.sent import MOST_POINTS, N_PARTS, examples_of

_IS_OTHER = re.compile("not sent|only its description|without a role|does not answer|read as")
"""Losses where another message is sent than the spec says; all else is read as it is meant."""


def points_of(state: State) -> Sequence[Time]:
    """All points of a state; of one that goes on for long, the first."""
    return parse_points("*.*" if state.last_step < MOST_POINTS else state.at or "1", state)[:MOST_POINTS]


@dataclass(frozen=True)
class Sender:
    """A spec with a state, in the format of a provider."""

    text: Resolved
    state: State
    name: str
    format: str

    def unrolled(self) -> tuple[list[Json], list[str]]:
        """The requests as `unroll` writes them, with their points.

        Without those that a format cannot hold: of calls in instructions, for example, it makes other messages. And
        without those with placeholders, which stand for values that are other ones at other points.
        """
        bodies: list[Json] = []
        points: list[str] = []
        options = Options(spec=self.name, range=self.state.range, missing="placeholder")
        for at in points_of(self.state):
            prompt = build_prompt(evaluate(self.text, self.state, at, options))
            written = PROVIDERS[self.format].write(prompt, "m")
            is_other = any(find_role(part, each.role) != each.role for each in prompt.messages for part in each.parts)
            is_other = is_other or "⟦" in repr(prompt)
            if not is_other and not any(_IS_OTHER.search(loss.sentence) for loss in written.losses):
                bodies.append(json.loads(json.dumps(written.body)))
                points.append(str(at))
        return bodies, points

    def check(self, folder: Path, *, is_known_alone: bool = True) -> int:
        """Check the requests with that state, and where the spec alone says enough, without any; how many there are."""
        bodies, points = self.unrolled()
        if not bodies:
            return 0
        run, manifest = folder / "run.jsonl", folder / "points.json"
        run.write_text("".join(f"{json.dumps(each)}\n" for each in bodies), "utf-8")
        manifest.write_text(json.dumps([{"at": each, "episode": "a"} for each in points]), "utf-8")
        options = Options(spec=self.name, range=self.state.range)
        for state in (None, self.state) if is_known_alone else (self.state,):
            recordings = open_recordings([run], self.format, manifest)
            found = check_requests(self.text, recordings, state=state, options=options).checked
            wrong = [(line.line, line.reason) for line in found.list_lines("refuted")]
            assert not wrong, (self.name, state is not None)
            assert found.n_agreeing == len(bodies), (self.name, state is not None)
        return len(bodies)


@pytest.mark.parametrize(("format", "part"), each_once(PROVIDERS, range(N_PARTS)))
def test_examples(format: str, part: int, tmp_path: Path) -> None:
    """Every example with its state at all points, in every format."""
    n_requests = [Sender(*example[1:], format).check(tmp_path) for example in examples_of(part)]
    assert sum(n_requests) > 100 // N_PARTS


@pytest.mark.parametrize("format", PROVIDERS)
@given(made=sendable())
@random_examples(10)
def test_generated_specs(format: str, tmp_path_factory: pytest.TempPathFactory, made: tuple[Spec, Sendable]) -> None:
    """A generated spec with a state that fits; without it nobody knows which values are nothing, and sent nowhere."""
    text, state, name, _ = made[1]
    Sender(text, state, name, format).check(tmp_path_factory.mktemp("run"), is_known_alone=False)


def test_a_prompt_that_ends_in_a_message(tmp_path: Path) -> None:
    """It is whole there, also where the message has nothing yet, and where nobody knows whether it ends."""
    text = resolved(
        "A1[@T]: {\n    S: RULES\n    U: {\n        PromptEndsHere when @T == 1\n        env.q[@T]\n    }\n}\n"
    )
    known = read_state(
        "acdl_state: 1\ntemplates: {RULES: Be kind.}\nsteps: {1: {env: {q: a}}, 2: {env: {q: b}}}\n"
    ).state
    assert known is not None
    assert Sender(text, known, "A1", "openai").check(tmp_path) == 2
    text = resolved("A1: {\n    S: RULES\n    U: {\n        PromptEndsHere when sys.is_late\n    }\n    U: env.q\n}\n")
    for said, n_messages in (("true", 1), ("false", 2)):
        known = read_state(
            f"acdl_state: 1\ntemplates: {{RULES: Be kind.}}\nenv: {{q: a}}\nsys: {{is_late: {said}}}\n"
        ).state
        assert known is not None
        sender = Sender(text, known, "A1", "openai")
        (body,) = sender.unrolled()[0]
        assert isinstance(body, dict)
        assert len(body["messages"]) == n_messages  # type: ignore[arg-type]
        assert sender.check(tmp_path) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"model": "gpt-5", "instructions": "", "input": "Hi"},
        {"model": "claude", "max_tokens": 1, "system": "", "messages": [{"role": "user", "content": "Hi"}]},
        {"systemInstruction": {"parts": [{"text": ""}]}, "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    ],
)
@pytest.mark.parametrize(("system", "n_agreeing"), [("", 1), ("    S: env.clock\n", 1), ('    S: "Be brief."\n', 0)])
def test_empty_instructions(system: str, n_agreeing: int, body: Json, tmp_path: Path) -> None:
    """Instructions that are sent without a word are a System message that may be there, and may be empty."""
    run = tmp_path / "run.jsonl"
    run.write_text(json.dumps(body), "utf-8")
    text = resolved(f"A1[@T]: {{\n{system}    U: env.q\n}}\n")
    assert check_requests(text, open_recordings([run])).checked.n_agreeing == n_agreeing
