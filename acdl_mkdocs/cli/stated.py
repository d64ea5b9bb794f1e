"""What a state does not say: where it would stand, and what names stand for it in a prompt."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.mismatches import said_unfilled
from acdl_mkdocs.evaluation.state.read import StateFile
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import Finding, Piece, Transcript
from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.foundation.wording import counted

_PATH = re.compile(r"`((?:agents|args|env|functions|resp|steps|sys|templates)\.[^`\s]+)`")
_MOST_NAMES = 5


def with_state_place(finding: Finding, state: State | None) -> Finding:
    """A finding that says where in the state file its cure belongs: at the nearest place that is there."""
    if state is None or not state.places:
        return finding
    places = [_place(found[1], state) for cure in finding.diagnostic.help for found in _PATH.finditer(cure)]
    new = tuple(dict.fromkeys(filter(None, places)))
    if not new:
        return finding
    return replace(finding, diagnostic=replace(finding.diagnostic, help=(*finding.diagnostic.help, *new)))


def _place(path: str, state: State) -> str:
    while path and path not in state.places:
        path = path.rpartition(".")[0]
    return f"`{path}` is at {state.place_of(path)}" if path else ""


def needs_state(transcripts: Sequence[Transcript]) -> bool:
    """Whether names stand in what is sent, or a condition is open, because nobody says what is there."""
    is_named = any(piece.status != "given" for transcript in transcripts for piece in transcript.pieces)
    return is_named or any(transcript.choices for transcript in transcripts)


def still_unfilled(transcripts: Sequence[Transcript], file: StateFile | None) -> str:
    """Which values that are sent are still the placeholder of a first state; empty if none is."""
    if file is None or not file.unfilled:
        return ""
    above: dict[str, str] = {}
    for path in file.unfilled:
        parts = path.split(".")
        above |= {".".join(parts[:size]): path for size in range(len(parts), 0, -1)}
    found: set[str] = set()
    for piece in (each for transcript in transcripts for each in transcript.pieces):
        path = piece.state_path or f"templates.{_name(piece)}"
        if path in above:
            found.add(above[path])
        elif not piece.state_path and piece.kind not in ("literal", "number") and _is_mixed(piece, file.state):
            found.add(piece.expression)
    return f"{said_unfilled(list(found))}: {_listed(found)}" if found else ""


def _is_mixed(piece: Piece, state: State | None) -> bool:
    """Whether a piece that is made of several values has a placeholder in it that is none of its template's words."""
    template = state.templates.get(_name(piece)) if state is not None else None
    own = template.text.count(PLACEHOLDER) if template is not None else 0
    return piece.status == "given" and piece.text.count(PLACEHOLDER) > own


def _name(piece: Piece) -> str:
    return re.split(r"[(\[]", piece.resolved)[0]


def stated_problems(
    transcripts: Sequence[Transcript], file: StateFile | None, *, is_sent: bool = False
) -> Iterator[str]:
    """What names and placeholders stand for in what is shown, or sent."""
    if still := still_unfilled(transcripts, file):
        yield still
    templates, functions, values = set[str](), set[str](), set[str]()
    for transcript in transcripts:
        for piece in transcript.pieces:
            name = _name(piece)
            if piece.status == "placeholder" and piece.kind == "function":
                functions.add(name)
            elif piece.status == "placeholder":
                templates.add(name)
            elif piece.status == "missing":
                values.add(piece.resolved)
    if templates:
        yield f"{_said(templates, 'template')} no text{_so(templates, is_sent)}: {_listed(templates)}"
    if functions:
        yield f"{_said(functions, 'function')} no sample{_so(functions, is_sent)}: {_listed(functions)}"
    if values:
        yield f"{counted(len(values), 'value')} {_be(values)} not in the state: {_listed(values)}"


def _said(names: set[str], noun: str) -> str:
    return f"{counted(len(names), noun)} {'has' if len(names) == 1 else 'have'}"


def _so(names: set[str], is_sent: bool) -> str:
    if not is_sent:
        return ""
    return ", so its name is sent" if len(names) == 1 else ", so their names are sent"


def _be(names: set[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listed(names: set[str]) -> str:
    listed = ", ".join(f"`{visible(name)}`" for name in sorted(names)[:_MOST_NAMES])
    return listed if len(names) <= _MOST_NAMES else f"{listed} and {len(names) - _MOST_NAMES} more"
