"""A run of any size is read in bounded memory, and nothing that a file says stops a reader."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import exhaustive
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.episodes import group_requests
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read.readers import READERS
from acdl_mkdocs.runs.read.recorded import Tally
from traces.runs import found_in, lines
from traces.test_read_otlp import EVENTS, MESSAGES, span, trace

SIZE_BYTES = 50_000_000
MOST_BYTES = 30_000_000
READ = """
import resource, sys, tracemalloc
from acdl_mkdocs.runs.episodes import group_requests
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Tally
_, hard = resource.getrlimit(resource.RLIMIT_AS)
in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (in_use + int(sys.argv[2]), hard))
tally = Tally()
last = None
for last in assign_points(group_requests(tally.count_requests(read_trace(sys.argv[1])))):
    pass
print(tally.n_requests, tally.n_skipped, last.at, last.episode)
"""


def talk(n_turns: int, run: int) -> Json:
    """A long request, wrapped as loggers do."""
    messages: list[Json] = [{"role": "system", "content": "You help. " * 200}]
    for turn in range(n_turns):
        function: Json = {"name": "look", "arguments": json.dumps({"q": turn})}
        messages.append({"role": "user", "content": f"question {run}.{turn} " + "and so on " * 50})
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{turn}", "type": "function", "function": function}]}
        )
        messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": "result " * 300})
    return {"request": {"model": "gpt-5", "messages": messages}, "response": {"choices": []}, "status": 200}


@exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are not the same elsewhere")
def test_memory(tmp_path: Path) -> None:
    """A log is read, grouped and counted with less memory than it has bytes."""
    path = tmp_path / "run.jsonl"
    n_lines = n_runs = 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < SIZE_BYTES:
            n_runs += 1
            for n_turns in range(1, 21):
                n_lines += 1
                file.write(f"{json.dumps(talk(n_turns, n_runs))}\n")
    command = [sys.executable, "-c", READ, str(path), str(MOST_BYTES)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.stderr == ""
    assert ran.stdout == f"{n_lines} 0 20.1 run {n_runs}\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "parts", "type"]), inner)
    ),
    max_leaves=6,
)
SEEDS: list[Json] = [
    talk(1, 1),
    trace(span({"gen_ai.input.messages": json.dumps(MESSAGES)}), span({}, "b", EVENTS)),
    {"log": {"entries": [{"request": {"method": "POST", "url": "https://x/v1/messages", "postData": {"text": "{}"}}}]}},
    {"type": "GENERATION", "input": [{"role": "tool", "content": "x"}], "output": {}, "at": "1.2"},
]


def places(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *[place for key, each in inside for place in places(each, (*path, key))]]


def replaced(value: Json, path: tuple[str | int, ...], new: Json) -> Json:
    """A value with another one at a place."""
    if not path:
        return new
    if isinstance(value, dict):
        return {key: replaced(each, path[1:], new) if key == path[0] else each for key, each in value.items()}
    assert isinstance(value, list)
    return [replaced(each, path[1:], new) if number == path[0] else each for number, each in enumerate(value)]


@pytest.mark.parametrize("reader", [None, *READERS])
@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_nothing_stops_a_reader(reader: str | None, tmp_path: Path, data: st.DataObject) -> None:
    """Whatever stands in any place of a file: all of it is either a request or told, and the next line is read."""
    seed = data.draw(st.sampled_from(SEEDS))
    value = replaced(seed, data.draw(st.sampled_from(places(seed))), data.draw(JSON))
    found = found_in(tmp_path / "run.jsonl", lines(value, seed), reader)
    tally = Tally()
    read = list(assign_points(group_requests(tally.count_requests(found))))
    assert all(each.at is not None and each.episode for each in read)
    assert tally.n_requests + tally.n_skipped == len(found) > 0
    assert all(tally.describe_skipped())


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes(tmp_path: Path, data: st.DataObject) -> None:
    """Bytes that were cut off or changed on their way, also compressed ones, are told or read: never a traceback."""
    text = lines(*data.draw(st.lists(st.sampled_from(SEEDS), min_size=1, max_size=3))).encode()
    seed = data.draw(st.sampled_from([text, gzip.compress(text, mtime=0), b"<prompt>", b"[\n" + text, b"\x1f\x8b"]))
    start = data.draw(st.integers(0, len(seed)))
    changed = seed[:start] + data.draw(st.binary(max_size=4)) + seed[start + data.draw(st.integers(0, 4)) :]
    tally = Tally()
    try:
        found = found_in(tmp_path / "run", changed[: data.draw(st.integers(0, len(changed)))])
    except TraceError:
        return  # what cannot be unpacked at all
    assert found
    assert len(list(tally.count_requests(found))) + tally.n_skipped == len(found)
