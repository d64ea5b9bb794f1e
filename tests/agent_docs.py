"""What the page about agents has from `agent_runs.py`: what each is asked, and what is said of mistakes in them."""

import difflib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from agent_runs import AGENTS, MUTATIONS, QUESTIONS, Mutation, record


def recording(agent: str) -> str:
    """The command that records an agent with its script, and what both print."""
    folder = f"examples/agents/{agent}"
    words = ["record", "--script", f"{folder}.replies.yaml", "--out", "run.jsonl", "--"]
    with tempfile.TemporaryDirectory() as temporary:
        shutil.copytree(AGENTS, Path(temporary, "examples", "agents"))
        program = [sys.executable, f"{folder}.py", *QUESTIONS[agent]]
        ran = _ran([*words, *program], Path(temporary))
    assert ran.returncode == 0, ran.stderr
    asked = " ".join(f'"{question}"' for question in QUESTIONS[agent])
    printed = f"{ran.stdout.rstrip()}\n{ran.stderr.rstrip()}"
    return f"```text\n$ acdl {' '.join(words)} \\\n    python {folder}.py {asked}\n{printed}\n```"


def _ran(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "acdl_mkdocs", *words]
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env=environment)


def mistakes() -> str:
    """A row for each mistake: what is changed in the code, and which line of the spec it refutes."""
    rows = [row for agent in QUESTIONS for row in map(_row, (each for each in MUTATIONS if each.agent == agent))]
    return "\n".join(["| agent | mistake | refuted | because |", "|---|---|---|---|", *rows])


def _row(mutation: Mutation) -> str:
    lines = (AGENTS / f"{mutation.agent}.acdl").read_text("utf-8").splitlines()
    refuted = "<br>".join(f"{line}: `{lines[line - 1].strip().removesuffix(' {')}`" for line in mutation.lines)
    name = f"{mutation.name}, seen with the state" if mutation.is_with_state else mutation.name
    return f"| `{mutation.agent}` | {name} | {refuted} | {mutation.reason} |"


def mistake(key: str) -> str:
    """A mistake as a change of the code, and the report on the run of the changed agent."""
    mutation = next(each for each in MUTATIONS if each.key == key)
    code = (AGENTS / f"{mutation.agent}.py").read_text("utf-8")
    changed = code.replace(mutation.before, mutation.after)
    compared = difflib.unified_diff(code.splitlines(), changed.splitlines(), n=0, lineterm="")
    shown = [each for each in compared if each[:1] in "+-" and each[:3] not in ("+++", "---")]
    words = ["check-run", f"{mutation.agent}.acdl", "run.jsonl", "--mutants", "0"]
    words += ["--state", f"{mutation.agent}.state.yaml"] if mutation.is_with_state else []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for path in AGENTS.glob(f"{mutation.agent}.*"):
            shutil.copy(path, folder)
        (folder / f"{mutation.agent}.py").write_text(changed, "utf-8")
        record(folder / f"{mutation.agent}.py", mutation.agent, folder / "run.jsonl")
        ran = _ran(words, folder)
    assert ran.returncode == 1, ran.stderr
    difference = "\n".join(shown)
    return f"```text\n{difference}\n```\n\n```text\n$ acdl {' '.join(words)}\n{ran.stdout.rstrip()}\n```"
