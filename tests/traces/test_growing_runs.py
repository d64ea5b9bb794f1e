"""Runs that grow: what is kept of them and what is worked out, and messages that only the provider has."""

import json
import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from steps import n_steps

import traces.sent as sent
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import CheckedFiles, check_requests, open_recordings
from acdl_mkdocs.runs.episodes import GrowingUnits, Trails, find_cuts, share_messages
from acdl_mkdocs.runs.match import verdicts as module
from acdl_mkdocs.runs.match.units import list_units
from acdl_mkdocs.runs.read.files import read_trace
from acdl_mkdocs.runs.read.recorded import Recorded, Skipped
from acdl_mkdocs.runs.requests import add_earlier_messages
from traces.runs import answer, ask, lines, result, system, user
from traces.runs import sent as request

REACT = """
// acdl: range=inclusive
Agent[@T.I]: {
    S: INSTRUCTIONS
    U: env.question[@1]
    ForEach(i: range(1, @1.substeps)) {
        A: sys.call[@1.i]
        T: sys.result[@1.i]
    }
}
"""
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "agents" / "desks_pydantic_ai.run.jsonl"


def checked_file(tmp_path: Path, n_rounds: int) -> CheckedFiles:
    """A run of so many rounds, written down and checked."""
    talk: list[Json] = [{"role": "system", "content": "Be brief. " * 20}, {"role": "user", "content": "Rain?"}]
    bodies: list[Json] = []
    for number in range(n_rounds):
        bodies.append({"model": "m", "messages": [*talk]})
        function: Json = {"name": "look", "arguments": json.dumps({"n": number})}
        talk.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}]}
        )
        talk.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"result {number} " * 50})
    path = tmp_path / "run.jsonl"
    path.write_text(lines(*bodies), "utf-8")
    return check_requests(sent.spec(REACT), open_recordings([path]))


def test_memory_of_a_growing_run(tmp_path: Path) -> None:
    """Messages that come again with each request are kept once, and nothing is kept of how each request agrees."""
    tracemalloc.start()
    try:
        found = checked_file(tmp_path, 60)
        kept_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.checked.n_agreeing == 60
    assert not found.checked.is_refuted
    assert kept_bytes < (tmp_path / "run.jsonl").stat().st_size
    first, *_, last = (each.recorded.request for each in found.checked.calls)
    assert last.messages[1] is first.messages[1]


def test_time_of_a_growing_run(tmp_path: Path) -> None:
    """A recording of twice the size takes about twice as long, and a message that is repeated less than a new one."""
    few, many = (n_steps(partial(checked_file, tmp_path, n_rounds)) for n_rounds in (20, 40))
    sizes = []
    for n_rounds in (20, 40):
        checked_file(tmp_path, n_rounds)
        sizes.append((tmp_path / "run.jsonl").stat().st_size)
    assert many / few < 1.1 * sizes[1] / sizes[0]


def test_trails_of_a_growing_run() -> None:
    """Messages that stay are looked at once, whatever is asked for: the run of a request or its point."""
    talk = [
        system("S"),
        *(each for n in range(40) for each in (user(f"q{n}"), ask(f"{n}"), result(f"{n}"), answer(f"a{n}"))),
    ]
    requests = list(share_messages([request(*talk[:end]) for end in range(2, len(talk), 4)]))
    trails = Trails()
    assert list(map(trails.trace_request, requests)) == [Trails().trace_request(each) for each in requests]
    n_alone = n_steps(lambda: [Trails().trace_request(each) for each in requests])
    assert n_steps(lambda: list(map(Trails().trace_request, requests))) < n_alone / 2
    trail = trails.trace_request(requests[-1])
    assert trails.trace_request(replace(requests[-1], episode="named")) is trail


def test_units_of_a_growing_run() -> None:
    """Units are those of each request for itself; those of messages that stay are the same objects."""
    talk = [system("S"), user("Rain?"), ask("a"), result("wet"), answer("Yes."), user("Wind?")]
    other = [*talk[:2], ask("b"), result("dry"), answer("No.")]
    ends = [request(*talk[:end]) for end in (2, 4, 6)]
    growing, before = GrowingUnits(), list_units(ends[0].request)
    for each in share_messages([*ends, request(*other), ends[0]]):
        units = growing.list_units(each.request)
        assert units == list_units(each.request)
        assert units[0] == before[0]
        before = units
    twice = list(share_messages(ends[1:]))
    first, then = growing.list_units(twice[0].request), growing.list_units(twice[1].request)
    assert [one is two for one, two in zip(first, then, strict=False)] == [True] * 4
    assert [cut.n_kept for cut in find_cuts([[*ends, request(*other)]])] == [2]


def test_few_patterns_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """However few patterns are kept, the verdicts are the same."""
    found = checked_file(tmp_path, 8)
    monkeypatch.setattr(module, "MOST_KEPT", 1)
    again = checked_file(tmp_path, 8)
    assert again.checked.lines == found.checked.lines
    (loop,), other = found.checked.coverage.loops.values(), again.checked.coverage.loops.values()
    assert (loop.n_none, loop.n_one, loop.n_several) == (1, 1, 6)
    assert [(each.n_none, each.n_one, each.n_several) for each in other] == [(1, 1, 6)]


def test_locating_is_bounded_over_all_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one request takes up in vain is counted: others are not looked at as long again."""
    wrong = sent.request("1.3", "S: s", "U: q", "A: call:f", "T: r", "A: call:g", "A: call:h", "T: r")
    requests = sent.checked(REACT, wrong, wrong, wrong).calls
    assert all(each.match is not None and each.match.steps for each in requests)
    monkeypatch.setattr(module, "MOST_CELLS", 5)
    monkeypatch.setattr(module, "MOST_LOCATING", 5)
    matches = [each.match for each in sent.checked(REACT, wrong, wrong, wrong).calls]
    assert [each.n_cells for each in matches if each is not None] == [5, 0, 0]
    assert not any(each.is_agreeing or each.steps for each in matches if each is not None)


def test_one_missing_message_in_a_long_request() -> None:
    """To find one missing message is about as much work as there are messages."""
    talk = ["S: s", "U: q", *(each for n in range(60) for each in (f"A: call:f{n}", f"T: r{n}"))]
    del talk[61]
    match = sent.checked(REACT, sent.request("1.60", *talk)).calls[0].match
    assert match is not None
    assert [step.kind for step in match.steps if getattr(step, "kind", "") == "missing"] == ["missing"]
    assert match.n_cells < 20 * len(talk)


def left_to_the_provider(tmp_path: Path, *, has_replies: bool = True, is_repeated: bool = True) -> Path:
    """A recording whose agent sends only what is new, and names the answer that it goes on from."""
    path = tmp_path / "left.jsonl"
    written: list[Json] = []
    n_before, name = 0, None
    for line in EXAMPLE.read_text("utf-8").splitlines():
        value = json.loads(line)
        items, own = value["request"]["input"], value["reply"]["output"]
        new = items[n_before:]
        n_before = len(items) + len(own)
        value["request"] |= {"input": new} if name is None else {"input": new, "previous_response_id": name}
        name = value["reply"]["id"]
        if not is_repeated:
            del value["reply"]["instructions"]
        written.append(value if has_replies else {key: value[key] for key in value if key != "reply"})
    path.write_text(lines(*written), "utf-8")
    return path


@pytest.mark.parametrize("is_repeated", [True, False])
def test_what_the_provider_has_is_put_back(is_repeated: bool, tmp_path: Path) -> None:
    """Where the answers are recorded, an agent that sends only what is new gives the same requests.

    Parameters:
        is_repeated: Whether the answers repeat the instructions.
        tmp_path: Folder of the recording.
    """
    whole = [each for each in read_trace(EXAMPLE) if isinstance(each, Recorded)]
    found = [
        each
        for each in add_earlier_messages(read_trace(left_to_the_provider(tmp_path, is_repeated=is_repeated)))
        if isinstance(each, Recorded)
    ]
    assert len(found) == len(whole) > 3
    for one, two in zip(found, whole, strict=True):
        assert [unit.content for unit in list_units(one.request)] == [unit.content for unit in list_units(two.request)]


def test_what_only_the_provider_has_is_told(tmp_path: Path) -> None:
    """Where the answers are not recorded, such requests are no evidence, and that is said."""
    first, *others = add_earlier_messages(read_trace(left_to_the_provider(tmp_path, has_replies=False)))
    assert isinstance(first, Recorded)
    assert others
    assert all(isinstance(each, Skipped) and each.is_damaged for each in others)
    assert isinstance(others[0], Skipped)
    assert others[0].detail == "`previous_response_id` is `resp_1`"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"model": "m", "input": "Hi", "conversation": {"id": "conv_1"}}, "`conversation` is `conv_1`"),
        ({"model": "m", "input": [{"type": "item_reference", "id": "rs_1"}]}, "`item_reference` is `rs_1`"),
        (
            {"cachedContent": "cachedContents/1", "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
            "`cachedContent` is `cachedContents/1`",
        ),
    ],
)
def test_other_ways_to_leave_messages_out(body: Json, detail: str, tmp_path: Path) -> None:
    """Conversations, items and caches that the provider keeps are told, too."""
    path = tmp_path / "run.jsonl"
    path.write_text(lines(body), "utf-8")
    (found,) = add_earlier_messages(read_trace(path))
    assert isinstance(found, Skipped)
    assert found.detail == detail
