"""What recorded runs say about the lines of a spec: by hand, one finding at a time."""

from dataclasses import replace

import pytest

from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.runs.match import pattern
from acdl_mkdocs.runs.match.compile import compile_pattern
from acdl_mkdocs.runs.match.mutants import list_mutants, score_mutants
from acdl_mkdocs.runs.match.pattern import PatternError
from acdl_mkdocs.runs.match.verdicts import Checked, check_runs
from acdl_mkdocs.runs.read.recorded import Recorded
from traces.sent import checked, request, spec, verdicts

CHAT = """Chat[@T]: {
    S: INSTRUCTIONS
    ForEach(t: range(1, @T-1)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
    U: env.question[@T]
}"""
INCLUSIVE = "// acdl: range=inclusive\n"
FIRST = request("1", "S: be kind", "U: q1")
SECOND = request("2", "S: be kind", "U: q1", "A: a1", "U: q2")
THIRD = request("3", "S: be kind", "U: q1", "A: a1", "U: q2", "A: a2", "U: q3")


def chat(*run: Recorded) -> Checked:
    """What a run says about `CHAT`."""
    return checked(INCLUSIVE + CHAT, *run)


def refuted(found: Checked) -> dict[int, str]:
    """The lines that are refuted, and where in the request."""
    return {line.line: line.counterexample.path for line in found.lines if line.counterexample is not None}


def test_a_run_that_is_as_the_spec_says_confirms_every_line() -> None:
    """Nothing is left open where every line was seen twice."""
    found = chat(FIRST, SECOND, THIRD)
    assert {line.line: line.verdict for line in found.lines} == dict.fromkeys((3, 4, 5, 6, 8), "confirmed")
    assert (found.n_checked, found.n_agreeing, found.is_refuted, found.cuts) == (3, 3, False, ())


def test_what_no_request_comes_to_is_unexercised() -> None:
    """A first step has no history."""
    found = {line.line: line.verdict for line in chat(FIRST).lines}
    assert found == {3: "confirmed", 4: "unexercised", 5: "unexercised", 6: "unexercised", 8: "confirmed"}


@pytest.mark.parametrize(("turn", "branch"), [("1", 4), ("2", 4), ("3", 5)])
def test_a_case_with_several_values(turn: str, branch: int) -> None:
    """`Case 1 | 2` is taken at both turns."""
    lines = ("P[@T]: {", "U: {", "Switch @T {", 'Case 1 | 2 { "one" }', 'Default { "more" }', "}", "}", "}")
    found = checked("\n".join(lines), request(turn, "U: one" if branch == 4 else "U: more"))
    assert not found.is_refuted
    assert {line.line: line.verdict for line in found.lines}[branch] == "confirmed"


@pytest.mark.parametrize(
    ("statements", "sent", "reason"),
    [
        ('U: "Hello"', ("U: Hello there",), "the message also has `there`"),
        ('U: "Hello"', ("U: Bye",), "`Hello` is not in the message"),
        ('U: { "Hello" env.q }', ("U: Oh, Hello you",), "the message has `Oh,` before `Hello`"),
        ('U: { env.q "Thanks." }', ("U: q1 Thanks. And more",), "the message has `And more` after `Thanks.`"),
        (
            "U: env.q",
            ("U: a", "A: b"),
            "after this message the request has an Assistant message that the spec does not send",
        ),
        (
            "U: env.q  If @T > 1 { U: env.r }",
            ("U: a", "U: b"),
            "this alternative is not taken, and the request has a User message here",
        ),
        (
            "U: env.q  If @T == 1 { U: env.r }",
            ("U: a",),
            "this alternative is taken, and nothing of it is in the request: "
            "the spec sends a User message here, and the request has none",
        ),
        (
            "U: env.q  ForEach(t: range(1, @T)) { U: env.r }",
            ("U: a",),
            "the loop makes round 1, and nothing of it is in the request",
        ),
        (
            "ForEach(t: range(1, @T)) { U: env.r }  A: resp.a",
            ("U: a", "U: b", "A: c"),
            "the request has more rounds than this loop makes",
        ),
        (
            "U: env.q  PromptEndsHere when @T == 1  A: resp.a",
            ("U: a", "A: b"),
            "the prompt ends here, and the request continues",
        ),
        (
            "U: env.q  PromptEndsHere when @T == 2  A: resp.a",
            ("U: a",),
            "the prompt continues after this end, and the request stops there",
        ),
        ("U: env.q", ("A: b",), "the spec sends a User message here, and the request has an Assistant message"),
    ],
)
def test_reasons(statements: str, sent: tuple[str, ...], reason: str) -> None:
    """What is said of a line says what the request has, and what the spec sends."""
    found = checked(
        f"{INCLUSIVE}P[@T]: {{\n    S: INSTRUCTIONS\n    {statements}\n}}", request("1", "S: be kind", *sent)
    )
    assert [line.counterexample.reason for line in found.lines if line.counterexample is not None] == [reason]


def test_coverage_counts_both_ways() -> None:
    """How often each alternative and each end was taken, and how often it was passed."""
    text = (
        f"{INCLUSIVE}P[@T]: {{\n    S: INSTRUCTIONS\n    If @T > 1 {{ U: REMINDER }}\n    Else {{ U: WELCOME }}\n"
        "    U: env.question[@T]\n    PromptEndsHere when @T == 3\n    U: env.more\n}"
    )
    found = checked(
        text,
        request("1", "S: be kind", "U: hello", "U: q1", "U: more"),
        request("2", "S: be kind", "U: again", "U: q2", "U: more"),
        request("3", "S: be kind", "U: again", "U: q3"),
    )
    assert found.n_agreeing == 3
    ways = found.coverage.ways.values()
    assert {way.origin.line: (way.n_taken, way.n_passed) for way in ways} == {4: (2, 1), 5: (1, 0), 7: (1, 2)}


@pytest.mark.parametrize(
    ("sent", "line", "path"),
    [
        (("S: be kind", "U: q1", "U: a1", "U: q2"), 6, "messages[2]"),
        (("A: be kind", "U: q1", "A: a1", "U: q2"), 3, "messages[0]"),
        (("S: be kind", "U: q2"), 4, "messages[1]"),
        (("S: be kind", "U: q0", "A: a0", "U: q1", "A: a1", "U: q2"), 4, "messages[1]"),
        (("S: be kind", "U: q1", "A: a1"), 8, "messages"),
        (("U: q1", "A: a1", "U: q2"), 3, "messages[0]"),
        (("S: be kind", "U: q1", "A: a1", "U: q2", "S: really"), 8, "messages[4]"),
    ],
)
def test_the_line_that_is_wrong_is_named(sent: tuple[str, ...], line: int, path: str) -> None:
    """A wrong role, a message too few or too many, rounds too few or too many."""
    found = chat(request("2", *sent))
    assert line in refuted(found), [(each.line, each.reason) for each in found.lines]
    if len(refuted(found)) == 1 and line != 4:
        assert refuted(found)[line] == path
    assert found.is_refuted


def test_a_constant_template_is_the_same_text_in_all_runs() -> None:
    """The counterexample says what it was elsewhere."""
    other = request("1", "S: be rude", "U: something else")
    found = check_runs(spec(INCLUSIVE + CHAT), [[FIRST, SECOND], [other]])
    assert refuted(found) == {3: "messages[0]"}
    (line,) = found.list_lines("refuted")
    assert "`INSTRUCTIONS` is `be kind` in run.jsonl:1" in line.reason


def test_a_variable_of_a_step_is_the_same_in_all_requests_of_a_run_only() -> None:
    """Another run has other questions."""
    found = chat(FIRST, request("2", "S: be kind", "U: another", "A: a1", "U: q2"))
    assert refuted(found) == {5: "messages[1]"}
    other = request("1", "S: be kind", "U: another")
    assert not check_runs(spec(INCLUSIVE + CHAT), [[FIRST], [other]]).is_refuted


def test_a_piece_that_is_known_from_elsewhere_stands_in_longer_messages() -> None:
    """A message of one piece says what that piece is."""
    second = "    If @T == 2 {\n        U: {\n            HEAD\n            env.q[@1]\n        }\n    }\n"
    text = f"P[@T]: {{\n    If @T == 1 {{ U: env.q[@1] }}\n{second}}}"
    assert not checked(text, request("1", "U: what"), request("2", "U: so: what")).is_refuted
    assert refuted(checked(text, request("1", "U: what"), request("2", "U: so: nothing"))) == {4: "messages[0]"}


FREE = "P[@T]: {\n    U: ASK\n    If sys.flag[@T] {\n        A: resp.x[@1]\n    }\n    U: GO\n}"


def test_a_free_choice_never_counts_as_agreement() -> None:
    """The alternative was seen twice, and still nothing says that it had to be."""
    found = verdicts(FREE, request("1", "U: ask", "A: x", "U: go"), request("2", "U: ask", "A: x", "U: go"))
    assert found[2] == found[6] == "confirmed"
    assert found[3] == "uncontrollable"


def test_a_state_decides_what_was_free() -> None:
    """It says whether the alternative is taken, and what it says."""
    sent = request("1", "U: ask", "A: x", "U: go")
    yes = "acdl_state: 1\nsys: {flag: {1: true}}\nresp: {x: {1: x}}"
    assert verdicts(FREE, sent, state=yes)[3] == verdicts(FREE, sent, state=yes)[4] == "confirmed"
    assert verdicts(FREE, sent, state=yes.replace("true", "false"))[3] == "refuted"
    assert verdicts(FREE, sent, state=yes.replace("1: x", "1: other"))[4] == "refuted"


TOOLS = """Agent[@T.I]: {
    U: env.q[@T]
    ForEach(i: range(1, I)) {
        A: {
            resp.thought[@T.i]
            sys.call[@T.i]
        }
        T: sys.result[@T.i]
    }
}"""


def test_dropped_reasoning_is_found_without_a_state() -> None:
    """A call alone cannot be two pieces."""
    good = request("1.1", "U: q", "A: hm | call:search", "T: found")
    assert verdicts(INCLUSIVE + TOOLS, good)[5] == "confirmed"
    bad = request("1.1", "U: q", "A: call:search", "T: found")
    assert refuted(checked(INCLUSIVE + TOOLS, bad)) == {6: "messages[1]"}


def test_history_that_is_cut_short_is_a_loop_with_too_few_rounds() -> None:
    """And the prompt does not go on where it ended."""
    cut = request("1.2", "U: q", "A: hm | call:b", "T: found b")
    found = checked(INCLUSIVE + TOOLS, request("1.1", "U: q", "A: hm | call:a", "T: found a"), cut)
    assert list(refuted(found)) == [4]
    (lost,) = found.cuts
    assert (lost.n_kept, lost.before.path) == (1, "messages[1]")


def test_neighbours_of_one_role_are_one_message_where_the_provider_merges_them() -> None:
    """System text is apart there, too."""
    text = "P[@T]: {\n    S: A_TEXT\n    U: B_TEXT\n    U: env.q[@T]\n    S: C_TEXT\n}"
    sent = ("S: a | c", "U: b | q")
    assert not checked(text, request("1", *sent, format="anthropic")).is_refuted
    assert checked(text, request("1", *sent)).is_refuted


def test_several_results_of_one_message_are_one_message_of_the_spec() -> None:
    """Also in messages of their own, as many as there are calls: some providers have no other way."""
    text = "P[@T]: {\n    A: sys.calls[@T]\n    T: sys.results[@T]\n}"
    assert not checked(text, request("1", "A: call:a | call:b", "T: one | two")).is_refuted
    assert not checked(text, request("1", "A: call:a | call:b", "T: one", "T: two")).is_refuted
    assert list(refuted(checked(text, request("1", "A: call:a | call:b", "T: one", "T: two", "T: three")))) == [3]
    assert list(refuted(checked(text, request("1", "A: call:a", "T: one", "T: two")))) == [3]


def test_system_text_beside_the_messages_has_to_be_in_the_spec() -> None:
    """Wherever a provider takes it; where it stands apart, no message is near it."""
    for provider in ("anthropic", "gemini", "responses", "openai"):
        sent = request("1", "S: be kind", "U: q", format=provider)
        found = checked("P[@T]: {\n    U: env.q[@T]\n}", sent)
        assert list(refuted(found)) == [2 if provider == "openai" else 1], provider


def test_messages_that_are_cut_away_are_whole_rounds() -> None:
    """Of ways that are equally good, the one is told on which what is missing stands together."""
    text = "P[@T]: {\n    U: Q\n    ForEach(i: range(1, 3)) {\n        A: X\n        T: Y\n    }\n}"
    for provider in ("openai", "responses"):
        found = checked(INCLUSIVE + text, request("1", "A: x", "T: y", "A: x", "T: y", format=provider))
        assert list(refuted(found)) == [3, 4], [each.reason for each in found.lines]


def test_a_request_without_a_point_is_told() -> None:
    """It is not passed over in silence."""
    found = chat(replace(FIRST, at=None))
    assert found.n_checked == 0
    assert "point in time" in found.calls[0].problem


def test_the_end_of_the_prompt_is_a_line_of_its_own() -> None:
    """It is refuted by a request that goes on."""
    text = "P[@T]: {\n    U: env.q[@1]\n    PromptEndsHere when @T == 1\n    A: resp.a[@1]\n}"
    assert verdicts(text, request("1", "U: q"), request("2", "U: q", "A: a"))[3] == "confirmed"
    assert refuted(checked(text, request("1", "U: q", "A: a"))) == {3: "messages[1]"}


def test_a_spec_that_sends_too_much_is_told_and_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a bound for messages and one for places of the pattern."""
    text = "P[@T]: {\n    ForEach(a: range(1, 900)) {\n        ForEach(b: range(1, 900)) { U: X }\n    }\n}"
    with pytest.raises(PatternError, match="more than 10,000 messages"):
        compile_pattern(spec(text), Time((1,)))
    monkeypatch.setattr(pattern, "MOST_POSITIONS", 4)
    with pytest.raises(PatternError, match="more than 4 elements"):
        compile_pattern(spec(CHAT), Time((9,)))
    assert "more than 4 elements" in chat(THIRD).calls[0].problem


def test_loops_in_loops_of_unknown_length_take_linear_time() -> None:
    """Tried one after the other, the ways would be more than anyone can count."""
    text = "P[@T]: {\n" + "ForEach(a: env.l) {\n" * 20 + "U: X\nIf env.y { U: Z }\n" + "}\n" * 20 + "}"
    found = checked(text, request("1", *["U: x"] * 300))
    assert found.n_agreeing == 1
    assert not found.list_lines("confirmed")


def test_weak_runs_let_mutants_live() -> None:
    """A run of one step knows nothing of history; what is left out for want of time is counted."""
    resolved = spec(INCLUSIVE + CHAT)
    weak, strong = score_mutants(resolved, [[FIRST]]), score_mutants(resolved, [[FIRST, SECOND, THIRD]])
    assert weak.n_killed < strong.n_killed
    assert {each.origin.line for each in weak.survivors} >= {5, 6}
    assert strong.n_killed == len(strong.results) == len(list(list_mutants(resolved)))
    few = score_mutants(resolved, [[FIRST]], most=2)
    assert (len(few.results), few.n_left_out) == (2, len(strong.results) - 2)


def test_every_kind_of_change_is_made() -> None:
    """Each stands at the line that it is about."""
    loop = "    ForEach(t: range(1, @T)) {\n        If @t > 1 { U: X }\n    }\n"
    text = f"P[@T]: {{\n    S: {{\n        A_TEXT\n        B_TEXT\n    }}\n{loop}}}"
    mutants = list(list_mutants(spec(text)))
    assert {each.change for each in mutants} == {"condition", "bound", "role", "split", "drop"}
    assert {each.origin.line for each in mutants} == {2, 6, 7}


def test_coverage_counts_rounds_and_alternatives() -> None:
    """No round, one and several were all gone through."""
    found = chat(FIRST, SECOND, THIRD).coverage
    (loop,) = found.loops.values()
    assert (loop.n_none, loop.n_one, loop.n_several, loop.is_free) == (1, 1, 1, False)
    assert found.count_branches(found.loops) == (3, 3)


def test_the_spec_is_chosen_by_name() -> None:
    """Else it is the first one."""
    text = f"{INCLUSIVE}Other[@T]: {{ U: X }}\n{CHAT}"
    assert check_runs(spec(text), [[FIRST]]).is_refuted
    assert not check_runs(spec(text), [[FIRST]], options=Options(spec="Chat")).is_refuted
