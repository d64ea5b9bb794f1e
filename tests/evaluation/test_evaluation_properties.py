"""What holds for every spec, state and point."""

from dataclasses import replace
from typing import TypeAlias

import pytest
from evaluated import POISON, bodies, points, states
from hypothesis import given
from hypothesis import strategies as st
from strategies import damaged, files, soups

import acdl_mkdocs
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.state.sample_state import Key, MissingMode, Records, State, Tree
from acdl_mkdocs.evaluation.transcript import Transcript, build_prompt
from acdl_mkdocs.evaluation.values import Time, Value
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt

Summary: TypeAlias = tuple[object, ...]
modes = st.sampled_from(("error", "placeholder", "empty"))


def resolved(text: str) -> Resolved:
    """A text, understood."""
    return parse_and_resolve(Source(text)).resolved


def spec(body: str) -> str:
    """A spec with such statements."""
    return f"P[@T.I]: {{\n{body}\n}}\n"


def sent(transcript: Transcript) -> Summary:
    """What goes to a provider, and what was left free."""
    return build_prompt(transcript), tuple(each.condition for each in transcript.choices)


def said(transcript: Transcript) -> Summary:
    """All that a transcript says, without places."""
    findings = tuple(
        (each.diagnostic.rule, each.diagnostic.message, each.diagnostic.help) for each in transcript.findings
    )
    pieces = tuple((each.expression, each.resolved, each.status, each.state_path) for each in transcript.pieces)
    return (*sent(transcript), findings, pieces, tuple(transcript.counts.values()))


def until(state: State, now: Time, later: Value) -> State:
    """A state whose values later than a point are replaced, or left out for `None`."""
    agents = {name: _records_until(records, now, later) for name, records in state.agents.items()}
    return replace(state, records=_records_until(state.records, now, later), agents=agents)


def _records_until(records: Records, now: Time, later: Value) -> Records:
    changed = dict.fromkeys(("q", "x", "a", "y"), later)
    steps = {
        key: dict.fromkeys(record, changed) if Time(key).is_after(now) else record
        for key, record in records.steps.items()
        if later is not None or not Time(key).is_after(now)
    }
    base = {name: dict(tree) for name, tree in records.base.items()}
    column = base.get("env", {}).get("col")
    if isinstance(column, dict):
        seen = {key: value for key, value in column.items() if int(key) <= now.parts[0]}
        others = dict.fromkeys(column.keys() - seen.keys(), later) if later is not None else {}
        values = {**seen, **others}
        base["env"]["col"] = {key: values[key] for key in column if key in values} or column
    return replace(records, base=base, steps=steps)


@given(body=bodies, state=states(), at=points, missing=modes)
def test_nothing_later_is_read(body: str, state: State, at: str, missing: MissingMode) -> None:
    """What is later than the point may be anything, or nothing at all."""
    text, now, options = resolved(spec(body)), parse_point(at), Options(missing=missing)
    whole = evaluate(text, state, at, options)
    poisoned, cut = (evaluate(text, until(state, now, later), at, options) for later in (POISON, None))
    assert POISON not in repr(said(whole))
    assert said(poisoned) == said(whole)
    assert sent(cut) == sent(whole)


@pytest.mark.parametrize("missing", ["error", "placeholder", "empty"])
@pytest.mark.parametrize("read", ["env.col[2]", "env.q[2]"])
def test_numbers_read_no_later_step(read: str, missing: MissingMode) -> None:
    """A whole number is a step only up to the point: whether the state has a later one decides nothing."""
    text = resolved(spec(f"If {read} + env.q[@T] {{ U: YES }} Else {{ U: NO }}\nU: {read}"))
    steps: dict[Key, dict[str, Tree]] = {(1,): {"env": {"q": "one"}}, (2,): {"env": {"q": "two"}}}
    whole = State(Records({"env": {"col": {"1": "one", "2": "two"}}}, steps))
    cut = State(Records({"env": {"col": {"1": "one"}}}, {(1,): steps[(1,)]}))
    options = Options(missing=missing)
    assert said(evaluate(text, whole, "1", options)) == said(evaluate(text, cut, "1", options))
    assert sent(evaluate(text, cut, "1", options))[1] == (() if missing == "error" else (f"{read} + env.q[@T]",))
    assert "two" in repr(sent(evaluate(text, whole, "2", options)))


@given(body=bodies, state=states(), at=points, missing=modes)
def test_evaluation_is_deterministic(body: str, state: State, at: str, missing: MissingMode) -> None:
    """The same spec, state and point give the same, to the byte."""
    options = Options(missing=missing)
    one, other = (evaluate(resolved(spec(body)), state, at, options) for _ in range(2))
    assert repr(said(one)) == repr(said(other))


@given(before=bodies, body=bodies, after=bodies, state=states(), at=points)
def test_fragments_can_be_spliced(before: str, body: str, after: str, state: State, at: str) -> None:
    """A fragment sends what its body sends where it is used, in a scope of its own."""
    end = "RolesFrag F[]: {\n" + body + "\n}\n"
    whole, spliced = (
        evaluate(resolved(spec(f"If true {{\n{before}\n}}\n{inner}\nIf true {{\n{after}\n}}") + end), state, at)
        for inner in ("Frag F[]", f"If true {{\n{body}\n}}")
    )
    assert sent(whole) == sent(spliced)


@given(body=bodies, state=states(), at=points)
def test_words_of_fragments_can_be_spliced(body: str, state: State, at: str) -> None:
    """A string fragment gives its pieces to the message that it stands in."""
    name = "StrFrag F[@t]: { env.q[@t] resp.a[@t] T_TEXT(@t) }\n"
    whole, spliced = (
        evaluate(resolved(spec(f"U: {{ {inner} }}\n{body}") + name), state, at, Options(missing="placeholder"))
        for inner in ("Frag F[@T-1]", "env.q[@T-1]\nresp.a[@T-1]\nT_TEXT(@T-1)")
    )
    assert sent(whole) == sent(spliced)


@given(body=bodies, state=states(), at=points)
def test_the_normal_form_says_the_same(body: str, state: State, at: str) -> None:
    """Formatting a spec does not change what it sends."""
    text = spec(body)
    one, other = (evaluate(resolved(each), state, at) for each in (text, acdl_mkdocs.format(text)))
    assert build_prompt(one) == build_prompt(other)  # messages about it quote its parentheses
    assert [each.diagnostic.rule for each in one.findings] == [each.diagnostic.rule for each in other.findings]


@given(body=bodies, state=states(), at=points, missing=modes)
def test_pieces_know_where_they_come_from(body: str, state: State, at: str, missing: MissingMode) -> None:
    """The place of a piece is in its text and says the expression; what is sent is never a stand-in unseen."""
    transcript = evaluate(resolved(spec(body)), state, at, Options(missing=missing))
    for piece in transcript.pieces:
        span, text = piece.origin.span, piece.origin.source.text
        assert 0 <= span.start < span.end <= len(text)
        assert "".join(text[span.start : span.end].split()) == "".join(piece.expression.split())
        assert piece.status != "given" or "⟦" not in piece.text
        if piece.status in ("missing", "error") and missing == "error":
            assert transcript.errors


@given(text=st.one_of(files, soups, damaged()), state=states(), at=points, missing=modes)
def test_any_text_is_evaluated(text: str, state: State, at: str, missing: MissingMode) -> None:
    """Nothing but a spec that is not there is worth an exception."""
    understood = resolved(text)
    try:
        transcript = evaluate(understood, state, at, Options(missing=missing))
    except UnknownSpecError:
        assert not any(isinstance(item, Prompt) for item in understood.parsed.file.items)
    else:
        build_prompt(transcript)
        assert all(each.diagnostic.message for each in transcript.findings)


@pytest.mark.parametrize("missing", ["error", "placeholder", "empty"])
def test_no_state_at_all(missing: MissingMode) -> None:
    """Without a state everything that is read is missing."""
    text = resolved("P[@T]: { S: RULES U: env.q[@T] If sys.x { U: f(env.y) } }")
    transcript = evaluate(text, options=Options(missing=missing))
    assert [message.role for message in transcript.messages] == ["system", *["user"] * (missing != "empty")]
    assert bool(transcript.errors) == (missing == "error")
