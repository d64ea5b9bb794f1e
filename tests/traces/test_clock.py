"""One model of time: the points that requests get, what loops over steps give there, and readings of unclear turns."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.app.python import evaluate
from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.check_files import CheckedFiles, check_requests, open_recordings
from acdl_mkdocs.runs.report.summary import describe_counting
from acdl_mkdocs.runs.report.terminal import write
from acdl_mkdocs.workspace.fences import scan_fences

FOLDER = Path(__file__).parent / "clock"

AGENT = """Agent[@T.I]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        ForEach(i: range(1, @t.substeps+1)) {
            A: resp.call[@t.i]
            T: sys.result[@t.i]
        }
        A: resp.answer[@t]
    }
    U: env.question[@T]
    ForEach(i: range(1, I+1)) {
        A: resp.call[@T.i]
        T: sys.result[@T.i]
    }
}
"""
"""The loops that the documentation teaches, over turns and over the steps of each."""


def checked(spec: str, path: Path, mode: str | None = None) -> CheckedFiles:
    """What a recording says about a spec."""
    resolved = parse_and_resolve(Source(spec, "spec.acdl")).resolved
    return check_requests(resolved, open_recordings([path]), options=Options(range=mode))  # type: ignore[arg-type]


def say(role: str, content: Json) -> dict[str, Json]:
    """A message of words."""
    return {"role": role, "content": content}


def step(number: int, result: str) -> list[dict[str, Json]]:
    """A call of a tool and its result."""
    function: Json = {"name": "look_up", "arguments": json.dumps({"n": number})}
    call: Json = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


def recording(path: Path, requests: Sequence[Sequence[Json]]) -> Path:
    """Requests in the format of OpenAI Chat Completions, a line each."""
    lines = (json.dumps({"model": "m", "messages": list(each)}) for each in requests)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def growing(turns: Sequence[tuple[str, Sequence[str], str]]) -> Iterator[list[Json]]:
    """The requests of a conversation: of each turn what the user says, the results of its steps, and the answer."""
    sent: list[Json] = [say("system", "Be brief.")]
    number = 0
    for question, results, answer in turns:
        sent.append(say("user", question))
        yield list(sent)
        for result in results:
            number += 1
            sent += step(number, result)
            yield list(sent)
        sent.append(say("assistant", answer))


def test_points(tmp_path: Path) -> None:
    """`I` counts the completed steps of a turn: 0 at its first request, one more at each request after that."""
    turns = [("Hello?", (), "Hi."), ("And?", ("4 C", "5 C"), "Warm.")]
    found = checked(AGENT, recording(tmp_path / "run.jsonl", list(growing(turns))))
    assert [str(each.recorded.at) for each in found.checked.calls] == ["1.0", "2.0", "2.1", "2.2"]
    assert not found.checked.is_refuted
    assert found.reading == "results"


@pytest.mark.parametrize(("mode", "more"), [("half-open", "+1"), ("inclusive", "")])
def test_loops_over_completed_steps(mode: str, more: str) -> None:
    """Completed steps are `range(1, I+1)` where ranges stop before their end, and `range(1, I)` where they do not."""
    loop = f"ForEach(i: range(1, I{more})) {{ T: sys.result[@T.i] }}"
    spec = f"// acdl: range={mode}\nP[@T.I]: {{ If @T.0 {{ U: FIRST_REQUEST }} {loop} U: sys.n[@T.substeps] }}"
    state = {
        "acdl_state": 1,
        "sys": {"n": {0: "none", 1: "one", 2: "two"}},
        "steps": {1: {"substeps": {1: {"sys": {"result": "a"}}, 2: {"sys": {"result": "b"}}}}},
    }
    for at, wanted in (("1", ["FIRST_REQUEST"]), ("1.1", ["a"]), ("1.2", ["a", "b"])):
        sent = [each.text for each in evaluate(spec, state, at).messages[:-1]]
        assert [text.strip("⟦⟧") for text in sent] == wanted, (mode, at)


PAGE = Path(__file__).parents[2] / "site_src" / "reference" / "time.md"
ROW = re.compile(r"^\| [^|]+ \| `(range[^`]+)` \| `(range[^`]+)` \| ([^|–]+) \| ([^|–]+) \| ([^|–]+) \|$", re.MULTILINE)


def test_the_page_about_time() -> None:
    """Its spec sends the messages of its picture, and its loops run over what the table says."""
    text = PAGE.read_text("utf-8")
    (fence,) = [each for each in scan_fences(text.split("\n")) if each.language == "acdl"]
    steps = {i: {"resp": {"call": f"call, step {i}"}, "sys": {"result": f"result, step {i}"}} for i in (1, 2)}
    turns = {t: {"env": {"question": f"question {t}"}, "resp": {"answer": f"answer {t}"}} for t in (1, 2)}
    state = {"acdl_state": 1, "steps": {1: turns[1], 2: {**turns[2], "substeps": steps}}}
    pictures = re.findall(r"`(@2\.\d)`\n\n<ul class=\"acdl-clock-messages\">\n(.*?)</ul>", text, re.DOTALL)
    assert [at for at, _ in pictures] == ["@2.0", "@2.1", "@2.2"]
    for at, items in pictures:
        shown = re.findall(r"<b>(\w)</b> (.*?)</li>", items)
        sent = evaluate(fence.text, state, at.removeprefix("@")).messages
        assert [(each.role[0].upper(), each.text) for each in sent] == shown, at
    rows = ROW.findall(text)
    assert len(rows) == 4
    for exclusive, inclusive, *wanted in rows:
        for mode, loop in (("half-open", exclusive), ("inclusive", inclusive)):
            spec = f"// acdl: range={mode}\nP[@T.I]: {{ ForEach(x: {loop}) {{ U: x }} }}"
            for at, elements in zip(("2.0", "2.1", "2.2"), wanted, strict=True):
                rounds = [each.text for each in evaluate(spec, state, at).messages]
                assert (", ".join(rounds) or "none") == elements.strip(), (loop, at)


TEXTS = st.sampled_from(["", " ", "\n\n", "Hello?", "<system-reminder>x</system-reminder>", "two\nlines"])
TURNS = st.lists(
    st.tuples(TEXTS, st.lists(TEXTS, max_size=2), st.sampled_from(["Yes.", "No.", " "])), min_size=1, max_size=3
)


@given(turns=TURNS, format=st.sampled_from(["openai", "responses"]))
def test_what_is_sent_is_accepted(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[str, list[str], str]], format: str
) -> None:
    """Blank and empty texts are content: what the spec sends with a state is not refuted by the spec."""
    steps: dict[object, object] = {}
    points = []
    for turn, (question, results, answer) in enumerate(turns, 1):
        substeps = {
            i: {"sys": {"result": result}, "resp": {"call": {"$call": {"name": "f", "arguments": {"n": i}}}}}
            for i, result in enumerate(results, 1)
        }
        steps[turn] = {"env": {"question": question}, "resp": {"answer": answer}, "substeps": substeps}
        points += [f"{turn}.{i}" for i in range(len(results) + 1)]
    state = {"acdl_state": 1, "templates": {"INSTRUCTIONS": "Be brief."}, "steps": steps}
    path = tmp_path_factory.mktemp("sent") / "run.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for at in points:
            body = PROVIDERS[format].write(build_prompt(evaluate(AGENT, state, at))).body
            assert isinstance(body, dict)
            file.write(json.dumps({**body, "model": "m"}) + "\n")
    found = checked(AGENT, path)
    assert [str(each.recorded.at) for each in found.checked.calls] == points
    assert not found.checked.is_refuted, write(found)


@pytest.mark.parametrize("name", ["plain", "empty", "blank", "emptypart", "nopart", "first", "image"])
def test_an_empty_turn_is_a_turn(name: str) -> None:
    """A user message without words begins a turn like any other."""
    found = checked((FOLDER / "a.acdl").read_text("utf-8"), FOLDER / f"{name}.jsonl", "inclusive")
    assert [str(each.recorded.at) for each in found.checked.calls] == ["1.0", "2.0", "3.0"]
    assert not found.checked.is_refuted


@pytest.mark.parametrize("name", ["say", "say-empty", "say-nl"])
def test_blank_text_beside_a_call_is_content(name: str) -> None:
    """It is what the model said before the call, also if that has no words."""
    found = checked((FOLDER / "agent2.acdl").read_text("utf-8"), FOLDER / f"{name}.json", "inclusive")
    assert not found.checked.is_refuted


def test_a_blank_system_message_is_a_template() -> None:
    """A template may be blank."""
    found = checked((FOLDER / "agent.acdl").read_text("utf-8"), FOLDER / "sys-nl.json", "inclusive")
    assert not found.checked.is_refuted


def test_text_behind_results_belongs_to_them() -> None:
    """A reminder behind the results of tools begins no turn."""
    found = checked((FOLDER / "remind.acdl").read_text("utf-8"), FOLDER / "remind.jsonl")
    assert not found.checked.is_refuted
    assert {each.recorded.at.get_part(0) for each in found.checked.calls if each.recorded.at} == {1}
    assert describe_counting(found) == ""


def test_a_question_behind_results_begins_a_turn(tmp_path: Path) -> None:
    """Where the agent gives no answer after its last tool, the reading by which the spec agrees is taken, and named."""
    spec = AGENT.replace("        A: resp.answer[@t]\n", "")
    sent: list[Json] = [say("system", "Be brief.")]
    requests = []
    for turn in range(1, 4):
        sent.append(say("user", f"question {turn}"))
        requests.append(list(sent))
        sent += step(turn, f"result {turn}")
    found = checked(spec, recording(tmp_path / "run.jsonl", requests))
    assert not found.checked.is_refuted
    assert found.reading == "tags"
    assert [str(each.recorded.at) for each in found.checked.calls] == ["1.0", "2.0", "3.0"]
    assert "counting  user text directly after tool results begins a turn" in write(found)


def test_a_reading_that_would_agree_is_named(tmp_path: Path) -> None:
    """An agent whose results are user messages has one turn; only a manifest can say so, and the report shows how."""
    spec = "Agent[@T.I]: {\n    U: env.task[@T]\n    ForEach(i: range(1, I+1)) {\n"
    spec += "        A: resp.action[@T.i]\n        U: env.seen[@T.i]\n    }\n}\n"
    sent: list[Json] = [say("user", "Open the door.")]
    requests = []
    for number in range(1, 4):
        requests.append(list(sent))
        sent += [say("assistant", f"action {number}"), say("user", f"seen {number}")]
    path = recording(tmp_path / "run.jsonl", requests)
    found = checked(spec, path)
    assert found.checked.is_refuted
    assert found.agreeing_reading == "one-turn"
    assert '--manifest`: `["1", "1.1", ...]`' in write(found)
    manifest = tmp_path / "points.json"
    manifest.write_text('["1", "1.1", "1.2"]', "utf-8")
    resolved = parse_and_resolve(Source(spec, "spec.acdl")).resolved
    told = check_requests(resolved, open_recordings([path], manifest=manifest))
    assert not told.checked.is_refuted
    assert describe_counting(told) == ""
