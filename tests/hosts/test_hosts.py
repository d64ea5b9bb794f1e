"""The sites of `rows.py` whose packages are installed here; `make hosts` builds all of them."""

import json
from pathlib import Path

import pytest

from hosts.rows import ROWS
from hosts.run import PINS, RESULTS
from hosts.sites import CHECKS, Row, check, missing

_RESULTS = json.loads(RESULTS.read_text("utf-8"))


@pytest.mark.parametrize("row", [row for row in ROWS if row.in_tests], ids=lambda row: row.name)
def test_host(row: Row, tmp_path: Path) -> None:
    """What the row says of itself is so."""
    lacking = missing(row)
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)}; `make hosts` has it")
    failed = check(row, tmp_path, is_thorough=False)
    assert {name: words for name, words in failed.items() if name not in row.known} == {}


def test_results_are_of_these_rows() -> None:
    """Results were kept for every row, with nothing failing but what the row says."""
    assert {name: set(found["failed"]) for name, found in _RESULTS.items()} == {
        row.name: set(row.known) for row in ROWS
    }
    assert all(set(row.known) <= set(CHECKS) for row in ROWS)


def test_pins() -> None:
    """Every package of a row has a pinned version, the one that the results are of."""
    pins = dict(line.lower().split("==") for line in PINS.read_text("utf-8").splitlines() if "==" in line)
    pins = {name.replace("_", "-"): version for name, version in pins.items()}
    for row in ROWS:
        found = {name.lower().replace("_", "-"): version for name, version in _RESULTS[row.name]["versions"].items()}
        assert found == {name: pins[name] for name in (each.lower().replace("_", "-") for each in row.needs)}, row.name
