"""What generated specs send, with states that fit: the same however they are written, and fit for every provider."""

import json
import re
from collections.abc import Iterator

import pytest
from exhaustive import examples
from explanation.test_truth import is_true
from hypothesis import given
from hypothesis import strategies as st
from wire.expected import expected

import acdl_mkdocs
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.explain.explain import explain
from acdl_mkdocs.evaluation.formats import TRANSCRIPTS, TranscriptOptions
from acdl_mkdocs.evaluation.state.mismatches import find_missing_names, find_unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import MissingMode, State
from acdl_mkdocs.evaluation.state.skeleton import write_skeleton
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.evaluation.transcript import Transcript, build_prompt
from acdl_mkdocs.foundation.diagnostics import fix_until_stable
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.prompt import Prompt
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from generated.batches import points, prompts, resolved, states
from generated.scopes import USE, Spec
from generated.specs import specs

Sendable = tuple[Resolved, State, str, str]
"""A text, a state for one of its specs, that spec's name and a point in time."""


@st.composite
def sendable(draw: st.DrawFn) -> tuple[Spec, Sendable]:
    """A spec with all that an evaluation needs."""
    spec = draw(specs())
    text = resolved(spec.text)
    prompt = draw(st.sampled_from(list(prompts(text))))
    file = read_state(draw(states(text, prompt)))
    assert [each.message for each in file.problems if each.severity == "error"] == []
    assert file.state is not None
    return spec, (text, file.state, prompt.name.name, draw(points))


def sent(what: Sendable, missing: MissingMode = "placeholder") -> Transcript:
    """What a spec sends."""
    text, state, name, at = what
    return evaluate(text, state, at, Options(spec=name, missing=missing))


def with_text(text: str, what: Sendable) -> Sendable:
    """The same question to another text."""
    return (resolved(text), *what[1:])


@given(made=sendable())
@examples(25)
def test_another_spelling_sends_the_same(made: tuple[Spec, Sendable]) -> None:
    """The normal form, the text after safe fixes and that with its fragments spliced in send what the text sends."""
    spec, what = made
    fixed = fix_until_stable(spec.text, acdl_mkdocs.check).text
    assert not [each for each in acdl_mkdocs.check(fixed) if each.fix is not None and each.fix.is_safe]
    for other in (acdl_mkdocs.format(spec.text), fixed):
        assert build_prompt(sent(with_text(other, what))) == build_prompt(sent(what))
    spliced = repr(build_prompt(sent(with_text(spec.spliced, what), "empty")))
    # An expression without a value is sent as it is written, and splicing gives variables new names.
    assert re.sub(r"_u\d+\b", "", spliced) == repr(build_prompt(sent(what, "empty")))


_OTHER_WORDS = (("", ""), ("[@T]", "[@T-1]"), ("env.clock", "env.o_clock"), ("-1", "-2"), ("range(1,", "range(2,"))


@given(made=sendable(), words=st.sampled_from(_OTHER_WORDS))
@examples(25)
def test_a_comparison_knows_fragments_that_were_spliced_in(made: tuple[Spec, Sendable], words: tuple[str, str]) -> None:
    """Texts of which a comparison says that the same is sent send the same; one with its fragments spliced in is so."""
    spec, what = made
    other = spec.spliced.replace(*words) if words[0] else spec.spliced
    for old, new in ((spec.text, other), (other, spec.text)):
        found = acdl_mkdocs.diff(old, new)
        if found.is_equal_sent:
            assert build_prompt(sent(with_text(new, what), "empty")) == build_prompt(
                sent(with_text(old, what), "empty")
            )
        elif not words[0]:
            assert not is_plain(spec)


def is_plain(spec: Spec) -> bool:
    """Whether a spec uses all of its fragments, and none of them defines a `Name`, which splicing renames."""
    fragments = {number for number, each in enumerate(spec.definitions) if each.kind != "prompt"}
    waiting = [each for each in spec.definitions if each.kind == "prompt"]
    seen: set[int] = set()
    while waiting:
        for match in USE.finditer(waiting.pop().body):
            number = spec.uses[int(match[2])][0]
            if number not in seen:
                seen.add(number)
                waiting.append(spec.definitions[number])
    has_names = any(re.search(r"(Name |:?= )", spec.definitions[number].body) for number in fragments)
    return seen == fragments and not has_names


@given(made=sendable())
@examples(12)
def test_nothing_is_told_of_another_spelling(made: tuple[Spec, Sendable]) -> None:
    """A comparison of what a text and its normal form send finds no change at any point."""
    spec, (_, state, name, at) = made
    for other in (spec.text, acdl_mkdocs.format(spec.text)):
        found = acdl_mkdocs.diff_sent(spec.text, other, state, at, spec=name, tokens="none")
        assert [each.changes for each in found.points] == [()]
        assert {each.verdict for each in found.points} <= {"same", "same as far as known", "undecided", "failed"}
        for point in found.failed:
            assert len(point.old.errors) == len(point.new.errors) > 0


@given(made=sendable())
@examples(25)
def test_evaluation(made: tuple[Spec, Sendable]) -> None:
    """It is twice the same; every piece of a text in its normal form and every finding knows its place."""
    what = with_text(acdl_mkdocs.format(made[0].text), made[1])
    one, other = sent(what), sent(what)
    assert repr(build_prompt(one)) == repr(build_prompt(other))
    assert [each.diagnostic for each in one.findings] == [each.diagnostic for each in other.findings]
    for piece in one.pieces:
        written = piece.origin.source.text[piece.origin.span.start : piece.origin.span.end]
        assert "".join(written.split()) == "".join(piece.expression.split())
    for finding in one.findings:
        assert 0 <= finding.diagnostic.label.span.start <= finding.diagnostic.label.span.end
        assert finding.diagnostic.message


@given(made=sendable())
@examples(15)
def test_explanations_are_true(made: tuple[Spec, Sendable]) -> None:
    """What is said about messages is what is sent, with a first state and without one."""
    text, _, name, at = made[1]
    prompt = next(each for each in prompts(text) if each.name.name == name)
    state = read_state(write_skeleton(collect_reads(text, [prompt]), name, "")).state
    for told in explain(text):
        if told.name == name and told.kind in ("chat", "completion") and not told.unknown:
            is_true(told, evaluate(text, state, at, Options(spec=name, missing="placeholder")))
            is_true(told, evaluate(text, None, at, Options(spec=name, missing="placeholder")))


@given(spec=specs())
@examples(15)
def test_first_state(spec: Spec) -> None:
    """The first state of a spec has everything that it reads, and nothing else."""
    text = resolved(spec.text)
    for prompt in prompts(text):
        file = read_state(write_skeleton(collect_reads(text, [prompt]), prompt.name.name, "state.schema.json"))
        assert file.state is not None
        assert [each.message for each in file.problems if each.severity != "note"] == []
        assert find_missing_names(text, file.state) == ()
        assert find_unread_names(text, file.state, file.source) == ()


@pytest.mark.parametrize("name", PROVIDERS)
@given(made=sendable())
@examples(15)
def test_requests(name: str, made: tuple[Spec, Sendable]) -> None:
    """What is sent becomes a request that the provider's own types allow, and is read back without a problem."""
    written = WIRES[name].write(build_prompt(sent(made[1])), "m")
    expected(name).check()(written.request)
    again = WIRES[name].read(json.loads(json.dumps(written.body)))
    assert json.dumps(WIRES[name].write(again.prompt, again.model).body) == json.dumps(written.body)
    assert all(each.sentence and each.cure for each in written.losses)


@given(made=sendable())
@examples(25)
def test_documents(made: tuple[Spec, Sendable]) -> None:
    """What is sent comes back from a document as it was, unless a loss is told, and is written again as it was."""
    given_prompt = build_prompt(sent(made[1]))
    written = WIRES["pml"].write(given_prompt, None)
    read = WIRES["pml"].read(written.body)
    assert [each for each in read.problems if not each.is_advice] == []
    assert WIRES["pml"].write(read.prompt, None).body == written.body
    if not [each for each in written.losses if not each.is_advice]:
        assert list(texts(read.prompt)) == list(texts(given_prompt))


def texts(prompt: Prompt) -> Iterator[tuple[str, str]]:
    """Role and parts of every message."""
    return ((each.role, repr(each.parts)) for each in prompt.messages)


@given(made=sendable())
@examples(12)
def test_every_transcript(made: tuple[Spec, Sendable]) -> None:
    """Every way to show what is sent shows it, twice the same."""
    transcript = sent(made[1])
    for way in TRANSCRIPTS.values():
        assert way([transcript], TranscriptOptions(model="m")) == way([transcript], TranscriptOptions(model="m"))
