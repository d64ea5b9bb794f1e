"""Many documents: what they say of each other, and an edit that costs little."""

from functools import cache
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.documents import Document, language_of
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.workspace.search import find_files
from acdl_mkdocs.workspace.settings import load_settings

FILES = {
    "a.acdl": "A[@T]: { U: { Frag Here[@T] Frag There[@T] Frag Nowhere[@T] } }\nStrFrag Here[@T]: { HELLO }\n",
    "parts/b.acdl": "StrFrag There[@T]: { HELLO }\nStrFrag Twice[@T]: { A }\n",
    "parts/c.acdl": "StrFrag Twice[@T]: { B }\nC[@T]: { U: { Frag Twice[@T, 1] } }\n",
    "used/d.acdl": "StrFrag Twice[@T]: { D }\n",
    "e.acdl": "// acdl: use used/d.acdl, missing.acdl\nE[@T]: { U: { Frag Twice[@T] } }\n",
    "page.md": (
        "# Page\n\n```acdl\nF[@T]: { U: { Frag Near[@T] Frag Twice[@T] } }\n```\n\n- item\n\n    ```acdl\n"
        "    StrFrag Near[@T]: { $x }\n    ```\n\n```acdl shw=figure spec=Foo\nU: { Frag Here[@T] }\n```\n\n"
        '```acdl src="a.acdl#A"\n```\n\n```acdl src="no.acdl"\n```\n\n[[acdl:A]] [[acdl:Nobody]]\n\n```acdl\nG[@T]: {\n'
    ),
    "ring/one.acdl": "StrFrag One[@T]: { Frag Two[@T] }\n",
    "ring/two.acdl": "StrFrag Two[@T]: { Frag One[@T] }\n",
    "variants.acdl": "// variant-of: Nothing\nV[@T]: { U: env.q[@T] }\n",
    "snippet.acdl": "S: A\n",
    "empty.acdl": "\n",
}


def write(folder: Path) -> list[str]:
    """The files of a small project."""
    (folder / "acdl.toml").write_text('range = "inclusive"\n[rules]\nunused-fragment = "warning"\n', "utf-8")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return [str(folder)]


def opened(arguments: list[str]) -> Workspace:
    """The same files as documents."""
    settings_of = cache(load_settings)
    documents, configs = {}, {}
    for named in find_files(arguments, settings_of)[0]:
        assert named.path
        uri = named.path.resolve().as_uri()
        text = named.path.read_bytes().decode("utf-8-sig")
        documents[uri] = Document(uri, text, language_of(uri) or "acdl", 0, named.name)
        configs[uri] = settings_of(named.folder).config
    return Workspace(documents, configs=configs)


def rules_of(workspace: Workspace, uri: str) -> list[str]:
    """The rules of what is wrong with the pieces of a document."""
    return [each.rule for piece in workspace.pieces_of(uri) for each in workspace.list_diagnostics(piece)]


def test_edits_are_seen_by_others(tmp_path: Path) -> None:
    """An edit that nobody saved changes what other documents say, also over `// acdl: use`."""
    workspace = opened(write(tmp_path))
    by_name = {Path(each.name).name: each for each in workspace.documents.values()}

    def rules(name: str) -> list[str]:
        return rules_of(workspace, by_name[name].uri)

    assert "unknown-fragment" in rules("a.acdl")
    fragments = "".join(f"StrFrag {name}[@T]: {{ A }}\n" for name in ("There", "Nowhere", "Twice"))
    workspace = workspace.with_document(by_name["b.acdl"].with_text(fragments))
    assert "unknown-fragment" not in rules("a.acdl")
    assert "ambiguous-fragment" not in rules("e.acdl")
    workspace = workspace.with_document(by_name["d.acdl"].with_text("StrFrag Other[@T]: { X }\n"))
    assert "unknown-fragment" not in rules("e.acdl")
    assert "ambiguous-fragment" in rules("e.acdl")
    workspace = workspace.without_document(by_name["b.acdl"].uri)
    assert "unknown-fragment" in rules("a.acdl")


def test_an_edit_reads_nothing_else_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,000 documents one is edited: one text is parsed, and it takes less than 30 ms."""
    documents = {}
    for number in range(1000):
        text = f"Spec{number}[@T]: {{\n    S: {{ SYSTEM Frag Part{number % 50 * 20}[@T] }}\n    U: env.query[@T]\n}}\n"
        text += f"StrFrag Part{number}[@T]: {{ DOCUMENT }}\n" if number % 20 == 0 else ""
        uri = f"file:///many/{number % 10}/{number}.acdl"
        documents[uri] = Document(uri, text, "acdl")
    workspace = Workspace(documents)
    uri = "file:///many/7/7.acdl"
    assert rules_of(workspace, uri) == []
    parsed: list[str] = []

    def parse_and_tell(source: Source) -> Parsed:
        parsed.append(source.text)
        return parse(source)

    monkeypatch.setattr("acdl_mkdocs.frontends.editor.documents.parse", parse_and_tell)
    for version in range(5):
        text = f"{documents[uri].text}// edit {version}\n"
        workspace = workspace.with_document(workspace.documents[uri].with_text(text, version))
        assert rules_of(workspace, uri) == []
    assert len(parsed) == 5
