"""Every format: listed, round trips, and inert whatever a bullet says."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from shared_books import BLOCK, HOSTILE

import acdl_mkdocs.playbook.exchange
from acdl_mkdocs.foundation.safe_text import RISKY
from acdl_mkdocs.playbook.exchange import EXCHANGES, format_of
from acdl_mkdocs.playbook.exchange.json_feed import FeedItem, write_feed
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Section, sort_playbook
from acdl_mkdocs.playbook.model.content import clean_content
from acdl_mkdocs.playbook.model.edits import EditContext
from acdl_mkdocs.playbook.model.operations import AddSection

FOLDER = Path(acdl_mkdocs.playbook.exchange.__file__).parent
SCHEMA = json.loads((FOLDER.parents[1] / "assets" / "playbook-export.schema.json").read_text("utf-8"))
DEEP = "is not JSON: lists and objects are nested more than 64 levels deep"
READ = [name for name, each in EXCHANGES.items() if each.is_read]


def contents() -> st.SearchStrategy[str]:
    """Texts that a bullet may have."""
    signs = st.sampled_from(
        ["=", "+", "-", "@", "'", '"', ",", ";", "::", "[x]", "<!--", "-->", "&lt;!--", "#", "`", "\\"]
    )
    words = st.lists(st.one_of(signs, st.text(max_size=8)), max_size=9).map("".join)
    lines = st.lists(st.text("ab #-[]:=`\t", max_size=12), min_size=1, max_size=5).map("\n".join)
    return st.one_of(words, lines.map(lambda text: f"~~~\n{text}\n~~~")).filter(
        lambda text: clean_content(text).text == text != ""
    )


@st.composite
def playbooks(draw: st.DrawFn) -> Playbook:
    """Playbooks of active bullets, each section with one at least, so that every format carries their texts."""
    titles = draw(st.lists(st.text("abc XY&é", min_size=1, max_size=9), min_size=1, max_size=3))
    book = Playbook("p", sections=())
    for title in titles:
        if re.search("[a-zA-Z]", title):
            book = AddSection(title=title).apply_to(book, EditContext(1))
    sections = {each.title: each for each in book.sections}.values()
    counts = st.integers(0, 10**9)
    bullets = [
        Bullet(
            id=f"b-{idx}{n}", section=section.id, content=draw(contents()), helpful=draw(counts), harmful=draw(counts)
        )
        for idx, section in enumerate(sections)
        for n in range(draw(st.integers(1, 3)))
    ]
    return sort_playbook(replace(book, sections=tuple(sections), bullets=tuple(bullets)))


def said(playbook: Playbook | None) -> list[tuple[str, str, str, int, int]]:
    """What every format carries: ids, headings, texts and the two counters of active bullets."""
    assert playbook is not None
    titles = {section.id: section.title for section in playbook.sections}
    return [(each.id, titles[each.section], each.content, each.helpful, each.harmful) for each in playbook.active]


def test_every_format_is_listed() -> None:
    """A module with `write(playbook)` is a line of `EXCHANGES`, and says itself whether it can be read."""
    texts = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.py")}
    assert {each.module for each in EXCHANGES.values()} == {
        name for name, text in texts.items() if "\ndef write(playbook: Playbook)" in text
    }
    assert {each.module for each in EXCHANGES.values() if each.is_read} == {
        name for name, text in texts.items() if "\ndef read(text: str)" in text
    }


@pytest.mark.parametrize("name", READ)
def test_hostile_texts_come_back(name: str) -> None:
    """What a format carries is read back exactly, and writing that gives the same text."""
    text = EXCHANGES[name].write(HOSTILE)
    read = EXCHANGES[name].read(text)
    assert read.problems == ()
    assert said(read.playbook) == said(HOSTILE)
    assert read.playbook is not None
    assert EXCHANGES[name].write(replace(read.playbook, name=HOSTILE.name)) == text


@pytest.mark.parametrize("name", READ)
def test_code_like_a_fence_or_a_bullet_comes_back(name: str) -> None:
    """Neither an indented fence in a block ends it, nor does a line with counters begin a bullet."""
    texts = ("```md\n    ```\n    make\n    ```\n```", "```ini\n[cache] seen: 5\n[queue] helpful: 6\n```", "Then stop.")
    bullets = tuple(
        Bullet(id=f"gen-{idx}", section="general", content=clean_content(each).text) for idx, each in enumerate(texts)
    )
    found = EXCHANGES[name].read(EXCHANGES[name].write(Playbook("p", bullets=bullets)))
    assert found.problems == ()
    assert found.playbook is not None
    assert found.playbook.bullets == bullets


@pytest.mark.parametrize("name", READ)
@given(book=playbooks())
def test_round_trips(name: str, book: Playbook) -> None:
    """The same for any texts that bullets may have; with the line ends of Windows, too."""
    text = EXCHANGES[name].write(book)
    read = EXCHANGES[name].read(text)
    assert read.problems == ()
    assert said(read.playbook) == said(book)
    assert read.playbook is not None
    assert EXCHANGES[name].write(replace(read.playbook, name="p")) == text
    if name != "csv":
        assert said(EXCHANGES[name].read(text.replace("\n", "\r\n")).playbook) == said(book)


@pytest.mark.parametrize("name", READ)
@given(text=st.text())
def test_reading_never_raises(name: str, text: str) -> None:
    """Whatever a text is, reading gives a playbook that can be written, or says why not."""
    read = EXCHANGES[name].read(text)
    assert read.playbook is not None or read.problems
    if read.playbook is not None:
        EXCHANGES[name].write(read.playbook)


@pytest.mark.parametrize("name", READ)
def test_one_huge_line_is_read_quickly(name: str) -> None:
    """A megabyte of anything is a problem, not a hang."""
    for text in (
        "[" * 1_000_000,
        "helpful=1 " * 100_000,
        "[x] " + "helpful=1 " * 100_000,
        "'" * 1_000_000,
        "{" * 100_000,
    ):
        read = EXCHANGES[name].read(text)
        assert read.problems or not (read.playbook and read.playbook.bullets)


def test_an_empty_playbook_in_every_format() -> None:
    """Nothing to say is not an error."""
    for each in EXCHANGES.values():
        text = each.write(Playbook("p"))
        if each.is_read:
            assert each.read(text).problems == ()


def test_names_of_files() -> None:
    """The ending says the format, except that of feeds, which cannot be read."""
    assert [format_of(name) for name in ("a.txt", "A.CSV", "x.json", "AGENTS.md", "feed.feed.json", "x.yaml")] == [
        "text",
        "csv",
        "json",
        "agents-md",
        None,
        None,
    ]


@pytest.mark.parametrize("name", ["json", "feed"])
def test_json_is_safe_to_print(name: str) -> None:
    """What acts on a terminal stands there by its number, and says the same."""
    words = "a\x9b\u202eb"
    book = replace(HOSTILE, name=words, sections=(Section("general", words), *HOSTILE.sections[1:]))
    text = EXCHANGES[name].write(book)
    assert not RISKY.search(text)
    assert json.loads(text)["name" if name == "json" else "title"] == words


class TestJson:
    """The export for programs."""

    def test_is_as_its_schema_says(self) -> None:
        """Every key is there; the schema allows no other."""
        Draft202012Validator.check_schema(SCHEMA)
        data = json.loads(EXCHANGES["json"].write(HOSTILE))
        Draft202012Validator(SCHEMA).validate(data)
        assert set(data) == set(SCHEMA["properties"])
        assert all(set(each) == set(SCHEMA["$defs"]["bullet"]["properties"]) for each in data["bullets"])
        data["bullets"][0]["helpful"] = 10**15
        assert not Draft202012Validator(SCHEMA).is_valid(data)
        data["bullets"][0]["helpful"] = 10**15 - 1
        assert EXCHANGES["json"].read(json.dumps(data)).problems == ()
        data["bullets"][0]["more"] = 1
        assert not Draft202012Validator(SCHEMA).is_valid(data)

    def test_carries_everything(self) -> None:
        """Reading an export gives an equal playbook."""
        assert EXCHANGES["json"].read(EXCHANGES["json"].write(HOSTILE)).playbook == HOSTILE

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[]", "is not a playbook"),
            ('{"bullets": [}', "is not JSON: expecting value at line 1, column 14"),
            ('{"bullets": [], "bullets": []}', 'is not JSON: the key "bullets" appears twice'),
            ('{"bullets": NaN}', "is not JSON: `NaN` is not a JSON number"),
            ('{"format": "x", "bullets": []}', '`format` is "x"'),
            ('{"schema_version": 2, "bullets": []}', "schema_version: is 2, and this program reads 1"),
            ("[" * 100_000, DEEP),
            ('{"bullets": ' + "[" * 700 + "]" * 700 + "}", DEEP),
            ("{" + '"a": 1, ' * 50_000 + '"a": 1}', 'is not JSON: the key "a" appears twice'),
        ],
    )
    def test_says_what_is_wrong(self, text: str, message: str) -> None:
        """A text that is no export gives no playbook, and the reason."""
        read = EXCHANGES["json"].read(text)
        assert read.playbook is None
        assert str(read.problems[0]).startswith(message)


class TestCsv:
    """The table."""

    def test_no_cell_is_a_formula(self) -> None:
        """No cell begins with a sign that spreadsheets run, not even behind blanks."""
        rows = list(csv.reader(io.StringIO(EXCHANGES["csv"].write(HOSTILE), newline="")))
        assert len(rows) == 1 + len(HOSTILE.bullets)
        assert not [cell for row in rows for cell in row if re.match(r"\s*[=+\-@\t\r＝]", cell)]
        assert EXCHANGES["csv"].write(HOSTILE).count("\r\n") == len(rows)

    def test_carries_every_field(self) -> None:
        """Archived bullets, sources and aliases come back; sections without bullets do not."""
        read = EXCHANGES["csv"].read(EXCHANGES["csv"].write(HOSTILE)).playbook
        assert read is not None
        assert read.bullets == HOSTILE.bullets
        assert read.sections == HOSTILE.sections[:2]

    def test_reads_what_spreadsheets_write(self) -> None:
        """Semicolons, a mark at the beginning, columns in another order, unknown ones, empty rows."""
        read = EXCHANGES["csv"].read("\ufeffHelpful;content;colour\r\n3;'tis so.;red\r\n;;\r\n;No count.;\r\n")
        assert read.playbook is not None
        assert [
            (each.helpful, each.content) for each in sorted(read.playbook.bullets, key=lambda each: -each.helpful)
        ] == [
            (3, "'tis so."),
            (0, "No count."),
        ]
        assert [str(each) for each in read.problems] == ["line 1: the column `colour` is not known and left out"]

    def test_says_which_row_is_wrong(self) -> None:
        """The line is that of the file, also behind a cell of several lines; the others are read."""
        table = 'id,content,helpful\r\na-1,"~~~\r\nx\r\n~~~",1\r\na-2,Two.,-1\r\na-3,,1\r\na-4,Four.,2\r\n'
        read = EXCHANGES["csv"].read(table)
        assert read.playbook is not None
        assert [each.id for each in read.playbook.bullets] == ["a-1", "a-4"]
        assert [(each.line, each.is_note) for each in read.problems] == [(5, False), (6, False)]
        assert "helpful" in read.problems[0].message
        assert EXCHANGES["csv"].read("id,text\r\n").playbook is None


class TestFeed:
    """JSON Feed 1.1."""

    def test_has_what_the_format_wants(self) -> None:
        """Version, title and items with id and text; what was changed last is first; nothing unpublished."""
        data = json.loads(EXCHANGES["feed"].write(HOSTILE))
        assert data["version"] == "https://jsonfeed.org/version/1.1"
        assert data["title"] == HOSTILE.name
        assert [each["id"] for each in data["items"]][:2] == ["lessons -->/shr-00012/7", "lessons -->/gen-1/5"]
        assert all(each["content_text"] for each in data["items"])
        assert not any("gen-4" in each["id"] for each in data["items"])

    def test_items_of_somebody_else(self) -> None:
        """What is not known is left out; nothing else is."""
        item = FeedItem(id="1", title="t", text="x", url="https://x.example/", date="2026-01-01T00:00:00Z", tags=("a",))
        data = json.loads(write_feed("f", [item], feed_url="https://x.example/feed.json"))
        assert data["items"] == [
            {
                "id": "1",
                "url": "https://x.example/",
                "title": "t",
                "content_text": "x",
                "date_published": "2026-01-01T00:00:00Z",
                "tags": ["a"],
            }
        ]
        assert "home_page_url" not in data


def test_block_of_several_lines() -> None:
    """A fenced block is the same text in prompts and in lists."""
    for name in ("text", "agents-md"):
        read = EXCHANGES[name].read(EXCHANGES[name].write(HOSTILE)).playbook
        assert read is not None
        assert read.by_id["shr-00012"].content == BLOCK


def test_sections_of_other_scripts() -> None:
    """Headings without any Latin letter are sections of their own."""
    book = Playbook("p", sections=(Section("a", "工具"), Section("b", "方法")), bullets=())
    book = replace(book, bullets=(Bullet(id="x", section="a", content="A."), Bullet(id="y", section="b", content="B.")))
    read = EXCHANGES["text"].read(EXCHANGES["text"].write(book))
    assert said(read.playbook) == said(book)
