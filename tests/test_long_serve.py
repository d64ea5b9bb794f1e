"""A short run of `make soak`: a preview that is edited shows what a clean build makes, and keeps nothing."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from exhaustive import exhaustive

PROGRAM = Path(__file__).parent.parent / "benchmarks" / "long_serve.py"
sys.path.append(str(PROGRAM.parent))

import long_serve  # noqa: E402
from served import Served, Taken  # noqa: E402

N_MORE = 6
"""What leaks one in an edit has more afterwards; fewer are requests that a busy machine has not ended yet."""


@exhaustive
@pytest.mark.parametrize("seed", [7])
def test_edits_under_serve(seed: int) -> None:
    """No page is wrong after any of some edits, and neither open files nor threads become more."""
    words = [sys.executable, str(PROGRAM), "--edits", "12", "--pages", "2", "--seed", str(seed)]
    ran = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    marks, rows = ([line.strip("| ").split(" | ") for line in table.splitlines()] for table in ran.stdout.split("\n\n"))
    files, threads = ({int(row[column]) for row in marks[2:]} for column in (2, 3))
    assert [row[0].strip() for row in marks[2:]] == ["1", "12"]
    assert rows[2][0].endswith("pages and files after 12 edits")
    assert (rows[2][1].strip(), rows[2][-1]) == ("0", "yes")
    assert max(files) - min(files) < N_MORE
    assert max(threads) - min(threads) < N_MORE


def run_of(n_edits: int, taken: Callable[[int], Taken]) -> long_serve.Run:
    """What was seen, by the number of the edit."""
    return long_serve.Run(taken=[taken(number) for number in range(n_edits)], n_builds=n_edits + 1)


@pytest.mark.parametrize(
    ("taken", "grown"),
    [
        (lambda number: Taken(140_000 + number % 7 * 200, 4 + number % 2, 8, number), []),
        (lambda number: Taken(min(160_000, 100_000 + number * 100), 4, 8, number), []),
        (lambda number: Taken(140_000 + 10 * number, 4, 8, number), ["memory"]),
        (lambda number: Taken(140_000, 4 + number // 20, 8, number), ["open files"]),
        (lambda number: Taken(140_000, 4, 8 + number, number), ["threads"]),
    ],
    ids=["flat", "flat at last", "a figure is kept", "a file stays open", "a thread stays"],
)
def test_growth_is_a_failure(taken: Callable[[int], Taken], grown: list[str]) -> None:
    """What grows over the last half of a long run has missed its bar; what wavers or has settled has not."""
    found = long_serve.rows(run_of(2000, taken))
    assert [row.what.partition(",")[0] for row in found if row.is_met is False] == grown


def test_growth_is_not_judged_too_early() -> None:
    """A short run says nothing of growth."""
    found = long_serve.rows(run_of(long_serve.N_TO_JUDGE - 1, lambda number: Taken(1000 * number, number, number, 0)))
    assert [row.what for row in found if "growth" in row.what] == []


def test_files_are_compared_byte_by_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that differs in a letter is wrong, and so is one that is not there."""
    there = {"specs.json": b"{}", "index.html": b"<p>a</p>"}
    served = Served.__new__(Served)
    monkeypatch.setattr(Served, "file", lambda _, address: there.get(address))
    expected = {"specs.json": b"{}", "index.html": b"<p>b</p>", "a b.svg": b"<svg/>"}
    assert long_serve.wrong_files(expected, served) == [
        f"the file {address} is not what a clean build makes" for address in ("index.html", "a b.svg")
    ]
