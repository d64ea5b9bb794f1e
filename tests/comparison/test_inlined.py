"""Fragments that were extracted or inlined: said once, and what is sent is the same; a change inside is still shown."""

import json

import pytest
from generated.batches import prompts, resolved
from steps import n_steps

from acdl_mkdocs.compare.formats import COMPARISONS, format_difference
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.skeleton import write_skeleton
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.language.syntax.nodes import Content, FragUse
from comparison.compared import difference

TURNS = """Agent[@T]: {
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
        A: resp.answer[@t]
    }
}
"""
EXTRACTED = """RolesFrag Turn[@t]: {
    U: env.question[@t]
    A: resp.answer[@t]
}
Agent[@T]: {
    ForEach(t: range(1, @T)) {
        Frag Turn[@t]
    }
}
"""
SAME = {
    "in a loop": (TURNS, EXTRACTED),
    "under another name": (TURNS, EXTRACTED.replace("@t]: {", "@s]: {").replace("[@t]\n", "[@s]\n", 2)),
    "an earlier turn, several places": (
        "P[@T]: { U: env.q[@T-2] A: resp.a[@T-2] U: env.q[@T-1-1] A: resp.a[@T-1-1] U: env.q[@T] A: resp.a[@T] }",
        "P[@T]: { Frag F[@T-2] Frag F[@T-1-1] Frag F[@T] } RolesFrag F[@s]: { U: env.q[@s] A: resp.a[@s] }",
    ),
    "a sum of a sum": (
        "P[@T]: { U: env.q[@T-1-1] A: resp.a[@T-1] }",
        "P[@T]: { Frag F[@T-1] } RolesFrag F[@s]: { U: env.q[@s-1] A: resp.a[@s] }",
    ),
    "steps": (
        "P[@T.I]: { ForEach(i: range(1, I+1)) { A: resp.call[@T.i] T: sys.result[@T.i] } }",
        "P[@T.I]: { ForEach(i: range(1, I+1)) { Frag S[@T.i] } } "
        "RolesFrag S[@t.k]: { A: resp.call[@t.k] T: sys.result[@t.k] }",
    ),
    "the time of the spec": (
        'P[@T]: { S: { RULES env.clock[@T] "now" } U: env.q[@T] }',
        'P[@T]: { S: Frag Rules U: env.q[@T] } StrFrag Rules: { RULES env.clock[@T] "now" }',
    ),
    "a field of a loop variable": (
        "P[@T]: { U: { ForEach(doc: env.docs) { doc.title doc.text } env.q[@T] } }",
        "P[@T]: { U: { ForEach(doc: env.docs) { Frag D[doc] } env.q[@T] } } StrFrag D[d]: { d.title d.text }",
    ),
    "a field of a value": (
        "P[@T]: { U: { env.docs[1].title env.docs[1].text } }",
        "P[@T]: { U: { Frag D[env.docs[1]] } } StrFrag D[d]: { d.title d.text }",
    ),
    "a field of a `Name`": (
        "P[@T]: { Name d := find(env.q[@T]) U: { $d.title $d.text } }",
        "P[@T]: { Name d := find(env.q[@T]) U: { Frag D[$d] } } StrFrag D[e]: { e.title e.text }",
    ),
    "one in another": (
        "P[@T]: { S: RULES U: { env.clock[@T] env.q[@T] } }",
        "P[@T]: { Frag All[@T] } RolesFrag All[@s]: { S: RULES U: { Frag Now[@s] } } "
        "StrFrag Now[@n]: { env.clock[@n] env.q[@n] }",
    ),
    "the first turn": (
        "P[@T]: { U: env.q[@1] A: resp.a[@1] U: env.q[@T] A: resp.a[@T] }",
        "P[@T]: { Frag F[@1] Frag F[@T] } RolesFrag F[@s]: { U: env.q[@s] A: resp.a[@s] }",
    ),
    "a `Name`, twice": (
        "P[@T]: { U: { Name d := find(env.q[@T-1]) $d.text } U: { Name d := find(env.q[@T]) $d.text } }",
        "P[@T]: { U: Frag D[@T-1] U: Frag D[@T] } StrFrag D[@s]: { Name d := find(env.q[@s]) $d.text }",
    ),
}
"""What is written out, and the same with fragments."""


def prompt_at(text: str, at: str) -> object:
    """What the spec of a text sends with a first state of the text where all is written out."""
    what = resolved(text)
    state = read_state(
        write_skeleton(collect_reads(what, list(prompts(what))), next(prompts(what)).name.name, "s.json")
    ).state
    name = next(prompts(what)).name.name
    return build_prompt(evaluate(what, state, at, Options(spec=name, missing="placeholder")))


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("is_back", [False, True], ids=["extracted", "inlined"])
def test_the_same(name: str, *, is_back: bool) -> None:
    """In every way to show it, there is one change for each fragment, which cannot change what is sent."""
    old, new = SAME[name][:: -1 if is_back else 1]
    found = difference(old, new)
    n_fragments = SAME[name][1].count("Frag ") - SAME[name][1].replace("RolesFrag ", "").replace("StrFrag ", "").count(
        "Frag "
    )
    assert [edit.kind for edit in found.edits] == ["unwrapped" if is_back else "wrapped"] * n_fragments
    assert found.is_equal_sent
    assert not found.is_empty
    for at in ("1", "3", "3.2"):
        assert prompt_at(old, at) == prompt_at(new, at)


def test_every_report_says_it_once() -> None:
    """Text, JSON, Markdown, drawings and pages."""
    found = difference(TURNS, EXTRACTED)
    assert "1 change: the messages are the same" in format_difference(found, "text")
    tree = json.loads(format_difference(found, "json"))
    assert (tree["equal"], tree["equal_sent"]) == (False, True)
    assert [(each["kind"], each["what"], len(each["carried"])) for each in tree["edits"]] == [
        ("wrapped", "RolesFrag Turn[@t]", 2)
    ]
    assert "**Specs:** 1 change: the messages are the same" in format_difference(found, "markdown")
    for way in COMPARISONS:
        assert "same text, different meaning" not in format_difference(found, way), way


def test_a_change_inside_is_shown() -> None:
    """What the fragment says that was not there before is a change at both places."""
    found = difference(TURNS, EXTRACTED.replace("env.question", "env.query"))
    assert not found.is_equal_sent
    assert [(edit.kind, edit.can_change_sent) for edit in found.edits] == [("wrapped", False), ("changed", True)]
    (change,) = found.edits[1].changes
    assert (change.old, change.new) == ("env.question[@t]", "env.query[@t]")
    assert "RolesFrag Turn[@t] > U\n  ~ 3:12 -> 2:8  env.query[@t]" in format_difference(found, "text")


def test_a_change_inside_of_several_uses_is_shown_once() -> None:
    """Although it changes what is sent at every use; the statements of each use are listed."""
    old, new = SAME["an earlier turn, several places"]
    found = difference(old, new.replace("resp.a", "resp.b"))
    changed = [edit for edit in found.edits if edit.can_change_sent]
    assert len(changed) == 3  # three old places, one new one
    assert len({edit.new for edit in changed}) == 1


MORE_USES = {
    "a use where its message is new": (
        "P[@T]: { U: env.q } Q[@T]: { S: RULES }",
        "P[@T]: { Frag F } Q[@T]: { S: RULES Frag F } RolesFrag F: { U: env.q }",
        {"P": "Frag F", "Q": "Frag F"},
    ),
    "a use where one of its messages is new": (
        "P[@T]: { U: env.q A: env.a } Q[@T]: { U: env.q A: env.a S: RULES }",
        "P[@T]: { Frag F } Q[@T]: { Frag F } RolesFrag F: { U: env.q A: env.a S: RULES }",
        {"P": "Frag F", "Q": "Frag F"},
    ),
    "a use in another spec only": (
        "P[@T]: { U: env.q } Q[@T]: { S: RULES }",
        "P[@T]: { } Q[@T]: { S: RULES Frag F } RolesFrag F: { U: env.q }",
        {"Q": "Frag F"},
    ),
    "another use of a fragment of both sides": (
        "P[@T]: { U: env.q A: env.a } Q[@T]: { S: RULES } RolesFrag G: { S: TASK }",
        "P[@T]: { Frag F } Q[@T]: { S: RULES Frag G } RolesFrag G: { S: TASK } RolesFrag F: { U: env.q A: env.a }",
        {"Q": "Frag G"},
    ),
}
"""Before, after, and the uses that the changes have to show, each with its spec."""


@pytest.mark.parametrize("name", MORE_USES)
def test_a_use_with_other_content_is_shown(name: str) -> None:
    """Where a fragment is used in a place that did not have its content, a change names that place."""
    old, new, uses = MORE_USES[name]
    for found, sign in ((difference(old, new), "new"), (difference(new, old), "old")):
        places = [(getattr(edit, sign), getattr(edit, f"{sign}_path")) for edit in found.edits]
        definitions = getattr(found, sign).file.items
        shown = {
            definitions[path[0]].name.name: f"Frag {node.value.name.name}"
            for node, path in places
            if isinstance(node, Content) and isinstance(node.value, FragUse)
        }
        assert shown == uses
        assert not found.is_equal_sent


def test_a_new_spec_may_use_an_extracted_fragment() -> None:
    """It is added as a whole, with the use; the fragment is still said once."""
    found = difference(TURNS, EXTRACTED + "Other[@T]: { Frag Turn[@T] S: RULES }\n")
    assert [(edit.kind, edit.is_head) for edit in found.edits] == [("wrapped", True), ("added", False)]


def test_other_changes_beside_a_fragment_that_was_there() -> None:
    """It replaces what it says, another one is extracted: the uses are shown, and what is sent is the same."""
    old = "P[@T]: { S: TASK U: env.q A: env.a } RolesFrag G: { S: TASK }"
    new = "P[@T]: { Frag G Frag F } RolesFrag G: { S: TASK } RolesFrag F: { U: env.q A: env.a }"
    for found in (difference(old, new), difference(new, old)):
        assert any("Frag G" in (change.old, change.new) for edit in found.edits for change in edit.changes)
        assert found.is_equal_sent


def test_a_fragment_that_was_there() -> None:
    """It is used in one more place, in the place of what it says."""
    old = EXTRACTED + "Other[@T]: { U: env.question[@T] A: resp.answer[@T] }\n"
    new = EXTRACTED + "Other[@T]: { Frag Turn[@T] }\n"
    for found in (difference(old, new), difference(new, old)):
        assert found.is_equal_sent
        assert not found.is_empty


OTHER = {
    "a name that the fragment does not see": (
        "P[@T]: { ForEach(doc: env.docs) { U: { doc.title env.q[@T] } } }",
        "P[@T]: { ForEach(doc: env.docs) { U: Frag F } } StrFrag F: { doc.title env.q[@T] }",
    ),
    "a `Name` that the fragment does not see": (
        "P[@T]: { Name x := find(env.q[@T]) U: { $x.title env.q[@T] } }",
        "P[@T]: { Name x := find(env.q[@T]) U: Frag F } StrFrag F: { $x.title env.q[@T] }",
    ),
    "a time as a value": (
        "P[@T]: { U: { env.q[@T.1] env.r[@T] } }",
        "P[@T]: { U: Frag F[@T.1] } StrFrag F[d]: { env.q[d] env.r[@T] }",
    ),
    "a word that was a variable": (
        "P[@T]: { U: { query env.q[@T] } }",
        'P[@T]: { U: Frag F["query"] } StrFrag F[d]: { d env.q[@T] }',
    ),
    "the number of a message": (
        "P[@T]: { S: RULES U: { env.q[@T] } U: { env.color[#msg] env.q[@T] } }",
        "P[@T]: { S: RULES Frag F[#msg] } RolesFrag F[n]: { U: { env.q[@T] } U: { env.color[n] env.q[@T] } }",
    ),
    "a loop that is left": (
        "P[@T]: { ForEach(t: range(1, @T)) { U: env.q[@t] If env.stop[@t] { break } } }",
        "P[@T]: { ForEach(t: range(1, @T)) { Frag F[@t] } } "
        "RolesFrag F[@t]: { U: env.q[@t] If env.stop[@t] { break } }",
    ),
    "another argument": (TURNS, EXTRACTED.replace("        Frag Turn[@t]", "        Frag Turn[@T]")),
    "in itself": (
        TURNS,
        EXTRACTED.replace("    A: resp.answer[@t]\n}\nAgent", "    A: resp.answer[@t]\n    Frag Turn[@t]\n}\nAgent"),
    ),
}
"""What is no extraction, although it looks like one."""


@pytest.mark.parametrize("name", OTHER)
def test_what_may_be_another(name: str) -> None:
    """Nothing is called the same that may send something else."""
    for old, new in (OTHER[name], OTHER[name][::-1]):
        found: Difference = difference(old, new)
        assert not found.is_equal_sent


def test_cost_of_many_fragments_is_linear() -> None:
    """Each definition is searched for its `Name`s once, not again for every fragment that is put into it."""

    def steps(size: int) -> int:
        uses = "".join(f"S: {{ Frag F{at} }}\n" for at in range(size))
        fragments = "".join(f"StrFrag F{at}: {{ env.a{at} }}\n" for at in range(size))
        bodies = "".join(f"S: {{ env.a{at} }}\n" for at in range(size))
        return n_steps(lambda: difference(f"P[@T]: {{ {uses} }}\n{fragments}", f"P[@T]: {{ {bodies} }}"))

    steps(1)  # what is imported on first use is no step
    assert steps(160) < 2.3 * steps(80)
