"""What the page about inference shows: specs of recordings, and the conditions by their costs."""

import re
import tempfile
from pathlib import Path
from typing import cast

from acdl_mkdocs import infer_recording
from acdl_mkdocs.runs.infer import conditions
from acdl_mkdocs.runs.infer.observe import Request
from acdl_mkdocs.runs.read.recorded import Recorded


def inferred_spec(path: Path, lines: str = "") -> str:
    """The spec of a recording: of a file, or of lines."""
    with tempfile.TemporaryDirectory() as folder:
        if lines:
            path = Path(folder) / path.name
            path.write_text(lines, "utf-8")
        return f"```acdl\n{infer_recording(path, mutants=0).text}```"


def condition_rows() -> list[tuple[str, str]]:
    """The conditions that inference tries, by their cost; numbers that recordings give are `n`."""
    costs: dict[int, dict[str, None]] = {}
    scopes: tuple[conditions.Scope, ...] = ("request", "turn", "round")
    for scope in scopes:
        requests = [Request(0, turn, step, (), cast("Recorded", None)) for turn in (1, 2, 3, 4) for step in (0, 1, 2)]
        places = [conditions.Place(each, turn, 1, 2) for each in requests for turn in range(1, each.turn + 1)]
        for text, _, cost, _ in conditions._list_tests(places, scope):
            costs.setdefault(cost, {})[f"`{re.sub(r'(?<=[-=<>%] )[2-9]', 'n', text)}`"] = None
    return [(str(cost), ", ".join(costs[cost])) for cost in sorted(costs)]
