"""The texts of a site, whatever tool knows its pages."""

from pathlib import Path

import pytest

from acdl_mkdocs.frontends.docs.pages.library import SiteLibrary
from acdl_mkdocs.frontends.docs.settings import Settings

CHAT = "Chat[@T]: { S: { Frag Greeting[@T] } }\n"
GREETING = "StrFrag Greeting[@t]: { HELLO(env.name[@t]) }\n"


def library(root: Path) -> SiteLibrary:
    """A library with a file that has two specs, and a page that shows one of them and one of its own."""
    (root / "a.acdl").write_text(CHAT + GREETING)
    made = SiteLibrary(root, Settings())
    assert made.add_file(root / "a.acdl", lambda name: f"specs/{name}/") is None
    own = CHAT.replace("Chat", "Own")
    fences = f"```acdl src=a.acdl#Greeting\n```\n\n```acdl\n{own}```\n\n    ```acdl\n    x\n    ```\n"
    made.add_page("docs/p.md", fences, "p/", root / "docs/p.md")
    return made


def test_every_place_of_a_name(tmp_path: Path) -> None:
    """A spec that has a page and is shown on another is found at both, its own first."""
    catalog = library(tmp_path).catalog
    assert list(catalog.find_figures("Greeting")) == ["specs/Greeting/", "p/#Greeting"]
    assert list(catalog.find_figures("Own")) == ["p/#Own"]
    assert catalog.find_figures("None") == {}
    assert catalog.names == {"Chat", "Greeting", "Own"}


def test_shelf_has_each_spec_once(tmp_path: Path) -> None:
    """A block that shows a file adds nothing to the file; a block of its own is shown where it stands."""
    spec_index = library(tmp_path).spec_index
    shown = [(entry.spec.name, entry.address, entry.file, entry.has_page) for entry in spec_index.entries]
    assert shown == [
        ("Chat", "specs/Chat/", "a.acdl", True),
        ("Greeting", "specs/Greeting/", "a.acdl", True),
        ("Own", "p/#Own", "docs/p.md", False),
    ]


def test_a_named_file_that_changes_between_builds(tmp_path: Path) -> None:
    """Blocks are kept between the builds of a preview, except those that name files."""
    page = '```acdl src="a.acdl"\n```\n\n```acdl\n// acdl: use "b.acdl"\nC[@T]: {\n    U: X\n}\n```\n'
    files = [tmp_path / "a.acdl", tmp_path / "b.acdl"]
    for name in ("First", "Second"):
        for file in files:
            file.write_text(f"StrFrag {name}: {{\n    X\n}}\n")
        made = SiteLibrary(tmp_path, Settings())
        made.add_page("page.md", page, "page/", tmp_path / "page.md")
        assert made.catalog.names == {name, "C"}
        assert sorted(made.files) == files
        assert [each.path for each in map(made.used_files.__getitem__, range(len(made.used_files)))] == files[1:]


def test_page_of_a_name_is_asked_for_once(tmp_path: Path) -> None:
    """Whoever gives out addresses may give each only once."""
    (tmp_path / "a.acdl").write_text(CHAT + GREETING)
    asked: list[str] = []

    def page_of(name: str) -> str:
        asked.append(name)
        return f"{len(asked)}/"

    made = SiteLibrary(tmp_path, Settings())
    made.add_file(tmp_path / "a.acdl", page_of)
    assert asked == ["Chat", "Greeting"]
    assert list(made.catalog.find_figures("Greeting")) == ["2/"]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (f"// runs: x.jsonl\n{CHAT}{GREETING}", {"Chat": ("x.jsonl",), "Greeting": ()}),
        (f"// runs: x.jsonl\n\n{GREETING}{CHAT}", {"Chat": ("x.jsonl",), "Greeting": ()}),
        (f"// runs: x.jsonl\n{CHAT}{CHAT.replace('Chat', 'Own')}", {"Chat": ("x.jsonl",), "Own": ()}),
        (
            f"// title: All\n\n{CHAT}\n// runs: x.jsonl\n{CHAT.replace('Chat', 'Own')}",
            {"Chat": (), "Own": ("x.jsonl",)},
        ),
    ],
)
def test_a_recording_that_a_comment_names(tmp_path: Path, text: str, runs: dict[str, tuple[str, ...]]) -> None:
    """It is of the spec below, or of the only one of the file; a fragment beside it takes nothing away."""
    (tmp_path / "a.acdl").write_text(text)
    made = SiteLibrary(tmp_path, Settings())
    made.add_file(tmp_path / "a.acdl", lambda name: f"specs/{name}/")
    assert {each.spec.name: each.runs for each in made.spec_index.entries} == runs
    assert list(made.list_problems()) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"// runs: x.jsonl\n\n{CHAT}{CHAT.replace('Chat', 'Own')}", "`// runs:` is of no spec of this file"),
        (f"{CHAT}// runs: x.jsonl\n{GREETING}", "`// runs:` is of no spec of this file"),
        (f"// runs: x.jsonl\n{GREETING}", "`// runs:` is of no spec of this file"),
        (f"// variant-of: Chat\n\n{CHAT}{CHAT.replace('Chat', 'Own')}", "`// variant-of:` is of no spec of this file"),
    ],
)
def test_what_is_said_of_no_spec_is_told(tmp_path: Path, text: str, told: str) -> None:
    """A check that is turned off without a word would look like one that agrees."""
    (tmp_path / "a.acdl").write_text(text)
    made = SiteLibrary(tmp_path, Settings())
    made.add_file(tmp_path / "a.acdl", lambda name: f"specs/{name}/")
    ((problem, source),) = made.list_problems()
    assert problem.message.startswith(told)
    assert source.name == "a.acdl"


def test_a_recording_of_a_file_with_two_specs_is_told(tmp_path: Path) -> None:
    """Nobody can say of which it is, unless a comment does."""
    two = f"{CHAT}\n{CHAT.replace('Chat', 'Own')}"
    (tmp_path / "a.run.jsonl").write_text("")
    for text, n_told in ((two, 1), (two.replace("\nOwn", "\n// runs: a.run.jsonl\nOwn"), 0), (CHAT + GREETING, 0)):
        (tmp_path / "a.acdl").write_text(text)
        made = SiteLibrary(tmp_path, Settings())
        made.add_file(tmp_path / "a.acdl", lambda name: f"specs/{name}/")
        told = [problem for problem, _ in made.list_problems()]
        assert len(told) == n_told
        assert all("call it `Chat.run.jsonl`" in each.help[0] for each in told)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """The reason is a sentence with the name of the file, which is watched all the same."""
    made = SiteLibrary(tmp_path, Settings())
    assert made.add_file(tmp_path / "none.acdl", str) == "none.acdl: does not exist"
    assert made.files == {tmp_path / "none.acdl"}
    assert made.spec_index.entries == ()
