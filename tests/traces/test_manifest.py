"""Manifests: points and runs that somebody says."""

import pytest

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.runs.points import apply_manifest, read_manifest
from traces.runs import sent, user

REQUESTS = [sent(user("a"), line=1), sent(user("b"), line=4, episode="old")]


def read(text: str) -> list[tuple[str | None, str | None]]:
    """Point and run of each request."""
    found = apply_manifest(REQUESTS, read_manifest(text, "points.json"))
    return [(None if each.at is None else str(each.at), each.episode) for each in found]


def test_in_order() -> None:
    """A list says the points in the order of the requests."""
    assert read('["1", "2.1"]') == [("1", None), ("2.1", "old")]
    assert read('[null, {"at": 3, "episode": "new"}]') == [(None, None), ("3", "new")]


def test_by_place() -> None:
    """An object says the points of some requests."""
    assert read('{"run.jsonl:4": "2.1"}') == [(None, None), ("2.1", "old")]
    assert read('{"run.jsonl:1": {"episode": "new"}}') == [(None, "new"), (None, "old")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "points.json: not JSON: .*; write a list of points"),
        ("7", "points.json: not a manifest; write a list of points"),
        ('["soon", "1"]', "points.json: entry 1: `soon` is not a point in time; write a step such as `3`"),
        ('["1", true]', "points.json: entry 2: not a point in time; write it as"),
        ('{"run.jsonl:4": {"att": "1"}}', "points.json: `run.jsonl:4`: unknown key `att`; the keys are `at` and"),
        ('{"run.jsonl:4": {"episode": 1}}', "points.json: `run.jsonl:4`: `episode` is not a string"),
        ('{"run.jsonl:9": "1"}', "points.json: there is no request at `run.jsonl:9`; write a position such as"),
        ('["1"]', "points.json: it has 1 point for 2 requests"),
        ('["1", "2", "3"]', "points.json: it has 3 points for 2 requests"),
    ],
)
def test_errors(text: str, message: str) -> None:
    """A manifest that is none, or is about something else, is told with its place."""
    with pytest.raises(TraceError, match=message):
        read(text)
