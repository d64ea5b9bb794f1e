"""Which line is wrong, where several could be: what real agents got wrong, each as small as it can be."""

import pytest

from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.prompts.prompt import Call, Message, Output, Part, Prompt, Text, Thinking
from acdl_mkdocs.runs.match.verdicts import Checked, check_runs
from acdl_mkdocs.runs.read.recorded import Origin, Recorded
from traces.sent import checked, request, spec

AGENT = """// acdl: range=inclusive
Agent[@T.I]: {
    S: RULES
    ForEach(t: range(1, @T)) {
        U: env.q[@t]
        ForEach(i: range(1, @t.substeps)) {
            A: {
                resp.thought[@t.i]
                sys.calls[@t.i]
            }
            T: sys.results[@t.i]
        }
        PromptEndsHere when @t == @T
        A: resp.answer[@t]
    }
}"""
STATE = """acdl_state: 1
range: inclusive
steps:
  1:
    substeps:
      1:
        resp: {thought: {$thinking: {text: both}}}
        sys:
          calls: [{$call: {name: a}}, {$call: {name: b}}]
          results: [{$result: {content: one}}, {$result: {content: two}}]
"""


def refuted(found: Checked) -> list[int]:
    """The lines that are wrong."""
    return [line.line for line in found.list_lines("refuted")]


def thinking(at: str, *parts: Part, format: str = "anthropic") -> Recorded:
    """A request in which a model has called two tools."""
    results = (Message("tool", (Output((Text("one"),)),)), Message("tool", (Output((Text("two"),)),)))
    begin = (Message("system", (Text("be kind"),)), Message("user", (Text("q1"),)))
    prompt = Prompt((*begin, Message("assistant", parts), *results))
    return Recorded(prompt, format, Origin("run.jsonl", 1), at=parse_point(at))


def test_results_of_calls_at_once_are_one_message_of_a_spec() -> None:
    """Whether the state says what they are or not; but not a result more than there were calls."""
    sent = thinking("1.1", Thinking("both"), Call("a", {}), Call("b", {}))
    assert refuted(checked(AGENT, sent)) == []
    assert refuted(checked(AGENT, sent, state=STATE)) == []
    assert refuted(checked(AGENT, sent, state=STATE.replace("two", "three"))) == [11]
    assert refuted(checked(AGENT, thinking("1.1", Thinking("both"), Call("a", {})))) != []


@pytest.mark.parametrize("format", ["anthropic", "responses"])
def test_thoughts_that_are_left_out(format: str) -> None:
    """Without a state, a call alone cannot be a thought and calls; with one, the thought is not there."""
    one = request("1.1", "S: be kind", "U: q1", "A: call:a", "T: one", format=format)
    assert refuted(checked(AGENT, one)) == [8]
    both = thinking("1.1", Call("a", {}), Call("b", {}), format=format)
    assert refuted(checked(AGENT, both)) == []  # two parts may be two pieces
    assert refuted(checked(AGENT, both, state=STATE)) == [8]
    hidden = thinking("1.1", Thinking("", "signed"), Call("a", {}), Call("b", {}), format=format)
    assert refuted(checked(AGENT, hidden, state=STATE)) == []


def test_thoughts_where_a_provider_takes_none() -> None:
    """There a state may know them, and requests need not have them."""
    found = checked(AGENT, thinking("1.1", Call("a", {}), Call("b", {}), format="openai"), state=STATE)
    assert refuted(found) == []


@pytest.mark.parametrize("format", ["openai", "anthropic", "responses"])
def test_instructions_in_the_role_of_the_user(format: str) -> None:
    """Their line alone is wrong."""
    assert refuted(checked(AGENT, request("1.0", "U: be kind", "U: q1", format=format))) == [3]


def test_rounds_that_are_missing_are_those_that_were_seen_before() -> None:
    """What was sent earlier says which of several rounds is gone, so that the loop alone is wrong."""
    turns = [f"{who}{number}" for number in (1, 2, 3) for who in ("U: q", "A: a")]
    run = [
        *(request(f"{number}.0", "S: be kind", *turns[: 2 * number - 1]) for number in (1, 2, 3)),
        request("4.0", "S: be kind", *turns[2:], "U: q4"),
    ]
    text = AGENT.replace("@t.substeps", "0")
    found = check_runs(spec(text), [run])
    (line,) = found.list_lines("refuted")
    assert (line.line, line.reason) == (4, "the loop makes round 1, and nothing of it is in the request")
