"""What `unroll` rejects whatever the state, `check --strict` reports first; and what `check` forbids is not sent.

Small specs are derived from the lists below, production by production: every expression in every place that takes one,
operators between expressions, statements in each other.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random

import pytest
from exhaustive import examples, few
from hypothesis import given, settings
from hypothesis import strategies as st

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.sample_state import Records, Sample, State, TemplateText
from acdl_mkdocs.evaluation.values import Value
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.names.resolve import Resolved

ABOUT_THE_SPEC = frozenset(
    ("misplaced-statement", "not-computable", "unbound-value", "not-iterable", "evaluation-limit")
)
"""What an evaluation says of a spec; the others are about the state."""
ABOUT_MEANING = {
    "completion-mixed-with-chat": "a provider takes one text or messages; an evaluation shows both",
    "repeated-completion": "a provider takes one text; an evaluation shows each",
    "control-flow-in-one-line-role": "the reference wants braces; what is meant is clear",
    "unknown-block": "a `Mark` with another number than the reference allows is drawn all the same",
}
"""Errors of rules for what an evaluation accepts, and why they are errors."""
EXPRESSIONS = """
@T @1 @T.I @T.1 @T.* @t.substeps t T I T.I T.0 @T[1] env.x env.x[@T] sys.x.len env.x.1 env.* AA AA(1) f(1) f()
range(1,3) range(3) range() range(1,2,3,4) RANGE(1,@T) range(1..@T) range(start=1,stop=3) range('a',2) range(true,2)
$n $n.x 1 2.5 'word' '2' word true none #msg #msg.x #msg[1] [1] [] (1) (env.x) [x_for_x_in_env.y] [x_for_x_in_5]
max() max(1) max('a') max(1,'a') min(@T,1) max([]) min([1,'a']) -1 -env.x -'a' -AA -true !env.x -@T Frag_S[1]
1234567890123456789012 prompt.x
""".split()  # noqa: SIM905  # short
N_PARTS = 5
"""The derived specs are tried in so many parts, of which one always runs."""
OPERATORS = ("+", "-", "*", "/", "%", "==", "<", ">=", "&", "|")
PLACES = (
    "U: {}",
    "U: {{ AA {} }}",
    "U: f({})",
    "U: AA({})",
    "U: env.x[{}]",
    "If {} {{ U: AA }} Else {{ U: BB }}",
    "Switch {} {{ Case 1 {{ U: AA }} Default {{ U: BB }} }}",
    "Switch env.x {{ Case {} {{ U: AA }} Default {{ U: BB }} }}",
    "ForEach(x: {}) {{ U: AA }}",
    "ForEach(@x: {}) {{ U: AA }}",
    "ForEach(x: range(1, {})) {{ U: AA }}",
    "ForEach(x: range({}, 3)) {{ U: AA }}",
    "ForEach(x: range(1, 3, {})) {{ U: AA }}",
    "Name m := {}\nU: $m",
    "U: f([{} for x in [1]])",
    "U: f([x for x in {}])",
    "U: f([x for x in [1] if {}])",
    "U: Frag S[{}]",
    "Frag R[{}]",
    "PromptEndsHere when {}\nU: AA",
    "Mark {} {{ U: AA }}",
)
STATEMENTS = (
    *("U: AA", "N: AA", "AA", "env.x", "$m", "U: $m", "U: { $m }", "Name m := env.x", "Name m := f($m)", "U: break"),
    *(
        "break",
        "continue",
        "PromptEndsHere when false",
        "Frag S[1]",
        "Frag R[@1]",
        "Frag B[1]",
        "Frag C[1]",
        "Frag Z[1]",
    ),
    *("U: Frag R[@1]", "U: Frag S[1, 2]", "U: Name m := 1", '"text"', "word", "Q", "Q[@1]", "AA - BB", "U: { -AA }"),
    *("U: { AA - BB }", "U: { *AA *BB }", "U: { env.x @T }", "U: { env.x == 1 }", "U: { Name m := 1 $m }", "T: { }"),
)
BLOCKS = (
    "U: {{ {} }}",
    "ForEach(v: [1, 2]) {{ {} }}",
    "If true {{ {} }}",
    "Switch 1 {{ Case 1 {{ {} }} }}",
    "Mark 1 {{ {} }}",
)
FRAGMENTS = {
    "S": "StrFrag S[a]: { AA(a) }",
    "R": "RolesFrag R[a]: { U: AA(a) }",
    "B": "StrFrag B[a]: { break }",
    "C": "RolesFrag C[a]: { continue }",
    "Q": "Q[@T]: { U: AA }",
}
VALUES: tuple[Value, ...] = (2, "2", "words", [1, 2], {"a": 1, "x": 2}, True)


@cache
def _states() -> tuple[State, ...]:
    """States in which all that the specs read has a value, of every pair of kinds."""
    return tuple(_state(x, y) for x, y in product(VALUES, VALUES))


def _state(x: Value, y: Value) -> State:
    base = {namespace: {"x": x, "y": y, "prompt": {"x": x}} for namespace in ("env", "sys", "resp")}
    templates = {name: TemplateText("5" if y == "2" else "words") for name in ("AA", "BB", "RANGE")}
    functions = {"f": (Sample(None, x),)}
    return State(Records(base, {}, {(step,): 2 for step in (1, 2, 3)}), templates=templates, functions=functions)


def _accepted(resolved: Resolved) -> bool:
    """Whether a state has all that the spec reads, and the spec is sent without a word."""
    transcripts = (evaluate(resolved, state, "3.2", Options(missing="error")) for state in _states())
    return any(not each.errors for each in transcripts)


def _rejected(resolved: Resolved) -> Diagnostic | None:
    """Why the spec is rejected in every state at every point; `None` where it is not."""
    found: Diagnostic | None = None
    for at, state in product(("3.2", "1"), _states()):
        said = [each.diagnostic for each in evaluate(resolved, state, at, Options(missing="placeholder")).findings]
        said = [each for each in said if each.severity == "error" and each.rule in ABOUT_THE_SPEC]
        if not said:
            return None
        found = found or said[0]
    return found


def _disagreement(body: str) -> str:
    """What one says of a spec and the other does not; empty where both agree."""
    fragments = [text for name, text in FRAGMENTS.items() if f"Frag {name}" in body or (name == "Q" and "Q" in body)]
    before = "Name n := env.x\nU: AA($n)\n" if "$n" in body else ""
    text = "\n".join([f"P[@T.I]: {{\n{before}{body}\n}}", *fragments])
    analysis = analyse(Source(text))
    loud = [each for each in analysis.diagnostics if each.severity != "note"]
    errors = {each.rule for each in loud if each.severity == "error"} - ABOUT_MEANING.keys()
    if loud and not errors:
        return ""
    rejected = _rejected(analysis.resolved)
    if rejected is not None and not loud:
        return f"{body!r}: unroll says {rejected.message}, check says nothing"
    is_reached = not body.startswith("Mark ") and "|" not in body and "&" not in body  # what decides comes first
    if errors and is_reached and rejected is None and _accepted(analysis.resolved):
        return f"{body!r}: check says {sorted(errors)}, unroll accepts it"
    return ""


def _expressions() -> Iterator[str]:
    """Every expression, and every operator between two of them, each operator with each operand once on each side."""
    plain = [each.replace("_", " ") for each in EXPRESSIONS]
    yield from plain
    for at, operator in product(range(len(plain)), OPERATORS):
        other = plain[(at * 7 + OPERATORS.index(operator) * 3) % len(plain)]
        yield f"({plain[at]} {operator} {other})"


def _specs() -> Iterator[str]:
    n_plain = len(EXPRESSIONS)
    for number, expression in enumerate(_expressions()):
        places = PLACES if number < n_plain else [PLACES[number % len(PLACES)]]
        yield from (place.format(expression) for place in places)
    yield from STATEMENTS
    for one, other in product(STATEMENTS, STATEMENTS):
        yield f"{one}\n{other}"
    for block, inner in product(BLOCKS, STATEMENTS):
        yield block.format(inner)
    for number, (outer, inner, statement) in enumerate(product(BLOCKS, BLOCKS, STATEMENTS)):
        yield f"{outer.format(inner.format(statement))}\n{STATEMENTS[number % len(STATEMENTS)]}"


@pytest.mark.parametrize("part", few(range(N_PARTS)))
def test_derived_specs(part: int) -> None:
    """Small specs, one after the other."""
    specs = [*_specs()]
    Random(1).shuffle(specs)  # noqa: S311 - each part has something of every list
    assert [found for found in map(_disagreement, specs[part::N_PARTS]) if found] == []


_values = st.recursive(
    st.sampled_from([each.replace("_", " ") for each in EXPRESSIONS if each != "env.*"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(OPERATORS), inner),
        st.builds("{}{}".format, st.sampled_from("-!"), inner),
        st.builds("max({}, {})".format, inner, inner),
        st.builds("range({}, {})".format, inner, inner),
        inner.map("AA({})".format),
    ),
    max_leaves=3,
)


@given(place=st.sampled_from(PLACES), value=_values)
@settings(examples(100), derandomize=True)
def test_drawn_specs(place: str, value: str) -> None:
    """Deeper expressions in the same places."""
    assert _disagreement(place.format(value)) == ""


@pytest.mark.parametrize("rule", ABOUT_MEANING)
def test_exceptions_are_needed(rule: str) -> None:
    """An exception that nothing needs is taken out of the list."""
    examples = {
        "completion-mixed-with-chat": "N: AA\nU: AA",
        "repeated-completion": "N: AA\nN: BB",
        "control-flow-in-one-line-role": "U: If true { AA }",
        "unknown-block": "Mark -1 { U: AA }",
    }
    analysis = analyse(Source(f"P[@T]: {{\n{examples[rule]}\n}}"))
    assert {each.rule for each in analysis.diagnostics if each.severity == "error"} == {rule}
    assert _rejected(analysis.resolved) is None
