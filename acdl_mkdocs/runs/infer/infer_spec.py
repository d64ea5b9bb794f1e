"""`infer_spec()`: recorded runs as a spec that sends every request of them, with a state for each run, and the proof."""

from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.runs.episodes import GrowingUnits
from acdl_mkdocs.runs.infer.observe import Request, observe_runs
from acdl_mkdocs.runs.infer.program import NoProgramError, Program, build_plain_program, build_program
from acdl_mkdocs.runs.infer.slots import assign_slots
from acdl_mkdocs.runs.infer.state import is_sent
from acdl_mkdocs.runs.infer.write import Tie, Written, count_lines, write_program
from acdl_mkdocs.runs.read.recorded import Recorded


@dataclass(frozen=True, slots=True)
class InferredSpec:
    """A spec made from recordings."""

    name: str
    text: str
    states: tuple[str, ...]
    """The sample state of each run, in order."""
    ties: tuple[Tie, ...]
    is_general: bool
    """Whether it generalises; otherwise it lists what was seen, position by position."""
    n_sent: int
    """How many requests it sends exactly, with the states."""
    n_requests: int


@system.relax_collector()
def infer_spec(runs: Mapping[str, Sequence[Recorded]], *, name: str = "Agent", schema: str = "") -> InferredSpec:
    """Infer the spec of recorded runs.

    Parameters:
        runs: The requests of each run in order; their points are known.
        name: Name of the spec.
        schema: Address of the schema of state files, for editors.

    Raises:
        TraceError: There is no request.
    """
    if not any(runs.values()):
        raise TraceError("there is no request to infer a spec from")
    requests = observe_runs(runs)
    best: tuple[int, int, Written, bool] | None = None
    for at, (written, is_general) in enumerate(_list_candidates(requests, name, schema)):
        if best is not None and not is_general and best[0] == len(requests):
            break
        n_sent = _count_sent(written, requests, name)
        if best is None or (n_sent, -count_lines(written.text)) > (best[0], -best[1]):
            best = n_sent, count_lines(written.text), written, is_general
    assert best is not None
    n_sent, _, written, is_general = best
    return InferredSpec(name, written.text, written.states, written.ties, is_general, n_sent, len(requests))


def _list_candidates(requests: Sequence[Request], name: str, schema: str) -> Iterator[tuple[Written, bool]]:
    """Yield specs, the more general ones first."""
    for has_templates in (True, False):
        slots = assign_slots(requests, has_templates=has_templates)
        for is_merged in (True, False):
            try:
                program = build_program(requests, slots, is_merged=is_merged)
                yield write_program(program, requests, name, schema), True
            except NoProgramError:
                continue
    program = build_plain_program(requests, assign_slots(requests, has_templates=False))
    yield write_program(program, requests, name, schema), False


def _count_sent(written: Written, requests: Sequence[Request], name: str) -> int:
    """Return how many requests the spec sends exactly."""
    resolved = analyse(Source(written.text, "agent.acdl"), Config()).resolved
    runs = sorted({request.run for request in requests})
    n_sent = 0
    options = Options(spec=name, range="inclusive")
    for run, text in zip(runs, written.states, strict=True):
        state = read_state(text).state
        if state is None:
            continue
        growing = GrowingUnits()
        for request in requests:
            if request.run == run:
                units = growing.list_units(request.recorded.request)
                n_sent += is_sent(resolved, state, request.recorded, units, options)
    return n_sent
