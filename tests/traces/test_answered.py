"""Results of parallel calls belong to calls by their ids, and recorded replies are what later requests repeat."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.check_files import CheckedFiles, check_requests, open_recordings
from acdl_mkdocs.runs.report.terminal import write

ONE = "Par[@T.I]: { U: env.q[@T] A: sys.calls[@T.1] T: sys.results[@T.1] }"
TWO = "Par[@T.I]: { U: env.q[@T] A: sys.calls[@T.1] T: sys.first[@T.1] T: sys.second[@T.1] }"
TURNS = """// acdl: range=inclusive
Par[@T.I]: {
    ForEach(t: range(1, @T)) {
        U: env.q[@t]
        ForEach(i: range(1, @t.substeps)) {
            A: resp.calls[@t.i]
            T: sys.results[@t.i]
        }
        If t < @T { A: resp.answer[@t] }
    }
}
"""
SAID = """\
acdl_state: 1
steps:
  1:
    env: {q: both?}
    substeps:
      1:
        sys:
          calls:
          - {$call: {id: c1, name: temp, arguments: {town: Oslo}}}
          - {$call: {id: c2, name: temp, arguments: {town: Rome}}}
"""
RESULTS = '          results: [{$result: {id: c1, content: "4"}}, {$result: {id: c2, content: "21"}}]\n'
WORDS = '          first: "4"\n          second: "21"\n'
REVERSED = '          first: {$result: {id: c2, content: "21"}}\n          second: {$result: {id: c1, content: "4"}}\n'

RIGHT = [("c1", "4"), ("c2", "21")]
SWAPPED = [("c1", "21"), ("c2", "4")]
ORDERS = pytest.mark.parametrize("is_reversed", [False, True])
QUESTION: Json = {"role": "user", "content": "both?"}


def calls() -> list[Json]:
    """Two calls of one tool."""
    return [
        {"id": name, "type": "function", "function": {"name": "temp", "arguments": json.dumps({"town": town})}}
        for name, town in (("c1", "Oslo"), ("c2", "Rome"))
    ]


def request(results: Sequence[tuple[str, str]], *more: Json) -> Json:
    """A request with the results of both calls, and what follows."""
    said: list[Json] = [{"role": "tool", "tool_call_id": name, "content": text} for name, text in results]
    asked: Json = {"role": "assistant", "content": None, "tool_calls": calls()}
    return {"model": "m", "messages": [QUESTION, asked, *said, *more]}


def checked(path: Path, spec: str, requests: Sequence[Json], state: str = "") -> CheckedFiles:
    """What requests say about a spec."""
    path.write_text("".join(f"{json.dumps(each)}\n" for each in requests), "utf-8")
    known = read_state(state).state if state else None
    return check_requests(parse_and_resolve(Source(spec, "par.acdl")).resolved, open_recordings([path]), state=known)


def reasons(found: CheckedFiles) -> list[str]:
    """Why lines are refuted."""
    return [f"{each.line}: {each.reason}" for each in found.checked.list_lines("refuted")]


@ORDERS
@pytest.mark.parametrize(("spec", "known"), [(ONE, RESULTS), (TWO, WORDS), (TWO, REVERSED)])
def test_results_of_a_state(tmp_path: Path, spec: str, known: str, *, is_reversed: bool) -> None:
    """Results agree in any order; contents that are swapped do not."""
    step = -1 if is_reversed else 1
    assert not checked(tmp_path / "run.jsonl", spec, [request(RIGHT[::step])], SAID + known).checked.is_refuted
    assert checked(tmp_path / "run.jsonl", spec, [request(SWAPPED[::step])], SAID + known).checked.is_refuted


@ORDERS
def test_another_count_does_not_explain_swapped_contents(tmp_path: Path, *, is_reversed: bool) -> None:
    """Contents that are swapped are not suggested away by points at which a state does not know them."""
    step = -1 if is_reversed else 1
    state = SAID + RESULTS
    found = checked(tmp_path / "run.jsonl", ONE, [request(SWAPPED[::step])], state)
    assert found.checked.is_refuted
    assert found.agreeing_reading is None
    assert "counting" not in write(found)
    elsewhere = tmp_path / "points.json"
    elsewhere.write_text('["1"]', "utf-8")
    resolved, known = parse_and_resolve(Source(ONE, "par.acdl")).resolved, read_state(state).state
    told = check_requests(resolved, open_recordings([tmp_path / "run.jsonl"], manifest=elsewhere), state=known)
    assert not told.checked.is_refuted  # what the hint would have suggested


@ORDERS
def test_results_of_an_earlier_request(tmp_path: Path, *, is_reversed: bool) -> None:
    """Without a state, a later request may not swap what an earlier one had."""
    step = -1 if is_reversed else 1
    first: Json = {"model": "m", "messages": [QUESTION]}
    more: tuple[Json, ...] = ({"role": "assistant", "content": "4 and 21"}, {"role": "user", "content": "thanks"})
    run = [first, request(RIGHT)]
    assert not checked(tmp_path / "run.jsonl", TURNS, [*run, request(RIGHT[::step], *more)]).checked.is_refuted
    found = reasons(checked(tmp_path / "run.jsonl", TURNS, [*run, request(SWAPPED[::step], *more)]))
    assert len(found) == 1
    assert found[0].startswith('7: `sys.results[@1.1]` for the call `temp(town="Oslo")` is `4` in ')


def test_results_in_another_order_are_the_same_run(tmp_path: Path) -> None:
    """A request that has the results in another order says nothing new."""
    found = checked(tmp_path / "run.jsonl", TURNS, [request(RIGHT), request(RIGHT[::-1])])
    assert [str(each.recorded.at) for each in found.checked.calls] == ["1.1", "1.1"]


REPLY = "It is 4 degrees in Oslo and 21 in Rome."


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        (REPLY, ""),
        (f"{REPLY}\n ", ""),
        (f"<think>Easy.</think>\n{REPLY}", ""),
        (json.dumps({"answer": REPLY, "sure": True}), ""),
        (f"{REPLY} Is there more?", "and only a part of it is sent here"),
        ("I cannot say.", "and something else is sent here"),
        ("", ""),
    ],
)
def test_replies(tmp_path: Path, reply: str, wrong: str) -> None:
    """What a spec calls the answer of the model is the answer of the model."""
    body: Json = {"choices": [{"message": {"role": "assistant", "content": reply}}]}
    more: tuple[Json, ...] = ({"role": "assistant", "content": REPLY}, {"role": "user", "content": "thanks"})
    run: list[Json] = [{"request": request(RIGHT), "response": body}, request(RIGHT, *more)]
    found = reasons(checked(tmp_path / "run.jsonl", TURNS, run))
    assert len(found) == bool(wrong)
    if wrong:
        place = f"in the reply to {tmp_path / 'run.jsonl'}:1, request"
        assert found[0].startswith("9: `resp.answer[@1]` is `")
        assert place in found[0]
        assert found[0].endswith(wrong)


@pytest.mark.parametrize(("n_calls", "words", "n_wrong"), [(2, None, 0), (2, "I look.", 0), (1, None, 1)])
def test_replies_that_call(tmp_path: Path, n_calls: int, words: str | None, n_wrong: int) -> None:
    """Calls are those of the reply, and words beside them may be left out."""
    first: Json = {"model": "m", "messages": [QUESTION]}
    message: Json = {"role": "assistant", "content": words, "tool_calls": calls()[:n_calls]}
    run: list[Json] = [{"request": first, "response": {"choices": [{"message": message}]}}, request(RIGHT)]
    found = reasons(checked(tmp_path / "run.jsonl", TURNS, run))
    assert len(found) == n_wrong
    assert all("and other calls are sent here" in each for each in found)
