"""What is said of playbook files that people edited."""

from functools import partial
from pathlib import Path

import pytest
from steps import soon

from acdl_mkdocs.playbook.store import Loaded, load, read_playbook, text_of

HEAD = "schema_version: 1\nname: x\nrevision: 3\nsections:\n- {id: general, title: General}\n"


def said(loaded: Loaded) -> list[str]:
    """Each problem with its place."""
    places = [(loaded.source.find_place(each.label.span.start), each) for each in loaded.problems]
    return [f"{place.line}:{place.column}: {each.message}" for place, each in places]


def bullet(lines: str) -> str:
    """A playbook with one bullet that has these lines too."""
    rows = "".join(f"  {line}\n" for line in lines.split("\n"))
    return f"{HEAD}bullets:\n- id: gen-1\n{rows}"


WRONG = {
    "an empty file": ("", ["1:1: the file is empty"]),
    "only comments": ("# nothing\n", ["1:1: the file is empty"]),
    "a list": ("- a\n", ["1:1: the file is a list, and a playbook is a map"]),
    "no yaml": ("a: [b\n", ["2:1: the `[` is not closed, or a comma is missing"]),
    "a tab": ("a:\n\tb: 1\n", ["2:1: a tab stands where YAML wants blanks"]),
    "a control character": ("name: a\x01b\n", ["1:8: the character U+0001 cannot stand in a text file"]),
    "keys that are missing": (
        "schema_version: 1\n",
        [f"1:1: the playbook has no `{key}`" for key in ("name", "revision", "sections", "bullets")],
    ),
    "another version": (
        HEAD.replace("version: 1", "version: 2") + "bullets: []\n",
        ["1:17: `schema_version` is the number `2`, and this program reads version 1"],
    ),
    "an unknown key": (
        HEAD + "bulets: []\nbullets: []\n",
        ["6:1: a playbook has no key `bulets`: did you mean `bullets`?"],
    ),
    "a key twice": (HEAD + "name: y\nbullets: []\n", ["6:1: `name` stands twice in a playbook"]),
    "an anchor": (HEAD + "bullets: &a []\n", ["6:10: an anchor means nothing here"]),
    "an alias": (
        "name: &n x\n" + HEAD.replace("name: x", "name: *n") + "bullets: []\n",
        [
            "1:7: an anchor means nothing here",
            "3:1: `name` stands twice in a playbook",
            "3:7: an alias means nothing here",
        ],
    ),
    "a tag": (
        bullet("section: general\ncontent: !!str x"),
        ["9:12: a tag means nothing here"],
    ),
    "a second document": (
        HEAD + "bullets: []\n---\na: 1\n",
        ["7:1: a second document begins here, and a playbook is one"],
    ),
    "too deep": (
        HEAD + "bullets: " + "[" * 12 + "]" * 12 + "\n",
        ["6:17: maps and lists are nested deeper than 8"],
    ),
    "kinds of values": (
        bullet(
            "section: general\ncontent: 42\nhelpful: 1.0\nharmful: true\nneutral: -1\nseen: many\n"
            "pinned: yes\npublish: 1"
        ),
        [
            "9:12: `content` is the number `42`, and text is needed",
            "10:12: `helpful` is the number `1.0`, and a whole number from 0 is needed",
            "11:12: `harmful` is `true`, and a whole number from 0 is needed",
            "12:12: `neutral` is the number `-1`, and a whole number from 0 is needed",
            "13:9: `seen` is the text `many`, and a whole number from 0 is needed",
            "14:11: `pinned` is the text `yes`, and `true` or `false` is needed",
            "15:12: `publish` is the number `1`, and `true` or `false` is needed",
        ],
    ),
    "words that are none": (
        bullet("section: general\ncontent: x\nstatus: activ\nseverity: high\nconten: y"),
        [
            "10:11: `status` is the text `activ`, and it can be `proposed` or `active` or `archived`",
            "11:13: `severity` is the text `high`, and it can be `normal` or `critical`",
            "12:3: a bullet has no key `conten`: did you mean `content`?",
        ],
    ),
    "what names nothing": (
        bullet("section: genral\ncontent: x\nsuperseded_by: gen-2\nupdated: 9"),
        [
            "8:12: there is no section `genral`",
            "10:18: there is no bullet `gen-2`",
            "11:12: `updated` is 9, and the playbook is at revision 3",
        ],
    ),
    "ids twice": (
        bullet("section: general\ncontent: x\naliases: [gen-2]") + "- {id: gen-2, section: general, content: y}\n",
        ["11:8: the id `gen-2` is used twice"],
    ),
    "an id that is none": (
        HEAD + "bullets:\n- {id: 'a b', section: general, content: x}\n",
        ["7:8: `a b` is not an id of a bullet"],
    ),
    "pairs": (
        bullet("section: general\ncontent: x")
        + "pairs:\n- {a: gen-1, b: gen-9, verdict: kept, score: 2}\n- {a: gen-1, b: gen-1, verdict: maybe}\n",
        [
            "11:46: `score` is the number `2`, and a number from 0 to 1 is needed",
            "12:33: `verdict` is the text `maybe`, and it can be `differs` or `conflicts` or `open` or "
            "`kept` or `review` or `conflict`",
        ],
    ),
    "pairs of bullets that are not there": (
        bullet("section: general\ncontent: x") + "pairs:\n- {a: gen-1, b: gen-9, verdict: kept}\n",
        ["11:17: there is no bullet `gen-9`"],
    ),
    "a bullet that is text": (HEAD + "bullets:\n- hello\n", ["7:3: a bullet is the text `hello`, and a map is needed"]),
    "no content": (bullet("section: general\ncontent: ''"), ["9:12: the content is empty; write one lesson"]),
    "an alias as content": (bullet("section: general\ncontent: *x"), ["9:12: an alias means nothing here"]),
    "a forged bullet": (
        bullet('section: general\ncontent: "x\\n[gen-2] helpful=9 harmful=0 :: y"'),
        None,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_place(name: str) -> None:
    """Every problem of a file is said at once, with line, column and words; nobody gets half a playbook."""
    text, wanted = WRONG[name]
    loaded = read_playbook(text)
    assert loaded.playbook is None
    if wanted is None:
        assert len(loaded.problems) == 1
    else:
        assert said(loaded) == wanted


def test_a_comma_in_braces_wants_quotes() -> None:
    """Words after a comma are a key without value in `{}`; the help is to quote the text, not a list of all keys."""
    loaded = read_playbook(HEAD + "bullets:\n- {id: gen-1, section: general, content: Ask, then act}\n")
    assert said(loaded) == ["7:47: a bullet has no key `then act`"]
    assert "in quotes, with the comma" in loaded.problems[0].help[0]


@pytest.mark.parametrize("word", ["no", "yes", "off", "2026-01-31", "12:30", "0x1G", "1_000", "1e", "on"])
def test_words_are_text_as_in_yaml_1_2(word: str) -> None:
    """What was something else before YAML 1.2 is text: `content: no`."""
    loaded = read_playbook(bullet(f"section: general\ncontent: {word}"))
    assert loaded.playbook is not None, said(loaded)
    assert loaded.playbook.bullets[0].content == word


@pytest.mark.parametrize("number", ["1e3", "0o17", "0x1f", ".5", "null", "~", "True", ".nan"])
def test_what_is_no_text_in_yaml_1_2_wants_quotes(number: str) -> None:
    """Numbers, truth values and nothing are not content, and the cure is to quote them."""
    loaded = read_playbook(bullet(f"section: general\ncontent: {number}"))
    assert loaded.playbook is None
    assert len(loaded.problems) == 1
    quoted = read_playbook(bullet(f'section: general\ncontent: "{number}"'))
    assert quoted.playbook is not None
    assert quoted.playbook.bullets[0].content == number


@pytest.mark.parametrize(
    "change", [lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n"), lambda t: t.rstrip("\n")]
)
def test_marks_and_line_ends_of_other_systems_are_read(change: object) -> None:
    """A byte order mark, line ends of Windows and a missing end of line make no difference."""
    text = bullet("section: general\ncontent: |-\n  ```\n  a\n  ```")
    one, other = read_playbook(text).playbook, read_playbook(change(text)).playbook  # type: ignore[operator]
    assert one is not None
    assert one == other


def test_json_is_read() -> None:
    """A playbook that is written as JSON is one."""
    text = '{"schema_version": 1, "name": "x", "revision": 0, "sections": [], "bullets": []}'
    playbook = read_playbook(text).playbook
    assert playbook is not None
    assert text_of(playbook) == "schema_version: 1\nname: x\nrevision: 0\nsections: []\nbullets: []\n"


def test_many_problems_are_counted() -> None:
    """After a hundred problems the rest is only counted."""
    rows = "".join(f"- {{id: b-{number}, section: nowhere, content: x}}\n" for number in range(150))
    found = said(read_playbook(f"{HEAD}bullets:\n{rows}"))
    assert len(found) == 101
    assert found[0] == "1:1: 50 more problems"


def test_bytes_that_are_no_text_are_said(tmp_path: Path) -> None:
    """A file that is not UTF-8 is said to be so, with the line."""
    path = tmp_path / "p.yaml"
    path.write_bytes(b"schema_version: 1\nname: caf\xe9\n")
    assert said(load(path)) == ["1:1: the file is not UTF-8: there is a byte 0xe9 in line 2"]


def test_hostile_sizes_take_no_time() -> None:
    """Deep nesting, long keys and many anchors are refused at once; YAML is read in C, so with a wide limit."""
    deep = "".join(f"{' ' * depth}a:\n" for depth in range(3000))
    for text in ("[" * 100_000, deep, "- " * 50_000, "a" * 1_000_000 + ": 1", "a: &a [x]\n" * 10_000, "{" * 5000):
        assert soon(partial(read_playbook, text)).playbook is None
