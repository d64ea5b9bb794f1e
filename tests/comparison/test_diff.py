"""What a comparison says of changes that a comparison of lines gets wrong."""

import re

import pytest

from acdl_mkdocs.compare.choose_specs import diff_specs
from acdl_mkdocs.compare.formats.text import write
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.parse import parse
from comparison.compared import difference, told

P = "P[@T]: {{ {} }}"
"""A spec around statements."""


def spec(body: str) -> str:
    """A spec with such statements."""
    return P.format(body)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("U: X1", "U: { X1 }", id="braces of a message"),
        pytest.param("U: X1\nS: Y1", "U:   X1\n\n\n  S: Y1", id="spacing"),
        pytest.param("If (sys.a) { U: X1 }", "If sys.a { U: X1 }", id="parentheses around a condition"),
        pytest.param("If (a1 > 1) and (b1) { U: X1 }", "If a1 > 1 && b1 { U: X1 }", id="and, &&"),
        pytest.param("If a1 & (b1 & c1) { U: X1 }", "If a1 and b1 and c1 { U: X1 }", id="parentheses in a conjunction"),
        pytest.param("If (sys.a + 1) + 2 > 3 { U: X1 }", "If sys.a + 1 + 2 > 3 { U: X1 }", id="parentheses in a sum"),
        pytest.param("If not sys.a = 1 { U: X1 }", "If !sys.a == 1 { U: X1 }", id="operators"),
        pytest.param(
            "If sys.a <> 1 || sys.b { U: X1 }", "If sys.a ≠ 1 or sys.b { U: X1 }", id="operators of other kinds"
        ),
        pytest.param("Switch sys.m { Case a { U: X1 } }", 'Switch sys.m { Case "a" { U: X1 } }', id="quoted case"),
        pytest.param("If sys.m == chat { U: X1 }", "If sys.m == 'chat' { U: X1 }", id="quoted word"),
        pytest.param("If sys.n > 1.50 { U: X1 }", "If sys.n > 1.5 { U: X1 }", id="digits"),
        pytest.param(
            "ForEach(t: range(1, @T)) { U: env.q[@t] }",
            "ForEach(@t: range(1, @T)) { U: env.q[@t] }",
            id="variable of times",
        ),
        pytest.param("ForEach(t: 1 ... @T) { U: X1 }", "for t in 1...@T { U: X1 }", id="loop of another language"),
        pytest.param("If sys.a { U: X1 } ElseIf sys.b { U: Y1 }", "if sys.a { U: X1 } elif sys.b { U: Y1 }", id="elif"),
        pytest.param("Switch sys.a { Default { U: X1 } }", "Switch (sys.a) { default { U: X1 } }", id="subject"),
    ],
)
def test_no_difference(old: str, new: str) -> None:
    """Other spellings of the same are not a difference."""
    assert told(spec(old), spec(new)) == []
    assert difference(spec(old), spec(new)).is_empty


BACK = {"added": "removed", "removed": "added", "wrapped": "unwrapped", "unwrapped": "wrapped"}
"""What undoes an edit, where that is of another kind."""
SENT = [
    pytest.param(
        "Switch sys.m { Case x1 { U: X1 } Default { U: Y1 } }",
        "Switch sys.m { Case x1 { U: X1 } Default { U: Z1 } }",
        ["changed Content: content Y1 -> Z1"],
        id="body of Default",
    ),
    pytest.param(
        "If sys.a { U: X1 } Else { If sys.b { S: Y1 } }",
        "If sys.a { U: X1 } Else { If sys.b { S: Y1 A: Z1 } }",
        ["added RoleMessage"],
        id="inside Else",
    ),
    pytest.param(
        "If sys.a { U: X1 } Else { U: Y1 }",
        "If sys.a { U: X1 } Else { A: Y1 }",
        ["role RoleMessage: role user -> assistant"],
        id="role",
    ),
    pytest.param("U: X1 S: Y1 A: Z1", "S: Y1 A: Z1 U: X1", ["moved RoleMessage"], id="moved message"),
    pytest.param(
        "U: X1 If sys.a { S: Y1 }", "If sys.a { S: Y1 U: X1 }", ["moved RoleMessage"], id="moved into a branch"
    ),
    pytest.param(
        "ForEach(t: range(1, @T)) { U: env.q[@t] }",
        "ForEach(t: range(1, @T-1)) { U: env.q[@t] }",
        ["changed ForEach: bounds range(1, @T) -> range(1, @T-1)"],
        id="bounds",
    ),
    pytest.param(
        "ForEach(t: range(1, @T)) { U: X1 }",
        "ForEach(t: 1 ... @T) { U: X1 }",
        ["changed ForEach: bounds range(1, @T) -> 1 ... @T"],
        id="closed bounds",
    ),
    pytest.param(
        "ForEach(t: range(1, @T)) { U: X1 }",
        "ForEach(t: range(1, @T, 2)) { U: X1 }",
        ["changed ForEach: bounds range(1, @T) -> range(1, @T, 2)"],
        id="step",
    ),
    pytest.param(
        "If sys.a { U: X1 }", "If !sys.a { U: X1 }", ["changed Arm: condition sys.a -> !sys.a"], id="condition"
    ),
    pytest.param(
        "U: SAY(sys.a)",
        "U: SAY(sys.a, @T)",
        ["changed Content: arguments SAY(sys.a) -> SAY(sys.a, @T)"],
        id="arguments",
    ),
    pytest.param("U: env.q[@T]", "U: env.q[@T-1]", ["changed Content: index env.q[@T] -> env.q[@T-1]"], id="index"),
    pytest.param(
        "Switch sys.m { Case 1 { U: X1 } }",
        'Switch sys.m { Case "1" { U: X1 } }',
        ['changed Arm: case 1 -> "1"'],
        id="number and text",
    ),
    pytest.param(
        "ForEach(a: env.l) { Switch sys.m { Case a { U: X1 } } }",
        'ForEach(a: env.l) { Switch sys.m { Case "a" { U: X1 } } }',
        ['changed Arm: case a -> "a"'],
        id="case that is a variable",
    ),
    pytest.param(
        "If (!sys.a) == sys.b { U: X1 }",
        "If !sys.a == sys.b { U: X1 }",
        ["changed Arm: condition (!sys.a) == sys.b -> !sys.a == sys.b"],
        id="parentheses that matter",
    ),
    pytest.param(
        "If sys.a - (1 - 2) { U: X1 }",
        "If sys.a - 1 - 2 { U: X1 }",
        ["changed Arm: condition sys.a - (1-2) -> sys.a - 1 - 2"],
        id="order of a sum",
    ),
    pytest.param("U: X1", "If sys.a { U: X1 }", ["wrapped If"], id="into If"),
    pytest.param("U: X1 A: Y1", "ForEach(d: env.l) { U: X1 A: Y1 }", ["wrapped ForEach"], id="into ForEach"),
    pytest.param("If sys.a { U: X1 }", "U: X1", ["unwrapped If"], id="out of If"),
    pytest.param(
        "If sys.a { U: X1 }",
        "ForEach(d: env.l) { U: X1 }",
        ["unwrapped If", "wrapped ForEach"],
        id="If becomes ForEach",
    ),
    pytest.param(
        "U: { env.q env.p }",
        "If sys.a { U: { env.q env.r } }",
        ["wrapped If", "changed Content: content env.p -> env.r"],
        id="wrapped and changed",
    ),
    pytest.param(
        "U: X1 If sys.f { A: Y1 }", "If sys.g { U: X1 If sys.f { A: Y1 } }", ["wrapped If"], id="If around If"
    ),
    pytest.param(
        "ForEach(i: range(0, 3)) { U: i }",
        "ForEach(@i: range(0, 3)) { U: i }",
        ["changed ForEach: kind of variable value -> point in time"],
        id="numbers become times",
    ),
    pytest.param(
        "U: X1 PromptEndsHere when sys.a", "U: X1 PromptEndsHere", ["changed EndsHere: condition sys.a -> "], id="end"
    ),
    pytest.param(
        "ForEach(d: env.l) { break U: d }",
        "ForEach(d: env.l) { continue U: d }",
        ["removed Break", "added Continue"],
        id="break",
    ),
    pytest.param(
        "ForEach(a: env.l) { ForEach(b: env.m) { U: a } }",
        "ForEach(a: env.l) { ForEach(b: env.m) { U: b } }",
        ["changed Content: content a -> b"],
        id="variable of the other loop",
    ),
    pytest.param(
        "ForEach(a: env.l) { ForEach(b: env.m) { U: a } }",
        "ForEach(b: env.l) { ForEach(a: env.m) { U: a } }",
        ["renamed ForEach: variable a -> b", "renamed ForEach: variable b -> a", "changed Content: meaning a -> a"],
        id="loops exchange their variables",
    ),
    pytest.param(
        "Name x := f1() U: $x",
        "Name x := f1() U: $y",
        ["changed Content: content $x -> $y"],
        id="name without its definition",
    ),
]


@pytest.mark.parametrize(("old", "new", "edits"), SENT)
def test_can_differ(old: str, new: str, edits: list[str]) -> None:
    """The messages can differ, and the edit is told as what it is."""
    assert told(spec(old), spec(new)) == edits
    assert not difference(spec(old), spec(new)).is_equal_sent
    back = difference(spec(new), spec(old))
    assert not back.is_equal_sent
    kinds = sorted(each.partition(" ")[0] for each in edits)
    assert sorted(BACK.get(edit.kind, edit.kind) for edit in back.edits) == kinds


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        pytest.param("U: X1 A: Y1", "Mark 1 { U: X1 A: Y1 }", ["wrapped Mark"], id="into Mark"),
        pytest.param("Mark 1 { U: X1 }", "Mark 2 { U: X1 }", ["changed Mark: number 1 -> 2"], id="number of a mark"),
        pytest.param(
            "ForEach(d: env.l) { U: d.x A: SAY(d) }",
            "ForEach(e: env.l) { U: e.x A: SAY(e) }",
            ["renamed ForEach: variable d -> e"],
            id="loop variable",
        ),
        pytest.param(
            "ForEach(t: range(1, @T)) { ForEach(i: range(1, @t.substeps)) { U: resp.a[@t.i] } }",
            "ForEach(t: range(1, @T)) { ForEach(k: range(1, @t.substeps)) { U: resp.a[@t.k] } }",
            ["renamed ForEach: variable i -> k"],
            id="part of a time",
        ),
        pytest.param(
            "Name x := f1() If $x { U: $x.y }",
            "Name z := f1() If $z { U: $z.y }",
            ["renamed NameDef: name x -> z"],
            id="Name",
        ),
        pytest.param(
            "Name x := [d.x for d in env.l] U: $x",
            "Name x := [e.x for e in env.l] U: $x",
            ["renamed NameDef: variable d -> e"],
            id="variable of a list",
        ),
    ],
)
def test_sends_the_same(old: str, new: str, edits: list[str]) -> None:
    """It changed, and the same is sent."""
    assert told(spec(old), spec(new)) == edits
    assert difference(spec(old), spec(new)).is_equal_sent


def test_renamed_spec_and_fragment() -> None:
    """Definitions that have other names, with all their uses, are the same ones."""
    old = "P[@T]: { U: Frag F[@T] }\nStrFrag F[@t]: { env.q[@t] SAY(@t) }"
    new = "StrFrag G[@s]: { env.q[@s] SAY(@s) }\nQ[@T]: { U: Frag G[@T] }"
    assert told(old, new) == [
        "renamed Fragment: name F -> G; parameter t -> s",
        "moved Prompt",
        "renamed Prompt: name P -> Q",
    ]
    assert difference(old, new).is_equal_sent


def test_two_specs_of_one_text() -> None:
    """Specs that are compared by name are one, however unlike they are, and so are only their fragments."""
    text = "A1[@T]: { S: RULES U: env.q[@T] }\nB1[@T]: { ForEach(d: env.l) { A: Frag F[d] } }\nStrFrag F[x]: { x.y }"
    parsed = parse(Source(text))
    edits = diff_specs(parsed, parsed, "A1", "B1").edits
    assert [(edit.kind, type(edit.new or edit.old).__name__) for edit in edits] == [
        ("removed", "RoleMessage"),
        ("removed", "RoleMessage"),
        ("added", "ForEach"),
        ("added", "Fragment"),
    ]
    assert diff_specs(parsed, parsed, "B1", "B1").is_empty
    assert diff_specs(parsed, parse(Source(text.replace("B1", "C1"))), "B1").edits[0].kind == "renamed"
    copy = parse(Source(f"{text}\n{text.splitlines()[0].replace('A1', 'D1')} // the same"))
    found = diff_specs(parsed, copy, "A1", "D1")
    assert (found.edits, found.is_equal_sent) == ((), True)


def test_ranges_of_two_projects() -> None:
    """The same words are another spec where ranges are read otherwise."""
    parsed = parse(Source(spec("ForEach(t: range(1, @T)) { U: env.q[@t] }")))
    assert diff_specs(parsed, parsed, modes=("half-open", "half-open")).is_empty
    found = diff_specs(parsed, parsed, modes=("half-open", "inclusive"))
    assert [edit.kind for edit in found.edits] == ["setting", "changed"]
    assert not found.is_equal_sent


def test_parameters_of_fragments() -> None:
    """Another parameter is a change of the definition and of the use; names that stay are no change."""
    old = "P[@T]: { U: Frag F[@T, env.d] }\nStrFrag F[@t, doc]: { doc.x }"
    new = "P[@T]: { U: Frag F[env.d] }\nStrFrag F[doc]: { doc.x }"
    assert told(old, new) == [
        "changed Content: arguments Frag F[@T, env.d] -> Frag F[env.d]",
        "changed Fragment: parameters @t, doc -> doc",
    ]
    exchanged = "P[@T]: { U: Frag F[@T, env.d] }\nStrFrag F[doc, @t]: { doc.x }"
    assert told(old, exchanged) == ["changed Fragment: parameters @t, doc -> doc, @t"]


def test_parameters_of_specs() -> None:
    """A state gives parameters by their names, so the messages can differ."""
    compared = difference("P[@T, who]: { U: SAY(who) }", "P[@T, whom]: { U: SAY(whom) }")
    assert [edit.kind for edit in compared.edits] == ["renamed"]
    assert not compared.is_equal_sent


def test_the_most_similar_statements_are_one() -> None:
    """Also if others are then removed and added, which could have been a change."""
    old, new = "U: { env.clock[@T] sys.user.name }", "U: { sys.user.role summarize(env.q) }"
    assert told(spec(old), spec(new)) == [
        "removed Content",
        "changed Content: content sys.user.name -> sys.user.role",
        "added Content",
    ]


@pytest.mark.parametrize(("name", "is_equal"), [("R", True), ("P", False)])
def test_the_order_of_definitions(name: str, is_equal: bool) -> None:
    """It changes nothing that is sent, unless one side has a name twice: the first of them counts."""
    old = f"P[@T]: {{ U: env.q A: env.a }} {name}[@T]: {{ S: RULES T: env.t }}"
    new = "R[@T]: { S: RULES T: env.t } P[@T]: { U: env.q A: env.a }"
    for found in (difference(old, new), difference(new, old)):
        assert "moved" in {edit.kind for edit in found.edits}
        assert found.is_equal_sent == is_equal


def test_range_setting() -> None:
    """A comment that says how ranges are read is part of what is sent; `a ... b` is not affected."""
    body = "P[@T]: {{ ForEach(t: {}) {{ U: env.q[@t] }} }}"
    pragma = "// acdl: range=inclusive\n"
    half_open, closed = body.format("range(1, @T)"), body.format("1 ... @T")
    assert told(pragma + half_open, half_open) == [
        "setting File: range inclusive -> half-open",
        "changed ForEach: bounds range(1, @T) -> range(1, @T)",
    ]
    assert told(pragma + half_open, closed) == []
    assert told(pragma + closed, closed) == []
    assert told(pragma + half_open, pragma + closed) == []


def test_comments_are_apart() -> None:
    """Comments change nothing else, and their line breaks are not a difference."""
    old = spec("// one\n// two words\nU: X1 // beside\n")
    compared = difference(old, spec("// one\n// two\n// words\nU: X1 // beside it\n// more\n"))
    assert (compared.edits, compared.is_equal_sent, compared.is_empty) == ((), True, False)
    assert [(each.kind, [c.text for c in each.old], [c.text for c in each.new]) for each in compared.comments] == [
        ("changed", ["beside"], ["beside it"]),
        ("added", [], ["more"]),
    ]
    assert difference(old, old.replace("two words", "two\n// words")).is_empty


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("U: X1 // who\nA: Y1", "U: X1\nA: Y1 // who", ["moved"]),
        ("// who\nU: X1\nA: Y1\nS: Z1", "U: X1\nA: Y1\n// who\nS: Z1", ["moved"]),
        ("If sys.a {\nU: X1\n// who\n}", "// who\nIf sys.a {\nU: X1\n}", ["moved"]),
        ("U: {\n// who\nX1\n}", "// who\nU: {\nX1\n}", []),
        ("U: X1 // a\nA: Y1 // b", "U: X1 // b\nA: Y1 // a", ["moved", "moved"]),
        ("U: X1 // a\nA: Y1 // b", "A: Y1 // b\nU: X1 // a", []),
        ("U: X1 // who", "// who\nU: X1", []),
        ("// who\nU: X1", "// who\nS: Z1\nU: X1", []),
        ("U: X1 // who\nA: Y1", "U: X1 // who\nS: Z1 // who\nA: Y1", ["added"]),
        ("U: X1 // who", "A: Y1(sys.b) // who", []),
    ],
)
def test_comments_at_other_places(old: str, new: str, kinds: list[str]) -> None:
    """A comment belongs to what it stands beside; one that goes with its statement has not moved itself."""
    compared = difference(spec(f"\n{old}\n"), spec(f"\n{new}\n"))
    assert [each.kind for each in compared.comments] == kinds
    for each in compared.comments:
        if each.kind == "moved":
            assert re.search(r"> \d+:\d+ -> \d+:\d+  // \w+ moved", write(compared))


def test_places_on_both_sides() -> None:
    """An edit knows where it is in both texts."""
    old, new = spec("U: X1\n    A: env.q[@T]"), "\n" + spec("S: R1\n  U: X1\n  A: env.q[@T-1]")
    added, changed = difference(old, new).edits
    assert (added.old_path, added.new_path) == (None, (0, 0))
    assert (changed.old_path, changed.new_path) == ((0, 1, 0), (0, 2, 0))
    (change,) = changed.changes
    assert old[change.old_span.start : change.old_span.end] == "env.q[@T]"
    assert new[change.new_span.start : change.new_span.end] == "env.q[@T-1]"
