"""What stands between and above the words of a text: hints, lenses, signatures."""

import pytest

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.frontends.editor.inlay import list_hints
from acdl_mkdocs.frontends.editor.lens import COMPARE, EVALUATE, PREVIEW, SHOW_REFERENCES, list_lenses
from acdl_mkdocs.frontends.editor.signature import signature_at
from acdl_mkdocs.frontends.editor.workspace import Workspace
from editor.marked import marked

FACTS = "StrFrag Facts[@t, who]: { sys.profile[@t, who] }\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("P[@T]: { ForEach(t: range(1, @T)) { U: A } }", "range(1, @T«→ @T-1»)"),
        ("P[@T]: { ForEach(t: range(1, @T-1)) { U: A } }", "range(1, @T-1«→ @T-2»)"),
        ("P[@T]: { ForEach(t: range(1, @T+1)) { U: A } }", "range(1, @T+1«→ @T»)"),
        ("P[@T]: { ForEach(t: range(1, 5)) { U: A } }", "range(1, 5«→ 4»)"),
        ("P[@T]: { ForEach(t: range(1, env.n)) { U: A } }", "range(1, env.n«(left out)»)"),
        ("P[@T]: { ForEach(t: range(1, 9, 2)) { U: A } }", "range(1, 9«(left out)», 2)"),
        ("P[@T]: { ForEach(t: 1 ... @T) { U: A } }", "1 ... @T)"),
        ("// acdl: range=inclusive\nP[@T]: { ForEach(t: range(1, @T)) { U: A } }", "range(1, @T)"),
        (FACTS + "P[@T]: { U: Frag Facts[@T-1, bob] }", "Frag Facts[«@t:»@T-1, «who:»bob]"),
        (FACTS + "P[@T, who]: { U: Frag Facts[@T, who] }", "Frag Facts[@T, who]"),
        ("P: { U: Frag Nope[1] }", "Frag Nope[1]"),
    ],
)
def test_hints(text: str, wanted: str) -> None:
    """The end of a half-open range and the names of parameters are shown, where they are not there already."""
    given = marked(text)
    shown = given.text
    for hint in sorted(list_hints(given.workspace, given.uri), key=lambda each: each.offset, reverse=True):
        shown = f"{shown[: hint.offset]}«{hint.label}»{shown[hint.offset :]}"
        assert hint.tooltip
    assert wanted in shown


def test_hints_follow_the_settings_and_the_part() -> None:
    """Where ranges take in their end there is nothing to say; outside of the part neither."""
    given = marked("P[@T]: { ForEach(t: range(1, @T)) { U: A } }|")
    assert list_hints(given.workspace, given.uri, given.span) == ()
    inclusive = Workspace(given.workspace.documents, Config(range="inclusive"))
    assert list_hints(inclusive, given.uri) == ()
    page = marked("> ```acdl\n> ForEach(t: range(1, @T)) { U: A }\n> ```\n", "markdown")
    (hint,) = list_hints(page.workspace, page.uri)
    assert page.text[: hint.offset].endswith("@T")


def test_lenses() -> None:
    """A fragment says where it is used, in all documents; a spec what can be done with it."""
    given = marked(
        FACTS + "P[@T]: { U: Frag Facts[@T, a] }\nStrFrag Lonely: { A }\n",
        state="acdl_state: 1\n",
        other="// acdl: use chat.acdl\nQ[@T]: { U: Frag Nothing }",
    )
    found = list_lenses(given.workspace, given.uri, is_in_git=True)
    said = [(given.text[each.span.start : each.span.end], each.title, each.command) for each in found]
    assert said == [
        ("Facts", "used in 1 place", SHOW_REFERENCES),
        ("Facts", "show figure", PREVIEW),
        ("Facts", "compare with HEAD", COMPARE),
        ("P", "show figure", PREVIEW),
        ("P", "evaluate", EVALUATE),
        ("P", "compare with HEAD", COMPARE),
        ("Lonely", "not used", SHOW_REFERENCES),
        ("Lonely", "show figure", PREVIEW),
        ("Lonely", "compare with HEAD", COMPARE),
    ]
    places = found[0].arguments[2]
    assert isinstance(places, tuple)
    assert [given.text[each.span.start : each.span.end] for each in places] == ["Facts"]


def test_lenses_without_a_state() -> None:
    """Nothing can be evaluated without a state, nor compared outside of git."""
    given = marked("P[@T]: { U: A }")
    assert [each.command for each in list_lenses(given.workspace, given.uri)] == [PREVIEW]


def test_uses_in_other_blocks() -> None:
    """A use in another block of the page counts."""
    page = f"```acdl\n{FACTS}```\n\n```acdl\nU: Frag Facts[@T, a]\nU: Frag Facts[@T, b]\n```\n"
    given = marked(page, "markdown")
    assert list_lenses(given.workspace, given.uri)[0].title == "used in 2 places"


@pytest.mark.parametrize(
    ("text", "label", "active"),
    [
        (FACTS + "P[@T]: { U: Frag Facts[|", "Facts[@t, who]", 0),
        (FACTS + "P[@T]: { U: Frag Facts[f(a, b), |", "Facts[@t, who]", 1),
        (FACTS + "P[@T]: { U: Frag Facts[@T, x, |", "Facts[@t, who]", 2),
        ("P[@T]: { ForEach(t: range(|", "range(start, stop, step = 1)", 0),
        ("P[@T]: { ForEach(t: range(1, @T|)) { U: A } }", "range(start, stop, step = 1)", 1),
        ("P[@T]: { U: env.x[max(1, |", "max(a, b, …)", 1),
    ],
)
def test_signatures(text: str, label: str, active: int) -> None:
    """The parameter that is being written is told, also while brackets are open."""
    given = marked(text)
    found = signature_at(given.workspace, given.uri, given.offset)
    assert found is not None
    assert (found.label, found.active) == (label, active)
    assert all(found.label[start:end].strip() == found.label[start:end] != "" for start, end in found.parameters)


def test_signature_of_another_document() -> None:
    """A fragment of another file has its parameters and its comment."""
    given = marked("P[@T]: { U: Frag Facts[|", lib=f"// What is known.\n{FACTS}")
    found = signature_at(given.workspace, given.uri, given.offset)
    assert found is not None
    assert [found.label[start:end] for start, end in found.parameters] == ["@t", "who"]
    assert found.documentation == "What is known."


@pytest.mark.parametrize(
    "text",
    ["P[@T]: { U: env.x[|", "P[@T]: { | }", "P: { // f(|", 'P: { U: "range(|', "P: { U: Frag Nope[|", "P: { U: f(|"],
)
def test_no_signature(text: str) -> None:
    """Where nothing is known to take arguments there is nothing to say."""
    given = marked(text)
    assert signature_at(given.workspace, given.uri, given.offset) is None
