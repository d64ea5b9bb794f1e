"""Definitions, references, highlights and renaming: texts with `|` at the cursor, and every name of every example."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.app.python import render
from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.editor.definition import find_definition, find_references, same_name
from acdl_mkdocs.frontends.editor.documents import Document, Language
from acdl_mkdocs.frontends.editor.name_occurrences import Target
from acdl_mkdocs.frontends.editor.occurrences import names_at
from acdl_mkdocs.frontends.editor.places import Location, TextEdit
from acdl_mkdocs.frontends.editor.rename import rename_at, rename_range
from acdl_mkdocs.frontends.editor.workspace import Workspace
from editor.marked import EXAMPLES, example, marked

SPEC = """P[@T.I, who]: {
    Name docs := search(env.q[@T], who)
    ForEach(@t: range(1, @T)) {
        ForEach(i: range(1, @t.substeps)) { U: env.step[@t.i] }
    }
    U: { $docs Frag Part[@T, who] ROLE(I) }
}
StrFrag Part[@T, d]: { d.text JOIN([e for e in d.parts]) ROLE(d) }
"""


def at(text: str, word: str, number: int = 1) -> str:
    """A text with the cursor before the n-th time that a word stands in it."""
    places = [found.start() for found in re.finditer(re.escape(word), text)]
    return f"{text[: places[number - 1]]}|{text[places[number - 1] :]}"


def lines(workspace: Workspace, places: tuple[Location, ...]) -> list[str]:
    """Each place as file, line and column, counted from 1."""
    found = []
    for place in places:
        document = workspace.documents[place.uri]
        position = document.positions_in("utf-32").position_of(place.span.start)
        found.append(f"{place.uri.rpartition('/')[2]}:{position.line + 1}:{position.character + 1}")
    return found


def check(text: str, expect: str, language: Language = "acdl", **others: str) -> None:
    """`expect` is the definitions, a semicolon, and all references."""
    given = marked(text, language, **others)
    expected = [part.split() for part in expect.split(";")]
    own = given.uri.rpartition("/")[2]
    defined = lines(given.workspace, find_definition(given.workspace, given.uri, given.offset))
    used = lines(given.workspace, find_references(given.workspace, given.uri, given.offset, with_definition=True))
    assert [[each.removeprefix(f"{own}:") for each in part] for part in (defined, used)] == expected
    written = {(each.uri, each.span) for each in same_name(given.workspace, given.uri, given.offset)}
    everywhere = find_references(given.workspace, given.uri, given.offset, with_definition=True)
    assert written == {(each.uri, each.span) for each in everywhere if each.uri == given.uri}


@pytest.mark.parametrize(
    ("word", "number", "expect"),
    [
        ("docs", 2, "2:10; 2:10 6:11"),
        ("docs", 1, "2:10; 2:10 6:11"),
        ("t: range", 1, "3:14; 3:14 4:30 4:58"),
        ("t.i]", 1, "3:14; 3:14 4:30 4:58"),
        ("i]", 1, "4:17; 4:17 4:60"),
        ("I,", 1, "1:6; 1:6 6:40"),
        ("T.I", 1, "1:4; 1:4 2:32 3:27 6:27"),
        ("who", 3, "1:9; 1:9 2:36 6:30"),
        ("Part", 1, "8:9; 6:21 8:9"),
        ("P[@T.I", 1, "1:1; 1:1"),
        ("d.text", 1, "8:18; 8:18 8:24 8:48 8:63"),
        ("e for", 1, "8:43; 8:37 8:43"),
        ("ROLE", 2, "; 6:35 8:58"),
        ("search", 1, "; 2:18"),
        ("q[", 1, "; 2:29"),
        ("ForEach", 1, "; "),
    ],
)
def test_names_of_a_text(word: str, number: int, expect: str) -> None:
    """What stands for what in one text."""
    check(at(SPEC, word, number), expect)


def test_alternatives_define_one_name() -> None:
    """Every `Name` of one name is its definition."""
    text = "P[@T]: { If env.a[@T] { Name x := A } Else { Name x := B } U: $|x }\n"
    check(text, "1:30 1:51; 1:30 1:51 1:64")


def test_other_files() -> None:
    """Fragments of other files and fences, and only those that are meant."""
    text = "P[@T]: { U: { Frag |Part[@T] } }\n"
    check(text, "b.acdl:1:9; b.acdl:1:9 1:20", b="StrFrag Part[@T]: { A }\n", c="StrFrag Other[@T]: { A }\n")
    own = "P[@T]: { U: { Frag |Part[@T] } }\nStrFrag Part[@T]: { B }\n"
    check(own, "2:9; 1:20 2:9", b="StrFrag Part[@T]: { A }\n")
    both = "P[@T]: { U: { Frag |Part[@T] } }\n"
    check(
        both,
        "b.acdl:1:9 c.acdl:1:9; b.acdl:1:9 c.acdl:1:9 1:20",
        b="StrFrag Part[@T]: { A }\n",
        c="StrFrag Part[]: { B }\n",
    )


PAGE = """See [[acdl:P]] and [[acdl:Part#mark-1]], not `[[acdl:P]]`.

```acdl spec="P"
P[@T]: { U: { Frag Part[@T] } }
```

- ```acdl
  StrFrag Part[@T]: { A }
  ```

```acdl-diff old=P new="b.acdl#P"
```

```acdl src="b.acdl#P"
```
"""


@pytest.mark.parametrize(
    ("word", "number", "expect"),
    [
        ("P]]", 1, "4:1; 1:12 3:15 4:1 11:18"),
        ("Part", 1, "8:11; 1:27 4:20 8:11"),
        ("Part", 2, "8:11; 1:27 4:20 8:11"),
        ("P[@T]", 1, "4:1; 1:12 3:15 4:1 11:18"),
        ("P]]`", 1, "; "),
        ('P"\n```\n\n```acdl src', 1, "b.acdl:2:1; b.acdl:1:16 b.acdl:2:1 11:32 14:21"),
        ("b.acdl", 2, "b.acdl:1:1; "),
    ],
)
def test_names_of_a_page(word: str, number: int, expect: str) -> None:
    """Fences see each other; prose and opening lines mean the same specs."""
    check(at(PAGE, word, number), expect, "markdown", b="// variant-of: P\nP[@T]: { U: env.q[@T] }\n")


@pytest.mark.parametrize(("word", "number"), [("P)", 1), ("P#", 1), ("P[@T]", 1)])
def test_links_to_specs(word: str, number: int) -> None:
    """The target of a link is a name: it leads to the definition and is renamed with it."""
    page = "See [a](acdl:P) or [b][x], not `[c](acdl:P)`.\n\n[x]: acdl:P#mark-1\n\n```acdl\nP[@T]: { U: A }\n```\n"
    check(at(page, word, number), "6:1; 1:14 3:11 6:1", "markdown")


def test_writes() -> None:
    """A highlight says where a name gets its value."""
    given = marked(at(SPEC, "docs"))
    assert [each.is_write for each in same_name(given.workspace, given.uri, given.offset)] == [True, False]


# ------------------------------------------------------------------------------------------------------------ renaming


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("P[@T]: { Name d| := A U: $d }\n", "e", "P[@T]: { Name e := A U: $e }\n"),
        ("P[@T]: { Name d| := A U: $d }\n", "$e", "P[@T]: { Name e := A U: $e }\n"),
        (
            "P[@T]: { ForEach(@|t: range(1, @T)) { U: env.q[@t] } }\n",
            "k",
            "P[@T]: { ForEach(@k: range(1, @T)) { U: env.q[@k] } }\n",
        ),
        ("P[@T]: { U: { ROLE| ROLE(ROLE) } }\n", "TEXT", "P[@T]: { U: { TEXT TEXT(TEXT) } }\n"),
        (
            "P[@T]: { U: { Frag A|b[@T] } }\nStrFrag Ab[@T]: { X }\n",
            "Cd",
            "P[@T]: { U: { Frag Cd[@T] } }\nStrFrag Cd[@T]: { X }\n",
        ),
        ("P[@T|.I]: { U: env.q[@T.I] }\n", "K", "P[@K.I]: { U: env.q[@K.I] }\n"),
        ("P[@T]: { U: $|é Name é := A }\n", "日本", "P[@T]: { U: $日本 Name 日本 := A }\n"),
        ("P[@T]: { Name d| := A U: $d }\n", "d", "P[@T]: { Name d := A U: $d }\n"),
    ],
)
def test_rename(text: str, name: str, expected: str) -> None:
    """Every use gets the name, and nothing else."""
    given = marked(text)
    assert given.edited(rename_at(given.workspace, given.uri, given.offset, name)) == expected


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("P[@T]: { Name |d := A U: $d }\n", "", "`` is not a name; write letters"),
        ("P[@T]: { Name |d := A U: $d }\n", "1a", "`1a` is not a name; write letters"),
        ("P[@T]: { Name |d := A U: $d }\n", "a b", "`a b` is not a name; write letters"),
        ("P[@T]: { Name |d := A U: $d }\n", "a-b", "`a-b` is not a name; write letters"),
        ("P[@T]: { Name |d := A U: $d }\n", "ForEach", "`ForEach` is a word of the language; choose another name"),
        (
            "P[@T]: { Name |d := A Name e := B U: { $d $e } }\n",
            "e",
            "with the name `e` something else would be meant in",
        ),
        (
            "P[@T]: { ForEach(|t: env.a[@T]) { ForEach(k: t.b) { U: { t.c k.d } } } }\n",
            "k",
            "something else would be meant",
        ),
        ("P[@T]: { ForEach(|t: env.a[@T]) { U: t } }\n", "TT", "something else would be meant"),
        ("P[@T]: { U: env.|q[@T] }\n", "r", "`env.q` is given by the program"),
        ("P[@T]: { U: |max(1, 2) }\n", "r", "`max` is a function of the language"),
        ("P[@T]: { U: { |A B } }\n", "B", "there is a template `B` already, in /project/c.acdl:1"),
        (
            "P[@T]: { U: { Frag |A[@T] } }\nStrFrag A[@T]: { X }\nStrFrag B[@T]: { Y }\n",
            "B",
            "as `B` it would be wrong: `B` is defined twice",
        ),
        ("|P[@T]: { U: A }\nQ[@T]: { U: B }\n", "Q", "as `Q` it would be wrong: "),
        ("P[@T]: |{ U: A }\n", "Q", "there is no name here"),
        (
            "P[@T]: { U: { Frag |Twice[@T] } }\n",
            "Once",
            "`Twice` is defined in several places: /project/b.acdl:1, /project/c.acdl:1",
        ),
    ],
)
def test_refused(text: str, name: str, message: str) -> None:
    """What cannot be renamed is left alone, with a reason and a cure."""
    given = marked(text, b="StrFrag Twice[@T]: { A }\n", c="StrFrag Twice[@T]: { B }\n")
    with pytest.raises(RenameError) as refused:
        rename_at(given.workspace, given.uri, given.offset, name)
    assert message in str(refused.value)
    assert refused.value.cure


def test_other_states_and_comments_do_not_matter() -> None:
    """Only keys of the states of texts that are edited are renamed with them."""
    given = marked("P[@T]: { U: |ROLE }\n", state="# the ROLE at hand\ntemplates:\n  ROLES: a ROLE\n")
    assert given.edited(rename_at(given.workspace, given.uri, given.offset, "NEW")) == "P[@T]: { U: NEW }\n"
    other = marked("P[@T]: { U: |ROLE }\n", b="P2[@T]: { U: A }\n")
    states = {"file:///project/b.acdl": Source("templates: {ROLE: x}\n", "/project/b.state.yaml")}
    assert len(rename_at(other.workspace.with_settings(states=states), other.uri, other.offset, "NEW")) == 1


TWO_BLOCKS = """```acdl spec="One"
One[@T]: { U: A }
```

```acdl spec="One"
One[@T]: { U: B }
```
"""


@pytest.mark.parametrize("number", [2, 4])
def test_a_block_means_its_own_spec(number: int) -> None:
    """Two blocks of a page may each have a spec of the same name; the other block stays as it is."""
    given = marked(at(TWO_BLOCKS, "One", number), "markdown")
    first, second = TWO_BLOCKS.split("\n\n")
    parts = (first.replace("One", "Uno"), second) if number == 2 else (first, second.replace("One", "Uno"))
    assert given.edited(rename_at(given.workspace, given.uri, given.offset, "Uno")) == "\n\n".join(parts)


def test_files_that_blocks_show(tmp_path: Path) -> None:
    """`src` is a path from the project's folder, however it is written, and no file with the same end."""
    (tmp_path / "mkdocs.yml").write_text("site_name: A\n")
    spec = "One[@T]: { U: A }\n"
    page = '```acdl src="./specs/a.acdl#One"\n```\n\n```acdl src=specs/a.acdl spec=One\n```\n'
    texts = {"specs/a.acdl": spec, "a/specs/a.acdl": spec, "docs/p.md": page}
    documents = []
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        documents.append(Document((tmp_path / name).as_uri(), text, "markdown" if name.endswith("md") else "acdl"))
    workspace = Workspace({each.uri: each for each in documents})
    edited = [{each.uri: 0 for each in rename_at(workspace, doc.uri, 0, "Uno")} for doc in documents[:2]]
    assert [set(each) for each in edited] == [{documents[0].uri, documents[2].uri}, {documents[1].uri}]
    assert len(rename_at(workspace, documents[0].uri, 0, "Uno")) == 3


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("P[@T]: { ForEach(|i: range(1, @T.substeps)) { U: env.s[@T.i] } }\n", "substeps", "a word of the language"),
        ("P[@|T]: { S: { TASK } U: env.q[@T] }\n", "TASK", "`TASK` is a template too, in /project/chat.acdl:1"),
    ],
)
def test_local_names_that_would_be_read_otherwise(text: str, name: str, message: str) -> None:
    """What is sent stays the same, or the name is refused."""
    given = marked(text)
    with pytest.raises(RenameError, match=re.escape(message)):
        rename_at(given.workspace, given.uri, given.offset, name)


def test_the_old_name_means_another_definition() -> None:
    """The reason is told, and a cure that helps: no other new name would."""
    given = marked("StrFrag |Bit[@T]: { A }\n", b="StrFrag Bit[@T]: { B }\n", c="P[@T]: { U: { Frag Bit[@T] } }\n")
    with pytest.raises(RenameError, match=r"`Bit` means another definition in /project/c\.acdl:1; let only one"):
        rename_at(given.workspace, given.uri, given.offset, "Foo")


def test_rename_hides_nothing_in_other_files() -> None:
    """A fragment takes no name that another file means otherwise; elsewhere the same name may stay."""
    uses = "Q[@T]: { U: { Frag New[@T] } }\n"
    given = marked("StrFrag |Old[@T]: { A }\n", b=uses, c="StrFrag New[@T]: { B }\n")
    with pytest.raises(RenameError, match=r"there is a fragment `New` already, in /project/c\.acdl:1"):
        rename_at(given.workspace, given.uri, given.offset, "New")
    alone = marked("P[@T]: { U: { Frag Old[@T] } }\nStrFrag |Old[@T]: { A }\n", b=f"{uses}StrFrag New[@T]: {{ B }}\n")
    assert len(rename_at(alone.workspace, alone.uri, alone.offset, "New")) == 2


def test_rename_on_a_page() -> None:
    """Prose, opening lines and all fences follow."""
    given = marked(at(PAGE, "P[@T]"), "markdown", b="P[@T]: { U: env.q[@T] }\n")
    expected = PAGE.replace("[[acdl:P]] and", "[[acdl:New]] and").replace('spec="P"', 'spec="New"')
    expected = expected.replace("P[@T]: {", "New[@T]: {").replace("old=P", "old=New")
    assert given.edited(rename_at(given.workspace, given.uri, given.offset, "New")) == expected


def applied(workspace: Workspace, edits: tuple[TextEdit, ...]) -> Workspace:
    """A workspace of one document after edits."""
    (document,) = workspace.documents.values()
    text = document.text
    for edit in sorted(edits, key=lambda each: -each.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return workspace.with_document(document.with_text(text))


@pytest.mark.parametrize("path", few(EXAMPLES, 4), ids=lambda path: path.stem)
def test_every_name_of_an_example(path: Path) -> None:
    """It is among its own references, so is its definition; it can be renamed and back without a trace."""
    given = example(path)
    workspace, uri = Workspace(given.workspace.documents), given.uri
    (piece,) = workspace.pieces_of(uri)
    told = [(each.rule, each.severity) for each in workspace.list_diagnostics(piece)]
    figure = render(given.text, "text")
    done: set[tuple[Target, ...]] = set()
    refused: list[tuple[str, str]] = []
    for site in workspace.list_names(piece):
        named = names_at(workspace, uri, site.span.start)
        assert named
        assert named.span == site.span
        found = find_references(workspace, uri, site.span.start, with_definition=True)
        assert Location(uri, site.span) in found
        assert set(named.definitions) <= set(found)
        if named.kind == "variable" or named.name in ("max", "min") or named.targets in done:
            continue
        done.add(named.targets)
        fresh = fresh_name(named.name, given.text)
        try:
            edits = rename_at(workspace, uri, site.span.start, fresh)
        except RenameError as reason:
            refused.append((named.name, reason.message))
            continue
        edits = tuple(each for each in edits if each.uri == uri)  # its state has the others
        assert {Location(each.uri, each.span) for each in edits} == set(found)
        after = applied(workspace, edits)
        assert [(each.rule, each.severity) for each in after.list_diagnostics(after.pieces_of(uri)[0])] == told
        assert plain(render(after.documents[uri].text, "text"), fresh, named.name) == plain(figure)
        start = min(each.span.start for each in edits)
        back = tuple(each for each in rename_at(after, uri, start, named.name) if each.uri == uri)
        assert applied(after, back).documents[uri].text == given.text
    if path.stem not in ("mint", "mint-variations"):  # as published, they ask for `@t.i` where only `@T.I` is known
        assert refused == []
    assert all(name == "I" and "something else would be sent" in message for name, message in refused)


def fresh_name(name: str, text: str) -> str:
    """A name of the same kind that the text does not have: single capitals are times."""
    if len(name) == 1 and name.isupper():
        return next(each for each in "QZXWVKHG" if not re.search(rf"\b{each}\b", text))
    return f"ZZ_{name}" if name.isupper() else f"Zz{name}" if name[0].isupper() else f"zz{name}"


def plain(figure: str, name: str = " ", other: str = " ") -> str:
    """A figure with another name in the place of one, without the blanks, which depend on how long names are."""
    return re.sub(r"\s+", " ", re.sub(rf"\b{re.escape(name)}\b", other, figure))


@pytest.mark.parametrize("feature", [find_definition, find_references, same_name, rename_range])
def test_broken_texts(feature: Callable[[Workspace, str, int], object]) -> None:
    """While someone types, every question has an answer."""
    text = SPEC
    for end in range(0, len(text), 7):
        uri = "file:///project/chat.acdl"
        workspace = Workspace({uri: Document(uri, text[:end], "acdl")})
        for offset in (end, end // 2):
            with suppress(RenameError):
                feature(workspace, uri, offset)
    assert feature(workspace, "file:///nobody.acdl", 0) in ((), None)
