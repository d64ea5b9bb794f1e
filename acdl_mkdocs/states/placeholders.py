"""Where a spec sends the placeholders of a first state: at which time, and in a message of which role.

The spec is evaluated with the path of every placeholder in its place. Knows nothing about recorded prompts.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import Leaf, Map, lines_of
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax import nodes
from acdl_mkdocs.states.entries import PLACEHOLDER
from acdl_mkdocs.states.skeleton import first_values
from acdl_mkdocs.states.spec_reads import reads_of
from acdl_mkdocs.states.state_file import read_state

_MARK = re.compile("\ue000([^\ue001]*)\ue001")
_ROW = re.compile(r"steps\.(\d+)(?:\.substeps\.(\d+))?\.(.+)")
_COLUMN = re.compile(r"((?:env|sys|resp)\.\w+)\.(\d+)")
Time: TypeAlias = tuple[int, ...]
"""A step, or a step and a sub-step; empty for what does not change."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A placeholder that is sent: its path in the state file, when, and in which message."""

    path: str
    time: Time
    role: str
    name: str
    """Its path without the time."""
    is_alone: bool
    """Whether its message has no other placeholder but templates."""


def first_state(resolved: Resolved, spec: nodes.Prompt, counts: Sequence[int], range_mode: RangeMode) -> Map:
    """The first values of a spec, for steps that have so many sub-steps."""
    head, *more = first_values(reads_of(resolved, [spec]), spec.name.name, counts).items()
    return {**dict([head, *more[:2]]), "range": Leaf(range_mode), **dict(more[2:])}


def placeholders(
    resolved: Resolved, spec: nodes.Prompt, counts: Sequence[int], range_mode: RangeMode
) -> tuple[Slot, ...]:
    """Where placeholders are sent: at the last step, and one later, where its answer is sent too."""
    found: dict[tuple[str, str], Slot] = {}
    for each in (counts, [*counts, 0]):
        first = Leaf(first_state(resolved, spec, each, range_mode))
        marked = _marked(first, "").value
        file = read_state("\n".join(lines_of(marked if isinstance(marked, dict) else {})))
        options = Options(spec=spec.name.name, missing="placeholder")
        for message in evaluate(resolved, file.state, None, options).messages:
            marks = [_MARK.fullmatch(piece.text) for piece in message.pieces]
            paths = dict.fromkeys(mark[1] for mark in marks if mark)
            n_timed = sum(not path.startswith("templates.") for path in paths)
            found |= {
                (path, message.role): _slot(path, message.role, is_alone=n_timed == 1)
                for path in paths
                if (path, message.role) not in found
            }
    return tuple(slot for slot in found.values() if not slot.time or slot.time[0] <= len(counts))


def _marked(leaf: Leaf, path: str) -> Leaf:
    """A value with its path in the place of every placeholder."""
    if isinstance(leaf.value, dict):
        return Leaf({name: _marked(each, f"{path}.{name}".lstrip(".")) for name, each in leaf.value.items()})
    if isinstance(leaf.value, list):
        return Leaf([_marked(each, f"{path}.{at}") for at, each in enumerate(leaf.value, 1)])
    return Leaf(f"\ue000{path}\ue001") if leaf.value == PLACEHOLDER else leaf


def _slot(path: str, role: str, *, is_alone: bool) -> Slot:
    if found := _ROW.fullmatch(path):
        return Slot(path, tuple(int(each) for each in found.groups()[:2] if each), role, found[3], is_alone)
    if found := _COLUMN.fullmatch(path):
        return Slot(path, (int(found[2]),), role, found[1], is_alone)
    return Slot(path, (), role, path, is_alone)
