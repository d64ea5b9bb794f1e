"""`evaluate()` of the public API: what it takes, and what it says instead of raising."""

from pathlib import Path

import pytest

from acdl_mkdocs import Transcript, evaluate
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.errors import PointError, UnknownSpecError

SPEC = "One[@T]: { U: { env.question[@T] MORE } }\nTwo[@T]: { S: RULES }\n"
STATE = """acdl_state: 1
at: "2"
templates: {RULES: Be brief., MORE: {file: more.txt}}
env: {question: {1: Why?, 2: How?}}
"""
DATA = {"acdl_state": 1, "at": "2", "templates": {"MORE": "And?"}, "env": {"question": {"1": "Why?", "2": "How?"}}}


def texts(transcript: Transcript) -> list[str]:
    """What is sent."""
    assert [each.diagnostic.message for each in transcript.errors] == []
    return [message.text for message in transcript.messages]


def test_what_it_takes(tmp_path: Path) -> None:
    """Text and paths for specs; paths, text, plain data and a state that was read for states."""
    (tmp_path / "spec.acdl").write_text(SPEC)
    (tmp_path / "spec.state.yaml").write_text(STATE)
    (tmp_path / "more.txt").write_text("And?")
    path = tmp_path / "spec.acdl"
    state = tmp_path / "spec.state.yaml"
    read = read_state(STATE, "spec.state.yaml", tmp_path).state
    for given in (state, DATA, read):
        assert texts(evaluate(path, given)) == texts(evaluate(SPEC, given)) == ["How?\nAnd?"]
    assert texts(evaluate(path, state, "1")) == ["Why?\nAnd?"]
    assert texts(evaluate(path, state, spec="Two")) == ["Be brief."]
    assert texts(evaluate(path, state, joiner=" ")) == ["How? And?"]
    assert evaluate(path, state).source.name == str(path)


def test_missing_values() -> None:
    """They are errors, unless something else is wanted."""
    found = evaluate(SPEC, at="1")
    assert [each.diagnostic.rule for each in found.errors] == ["missing-value"]
    assert texts(evaluate(SPEC, at="1", missing="placeholder")) == ["⟦env.question[@1]⟧\n⟦MORE⟧"]
    assert texts(evaluate("P[@T]: { U: env.q }", missing="empty")) == []
    assert texts(evaluate("P[@T]: { U: env.q }", missing="empty", empty="keep")) == [""]


def test_problems_of_texts_are_findings() -> None:
    """What is wrong with the state or the spec stands before what the evaluation says, each with its own text."""
    found = evaluate(SPEC, "acdl_state: 1\nenvv: {}\n", missing="placeholder")
    assert [(each.source.text.splitlines()[0], each.diagnostic.rule) for each in found.errors] == [
        ("acdl_state: 1", "state-file")
    ]
    found = evaluate(SPEC, {"acdl_state": 1, "env": {"x": object()}}, missing="placeholder")
    assert [each.diagnostic.rule for each in found.errors] == ["state-file"]
    found = evaluate("One[@T]: { U: { env.q[@T }\nS: RULES }", missing="placeholder")
    assert "syntax" in {each.diagnostic.rule for each in found.errors}
    assert "⟦RULES⟧" in [each.text for each in found.messages]


def test_misuse_raises(tmp_path: Path) -> None:
    """Names and points that do not exist, and files that cannot be read."""
    with pytest.raises(UnknownSpecError, match="did you mean `One`"):
        evaluate(SPEC, spec="one")
    for several in ("now", "1..3", "2.*", "*", "1, 2"):
        with pytest.raises(PointError, match="not a point in time"):
            evaluate(SPEC, at=several)
    with pytest.raises(FileNotFoundError):
        evaluate(tmp_path / "none.acdl")
    with pytest.raises(FileNotFoundError):
        evaluate(SPEC, tmp_path / "none.yaml")
