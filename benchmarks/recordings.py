"""Recorded runs that are checked against a spec: conversations whose requests grow, in memory and as a large file."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, in_turn, ratio_row, timed_row
from peak_memory import peak_mb

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import CheckedFiles, check_requests, open_recordings
from acdl_mkdocs.runs.infer.state import infer_state
from acdl_mkdocs.testing import assert_matches_spec

SPEC = """\
Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.user_question[@t]
        A: resp.answer[@t]
    }
    U: env.user_question[@T]
}
"""
AGENT = """\
// acdl: range=inclusive
Agent[@T.I]: {
    S: INSTRUCTIONS
    U: env.question[@1]
    ForEach(i: range(1, @1.substeps)) {
        A: sys.call[@1.i]
        T: sys.result[@1.i]
    }
}
"""
N_TURNS = 100
N_LARGE = 301
"""Requests of a large recording, whose messages have `N_CHARACTERS` each: 34 MB."""
N_CHARACTERS = 340
N_HUGE, MOST_MB = 517, 150
"""Requests of a recording of 100 MB, and the memory that a program may take to check it."""


def measure() -> list[Row]:
    """All rows of this part."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "chat.acdl"
        path.write_text(SPEC, "utf-8")
        check = partial(assert_matches_spec, path=path, range="half-open")
        few, many = in_turn(5, *(partial(check, requests(n_turns)) for n_turns in (N_TURNS // 2, N_TURNS)))
    n_few, n_many = (sum(len(_messages(turn)) for turn in range(1, n + 1)) for n in (N_TURNS // 2, N_TURNS))
    what = f"check a run of {N_TURNS} requests, {n_many:,} messages"
    most = round(1.2 * n_many / n_few, 2)
    return [
        timed_row(what, many, at_most_ms=3000),
        ratio_row("the same", many, f"{N_TURNS // 2} requests, {n_few:,} messages", few, at_most=most),
        *_large(SPEC, "", partial(requests, n_characters=N_CHARACTERS)),
        *_large(AGENT, " with calls of tools", steps),
        _memory(),
    ]


def _memory() -> Row:
    """How much memory a program takes for a recording of 100 MB."""
    with TemporaryDirectory() as folder:
        spec, path = Path(folder) / "chat.acdl", Path(folder) / "huge.jsonl"
        spec.write_text(SPEC, "utf-8")
        _write_requests(path, requests(N_HUGE, N_CHARACTERS))
        size = f"{path.stat().st_size / 1_000_000:.0f} MB"
        words = (sys.executable, "-m", "acdl_mkdocs", "check-run", spec.name, path.name, "--range", "half-open")
        memory_mb = peak_mb(words, cwd=folder)
    what = f"check a run of {N_HUGE} requests, {size}: peak of memory"
    return Row(what, memory_mb, "MB", bar=f"<= {MOST_MB} MB", is_met=memory_mb <= MOST_MB)


def _write_requests(path: Path, bodies: list[dict[str, Json]]) -> None:
    """Write bodies as JSON lines."""
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(each)}\n" for each in bodies)


def _large(spec: str, kind: str, make: Callable[[int], list[dict[str, Json]]]) -> list[Row]:
    """A large file, and one with as many requests that are half as long.

    Parameters:
        spec: What the run is checked against.
        kind: What the run is.
        make: Makes the bodies of so many requests.
    """
    resolved = parse_and_resolve(Source(spec, "large.acdl")).resolved
    options = Options(range="half-open" if spec == SPEC else None)
    with TemporaryDirectory() as folder:
        path, half = Path(folder) / "large.jsonl", Path(folder) / "half.jsonl"
        for file, n_requests in ((path, N_LARGE), (half, N_LARGE * 7 // 10)):  # half as many messages in all
            _write_requests(file, make(n_requests))

        def check(path: Path) -> CheckedFiles:
            return check_requests(resolved, open_recordings([path]), options=options)

        def emit() -> None:
            infer_state(resolved, check(path).checked, "state.schema.json", options=options)

        whole, part, emitted = in_turn(1, partial(check, path), partial(check, half), emit)
        ratio = path.stat().st_size / half.stat().st_size
        what = f"check a run of {N_LARGE} requests{kind}, {path.stat().st_size / 1_000_000:.0f} MB"
    return [
        timed_row(what, whole, at_most_ms=6000),
        ratio_row("the same", whole, f"a file {ratio:.1f} times smaller", part, at_most=round(1.2 * ratio, 2)),
        timed_row(f"{what}, and write its state", emitted, at_most_ms=12000),
    ]


def steps(n_steps: int) -> list[dict[str, Json]]:
    """The bodies of the requests of an agent that calls a tool at each step."""
    said: list[Json] = [{"role": "system", "content": "Be brief. " * 20}, {"role": "user", "content": "Rain?"}]
    bodies: list[dict[str, Json]] = []
    for number in range(n_steps):
        bodies.append({"model": "m", "messages": [*said]})
        arguments = json.dumps({"n": number, "path": f"src/file{number}.py"})
        call: Json = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": arguments}}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"result {number} line " * 40})
    return bodies


def requests(n_turns: int, n_characters: int = 0) -> list[dict[str, Json]]:
    """The bodies of the requests of a conversation, each with all that was said before.

    Parameters:
        n_turns: How many turns it has.
        n_characters: How long its messages are at least.
    """
    return [{"model": "m", "messages": _messages(turn, n_characters)} for turn in range(1, n_turns + 1)]


def _messages(turn: int, n_characters: int = 0) -> list[Json]:
    def text(kind: str, number: int) -> str:
        words = f"{kind} {number} "
        return (words * (n_characters // len(words) + 1)).strip()

    said: list[Json] = [{"role": "system", "content": "You answer questions about trains."}]
    for before in range(1, turn):
        said.append({"role": "user", "content": text("question", before)})
        said.append({"role": "assistant", "content": text("answer", before)})
    return [*said, {"role": "user", "content": text("question", turn)}]
