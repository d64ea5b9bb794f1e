"""What was fuzzed, for how long, and what came of it: `ledger.json`, and the table of the documentation."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from fuzz.targets import TARGETS, target

LEDGER = Path(__file__).parent / "ledger.json"
FINDINGS = Path(__file__).parent / "findings"
"""Inputs that failed once, a file for each way to fail; all are mended."""


@dataclass(frozen=True, slots=True)
class Entry:
    """All runs of a target together."""

    cpu_s: int = 0
    """Processor time of the processes that fuzzed it."""
    executions: int = 0
    edges: int = 0
    """Branches of the package that were reached, as libFuzzer counts them."""


def read_ledger(path: Path = LEDGER) -> dict[str, Entry]:
    """The entry of each target, in the order of `TARGETS`; nothing yet is an entry of zeros.

    Raises:
        ValueError: The file is not as `write_ledger` writes it.
    """
    data = json.loads(path.read_text("utf-8")) if path.exists() else {}
    try:
        found = {name: Entry(**entry) for name, entry in data.items()}
    except (TypeError, AttributeError) as reason:
        raise ValueError(f"{path}: {reason}") from None
    return {name: found.get(name, Entry()) for name in TARGETS}


def write_ledger(entries: Mapping[str, Entry], path: Path = LEDGER) -> None:
    """Write the entries, one on a line."""
    lines = (f"  {json.dumps(name)}: {json.dumps(asdict(entry))}" for name, entry in entries.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def added(one: Entry, other: Entry) -> Entry:
    """Two entries of a target together; of the branches the most."""
    return Entry(
        one.cpu_s + other.cpu_s,
        one.executions + other.executions,
        max(one.edges, other.edges),
    )


def table() -> str:
    """What each target promises, and what was done, as a table of Markdown."""
    rows = ["| target | every input | CPU hours | inputs | branches | found |", "|---|---|---:|---:|---:|---:|"]
    for name, entry in read_ledger().items():
        found = len(list((FINDINGS / name).glob("*")))
        hours, inputs = f"{entry.cpu_s / 3600:.2f}", f"{entry.executions:,}"
        rows.append(f"| `{name}` | {target(name).promise} | {hours} | {inputs} | {entry.edges:,} | {found} |")
    return "\n".join(rows)
