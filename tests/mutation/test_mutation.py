"""What `make mutants` reads: every module of the core has tests, and every change that is passed over has a reason."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mutation.subjects import SUBJECTS, modules_of

FOLDER = Path(__file__).parent
EQUIVALENT = tomllib.loads((FOLDER / "equivalent.toml").read_text("utf-8"))["mutant"]
_QUICKEST = "foundation/word_diff.py"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_subjects(subject: str) -> None:
    """A subject has modules, which no other has, and tests that exist, none of them twice."""
    modules = modules_of(subject)
    assert modules
    assert [path for other in SUBJECTS if other != subject for path in modules_of(other) if path in modules] == []
    tests = SUBJECTS[subject]
    assert len(set(tests)) == len(tests)
    assert [name for name in tests if not (FOLDER.parent / name).is_file()] == []


def test_subjects_without_plugins() -> None:
    """The tests of a subject run without the plugins of pytest, which are not loaded where mutants are tried."""
    words = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *(f"tests/{each}" for each in SUBJECTS[_QUICKEST])]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ran = subprocess.run([sys.executable, *words], cwd=FOLDER.parents[1], env=environment, capture_output=True)
    assert ran.returncode == 0, ran.stdout.decode()


@pytest.mark.parametrize("mutant", EQUIVALENT, ids=[each["id"] for each in EQUIVALENT])
def test_equivalent_mutants(mutant: dict[str, str]) -> None:
    """What is passed over is a line that is there, and its reason a sentence."""
    lines = (FOLDER.parents[1] / mutant["module"]).read_text("utf-8").split("\n")
    assert mutant["line"] in map(str.strip, lines)
    assert mutant["reason"].endswith(".")
