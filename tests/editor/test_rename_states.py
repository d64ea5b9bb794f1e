"""Renaming what sample states name too: they are edited with the texts, and what is sent stays the same."""

import re
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.exports import evaluate_document
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.rename import rename_at
from acdl_mkdocs.frontends.editor.workspace import Workspace
from editor.marked import EXAMPLES, marked

STATE = "file:///project/chat.state.yaml"
TEXT = "P[@T]: { U: { ROLE f(env.q[@T]) } }\n"


def cut(text: str, edits: tuple[TextEdit, ...], uri: str) -> str:
    """A file after the edits of it."""
    for edit in sorted((each for each in edits if each.uri == uri), key=lambda each: -each.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(
    ("word", "state", "expected"),
    [
        ("ROLE", "templates:\n  ROLE: a ROLE\n", "templates:\n  NEW: a ROLE\n"),
        ("ROLE", "templates: {'ROLE': x, ROLES: y}\n", "templates: {'NEW': x, ROLES: y}\n"),
        ("ROLE", '{"templates": {"ROLE": "x"}, "env": {"ROLE": 1}}', '{"templates": {"NEW": "x"}, "env": {"ROLE": 1}}'),
        ("ROLE", "# é 😀 ROLE\ntemplates: {ROLE: é}\n", "# é 😀 ROLE\ntemplates: {NEW: é}\n"),
        ("f(", "functions:\n  f: [{returns: f}]\n", "functions:\n  new: [{returns: f}]\n"),
        ("P[", 'spec: "P"\nenv: {P: 1}\n', 'spec: "NEW"\nenv: {P: 1}\n'),
        ("P[", "spec: Q\ntemplates: {P: x}\n", "spec: Q\ntemplates: {P: x}\n"),
        ("T]: ", "env: {T: x}\n", "env: {T: x}\n"),
    ],
)
def test_states_follow(word: str, state: str, expected: str) -> None:
    """Keys of templates and functions, and the spec; never what is only written alike."""
    given = marked(TEXT.replace(word, f"|{word}", 1), state=state)
    edits = rename_at(given.workspace, given.uri, given.offset, {"f(": "new", "T]: ": "K"}.get(word, "NEW"))
    assert {each.uri for each in edits} <= {given.uri, STATE}
    assert cut(state, edits, STATE) == expected


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("templates: {ROLE: x, NEW: y}\n", "has `NEW` too"),
        ('templates: {"RO\\x4cE": x}\n', "spells `ROLE` in another way"),
        ("templates: {ROLE: [\n", "cannot be read, and has the name"),
        ("assume: [{when: ROLE == env.a, value: true}]\n", "assumes something of `ROLE`"),
    ],
)
def test_states_that_cannot_follow(state: str, message: str) -> None:
    """Nothing is renamed then, and the reason is told with a cure."""
    given = marked("P[@T]: { U: |ROLE }\n", state=state)
    with pytest.raises(RenameError, match=re.escape(message)) as refused:
        rename_at(given.workspace, given.uri, given.offset, "NEW")
    assert refused.value.cure


def test_all_states_of_the_edited_files(tmp_path: Path) -> None:
    """Those beside a file and those that its comments name; not those of files that do not say the name."""
    for name in ("a.state.yaml", "a.more.state.yaml", "Q.state.yaml", "far/own.yaml", "b.state.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("templates: {ROLE: x}\n" + ("spec: P\n" if "more" in name else ""))
    texts = {"a": "// state: far/own.yaml\nP[@T]: { U: ROLE }\nQ[@T]: { U: ROLE }\n", "b": "R[@T]: { U: A }\n"}
    documents = [Document((tmp_path / f"{name}.acdl").as_uri(), text, "acdl") for name, text in texts.items()]
    workspace = Workspace({each.uri: each for each in documents})
    edits = rename_at(workspace, documents[0].uri, texts["a"].index("ROLE"), "NEW")
    edited = {Path(each.uri).name for each in edits}
    assert edited == {"a.acdl", "a.state.yaml", "a.more.state.yaml", "Q.state.yaml", "own.yaml"}


WITH_STATES = [path for path in EXAMPLES if path.with_suffix(".state.yaml").exists()]


@pytest.mark.parametrize("path", few(WITH_STATES, 4), ids=lambda path: path.stem)
def test_examples_send_the_same(path: Path) -> None:
    """Templates, functions and specs of an example are renamed together with its state."""
    text, beside = path.read_text("utf-8"), path.with_suffix(".state.yaml")
    state, uri = beside.read_text("utf-8"), path.as_uri()

    def sent(text: str, state: str, spec: str) -> str:
        workspace = Workspace({uri: Document(uri, text, "acdl")}, states={uri: Source(state, str(beside))})
        return evaluate_document(workspace, uri, spec=spec).text

    workspace = Workspace({uri: Document(uri, text, "acdl")}, states={uri: Source(state, str(beside))})
    (piece,) = workspace.pieces_of(uri)
    sites = {
        each.target: each
        for each in workspace.list_names(piece)
        if each.target.kind in ("template", "function", "spec")
    }
    specs = [each.name for each in sites if each.kind == "spec"]
    before = {spec: sent(text, state, spec) for spec in specs}
    for target, site in sites.items():
        if target.name in ("max", "min", "range"):
            continue
        fresh = f"ZZ_{target.name}" if target.name.isupper() else f"Zz{target.name}"
        edits = rename_at(workspace, uri, site.span.start, fresh)
        after = cut(text, edits, uri), cut(state, edits, beside.as_uri())
        for spec in specs:
            now = sent(*after, fresh if spec == target.name else spec)
            assert now.replace(fresh, target.name) == before[spec].replace(fresh, target.name), target


def test_reference_to_a_block_that_shows_all() -> None:
    """A block that shows one spec has no other that pages can refer to: a reference means that of another page."""
    texts = {
        "a": '```acdl spec="One"\nOne[@T]: { U: { Frag Bit[@T] } }\nStrFrag Bit[@T]: { A }\n```\n\n[[acdl:Bit]]\n',
        "b": "```acdl\nStrFrag Bit[@T]: { B }\n```\n",
    }
    documents = [Document(f"file:///project/{name}.md", text, "markdown") for name, text in texts.items()]
    workspace = Workspace({each.uri: each for each in documents})
    uri = documents[1].uri
    edits = rename_at(workspace, uri, texts["b"].index("Bit"), "Piece")
    assert sorted((each.uri[-4:], each.span.start) for each in edits) == [
        ("a.md", texts["a"].index("Bit]]")),
        ("b.md", texts["b"].index("Bit")),
    ]
