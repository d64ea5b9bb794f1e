"""Any text as a state file, and as the plain data of one."""

import json

import yaml

from acdl_mkdocs.evaluation.point import list_points, parse_points
from acdl_mkdocs.evaluation.state.read import StateFile, read_state, state_of
from acdl_mkdocs.foundation.errors import PointError
from fuzz.target import Target, files, parts_of, text_of, told
from fuzz.words import state


def run(data: bytes) -> None:
    """Read it; ask for points of it."""
    text, at = parts_of(text_of(data), 2)
    found = read_state(text)
    _check(found)
    if found.state is not None:
        assert len(list_points(found.state)) <= 1000
        try:
            parse_points(at or "*.*", found.state)
        except PointError as reason:
            told(reason)
    value = _plain(text)
    if isinstance(value, dict):
        _check(state_of(value))


def _check(found: StateFile) -> None:
    assert found.state is not None or found.problems
    for each in found.problems:
        assert each.message
        assert "\n" not in each.message
        assert 0 <= each.label.span.start <= each.label.span.end <= max(len(found.source.text), 1)
        found.source.find_place(each.label.span.start)


def _plain(text: str) -> object:
    """What other libraries make of the text, as programs give it to this package; nothing where they fail."""
    try:
        return json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    except Exception:
        return None


def _seeds() -> list[bytes]:
    odd = [b"a: &a [*a]", b"acdl_state: 1\nenv: {q: 0x" + b"f" * 400 + b"}", b'{"env": {"q": "\\ud800"}}', b"{1: 2}"]
    points = [b"acdl_state: 1\nsteps:\n- env: {q: a}\n- {}\n=====\n1..2, 2.*, *.*, 1.1..1.999999999"]
    states = files("examples/*.state.yaml", "tests/golden/**/*.state.yaml", most_bytes=1500)
    return [*odd, *points, *states]


TARGET = Target(
    run=run,
    promise="is a state or has problems with a place; points of it are few or an error",
    seeds=_seeds,
    words=state(),
    max_bytes=1500,
)
