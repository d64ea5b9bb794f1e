"""Recorded requests made by hand, and those that the evaluation of an example gives."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import acdl_mkdocs
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_point, parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt as Spec
from acdl_mkdocs.prompts.prompt import Call, Message, Output, Part, Prompt, Role, Text
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.match.verdicts import Checked, check_runs
from acdl_mkdocs.runs.read.recorded import Origin, Recorded

EXAMPLES = Path(acdl_mkdocs.__file__).parent.parent / "examples"
_ROLES: dict[str, Role] = {"S": "system", "U": "user", "A": "assistant", "T": "tool"}
MOST_POINTS = 40


def spec(text: str) -> Resolved:
    """A spec."""
    return parse_and_resolve(Source(text, "spec.acdl")).resolved


def message(words: str) -> Message:
    """`U: hello`, `A: thought | call:search`, `T: result`: parts with `|` between them."""
    letter, _, rest = words.partition(": ")
    parts: list[Part] = []
    for each in (part.strip() for part in rest.split("|")):
        if letter == "T":
            parts.append(Output((Text(each),)))
        elif each.startswith("call:"):
            parts.append(Call(each.removeprefix("call:"), {}))
        else:
            parts.append(Text(each))
    return Message(_ROLES[letter], tuple(parts))


def request(at: str | None, *messages: str, format: str = "openai") -> Recorded:
    """A request at a point."""
    point = None if at is None else parse_point(at)
    return Recorded(Prompt(tuple(map(message, messages))), format, Origin("run.jsonl", 1), at=point)


def verdicts(text: str, *run: Recorded, state: str | None = None) -> dict[int, str]:
    """The verdict of each line of a spec."""
    return {line.line: line.verdict for line in checked(text, *run, state=state).lines}


def checked(text: str, *run: Recorded, state: str | None = None) -> Checked:
    """What one run says about a spec."""
    return check_runs(spec(text), [run], None if state is None else read_state(state).state)


N_PARTS = 5
"""Examples are tried with every format; while people wait, each format has one of so many parts of them."""


def examples_of(part: int) -> Iterable[tuple[str, Resolved, State, str]]:
    """A part of the examples."""
    return [*examples()][part::N_PARTS]


def examples() -> Iterator[tuple[str, Resolved, State, str]]:
    """Every spec of every example with a sample state."""
    for path in sorted(EXAMPLES.glob("*.state.yaml")):
        name = path.name.split(".")[0]
        resolved = parse_and_resolve(Source((EXAMPLES / f"{name}.acdl").read_text("utf-8"), f"{name}.acdl")).resolved
        state = read_state(path.read_text("utf-8"), path.name, EXAMPLES).state
        assert state is not None, path
        for node in resolved.parsed.file.items:
            if isinstance(node, Spec):
                yield name, resolved, state, node.name.name


def evaluated_run(resolved: Resolved, state: State, name: str, format: str | None) -> tuple[list[Recorded], bool]:
    """The requests of a spec at its points, through a provider's format and back; whether the format held them all."""
    found: list[Recorded] = []
    is_whole = True
    text = "*.*" if state.last_step < MOST_POINTS else state.at or "1"
    for number, at in enumerate(parse_points(text, state)[:MOST_POINTS], start=1):
        prompt = build_prompt(evaluate(resolved, state, at, Options(spec=name, missing="placeholder")))
        if format is not None:
            written = PROVIDERS[format].write(prompt)
            is_whole = is_whole and not any(
                "text of a user" in loss.sentence or "thinking" in loss.sentence or "without a role" in loss.sentence
                for loss in written.losses
            )
            prompt = PROVIDERS[format].read(written.body).prompt
        found.append(Recorded(prompt, format or "pml", Origin("run.jsonl", number), at=at))
    return found, is_whole
