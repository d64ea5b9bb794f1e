"""`infer_spec()`: recorded runs as a spec that sends every request of them, with a state for each run."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.runs.episodes import GrowingUnits
from acdl_mkdocs.runs.infer.arrange import Tie
from acdl_mkdocs.runs.infer.fragments import share_fragments
from acdl_mkdocs.runs.infer.kinds import Kind, split_kinds
from acdl_mkdocs.runs.infer.observe import Request, observe_runs
from acdl_mkdocs.runs.infer.program import Form, build_plain_program, build_program
from acdl_mkdocs.runs.infer.slots import CUTS, Slots, assign_slots
from acdl_mkdocs.runs.infer.spec_values import NoProgramError
from acdl_mkdocs.runs.infer.state import is_sent
from acdl_mkdocs.runs.infer.write import Written, write_program
from acdl_mkdocs.runs.read.recorded import Recorded


@dataclass(frozen=True, slots=True)
class InferredPrompt:
    """The spec of one agent."""

    kind: Kind
    text: str
    states: tuple[str, ...]
    """The sample state of each run, in order."""
    ties: tuple[Tie, ...]
    is_general: bool
    """Whether it generalises; otherwise it lists what was seen, position by position."""
    n_sent: int
    """How many requests it sends exactly, with the states."""
    n_requests: int


@dataclass(frozen=True, slots=True)
class InferredSpec:
    """A spec made from recordings."""

    prompts: tuple[InferredPrompt, ...]
    """Of each agent, the one with the most requests first."""
    fragments: tuple[str, ...] = ()
    """What several of them share."""

    @property
    def text(self) -> str:
        """The file with all of them."""
        return "// acdl: range=inclusive\n" + "\n".join([*(each.text for each in self.prompts), *self.fragments])


@system.relax_collector()
def infer_spec(runs: Mapping[str, Sequence[Recorded]], *, name: str = "Agent", schema: str = "") -> InferredSpec:
    """Infer the spec of recorded runs.

    Parameters:
        runs: The requests of each run in order; each has a point, `at`, as `assign_points()` gives it.
        name: Name of the spec, if one agent sent all requests.
        schema: Address of the schema of state files, for editors.

    Raises:
        TraceError: There is no request.
    """
    if not any(runs.values()):
        raise TraceError("there is no request to infer a spec from")
    prompts = [infer_prompt(kind, schema) for kind in split_kinds(runs, name)]
    undecided = {tie.line.strip() for each in prompts for tie in each.ties}
    texts, fragments = share_fragments([each.text for each in prompts], undecided)
    shared = (replace(each, text=text) for each, text in zip(prompts, texts, strict=True))
    return InferredSpec(tuple(shared), tuple(fragments))


def infer_prompt(kind: Kind, schema: str) -> InferredPrompt:
    """Infer the spec of one agent: of those that send all of its requests, the shortest."""
    requests = observe_runs(kind.runs)
    tried: list[tuple[int, Written, tuple[str, ...], bool]] = []
    for written, is_general in _list_candidates(requests, kind, schema):
        states = written.write_states()
        tried.append((_count_sent(written.text, states, requests, kind.name), written, states, is_general))
        if tried[-1][0] == len(requests):
            break
    n_sent, written, states, is_general = max(tried, key=lambda each: each[0])
    return InferredPrompt(kind, written.text, states, written.ties, is_general, n_sent, len(requests))


_FORMS = (
    *(
        Form(is_merged=is_merged, has_exchange=has_exchange, is_joined=is_joined)
        for is_merged in (True, False)
        for has_exchange in (False, True)
        for is_joined in (False, True)
    ),
    Form(is_flat=True),
)
_OWN_FORMS = tuple(
    Form(is_merged=False, has_own_values=True, has_exchange=has_exchange, is_joined=is_joined)
    for has_exchange in (False, True)
    for is_joined in (False, True)
)
"""Tried if a message is sent differently later, in more than its constants."""


def _write_forms(
    forms: Sequence[Form],
    requests: Sequence[Request],
    slots: Slots,
    kind: Kind,
    schema: str,
) -> list[Written]:
    """Return the specs of the forms that the requests may have."""
    found: list[Written] = []
    for form in forms:
        with suppress(NoProgramError):
            program = build_program(requests, slots, form)
            if not form.is_joined or program.has_alternatives:
                found.append(write_program(program, requests, kind.name, schema, kind.routes))
    return found


def _list_candidates(requests: Sequence[Request], kind: Kind, schema: str) -> Iterator[tuple[Written, bool]]:
    """Yield specs, those that generalise before the one that lists what was seen, and shorter ones first."""
    for cut in CUTS:
        slots = assign_slots(requests, cut)
        found = _write_forms(_FORMS, requests, slots, kind, schema)
        if not found:
            found = _write_forms(_OWN_FORMS, requests, slots, kind, schema)
        yield from ((each, True) for each in sorted(found, key=lambda each: (each.cost, each.text)))
    program = build_plain_program(requests)
    yield write_program(program, requests, kind.name, schema, kind.routes), False


def _count_sent(spec: str, states: Sequence[str], requests: Sequence[Request], name: str) -> int:
    """Return how many requests the spec sends exactly with the states of their runs."""
    resolved = analyse(Source("// acdl: range=inclusive\n" + spec, "agent.acdl"), Config()).resolved
    runs = sorted({request.run for request in requests})
    n_sent = 0
    options = Options(spec=name, range="inclusive", missing="placeholder")
    for run, text in zip(runs, states, strict=True):
        state = read_state(text).state
        if state is None:
            continue
        growing = GrowingUnits()
        for request in requests:
            if request.run == run:
                units = growing.list_units(request.recorded.request)
                n_sent += is_sent(resolved, state, request.recorded, units, options)
    return n_sent
