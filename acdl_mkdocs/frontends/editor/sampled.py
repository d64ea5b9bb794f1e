"""A document evaluated with its sample state. Reads no files except those that a state names."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from acdl_mkdocs.evaluation.context import Limits
from acdl_mkdocs.evaluation.evaluate import Options, evaluate, find_spec
from acdl_mkdocs.evaluation.point import distinguish_points, list_points, parse_points
from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.errors import AcdlError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.documents import Piece
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.prompts.redact import redact_text

_QUICK = Limits(iterations=20_000, statements=100_000, messages=2_000, characters=5_000_000)
"""Time limit for the evaluation while the pointer rests on a word."""
_MOST_POINTS = 200
"""More points than anyone steps through."""
_LONGEST = 160
"""The longest value that is shown, in characters."""


@lru_cache(maxsize=8)
def state_file(source: Source) -> StateFile:
    """Read a state file, with the texts and images in its folder."""
    path = Path(source.name)
    return read_state(source.text, source.name, path.parent if path.is_absolute() else None)


def state_of(workspace: Workspace, uri: str, spec: str = "") -> StateFile | None:
    """Return the sample state of a spec, or of its document; `None` if there is none."""
    source = state_text(workspace, uri, spec)
    return state_file(source) if source is not None else None


def state_text(workspace: Workspace, uri: str, spec: str = "") -> Source | None:
    """Return the same as an unparsed text."""
    return workspace.states.get(f"{uri}#{spec}") or workspace.states.get(uri)


def usual_point(state: State) -> Time:
    """Return the default point: the first that the state names, else its last turn."""
    return parse_points(state.at, state)[0] if state.at else Time((state.last_step,))


def points_of(state: State, pieces: Iterable[Piece], spec: str = "") -> tuple[str, ...]:
    """Return the points of a state that a spec distinguishes; only the first ones of a long state.

    Parameters:
        state: The state.
        pieces: The texts that may define the spec.
        spec: Its name; by default the one that the state is about, else the first.
    """
    prompts = [item for piece in pieces for item in piece.parsed.file.items if isinstance(item, Prompt)]
    named = (item for item in prompts if item.name.name == (spec or state.spec))
    prompt = next(named, prompts[0] if prompts else None)
    return tuple(map(str, distinguish_points(list_points(state, _MOST_POINTS), prompt)))


def sample_of(workspace: Workspace, piece: Piece, spec: str | None) -> Transcript | None:
    """Evaluate a spec of a piece at the default point; `None` without a state, or if it cannot be evaluated."""
    file = state_of(workspace, piece.uri, spec or "")
    if file is None or file.state is None:
        return None
    config = workspace.config_of(piece)
    return _evaluate_cached(_EvaluationKey(workspace.resolve_for_figure(piece), file.state, spec, config.range))


class _EvaluationKey:
    """The cache key of an evaluation: text and state by identity, because comparing equal ones is slow."""

    def __init__(self, resolved: Resolved, state: State, spec: str | None, mode: RangeMode) -> None:
        self.resolved = resolved
        self.state = state
        self.spec = spec
        self.mode = mode

    def _identify_inputs(self) -> tuple[object, ...]:
        return id(self.resolved), id(self.state), self.spec, self.mode

    def __hash__(self) -> int:
        return hash(self._identify_inputs())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _EvaluationKey) and self._identify_inputs() == other._identify_inputs()


@lru_cache(maxsize=4)
def _evaluate_cached(key: _EvaluationKey) -> Transcript | None:
    options = Options(spec=key.spec, limits=_QUICK)
    try:
        return evaluate(key.resolved, key.state, usual_point(key.state), options, Config(range=key.mode))
    except AcdlError:
        return None


def find_spec_around(resolved: Resolved, offset: int, state: State | None) -> str | None:
    """Return the spec that contains an offset; in a fragment, the spec that the state is about."""
    for item in resolved.parsed.file.items:
        if isinstance(item, Prompt) and item.span.start <= offset <= item.span.end:
            return item.name.name
    prompt = None
    try:
        prompt = find_spec(resolved, state.spec if state else None)
    except AcdlError:
        return None
    return prompt.name.name if prompt else None


def values_at(transcript: Transcript, source: Source, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Yield the value of a part of a text at each evaluation: the expression with its times, and the text.

    Secrets are taken out, and what is long is cut.
    """
    for piece in transcript.pieces:
        span = piece.origin.span
        if piece.origin.source == source and span.start <= start and end <= span.end and piece.status == "given":
            yield piece.resolved, format_value(piece.text)


def format_value(text: str) -> str:
    """Format a value on one line, without secrets, shortened if it is long."""
    line = " ".join(redact_text(text[:4000]).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"
