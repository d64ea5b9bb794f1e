"""What the page about inference shows: specs of recordings, and the conditions by their costs."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import cast

from acdl_mkdocs import infer_recording
from acdl_mkdocs.app.infer_report import describe_inferred
from acdl_mkdocs.runs.infer import conditions, write
from acdl_mkdocs.runs.infer.observe import Request
from acdl_mkdocs.runs.read.recorded import Recorded

_ROOT = Path(__file__).parent.parent
_RUN = ("--seed", "1", "--turns", "9")


def inferred_spec(path: Path, lines: str = "") -> str:
    """The spec of a recording, of a file, of lines or of a program, and choices that it does not decide."""
    with tempfile.TemporaryDirectory() as folder:
        if lines:
            path = Path(folder) / path.name
            path.write_text(lines, "utf-8")
        elif path.suffix == ".py":
            log = Path(folder) / "run.jsonl"
            subprocess.run([sys.executable, str(path), *_RUN, "--out", str(log)], check=True, capture_output=True)
            path = log
        inferred = infer_recording(path, mutants=0)
    parts = [f"```acdl\n{inferred.text}```"]
    if any(each.choices for each in inferred.prompts):
        sentences = "".join(f"acdl: {each}\n" for each in describe_inferred(inferred, f"{path.stem}.acdl"))
        parts.append(f"```text\n{sentences}```")
    return "\n\n".join(parts)


def inferred_part(fence_text: Callable[[str, str], str], page: str, words: str) -> str:
    """The spec of a recording: of a file of the repository, or of a fence of the page."""
    return inferred_spec(_ROOT / words, "" if (_ROOT / words).exists() else fence_text(page, words))


def refined_part(fence_text: Callable[[str, str], str], page: str, words: str) -> str:
    """What a recording of a program changes in the spec of a fence, as a terminal shows it."""
    name, program = words.split()
    with tempfile.TemporaryDirectory() as folder:
        spec, log = Path(folder) / name, Path(folder) / "new.jsonl"
        spec.write_text(fence_text(page, name), "utf-8")
        run = [sys.executable, str(_ROOT / program), *_RUN, "--out", str(log)]
        subprocess.run(run, check=True, capture_output=True)
        command = [sys.executable, "-m", "acdl_mkdocs", "infer", "new.jsonl", "--into", name]
        shown = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        made = spec.read_text("utf-8")
    return f"```text\n{shown.stdout}{shown.stderr}```\n\n```acdl\n{made}```"


def cost_rows() -> list[tuple[str, str]]:
    """What a spec costs with its state, in characters."""
    return [
        (str(write._COST_OF_LINE), "a line of the spec, without comments and closing braces"),
        (str(write._COST_OF_LINE), "a value of the state that only says whether, or which of several lines, is sent"),
        (str(write._COST_OF_CHOICE), "each time that it says so"),
        (str(write._COST_OF_LINE * write._LINES_OF_START), "a first turn of a loop that only the state says"),
        ("its length", "each other value of the state; texts of templates cost nothing"),
    ]


def condition_rows() -> list[tuple[str, str]]:
    """The conditions that inference tries, by their cost; numbers that recordings give are `n`."""
    costs: dict[int, dict[str, None]] = {}
    scopes: tuple[conditions.Scope, ...] = ("request", "turn", "round")
    for scope in scopes:
        requests = [Request(0, turn, step, (), cast("Recorded", None)) for turn in (1, 2, 3, 4) for step in (0, 1, 2)]
        iterations = [conditions.Iteration(each, turn, 1, 2) for each in requests for turn in range(1, each.turn + 1)]
        starts: dict[tuple[int, ...], int] = {(0, turn): turn for turn in (1, 2, 3, 4)}
        tests = chain(conditions._list_start_tests(iterations, starts), conditions._list_tests(iterations, scope))
        for text, _, cost, _ in tests:
            costs.setdefault(cost, {})[f"`{re.sub(r'(?<=[=<>%] )[2-9]|(?<=@T-)[2-9]', 'n', text)}`"] = None
    return [(str(cost), ", ".join(costs[cost])) for cost in sorted(costs)]
