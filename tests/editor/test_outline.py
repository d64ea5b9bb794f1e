"""Outline, folds, growing selections and links of a document."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.folding import list_folds
from acdl_mkdocs.frontends.editor.links import list_links
from acdl_mkdocs.frontends.editor.selection import expand_selection
from acdl_mkdocs.frontends.editor.symbols import OutlineSymbol, list_symbols, workspace_symbols
from acdl_mkdocs.frontends.editor.workspace import Workspace
from editor.marked import EXAMPLES, example, marked

SPEC = """// One
// two
Chat[@T.I]: {
    S: { ROLE Frag Facts[@T] }
    Name docs := search(env.q[@T])
    ForEach(t: range(1, @T)) {
        U: env.q[@t]
    }
    If @T > 1 {
        Mark 1 { U: $docs }
    } ElseIf env.is_odd[@T] {
        U: A
    } Else {
        Switch sys.mode[@T] {
            Case search { U: B }
            Default { U: C }
        }
    }
}

StrFrag Facts[@T]: { /* three
    four */ FACTS }
"""
PAGE = """# Page

```acdl
A[@T]: {
    U: env.q[@T]
}
```

Text

- ```acdl
  StrFrag B[@T]: { C }
  ```
"""


def outline(found: Iterable[OutlineSymbol], depth: int = 0) -> str:
    """Symbols as lines."""
    shown = []
    for each in found:
        shown.append(f"{'  ' * depth}{each.kind} {each.name} | {each.detail}".rstrip(" |"))
        shown.append(outline(each.children, depth + 1))
    return "\n".join(filter(None, shown))


def test_symbols() -> None:
    """Everything that has a body, and every `Name`, nested as it is written."""
    given = marked(SPEC)
    expected = """spec Chat | [@T.I]
  role System
  name docs | search(env.q[@T])
  block ForEach t | range(1, @T)
    role User | env.q[@t]
  block If | @T > 1
    block Mark 1
      role User | $docs
  block ElseIf | env.is_odd[@T]
    role User | A
  block Else
    block Switch | sys.mode[@T]
      block Case | search
        role User | B
      block Default
        role User | C
fragment Facts | [@T] text"""
    assert outline(list_symbols(given.workspace, given.uri)) == expected


def test_symbols_of_a_page() -> None:
    """The specs of all fences, in the page's own offsets."""
    given = marked(PAGE, "markdown")
    found = list_symbols(given.workspace, given.uri)
    assert [given.text[each.name_span.start : each.name_span.end] for each in found] == ["A", "B"]
    assert given.text[found[1].span.start : found[1].span.end] == "StrFrag B[@T]: { C }"


def test_long_details_are_cut() -> None:
    """An outline has one line for each."""
    given = marked(f"P[@T]: {{ Name x := f({', '.join(['env.q[@T]'] * 20)}) U: $x }}\n")
    (spec,) = list_symbols(given.workspace, given.uri)
    assert len(spec.children[0].detail) == 60
    assert spec.children[0].detail.endswith("…")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_symbols_nest(path: Path) -> None:
    """As the protocol wants it: a name lies in its symbol, and that in the one around it."""
    given = example(path)
    waiting = [*list_symbols(given.workspace, given.uri)]
    assert waiting
    while waiting:
        each = waiting.pop()
        assert each.span.start <= each.name_span.start <= each.name_span.end <= each.span.end
        assert all(each.span.start <= one.span.start <= one.span.end <= each.span.end for one in each.children)
        waiting += each.children


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "Chat Facts ReactAgent React"),
        ("react", "React ReactAgent"),
        ("act", "Facts React ReactAgent"),
        ("rag", "ReactAgent"),
        ("CHAT", "Chat"),
        ("zz", ""),
    ],
)
def test_workspace_symbols(query: str, expected: str) -> None:
    """The nearest names first, whatever their case."""
    workspace = marked(SPEC, b="ReactAgent[@T]: { U: A }\nReact[@T]: { U: A }\n").workspace
    found = [each.name for each in workspace_symbols(workspace, query)]
    assert (sorted(found) if not query else found) == (sorted(expected.split()) if not query else expected.split())


def test_folds() -> None:
    """Blocks keep the line of their closing brace; comments that follow each other are one."""
    given = marked(SPEC)
    positions = given.workspace.documents[given.uri].positions_in()
    found = []
    for each in list_folds(given.workspace, given.uri):
        start, end = positions.range_of(each.span)
        found.append(f"{start.line + 1}-{end.line + 1}{each.kind[:1]}")
    assert " ".join(found) == "1-2c 3-18 6-7 9-10 11-12 13-17 14-16 21-22"


def test_folds_of_a_page() -> None:
    """A fence and the blocks in it."""
    given = marked(PAGE, "markdown")
    positions = given.workspace.documents[given.uri].positions_in()
    found = [
        (positions.position_of(each.span.start).line, each.kind) for each in list_folds(given.workspace, given.uri)
    ]
    assert found == [(2, "region"), (3, ""), (10, "region")]


def test_selection() -> None:
    """From the name outwards."""
    given = marked("P[@T]: {\n    U: { A env.que|ry[@t] // why\n    }\n}\n")
    found = [given.text[each.start : each.end] for each in expand_selection(given.workspace, given.uri, given.offset)]
    assert found[:4] == ["query", "env.query[@t]", "env.query[@t] // why", "A env.query[@t] // why"]
    assert found[-1] == given.text
    assert any(each.startswith("U: {") and each.endswith("}") for each in found)


def test_selection_on_a_page() -> None:
    """Out of the fence, to the page."""
    given = marked(PAGE.replace("env.q[@T]", "env.|q[@T]"), "markdown")
    found = [given.text[each.start : each.end] for each in expand_selection(given.workspace, given.uri, given.offset)]
    assert found[0] == "q"
    assert found[-2].startswith("```acdl")
    assert found[-2].endswith("```")
    assert found[-1] == given.text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_selections_grow(path: Path) -> None:
    """At every place each one holds the one before it and the cursor."""
    given = example(path)
    for offset in range(0, len(given.text), 17):
        found = expand_selection(given.workspace, given.uri, offset)
        assert found[-1].end == len(given.text)
        assert all(each.start <= offset <= each.end for each in found)
        for inner, outer in pairwise(found):
            assert outer.start <= inner.start
            assert inner.end <= outer.end
            assert inner != outer


def test_links(tmp_path: Path) -> None:
    """Files that exist, figures that prose refers to, and addresses."""
    texts = {
        "a.acdl": "// acdl: use parts.acdl, gone.acdl\n// see: https://a.org/x).\n// state: a.yaml\nA[]: { U: B }\n",
        "parts.acdl": "\nStrFrag Part[@T]: { X }\n",
        "page.md": '[[acdl:Part]] [[acdl:No]]\n```acdl src="a.acdl#A" state=a.yaml\n```\n```acdl src="no.acdl"\n```\n',
        "a.yaml": "env: {}\n",
    }
    (tmp_path / "acdl.toml").write_text("", "utf-8")
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    documents = {}
    for name in ("a.acdl", "parts.acdl", "page.md"):
        uri = (tmp_path / name).as_uri()
        documents[uri] = Document(uri, texts[name], "markdown" if name == "page.md" else "acdl")
    workspace, folder = Workspace(documents), tmp_path.as_uri()

    def found(name: str) -> list[tuple[str, str]]:
        linked = list_links(workspace, f"{folder}/{name}")
        return [
            (texts[name][each.span.start : each.span.end], each.target.removeprefix(f"{folder}/")) for each in linked
        ]

    assert found("a.acdl") == [
        ("parts.acdl", "parts.acdl"),
        ("https://a.org/x", "https://a.org/x"),
        ("a.yaml", "a.yaml"),
    ]
    assert found("page.md") == [
        ("Part", "parts.acdl#L2"),
        ("a.acdl", "a.acdl"),
        ("A", "a.acdl#L4"),
        ("a.yaml", "a.yaml"),
    ]


@pytest.mark.parametrize(
    "feature", [list_symbols, list_folds, list_links, lambda workspace, uri: expand_selection(workspace, uri, 3)]
)
def test_broken_and_missing(feature: Callable[[Workspace, str], object]) -> None:
    """Every beginning of a text has an answer; a document that is not there has an empty one."""
    for end in range(0, len(SPEC), 5):
        given = marked(SPEC[:end])
        feature(given.workspace, given.uri)
    assert feature(given.workspace, "file:///nobody.acdl") == ()
