"""`specs.json` has everything that a site shows, as its schema says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from exhaustive import exhaustive
from jsonschema import Draft202012Validator, ValidationError
from written_indexes import example_index, index_of

from acdl_mkdocs.frontends.docs.pages import specs_json as module
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecIndex
from acdl_mkdocs.frontends.docs.pages.specs_json import specs_json

SCHEMA = json.loads((Path(module.__file__).parents[3] / "assets" / "specs.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

CHAT = """\
// title: Support
// tags: chat, tools
// source: src/chat.py
// source: the manual
// see: Short, https://example.org/chat, Nowhere
// What a customer's question is sent with.

StrFrag Manners[@t]: { BE_BRIEF(sys.locale[@t]) }
Chat[@T]: {
    S: { Frag Manners[@T] Frag Lost[@T] }
    ForEach(t: range(1, @T)) {
        U: env.question[@t] // as typed
    }
    U: { env.question[@T] shorten(env.page[@T], 100) }
}
"""
SHORT = "// variant-of: Chat\n// acdl: range=inclusive\nShort[@T]: {\n    U: env.question[@T]\n}\n"
PAGE = "StrFrag Manners[@t]: { BE_POLITE }\n"


def written(spec_index: SpecIndex, site_url: str = "") -> dict[str, Any]:
    """The document of an index, which its schema accepts."""
    text = specs_json(spec_index, site_url)
    assert text == specs_json(spec_index, site_url)
    document = json.loads(text)
    VALIDATOR.validate(document)
    assert isinstance(document, dict)
    return document


@pytest.fixture
def document() -> dict[str, Any]:
    """A site with a family, a fragment that two files define, and a use of one that nobody does."""
    spec_index = index_of({"specs/chat.acdl": CHAT, "specs/short.acdl": SHORT, "docs/manners.md": PAGE})
    return written(spec_index, "https://example.org/docs")


def test_schema_is_one() -> None:
    """The schema is right itself, and asks for each key that it explains."""
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"])
    entry = SCHEMA["$defs"]["entry"]
    assert set(entry["required"]) == set(entry["properties"])
    assert SCHEMA["properties"]["version"]["const"] == module.SCHEMA_VERSION


def test_a_line_for_each_spec() -> None:
    """A change of a spec is a change of its line, and a program can read the document by lines."""
    spec_index = index_of({"specs/chat.acdl": CHAT, "specs/short.acdl": SHORT})
    lines = specs_json(spec_index, "").splitlines()
    names = [json.loads(line.removesuffix(","))["name"] for line in lines if line.startswith('{"name"')]
    assert [name for name in names if name in ("Chat", "Short", "Manners")] == ["Chat", "Short", "Manners"]
    assert '"specs": [' in lines


def test_keys_are_those_of_the_schema(document: dict[str, Any]) -> None:
    """Nothing is written that the schema does not explain."""
    assert list(document) == SCHEMA["required"]
    for each in document["specs"] + document["fragments"]:
        assert list(each) == SCHEMA["$defs"]["entry"]["required"]


def test_spec(document: dict[str, Any]) -> None:
    """What an author wrote and what a spec reads is there, with addresses."""
    chat, short = document["specs"]
    page = "https://example.org/docs/specs/Chat/"
    assert chat["url"] == page
    assert (chat["title"], chat["tags"], chat["file"], chat["line"]) == (
        "Chat",
        ["chat", "tools"],
        "specs/chat.acdl",
        9,
    )
    assert chat["file_title"] == "Support"
    assert chat["origin"] == ["src/chat.py", "the manual"]
    assert [each["url"] for each in chat["see"]] == [
        "https://example.org/docs/specs/Short/",
        "https://example.org/chat",
        None,
    ]
    assert chat["description"] == "What a customer's question is sent with."
    assert (chat["parameters"], chat["roles"]) == (["@T"], ["system", "user"])
    assert [each["name"] for each in chat["variables"]] == ["env.page", "env.question", "sys.locale"]
    question = chat["variables"][1]
    assert question["forms"] == ["env.question[@t]", "env.question[@T]"]
    assert question["comments"] == ["as typed"]
    assert question["places"] == [f"{page}#Chat-foreach-t-user", f"{page}#Chat-user"]
    assert [each["name"] for each in chat["functions"]] == ["shorten"]
    assert (question["is_own"], question["via"]) == (True, [])
    assert (chat["range"], short["range"]) == ("half-open", "inclusive")
    assert chat["source"] == CHAT[CHAT.index("Chat[@T]") :].rstrip()
    assert (chat["variant_of"], short["variant_of"]) == (None, {"name": "Chat", "url": page})
    assert [each["name"] for each in chat["family"]] == ["Chat", "Short"] == [each["name"] for each in short["family"]]


def test_fragments(document: dict[str, Any]) -> None:
    """A use leads to the fragment of its own file; one that does not exist has no address."""
    own, other = document["fragments"]
    assert document["specs"][0]["fragments"] == [{"name": "Manners", "url": own["url"]}, {"name": "Lost", "url": None}]
    assert [each["name"] for each in own["used_by"]] == ["Chat"]
    assert (own["kind"], own["has_page"], other["has_page"]) == ("string-fragment", True, False)
    assert other["url"] == "https://example.org/docs/docs/manners/#Manners"
    assert other["templates"][0]["places"] == []


def test_indexes(document: dict[str, Any]) -> None:
    """Everything that specs mention is listed by name."""
    assert [each["name"] for each in document["variables"]] == ["env.page", "env.question", "sys.locale"]
    assert [each["name"] for each in document["variables"][1]["used_by"]] == ["Chat", "Short"]
    assert [each["name"] for each in document["templates"]] == ["BE_BRIEF", "BE_POLITE"]
    assert [each["name"] for each in document["functions"]] == ["shorten"]
    assert document["tags"] == [{"name": "chat", "count": 2}, {"name": "tools", "count": 2}]


def test_what_fragments_read() -> None:
    """What a spec reads through fragments of other files, and those through others, is listed with the fragment."""
    spec_index = index_of(
        {
            "a.acdl": "A[@T]: {\n    S: { Frag F[@T] }\n    U: env.x[@T] // own\n}\n",
            "f.acdl": "StrFrag F[@t]: {\n    Frag G[@t]\n    env.x[@t] // of F\n}\n",
            "docs/g.md": "StrFrag G[@t]: {\n    shorten(env.y[@t])\n    Frag F[@t]\n}\n",
        }
    )
    document = written(spec_index)
    x, y = document["specs"][0]["variables"]
    f, g = {"name": "F", "url": "specs/F/"}, {"name": "G", "url": "docs/g/#G"}
    assert (x["name"], x["is_own"], x["via"]) == ("env.x", True, [f])
    assert (x["forms"], x["comments"]) == (["env.x[@T]", "env.x[@t]"], ["own", "of F"])
    assert x["places"] == ["specs/A/#A-user"]
    assert (y["name"], y["is_own"], y["via"], y["places"]) == ("env.y", False, [g], [])
    assert [(each["name"], each["via"]) for each in document["specs"][0]["functions"]] == [("shorten", [g])]
    assert [(each["name"], each["via"]) for each in document["fragments"][0]["variables"]] == [
        ("env.x", []),
        ("env.y", [g]),
    ]
    (mentioned,) = [each["used_by"] for each in document["variables"] if each["name"] == "env.y"]
    assert mentioned == [g]


def test_without_an_address() -> None:
    """A site that does not know its address has relative ones."""
    document = written(index_of({"a.acdl": SHORT}))
    assert document["site"] == ""
    assert document["specs"][0]["url"] == "specs/Short/"


def test_addresses_can_be_asked_for() -> None:
    """Names of whatever script are addresses by the rules of the web."""
    document = written(index_of({"a.acdl": "Gr\u00f6\u00dfe[@T]: { U: env.x[@T] }\n"}), "https://example.org")
    assert document["specs"][0]["url"] == "https://example.org/specs/Gr%C3%B6%C3%9Fe/"


def test_nothing() -> None:
    """A site without specs has a document too."""
    assert written(SpecIndex([]))["specs"] == []


def test_examples() -> None:
    """Every definition of the examples is an entry, and every address of an own page leads to one."""
    document = written(example_index())
    entries = document["specs"] + document["fragments"]
    addresses = {each["url"] for each in entries}
    assert len(entries) > 40
    for entry in entries:
        links = entry["fragments"] + entry["used_by"] + entry["family"]
        assert {each["url"] for each in links} <= addresses
        for kind in ("variables", "templates", "functions"):
            names = {each["name"] for each in document[kind]}
            assert {each["name"] for each in entry[kind]} <= names


def test_hostile_words() -> None:
    """Whatever an author writes is text; a lone surrogate is replaced."""
    text = '// title: "</script>\\ \u2028 \ud800\nA[@T]: { U: "\ud800{" }\n'
    assert written(index_of({"a\ud800.acdl": text}))["specs"][0]["title"].startswith('"</script>\\ \u2028 ')


@exhaustive
def test_hash_seed_does_not_matter() -> None:
    """Every run writes the same bytes."""
    code = "import sys; from written_indexes import example_index\n"
    code += "from acdl_mkdocs.frontends.docs.pages.specs_json import specs_json\n"
    code += "sys.stdout.buffer.write(specs_json(example_index(), '').encode())"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    made = {
        subprocess.run(
            [sys.executable, "-c", code], env={**environment, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(made) == 1


@pytest.mark.parametrize("change", [("version", 2), ("specs", [{}]), ("site", None), ("tags", [{"name": "x"}])])
def test_schema_refuses(change: tuple[str, object], document: dict[str, Any]) -> None:
    """A document that says something else is not valid."""
    with pytest.raises(ValidationError):
        VALIDATOR.validate({**document, change[0]: change[1]})
