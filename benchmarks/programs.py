"""Recordings of programs: the agents of `examples/infer`, run with several seeds, and those of `examples/agents`."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from systems import EXAMPLES, N_RUNS, place_run

N_TURNS = (3, 5, 7, 8, 6, 10, 12, 14)
"""Of each run."""


@dataclass(frozen=True, slots=True)
class Program:
    """An agent of `examples/infer`."""

    path: Path
    seed: str = ""
    """Another one gives other runs."""

    @property
    def name(self) -> str:
        """As it is named on the command line."""
        return f"infer/{self.path.stem}"

    def write_runs(self, folder: Path) -> None:
        """Write a recording of each run."""
        for number, n_turns in enumerate(N_TURNS):
            log = place_run(folder, number)
            words = ("--seed", f"{self.seed}{number + 1}", "--turns", str(n_turns), "--out", str(log))
            subprocess.run([sys.executable, str(self.path), *words], check=True)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent of `examples/agents`, with a recording that was made with a real client."""

    path: Path
    """The recording."""

    @property
    def name(self) -> str:
        """As it is named on the command line."""
        return f"agents/{self.path.name.removesuffix('.run.jsonl')}"

    def write_runs(self, folder: Path) -> None:
        """Copy the recording, which is all that there is."""
        place_run(folder, 0).write_bytes(self.path.read_bytes())


@dataclass(frozen=True, slots=True)
class Others:
    """Recordings of an agent of somebody else, one run in each file."""

    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        """As it is named in the table."""
        return f"recordings/{self.paths[0].name}"

    def write_runs(self, folder: Path) -> None:
        """Copy the recordings; some of them are held out."""
        for number, path in enumerate(self.paths):
            place = place_run(folder, number % N_RUNS)
            place.with_name(f"{number + 1}{''.join(path.suffixes)}").write_bytes(path.read_bytes())


PROGRAMS = tuple(Program(path) for path in sorted((EXAMPLES / "infer").glob("*.py")) if path.stem != "scripted")
AGENTS = tuple(Agent(path) for path in sorted((EXAMPLES / "agents").glob("*.run.jsonl")))
