"""First states of specs: complete, clean, and good for an evaluation; and what states and specs have not in common."""

import json
from pathlib import Path

import pytest
import strategies
import yaml
from hypothesis import given
from jsonschema import Draft202012Validator
from steps import soon

import acdl_mkdocs
from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.state.mismatches import find_missing_names, find_prompts, find_unread_names
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.skeleton import write_skeleton
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved

ROOT = Path(acdl_mkdocs.__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").rglob("*.acdl"))
SCHEMA = json.loads((ROOT / "acdl_mkdocs" / "assets" / "state.schema.json").read_text("utf-8"))
_NEEDS_STATE = ("missing-value", "not-iterable", "not-computable", "undecided-condition", "no-text")


def understood(text: str) -> Resolved:
    """A text with its names."""
    return parse_and_resolve(Source(text, "spec.acdl")).resolved


def first_state(resolved: Resolved, name: str | None = None) -> str:
    """The first state of a spec, by default of the first one."""
    prompt = find_prompts(resolved, name)[0]
    return write_skeleton(collect_reads(resolved, [prompt]), prompt.name.name, "state.schema.json")


def cases() -> list[tuple[Path, str]]:
    """All specs of the examples."""
    return [
        (path, each.name.name) for path in EXAMPLES for each in find_prompts(understood(path.read_text("utf-8")), None)
    ]


@pytest.mark.parametrize(("path", "name"), cases(), ids=[f"{path.stem}-{name}" for path, name in cases()])
def test_examples(path: Path, name: str) -> None:
    """The first state of every example is clean, fits the schema, and leaves nothing open at any of its steps."""
    resolved = understood(path.read_text("utf-8"))
    text = first_state(resolved, name)
    file = read_state(text, "s.yaml")
    assert file.state is not None
    assert [each.message for each in file.problems if each.severity != "note"] == []
    assert [each.message for each in find_unread_names(resolved, file.state, file.source)] == []
    assert [each.message for each in find_missing_names(resolved, file.state)] == []
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(yaml.safe_load(text))))
    for at in ("1", "2", file.state.at or "2"):
        transcript = evaluate(resolved, file.state, at)
        open_pieces = [each.resolved for each in transcript.pieces if each.status != "given"]
        needed = [each.diagnostic.message for each in transcript.findings if each.diagnostic.rule in _NEEDS_STATE]
        assert (open_pieces, needed, transcript.choices) == ([], [], ())


@given(strategies.files | strategies.damaged() | strategies.soups)
def test_any_spec(text: str) -> None:
    """Whatever a text says, its first state is clean, and has what the text reads."""
    resolved = understood(text)
    reads = collect_reads(resolved, find_prompts(resolved, None))
    file = read_state(write_skeleton(reads, "", "state.schema.json"))
    assert file.state is not None
    assert [each.message for each in file.problems if each.severity != "note"] == []
    assert find_unread_names(resolved, file.state, file.source) == ()
    assert find_missing_names(resolved, file.state) == ()


def test_rows() -> None:
    """Values by step stand in rows, those of sub-steps below, those that never change at the top."""
    text = first_state(
        understood("""
Agent[@T.I]: {
    S: INSTRUCTIONS(sys.conf.role) // who it is
    ForEach(t: range(1, @T)) {
        U: env.question[@t] // as typed
        ForEach(i: range(1, @t.substeps)) {
            A: sys.tool_used[@t.i]
            T: sys.tool_used[@t.i].tool_response
        }
    }
}
""")
    )
    step = """\
    env:
      question: "…"  # as typed
    substeps:
      1:
        sys:
          tool_used:
            $value: "…"
            tool_response: "…"
      2:
        sys:
          tool_used:
            $value: "…"
            tool_response: "…"
"""
    assert text == (
        "# yaml-language-server: $schema=state.schema.json\n"
        "# A sample state of Agent: put what the agent really sees in the place of every …\n"
        "acdl_state: 1\n"
        'spec: "Agent"\n'
        'at: "2.2"  # the step to look at\n'
        "templates:\n"
        "  INSTRUCTIONS:  # who it is\n"
        '    params: ["role"]\n'
        '    text: "… {{role}}"\n'
        "sys:\n"
        "  conf:\n"
        '    role: "…"  # who it is\n'
        f"steps:\n  1:\n{step}  2:\n{step.replace('  # as typed', '')}"
    )


def test_column() -> None:
    """One variable by step is a column."""
    state = read_state(first_state(understood("Chat[@T]: { U: env.question[@T] }"))).state
    assert state is not None
    assert state.records.base == {"env": {"question": {"1": "…", "2": "…"}}}
    assert state.records.steps == {}


@pytest.mark.parametrize(
    ("body", "namespace", "expected"),
    [
        ("ForEach(d: env.docs) { d.title }", "env", {"docs": ({"title": "…"},)}),
        ("ForEach(i: range(1, env.docs.len)) { env.docs[i].title }", "env", {"docs": ({"title": "…"},)}),
        (
            "ForEach(p: sys.players) { sys.mood[p] }",
            "sys",
            {"players": ("p_1", "p_2"), "mood": {"p_1": "…", "p_2": "…"}},
        ),
        ("If sys.is_late { LATE }", "sys", {"is_late": True}),
        ("If sys.n > 3 { LATE }", "sys", {"n": 1}),
        ('If sys.mode == "search" { LATE }', "sys", {"mode": "search"}),
        ("Switch sys.mode { Case a { A_TEXT } Case b { B_TEXT } }", "sys", {"mode": "a"}),
        ("If sys.mode != none { sys.mode }", "sys", {"mode": "…"}),
        ("ForEach(i: range(sys.first, @T)) { sys.x[@i] }", "sys", {"first": 1}),
        ("Frag Part[env.page]", "env", {"page": {"title": "…"}}),
    ],
)
def test_placeholders(body: str, namespace: str, expected: object) -> None:
    """A placeholder fits how the value is used."""
    resolved = understood(f"Chat[@T]: {{ U: {{ {body} }} }}\nStrFrag Part[page]: {{ page.title }}")
    state = read_state(first_state(resolved)).state
    assert state is not None
    assert state.records.base[namespace] == expected


def test_deep_nesting() -> None:
    """What a spec reads is found as deep as specs can be."""
    body = "If env.a { " * 295 + "env.q[@T] " + "} " * 295
    assert "  q: " in first_state(understood(f"P[@T]: {{ U: {{ {body} }} }}"))


def test_deep_indices() -> None:
    """An index is read once, however many indices are around it."""
    resolved = understood(f"P[@T]: {{ U: {'env.q[' * 50}@T{']' * 50} }}")
    assert "q:" in soon(lambda: first_state(resolved))


def test_cases_with_several_values() -> None:
    """The first of the words that a value is compared with is its sample."""
    text = first_state(understood("P[@T]: { Switch env.mode { Case plan | act { U: AA } } }"))
    assert 'mode: "plan"' in text


def test_functions() -> None:
    """A sample of a function has the fields that are read of what it gives."""
    resolved = understood(
        "Rag[@T]: { U: { Name docs := find(env.q[@T])\n ForEach(i: range(1, $docs.len)) { $docs[i].source } } }"
    )
    state = read_state(first_state(resolved)).state
    assert state is not None
    assert [each.returns for each in state.functions["find"]] == [({"source": "…"},)]


def test_agents() -> None:
    """Values of an agent stand below it, and the title's parameter names it."""
    state = read_state(first_state(understood("Npc[@T, who]: { U: sys[who].mood[@T] }"))).state
    assert state is not None
    assert state.args == {"who": "who_1"}
    assert list(state.agents) == ["who_1"]


def test_fragments_that_use_each_other() -> None:
    """Fragments that go round in circles, or double with each level, are read once for each kind of argument."""
    text = "P[@T]: { U: { Frag F0[env.x] } }\n" + "\n".join(
        f"StrFrag F{n}[a]: {{ Frag F{(n + 1) % 40}[a] Frag F{(n + 1) % 40}[a] a.f{n} }}" for n in range(40)
    )
    resolved = understood(text)
    reads = collect_reads(resolved, find_prompts(resolved, None))
    assert len(reads.values.fields["env"].fields["x"].fields) == 40


def against(
    state: str, spec: str = "Chat[@T, who]: { S: RULES\n U: env.user_question[@T]\n U: sys.conf.role\n U: find(who) }"
) -> list[str]:
    """What is said about a state beside a spec."""
    file = read_state(f"acdl_state: 1\n{state}")
    assert file.state is not None
    resolved = understood(spec)
    found = [*find_unread_names(resolved, file.state, file.source), *find_missing_names(resolved, file.state)]
    places = [file.source.find_place(each.label.span.start) for each in found]
    return [f"{each.severity} {at.line}:{at.column} {each.message}" for each, at in zip(found, places, strict=True)]


ALL = "templates: {RULES: a}\nfunctions: {find: [{returns: a}]}\nargs: {who: b}\nsys: {conf: {role: c}}\n"


def test_near_name() -> None:
    """A name that is nearly one of the spec is a warning, at its key, wherever it stands."""
    found = against(ALL + "steps: {2: {env: {user_qestion: a}}}\nenv: {user_question: {1: a}}")
    assert found == ["warning 6:19 steps.2.env.user_qestion: did you mean user_question?"]
    assert against(ALL.replace("role", "rloe") + "env: {user_question: {1: a}}") == [
        "warning 5:14 sys.conf.rloe: did you mean role?"
    ]


def test_unread() -> None:
    """Other names that the spec never reads are notes; times do not belong into `args`."""
    found = against(
        ALL.replace("who: b", "who: b, T: 3") + "env: {user_question: {1: a}}\nresp: {x: 1}\nagents: {al: {}}"
    )
    assert found == [
        "error 4:16 args.T is a time of the spec: give it with `at`",
        "note 7:8 resp.x is never read by the spec",
        "note 8:10 agents.al is never read by the spec",
    ]
    assert against(ALL.replace("RULES", "RULE") + "env: {user_question: {1: a}}") == [
        "warning 2:13 templates.RULE: did you mean RULES?",
        "note 1:1 the spec reads the template `RULES`, and the state has none",
    ]


def test_missing() -> None:
    """What the state has nowhere is named."""
    assert [each.partition(" the spec reads ")[2] for each in against("")] == [
        "`env.user_question`, and the state has none",
        "`sys.conf`, and the state has none",
        "the parameter `who`, and the state has none",
        "the template `RULES`, and the state has none",
        "the function `find`, and the state has none",
    ]
