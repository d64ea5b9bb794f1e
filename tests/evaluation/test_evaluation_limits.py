"""Nothing hangs, grows without end, or raises: hostile specs, states and points."""

from collections.abc import Mapping
from functools import partial

import pytest
from exhaustive import exhaustive, few
from steps import n_steps

from acdl_mkdocs.evaluation.context import Limits
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.sample_state import Assumption, Key, Records, Sample, State, TemplateText, Tree
from acdl_mkdocs.evaluation.transcript import Transcript
from acdl_mkdocs.evaluation.values import Time, Value, ValueWithFields, quote_value
from acdl_mkdocs.foundation.errors import PointError, UnknownSpecError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.syntax.parse import parse

_MEGABYTE = "x" * 1_000_000


def built(
    text: str, state: State | None = None, at: Time | str | None = None, limits: Limits | None = None
) -> Transcript:
    """What a text sends, with stand-ins for what is missing."""
    options = Options(missing="placeholder", limits=limits or Limits())
    return evaluate(parse_and_resolve(Source(text)).resolved, state, at, options)


def env(**values: Value) -> State:
    """A state with values that never change."""
    return State(Records({"env": values}))


def errors(transcript: Transcript) -> list[str]:
    """Rules of what makes the transcript unfit to be sent."""
    return [each.diagnostic.rule for each in transcript.errors]


ROUNDS = {
    "loop": "ForEach(i: range(1, 1000000000)) { U: i }",
    "empty loop": "ForEach(i: range(1, 1000000000)) { }",
    "loop with a way out": "ForEach(i: range(1, 1000000000)) { If i < 0 { break } }",
    "loop in a message": "U: { ForEach(i: range(1, 1000000000)) { If false { i } } }",
    "loops in loops": "ForEach(i: range(1, 2000)) { ForEach(j: range(1, 2000)) { } }",
    "list": "U: [i for i in range(1, 1000000000)]",
    "lists in lists": "U: [[j for j in range(1, 2000)] for i in range(1, 2000)]",
    "range as a value": "Name r := range(1, 1000000000)",
    "range in a list": "U: [range(1, 1000000000)]",
    "times": "ForEach(t: range(@T, @T+1000000000)) { U: env.q[@t] }",
    "large numbers": "ForEach(i: range(1, 999999999 * 999999999)) { U: i }",
}


@pytest.mark.parametrize("kind", ROUNDS)
def test_rounds_are_counted(kind: str) -> None:
    """A loop that makes too many rounds is stopped at once, wherever it stands."""
    text = f"P[@T]: {{ {ROUNDS[kind]} }}"
    transcript = built(text)
    assert errors(transcript) == ["evaluation-limit"]
    assert "rounds" in transcript.errors[0].diagnostic.message
    assert n_steps(partial(built, text, limits=Limits(iterations=1_000))) < 400_000


DOUBLES = {
    "messages": ("Frag F1[]", "RolesFrag F{0}[]: {{ Frag F{1}[] Frag F{1}[] }}\n"),
    "words": ("U: { Frag F1[] }", "StrFrag F{0}[]: {{ Frag F{1}[] + Frag F{1}[] }}\n"),
}


@pytest.mark.parametrize("kind", few(DOUBLES))
def test_uses_of_fragments_are_counted(kind: str) -> None:
    """Fragments that use others twice are stopped before there are 2 to the power of 40 of them."""
    body, fragment = DOUBLES[kind]
    doubles = "".join(fragment.format(number, number + 1) for number in range(1, 40))
    text = f"P[@T]: {{ {body} }}\n{doubles}{fragment.split()[0]} F40[]: {{ }}"
    transcript = built(text)
    assert errors(transcript) == ["evaluation-limit"]
    assert "uses of fragments" in transcript.errors[0].diagnostic.message
    assert n_steps(partial(built, text, limits=Limits(iterations=1_000))) < 500_000


@exhaustive
def test_statements_are_counted() -> None:
    """Rounds are few, what is in them is much."""
    body = "If false { } " * 50
    text = f"P[@T]: {{ ForEach(i: range(1, 90000)) {{ {body} }} }}"
    transcript = built(text)
    assert errors(transcript) == ["evaluation-limit"]
    assert "1,000,000 statements" in transcript.errors[0].diagnostic.message
    assert n_steps(partial(built, text, limits=Limits(statements=10_000))) < 1_500_000


@pytest.mark.parametrize("use", ["env.q[@T.*]", "@T.*", "env.q[@T.*].len", "[@T.*]", "f(env.q[@T.*])"])
def test_all_substeps_are_counted(use: str) -> None:
    """A point with very many sub-steps is not a reason to list them."""
    assert errors(built(f"P[@T.I]: {{ U: {{ {use} }} }}", at="1.999999999")) == ["evaluation-limit"]


def test_a_long_loop_may_be_left() -> None:
    """A loop that is left early may run over as much as it likes."""
    assert not errors(built("P[@T]: { ForEach(i: range(1, 1000000000)) { U: i If i == 2 { break } } }"))
    assert len(built("P[@T]: { ForEach(i: range(1, 1000000000)) { U: i PromptEndsHere when i == 3 } }").messages) == 3


def test_rounds_before_the_first_step_cost_nothing() -> None:
    """A range that begins long before the first step begins at it."""
    transcript = built("P[@T]: { ForEach(t: range(@T-1000000000, @T)) { U: { @t } } }", at="3")
    assert [message.text for message in transcript.messages] == ["1", "2"]
    assert not transcript.errors


BUILT = {
    "template": ("U: BIG(env.text)", State(templates={"BIG": TemplateText("{{a}}" * 1_000)})),
    "sum": (f"Name a := env.text {'Name a := $a + $a ' * 40}", State()),
    "arguments": ("ForEach(i: range(1, 90000)) { Name a := f(env.text) }", State()),
    "content": ("ForEach(i: range(1, 9000)) { U: env.text }", State()),
    "fragment": ("ForEach(i: range(1, 9000)) { Name a := Frag F[] + env.text }", State()),
}


@pytest.mark.parametrize("kind", BUILT)
def test_characters_are_counted(kind: str) -> None:
    """Texts do not fill the memory, whoever puts them together."""
    body, state = BUILT[kind]
    full = State(Records({"env": {"text": _MEGABYTE}}), templates=state.templates)
    text = f"P[@T]: {{ {body} }} StrFrag F[]: {{ env.text }}"
    transcript = built(text, full)
    assert errors(transcript) == ["evaluation-limit"]
    assert "characters" in transcript.errors[0].diagnostic.message
    assert n_steps(partial(built, text, full)) < 100_000  # fifty times a megabyte, then the end


def test_messages_are_counted() -> None:
    """No prompt has ten thousand messages."""
    transcript = built('P[@T]: { ForEach(i: range(1, 20000)) { U: "a" } }')
    assert errors(transcript) == ["evaluation-limit"]
    assert len(transcript.messages) == Limits().messages


@pytest.mark.parametrize(
    ("limits", "word"),
    [(Limits(iterations=2), "2 rounds"), (Limits(messages=2), "2 messages"), (Limits(characters=2), "2 characters")],
)
def test_limits_can_be_set(limits: Limits, word: str) -> None:
    """The message says which limit was reached."""
    transcript = built('P[@T]: { ForEach(i: range(1, 9)) { U: "a" } }', limits=limits)
    assert f"more than {word}" in transcript.errors[0].diagnostic.message
    assert len(transcript.messages) <= 2


def test_a_limit_is_told_where_it_was_reached() -> None:
    """In the text of the fragment whose loop it is."""
    other = parse(Source("RolesFrag Many[]: { ForEach(i: range(1, 1000000)) { U: i } }", "other.acdl"))
    resolved = parse_and_resolve(Source("P[@T]: { Frag Many[] }", "main.acdl"), build_library([other])).resolved
    (found,) = evaluate(resolved).errors
    assert found.source.name == "other.acdl"


def test_a_cycle_is_told_where_it_closes() -> None:
    """With the way around, also through another text."""
    other = parse(Source("RolesFrag B[]: { Frag A[] }", "other.acdl"))
    resolved = parse_and_resolve(
        Source("P[@T]: { Frag A[] } RolesFrag A[]: { Frag B[] }", "main.acdl"), build_library([other])
    )
    (found,) = evaluate(resolved.resolved).errors
    assert found.diagnostic.rule == "recursive-fragment"
    assert [each.text for each in found.diagnostic.related] == ["the cycle is A → B → A"]


def test_findings_are_bounded() -> None:
    """A thousand problems are enough, and it is said that there are more."""
    text = parse_and_resolve(Source("P[@T]: { ForEach(t: range(1, @T)) { U: env.q[@t] } }")).resolved
    transcript = evaluate(text, at="5000")
    assert len(transcript.findings) == 1_001
    assert transcript.findings[-1].diagnostic.rule == "evaluation-limit"
    assert len(transcript.messages) == 4_999


DEEP = {
    "parentheses": f"U: {'(' * 300}1{')' * 300}",
    "sums": f"U: {'(1 + ' * 300}1{')' * 300}",
    "calls": f"U: {'f(' * 300}1{')' * 300}",
    "lists": f"U: {'[' * 300}1{']' * 300}",
    "conditions": f"If {'!(' * 300}true{')' * 300} {{ U: A }}",
    "blocks": f"{'If true { ' * 290}U: A{' }' * 290}",
    "loops": f"{'ForEach(i: range(1, 2)) { ' * 290}U: A{' }' * 290}",
    "many terms": f"U: {' + '.join(['1'] * 5_000)}",
    "many conditions": f"If {' and '.join(['true'] * 5_000)} {{ U: A }}",
}


@pytest.mark.parametrize("kind", DEEP)
@pytest.mark.parametrize("depth", [59, 290, 5_000])
def test_deep_texts_are_evaluated(kind: str, depth: int) -> None:
    """Nesting is not a reason to fail; what the parser leaves out is said."""
    text = DEEP[kind].replace("300", str(depth))
    transcript = built(f"P[@T]: {{ {text} }}")
    assert set(errors(transcript)) <= {"misplaced-statement"}
    assert transcript.messages or transcript.errors or kind == "conditions"  # an odd number of them is false


def test_deep_values_are_evaluated() -> None:
    """A value that is nested deeper than Python can follow is an error of the transcript."""
    value: Value = "bottom"
    for _ in range(50_000):
        value = [value]
    assert errors(built("P[@T]: { U: env.deep }", env(deep=value))) == ["evaluation-limit"]


VALUES: Mapping[str, Value] = {
    "huge": 10**5_000,
    "nan": float("nan"),
    "infinite": float("inf"),
    "bytes of text": "\x00\ud800\u202e{{a}}",
    "rich in rich": ValueWithFields(ValueWithFields({"a": [1]}, {"b": 2}), {"c": 3}),
    "map with odd keys": {"": 1, ".": 2, "1": 3, "__class__": 4},
    "time": Time((1, 2, 3)),
}


@pytest.mark.parametrize("kind", VALUES)
def test_any_value_is_evaluated(kind: str) -> None:
    """No value of a state is worth an exception, whatever is done with it."""
    body = (
        "U: { env.v env.v[@T] env.v[env.v] env.v.len env.v + 1 env.v * 2 -env.v f(env.v) T_X(env.v) max(env.v, 1) }"
        "If env.v == 1 or env.v < 2 or env.v { U: A } Switch env.v { Case 1 { U: B } } U: env.q[@$v] Name v := env.v"
        "ForEach(x: env.v) { U: { x x.id @x } } ForEach(@x: env.v) { U: env.q[@x] }"
        "ForEach(i: range(1, env.v)) { U: i }"
    )
    state = State(Records({"env": {"v": VALUES[kind], "q": {"1": 1}}}), functions={"f": (Sample(("x",), 1),)})
    transcript = built(f"P[@T]: {{ {body} }}", state)
    assert transcript.messages


@pytest.mark.parametrize("at", ["", "x", "0", "1.x", "-1", "1..2", "9" * 30, "1." * 20, "\x00", "@", "2.*"])
def test_no_points(at: str) -> None:
    """What is not a point is refused in words."""
    with pytest.raises(PointError, match=r"not a point in time|before the first step"):
        built("P[@T]: { U: A }", at=at)


def test_long_words_are_no_point() -> None:
    """What was written is repeated as all sentences repeat texts: in one line, and cut to the same length."""
    for at, said in (("x" * 60, "x" * 60), ("x" * 61, quote_value("x" * 61)), ("x\n" * 90, quote_value("x " * 90))):
        with pytest.raises(PointError) as raised:
            built("P[@T]: { U: A }", at=at)
        assert str(raised.value).startswith(f"`{said}` is not a point in time")


def test_no_time_is_a_point() -> None:
    """A time of Python is checked like one that is typed."""
    for parts in ((), (0,), (-1, 2)):
        with pytest.raises(PointError):
            built("P[@T]: { U: A }", at=Time(parts))


@pytest.mark.parametrize(
    ("text", "name", "hint"),
    [
        ("Chat[@T]: { U: A }", "Caht", "did you mean `Chat`?"),
        ("Chat[@T]: { U: A } Other[@T]: { U: A }", "zebra", "there are `Chat`, `Other`"),
        ("StrFrag F[]: { A }", None, "write one"),
        ("", None, "write one"),
    ],
)
def test_no_such_spec(text: str, name: str | None, hint: str) -> None:
    """The near name, all names, or what to write."""
    with pytest.raises(UnknownSpecError, match="has no spec") as caught:
        evaluate(parse_and_resolve(Source(text, "chat.acdl")).resolved, options=Options(spec=name))
    assert hint in str(caught.value)


def test_the_state_says_which_spec_and_point() -> None:
    """Options and arguments win over what the state says."""
    resolved = parse_and_resolve(Source("One[@T]: { U: A } Two[@T]: { U: { @T } }")).resolved
    state = State(spec="Two", at="2..3")
    assert (evaluate(resolved, state).spec, str(evaluate(resolved, state).at)) == ("Two", "2")
    assert evaluate(resolved, state, "4", Options(spec="One")).spec == "One"


def test_strange_assumptions_are_harmless() -> None:
    """What is assumed about nothing says nothing."""
    state = State(assume=(Assumption("", True), Assumption("env.q[", 1), Assumption("(" * 999, None)))
    assert built("P[@T]: { If env.q { U: A } Else { U: B } }", state).choices


@pytest.mark.parametrize("missing", ["env.gone[@t]", "env.q[@t]"])
def test_steps_grow_with_the_messages(missing: str) -> None:
    """Four times the messages take four times the steps, also where all is missing or read far back."""
    text = f"P[@T]: {{ ForEach(t: range(1, @T)) {{ U: {missing} A: env.held[@t] }} }}"
    resolved = parse_and_resolve(Source(text)).resolved
    costs = []
    for size in (50, 200):
        steps: dict[Key, dict[str, Tree]] = {(step,): {"env": {"q": "why"}} for step in range(1, size)}
        state = State(Records({"env": {"held": {"1": "first"}}}, steps, hold=frozenset({"env.held"})))
        options = Options(missing="placeholder")
        costs.append(n_steps(partial(evaluate, resolved, state, f"{size}", options)))
    few, many = costs
    assert many < 4.5 * few + 5_000
