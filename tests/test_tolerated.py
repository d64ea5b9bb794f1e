"""What people write beyond the reference: accepted or named, and read as what it means."""

from pathlib import Path

import pytest

from acdl_mkdocs.app.python import render
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.rules import RULES
from acdl_mkdocs.language.syntax.nodes import Broken, BrokenBlock, same_shape, walk
from acdl_mkdocs.language.syntax.parse import parse

CASES = sorted((Path(__file__).parent / "golden" / "tolerated").glob("*.acdl"))


def test_tolerated(case: Path) -> None:
    """The verdict of the first line holds, by the rule that the second line names with its severity."""
    text = case.read_bytes().decode("utf-8")
    verdict, said = (line.lstrip("\ufeff").strip().removeprefix("// ") for line in text.split("\n")[:2])
    analysis = analyse(Source(text, case.name), Config(snippet="snippet" in verdict))
    found = {(each.rule, each.severity) for each in analysis.diagnostics}
    errors = {rule for rule, severity in found if severity == "error"}
    severity, _, rule = said.partition(":")[0].partition(" ")
    assert render(text, "text")
    if verdict == "error":
        assert severity == "error"
        assert errors
        assert not rule or errors == {rule}
        return
    assert verdict.startswith("accept")
    assert errors == set()
    broken = [node for node in walk(analysis.resolved.parsed.file) if isinstance(node, Broken | BrokenBlock)]
    assert broken == []
    if severity == "silent":
        assert ("undocumented-spelling", "note") not in found
    else:
        assert (rule, severity) in found


def test_the_corpus_names_rules() -> None:
    """Every note and warning of the corpus has a rule that exists."""
    named = {case.read_bytes().decode("utf-8").split("\n")[1].removeprefix("// ").partition(":")[0] for case in CASES}
    rules = {words.partition(" ")[2].strip() for words in named if words.startswith(("note", "warning"))}
    assert rules <= set(RULES)
    assert "undocumented-spelling" in rules


SAME = [
    ("for d in env.docs { U: d.x }", "ForEach(d: env.docs) { U: d.x }"),
    ("for each d in env.docs { U: d.x }", "ForEach(d: env.docs) { U: d.x }"),
    ("For Each d in env.docs { U: d.x }", "ForEach(d: env.docs) { U: d.x }"),
    ("foreach (d in env.docs) { U: d.x }", "ForEach(d: env.docs) { U: d.x }"),
    ("ForEach d : env.docs { U: d.x }", "ForEach(d: env.docs) { U: d.x }"),
    ("ForEach d ∈ env.docs { U: d.x }", "ForEach(d: env.docs) { U: d.x }"),
    ("ForEach(i: 1, @t.substeps) { S: A }", "ForEach(i: range(1, @t.substeps)) { S: A }"),
    ("ForEach(i: 1, 9, 2) { S: A }", "ForEach(i: range(1, 9, 2)) { S: A }"),
    ("ForEach i : 1..@T { S: A }", "ForEach(i: 1 ... @T) { S: A }"),
    ("ForEach i : 1 … @T every 2 { S: A }", "ForEach(i: 1 ... @T every 2) { S: A }"),
    ("ForEach(@t: env.xs): { S: A }", "ForEach(t: env.xs) { S: A }"),
    ("If x { S: A } Else If y { S: B }", "If x { S: A } ElseIf y { S: B }"),
    ("if x { S: A } elif y { S: B } else { S: C }", "If x { S: A } ElseIf y { S: B } Else { S: C }"),
    ("If x { S: A } elsif y { S: B }", "If x { S: A } ElseIf y { S: B }"),
    ("IF x: { S: A } ELSE: { S: B }", "If x { S: A } Else { S: B }"),
    ("If a && b || c { S: A }", "If a & b | c { S: A }"),
    ("If a and not b or c { S: A }", "If a & !b | c { S: A }"),
    ("If a ≤ b & c ≥ d & e ≠ f & g <> h & i = j { S: A }", "If a <= b & c >= d & e != f & g != h & i == j { S: A }"),
    ("U: env.q[@T–1]", "U: env.q[@T-1]"),
    ("U: env.q[@T−1]", "U: env.q[@T-1]"),
    ("U: f(2 × 3 ÷ 4)", "U: f(2 * 3 / 4)"),
    ("system: A", "S: A"),
    ("User: env.q", "U: env.q"),
    ("ASSISTANT: resp.a", "A: resp.a"),
    ("Role tool: sys.x", "T: sys.x"),
    ("none: { A }", "N: { A }"),
    ("s: A u: env.q a: resp.a t: sys.x n: B", "S: A U: env.q A: resp.a T: sys.x N: B"),
    ("S { A }", "S: { A }"),
    ("S: “smart”", 'S: "smart"'),
    ("S: ‘smart’", "S: 'smart'"),
    ("S: 'one'", 'S: "one"'),
    ("Name x = f(a)", "Name x := f(a)"),
    ("name x := f(a)", "Name x := f(a)"),
    ("Switch (m): { Case x: { S: A } Default: { S: B } }", "Switch (m) { Case x { S: A } Default { S: B } }"),
    ("switch m { case x { S: A } default { S: B } }", "Switch m { Case x { S: A } Default { S: B } }"),
    ("If x { S: A } Otherwise { S: B }", "If x { S: A } Else { S: B }"),
    ("match m { case x { S: A } case _ { S: B } }", "Switch m { Case x { S: A } Default { S: B } }"),
    ("Switch m { Case x { S: A } Case else: { S: B } }", "Switch m { Case x { S: A } Default { S: B } }"),
    ("MARK 1 { S: A }", "Mark 1 { S: A }"),
    ("S: A PromptEndsHere U: B", "S: A\nPromptEndsHere\nU: B"),
    ("S: A PromptEndsHere Name x := 1", "S: A\nPromptEndsHere\nName x := 1"),
    ("PromptEndsHere @T == 1", "PromptEndsHere when @T == 1"),
    ("END when @T == 1", "PromptEndsHere when @T == 1"),
    ("U: env.q[@t.@i]", "U: env.q[@t.i]"),
    ("S: *TASK", "S: TASK"),
    ("S: { +TASK(x)\n*TASK }", "S: { TASK(x) TASK }"),
    ("S: { A, env.q; B, }", "S: { A env.q B }"),
    ("S: A; U: env.q;", "S: A U: env.q"),
    ("U: env.\u200bq[@T\u2060]\u00a0", "U: env.q[@T]"),
    ("U: env .q [@T]", "U: env.q[@T]"),
    ("U: frag Doc[1]", "U: Frag Doc[1]"),
    ("Break Continue", "break continue"),
    ("ForEach(t: RANGE(1, @T)) {}", "ForEach(t: range(1, @T)) {}"),
    ("U: f([x for x in Range(1, 3, 2)])", "U: f([x for x in range(1, 3, 2)])"),
    ("Name n : f(@T)", "Name n := f(@T)"),
    ("name n: env.q", "Name n := env.q"),
    ("S: {\n- AA\n- env.q[@T]\n- $x.y\n}", "S: {\nAA\nenv.q[@T]\n$x.y\n}"),
    ("S: { -AA }", "S: { AA }"),
    ("U: – f(x)", "U: f(x)"),
]


@pytest.mark.parametrize(("written", "documented"), SAME, ids=[written for written, _ in SAME])
def test_same_tree(written: str, documented: str) -> None:
    """A tolerated spelling gives the tree of the documented one."""
    one = parse(Source(f"P[@T]: {{ {written} }}"))
    other = parse(Source(f"P[@T]: {{ {documented} }}"))
    assert not one.diagnostics
    assert not other.diagnostics
    assert same_shape(one.file, other.file)


TITLES = [
    ("P[@T] { S: A }", "P[@T]: { S: A }"),
    ("Prompt P[@T]: { S: A }", "P[@T]: { S: A }"),
    ("prompt P[@T] { S: A }", "P[@T]: { S: A }"),
    ("P[] { S: A }", "P: { S: A }"),
    ("\ufeffP[@T]: {\r\n\tS: A\r\n}\r\n", "P[@T]: { S: A }"),
    ("RoleFrag F[@t] { U: env.q }", "RolesFrag F[@t]: { U: env.q }"),
    ("strfrag F[]: { A }", "StrFrag F: { A }"),
]


@pytest.mark.parametrize(("written", "documented"), TITLES, ids=[written for written, _ in TITLES])
def test_same_title(written: str, documented: str) -> None:
    """A tolerated title gives the tree of the documented one."""
    one, other = parse(Source(written)), parse(Source(documented))
    assert not one.diagnostics
    assert same_shape(one.file, other.file)


def test_different_things_differ() -> None:
    """The comparison sees a difference in one letter, one operator and one comment."""
    texts = [
        "P: { S: A }",
        "P: { S: B }",
        "P: { U: A }",
        "P: { S: A // c\n }",
        "P: { S: A A }",
        "P: { S: !A }",
        "P: { S: -1 }",
    ]
    trees = [parse(Source(text)).file for text in texts]
    assert not any(same_shape(one, other) for at, one in enumerate(trees) for other in trees[at + 1 :])
