"""What two specs send, point by point."""

import json
import tracemalloc
from pathlib import Path

import pytest
from exhaustive import exhaustive
from jsonschema import Draft202012Validator

import acdl_mkdocs
from acdl_mkdocs import SentDifference
from acdl_mkdocs.compare import formats
from acdl_mkdocs.compare.formats import format_difference
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.sent.summary import sent_verdict
from acdl_mkdocs.foundation.errors import PointError, UnknownSpecError
from comparison.compared import difference

ROOT = Path(__file__).parent.parent.parent
REACT = ROOT / "examples" / "react.acdl"
SCHEMA = json.loads((Path(formats.__file__).parents[2] / "assets" / "diff.schema.json").read_text("utf-8"))
STATE = {
    "acdl_state": 1,
    "templates": {"RULES": {"text": "be kind and brief"}, "OTHER": {"text": "be kind and long"}},
    "sys": {"rules": "be kind and brief", "on": True},
    "steps": {
        "1": {"env": {"q": "one?"}, "resp": {"a": "1"}},
        "2": {"env": {"q": "two?"}, "resp": {"a": "2"}},
        "3": {"env": {"q": "three?"}},
    },
}
BODY = "ForEach(t: range(1, @T)) { U: env.q[@t] A: resp.a[@t] } U: env.q[@T]"


def spec(body: str) -> str:
    """A spec with such statements."""
    return f"P[@T]: {{ {body} }}\n"


def sent(old: str, new: str, at: str | None = None, *, state: object = STATE) -> SentDifference:
    """What two bodies send; nothing is counted."""
    return acdl_mkdocs.diff_sent(spec(old), spec(new), state, at, tokens="none")  # type: ignore[arg-type]


def told(found: SentDifference, at: int = 0) -> list[tuple[str, int | None, int | None, str]]:
    """Kind, numbers and words of the changes at a point."""
    signs = {"removed": "[-{}-]", "added": "{{+{}+}}", "same": "{}", "folded": "…"}
    return [
        (
            each.kind,
            each.old.number if each.old else None,
            each.new.number if each.new else None,
            "".join(signs[words.kind].format(words.text) for words in each.words),
        )
        for each in found.points[at].changes
    ]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        pytest.param("S: RULES U: env.q[@T]", "S: sys.rules U: env.q[@T]", [], id="template and variable"),
        pytest.param(
            "S: RULES U: env.q[@T]",
            "S: OTHER U: env.q[@T]",
            [("changed", 1, 1, "be kind and [-brief-]{+long+}")],
            id="words",
        ),
        pytest.param("S: RULES", "S: RULES U: env.q[@T]", [("added", None, 2, "one?")], id="added"),
        pytest.param(
            "S: RULES U: env.q[@T]", "U: env.q[@T]", [("removed", 1, None, "be kind and brief")], id="removed"
        ),
        pytest.param(
            "S: RULES U: env.q[@T] A: OTHER",
            "U: env.q[@T] A: OTHER S: RULES",
            [("moved", 1, 3, "be kind and brief")],
            id="moved",
        ),
        pytest.param("S: RULES", "U: RULES", [("role", 1, 1, "be kind and brief")], id="role"),
        pytest.param(
            "U: { RULES env.q[@T] }",
            "U: RULES U: env.q[@T]",
            [("changed", 1, 1, "be kind and brief[-\none?-]"), ("added", None, 2, "one?")],
            id="split",
        ),
        pytest.param("U: RULES If sys.on { A: OTHER }", "U: RULES A: OTHER", [], id="condition that holds"),
        pytest.param(
            "U: env.q[@T] U: RULES U: env.q[@T]",
            "U: env.q[@T] U: env.q[@T] U: RULES",
            [("moved", 2, 3, "be kind and brief")],
            id="equal messages",
        ),
        pytest.param(
            "U: RULES A: OTHER U: RULES A: OTHER U: env.q[@T] A: OTHER",
            "U: env.q[@T] A: OTHER U: RULES A: OTHER U: RULES A: OTHER",
            [("moved", 5, 1, "one?"), ("moved", 1, 5, "be kind and brief")],
            id="two messages among equal ones",
        ),
        pytest.param(
            "U: RULES A: OTHER U: env.q[@T]",
            "U: env.q[@T] A: OTHER U: RULES",
            [("moved", 3, 1, "one?"), ("moved", 1, 3, "be kind and brief")],
            id="what stays where it was has not moved",
        ),
    ],
)
def test_messages(old: str, new: str, changes: list[tuple[object, ...]]) -> None:
    """What became of the messages at one point."""
    found = sent(old, new, "1")
    assert told(found) == changes
    assert found.is_same == (not changes)


def test_points() -> None:
    """Without points all of the state are tested; the sentence says where they part."""
    found = sent(BODY, BODY.replace("range(1, @T)", "range(2, @T)"))
    assert [(str(each.at), each.verdict, each.n_kept) for each in found.points] == [
        ("1", "same", 1),
        ("2", "different", 1),
        ("3", "different", 3),
    ]
    assert sent_verdict(found) == "the messages differ first at @2, and at 2 of 3 points tested"
    assert told(found, 1) == [("removed", 1, None, "one?"), ("removed", 2, None, "1")]
    assert sent_verdict(sent(BODY, BODY)) == "the messages are the same at all 3 points tested"
    assert sent_verdict(sent(BODY, BODY, "2")) == "the messages are the same at the only point tested"


def test_prefixes() -> None:
    """What a cache of prompts has: of the old prompt at the same point, and of the point before on each side."""
    found = sent(f"S: RULES {BODY}", f"S: RULES S: env.q[@T] {BODY}")
    assert [each.n_same_start for each in found.points] == [1, 1, 1]
    assert [each.old.is_prefix_kept for each in found.points] == [None, True, True]
    assert [each.new.is_prefix_kept for each in found.points] == [None, False, False]


def test_model_tokens() -> None:
    """They are counted on both sides, and the encoding is named."""
    found = acdl_mkdocs.diff_sent(spec("S: RULES"), spec("S: RULES U: env.q[@T]"), STATE, "1", tokens="estimate")
    assert found.encoding == "estimate (characters / 3.6)"
    assert [(each.old.n_tokens, each.new.n_tokens, each.n_same_tokens) for each in found.points] == [(5, 7, 5)]


def test_unknown_contents() -> None:
    """What the state does not have is equal by its name only, and that is said."""
    found = sent("S: TASK(@T) U: env.gone", "S: TASK(@T) U: env.gone", "1")
    assert [each.verdict for each in found.points] == ["same as far as known"]
    assert found.points[0].old.unknown == ("TASK(@1)", "env.gone")
    assert found.is_same
    assert sent_verdict(found).endswith("as far as the state has values")
    other = sent("S: TASK(@T)", "S: WORK(@T)", "1")
    assert [each.unknown for each in other.points[0].changes] == [("TASK(@1)", "WORK(@1)")]
    assert not other.is_same


def test_unknown_is_no_known() -> None:
    """The words that stand for what is not known are equal to no words of a state."""
    name = sent("S: TASK", "S: TASK", "1").points[0]
    assert name.verdict == "same as far as known"
    stand_in = acdl_mkdocs.evaluate(spec("S: TASK"), STATE, "1", missing="placeholder").messages[0].text
    known = {**STATE, "templates": {"TASK": {"text": stand_in}}}
    found = acdl_mkdocs.diff_sent(spec("S: TASK"), spec("S: TASK"), STATE, "1", new_state=known, tokens="none")
    assert [each.verdict for each in found.points] == ["different"]


def test_comments_of_unknown_contents_are_not_sent() -> None:
    """A preview shows them beside the name; they are not a difference."""
    found = sent("U: env.gone // one\n", "U: env.gone // other\n", "1")
    assert [each.verdict for each in found.points] == ["same as far as known"]


def test_states_with_very_many_steps() -> None:
    """The points that such a state names are tested; without any it is asked for them."""
    state = {"acdl_state": 1, "at": "1, 1500", "env": {"q": {"1": "one?", "1500": "late?"}}}
    found = sent("U: env.q[@T]", "A: env.q[@T]", state=state)
    assert [str(each.at) for each in found.points] == ["1", "1500"]
    del state["at"]
    with pytest.raises(PointError, match="more than 1000 points"):
        sent("U: env.q[@T]", "A: env.q[@T]", state=state)


def test_undecided_conditions() -> None:
    """A condition that the state does not decide counts as false on both sides, and that is said."""
    found = sent("U: env.q[@T] If sys.flag { A: RULES }", "U: env.q[@T] If sys.flag { A: OTHER }", "1")
    assert [each.verdict for each in found.points] == ["undecided"]
    assert found.points[0].new.undecided == ("sys.flag",)
    assert not found.is_same
    said = "undecided at 1 point: the messages are the same if conditions that the state does not decide are false"
    assert sent_verdict(found) == said
    both = sent("U: env.q[@T] If @T == 2 & sys.flag { A: RULES }", "U: env.q[@T]", "1..2")
    assert [each.verdict for each in both.points] == ["same", "undecided"]
    assert sent_verdict(both).endswith(" are false, and at 1 point for certain")


def test_points_that_fail() -> None:
    """An error on either side is neither the same nor a difference, and is told with its place."""
    found = sent(BODY, f"{BODY} If @T == 2 {{ U: env.q[@T+1] }}")
    assert [each.verdict for each in found.points] == ["same", "failed", "same"]
    (error,) = found.points[1].new.errors
    assert error.startswith("<text>:1: `env.q[@3]` is later")
    assert (found.is_same, found.first_difference) == (False, None)
    assert sent_verdict(found) == "the messages are the same at 2 of 3 points; 1 of 3 points could not be compared"
    broken = sent(BODY, f"{BODY} U: (", "1..2")
    assert [each.verdict for each in broken.points] == ["failed", "failed"]
    assert sent_verdict(broken) == "the messages could not be compared at any of 2 points"
    wrong = sent(BODY, BODY, "1", state={**STATE, "env": 7})
    assert [each.verdict for each in wrong.points] == ["failed"]


def test_tools_beside_messages() -> None:
    """Two states may give other tools; that is a difference too."""
    tools = {**STATE, "tools": [{"name": "look", "parameters": {"type": "object"}}]}
    found = acdl_mkdocs.diff_sent(spec("S: RULES"), spec("S: RULES"), STATE, "1", new_state=tools, tokens="none")
    assert [(each.verdict, each.other_beside) for each in found.points] == [("different", ("tools",))]


def test_other_parts() -> None:
    """Messages with the same words differ by what is no words."""
    one, other = (
        {**STATE, "sys": {"shot": {"$thinking": {"text": "so", "signature": name}}}} for name in ("one", "other")
    )
    found = acdl_mkdocs.diff_sent(spec("A: sys.shot"), spec("A: sys.shot"), one, "1", new_state=other, tokens="none")
    assert [(each.kind, each.has_other_parts) for each in found.points[0].changes] == [("changed", True)]


def test_variants_of_the_paper() -> None:
    """React2 and React2Short look different, and send the same at all points of the state, as the paper says."""
    state = REACT.with_name("react.state.yaml")
    same = acdl_mkdocs.diff_sent(REACT, REACT, state, spec="React2", new_spec="React2Short")
    assert sent_verdict(same) == "the messages are the same at all 11 points tested"
    looks = acdl_mkdocs.diff(REACT, REACT, spec="React2", new_spec="React2Short")
    assert not looks.is_equal_sent
    shown = format_difference(looks, "text", CompareOptions(sent=same))
    assert "the specs differ, but send the same messages at all points tested" in shown
    other = acdl_mkdocs.diff_sent(REACT, REACT, state, spec="React1", new_spec="React2")
    assert other.first_difference is not None
    assert (other.old_spec, other.new_spec) == ("React1", "React2")


def test_names_of_specs() -> None:
    """The spec of the new text is what the old one has become; names that are nowhere are told."""
    old, new = spec(BODY), f"Q[@T]: {{ {BODY} }}\nR[@T]: {{ S: OTHER }}"
    found = acdl_mkdocs.diff_sent(old, new, {**STATE, "spec": "P"}, tokens="none")
    assert (found.new_spec, found.is_same) == ("Q", True)
    with pytest.raises(UnknownSpecError, match="has no spec `X`; there are `P`"):
        acdl_mkdocs.diff_sent(old, new, STATE, spec="X")
    with pytest.raises(PointError):
        acdl_mkdocs.diff_sent(old, new, STATE, "0")


def test_json() -> None:
    """The object is as its schema says."""
    found = sent(BODY, f"S: TASK {BODY.replace('range(1', 'range(2')}")
    validator = Draft202012Validator(SCHEMA)
    for options in (CompareOptions(sent=found), CompareOptions()):
        shown = json.loads(format_difference(difference(spec(BODY), spec(f"S: TASK {BODY}")), "json", options))
        assert list(validator.iter_errors(shown)) == []
    assert shown["sent"] is None
    for body in ("U: X1 // c", "If sys.a { U: Y1 }", "Mark 1 { ForEach(s: range(1, @T)) { A: resp.a[@s] } }"):
        shown = json.loads(format_difference(difference(spec(BODY), spec(body)), "json"))
        assert list(validator.iter_errors(shown)) == []


@exhaustive
def test_many_points_in_little_memory() -> None:
    """Of a thousand points with a hundred long messages each, only the differences are kept."""
    long = "word " * 400
    state = {"acdl_state": 1, "sys": {"long": long, "list": list(range(100))}}
    body = "ForEach(d: sys.list) { U: { d sys.long } }"
    tracemalloc.start()
    try:
        found = sent(body, f"{body} U: RULES", "1..40", state=state)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [len(each.changes) for each in found.points] == [1] * 40
    assert peak_bytes < 40 * 100 * len(long)


def test_parameters_in_parentheses() -> None:
    """They bind what they bind without them: in specs, in fragments, and in what is called the same."""
    state = {**STATE, "args": {"agent": "bob"}}
    pairs = (
        ("P[agent, @T]: { U: agent }", "P[(agent), (@T)]: { U: agent }"),
        (
            'P[@T]: { U: { Frag F["hi"] } }\nStrFrag F[x]: { x }',
            'P[@T]: { U: { Frag F["hi"] } }\nStrFrag F[((x))]: { x }',
        ),
        (
            "P[@T]: { U: { Frag F[@T] } }\nStrFrag F[@T]: { env.q[@T] }",
            "P[@T]: { U: { Frag F[@T] } }\nStrFrag F[(@T)]: { env.q[@T] }",
        ),
    )
    for old, new in pairs:
        assert acdl_mkdocs.diff(old, new).is_empty
        found = acdl_mkdocs.diff_sent(old, new, state, "1", tokens="none")
        assert [(each.verdict, each.new.unknown) for each in found.points] == [("same", ())]
