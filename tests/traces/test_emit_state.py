"""Sample states that recorded runs tell: what is in them, and that they send what was recorded."""

import json
from pathlib import Path

import pytest
from exhaustive import each_once, exhaustive
from steps import n_steps

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.state.mismatches import find_unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.prompts.prompt import Prompt
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.check_files import check_requests, open_recordings
from acdl_mkdocs.runs.infer.state import InferredState, infer_state
from acdl_mkdocs.runs.infer.values import find_path
from acdl_mkdocs.runs.match.verdicts import check_runs
from acdl_mkdocs.runs.read.recorded import Origin, Recorded
from traces.runs import answer, ask, result, system, user
from traces.sent import N_PARTS, evaluated_run, examples, examples_of, request, spec

_NOT_TOLD = {
    "DocumentQuestion": "a loop inside a message",
    "ChatAgentWithSummary": "a condition inside a message",
    "Context": "an argument that is not given",
    "MintOriginal": "a value that is not in the state",
    "MultiAgent": "a loop inside a message",
    "OpenClaw": "a loop inside a message",
    "OpenClawCorrected": "a loop inside a message",
    "OpenCodeMain": "a loop over something unknown",
    "OpenCodeMainCorrected": "a loop over something unknown",
    "BasicRAG": "a loop inside a message",
    "tool-agent-fragments ToolAgent": "a loop inside a message",
}
"""Specs of which a recording does not tell everything, and why."""


def emitted(text: str, *run: Recorded, state: State | None = None) -> InferredState:
    """The state that one run tells."""
    resolved = spec(text)
    return infer_state(resolved, check_runs(resolved, [run]), "s.json", state=state)


def found_in(made: InferredState) -> State:
    """The state as it is read, without problems."""
    file = read_state(made.text)
    assert file.state is not None
    assert not file.problems
    return file.state


def at(point: str, *messages: object) -> Recorded:
    """A request at a point."""
    return Recorded(Prompt(messages), "openai", Origin("run.jsonl", 1), at=parse_point(point))  # type: ignore[arg-type]


@pytest.mark.parametrize(("format", "part"), each_once([None, *PROVIDERS], range(N_PARTS)))
def test_what_a_run_tells_sends_the_run_again(format: str | None, part: int) -> None:
    """Of every example, through every provider's format: the state sends at each point what was recorded there."""
    n_tried = 0
    for file, resolved, state, name in examples_of(part):
        run, is_whole = evaluated_run(resolved, state, name, format)
        if not is_whole or name in _NOT_TOLD or f"{file} {name}" in _NOT_TOLD:
            continue
        options = Options(spec=name, range=state.range)
        checked = check_runs(resolved, [run], None, options)
        made = infer_state(resolved, checked, "s.json", state=state, options=options)
        assert made.at == tuple(str(each.at) for each in run), (file, name, made.notes)
        again = read_state(made.text)
        assert again.state is not None
        assert {each.severity for each in again.problems} <= {"note"}, (file, name)
        unread = [each.message for each in find_unread_names(resolved, again.state, again.source)]
        assert not unread, (file, name)
        n_tried += 1
    assert n_tried >= 15 // N_PARTS


@exhaustive
def test_a_state_that_does_not_send_the_run_says_so() -> None:
    """No example gives a state with errors, and none keeps quiet about what it does not send."""
    for file, resolved, state, name in examples():
        run, _ = evaluated_run(resolved, state, name, "openai")
        options = Options(spec=name, range=state.range)
        try:
            made = infer_state(resolved, check_runs(resolved, [run], None, options), "s.json", options=options)
        except TraceError:
            continue
        assert not [each for each in read_state(made.text).problems if each.severity == "error"], (file, name)
        for each in run:
            is_told = any(f"at `@{each.at}` the messages of the state differ" in sentence for sentence in made.notes)
            is_left_out = any("agree with the spec and" in sentence for sentence in made.notes)
            assert str(each.at) in made.at or is_told or is_left_out, (file, name, each.at)


def test_values_stand_at_their_times_with_calls_and_their_ids() -> None:
    """The whole text of a small state."""
    text = """// acdl: range=inclusive
P[@T.I]: {
    S: RULES
    ForEach(t: range(1, @T)) {
        U: env.q[@t]
        ForEach(i: range(1, @t.substeps)) {
            A: resp.call[@t.i]
            T: sys.tool[@t.i].result
        }
        If @t < @T { A: resp.answer[@t] }
    }
}"""
    first = (system("Be brief."), user("Rain?"))
    second = (*first, ask("Lisbon", "c7"), result("no", "c7"))
    made = emitted(text, at("1", *first), at("1.1", *second), at("2", *second, answer("No."), user("Sure?")))
    assert made.text == _STATE
    assert found_in(made).at == "2"
    assert made.at == ("1", "1.1", "2")
    assert made.notes == ()


_STATE = """\
# yaml-language-server: $schema=s.json
# From a recorded run: run.jsonl
acdl_state: 1
spec: "P"
at: "2"  # the last request
range: "inclusive"
templates:
  RULES: "Be brief."
steps:
  1:
    env:
      q: "Rain?"
    resp:
      answer: "No."
    substeps:
      1:
        sys:
          tool:
            result:
              $result:
                id: "c7"
                content: "no"
        resp:
          call:
            $call:
              id: "c7"
              name: "look"
              arguments:
                q: "Lisbon"
  2:
    env:
      q: "Sure?"
"""


def test_a_range_of_the_options_is_kept() -> None:
    """Ranges are read again as they were read."""
    resolved = spec("P[@T]: { ForEach(t: range(1, @T)) { U: env.q[@t] } }")
    options = Options(range="inclusive")
    run = [at("1", user("a")), at("2", user("a"), user("b"))]
    made = infer_state(resolved, check_runs(resolved, [run], None, options), "s.json", options=options)
    assert made.at == ("1", "2")
    assert 'range: "inclusive"' in made.text
    steps = found_in(made).records.steps
    assert [steps[1,]["env"], steps[2,]["env"]] == [{"q": "a"}, {"q": "b"}]


def test_two_pieces_of_one_message_cannot_be_told_apart() -> None:
    """The words stand under the first name, and a comment says that they belong to both."""
    made = emitted("P[@T]: { S: { RULES TOOLS } }", request("1", "S: Be brief. Use python."))
    assert '  RULES: "Be brief. Use python."\n' in made.text
    where = "# not in the recording: where it begins; its text is at the end of `RULES`"
    assert f'  TOOLS: ""  {where}\n' in made.text
    assert made.at == ("1",)


def test_what_is_known_elsewhere_is_taken_away() -> None:
    """A message of one piece says what it is; in one of two, the other one is what is left."""
    both = Recorded(Prompt((system("Be brief."), user("Be brief.\nHello"))), "openai", Origin("r", 1), at=Time((1,)))
    made = emitted("P[@T]: { S: RULES U: { RULES env.q[@T] } }", both)
    assert "not in the recording" not in made.text
    assert found_in(made).records.steps[1,]["env"] == {"q": "Hello"}


def test_lines_with_which_all_messages_begin_are_a_template() -> None:
    """What stays the same belongs to the name that stays the same."""
    run = [at("1", user("Answer:\nWhy?")), at("2", user("Answer:\nHow?"))]
    made = emitted("P[@T]: { U: { ASK env.q[@T] } }", *run)
    state = found_in(made)
    assert state.templates["ASK"].text == "Answer:"
    assert state.records.steps[2,]["env"] == {"q": "How?"}
    assert "where it ends; these are the lines with which all messages that have it begin" in made.text


def test_words_and_a_call_are_told_apart() -> None:
    """What the model said, and what it called."""
    made = emitted("P[@T]: { A: { resp.thought[@1] sys.call[@1] } }", request("2", "A: I look it up. | call:search"))
    state = found_in(made)
    assert state.records.steps[1,]["resp"] == {"thought": "I look it up."}
    assert "not in the recording" not in made.text


def test_an_alternative_that_was_taken_is_assumed() -> None:
    """What decided it is not sent."""
    text = "P[@T]: { U: env.q[@T] If sys.tool[@T] == ask { A: QUESTION } Else { S: LAX } }"
    made = emitted(text, request("1", "U: a", "S: Be lax"), request("2", "U: b", "A: What?"))
    assert 'assume:\n  - when: "sys.tool[@2] == ask"\n    value: true\n' in made.text
    assert made.at == ("1", "2")


def test_a_value_with_values_inside() -> None:
    """A call, and what it gave, under one name."""
    text = "P[@T]: { ForEach(t: range(1, @T)) { A: sys.tool[@t] U: sys.tool[@t].result } }"
    made = emitted(text, request("2", "A: run it", "U: done"))
    assert '      tool:\n        $value: "run it"\n        result: "done"\n' in made.text
    assert made.at == ("2",)


def test_templates_with_arguments_and_functions() -> None:
    """One text with slots, and one sample for each call."""
    text = 'P[@T]: { S: TASK(@T) U: look("a") U: look("b") }'
    made = emitted(text, request("1", "S: Step 1 of 9", "U: x", "U: y"), request("2", "S: Step 2 of 9", "U: x", "U: y"))
    state = found_in(made)
    assert state.templates["TASK"].params == ("p1",)
    assert [sample.returns for sample in state.functions["look"]] == ["x", "y"]
    assert state.templates["TASK"].text == "Step {{p1}} of 9"
    assert made.at == ("1", "2")


def test_records_of_an_agent() -> None:
    """Under its name."""
    made = emitted("P[@T]: { U: sys[alice].view[@T] }", request("1", "U: a wall"))
    assert 'agents:\n  alice:\n    steps:\n      1:\n        sys:\n          view: "a wall"\n' in made.text
    assert made.at == ("1",)


def test_a_message_that_may_hold_more_is_not_made_up() -> None:
    """What a loop inside a message sends cannot be told from what stands beside it."""
    made = emitted("P[@T]: { U: { HEAD ForEach(d: env.docs[@T]) { d.text } } }", request("1", "U: many words"))
    assert "# not in the recording: what `HEAD` is (spec.acdl:1)\n" in made.text
    assert "many words" not in made.text
    assert made.at == ()
    assert made.notes == ("at `@1` the messages of the state differ from run.jsonl:1",)


def test_a_request_that_disagrees_is_left_out() -> None:
    """One request is counted in the singular."""
    made = emitted('P[@T]: { U: "hi" }', request("1", "U: hi"), request("2", "U: bye"))
    assert made.notes == ("1 request does not agree with the spec and is left out",)


def test_the_run_with_the_most_that_agrees_is_taken() -> None:
    """A state is of one conversation."""
    resolved = spec("P[@T]: { ForEach(t: range(1, @T)) { U: env.q[@t] } }")
    options = Options(range="inclusive")
    runs = [[at("1", user("x"))], [at("1", user("a")), at("2", user("a"), user("b"))]]
    made = infer_state(resolved, check_runs(resolved, runs, None, options), "s.json", options=options)
    assert '"x"' not in made.text
    assert made.at == ("1", "2")


def test_nothing_that_agrees_gives_no_state() -> None:
    """There is nothing to learn from requests that the spec does not send."""
    with pytest.raises(TraceError, match="no request agrees with P; fix the refuted lines first"):
        emitted("P[@T]: { S: RULES }", request("1", "U: hello"))


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("env.q[@2]", "steps 2 env q"),
        ("sys.tool[@2.1].result", "steps 2 substeps 1 sys tool result"),
        ("sys.tool[@2.0]", "steps 2 sys tool"),
        ("sys[alice].x[@3]", "agents alice steps 3 sys x"),
        ("sys.desc[Ada]", "sys desc Ada"),
        ("env.docs[2].text", "env docs #2 text"),
        ("env.q[@0]", "env q 0"),
        ("env.max", "env max"),
        ("env.a[@1].b[@2]", None),
        ("env.a[b c]", None),
        ("env", None),
        ("foo.bar", None),
    ],
)
def test_where_a_reference_stands(name: str, path: str | None) -> None:
    """A path, or no place."""
    assert find_path(name) == (None if path is None else path.split())


def test_secrets_stay_out(tmp_path: Path) -> None:
    """They are taken out where a recording is read."""
    key = "sk-proj-" + "a1B2" * 12
    body = {"messages": [{"role": "user", "content": f"My key is {key}."}], "model": "m"}
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(body))
    resolved = spec("P[@T]: { U: env.q[@T] }")
    made = infer_state(resolved, check_requests(resolved, open_recordings([path])).checked, "s.json")
    assert key not in made.text
    assert "My key is " in made.text
    assert made.at == ("1.0",)


def test_a_long_run_takes_about_as_long_as_its_check() -> None:
    """Messages that later requests repeat are looked at once."""
    text = """// acdl: range=inclusive
P[@T]: { S: { RULES TOOLS } ForEach(t: range(1, @T)) { U: env.q[@t] PromptEndsHere when @t == @T A: resp.a[@t] } }"""
    messages = [system("Be brief.\nsearch(q)")]
    run = []
    for turn in range(1, 21):
        messages.append(user(f"question {turn}"))
        run.append(at(str(turn), *messages))
        messages.append(answer(f"answer {turn}"))
    resolved = spec(text)
    checked = check_runs(resolved, [run])
    assert len(infer_state(resolved, checked, "s.json").at) == 20
    n_check = n_steps(lambda: check_runs(resolved, [run]))
    assert n_steps(lambda: infer_state(resolved, checked, "s.json")) < 3 * n_check
