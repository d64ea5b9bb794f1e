"""Hypothesis strategies: specs that read a state, and states that have some of it."""

from hypothesis import strategies as st

from acdl_mkdocs.evaluation.state.sample_state import Assumption, Key, Records, Sample, State, TemplateText, Tree
from acdl_mkdocs.evaluation.values import Value, ValueWithFields

_times = st.sampled_from(("@T", "@T.I", "@t", "@t.i", "@T-1", "@T+1", "@T.I-1", "@1", "@2.1", "@T.*", "@.i", "@3"))
_leaves = st.one_of(
    st.builds(lambda name, time: f"{name}[{time}]", st.sampled_from(("env.q", "sys.x", "resp.a", "env.col")), _times),
    st.sampled_from(("env.q", "env.col", "env.col.len", "env.fixed", "env.list", "env.list.len", "env.list[2].name")),
    st.sampled_from(
        ("sys.x[@t].y", "resp.*[@t]", "env.gone", "sys[alice].x[@t]", "sys[bob].y", "env.col[2]", "env.q[2]", "$n")
    ),
    st.sampled_from(("T_TEXT", "T_TEXT(env.q[@t])", "UNWRITTEN(@T)", "f(@t)", "f(env.fixed)", "g()", "#msg", "I")),
    st.sampled_from(('"text"', "7", "@T", "@t.i", "@t.substeps", "i", "v", "v.name", "none", "max(1, @T-1)")),
)
_values = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(lambda one, sign, two: f"{one} {sign} {two}", inner, st.sampled_from("+-*/%"), inner),
        inner.map(lambda value: f"({value})"),
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]"),
        st.builds(lambda value, over: f"[{value} for v in {over}]", inner, inner),
        st.builds(lambda value, test: f"[{value} for t in range(1, @T+1) if {test}]", inner, inner),
    ),
    max_leaves=3,
)
_conditions = st.recursive(
    st.one_of(
        _values,
        st.sampled_from(("@T.0", "@T.I", "@t.1", "@T > 1", "I == 1")),
        st.builds(lambda one, sign, two: f"{one} {sign} {two}", _leaves, st.sampled_from(("==", "!=", "<")), _leaves),
    ),
    lambda inner: st.one_of(
        st.builds(lambda one, sign, two: f"({one}) {sign} ({two})", inner, st.sampled_from(("and", "or")), inner),
        inner.map(lambda value: f"not ({value})"),
    ),
    max_leaves=3,
)
_loops = st.sampled_from(
    (
        "t: range(1, @T)",
        "t: range(1, @T+1)",
        "t: range(@T, @T-3, 1)",
        "i: range(1, @t.substeps+1)",
        "i: range(1, I)",
        "v: env.list",
        "v: env.col",
        "v: env.named",
        "t: [1, @T-1]",
        "v: f(@T)",
        "i: range(@T.1, @T.I)",
        "t: range(1, 9)",
    )
)
_contents = st.lists(_values, min_size=1, max_size=3).map("\n".join)
_messages = st.one_of(
    st.builds(lambda role, value: f"{role}: {value}", st.sampled_from("SUAT"), _leaves),
    st.builds(lambda role, text: f"{role}: {{\n{text}\n}}", st.sampled_from("SUAT"), _contents),
    st.builds(
        lambda loop, text, test: f"U: {{\nForEach({loop}) {{\nIf {test} {{ break }}\n{text}\n}}\n}}",
        _loops,
        _contents,
        _conditions,
    ),
    st.builds(lambda value: f"Name n := {value}", _values),
    st.builds(lambda value: f"PromptEndsHere when {value}", _conditions),
)


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, max_size=3).map("\n".join)
    return st.one_of(
        st.builds(lambda loop, text: f"ForEach({loop}) {{\n{text}\n}}", _loops, body),
        st.builds(
            lambda loop, test, word, text: f"ForEach({loop}) {{\nIf {test} {{ {word} }}\n{text}\n}}",
            _loops,
            _conditions,
            st.sampled_from(("break", "continue")),
            body,
        ),
        st.builds(lambda test, one, two: f"If {test} {{\n{one}\n}} Else {{\n{two}\n}}", _conditions, body, body),
        st.builds(
            lambda value, case, one, two: f"Switch {value} {{ Case {case} {{\n{one}\n}} Default {{\n{two}\n}} }}",
            _leaves,
            _leaves,
            body,
            body,
        ),
        body.map(lambda text: f"Mark 1 {{\n{text}\n}}"),
    )


bodies = st.lists(st.recursive(_messages, _blocks, max_leaves=6), min_size=1, max_size=4).map("\n".join)
"""Statements of a spec whose title is `[@T.I]`."""
points = st.builds(lambda step, substep: f"{step}.{substep}", st.integers(1, 3), st.integers(0, 2))

_plain = st.one_of(st.none(), st.booleans(), st.integers(0, 9), st.sampled_from(("", "text", "search", "2")))
_tree = st.fixed_dictionaries({}, optional=dict.fromkeys(("q", "x", "a"), _plain))
_record = st.fixed_dictionaries({"env": _tree, "sys": _tree, "resp": _tree})
KEYS: tuple[Key, ...] = ((1,), (1, 1), (1, 2), (2,), (2, 1), (2, 2), (3,), (3, 1), (3, 2), (4,), (4, 1))
POISON = "POISON"


@st.composite
def states(draw: st.DrawFn) -> State:
    """Some steps up to 4 and a few series, with a sample of most that the specs read."""
    steps = {key: draw(_record) for key in KEYS if draw(st.integers(0, 4))}
    column: dict[str, Value] = {str(step): draw(_plain) for step in (1, 2, 3, 4) if draw(st.booleans())}
    base: dict[str, Tree] = {
        "env": {
            "col": column,
            "fixed": "fixed",
            "list": [{"name": "A"}, {"name": "B"}],
            "named": {"a": {"name": "A"}, "b": ValueWithFields("B", {"name": "bee"})},
        },
        "sys": {},
        "resp": {},
    }
    hold = frozenset(name for name in ("env.q", "sys.x", "env.col") if draw(st.booleans()))
    return State(
        Records(base, steps, hold=hold),
        agents={"alice": Records({"sys": {"y": 1}}, steps, prefix="agents.alice.")},
        templates={"T_TEXT": TemplateText("Read {{what}}.")},
        functions={"f": (Sample(("fixed",), [1, {"name": "C"}]), Sample(("*",), ["x"]))},
        assume=(Assumption("env.gone", "assumed"),) if draw(st.booleans()) else (),
    )
