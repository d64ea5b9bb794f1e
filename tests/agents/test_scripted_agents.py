"""The agents of `examples/infer` write the same log each time, which `acdl check-run` reads."""

import subprocess
import sys
from pathlib import Path

import pytest

import acdl_mkdocs
from acdl_mkdocs.runs.check_files import open_recordings
from acdl_mkdocs.runs.read.recorded import Recorded

ROOT = Path(acdl_mkdocs.__file__).parent.parent
AGENTS = sorted(path for path in (ROOT / "examples" / "infer").glob("*.py") if path.stem != "scripted")
N_TURNS = 5


def run_agent(agent: Path, seed: str, log: Path) -> str:
    """Return the log of a run."""
    words = [sys.executable, str(agent), "--seed", seed, "--turns", str(N_TURNS), "--out", str(log)]
    subprocess.run(words, check=True, capture_output=True, cwd=log.parent)
    return log.read_text("utf-8")


@pytest.mark.parametrize("agent", AGENTS, ids=lambda path: path.stem)
def test_a_log_is_a_recording(agent: Path, tmp_path: Path) -> None:
    """Each line is a request with its reply; another seed gives another log."""
    log = tmp_path / "run.jsonl"
    text = run_agent(agent, "1", log)
    found = list(open_recordings([log]).found)
    assert len(found) == text.count("\n") >= N_TURNS
    assert all(isinstance(each, Recorded) and each.reply and each.episode and not each.problems for each in found)
    assert run_agent(agent, "1", log) == text
    assert run_agent(agent, "2", log) != text


def test_every_agent_is_listed() -> None:
    """The table of the examples has them all."""
    table = (ROOT / "examples" / "README.md").read_text("utf-8")
    assert [each.name for each in AGENTS if f"| [{each.name}](infer/{each.name}) |" not in table] == []
