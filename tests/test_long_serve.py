"""A short run of `make soak`: a preview that is edited shows what a clean build makes, and keeps nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "benchmarks" / "long_serve.py"
N_MORE = 6
"""What leaks one in an edit has more afterwards; fewer are requests that a busy machine has not ended yet."""


@pytest.mark.parametrize("seed", [7])
def test_edits_under_serve(seed: int) -> None:
    """No page is wrong after any of some edits, and neither open files nor threads become more."""
    words = [sys.executable, str(PROGRAM), "--edits", "12", "--pages", "2", "--seed", str(seed)]
    ran = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "12 edits" in ran.stdout
    assert ", 0 wrong" in ran.stdout
    rows = [line.strip("| ").split(" | ") for line in ran.stdout.splitlines() if line.startswith("| ")][1:]
    files, threads = ({int(row[column]) for row in rows} for column in (2, 3))
    assert len(rows) == 2
    assert max(files) - min(files) < N_MORE
    assert max(threads) - min(threads) < N_MORE
