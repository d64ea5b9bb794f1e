"""Fragments of other texts that two texts use, and text that is not understood: never no difference."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from acdl_mkdocs import diff as diff_of_texts
from acdl_mkdocs.compare.formats import json_tree, markdown, text
from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.tokenize import tokenize
from comparison.compared import difference

SPEC = 'P[@T]: { U: { Frag F["hi"] env.q[@T] } }'
SCHEMA = Path(json_tree.__file__).parents[2] / "assets" / "diff.schema.json"


def _side(spec: str, *used: tuple[str, str]) -> Resolved:
    """A text with the files that it uses."""
    return parse_and_resolve(
        Source(spec, "a.acdl"), build_library([parse(Source(said, name)) for name, said in used])
    ).resolved


def _with_used(old: str, new: str, spec: str = SPEC, new_spec: str = "") -> Difference:
    """One spec with two versions of the file that it uses."""
    one, other = _side(spec, ("f.acdl", old)), _side(new_spec or spec, ("f.acdl", new))
    return diff(one.parsed, other.parsed, resolved=(one, other))


def test_same_fragments() -> None:
    """Other spellings and other fragments of the file are not a difference; other names of parameters send the same."""
    assert _with_used('StrFrag F[x]: { "one" x }', 'StrFrag F[x]:\n  { "one"\n x }\nStrFrag G: { Z1 }').is_empty
    found = _with_used('StrFrag F[x]: { "one" x }', 'StrFrag F[y]: { "one" y }')
    assert found.is_equal_sent
    assert not found.is_empty


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('StrFrag F[x]: { "one" x }', 'StrFrag F[x]: { "two" x }'),
        ("StrFrag F[x]: { x }", "RolesFrag F[x]: { U: x }"),
        ("StrFrag F[x]: { Frag G }\nStrFrag G: { A1 }", "StrFrag F[x]: { Frag G }\nStrFrag G: { B1 }"),
        ("StrFrag F[x]: { Frag F }\nStrFrag G: { A1 }", "StrFrag F[x]: { Frag G }\nStrFrag G: { A1 }"),
        ("StrFrag F[x]: { x }", "StrFrag G: { A1 }"),
        ("StrFrag F[x]: { If sys.a == Q { x } }", 'StrFrag F[x]: { If sys.a == "Q" { x } }'),
        ("StrFrag F[x]: { Switch m { Case a: b } }", "StrFrag F[x]: { Switch m { Case a: c } }"),
    ],
)
def test_other_fragments(old: str, new: str) -> None:
    """What a used fragment says otherwise, also by way of another, is an edit; its own edits are told below."""
    spec = 'P[@Q]: { U: { Frag F["hi"] env.q[@Q] } }'
    found = _with_used(old, new, spec)
    assert not found.is_equal_sent
    assert "used fragment" in {change.what for edit in found.edits for change in edit.changes}
    back = _with_used(new, old, spec)
    assert not back.is_equal_sent


def test_ways_to_show() -> None:
    """Each names the fragment, its file and what changed in it."""
    found = _with_used('StrFrag F[x]: { "one" x }', 'StrFrag F[x]: { "two" x }')
    assert text.write(found) == (
        "--- a.acdl\n+++ a.acdl\nat the top level\n  ~   the text\n      a different fragment is used: F of f.acdl\n"
        'used: f.acdl\nStrFrag F[x]\n  ~ 1:17 -> 1:17  "two"\n      content: "one" -> "two"\n'
        "1 change: the messages can differ\n"
    )
    said = json.loads(json_tree.write(found))
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(said)
    assert said["used"][0]["edits"][0]["changes"][0]["new"] == '"two"'
    row = '| ✏️ changed | content: `"one"` → `"two"` | `StrFrag F[x]` | `f.acdl:1` | `f.acdl:1` |'
    assert row in markdown.write(found)


def test_other_files_with_the_same_fragments() -> None:
    """That a text names other files is told, and is not a reason to send something else."""
    one = _side(f"// acdl: use f.acdl\n{SPEC}", ("f.acdl", "StrFrag F[x]: { x }"))
    other = _side(f"// acdl: use g.acdl\n{SPEC}", ("g.acdl", "StrFrag F[x]: { x }"))
    found = diff(one.parsed, other.parsed, resolved=(one, other))
    assert found.is_equal_sent
    assert [change.what for edit in found.edits for change in edit.changes] == ["used files"]


def test_files_that_nobody_read() -> None:
    """A text alone does not say what the fragments of other files are."""
    found = diff_of_texts(f"// acdl: use f.acdl\n{SPEC}", f"// acdl: use f.acdl\n{SPEC}")
    assert not found.is_equal_sent
    assert "used fragments: not read: f.acdl" in text.write(found)
    assert diff_of_texts("// acdl: use f.acdl\nP: { U: A1 }", "// acdl: use f.acdl\nP: { U: A1 }").is_empty


BROKEN = "P[@T]: { Switch m { Case a: U: A1 Default: U: B1 } }"


def test_text_that_is_not_understood() -> None:
    """Where the trees do not have all words, the words decide; JSON and comments say what is not understood."""
    found = difference(BROKEN, BROKEN.replace("B1", "C1"))
    assert not found.is_equal_sent
    assert difference(BROKEN, f"// said\n\n{BROKEN}  ").is_equal_sent
    assert "what is not understood: 1 syntax error -> 1 syntax error, other words" in text.write(found)
    said = json.loads(json_tree.write(found))
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(said)
    assert len(said["syntax_errors"]["old"]) == len(said["syntax_errors"]["new"]) == 1
    assert "⚠️ `new.acdl:1` is not understood" in markdown.write(found)
    lost = difference("P[@T]: { If sys.a { U: A1 } }", "P[@T]: { If sys.a { U: A1 }")
    assert not lost.is_equal_sent


WORDS = ("P[@T]:", "{", "}", "U:", "Case a:", "Default:", "Switch m {", "If sys.a", "A1", "B1", "(", ")", ",")


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.lists(st.sampled_from(WORDS), max_size=12))
def test_broken_words_are_never_lost(old: list[str], new: list[str]) -> None:
    """Two texts with other words, one of them broken, are never the same."""
    one, other = " ".join(old), " ".join(new)
    found = difference(one, other)
    words = [[each.text for each in tokenize(each).tokens] for each in (one, other)]
    if words[0] != words[1] and (found.old.diagnostics or found.new.diagnostics):
        assert not found.is_empty
        assert not found.is_equal_sent
