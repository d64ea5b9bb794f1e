"""`assert_matches_spec()` in tests of agents: what it takes, when it fails, and what the failure says."""

import json
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anthropic
import openai
import pytest
from openai.types.chat import ChatCompletionMessage

from acdl_mkdocs.foundation.errors import AcdlError, TraceError
from acdl_mkdocs.testing import assert_matches_spec

SPEC = """// acdl: range=inclusive
Helper[@T.I]: {
    S: INSTRUCTIONS
    U: env.question[@T]
    ForEach(i: range(1, I)) {
        A: {
            resp.thought[@T.i]
            sys.call[@T.i]
        }
        T: sys.result[@T.i]
    }
}
"""
SYSTEM = {"role": "system", "content": "be kind"}
USER = {"role": "user", "content": "how old is Ada?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"q": "Ada"}'}}
ANSWER = {"role": "assistant", "content": "let me see", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "born 1815"}


def body(*messages: object, **more: object) -> dict[str, object]:
    """The body of a request."""
    return {"model": "gpt-5", "messages": list(messages), **more}


GOOD = [body(SYSTEM, USER), body(SYSTEM, USER, ANSWER, RESULT)]
BAD = [GOOD[0], body(SYSTEM, USER, {**ANSWER, "content": None}, RESULT)]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """The file of the spec."""
    path = tmp_path / "helper.acdl"
    path.write_text(SPEC, "utf-8")
    return path


def test_requests_that_are_as_the_spec_says(spec: Path) -> None:
    """Nothing happens; what was found can be looked at."""
    found = assert_matches_spec(GOOD, spec, min_coverage=100)
    assert [line.line for line in found.checked.list_lines("confirmed")] == [3, 4, 5, 6, 10]
    assert [line.line for line in found.checked.list_lines("uncontrollable")] == [7, 8]  # seen only once


def test_dropped_reasoning_fails_at_its_line(spec: Path) -> None:
    """The message shows both ends."""
    with pytest.raises(AssertionError) as failure:
        assert_matches_spec(BAD, str(spec))
    told = str(failure.value)
    assert "helper.acdl:7:13" in told
    assert "resp.thought[@T.i]" in told
    assert '> messages[2] assistant: look_up({"q": "Ada"})' in told
    assert "request 2, messages[2]" in told
    assert told.endswith("refuted: 1 of 7 lines; 1 of 2 requests disagrees\n")


def test_typed_objects_of_client_packages(spec: Path) -> None:
    """An answer that is put back into the conversation as it came, and what is not given."""
    answer = ChatCompletionMessage.model_validate({**ANSWER, "refusal": None})
    assert_matches_spec([GOOD[0], body(SYSTEM, USER, answer, RESULT, temperature=openai.NOT_GIVEN)], spec)
    content: list[dict[str, Any]] = [
        {"type": "text", "text": "let me see"},
        {"type": "tool_use", "id": "c1", "name": "look_up", "input": {"q": "Ada"}},
    ]
    usage = {"input_tokens": 1, "output_tokens": 1}
    about = {"id": "m", "type": "message", "model": "claude", "stop_reason": None, "stop_sequence": None}
    message = anthropic.types.Message.model_validate({**about, "role": "assistant", "content": content, "usage": usage})
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "born 1815"}
    said = [USER, {"role": "assistant", "content": message.content}, {"role": "user", "content": [result]}]
    request = {"model": "claude", "max_tokens": 9, "system": "be kind", "messages": said}
    found = assert_matches_spec([request], spec)
    assert found.formats == (("anthropic", 1),)
    typed = SimpleNamespace(to_dict=lambda: GOOD[1])
    assert_matches_spec([GOOD[0], typed], spec)


def test_recordings_and_folders(spec: Path) -> None:
    """Paths work too."""
    path = spec.with_name("run.jsonl")
    path.write_text("".join(f"{json.dumps(each)}\n" for each in BAD), "utf-8")
    for given in (path, str(path), spec.parent):
        with pytest.raises(AssertionError, match=r"run\.jsonl:2"):
            assert_matches_spec(given, spec)


def test_lists_are_runs(spec: Path) -> None:
    """What is the same in a run may be different in another one."""
    other = body(SYSTEM, {"role": "user", "content": "another question"})
    found = assert_matches_spec([GOOD, [other]], spec)
    assert found.runs == ("run 1", "run 2")


def test_points(spec: Path) -> None:
    """That of the first request, or of each."""
    assert_matches_spec(GOOD, spec, at=["1", "1.1"])
    assert_matches_spec(GOOD[1:], spec, at="1.1")
    with pytest.raises(AssertionError):
        assert_matches_spec(GOOD, spec, at=["1", "1.2"])
    with pytest.raises(TraceError, match="1 point for 2 requests"):
        assert_matches_spec(GOOD, spec, at=["1"])


def test_state(spec: Path) -> None:
    """As plain data or as a file; contents are compared then."""
    state = {"acdl_state": 1, "templates": {"INSTRUCTIONS": "be kind"}}
    assert_matches_spec(GOOD, spec, state=state)
    path = spec.with_name("state.yaml")
    path.write_text('acdl_state: 1\ntemplates: {INSTRUCTIONS: "be rude"}\n', "utf-8")
    with pytest.raises(AssertionError, match="be rude"):
        assert_matches_spec(GOOD, spec, state=path)


def test_too_little(spec: Path) -> None:
    """Coverage and mutants are asked for by number."""
    with pytest.raises(AssertionError, match="come to 28 % of the lines, not 80 %"):
        assert_matches_spec(GOOD[:1], spec, min_coverage=80)
    with pytest.raises(AssertionError, match="% of the mutants, not 90 %"):
        assert_matches_spec(GOOD[:1], spec, min_score=90)


@pytest.mark.parametrize(
    "asked", [{"min_coverage": 101}, {"min_score": -1}, {"min_score": 5, "mutants": 0}, {"range": "both"}]
)
def test_what_can_never_be(spec: Path, asked: dict[str, Any]) -> None:
    """What no requests can fulfil is a mistake of the test."""
    with pytest.raises(ValueError, match=r"`(min_coverage|min_score|range)`"):
        assert_matches_spec(GOOD, spec, **asked)


def test_secrets_are_not_shown(spec: Path) -> None:
    """A failure is printed in logs that many people see."""
    said = {"role": "user", "content": "my key is sk-proj-abcdefghijklmnop1234567890"}
    with pytest.raises(AssertionError) as failure:
        assert_matches_spec([body(SYSTEM, said, said)], spec)
    assert "abcdefghijklmnop" not in str(failure.value)
    assert "[redacted]" in str(failure.value)


@pytest.mark.parametrize(
    ("requests", "words", "reason"),
    [
        ([], {}, "there is no request in it"),
        (GOOD, {"spec": "Hleper"}, "did you mean `Helper`"),
        (GOOD, {"state": {"acdl_state": 1, "env": 3}}, "solve these errors first"),
        (GOOD, {"state": "missing.yaml"}, "there is no such file"),
        (GOOD, {"format": "opnai"}, "there is no request format `opnai`"),
        ("missing.jsonl", {}, "there is no such file"),
    ],
)
def test_what_cannot_be_checked(requests: Any, words: dict[str, Any], reason: str, spec: Path) -> None:
    """Is no failed comparison, and says what to do."""
    with pytest.raises(AcdlError, match=reason):
        assert_matches_spec(requests, spec, **words)


def test_what_is_no_data_is_named(spec: Path) -> None:
    """With its type."""
    with pytest.raises(TypeError, match=r"`builtins\.object`"):
        assert_matches_spec([{"messages": [object()]}], spec)


def test_it_works_in_unittest(spec: Path) -> None:
    """No plugin is needed."""

    class AgentTest(unittest.TestCase):
        def runTest(self) -> None:  # noqa: N802  # the name that unittest looks for
            assert_matches_spec(BAD, spec)

    result = unittest.TestResult()
    AgentTest().run(result)
    assert len(result.failures) == 1
    assert not result.errors
